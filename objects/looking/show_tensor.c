// See show_tensor.h. The elements are visited in the order of their indices, as printed.
#include "objects/looking/show_tensor.h"

#include "objects/numbers/float.h"
#include "objects/tensor/element.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- the elements in order

typedef struct Cursor {
    const Tensor *tensor;
    int64_t index[TENSOR_MAX_DIMS];
    int64_t at;   // the element's number in the storage
    int64_t left; // elements from here on
} Cursor;

static void begin(Cursor *cursor, const Tensor *tensor)
{
    cursor->tensor = tensor;
    bool has_data = tensor->storage;
    cursor->left = has_data ? tensor->numel : 0;
    cursor->at = has_data ? small_value(tensor->offset) : 0;
    for (int i = 0; i < tensor->ndim; i++) cursor->index[i] = 0;
}

// The address of the element; NULL at the end.
static const char *element(const Cursor *cursor)
{
    size_t size = dtype_size(tensor_dtype(cursor->tensor));
    const Storage *storage = cursor->tensor->storage;
    if (cursor->left <= 0) return NULL;
    invariant(((size_t)cursor->at + 1) * size <= storage->nbytes,
              "the elements are in the storage");
    return (const char *)storage->data + (size_t)cursor->at * size;
}

// The last index counts fastest; one that is at its end starts again, and the one before goes on.
static void advance(Cursor *cursor)
{
    cursor->left--;
    for (int dim = cursor->tensor->ndim - 1; dim >= 0; dim--) {
        cursor->at += tensor_stride(cursor->tensor, dim);
        if (++cursor->index[dim] < tensor_size(cursor->tensor, dim)) return;
        cursor->at -= cursor->index[dim] * tensor_stride(cursor->tensor, dim);
        cursor->index[dim] = 0;
    }
}

// ---- numbers

static double float_at(Dtype dtype, const char *data)
{
    float single;
    double number;
    uint16_t half;
    if (dtype == DTYPE_float64) return memcpy(&number, data, sizeof number), number;
    if (dtype == DTYPE_float32) return memcpy(&single, data, sizeof single), (double)single;
    memcpy(&half, data, sizeof half);
    return (double)(dtype == DTYPE_float16 ? half_to_float(half) : bfloat_to_float(half));
}

// With so many digits, every decimal number comes back from an element of the dtype.
static int least_digits(Dtype dtype)
{
    return dtype == DTYPE_float32 ? 6 : dtype == DTYPE_float16 ? 3 : 2;
}

static bool reads_back(Dtype dtype, const char *text, double number)
{
    double read = 0;
    double_from_digits(text, strlen(text), &read);
    float single = (float)read;
    if (dtype == DTYPE_float16) single = half_to_float(half_from_float(single));
    if (dtype == DTYPE_bfloat16) single = bfloat_to_float(bfloat_from_float(single));
    return (double)single == number;
}

// The fewest digits that give the element again, as tensors print them: "0.1", "3.", "1e+20".
static void put_float(char text[32], Dtype dtype, double number)
{
    int digits = least_digits(dtype);
    if (number != number || isinf(number)) {
        strcpy(text, number != number ? "nan" : number < 0 ? "-inf" : "inf");
    } else if (dtype == DTYPE_float64) {
        double_repr(number, text);
        size_t size = strlen(text);
        if (strcmp(text + size - 2, ".0") == 0) text[size - 1] = 0;
    } else {
        do snprintf(text, 32, "%.*g", digits, number);
        while (!reads_back(dtype, text, number) && ++digits < 10);
        if (!strpbrk(text, ".e")) strcat(text, ".");
    }
}

static long long int_at(Dtype dtype, const char *data)
{
    int64_t wide;
    int32_t word;
    int16_t half;
    switch (dtype) {
    case DTYPE_int64: return memcpy(&wide, data, sizeof wide), wide;
    case DTYPE_int32: return memcpy(&word, data, sizeof word), word;
    case DTYPE_int16: return memcpy(&half, data, sizeof half), half;
    case DTYPE_int8: return *(const int8_t *)data;
    default: return *(const uint8_t *)data;
    }
}

// "1.+2.j"
static void put_complex(char text[80], Dtype dtype, const char *data)
{
    char imaginary[32];
    Dtype part = dtype_to_real(dtype);
    put_float(text, part, float_at(part, data));
    put_float(imaginary, part, float_at(part, data + dtype_size(part)));
    snprintf(text + strlen(text), 40, "%s%sj", *imaginary == '-' ? "" : "+", imaginary);
}

static void put_element(char text[80], Dtype dtype, const char *data)
{
    if (dtype == DTYPE_bool)
        strcpy(text, *data ? "True" : "False");
    else if (dtype_is_complex(dtype))
        put_complex(text, dtype, data);
    else if (dtype_is_floating(dtype))
        put_float(text, dtype, float_at(dtype, data));
    else
        snprintf(text, 32, "%lld", int_at(dtype, data));
}

