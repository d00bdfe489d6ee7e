// Functions of the module posix on what the system is like: sysconf(), pathconf(), confstr().
#include "vm/modules/posix/posix.h"

#include "objects/dict.h"
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/text/str.h"
#include "vm/io/path.h"

#include <errno.h>
#include <string.h>

#define LONGEST_TEXT 4096

typedef struct Setting {
    const char *name;
    int number;
} Setting;

// One table for each kind; the end of a table has no name.
#define SYSTEM_SETTING(name, number) {#name, number},
#define PATH_SETTING(name, number)
#define SYSTEM_TEXT(name, number)
static const Setting system_settings[] = {
#include "vm/modules/posix/settings.def"
    {0}};
#undef SYSTEM_SETTING
#undef PATH_SETTING
#define SYSTEM_SETTING(name, number)
#define PATH_SETTING(name, number) {#name, number},
static const Setting path_settings[] = {
#include "vm/modules/posix/settings.def"
    {0}};
#undef PATH_SETTING
#undef SYSTEM_TEXT
#define PATH_SETTING(name, number)
#define SYSTEM_TEXT(name, number) {#name, number},
static const Setting system_texts[] = {
#include "vm/modules/posix/settings.def"
    {0}};

// A name of the table, or any number.
static bool setting_argument(ValueRef value, const Setting *table, int *number)
{
    if (int_check(value)) return posix_int(value, 0, number);
    if (!str_check(value))
        return raise_error(TypeError, "configuration names must be strings or integers");
    const Setting *found = table;
    while (found->name && !str_equal_ascii(value, found->name)) found++;
    *number = found->number;
    return found->name || raise_error(ValueError, "unrecognized configuration name");
}

static Value system_setting(FUNCTION_ARGS)
{
    int number;
    if (!setting_argument(args[0], system_settings, &number)) return VALUE_ERROR;
    return posix_setting(SYSTEM_SETTING, (int64_t[4]){number}, NONE_GIVEN);
}

static Value system_text(FUNCTION_ARGS)
{
    int number;
    char text[LONGEST_TEXT];
    if (!setting_argument(args[0], system_texts, &number)) return VALUE_ERROR;
    int64_t size = outside_call(SYSTEM_SETTING_TEXT, (int64_t[4]){number},
                                (CallBytes){.answer = text, .room = sizeof text});
    if (size < 0) return errno ? raise_posix() : NONE;
    return path_from_system(text, (size_t)size);
}

static Value descriptor_setting(FUNCTION_ARGS)
{
    int descriptor, number;
    if (!posix_descriptor(args[0], 0, &descriptor) ||
        !setting_argument(args[1], path_settings, &number))
        return VALUE_ERROR;
    return posix_setting(SYSTEM_SETTING_OF, (int64_t[4]){number, descriptor}, NONE_GIVEN);
}

// Its errors name the file, unless it is the setting that the system does not know.
static Value path_setting(FUNCTION_ARGS)
{
    int number;
    PathArgument path;
    BIND("pathconf", 2, 2, "path", "name");
    if (!path_begin(&path, given[0], "pathconf", "path", PATH_OR_DESCRIPTOR)) return VALUE_ERROR;
    Value result = VALUE_ERROR;
    if (setting_argument(given[1], path_settings, &number)) {
        CallBytes bytes = {.given = path.name, .given_size = path.name ? strlen(path.name) : 0};
        int64_t answer = outside_call(path.name ? SYSTEM_SETTING_OF_PATH : SYSTEM_SETTING_OF,
                                      (int64_t[4]){number, path.descriptor}, bytes);
        if (answer >= 0 || !errno)
            result = int_new(answer);
        else
            result = errno == EINVAL ? raise_posix() : raise_posix_path(&path);
    }
    path_end(&path);
    return result;
}

static bool add_table(ValueRef module, const char *name, const Setting *table)
{
    Value dict = dict_new();
    for (; dict && table->name; table++)
        if (!dict_set_ascii(dict, table->name, from_small(table->number))) drop_slot(&dict);
    return module_add_owned(module, name, dict);
}

bool posix_add_settings(ValueRef module)
{
    return add_table(module, "sysconf_names", system_settings) &&
           add_table(module, "pathconf_names", path_settings) &&
           add_table(module, "confstr_names", system_texts);
}

const MethodDef posix_setting_functions[] = {
    {"sysconf", system_setting, ONE_ARG, NULL},
    {"confstr", system_text, ONE_ARG, NULL},
    {"fpathconf", descriptor_setting, ARGS(2, 2), NULL},
    {"pathconf", path_setting, KEYWORD_ARGS, NULL},
    {0},
};
