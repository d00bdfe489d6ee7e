// bytes: an immutable sequence of bytes, and the functions that it shares with bytearray.
//
//     +----------+------+------+------+----------------------+
//     | refcount | type | size | hash | `size` bytes and NUL |
//     +----------+------+------+------+----------------------+
//
// The empty bytes object and those of one byte are shared; bytes_finish() frees them. The hash is
// that of a str with the same bytes.
#include "objects/bytes/bytes.h"
#include "objects/bytes/bytes_parts.h"
#include "objects/bytes/codecs.h"
#include "objects/containers/list.h"
#include "objects/containers/slice.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"
#include "objects/text/text.h"
#include "objects/upcalls.h"

static Value empty_bytes;
static Value single_bytes[256];

// ---- making

static Value alloc_bytes(const void *data, size_t size)
{
    if (size > SSIZE_MAX - sizeof(Bytes) - 1) return raise_memory_error();
    Bytes *bytes = memory_alloc_object(sizeof(Bytes) + size + 1);
    if (!bytes) return raise_memory_error();
    memory_mark_object(bytes, 0);
    bytes->base.refcount = 1;
    bytes->base.type = &bytes_type;
    bytes->size = (ssize_t)size;
    bytes->hash = -1;
    if (data) memcpy(bytes->data, data, size);
    bytes->data[size] = 0;
    return own(bytes);
}

Value bytes_new(const void *data, size_t size)
{
    if (size > 1 || (size == 1 && !data)) return alloc_bytes(data, size);
    Value *shared = size ? &single_bytes[*(const uint8_t *)data] : &empty_bytes;
    if (!*shared) *shared = alloc_bytes(size ? data : "", size);
    invariant(!*shared || as_bytes(*shared)->size == (ssize_t)size,
              "the shared bytes are what they were");
    return retain(*shared);
}

void bytes_finish(void)
{
    drop_slot(&empty_bytes);
    for (int i = 0; i < 256; i++) drop_slot(&single_bytes[i]);
}

static Value as_subtype(Type *type, Value exact)
{
    if (!exact || type == &bytes_type) return exact;
    ssize_t size = as_bytes(exact)->size;
    Bytes *bytes = object_alloc_bytes(type, sizeof(Bytes) + (size_t)size + 1);
    if (bytes) {
        bytes->size = size;
        bytes->hash = as_bytes(exact)->hash;
        memcpy(bytes->data, as_bytes(exact)->data, (size_t)size + 1);
    }
    drop(exact);
    return own(bytes);
}

// ---- arguments

bool byte_value(ValueRef value, uint8_t *byte, const char *message)
{
    ssize_t number;
    if (is_small(value) && (uint64_t)small_value(value) < 256) {
        *byte = (uint8_t)small_value(value);
        return true;
    }
    if (!object_as_ssize(value, &number, NULL)) return false;
    if (number < 0 || number > 255)
        return raise_error(ValueError, "%s", message ? message : "byte must be in range(0, 256)");
    *byte = (uint8_t)number;
    return true;
}

bool byte_index(ValueRef key, ssize_t size, const char *kind, ssize_t *index)
{
    if (!is_small(key) && !type_of(key)->index)
        return raise_error(TypeError, "%s indices must be integers or slices, not %.200T", kind,
                           key);
    if (!object_as_ssize(key, index, IndexError)) return false;
    if (*index < 0) *index += size;
    return true;
}

bool bytes_arguments(const char *function, const ValueRef *args, size_t nargs, ValueRef kwnames,
                     ValueRef *source, Value *encoded)
{
    static const char *const names[] = {"source", "encoding", "errors", NULL};
    Signature signature = {function, names, 0, 3};
    ValueRef slots[3];
    const char *encoding = NULL, *errors = NULL;
    *encoded = VALUE_ERROR;
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return false;
    *source = slots[0];
    bool is_bytes = function[4] == 's';
    if (slots[1] && !(encoding = text_argument(slots[1], is_bytes ? "bytes() argument 2"
                                                                  : "bytearray() argument 2")))
        return false;
    if (slots[2] && !(errors = text_argument(slots[2], is_bytes ? "bytes() argument 3"
                                                                : "bytearray() argument 3")))
        return false;
    if (!encoding && !errors) return true;
    if (!slots[0] || !str_check(slots[0]))
        return raise_error(TypeError, "%s without a string argument",
                           encoding ? "encoding" : "errors");
    if (!encoding) return raise_error(TypeError, "string argument without an encoding");
    *encoded = text_encode(slots[0], encoding, errors);
    return *encoded;
}

// ---- bytes(x)

static Value from_buffer(ValueRef value)
{
    Buffer buffer;
    if (!buffer_get_strided(value, &buffer, false)) return VALUE_ERROR;
    Value bytes = bytes_new(NULL, (size_t)buffer.size);
    if (bytes) buffer_copy(&buffer, as_bytes(bytes)->data);
    buffer_release(&buffer);
    return bytes;
}

