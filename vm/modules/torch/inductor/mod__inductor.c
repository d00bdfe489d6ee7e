// The module torch._C._inductor: what the library's compiler of graphs cannot do itself.
//
//     kernel, = load(library, (("kernel_0", 2, 1),))     2 tensors, 1 size; `library` is bytes
//     kernel(x, y, 1000)
//
// A kernel is a function void name(void *const *data, const int64_t *sizes) of the library, which
// stays loaded as long as there is a kernel of it. A call passes the addresses of the tensors'
// elements, nothing else: torch/_inductor/codegen/wrapper.mpy checks before that they have the
// shapes that the kernel was made for.
#include "objects/bytes/bytes.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/modules/hashes/hash.h"
#include "vm/modules/torch/inductor/strided.h"
#include "vm/outside/files.h"

#include <string.h>

#define DIGEST_SIZE 32
#define MAX_DATA 128 // arguments of a kernel

// ---- libraries and kernels

typedef struct Library {
    Object base;
    SharedLibrary shared;
} Library;

static void library_release(Object *object)
{
    outside_unload(&((Library *)object)->shared);
}

static Type library_type = {
    STATIC_TYPE("torch._C._inductor.Library", sizeof(Library)),
    .release = library_release,
};

typedef void (*KernelFn)(void *const *data, const int64_t *sizes);

typedef struct Kernel {
    Object base;
    Value library;
    KernelFn function;
    int tensors, sizes; // how many arguments of each kind
} Kernel;

static void kernel_release(Object *object)
{
    drop_slot(&((Kernel *)object)->library);
}

static bool read_arguments(const Kernel *kernel, const ValueRef *args, void **data, int64_t *sizes)
{
    for (int i = 0; i < kernel->tensors; i++) {
        if (!tensor_check(args[i]) || !as_tensor(args[i])->storage)
            return raise_error(TypeError, "argument %d of a kernel is a tensor with data", i + 1);
        data[i] = tensor_data(as_tensor(args[i]));
    }
    for (int i = 0; i < kernel->sizes; i++) {
        if (!is_small(args[kernel->tensors + i]))
            return raise_error(TypeError, "a size of a kernel is an int");
        sizes[i] = small_value(args[kernel->tensors + i]);
    }
    return true;
}

static Value kernel_call(ValueRef self, METHOD_ARGS)
{
    const Kernel *kernel = (const Kernel *)object_of(self);
    void *data[MAX_DATA];
    int64_t sizes[MAX_DATA];
    if (nargs != (size_t)(kernel->tensors + kernel->sizes) || kwnames)
        return raise_error(TypeError, "the kernel takes %d tensors and %d sizes", kernel->tensors,
                           kernel->sizes);
    if (!read_arguments(kernel, args, data, sizes)) return VALUE_ERROR;
    kernel->function(data, sizes);
    return NONE;
}

static Type kernel_type = {
    STATIC_TYPE("torch._C._inductor.Kernel", sizeof(Kernel)),
    .release = kernel_release,
    .call = kernel_call,
};

static Value library_load(ValueRef bytes)
{
    if (!bytes_check(bytes)) return raise_error(TypeError, "a library is a bytes object");
    SharedLibrary shared;
    if (!outside_load(&shared, as_bytes(bytes)->data, (size_t)as_bytes(bytes)->size))
        return raise_error(RuntimeError, "the library cannot be loaded");
    Library *library = object_alloc(&library_type, 0);
    if (library)
        library->shared = shared;
    else
        outside_unload(&shared);
    return own(library);
}

// The kernel of (name, tensors, sizes).
static Value kernel_new(ValueRef library, ValueRef item)
{
    int tensors, sizes;
    if (!tuple_check(item) || tuple_size(item) != 3 || !str_check(tuple_at(item, 0)))
        return raise_error(TypeError, "a kernel is described by a name and two numbers");
    if (!argument_int(tuple_at(item, 1), &tensors) || !argument_int(tuple_at(item, 2), &sizes))
        return VALUE_ERROR;
    if (tensors < 0 || sizes < 0 || tensors > MAX_DATA || sizes > MAX_DATA)
        return raise_error(ValueError, "a kernel has at most %d arguments", MAX_DATA);
    const char *name = str_utf8(tuple_at(item, 0), NULL);
    void *symbol = name ? outside_symbol(&((Library *)object_of(library))->shared, name) : NULL;
    if (!symbol) return raise_error(RuntimeError, "the library has no such kernel");
    Kernel *kernel = object_alloc(&kernel_type, 0);
    if (!kernel) return VALUE_ERROR;
    kernel->library = retain(library);
    memcpy(&kernel->function, &symbol, sizeof symbol); // no conversion between the two in C
    kernel->tensors = tensors;
    kernel->sizes = sizes;
    return own(kernel);
}

// load(library, kernels): a list of kernels.
static Value load(FUNCTION_ARGS)
{
    if (!tuple_check(args[1])) return raise_error(TypeError, "load() expects a tuple of kernels");
    Value library = library_load(args[0]);
    Value list = library ? list_new(tuple_size(args[1])) : VALUE_ERROR;
    for (ssize_t i = 0; list && i < tuple_size(args[1]); i++)
        if (!list_append_owned(list, kernel_new(library, tuple_at(args[1], i)))) drop_slot(&list);
    drop(library);
    return list;
}

// ---- for the cache

static Value hexadecimal(const uint8_t *bytes, size_t size)
{
    char text[2 * DIGEST_SIZE];
    for (size_t i = 0; i < 2 * size; i++)
        text[i] = "0123456789abcdef"[i % 2 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4];
    return str_from_ascii(text, 2 * size);
}

// digest(text): 256 bits of a hash, as a name of a file.
static Value digest(FUNCTION_ARGS)
{
    uint8_t bytes[HASH_LONGEST_DIGEST];
    size_t size;
    const char *text = str_check(args[0]) ? str_utf8(args[0], &size) : NULL;
    if (!text) return raise_error(TypeError, "digest() expects a str");
    hash_whole(&hash_sha512, text, size, bytes);
    return hexadecimal(bytes, DIGEST_SIZE);
}

static const MethodDef functions[] = {
    {"load", load, ARGS(2, 2), "The kernels of a library that is in a bytes object."},
    {"digest", digest, ONE_ARG, "256 bits of a hash, in hexadecimal."},
    {"processor", processor_name, NO_ARGS, "What -march=native means on this machine."},
    {0},
};

static bool fill(ValueRef module)
{
    (void)module;
    return type_ready(&library_type) && type_ready(&kernel_type);
}

const ModuleDef inductor_module = {
    .name = "torch._C._inductor",
    .doc = "Loading and calling kernels.",
    .functions = functions,
    .fill = fill,
};
