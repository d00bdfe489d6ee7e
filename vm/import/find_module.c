// The path search of import. An entry of the path is a folder of the file system, or LIBRARY_ENTRY,
// perhaps followed by a folder, for the embedded library. In each entry the search tries six
// files, in this order:
//
//     ENTRY/name/__init__.mpy   ENTRY/name/__init__.py   ENTRY/name/__init__.pyc
//     ENTRY/name.mpy            ENTRY/name.py            ENTRY/name.pyc
//
// A folder ENTRY/name without __init__ is a portion of a namespace package: all of them together
// are the result only if no entry has any of the four.
#include "vm/import/find_module.h"

#include "objects/bytes/bytes.h"
#include "objects/containers/list.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "vm/import/library.h"
#include "vm/io/path.h"
#include "vm/outside/library_door.h"
#include "vm/outside/outside.h"

#include <errno.h>
#include <stdio.h>

static const struct {
    const char *ending;
    bool is_package, is_compiled, in_library; // the library's files are all .mpy
} candidates[] = {
    {"/__init__.mpy", true, false, true}, {"/__init__.py", true, false, false},
    {"/__init__.pyc", true, true, false}, {".mpy", false, false, true},
    {".py", false, false, false},         {".pyc", false, true, false},
};
#define LONGEST_CANDIDATE sizeof "/__init__.mpy"

// Is there a file of this name? If so, fills in where it is.
static bool look_at(const char *filename, FoundModule *found)
{
    found->file = library_find(filename);
    if (found->file) {
        found->kind = MODULE_LIBRARY;
        return true;
    }
    if (door_inside(filename) || outside_file_kind(filename) != FILE_REGULAR) return false;
    found->kind = MODULE_FILE;
    return true;
}

static bool fill_names(FoundModule *found, const char *filename, const char *folder)
{
    found->filename = path_from_system(filename, strlen(filename));
    if (!found->filename) return false;
    if (folder) found->folder = path_from_system(folder, strlen(folder));
    if (!folder || found->folder) return true;
    drop_slot(&found->filename);
    return false;
}

// `stem` is ENTRY/name, perhaps a folder.
static bool try_candidates(const char *stem, bool in_library, bool is_folder, FoundModule *found)
{
    size_t size = strlen(stem) + LONGEST_CANDIDATE;
    char *filename = memory_alloc(size);
    if (!filename) return raise_memory_error();
    bool done = true;
    for (size_t i = 0; !found->kind && i < sizeof candidates / sizeof *candidates; i++) {
        if (in_library ? !candidates[i].in_library : candidates[i].is_package && !is_folder)
            continue;
        snprintf(filename, size, "%s%s", stem, candidates[i].ending);
        if (!look_at(filename, found)) continue;
        found->is_package = candidates[i].is_package;
        found->is_compiled = candidates[i].is_compiled;
        done = fill_names(found, filename, found->is_package ? stem : NULL);
    }
    memory_free(filename);
    return done;
}

static bool add_portion(FoundModule *found, const char *folder)
{
    found->kind = MODULE_FOLDER;
    found->is_package = true;
    if (!found->portions) found->portions = list_new(1);
    return list_append_owned(found->portions, path_from_system(folder, strlen(folder)));
}

static bool try_folder(const char *entry, const char *tail, FoundModule *found, FoundModule *folder)
{
    size_t length = strlen(entry), size = length + strlen(tail) + 2;
    char *stem = memory_alloc(size);
    if (!stem) return raise_memory_error();
    while (length > 0 && entry[length - 1] == '/') length--;
    snprintf(stem, size, "%.*s/%s", (int)length, entry, tail);
    bool in_library = door_inside(stem);
    FileKind kind = in_library ? FILE_MISSING : outside_file_kind(stem);
    bool done = true;
    if (kind == FILE_INSIDE_FILE)
        found->kind = MODULE_BY_HOOKS;
    else
        done = try_candidates(stem, in_library, kind == FILE_DIRECTORY, found);
    if (done && !found->kind && kind == FILE_DIRECTORY) done = add_portion(folder, stem);
    memory_free(stem);
    return done;
}

