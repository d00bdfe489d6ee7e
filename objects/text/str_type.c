// The type str: its slots, str(), indexing, repr, and its iterator. Its methods are listed in
// str_methods.def and defined in str_*.c, one file for each subject.
#include "objects/bytes/buffer.h"
#include "objects/bytes/codecs.h"
#include "objects/containers/slice.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"
#include "objects/text/format.h"
#include "objects/text/str_methods.h"
#include "objects/text/str_parts.h"
#include "objects/text/text.h"
#include "objects/text/unicode.h"
#include "objects/text/unicode_tables.h"

// ---- str(object, encoding, errors)

// The text of an exact str in an object of a subclass.
static Value as_subtype(Type *type, Value exact)
{
    if (!exact || type == &str_type) return exact;
    const Str *text = as_str(exact);
    size_t bytes = (size_t)(text->length + 1) * text->kind;
    Str *str = object_alloc_bytes(type, sizeof(Str) + bytes);
    if (str) {
        str->length = text->length;
        str->hash = text->hash;
        str->kind = text->kind;
        str->ascii = text->ascii;
        memcpy(str->data, text->data, bytes);
        invariant(str_is_sound(str), "the text of a subclass's instance is that of the str");
    }
    drop(exact);
    return own(str);
}

static Value decode_object(ValueRef value, ValueRef encoding, ValueRef errors)
{
    const char *encoding_name = NULL, *errors_name = NULL;
    if (encoding && !(encoding_name = text_argument(encoding, "str() argument 2")))
        return VALUE_ERROR;
    if (errors && !(errors_name = text_argument(errors, "str() argument 3"))) return VALUE_ERROR;
    if (!value) return str_empty();
    if (str_check(value)) return raise_error(TypeError, "decoding str is not supported");
    if (!buffer_check(value))
        return raise_error(TypeError, "decoding to str: need a bytes-like object, %.80T found",
                           value);
    Buffer buffer;
    if (!buffer_get(value, &buffer, false)) return VALUE_ERROR;
    Value text = text_decode(buffer.bytes, (size_t)buffer.size, encoding_name, errors_name);
    buffer_release(&buffer);
    return text;
}

static Value str_construct(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"object", "encoding", "errors", NULL};
    static const Signature signature = {"str", names, 0, 3};
    if (nargs == 1 && !kwnames) return as_subtype(type, object_str(args[0]));
    ValueRef slots[3];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    if (slots[1] || slots[2]) return as_subtype(type, decode_object(slots[0], slots[1], slots[2]));
    return as_subtype(type, slots[0] ? object_str(slots[0]) : str_empty());
}

// ---- repr

// How many code points the repr of one takes, inside quotes of this kind.
static inline int repr_width(uint32_t point, uint32_t quote)
{
    if (point >= ' ' && point < 0x7F) return point == quote || point == '\\' ? 2 : 1;
    if (point == '\n' || point == '\r' || point == '\t') return 2;
    if (unicode_kind_of(point) & UNICODE_PRINTABLE) return 1;
    return point < 0x100 ? 4 : point < 0x10000 ? 6 : 10;
}

static inline ssize_t write_repr(Str *target, ssize_t at, uint32_t point, uint32_t quote)
{
    int width = repr_width(point, quote);
    if (width > 2) {
        char escape[TEXT_ESCAPE_MAX];
        text_copy(target->kind, target->data, at, 1, escape, 0, text_escape(point, escape));
        return at + width;
    }
    if (width == 2) {
        point_put(target->kind, target->data, at++, '\\');
        point = point == '\n' ? 'n' : point == '\r' ? 'r' : point == '\t' ? 't' : point;
    }
    point_put(target->kind, target->data, at, point);
    return at + 1;
}

// Single quotes, unless that would need escapes and double quotes would not.
static uint32_t choose_quote(const Str *str)
{
    bool single = text_find_point(str->kind, str->data, str->length, '\'', 1) >= 0;
    return single && text_find_point(str->kind, str->data, str->length, '"', 1) < 0 ? '"' : '\'';
}

