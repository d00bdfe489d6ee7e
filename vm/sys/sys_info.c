// sys: attributes that describe the interpreter. sys.version is that of the Python language
// implemented, 3.9; minivm's own version is in sys.implementation.
#include "objects/classes/namespace.h"
#include "objects/classes/struct_sequence.h"
#include "objects/containers/list.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/text/str.h"
#include "vm/sys/sys.h"

#include <float.h>

#define VERSION_NUMBER 0x030912f0 // 3.9.18 final

static const MemberDef version_fields[] = {
    STRUCT_FIELD("major", 0),        STRUCT_FIELD("minor", 1),  STRUCT_FIELD("micro", 2),
    STRUCT_FIELD("releaselevel", 3), STRUCT_FIELD("serial", 4), {0},
};
static StructType version_type = STRUCT_SEQUENCE("sys.version_info", version_fields, 5);

static const MemberDef float_fields[] = {
    STRUCT_FIELD("max", 0),   STRUCT_FIELD("max_exp", 1),  STRUCT_FIELD("max_10_exp", 2),
    STRUCT_FIELD("min", 3),   STRUCT_FIELD("min_exp", 4),  STRUCT_FIELD("min_10_exp", 5),
    STRUCT_FIELD("dig", 6),   STRUCT_FIELD("mant_dig", 7), STRUCT_FIELD("epsilon", 8),
    STRUCT_FIELD("radix", 9), STRUCT_FIELD("rounds", 10),  {0},
};
static StructType float_info_type = STRUCT_SEQUENCE("sys.float_info", float_fields, 11);

static const MemberDef int_fields[] = {
    STRUCT_FIELD("bits_per_digit", 0),
    STRUCT_FIELD("sizeof_digit", 1),
    STRUCT_FIELD("default_max_str_digits", 2),
    STRUCT_FIELD("str_digits_check_threshold", 3),
    {0},
};
static StructType int_info_type = STRUCT_SEQUENCE("sys.int_info", int_fields, 4);

static const MemberDef hash_fields[] = {
    STRUCT_FIELD("width", 0),     STRUCT_FIELD("modulus", 1),
    STRUCT_FIELD("inf", 2),       STRUCT_FIELD("nan", 3),
    STRUCT_FIELD("imag", 4),      STRUCT_FIELD("algorithm", 5),
    STRUCT_FIELD("hash_bits", 6), STRUCT_FIELD("seed_bits", 7),
    STRUCT_FIELD("cutoff", 8),    {0},
};
static StructType hash_info_type = STRUCT_SEQUENCE("sys.hash_info", hash_fields, 9);

static const MemberDef thread_fields[] = {
    STRUCT_FIELD("name", 0),
    STRUCT_FIELD("lock", 1),
    STRUCT_FIELD("version", 2),
    {0},
};
static StructType thread_info_type = STRUCT_SEQUENCE("sys.thread_info", thread_fields, 3);

static const MemberDef flag_fields[] = {
    STRUCT_FIELD("debug", 0),
    STRUCT_FIELD("inspect", 1),
    STRUCT_FIELD("interactive", 2),
    STRUCT_FIELD("optimize", 3),
    STRUCT_FIELD("dont_write_bytecode", 4),
    STRUCT_FIELD("no_user_site", 5),
    STRUCT_FIELD("no_site", 6),
    STRUCT_FIELD("ignore_environment", 7),
    STRUCT_FIELD("verbose", 8),
    STRUCT_FIELD("bytes_warning", 9),
    STRUCT_FIELD("quiet", 10),
    STRUCT_FIELD("hash_randomization", 11),
    STRUCT_FIELD("isolated", 12),
    STRUCT_FIELD("dev_mode", 13),
    STRUCT_FIELD("utf8_mode", 14),
    STRUCT_FIELD("int_max_str_digits", 15),
    {0},
};
static StructType flags_type = STRUCT_SEQUENCE("sys.flags", flag_fields, 16);

static Value version_info(void)
{
    Value items[] = {from_small(3), from_small(9), from_small(18), str_new("final"), from_small(0)};
    return struct_sequence_from_owned(&version_type, items);
}

static Value float_info(void)
{
    Value items[] = {
        from_double(DBL_MAX),
        from_small(DBL_MAX_EXP),
        from_small(DBL_MAX_10_EXP),
        from_double(DBL_MIN),
        from_small(DBL_MIN_EXP),
        from_small(DBL_MIN_10_EXP),
        from_small(DBL_DIG),
        from_small(DBL_MANT_DIG),
        from_double(DBL_EPSILON),
        from_small(FLT_RADIX),
        from_small(1),
    };
    return struct_sequence_from_owned(&float_info_type, items);
}

