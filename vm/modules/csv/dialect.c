// The dialects of _csv. A setting is taken from the keywords, else from the attributes of the
// dialect that is given, else it is the one that Excel uses.
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/modules/csv/csv.h"

// The parameters of the class Dialect, in order.
enum Setting {
    DIALECT,
    DELIMITER,
    DOUBLEQUOTE,
    ESCAPECHAR,
    LINETERMINATOR,
    QUOTECHAR,
    QUOTING,
    SKIP,
    STRICT,
    SETTINGS, // how many there are
};
static const char *const setting_names[] = {
    "dialect",   "delimiter", "doublequote",      "escapechar", "lineterminator",
    "quotechar", "quoting",   "skipinitialspace", "strict",     NULL,
};

// ---- the settings; 0 = not given

static bool read_flag(ValueRef value, bool *flag)
{
    return !value || object_truth(value, flag);
}

static bool read_character(int setting, ValueRef value, bool may_miss, uint32_t *character)
{
    const char *name = setting_names[setting];
    if (!value) return true;
    *character = 0;
    if (may_miss && value == NONE) return true;
    if (!str_check(value))
        return raise_error(TypeError, "\"%s\" must be string%s, not %.200T", name,
                           may_miss ? " or None" : "", value);
    if (as_str(value)->length > 1)
        return raise_error(TypeError, "\"%s\" must be a 1-character string", name);
    if (as_str(value)->length == 1) *character = str_at(as_str(value), 0);
    return true;
}

static bool read_line_end(ValueRef value, Value *text)
{
    if (value == NONE) return true;
    if (value && !str_check(value))
        return raise_error(TypeError, "\"lineterminator\" must be a string");
    replace_slot(text, value ? retain(value) : str_new("\r\n"));
    return *text;
}

static bool read_quoting(ValueRef value, Quoting *quoting)
{
    int number = QUOTE_MINIMAL;
    if (value && !int_check_exact(value))
        return raise_error(TypeError, "\"quoting\" must be an integer");
    if (value && !argument_int(value, &number)) return false;
    if (number < QUOTE_MINIMAL || number > QUOTE_NONE)
        return raise_error(TypeError, "bad \"quoting\" value");
    *quoting = (Quoting)number;
    return true;
}

static bool fill_in(Dialect *self, const ValueRef *settings)
{
    self->delimiter = ',';
    self->quotechar = '"';
    self->doublequote = true;
    if (!read_character(DELIMITER, settings[DELIMITER], false, &self->delimiter) ||
        !read_flag(settings[DOUBLEQUOTE], &self->doublequote) ||
        !read_character(ESCAPECHAR, settings[ESCAPECHAR], true, &self->escapechar) ||
        !read_line_end(settings[LINETERMINATOR], &self->lineterminator) ||
        !read_character(QUOTECHAR, settings[QUOTECHAR], true, &self->quotechar) ||
        !read_quoting(settings[QUOTING], &self->quoting) ||
        !read_flag(settings[SKIP], &self->skipinitialspace) ||
        !read_flag(settings[STRICT], &self->strict))
        return false;
    if (!self->delimiter)
        return raise_error(TypeError, "\"delimiter\" must be a 1-character string");
    if (settings[QUOTECHAR] == NONE && !settings[QUOTING]) self->quoting = QUOTE_NONE;
    if (self->quoting != QUOTE_NONE && !self->quotechar)
        return raise_error(TypeError, "quotechar must be set if quoting enabled");
    if (!self->lineterminator) return raise_error(TypeError, "lineterminator must be set");
    return true;
}

// ---- the registry

Value csv_registry(void)
{
    Value module = upcalls.import("_csv"), name = module ? str_intern("_dialects") : VALUE_ERROR;
    Value registry = name ? object_get(module, name) : VALUE_ERROR;
    drop(name);
    drop(module);
    if (!registry || dict_check(registry)) return registry;
    drop(registry);
    return raise_error(TypeError, "_csv._dialects must be a dict");
}

Value csv_registered(ValueRef name)
{
    Value registry = csv_registry();
    Value dialect = registry ? dict_get(registry, name) : VALUE_ERROR;
    drop(registry);
    return dialect == ABSENT ? csv_error("unknown dialect") : dialect;
}

