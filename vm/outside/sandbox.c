// The sandbox: see sandbox.h. It belongs to the door to the outside, and calls the system itself.
#include "vm/outside/sandbox.h"

#include "vm/outside/outside_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_DESCRIPTORS 65536 // a system that allows more is not searched to its end
#define DEEPEST 100            // no folder is moved whose links are deeper

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

// ---- locations

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

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
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
    return (strlen(path) < PATH_MAX && leads_inside(path)) || refuse();
}

static bool is_here_or_above(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

// The real path of what exists; else, and for a link that is not followed, that of its folder with
// the name after it. False with errno of the system.
static bool resolve(const char *path, bool follow, char *real)
{
    char part[PATH_MAX];
    strcpy(part, path);
    cut_slashes(part);
    const char *name = last_part(part);
    if ((follow || !*name || is_here_or_above(name)) && realpath(path, real)) return true;
    if (!*name || is_here_or_above(name) || (follow && errno != ENOENT)) return false;
    char last[PATH_MAX];
    strcpy(last, name);
    cut_last_part(part);
    if (!realpath(part, real)) return false;
    size_t size = strlen(real);
    int added = snprintf(real + size, PATH_MAX - size, "%s%s", size > 1 ? "/" : "", last);
    if ((size_t)added < PATH_MAX - size) return true;
    errno = ENAMETOOLONG;
    return false;
}

// Goes on from a folder, whose descriptor it closes, to one in it; -1 if that is a link by now.
static int step_into(int folder, const char *name)
{
    int inner = openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    outside_close_quietly(folder);
    return inner;
}

// Walks from the sandbox's folder to the one that the location's text is in. A link on the way
// was put there after the path had been resolved.
static bool walk(Location *location)
{
    size_t size = strlen(root);
    char *name = location->text + size;
    while (*name == '/') name++;
    location->folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    location->depth = 0;
    for (char *slash; location->folder >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
        *slash = 0;
        location->depth++;
        location->folder = step_into(location->folder, name);
    }
    location->name = *name ? name : ".";
    return location->folder >= 0;
}

bool sandbox_find(const char *path, bool follow, Location *location)
{
    location->folder = AT_FDCWD;
    location->name = path;
    location->at_flags = *root || !follow ? AT_SYMLINK_NOFOLLOW : 0;
    location->open_flags = *root ? O_NOFOLLOW : 0;
    if (!*root) return true;
    if (!sandbox_allows(path) || !resolve(path, follow, location->text)) return false;
    return is_inside(location->text) ? walk(location) : refuse();
}

void sandbox_leave(const Location *location)
{
    outside_close_quietly(location->folder); // AT_FDCWD is none
}

// ---- links

// Does the text of a link lead into the sandbox from a folder at this depth, whatever its names
// stand for? `..` after a name is refused: if that name becomes a link, it is above the link's end.
static bool stays_inside(const char *text, int depth)
{
    const char *at = text;
    if (*at == '/' && !is_inside(at)) return false;
    for (; *text != '/' && strncmp(at, "..", 2) == 0 && (at[2] == '/' || !at[2]); depth--) {
        for (at += 2; *at == '/';) at++;
        if (depth == 0) return false;
    }
    for (const char *dots = at; (dots = strstr(dots, "/..")); dots += 3)
        if (dots[3] == '/' || !dots[3]) return false;
    return true;
}

bool sandbox_allows_link(const char *text, const char *path, const Location *location)
{
    char folder[PATH_MAX], end[PATH_MAX];
    if (!*root) return true;
    if (!stays_inside(text, location->depth) || strlen(path) >= PATH_MAX) return refuse();
    if (*text == '/') return sandbox_allows(text);
    strcpy(folder, path);
    cut_slashes(folder);
    cut_last_part(folder);
    return snprintf(end, PATH_MAX, "%s/%s", folder, text) < PATH_MAX ? sandbox_allows(end)
                                                                     : refuse();
}

// The text of a link; "/" where it cannot be read: it may lead anywhere. False if it is none.
static bool read_link(int folder, const char *name, char text[PATH_MAX])
{
    ssize_t size = readlinkat(folder, name, text, PATH_MAX - 1);
    if (size >= 0) text[size] = 0;
    if (size >= 0 || errno == EINVAL || errno == ENOENT) return size >= 0;
    strcpy(text, "/");
    return true;
}

// Would the links in a folder stay inside if they were at this depth? So it is with what is no
// folder, whereas one that cannot be read may have any.
static bool links_stay_inside(int parent, const char *name, int depth)
{
    int descriptor =
        openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOTDIR || errno == ELOOP || errno == ENOENT || refuse();
    DIR *folder = fdopendir(descriptor);
    if (!folder) outside_close_quietly(descriptor);
    bool inside = folder && depth < DEEPEST;
    for (const struct dirent *entry; inside && (errno = 0, entry = readdir(folder));) {
        char text[PATH_MAX];
        if (is_here_or_above(entry->d_name)) continue;
        inside = read_link(descriptor, entry->d_name, text)
                     ? stays_inside(text, depth)
                     : links_stay_inside(descriptor, entry->d_name, depth + 1);
    }
    inside = inside && errno == 0; // all of it was read
    if (folder) closedir(folder);
    return inside || refuse();
}

bool sandbox_allows_move(const Location *from, const char *path, const Location *to)
{
    char text[PATH_MAX];
    if (!*root) return true;
    if (read_link(from->folder, from->name, text)) return sandbox_allows_link(text, path, to);
    return to->depth >= from->depth || links_stay_inside(from->folder, from->name, to->depth + 1);
}

// ---- processes and variables

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
