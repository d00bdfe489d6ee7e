// The module `_io`: the stream types, open(), and UnsupportedOperation. vm/lib/io.mpy exports them
// as `io`.
#include "objects/bytes/bytes.h"
#include "objects/call.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/import/library.h"
#include "vm/io/io.h"
#include "vm/io/stream.h"

static Type *const types[] = {
    &io_base_type,  &raw_base_type,        &buffered_base_type,   &text_base_type,
    &file_io_type,  &buffered_reader_type, &buffered_writer_type, &buffered_random_type,
    &bytes_io_type, &string_io_type,       &text_io_type,
};

static Value unsupported; // owns unsupported_operation

// class UnsupportedOperation(OSError, ValueError), of the module io.
static bool make_unsupported(void)
{
    Value name = str_new("UnsupportedOperation"), module = str_new("io");
    Value bases = tuple_pack(2, ref_of(OSError), ref_of(ValueError)), dict = dict_new();
    bool done = name && module && bases && dict && dict_set(dict, NAME(__module__), module);
    ValueRef args[] = {name, bases, dict};
    unsupported = done ? object_call(ref_of(&type_type), args, 3, 0) : VALUE_ERROR;
    unsupported_operation = unsupported ? as_type(unsupported) : NULL;
    drop(name);
    drop(module);
    drop(bases);
    drop(dict);
    return unsupported != VALUE_ERROR;
}

bool streams_init(void)
{
    io_base_type.new_ = object_type.new_; // a class written in C does not inherit it by itself
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!type_ready(types[i])) return false;
    return make_unsupported();
}

void streams_finish(void)
{
    unsupported_operation = NULL;
    drop_slot(&unsupported);
}

static bool fill(ValueRef module)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!module_add_type(module, types[i])) return false;
    return module_add(module, "UnsupportedOperation", unsupported) &&
           module_add(module, "BlockingIOError", ref_of(BlockingIOError)) &&
           module_add(module, "DEFAULT_BUFFER_SIZE", from_small(8192));
}

// What import would read: of the embedded library too.
static Value open_code(FUNCTION_ARGS)
{
    if (!str_check(args[0]))
        return raise_error(TypeError, "open_code() argument 'path' must be str, not %G", args[0]);
    const char *name = str_utf8(args[0], NULL);
    const LibraryFile *embedded = name ? library_find(name) : NULL;
    if (!name) error_clear();
    if (embedded) {
        Value text = library_text(embedded);
        Value file = text ? object_call_one(ref_of(&bytes_io_type), text) : VALUE_ERROR;
        drop(text);
        return file;
    }
    Value mode = str_new("rb");
    ValueRef arguments[] = {args[0], mode};
    Value file = mode ? io_open(self, arguments, 2, 0) : VALUE_ERROR;
    drop(mode);
    return file;
}

static const MethodDef functions[] = {
    {"open", io_open, KEYWORD_ARGS, NULL},
    {"open_code", open_code, ONE_ARG, NULL},
    {0},
};

const ModuleDef _io_module = {
    .name = "_io",
    .functions = functions,
    .fill = fill,
};