// The items of a list or tuple where all are numbers of a byte; else ABSENT.
static Value from_small_items(const Value *items, ssize_t count)
{
    Value bytes = bytes_new(NULL, (size_t)count);
    if (!bytes) return VALUE_ERROR;
    for (ssize_t i = 0; i < count; i++) {
        if (!is_small(items[i]) || (uint64_t)small_value(items[i]) > 255) {
            drop(bytes);
            return ABSENT;
        }
        as_bytes(bytes)->data[i] = (char)small_value(items[i]);
    }
    return bytes;
}

// The items of an iterable, collected in a bytearray.
static Value from_iterable(ValueRef iterable)
{
    if (list_check_exact(iterable) || is_exactly(iterable, &tuple_type)) {
        Value bytes = list_check_exact(iterable)
                          ? from_small_items(as_list(iterable)->items, list_size(iterable))
                          : from_small_items(as_tuple(iterable)->items, tuple_size(iterable));
        if (bits_of(bytes) != bits_of(ABSENT)) return bytes;
    }
    Value iterator = object_iter(iterable);
    if (!iterator) {
        if (!error_is(TypeError)) return VALUE_ERROR;
        error_clear();
        return raise_error(TypeError, "cannot convert '%.200T' object to bytes", iterable);
    }
    ssize_t hint; // called only because CPython does: its errors show
    Value collected = VALUE_ERROR, item = VALUE_ERROR;
    if (object_length_hint(iterable, 64, &hint)) collected = bytearray_new(NULL, 0);
    uint8_t byte = 0;
    while (collected && (item = object_next(iterator)) && bits_of(item) != bits_of(ABSENT)) {
        bool done = poll_signals() && byte_value(item, &byte, "bytes must be in range(0, 256)") &&
                    bytearray_append(collected, byte);
        drop(item);
        item = VALUE_ERROR;
        if (!done) break;
    }
    Value bytes = VALUE_ERROR;
    if (bits_of(item) == bits_of(ABSENT))
        bytes = bytes_new(as_bytearray(collected)->data, (size_t)as_bytearray(collected)->size);
    drop(collected);
    drop(iterator);
    return bytes;
}

static Value call_bytes_method(ValueRef method)
{
    Value result = object_call_none(method);
    if (result && !bytes_check(result)) {
        raise_error(TypeError, "__bytes__ returned non-bytes (type %.200T)", result);
        drop_slot(&result);
    }
    return result;
}

// bytes(number): that many zeros; ABSENT if the value turns out to be no number.
static Value from_count(ValueRef value)
{
    ssize_t count;
    if (!object_as_ssize(value, &count, OverflowError)) {
        if (!error_is(TypeError)) return VALUE_ERROR;
        error_clear();
        return ABSENT;
    }
    if (count < 0) return raise_error(ValueError, "negative count");
    Value bytes = bytes_new(count == 1 ? "" : NULL, (size_t)count);
    if (bytes) memset(as_bytes(bytes)->data, 0, (size_t)count);
    return bytes;
}

// The bytes themselves, or what __bytes__() gives; ABSENT if there is no such method.
static Value as_they_are(ValueRef value)
{
    if (bytes_check_exact(value)) return retain(value);
    Value method = object_special(value, NAME(__bytes__));
    if (!method || bits_of(method) == bits_of(ABSENT)) return method;
    Value result = call_bytes_method(method);
    drop(method);
    return result;
}

Value bytes_from_object(ValueRef value)
{
    Value bytes = as_they_are(value);
    if (bits_of(bytes) != bits_of(ABSENT)) return bytes;
    if (str_check(value))
        return raise_error(TypeError, "cannot convert '%.200T' object to bytes", value);
    return buffer_check(value) ? from_buffer(value) : from_iterable(value);
}

Value bytes_from_value(ValueRef value)
{
    Value bytes = as_they_are(value);
    if (bits_of(bytes) != bits_of(ABSENT)) return bytes;
    if (str_check(value)) return raise_error(TypeError, "string argument without an encoding");
    if (is_small(value) || type_of(value)->index) {
        Value zeros = from_count(value);
        if (bits_of(zeros) != bits_of(ABSENT)) return zeros;
    }
    return buffer_check(value) ? from_buffer(value) : from_iterable(value);
}

static Value bytes_construct(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    ValueRef source;
    Value encoded;
    if (!bytes_arguments("bytes", args, nargs, kwnames, &source, &encoded)) return VALUE_ERROR;
    if (encoded) return as_subtype(type, encoded);
    return as_subtype(type, source ? bytes_from_value(source) : bytes_new(NULL, 0));
}

// ---- repr

