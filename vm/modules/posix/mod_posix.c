// The module `posix`: files, descriptors, the environment and this process. vm/lib/os.mpy is what
// a program imports.
//
//     posix_arguments.c     paths, errors                    posix_status.c    stat_result
//     posix_names.c         mkdir, rename, listdir …         posix_process.c   environ, getpid
//     posix_descriptors.c   open, read, pipe               posix_children.c   waitpid, kill
//     posix_transfer.c      pread, writev, sendfile        posix_users.c      setuid, getgroups
//     posix_attributes.c    getxattr                       posix_schedule.c   sched_*, nice
//     posix_terminals.c     isatty, openpty                posix_settings.c   sysconf
//
// All calls go through vm/outside/ (files.h, processes.h, calls.h). dir_fd is refused with
// NotImplementedError. While a program is recorded there is no fork(): what a copy of it should do
// is not clear.
// CPython: Modules/posixmodule.c.
#include "vm/modules/posix/posix.h"

#include "objects/error.h"
#include "objects/numbers/int.h"
#include "vm/outside/outside.h"

#include <fcntl.h>
#include <stdio.h>

static const struct {
    const char *name;
    int64_t number;
} constants[] = {
#define CONSTANT(name, number) {#name, (number)},
#include "vm/modules/posix/constants.def"
#undef CONSTANT
};

static bool add_constants(ValueRef module)
{
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (!module_add_owned(module, constants[i].name, int_new(constants[i].number)))
            return false;
    return true;
}

static const MethodDef *const functions[] = {
    posix_descriptor_functions, posix_process_functions,   posix_children_functions,
    posix_transfer_functions,   posix_attribute_functions, posix_terminal_functions,
    posix_user_functions,       posix_schedule_functions,  posix_setting_functions,
};

static bool fill(ValueRef module)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!module_add_functions(module, functions[i])) return false;
    return add_constants(module) && posix_add_status(module) && posix_add_terminal_size(module) &&
           posix_add_system_names(module) && posix_add_process_times(module) &&
           posix_add_children(module) && posix_add_schedule(module) && posix_add_settings(module) &&
           posix_add_environment(module) && module_add(module, "error", ref_of(OSError));
}

const ModuleDef posix_module = {
    .name = "posix",
    .functions = posix_file_functions,
    .fill = fill,
};
