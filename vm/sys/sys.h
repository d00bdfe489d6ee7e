// The module `sys`: what a script can read of the interpreter, and the hooks that it may replace.
#pragma once

#include "objects/object.h"

typedef struct SysOptions {
    int argc; // sys.argv
    const char *const *argv;
    const char *executable; // argv[0]; made absolute if possible
    bool inspect, interactive, quiet, unbuffered;
    bool isolated, ignore_environment, no_user_site, no_site, dev_mode;
    int optimize, debug, verbose, bytes_warning;
    const char *const *warnings;      // the arguments of -W; ends with NULL
    const char *const *x_options;     // those of -X, likewise
    const char *environment_warnings; // PYTHONWARNINGS, or NULL
    uint32_t hash_seed;               // PYTHONHASHSEED; 0 where it is not set
} SysOptions;

// Completes the options by the environment. Comes first. False: PYTHONHASHSEED is no seed.
bool sys_read_environment(SysOptions *options);
// A variable PYTHON... : NULL = it is not set, is empty, or is not to be looked at (-E).
const char *sys_environment(const char *name);

bool sys_init(const SysOptions *options); // makes the module; needs import_init()
void sys_finish(void);
ValueRef sys_module(void); // borrowed
bool sys_is_module(ValueRef module);
bool sys_is_quiet(void);    // -q
bool sys_is_isolated(void); // -I
int sys_optimize(void);     // how often -O was given: the default `optimize` of every compilation
extern double sys_switch_interval; // in seconds: how long the turn of a thread is
// An attribute of sys: borrowed, 0 = not there (nothing is raised).
ValueRef sys_get(const char *name);
bool sys_set(const char *name, ValueRef value);

// sys_info.c: version_info, flags, float_info, ... added to the module's dict.
bool sys_add_info(ValueRef module, const SysOptions *options);

// sys_start.c: argv, path, executable, warnoptions, stdin, stdout, stderr.
bool sys_add_start(ValueRef module, const SysOptions *options);

// sys_audit.c
Value sys_audit(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value sys_add_audit_hook(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
void sys_drop_audit_hooks(void);

// sys_hooks.c
// Writes the text to sys.stderr, and drops it; 0 = an exception is pending. Ends without one.
void sys_write_stderr(Value text);
// Shows the pending exception through sys.excepthook, and clears it.
void sys_print_error(void);
// A heading and the traceback of an exception, on sys.stderr.
void sys_show_error(ValueRef exception, const char *heading);
// The upcall report_unraisable.
void sys_report_unraisable(ValueRef exception, ValueRef where, const char *message);
// The exit status of the pending SystemExit, which is cleared; a message goes to stderr.
int sys_exit_status(void);
#define SYS_HOOKS                                                                                  \
    {"displayhook", sys_displayhook, ONE_ARG, NULL},                                               \
        {"excepthook", sys_excepthook, ARGS(3, 3), NULL},                                          \
        {"unraisablehook", sys_unraisablehook, ONE_ARG, NULL},                                     \
    {                                                                                              \
        "breakpointhook", sys_breakpointhook, KEYWORD_ARGS, NULL                                   \
    }
// The repr of a value, and a newline, to sys.stdout.
bool sys_show_value(ValueRef value);
Value sys_displayhook(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value sys_excepthook(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value sys_unraisablehook(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value sys_breakpointhook(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