static bool has_byte(View view, char byte)
{
    return view.size > 0 && memchr(view.data, byte, (size_t)view.size);
}

#define AT_ONCE 64 // bytes that are escaped together

Value bytes_text(const char *prefix, View view, bool all, const char *suffix)
{
    char quote = has_byte(view, '\'') && !has_byte(view, '"') ? '"' : '\'';
    char escaped[AT_ONCE * ESCAPE_MAX];
    StrBuilder text;
    builder_begin(&text);
    bool done =
        builder_ascii(&text, prefix, strlen(prefix)) && builder_char(&text, (uint32_t)quote);
    for (ssize_t i = 0; done && i < view.size; i += AT_ONCE) {
        ssize_t size = view.size - i < AT_ONCE ? view.size - i : AT_ONCE;
        char *end = bytes_escape(view.data + i, size, all ? '\'' : quote, escaped);
        done = builder_ascii(&text, escaped, (size_t)(end - escaped));
    }
    if (done && builder_char(&text, (uint32_t)quote) &&
        builder_ascii(&text, suffix, strlen(suffix)))
        return builder_finish(&text);
    builder_abandon(&text);
    return VALUE_ERROR;
}

Value bytes_repr(ValueRef self)
{
    return bytes_text("b", view_of(self), false, "");
}

// ---- slots

static bool hash_slot(ValueRef self, int64_t *hash)
{
    Bytes *bytes = as_bytes(self);
    if (bytes->hash == -1) bytes->hash = hash_bytes(bytes->data, (size_t)bytes->size);
    *hash = bytes->hash;
    return true;
}

static int compare_runs(const char *a, ssize_t a_size, const char *b, ssize_t b_size)
{
    ssize_t shorter = a_size < b_size ? a_size : b_size;
    int order = shorter ? memcmp(a, b, (size_t)shorter) : 0;
    return order ? order : a_size < b_size ? -1 : a_size > b_size;
}

Value bytes_compare(ValueRef left, ValueRef right, CompareOp op)
{
    Buffer a, b;
    if (!buffer_check(left) || !buffer_check(right)) return NOT_IMPLEMENTED;
    if (!buffer_get(left, &a, false)) return VALUE_ERROR;
    if (!buffer_get(right, &b, false)) {
        buffer_release(&a);
        return VALUE_ERROR;
    }
    Value result = order_result(compare_runs(a.bytes, a.size, b.bytes, b.size), op);
    buffer_release(&b);
    buffer_release(&a);
    return result;
}

static Value compare_slot(ValueRef left, ValueRef right, CompareOp op)
{
    if (!bytes_check(left) || !bytes_check(right)) return NOT_IMPLEMENTED;
    View a = view_of(left), b = view_of(right);
    if (op == COMPARE_EQ && a.size != b.size) return FALSE;
    return order_result(compare_runs(a.data, a.size, b.data, b.size), op);
}

static bool length_slot(ValueRef self, ssize_t *length)
{
    *length = as_bytes(self)->size;
    return true;
}

Value bytes_concat(ValueRef left, ValueRef right, MakeBytesFn make)
{
    Buffer a, b;
    if (!buffer_get(left, &a, false)) return VALUE_ERROR;
    if (!buffer_get(right, &b, false)) {
        buffer_release(&a);
        return VALUE_ERROR;
    }
    Value result = make(NULL, (size_t)a.size + (size_t)b.size);
    if (result) {
        char *data = view_of(result).data;
        memcpy(data, a.bytes, (size_t)a.size);
        memcpy(data + a.size, b.bytes, (size_t)b.size);
    }
    buffer_release(&b);
    buffer_release(&a);
    return result;
}

static Value concat_slot(ValueRef left, ValueRef right)
{
    if (!buffer_check(left) || !buffer_check(right))
        return raise_error(TypeError, "can't concat %.100T to %.100T", right, left);
    if (bytes_check_exact(left) && as_bytes(left)->size == 0 && bytes_check_exact(right))
        return retain(right);
    return bytes_concat(left, right, bytes_new);
}

static Value repeat_slot(ValueRef self, ssize_t count)
{
    View view = view_of(self);
    if (count < 0) count = 0;
    if (count == 1) return bytes_same(self);
    if (count > 0 && view.size > SSIZE_MAX / count)
        return raise_error(OverflowError, "repeated bytes are too long");
    Value result = bytes_new(NULL, (size_t)(view.size * count));
    if (result) bytes_fill(as_bytes(result)->data, view, count);
    return result;
}

static Value item_slot(ValueRef self, ssize_t index)
{
    if (index < 0 || index >= as_bytes(self)->size)
        return raise_error(IndexError, "index out of range");
    return from_small((uint8_t)as_bytes(self)->data[index]);
}