static Value int_info(void)
{
    Value items[] = {from_small(30), from_small(4), from_small(4300), from_small(640)};
    return struct_sequence_from_owned(&int_info_type, items);
}

static Value hash_info(void)
{
    Value items[] = {
        from_small(64),      int_new(((int64_t)1 << 61) - 1),
        from_small(314159),  from_small(0),
        from_small(1000003), str_new("siphash24"),
        from_small(64),      from_small(128),
        from_small(0),
    };
    return struct_sequence_from_owned(&hash_info_type, items);
}

static Value thread_info(void)
{
    Value items[] = {str_new("pthread"), str_new("semaphore"), NONE};
    return struct_sequence_from_owned(&thread_info_type, items);
}

static Value flags(const SysOptions *options)
{
    Value items[16];
    for (int i = 0; i < 16; i++) items[i] = from_small(0);
    items[0] = from_small(options->debug);
    items[1] = from_small(options->inspect);
    items[2] = from_small(options->interactive);
    items[3] = from_small(options->optimize);
    items[4] = from_small(1);
    items[5] = from_small(options->no_user_site);
    items[6] = from_small(options->no_site);
    items[7] = from_small(options->ignore_environment);
    items[8] = from_small(options->verbose);
    items[9] = from_small(options->bytes_warning);
    items[10] = from_small(options->quiet);
    items[11] = from_small(options->hash_seed != 0);
    items[12] = from_small(options->isolated);
    items[13] = from_bool(options->dev_mode);
    items[15] = from_small(-1);
    return struct_sequence_from_owned(&flags_type, items);
}

// cache_tag is of the .pyc files, which are CPython 3.9's.
static Value implementation(void)
{
    Value fields = dict_new();
    Value name = str_new("minivm"), tag = str_new("cpython-39"), version = version_info();
    bool done = fields && name && tag && version && dict_set_ascii(fields, "name", name) &&
                dict_set_ascii(fields, "cache_tag", tag) &&
                dict_set_ascii(fields, "version", version) &&
                dict_set_ascii(fields, "hexversion", from_small(VERSION_NUMBER));
    Value result = done ? namespace_new(fields) : VALUE_ERROR;
    drop(fields);
    drop(name);
    drop(tag);
    drop(version);
    return result;
}

static bool ready_types(void)
{
    return struct_sequence_ready_sealed(&version_type) && struct_sequence_ready(&float_info_type) &&
           struct_sequence_ready(&int_info_type) && struct_sequence_ready(&hash_info_type) &&
           struct_sequence_ready(&thread_info_type) && struct_sequence_ready_sealed(&flags_type);
}

static bool add_texts(ValueRef module)
{
    static const struct {
        const char *name, *text;
    } texts[] = {
        {"version", "3.9.18 (minivm) \n[C11]"},
        {"platform", "linux"},
        {"byteorder", "little"},
        {"float_repr_style", "short"},
        {"copyright", "minivm, MIT licence. The language and its names are Python's."},
        {"prefix", ""},
        {"exec_prefix", ""},
        {"base_prefix", ""},
        {"base_exec_prefix", ""},
        {"platlibdir", "lib"},
        {"abiflags", ""},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!module_add_owned(module, texts[i].name, str_new(texts[i].text))) return false;
    return true;
}

bool sys_add_info(ValueRef module, const SysOptions *options)
{
    return ready_types() && add_texts(module) &&
           module_add_owned(module, "version_info", version_info()) &&
           module_add_owned(module, "float_info", float_info()) &&
           module_add_owned(module, "int_info", int_info()) &&
           module_add_owned(module, "hash_info", hash_info()) &&
           module_add_owned(module, "thread_info", thread_info()) &&
           module_add_owned(module, "flags", flags(options)) &&
           module_add_owned(module, "implementation", implementation()) &&
           module_add(module, "hexversion", from_small(VERSION_NUMBER)) &&
           module_add(module, "api_version", from_small(1013)) &&
           module_add_owned(module, "maxsize", int_new(PTRDIFF_MAX)) &&
           module_add(module, "maxunicode", from_small(0x10FFFF)) &&
           module_add(module, "pycache_prefix", NONE) &&
           module_add(module, "dont_write_bytecode", TRUE);
}
