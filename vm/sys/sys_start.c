// sys: what it has of the command line and of the environment.
//
// The variables PYTHON... that are followed: PYTHONPATH, PYTHONWARNINGS, PYTHONOPTIMIZE,
// PYTHONHASHSEED, PYTHONUNBUFFERED, PYTHONINSPECT, PYTHONIOENCODING, PYTHONDEVMODE, PYTHONSTARTUP
// (repl.c), PYTHONBREAKPOINT (sys_hooks.c). An empty one counts as not set, and with -E or -I none
// is looked at.
#include "vm/sys/sys.h"

#include "objects/bytes/codecs.h"
#include "objects/containers/list.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "vm/import/import.h"
#include "vm/import/library.h"
#include "vm/io/path.h"
#include "vm/io/stream.h"
#include "vm/outside/outside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ignore_environment, isolated;

const char *sys_environment(const char *name)
{
    const char *value = ignore_environment ? NULL : outside_environment(name);
    return value && *value ? value : NULL;
}

bool sys_is_isolated(void)
{
    return isolated;
}

// A number from 0 on; any other text stands for 1.
static int flag_of(const char *name)
{
    const char *value = sys_environment(name);
    if (!value) return 0;
    return value[strspn(value, "0123456789")] ? 1 : atoi(value);
}

// Where CPython takes a random seed there is none here: a program prints the same in each run.
static bool read_hash_seed(uint32_t *seed)
{
    const char *value = sys_environment("PYTHONHASHSEED");
    if (!value || strcmp(value, "random") == 0) return true;
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    if (*end || errno || number > UINT32_MAX) return false;
    *seed = (uint32_t)number;
    return true;
}

bool sys_read_environment(SysOptions *options)
{
    ignore_environment = options->ignore_environment;
    isolated = options->isolated;
    int optimize = flag_of("PYTHONOPTIMIZE");
    if (options->optimize < optimize) options->optimize = optimize < 2 ? optimize : 2;
    if (sys_environment("PYTHONUNBUFFERED")) options->unbuffered = true;
    if (sys_environment("PYTHONINSPECT")) options->inspect = true;
    if (sys_environment("PYTHONDEVMODE")) options->dev_mode = true;
    options->environment_warnings = sys_environment("PYTHONWARNINGS");
    if (!read_hash_seed(&options->hash_seed)) return false;
    hash_seed(options->hash_seed);
    return true;
}

static Value system_text(const char *text)
{
    return path_from_system(text, strlen(text));
}

static bool add_arguments(ValueRef module, const SysOptions *options)
{
    Value list = list_new(options->argc);
    for (int i = 0; list && i < options->argc; i++)
        if (!list_append_owned(list, system_text(options->argv[i]))) drop_slot(&list);
    return module_add_owned(module, "argv", list);
}

// ---- sys.path

// The absolute path of a folder; the empty one is the working directory.
static Value absolute_folder(const char *folder, size_t size)
{
    char *here = *folder == '/' ? NULL : outside_working_directory();
    Value text = path_from_system(folder, size);
    if (text && here) {
        Value base = system_text(here), whole = VALUE_ERROR;
        if (base && size) whole = format_text("%S/%S", (ValueRef)base, (ValueRef)text);
        if (base && !size) whole = retain(base);
        drop(base);
        replace_slot(&text, whole);
    }
    memory_free(here);
    return text;
}

static bool add_once(ValueRef path, Value folder)
{
    bool done = folder != VALUE_ERROR, known = false;
    for (ssize_t i = 0; done && i < list_size(path); i++)
        known = known || str_equal(list_at(path, i), folder);
    done = done && (known || list_append(path, folder));
    drop(folder);
    return done;
}

// Adds the folders of a variable, which ':' separates.
static bool add_folders(ValueRef path, const char *folders)
{
    bool done = true;
    while (done && folders) {
        size_t size = strcspn(folders, ":");
        done = add_once(path, absolute_folder(folders, size));
        folders = folders[size] ? folders + size + 1 : NULL;
    }
    return done;
}