void bytes_fill(char *data, View view, ssize_t count)
{
    if (count == 0 || view.size == 0) return;
    memcpy(data, view.data, (size_t)view.size);
    memory_repeat(data, (size_t)view.size, (size_t)(view.size * count));
}

Value bytes_slice(ValueRef self, ValueRef slice)
{
    ssize_t start, stop, step, count;
    if (!slice_unpack(slice, &start, &stop, &step)) return VALUE_ERROR;
    View view = view_of(self);
    slice_adjust(view.size, &start, &stop, step, &count);
    if (count == view.size && step == 1) return bytes_same(self);
    if (step == 1 || count == 0) return bytes_like(self, count ? view.data + start : "", count);
    Value result = bytes_like(self, NULL, count);
    if (!result) return VALUE_ERROR;
    char *to = view_of(result).data;
    const char *from = view.data + start;
    for (const char *end = to + count; to < end; from += step) *to++ = *from;
    return result;
}

static Value subscript_slot(ValueRef self, ValueRef key)
{
    ssize_t index;
    if (slice_check(key)) return bytes_slice(self, key);
    if (!byte_index(key, as_bytes(self)->size, "byte", &index)) return VALUE_ERROR;
    return item_slot(self, index);
}

bool bytes_contains(ValueRef self, ValueRef item, bool *found)
{
    if (is_small(item) || type_of(item)->index) {
        uint8_t byte = 0;
        if (!byte_value(item, &byte, NULL)) return false;
        *found = has_byte(view_of(self), (char)byte);
        return true;
    }
    Buffer buffer;
    if (!buffer_get(item, &buffer, false)) return false;
    View view = view_of(self);
    *found = text_find(1, view.data, view.size, 1, buffer.bytes, buffer.size, 1) >= 0;
    buffer_release(&buffer);
    return true;
}

static bool buffer_slot(ValueRef self, Buffer *buffer, bool writable)
{
    if (writable) return raise_error(BufferError, "Object is not writable.");
    buffer_fill(buffer, self, as_bytes(self)->data, as_bytes(self)->size, true);
    return true;
}

static Value remainder_slot(ValueRef left, ValueRef right)
{
    return bytes_check(left) ? bytes_mod(left, right) : NOT_IMPLEMENTED;
}

METHOD_HEAD(bytes, __getnewargs__)
{
    Value copy = bytes_same(self);
    return copy ? tuple_from_owned(&copy, 1) : VALUE_ERROR;
}

// ---- the iterators of bytes and bytearray

Value bytes_iter(ValueRef self)
{
    Type *type = bytes_check(self) ? &bytes_iterator_type : &bytearray_iterator_type;
    return index_iterator_new(type, self, 0);
}

static Value iterator_next(ValueRef self)
{
    IndexIterator *iterator = as_index_iterator(self);
    if (!iterator->sequence) return ABSENT;
    View view = view_of(iterator->sequence);
    if (iterator->index < view.size) return from_small((uint8_t)view.data[iterator->index++]);
    drop_slot(&iterator->sequence);
    return ABSENT;
}

Type bytes_iterator_type = INDEX_ITERATOR("bytes_iterator", index_iterator_methods, iterator_next);
Type bytearray_iterator_type =
    INDEX_ITERATOR("bytearray_iterator", index_iterator_methods, iterator_next);

// ---- the type

static const MethodDef methods[] = {
#define BYTES_METHOD(name, ...) {#name, bytes_method_##name, __VA_ARGS__, NULL},
#define BYTES_TAUGHT(name, text, ...) {#name, bytes_method_##name, __VA_ARGS__, text},
#define BYTES_ONLY BYTES_METHOD
#define BYTEARRAY_ONLY(name, ...)
#include "objects/bytes/bytes_methods.def"
#undef BYTES_METHOD
#undef BYTES_TAUGHT
#undef BYTES_ONLY
#undef BYTEARRAY_ONLY
    {0},
};

Type bytes_type = {
    STATIC_TYPE("bytes", sizeof(Bytes)),
    .doc = "bytes(iterable_of_ints), bytes(text, encoding[, errors]), bytes(buffer), bytes(size), "
           "bytes()\n\nNumbers from 0 to 255 that cannot be changed.",
    .item_size = 1,
    .flags = TYPE_BASE | TYPE_BYTES | TYPE_LEAF,
    .methods = methods,
    .getattribute = object_generic_get,
    .new_ = bytes_construct,
    .repr = bytes_repr,
    .str = bytes_repr,
    .hash = hash_slot,
    .compare = compare_slot,
    .iter = bytes_iter,
    .buffer = buffer_slot,
    .remainder = remainder_slot,
    .length = length_slot,
    .concat = concat_slot,
    .repeat = repeat_slot,
    .item = item_slot,
    .contains = bytes_contains,
    .subscript = subscript_slot,
};