// ---- the text

#define MOST_SIZES 8 // that are shown

typedef struct Out {
    char *buffer;
    size_t size, length;
} Out;

__attribute__((format(printf, 2, 3))) static void put(Out *out, const char *format, ...)
{
    size_t room = out->length < out->size ? out->size - out->length : 0;
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(room ? out->buffer + out->length : NULL, room, format, arguments);
    va_end(arguments);
    out->length += count > 0 ? (size_t)count : 0;
}

static void put_head(Out *out, const Tensor *tensor)
{
    put(out, "%s[", dtype_table[tensor->dtype].name);
    for (int i = 0; i < tensor->ndim; i++) {
        ValueRef size = tensor_sizes(tensor)[i];
        if (i) put(out, ", ");
        if (i == MOST_SIZES) {
            put(out, "...");
            break;
        }
        if (is_small(size))
            put(out, "%lld", (long long)small_value(size));
        else
            put(out, "?"); // a SymInt
    }
    put(out, "]");
}

static void put_elements(Out *out, const Tensor *tensor, int most)
{
    Cursor cursor;
    begin(&cursor, tensor);
    const char *data;
    for (int i = 0; i < most && (data = element(&cursor)); i++, advance(&cursor)) {
        char text[80];
        put_element(text, tensor_dtype(tensor), data);
        put(out, "%s%s", i ? ", " : ": ", text);
    }
    if (cursor.left > 0) put(out, most ? ", ..." : ": ...");
}

size_t show_tensor(char *buffer, size_t size, const Tensor *tensor, int most)
{
    Out out = {buffer, size, 0};
    put_head(&out, tensor);
    if (tensor->storage)
        put_elements(&out, tensor, most);
    else
        put(&out, ": no data");
    return out.length;
}

// ---- changes

static inline void add(uint64_t *hash, uint64_t word)
{
    *hash = (*hash ^ word) * 0x9E3779B97F4A7C15u;
    *hash ^= *hash >> 32;
}

static uint64_t hash_of_shape(const Tensor *tensor)
{
    uint64_t hash = (uint64_t)tensor->dtype << 8 | tensor->ndim;
    add(&hash, bits_of(tensor->offset));
    if (tensor->storage) add(&hash, tensor->storage->nbytes);
    for (int i = 0; i < 2 * tensor->ndim; i++) add(&hash, bits_of(tensor->dims[i]));
    return hash;
}

static void add_bytes(uint64_t *hash, const char *bytes, size_t size)
{
    uint64_t word;
    for (; size >= sizeof word; size -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        add(hash, word);
    }
    for (; size > 0; size--) add(hash, (unsigned char)*bytes++);
}

static void add_each(uint64_t *hash, const Tensor *tensor)
{
    Cursor cursor;
    begin(&cursor, tensor);
    for (const char *data; (data = element(&cursor)); advance(&cursor))
        add_bytes(hash, data, dtype_size(tensor_dtype(tensor)));
}

// A view may have more elements than its storage, 10^12 of them, where expand() has made it: then
// the storage as a whole stands for them.
static uint64_t hash_of_elements(const Tensor *tensor)
{
    uint64_t hash = 0;
    const Storage *storage = tensor->storage;
    if (!storage || tensor->numel <= 0) return hash;
    size_t size = dtype_size(tensor_dtype(tensor));
    if ((uint64_t)tensor->numel > storage->nbytes / size)
        add_bytes(&hash, storage->data, storage->nbytes);
    else if (tensor_is(tensor, TENSOR_CONTIGUOUS))
        add_bytes(&hash, tensor_data(tensor), (size_t)tensor->numel * size);
    else
        add_each(&hash, tensor);
    return hash;
}

TensorMark tensor_mark(const Tensor *tensor)
{
    return (TensorMark){.type = tensor->base.type,
                        .storage = tensor->storage,
                        .writes = tensor->storage ? tensor->storage->writes : 0,
                        .shape = hash_of_shape(tensor)};
}

bool tensor_mark_equal(const TensorMark *a, const TensorMark *b)
{
    return a->type == b->type && a->storage == b->storage && a->writes == b->writes &&
           a->shape == b->shape;
}

void tensor_state(TensorState *state, const Tensor *tensor)
{
    *state = (TensorState){tensor_mark(tensor), hash_of_elements(tensor)};
}

bool tensor_state_changes(TensorState *state, const Tensor *tensor)
{
    TensorState before = *state;
    state->mark = tensor_mark(tensor);
    if (tensor_mark_equal(&state->mark, &before.mark)) return false;
    state->elements = hash_of_elements(tensor);
    return before.mark.type != state->mark.type || before.mark.shape != state->mark.shape ||
           before.elements != state->elements;
}
