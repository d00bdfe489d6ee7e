// The built-in names that CPython's module `site` adds: exit, quit, copyright, credits, license and
// help. Each has a repr that tells the user what to type, and can be called.
//
// CPython: Lib/_sitebuiltins.py. help() is in vm/lib/pydoc.mpy, loaded when it is first called.
#include "vm/builtins/site_builtins.h"

#include "objects/classes/descriptor.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/import/import.h"
#include "vm/io/stream.h"
#include "vm/sys/sys.h"

typedef struct SiteCommand {
    const char *name, *text; // text: its repr
    CallFn call;
    const char *signature; // its __text_signature__
} SiteCommand;

typedef struct SiteBuiltin {
    Object base;
    const SiteCommand *command;
} SiteBuiltin;

static const SiteCommand *command_of(ValueRef self)
{
    return ((const SiteBuiltin *)object_of(self))->command;
}

static Value leave(FUNCTION_ARGS)
{
    static const char *const names[] = {"code", NULL};
    const Signature signature = {command_of(self)->name, names, 0, 1};
    ValueRef code = 0;
    if (!args_bind(&signature, args, nargs, kwnames, &code)) return VALUE_ERROR;
    return raise_with(SystemExit, code ? code : NONE);
}

static Value show(ValueRef self, METHOD_ARGS)
{
    if (!args_check(command_of(self)->name, nargs, kwnames, 0, 0)) return VALUE_ERROR;
    Value line = format_text("%s\n", command_of(self)->text);
    ValueRef stream = sys_get("stdout");
    bool done = line && stream && stream != NONE && stream_write(stream, line);
    drop(line);
    return done ? NONE : VALUE_ERROR;
}

static Value help(FUNCTION_ARGS)
{
    Value pydoc = import_module("pydoc");
    Value name = str_intern("help");
    Value function = pydoc && name ? object_get(pydoc, name) : VALUE_ERROR;
    Value result = function ? object_call(function, args, nargs, kwnames) : VALUE_ERROR;
    drop(pydoc);
    drop(name);
    drop(function);
    return result;
}

#define LEAVE leave, "(code=None)"
#define SHOW show, "()"

static const SiteCommand commands[] = {
    {"quit", "Use quit() or Ctrl-D (i.e. EOF) to exit", LEAVE},
    {"exit", "Use exit() or Ctrl-D (i.e. EOF) to exit", LEAVE},
    {"copyright", "minivm, MIT licence. The language and its names are Python's.", SHOW},
    {"credits", "Python: Guido van Rossum and the CPython developers; torch._dynamo: PyTorch.",
     SHOW},
    {"license", "The MIT licence: see the file LICENSE of the source.", SHOW},
    {"help", "Type help() for interactive help, or help(object) for help about object.", help,
     "(*args, **kwds)"},
};

static Value site_builtin_repr(ValueRef self)
{
    return str_new(command_of(self)->text);
}

static Value site_builtin_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    return command_of(self)->call(self, args, nargs, kwnames);
}

static Value site_builtin_signature(ValueRef self)
{
    return str_new(command_of(self)->signature);
}

static const GetSetDef attributes[] = {
    {"__text_signature__", site_builtin_signature, NULL, NULL},
    {0},
};

static Type site_builtin_type = {
    STATIC_TYPE("site_builtin", sizeof(SiteBuiltin)),
    .repr = site_builtin_repr,
    .call = site_builtin_call,
    .getset = attributes,
};

bool site_builtins_add(ValueRef module)
{
    if (!type_ready(&site_builtin_type)) return false;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        SiteBuiltin *builtin = object_alloc(&site_builtin_type, 0);
        if (builtin) builtin->command = &commands[i];
        if (!module_add_owned(module, commands[i].name, own(builtin))) return false;
    }
    return true;
}
