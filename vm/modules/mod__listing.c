// The module `_listing`: the names in a folder, for completion by Tab (vm/lib/_completion.mpy).
//
// A folder is in the file system or in the embedded library; the path of the latter begins with
// LIBRARY_ENTRY. A folder that cannot be read counts as empty.
#include "objects/module.h"
#include "vm/import/library.h"
#include "vm/outside/outside.h"

#include "objects/bytes/codecs.h"
#include "objects/containers/list.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/text/str.h"

#include <string.h>

#define ROOM ((size_t)1 << 18)

static bool add_name(Value list, const char *name, size_t size)
{
    return list_append_owned(list, text_decode(name, size, "utf-8", "surrogateescape"));
}

// `folder` is "" or "torch/".
static bool add_library_names(Value list, const char *folder)
{
    size_t prefix = strlen(folder), last_size = 0;
    const char *last = "";
    for (size_t i = 0; i < library_file_count; i++) { // they are sorted
        const char *name = library_files[i].name;
        if (strncmp(name, folder, prefix) != 0) continue;
        name += prefix;
        size_t size = strcspn(name, "/");
        size += name[size] == '/';
        if (size == last_size && memcmp(name, last, size) == 0) continue;
        last = name;
        last_size = size;
        if (!add_name(list, name, size)) return false;
    }
    return true;
}

static bool add_file_names(Value list, const char *folder)
{
    char *names = memory_alloc(ROOM);
    if (!names) return raise_memory_error();
    ssize_t size = outside_list_folder(folder, names, ROOM);
    bool done = true;
    for (const char *name = names; done && name < names + size; name += strlen(name) + 1)
        done = add_name(list, name, strlen(name));
    memory_free(names);
    return done;
}

static Value names_in(FUNCTION_ARGS)
{
    if (!str_check(args[0])) return raise_error(TypeError, "the folder must be a str");
    const char *library = LIBRARY_ENTRY "/", *folder = str_utf8(args[0], NULL);
    Value list = folder ? list_new(0) : VALUE_ERROR;
    bool embedded = list && strncmp(folder, library, strlen(library)) == 0;
    bool done = list && (embedded ? add_library_names(list, folder + strlen(library))
                                  : add_file_names(list, folder));
    if (list && !done) drop_slot(&list);
    return list;
}

static const MethodDef functions[] = {
    {"names_in", names_in, ONE_ARG,
     "names_in(folder) -> names in it, a slash after those of folders; its own ends with one"},
    {0},
};

const ModuleDef _listing_module = {
    .name = "_listing",
    .doc = "Which names there are in a folder.",
    .functions = functions,
};
