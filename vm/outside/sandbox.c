// The sandbox: see sandbox.h. It belongs to the door to the outside, and calls the system itself.
#include "vm/outside/sandbox.h"

#include "vm/outside/system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_DESCRIPTORS 65536 // a system that allows more is not searched to its end

static char root[PATH_MAX]; // the real path of the folder; "" = no sandbox
static bool forbids_processes;

// minivm opens all that it opens with O_CLOEXEC. So a descriptor without that mark was inherited.
static void close_inherited(void)
{
    long most = sysconf(_SC_OPEN_MAX);
    if (most < 0 || most > MOST_DESCRIPTORS) most = MOST_DESCRIPTORS;
    for (int descriptor = STDERR_FILENO + 1; descriptor < most; descriptor++) {
        int flags = fcntl(descriptor, F_GETFD);
        if (flags >= 0 && !(flags & FD_CLOEXEC)) close(descriptor);
    }
}

bool sandbox_enter(const char *folder)
{
    char real[PATH_MAX];
    if (!realpath(folder, real)) return false;
    strcpy(root, real);
    close_inherited();
    sandbox_forbid_processes();
    return true;
}

bool sandbox_is_entered(void)
{
    return *root;
}

static bool refuse(void)
{
    return system_refuse(EPERM) == 0;
}

static bool is_inside(const char *real)
{
    size_t size = strlen(root);
    if (root[size - 1] == '/') return true; // the root of the file system
    return strncmp(real, root, size) == 0 && (real[size] == '/' || !real[size]);
}

// The slashes at its end would have a link followed.
static void cut_slashes(char *path)
{
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/') size--;
    path[size] = 0;
}

// What is left of a single part is the working directory.
static void cut_last_part(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        slash[slash == path] = 0;
    else
        strcpy(path, ".");
}

// Of a path that does not exist (yet) the nearest folder counts that does. A link to what does not
// exist leads who knows where, as opening it would create a file at its end.
static bool leads_inside(const char *path)
{
    char part[PATH_MAX], real[PATH_MAX];
    struct stat status;
    strcpy(part, path);
    for (cut_slashes(part); !realpath(part, real); cut_slashes(part)) {
        if (lstat(part, &status) == 0 || strcmp(part, ".") == 0) return false;
        cut_last_part(part);
    }
    return is_inside(real);
}

bool sandbox_allows(const char *path)
{
    if (!*root) return true;
    if (strlen(path) >= PATH_MAX) return refuse();
    return leads_inside(path) || refuse();
}

bool sandbox_allows_processes(void)
{
    return !forbids_processes || refuse();
}

void sandbox_forbid_processes(void)
{
    forbids_processes = true;
}

// "Europe/Berlin" and ":Europe/Berlin" are files of the folder of zones, which TZDIR names.
bool sandbox_allows_variable(const char *name, const char *value)
{
    if (!*root || !value) return true;
    if (strcmp(name, "TZDIR") == 0) return refuse();
    if (strcmp(name, "TZ") != 0) return true;
    return (value[*value == ':'] != '/' && !strstr(value, "..")) || refuse();
}