// Printable ASCII without quotes and backslashes: the text itself between quotes.
static bool repr_is_simple(const Str *str)
{
    bool simple = str->ascii;
    for (ssize_t i = 0; simple && i < str->length; i++) {
        char c = str->data[i];
        simple = c >= ' ' && c < 127 && c != '\'' && c != '\\';
    }
    return simple;
}

static Value quoted(const Str *str)
{
    Str *result = str_alloc(str->length + 2, 0x7F);
    if (!result) return VALUE_ERROR;
    result->data[0] = result->data[str->length + 1] = '\'';
    memcpy(result->data + 1, str->data, (size_t)str->length);
    invariant(str_is_sound(result), "a simple text is ASCII, its quotes as well");
    return own(result);
}

// How many code points the repr of all takes, and the bits of those that are shown as they are.
SPECIALISED ssize_t repr_size(int kind, const Str *str, uint32_t quote, uint32_t *bits)
{
    ssize_t size = 0;
    for (ssize_t i = 0; i < str->length; i++) {
        uint32_t point = point_get(kind, str->data, i);
        int width = repr_width(point, quote);
        size += width;
        if (width == 1) *bits |= point;
    }
    return size;
}

Value str_repr(ValueRef value)
{
    const Str *str = as_str(value);
    if (repr_is_simple(str)) return quoted(str);
    uint32_t quote = choose_quote(str), bits = 0;
    if (str->length > SSIZE_MAX / TEXT_ESCAPE_MAX - 2)
        return raise_error(OverflowError, "string is too long to generate repr");
    ssize_t size = 2 + BY_KIND(str->kind, repr_size, str, quote, &bits);
    uint32_t bound = bits < 0x80 ? 0x7F : bits < 0x100 ? 0xFF : bits < 0x10000 ? 0xFFFF : 0x10FFFF;
    Str *result = str_alloc(size, bound);
    if (!result) return VALUE_ERROR;
    point_put(result->kind, result->data, 0, quote);
    if (size == str->length + 2) // nothing is escaped
        text_copy(result->kind, result->data, 1, str->kind, str->data, 0, str->length);
    else
        for (ssize_t i = 0, at = 1; i < str->length; i++)
            at = write_repr(result, at, str_at(str, i), quote);
    point_put(result->kind, result->data, size - 1, quote);
    invariant(str_is_sound(result), "a repr has the kind of what it shows unescaped");
    return own(result);
}

// ---- slots

static bool hash_slot(ValueRef self, int64_t *hash)
{
    *hash = str_hash(self);
    return true;
}

static Value compare_slot(ValueRef left, ValueRef right, CompareOp op)
{
    if (!str_check(left) || !str_check(right)) return NOT_IMPLEMENTED;
    if (op == COMPARE_EQ) return from_bool(str_equal(left, right));
    if (op == COMPARE_NE) return from_bool(!str_equal(left, right));
    return order_result(str_compare(left, right), op);
}

static bool length_slot(ValueRef self, ssize_t *length)
{
    *length = str_length(self);
    return true;
}

static Value concat_slot(ValueRef left, ValueRef right)
{
    if (!str_check(right))
        return raise_error(TypeError, "can only concatenate str (not \"%.200T\") to str", right);
    return str_concat(left, right);
}

static Value item_slot(ValueRef self, ssize_t index)
{
    if (index < 0 || index >= str_length(self))
        return raise_error(IndexError, "string index out of range");
    return str_from_code_point(str_at(as_str(self), index));
}

SPECIALISED void copy_stepped(int kind, void *to, const void *from, ssize_t start, ssize_t step,
                              ssize_t count)
{
    for (ssize_t i = 0; i < count; i++, start += step)
        point_put(kind, to, i, point_get(kind, from, start));
}

static Value stepped(const Str *str, ssize_t start, ssize_t step, ssize_t count)
{
    char *data = memory_alloc((size_t)(count * str->kind));
    if (!data) return raise_memory_error();
    if (step == -1)
        BY_KIND(str->kind, copy_stepped, data, str->data, start, -1, count);
    else
        BY_KIND(str->kind, copy_stepped, data, str->data, start, step, count);
    Value result = str_from_text(str->kind, data, count);
    memory_free(data);
    return result;
}

