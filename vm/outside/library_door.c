// See library_door.h.
#include "vm/outside/library_door.h"

#include "objects/bytes/bytes.h"
#include "objects/error.h"
#include "vm/import/library.h"
#include "vm/outside/outside_parts.h"
#include "vm/outside/system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

const char *door_inside(const char *path)
{
    static const char entry[] = LIBRARY_ENTRY;
    const size_t size = sizeof entry - 1;
    for (const char *at = strstr(path, entry); at; at = strstr(at + size, entry)) {
        bool is_part = (at == path || at[-1] == '/') && (!at[size] || at[size] == '/');
        if (is_part) return at + size + strspn(at + size, "/");
    }
    return NULL;
}

static size_t size_without_slashes(const char *inside)
{
    size_t size = strlen(inside);
    while (size > 0 && inside[size - 1] == '/') size--;
    return size;
}

// The file of this name, or the first of a folder of this name; NULL with errno ENOENT.
static const LibraryFile *find(const char *inside, bool *is_folder)
{
    size_t size = size_without_slashes(inside);
    for (size_t i = 0; i < library_file_count; i++) {
        const char *name = library_files[i].name;
        if (strncmp(name, inside, size) != 0 || !library_has(&library_files[i])) continue;
        *is_folder = !size || name[size] == '/';
        if (*is_folder || !name[size]) return &library_files[i];
    }
    system_refuse(ENOENT);
    return NULL;
}

bool door_status(const char *inside, struct stat *status)
{
    bool is_folder;
    const LibraryFile *file = find(inside, &is_folder);
    if (!file) return false;
    memset(status, 0, sizeof *status);
    status->st_mode = is_folder ? S_IFDIR | 0555 : S_IFREG | 0444;
    status->st_size = is_folder ? 0 : (off_t)file->text->unpacked_size;
    status->st_nlink = 1;
    status->st_ino = (ino_t)(2 * (file - library_files) + is_folder + 1);
    return true;
}

static bool write_all(int descriptor, const char *bytes, ssize_t size)
{
    for (ssize_t done = 0; done < size;) {
        ssize_t count = write(descriptor, bytes + done, (size_t)(size - done));
        if (count < 0 && !outside_try_again()) return false;
        if (count > 0) done += count;
    }
    return true;
}

// The file is copied into one in memory, whose descriptor behaves as any other.
static int copy_to_memory(const LibraryFile *file, int flags)
{
    Value text = library_text(file);
    if (!text) {
        error_clear();
        return system_refuse(ENOMEM);
    }
    int descriptor = system_memory_file();
    bool done =
        descriptor >= 0 && write_all(descriptor, as_bytes(text)->data, as_bytes(text)->size);
    drop(text);
    if (!done) {
        if (descriptor >= 0) outside_close_quietly(descriptor);
        return -1;
    }
    lseek(descriptor, 0, SEEK_SET);
    if (!(flags & O_CLOEXEC)) fcntl(descriptor, F_SETFD, 0);
    return descriptor;
}

int door_open(const char *inside, int flags)
{
    bool is_folder;
    if ((flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC)) return system_refuse(EROFS);
    const LibraryFile *file = find(inside, &is_folder);
    if (!file) return -1;
    return is_folder ? system_refuse(EISDIR) : copy_to_memory(file, flags);
}

ssize_t door_read_folder(const char *inside,
                         ssize_t (*add)(const char *name, size_t length, bool is_folder,
                                        char *entries, size_t size, size_t room),
                         char *entries, size_t room)
{
    bool is_folder;
    const LibraryFile *first = find(inside, &is_folder);
    if (!first) return -1;
    if (!is_folder) return system_refuse(ENOTDIR);
    ssize_t size = 0;
    size_t prefix = size_without_slashes(inside), last_length = 0;
    const char *last = "";
    if (prefix) prefix++; // the slash
    for (const LibraryFile *file = first; size >= 0 && file < library_files + library_file_count;
         file++) { // they are sorted
        if (strncmp(file->name, first->name, prefix) != 0) break;
        const char *name = file->name + prefix;
        size_t length = strcspn(name, "/");
        if (length == last_length && memcmp(name, last, length) == 0) continue;
        if (!library_has(file)) continue;
        last = name;
        last_length = length;
        size = add(name, length, name[length], entries, (size_t)size, room);
    }
    return size;
}