// sys.path without the script's folder, which vm/run.c puts in front.
static bool add_path(ValueRef module)
{
    const char *more = outside_environment("MINIVMPATH");
    Value path = list_new(4);
    bool done = path && add_folders(path, sys_environment("PYTHONPATH")) &&
                list_append_owned(path, str_new(LIBRARY_ENTRY)) &&
                add_folders(path, more && *more ? more : NULL);
    if (!done) drop_slot(&path);
    return module_add_owned(module, "path", path) && finders_offer(module);
}

static bool add_executable(ValueRef module, const SysOptions *options)
{
    char *path = outside_real_path("/proc/self/exe");
    bool done =
        module_add_owned(module, "executable", system_text(path ? path : options->executable));
    memory_free(path);
    return done;
}

// ---- warnings

static bool add_warnings(ValueRef module, const SysOptions *options)
{
    Value list = list_new(0);
    if (list && options->dev_mode && !list_append_owned(list, str_new("default"))) drop_slot(&list);
    for (const char *rest = options->environment_warnings; list && rest;) {
        size_t size = strcspn(rest, ",");
        if (!list_append_owned(list, path_from_system(rest, size))) drop_slot(&list);
        rest = rest[size] ? rest + size + 1 : NULL;
    }
    for (const char *const *next = options->warnings; list && next && *next; next++)
        if (!list_append_owned(list, system_text(*next))) drop_slot(&list);
    return module_add_owned(module, "warnoptions", list);
}

// sys._xoptions: NAME=TEXT, or NAME, which is True.
static bool add_x_options(ValueRef module, const SysOptions *options)
{
    Value dict = dict_new();
    for (const char *const *next = options->x_options; dict && next && *next; next++) {
        size_t size = strcspn(*next, "=");
        Value name = path_from_system(*next, size);
        Value value = (*next)[size] ? system_text(*next + size + 1) : TRUE;
        if (!name || !value || !dict_set(dict, name, value)) drop_slot(&dict);
        drop(name);
        drop(value);
    }
    return module_add_owned(module, "_xoptions", dict);
}

// ---- the standard streams

// The locale for characters that the environment names.
static const char *locale_name(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = outside_environment(names[i]);
        if (value && *value) return value;
    }
    return "C";
}

// CPython takes other bytes than UTF-8 as they come (surrogateescape) where the locale says nothing
// about the encoding.
static const char *errors_of_locale(void)
{
    static const char *const silent[] = {"C", "POSIX", "C.UTF-8", "C.utf8", "UTF-8"};
    const char *name = locale_name();
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        if (strcmp(name, silent[i]) == 0) return "surrogateescape";
    return "strict";
}

// PYTHONIOENCODING=encoding:errors, either of which may be left out.
static void choose_text(char *encoding, size_t room, const char **errors)
{
    const char *value = sys_environment("PYTHONIOENCODING");
    size_t size = value ? strcspn(value, ":") : 0;
    *errors = errors_of_locale();
    snprintf(encoding, room, "%.*s", size ? (int)size : 5, size ? value : "utf-8");
    if (value && value[size] && value[size + 1])
        *errors = value + size + 1;
    else if (size)
        *errors = "strict";
}

static bool add_streams(ValueRef module, const SysOptions *options)
{
    static const struct {
        const char *attribute, *kept, *name;
    } streams[] = {{"stdin", "__stdin__", "<stdin>"},
                   {"stdout", "__stdout__", "<stdout>"},
                   {"stderr", "__stderr__", "<stderr>"}};
    char encoding[64];
    const char *errors;
    choose_text(encoding, sizeof encoding, &errors);
    stream_choose_text(encoding, errors);
    for (int i = 0; i < 3; i++) {
        Value stream = stream_standard(i, streams[i].name, i > 0, options->unbuffered);
        bool done = stream && module_add(module, streams[i].attribute, stream) &&
                    module_add(module, streams[i].kept, stream);
        drop(stream);
        if (!done) return false;
    }
    return true;
}

bool sys_add_start(ValueRef module, const SysOptions *options)
{
    codecs_check_names = options->dev_mode;
    return add_arguments(module, options) && add_path(module) && add_executable(module, options) &&
           add_warnings(module, options) && add_x_options(module, options) &&
           add_streams(module, options);
}