static Value subscript_slot(ValueRef self, ValueRef key)
{
    ssize_t start, stop, step, count;
    if (slice_check(key)) {
        if (!slice_unpack(key, &start, &stop, &step)) return VALUE_ERROR;
        slice_adjust(str_length(self), &start, &stop, step, &count);
        if (count == 0) return str_empty();
        if (step == 1) return str_substring(self, start, start + count);
        return stepped(as_str(self), start, step, count);
    }
    if (!is_small(key) && !type_of(key)->index)
        return raise_error(TypeError, "string indices must be integers");
    ssize_t index;
    if (!object_as_ssize(key, &index, IndexError)) return VALUE_ERROR;
    return item_slot(self, index < 0 ? index + str_length(self) : index);
}

static bool contains_slot(ValueRef self, ValueRef item, bool *found)
{
    if (!str_check(item))
        return raise_error(TypeError, "'in <string>' requires string as left operand, not %.100T",
                           item);
    const Str *str = as_str(self), *part = as_str(item);
    *found =
        text_find(str->kind, str->data, str->length, part->kind, part->data, part->length, 1) >= 0;
    return true;
}

static Value remainder_slot(ValueRef left, ValueRef right)
{
    return str_check(left) ? str_mod(left, right) : NOT_IMPLEMENTED;
}

METHOD_HEAD(str, __format__)
{
    if (!str_check(args[0]))
        return raise_error(TypeError, "__format__() argument must be str, not %.50G", args[0]);
    if (str_length(args[0]) > 0) return str_format_spec(self, args[0]);
    return str_check_exact(self) ? retain(self) : object_str(self);
}

// The sizes that CPython has on a 64-bit machine.
METHOD_HEAD(str, __sizeof__)
{
    const Str *str = as_str(self);
    ssize_t size = str->ascii ? 48 : 72;
    size_t cached = 0;
    if (!str->ascii && str->utf8) str_utf8(self, &cached);
    size += (str->length + 1) * str->kind + (cached ? (ssize_t)cached + 1 : 0);
    return int_new(size);
}

// A copy, so that pickling and copying do not meet the str itself again.
METHOD_HEAD(str, __getnewargs__)
{
    Value copy = str_copy(self);
    return copy ? tuple_from_owned(&copy, 1) : VALUE_ERROR;
}

// ---- the iterator

static Value iter_slot(ValueRef self)
{
    return index_iterator_new(&str_iterator_type, self, 0);
}

static Value iterator_next(ValueRef self)
{
    IndexIterator *iterator = as_index_iterator(self);
    if (!iterator->sequence) return ABSENT;
    const Str *str = as_str(iterator->sequence);
    if (iterator->index < str->length) return str_from_code_point(str_at(str, iterator->index++));
    drop_slot(&iterator->sequence);
    return ABSENT;
}

Type str_iterator_type = INDEX_ITERATOR("str_iterator", index_iterator_methods, iterator_next);

// ---- the type

static const MethodDef methods[] = {
#define STR_METHOD(name, ...) {#name, str_method_##name, __VA_ARGS__, NULL},
#include "objects/text/str_methods.def"
#undef STR_METHOD
    {0},
};

Type str_type = {
    STATIC_TYPE("str", sizeof(Str)),
    .item_size = 1,
    .flags = TYPE_BASE | TYPE_STR | TYPE_LEAF,
    .methods = methods,
    .getattribute = object_generic_get,
    .new_ = str_construct,
    .release = str_release,
    .repr = str_repr,
    .str = str_exact,
    .hash = hash_slot,
    .compare = compare_slot,
    .iter = iter_slot,
    .remainder = remainder_slot,
    .length = length_slot,
    .concat = concat_slot,
    .repeat = str_repeat,
    .item = item_slot,
    .contains = contains_slot,
    .subscript = subscript_slot,
};
