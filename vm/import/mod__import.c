// The module _import: what `importlib` asks of the import in C.
//
// find(tail, path) -> (file or None, folders of submodules or None), or None where there is nothing
// text(file)       -> the source text of a file of the library as bytes, or None
#include "objects/bytes/bytes.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/text/str.h"
#include "vm/import/find_module.h"
#include "vm/import/library.h"

static Value find(FUNCTION_ARGS)
{
    FoundModule found;
    if (!str_check(args[0])) return raise_error(TypeError, "find() argument 1 must be a str");
    if (!find_module(args[0], args[1], &found)) return VALUE_ERROR;
    Value answer = NONE, folders = found.is_package ? package_path(&found, args[1]) : NONE;
    if (found.kind)
        answer = !folders
                     ? VALUE_ERROR
                     : tuple_pack(2, found.kind == MODULE_FOLDER ? NONE : found.filename, folders);
    drop(folders);
    found_module_drop(&found);
    return answer;
}

static Value text(FUNCTION_ARGS)
{
    if (!str_check(args[0])) return raise_error(TypeError, "text() argument must be a str");
    size_t size;
    const char *filename = str_utf8(args[0], NULL);
    if (!filename) return VALUE_ERROR;
    const char *found = library_text(filename, &size);
    return found ? bytes_new(found, size) : NONE;
}

static const MethodDef functions[] = {
    {"find", find, ARGS(2, 2), NULL},
    {"text", text, ONE_ARG, NULL},
    {0},
};

const ModuleDef _import_module = {"_import", "The search for modules.", functions, NULL};