// BASE/entry, where the entry may be empty.
static bool try_below(const char *base, const char *entry, const char *tail, FoundModule *found,
                      FoundModule *folder)
{
    size_t size = strlen(base) + strlen(entry) + 2;
    char *whole = memory_alloc(size);
    if (!whole) return raise_memory_error();
    snprintf(whole, size, "%s%s%s", base, *entry ? "/" : "", entry);
    bool done = try_folder(whole, tail, found, folder);
    memory_free(whole);
    return done;
}

// A relative entry is one of the working directory, as it is now, and "" is that itself. One that
// is gone has no modules. The library keeps its name, though a program may have made it absolute.
static bool try_entry(const char *entry, const char *tail, FoundModule *found, FoundModule *folder)
{
    const char *inside = door_inside(entry);
    if (inside) return try_below(LIBRARY_ENTRY, inside, tail, found, folder);
    if (*entry == '/') return try_folder(entry, tail, found, folder);
    char *here = outside_working_directory();
    if (!here) return errno != ENOMEM || raise_memory_error();
    bool done = try_below(here, entry, tail, found, folder);
    memory_free(here);
    return done;
}

bool find_module(ValueRef tail, ValueRef path, FoundModule *found)
{
    FoundModule folder = {0};
    *found = folder;
    Value name = path_bytes(tail);
    if (!name) return false;
    bool done = true;
    size_t size = (size_t)as_bytes(name)->size;
    const char *text = as_bytes(name)->data;
    if (!size || strlen(text) != size || strchr(text, '/')) path = 0; // no file has such a name
    for (ssize_t i = 0; done && path && list_check(path) && i < list_size(path) && !found->kind;
         i++) {
        if (!str_check(list_at(path, i))) continue;
        Value entry = path_bytes(list_at(path, i));
        done = entry && try_entry(as_bytes(entry)->data, text, found, &folder);
        drop(entry);
    }
    drop(name);
    if (done && !found->kind)
        *found = folder;
    else
        found_module_drop(&folder);
    return done;
}

static bool is_library_entry(ValueRef entry)
{
    Value path = str_check(entry) ? path_bytes(entry) : VALUE_ERROR;
    bool leads = path && door_inside(as_bytes(path)->data);
    if (!path) error_clear();
    drop(path);
    return leads;
}

Value path_without_library(ValueRef path)
{
    Value rest = list_new(4);
    for (ssize_t i = 0; rest && list_check(path) && i < list_size(path); i++) {
        ValueRef entry = list_at(path, i);
        if (!is_library_entry(entry) && !list_append(rest, entry)) drop_slot(&rest);
    }
    return rest;
}

Value path_part(ValueRef path, bool from_library)
{
    Value part = list_new(4);
    bool is_reached = false;
    for (ssize_t i = 0; part && list_check(path) && i < list_size(path); i++) {
        ValueRef entry = list_at(path, i);
        is_reached = is_reached || is_library_entry(entry);
        if (is_reached == from_library && !list_append(part, entry)) drop_slot(&part);
    }
    return part;
}

// Adds ENTRY/folder, if there is such a folder.
static bool add_folder(ValueRef search, ValueRef entry, ValueRef folder)
{
    Value tail = str_substring(folder, (ssize_t)strlen(LIBRARY_ENTRY), str_length(folder));
    Value whole = tail ? format_text("%S%S", entry, tail) : VALUE_ERROR;
    Value path = whole ? path_bytes(whole) : VALUE_ERROR;
    bool done = path && (outside_file_kind(as_bytes(path)->data) != FILE_DIRECTORY ||
                         list_append(search, whole));
    drop(path);
    drop(tail);
    drop(whole);
    return done;
}

Value package_path(const FoundModule *found, ValueRef path)
{
    if (found->kind == MODULE_FOLDER) return retain(found->portions);
    ValueRef folders[] = {found->folder};
    Value search = list_from_array(folders, 1);
    bool is_after = false; // after the embedded library
    if (found->kind != MODULE_LIBRARY || !list_check(path)) return search;
    for (ssize_t i = 0; search && i < list_size(path); i++) {
        ValueRef entry = list_at(path, i);
        if (!str_check(entry)) continue;
        if (is_after && !add_folder(search, entry, found->folder)) drop_slot(&search);
        is_after = is_after || is_library_entry(entry);
    }
    return search;
}

void found_module_drop(FoundModule *found)
{
    drop_slot(&found->filename);
    drop_slot(&found->folder);
    drop_slot(&found->portions);
}