// ---- the type

// Attributes of a dialect, for the settings that are not given. What raises an error is not there.
static void take_attributes(ValueRef dialect, ValueRef *settings, Value *found)
{
    for (int i = DELIMITER; i < SETTINGS; i++) {
        Value name = settings[i] ? VALUE_ERROR : str_intern(setting_names[i]);
        found[i] = name ? object_get(dialect, name) : VALUE_ERROR;
        drop(name);
        if (settings[i]) continue;
        if (!found[i]) error_clear();
        settings[i] = found[i];
    }
}

static bool nothing_given(const ValueRef *settings)
{
    for (int i = DELIMITER; i < SETTINGS; i++)
        if (settings[i]) return false;
    return true;
}

static Value make(Type *type, ValueRef dialect, ValueRef *settings)
{
    Value found[SETTINGS] = {0};
    if (dialect) take_attributes(dialect, settings, found);
    Dialect *self = object_alloc(type, 0);
    bool ok = self && fill_in(self, settings);
    for (int i = DELIMITER; i < SETTINGS; i++) drop(found[i]);
    if (ok) return own(self);
    drop(own(self));
    return VALUE_ERROR;
}

static Value dialect_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const Signature signature = {"", setting_names, 0, SETTINGS};
    ValueRef settings[SETTINGS];
    if (!args_bind(&signature, args, nargs, kwnames, settings)) return VALUE_ERROR;
    Value dialect = VALUE_ERROR;
    if (settings[DIALECT] && settings[DIALECT] != NONE) {
        bool is_name = str_check(settings[DIALECT]);
        dialect = is_name ? csv_registered(settings[DIALECT]) : retain(settings[DIALECT]);
        if (!dialect) return VALUE_ERROR;
        if (type_is_subtype(type_of(dialect), &csv_dialect_type) && nothing_given(settings))
            return dialect;
    }
    Value made = make(type, dialect, settings);
    drop(dialect);
    return made;
}

Value csv_dialect_of(const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (nargs < 1) return raise_error(TypeError, " expected at least 1 argument, got 0");
    if (nargs > 2) return raise_error(TypeError, " expected at most 2 arguments, got %zu", nargs);
    return object_call(ref_of(&csv_dialect_type), args + 1, nargs - 1, kwnames);
}

static void dialect_release(Object *self)
{
    drop_slot(&((Dialect *)self)->lineterminator);
}

static Value character_or_none(uint32_t character)
{
    return character ? str_from_code_point(character) : NONE;
}

static Value get_delimiter(ValueRef self)
{
    return character_or_none(as_dialect(self)->delimiter);
}

static Value get_escapechar(ValueRef self)
{
    return character_or_none(as_dialect(self)->escapechar);
}

static Value get_quotechar(ValueRef self)
{
    return character_or_none(as_dialect(self)->quotechar);
}

static Value get_lineterminator(ValueRef self)
{
    return retain(as_dialect(self)->lineterminator);
}

static Value get_quoting(ValueRef self)
{
    return from_small(as_dialect(self)->quoting);
}

static const GetSetDef getset[] = {
    {"delimiter", get_delimiter, NULL, NULL},
    {"escapechar", get_escapechar, NULL, NULL},
    {"lineterminator", get_lineterminator, NULL, NULL},
    {"quotechar", get_quotechar, NULL, NULL},
    {"quoting", get_quoting, NULL, NULL},
    {0},
};

static const MemberDef members[] = {
    {"doublequote", MEMBER_BOOL, offsetof(Dialect, doublequote), true, NULL},
    {"skipinitialspace", MEMBER_BOOL, offsetof(Dialect, skipinitialspace), true, NULL},
    {"strict", MEMBER_BOOL, offsetof(Dialect, strict), true, NULL},
    {0},
};

Type csv_dialect_type = {
    STATIC_TYPE("_csv.Dialect", sizeof(Dialect)),
    .doc = "How rows are written. It is checked when it is made, and cannot be changed.",
    .flags = TYPE_BASE,
    .getset = getset,
    .members = members,
    .new_ = dialect_new,
    .release = dialect_release,
};
