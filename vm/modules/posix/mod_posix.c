// The module `posix`: files, descriptors, the environment and this process. vm/lib/os.mpy is what
// a program imports.
//
//     posix_arguments.c     paths, errors                    posix_status.c    stat_result
//     posix_names.c         mkdir, rename, listdir …         posix_process.c   environ, getpid
//     posix_descriptors.c   open, read, pipe               posix_children.c   waitpid, kill
//
// All calls go through vm/outside/ (files.h, processes.h). dir_fd is refused with
// NotImplementedError. While a program is recorded there is no fork(): what a copy of it should do
// is not clear.
// CPython: Modules/posixmodule.c.
#include "vm/modules/posix/posix.h"

#include "objects/error.h"
#include "vm/outside/outside.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *name;
    int number;
} constants[] = {
    {"F_OK", F_OK},
    {"R_OK", R_OK},
    {"W_OK", W_OK},
    {"X_OK", X_OK},
    {"O_RDONLY", O_RDONLY},
    {"O_WRONLY", O_WRONLY},
    {"O_RDWR", O_RDWR},
    {"O_ACCMODE", O_RDONLY | O_WRONLY | O_RDWR}, // musl puts O_SEARCH in it
    {"O_APPEND", O_APPEND},
    {"O_CREAT", O_CREAT},
    {"O_EXCL", O_EXCL},
    {"O_TRUNC", O_TRUNC},
    {"O_NONBLOCK", O_NONBLOCK},
    {"O_NDELAY", O_NDELAY},
    {"O_DSYNC", O_DSYNC},
    {"O_SYNC", O_SYNC},
    {"O_CLOEXEC", O_CLOEXEC},
    {"O_NOCTTY", O_NOCTTY},
    {"O_NOFOLLOW", O_NOFOLLOW},
    {"O_DIRECTORY", O_DIRECTORY},
    {"WNOHANG", WNOHANG},
    {"WUNTRACED", WUNTRACED},
    {"WCONTINUED", WCONTINUED},
    {"SEEK_DATA", SEEK_TO_DATA},
    {"SEEK_HOLE", SEEK_TO_HOLE},
};

static bool add_constants(ValueRef module)
{
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (!module_add(module, constants[i].name, from_small(constants[i].number))) return false;
    return true;
}

static bool fill(ValueRef module)
{
    return module_add_functions(module, posix_descriptor_functions) &&
           module_add_functions(module, posix_process_functions) &&
           module_add_functions(module, posix_children_functions) && add_constants(module) &&
           posix_add_status(module) && posix_add_terminal_size(module) &&
           posix_add_system_names(module) && posix_add_process_times(module) &&
           posix_add_environment(module) && module_add(module, "error", ref_of(OSError));
}

const ModuleDef posix_module = {
    .name = "posix",
    .functions = posix_file_functions,
    .fill = fill,
};
