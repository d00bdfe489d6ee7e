// Short texts of values. A table by type has one function for each kind of value.
//
// Everything is written through `Text`, which counts the characters that do not fit.
// ShowLimits.depth bounds the depth. The list `Inside` has the containers that are being written,
// so that cycles and shared parts come to an end.
#include "objects/looking/show.h"

#include "objects/bytes/bytes.h"
#include "objects/cell.h"
#include "objects/classes/method.h"
#include "objects/code.h"
#include "objects/containers/list.h"
#include "objects/containers/range.h"
#include "objects/containers/set.h"
#include "objects/containers/slice.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/exceptions/exception.h"
#include "objects/function.h"
#include "objects/looking/show_tensor.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/bigint.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/numbers/int_view.h"
#include "objects/text/str.h"
#include "objects/text/unicode.h"
#include "objects/text/utf8.h"
#include "objects/type.h"
#include "objects/upcalls.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const ShowLimits show_brief = {.depth = 2, .items = 5, .text = 30};

typedef struct Inside { // the containers that are being written, the innermost first
    ValueRef container;
    const struct Inside *outer;
    int depth;
} Inside;

typedef struct Text {
    char *buffer;
    size_t size, length;
    const ShowLimits *limits;
} Text;

// ---- writing

static void put_bytes(Text *text, const char *bytes, size_t count)
{
    if (text->length + count < text->size) memcpy(text->buffer + text->length, bytes, count);
    // A later, shorter piece must not be written after a piece that did not fit.
    else if (text->length < text->size)
        text->buffer[text->length] = 0, text->size = text->length + 1;
    text->length += count;
}

static void put(Text *text, const char *words)
{
    put_bytes(text, words, strlen(words));
}

__attribute__((format(printf, 2, 3))) static void put_format(Text *text, const char *format, ...)
{
    char piece[64];
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    put_bytes(text, piece, count < (int)sizeof piece ? (size_t)count : sizeof piece - 1);
}

static size_t finish(Text *text)
{
    if (text->size) text->buffer[text->length < text->size ? text->length : text->size - 1] = 0;
    return text->length;
}

// ---- str and bytes

// As repr() writes a character: `quote` is the one that must be escaped, 0 = none.
static void put_point(Text *text, uint32_t point, uint32_t quote)
{
    char bytes[4];
    if (point == '\n')
        put(text, "\\n");
    else if (point == '\r')
        put(text, "\\r");
    else if (point == '\t')
        put(text, "\\t");
    else if (point < ' ' || point == 0x7F || (point < 0x100 && !unicode_is_printable(point)))
        put_format(text, "\\x%02x", point);
    else if (!unicode_is_printable(point))
        put_format(text, point < 0x10000 ? "\\u%04x" : "\\U%08x", point);
    else if (quote && (point == quote || point == '\\'))
        put_bytes(text, (char[]){'\\', (char)point}, 2);
    else
        put_bytes(text, bytes, (size_t)utf8_write(point, bytes));
}

// The name of a type; a script may have chosen it.
static void put_type_name(Text *text, const char *name)
{
    const unsigned char *at = (const unsigned char *)name, *end = at + strlen(name);
    DecodeProblem problem;
    for (int32_t point; at < end && (point = utf8_read(&at, end, &problem)) >= 0;)
        put_point(text, (uint32_t)point, 0);
}

typedef uint32_t (*PointFn)(const void *data, ssize_t index);

static uint32_t point_of_str(const void *str, ssize_t index)
{
    return str_at(str, index);
}

static uint32_t point_of_bytes(const void *bytes, ssize_t index)
{
    return ((const uint8_t *)bytes)[index];
}

static void put_byte(Text *text, uint32_t byte, uint32_t quote)
{
    if (byte < 0x7F)
        put_point(text, byte, quote);
    else
        put_format(text, "\\x%02x", byte);
}

// The parts of a text that are shown: its start, and its end.
typedef struct Cut {
    ssize_t head, tail;
} Cut;

static Cut cut_of(ssize_t length, const ShowLimits *limits)
{
    ssize_t most = limits->text, head = most * 3 / 4;
    if (length <= most) return (Cut){length, 0};
    return (Cut){head, most - head > 3 ? most - head - 3 : 0};
}

// Writes a text in quotes. Chooses them as repr() does, but only by the part that is shown.
static void put_quoted(Text *text, const void *data, ssize_t length, PointFn at, bool is_bytes)
{
    Cut cut = cut_of(length, text->limits);
    bool single = false, both = false;
    for (ssize_t i = 0; i < length; i++) {
        if (i == cut.head) i = length - cut.tail;
        if (i == length) break;
        single = single || at(data, i) == '\'';
        both = both || at(data, i) == '"';
    }
    uint32_t quote = single && !both ? '"' : '\'';
    void (*put_one)(Text *, uint32_t, uint32_t) = is_bytes ? put_byte : put_point;
    put_bytes(text, (char[]){(char)quote}, 1);
    for (ssize_t i = 0; i < cut.head; i++) put_one(text, at(data, i), quote);
    if (cut.head < length) put(text, "...");
    for (ssize_t i = length - cut.tail; i < length; i++) put_one(text, at(data, i), quote);
    put_bytes(text, (char[]){(char)quote}, 1);
}

static void put_str(Text *text, ValueRef value, const Inside *outer)
{
    (void)outer;
    put_quoted(text, as_str(value), str_length(value), point_of_str, false);
}

static void put_bytes_literal(Text *text, ValueRef value, const Inside *outer)
{
    (void)outer;
    put(text, "b");
    put_quoted(text, as_bytes(value)->data, as_bytes(value)->size, point_of_bytes, true);
}

static void put_bytearray(Text *text, ValueRef value, const Inside *outer)
{
    (void)outer;
    put(text, "bytearray(b");
    put_quoted(text, as_bytearray(value)->data, as_bytearray(value)->size, point_of_bytes, true);
    put(text, ")");
}

static void put_plain_str(Text *text, ValueRef str, ssize_t start)
{
    for (ssize_t i = start; i < str_length(str); i++) put_point(text, str_at(as_str(str), i), 0);
}

static void put_name(Text *text, ValueRef qualname)
{
    static const char mark[] = "<locals>.";
    const ssize_t size = (ssize_t)sizeof mark - 1;
    ssize_t start = str_length(qualname);
    for (; start > 0; start--) {
        ssize_t same = 0;
        while (same < size && start >= size &&
               str_at(as_str(qualname), start - size + same) == (uint8_t)mark[same])
            same++;
        if (same == size) break;
    }
    put_plain_str(text, qualname, start);
}

// ---- numbers

#define MOST_LIMBS 32 // of an int whose digits are calculated: more than 600 digits

static void put_digits(Text *text, const char *digits, size_t count)
{
    Cut cut = cut_of((ssize_t)count, text->limits);
    put_bytes(text, digits, (size_t)cut.head);
    if ((size_t)cut.head < count) put(text, "...");
    put_bytes(text, digits + count - cut.tail, (size_t)cut.tail);
}

static void put_int(Text *text, ValueRef value, const Inside *outer)
{
    (void)outer;
    IntView view;
    int_view(value, &view);
    Limb limbs[MOST_LIMBS];
    char digits[MOST_LIMBS * 20];
    if (view.negative) put(text, "-");
    if (view.size > MOST_LIMBS) {
        put_format(text, "<int of %lld bits>", (long long)bigint_bit_length(view.limbs, view.size));
        return;
    }
    memcpy(limbs, view.limbs, view.size * sizeof *limbs);
    size_t start = sizeof digits, size = view.size;
    do {
        digits[--start] = (char)('0' + (size ? bigint_divide_limb(limbs, limbs, size, 10) : 0));
        size = bigint_normal_size(limbs, size);
    } while (size);
    put_digits(text, digits + start, sizeof digits - start);
}

static void put_float(Text *text, ValueRef value, const Inside *outer)
{
    (void)outer;
    char digits[32];
    double_repr(float_value(value), digits);
    put(text, digits);
}

// A part of a complex number: repr() without the ".0".
static void put_part(Text *text, double number)
{
    char digits[32];
    double_repr(number, digits);
    size_t size = strlen(digits);
    if (size > 2 && strcmp(digits + size - 2, ".0") == 0) digits[size - 2] = 0;
    put(text, digits);
}

static void put_complex(Text *text, ValueRef value, const Inside *outer)
{
    (void)outer;
    const Complex *number = as_complex(value);
    bool both = number->real != 0 || signbit(number->real);
    if (both) {
        put(text, "(");
        put_part(text, number->real);
        if (!signbit(number->imag) || number->imag != number->imag) put(text, "+");
    }
    put_part(text, number->imag);
    put(text, both ? "j)" : "j");
}

// ---- containers

static void put_value(Text *text, ValueRef value, const Inside *outer);

static bool is_inside(ValueRef value, const Inside *outer)
{
    for (; outer; outer = outer->outer)
        if (outer->container == value) return true;
    return false;
}

// Enters a container; false if it is nested too deeply, or inside itself: then its brackets hold
// only dots. An empty container is never too deep.
static bool enter(Text *text, Inside *inside, ValueRef value, const Inside *outer, ssize_t size)
{
    *inside = (Inside){value, outer, outer ? outer->depth + 1 : 1};
    if (!size || (inside->depth <= text->limits->depth && !is_inside(value, outer))) return true;
    put(text, "...");
    return false;
}

// Writes the comma before an item; false if there are too many items, and dots replace them.
static bool next_item(Text *text, ssize_t number)
{
    if (number > 0) put(text, ", ");
    if (number < text->limits->items) return true;
    put(text, "...");
    return false;
}

static void put_items(Text *text, ValueRef value, const Value *items, ssize_t size,
                      const Inside *outer)
{
    Inside inside;
    if (!enter(text, &inside, value, outer, size)) return;
    for (ssize_t i = 0; i < size && next_item(text, i); i++) put_value(text, items[i], &inside);
}

static void put_tuple(Text *text, ValueRef value, const Inside *outer)
{
    put(text, "(");
    put_items(text, value, as_tuple(value)->items, tuple_size(value), outer);
    put(text, tuple_size(value) == 1 ? ",)" : ")");
}

static void put_list(Text *text, ValueRef value, const Inside *outer)
{
    const List *list = as_list(value);
    put(text, "[");
    put_items(text, value, list->items, list->items ? list->size : 0, outer);
    put(text, "]");
}

static void put_entries(Text *text, ValueRef value, const Inside *outer)
{
    Inside inside;
    ssize_t position = 0, number = 0;
    ValueRef key, item;
    if (!enter(text, &inside, value, outer, dict_size(value))) return;
    while (dict_next(value, &position, &key, &item) && next_item(text, number++)) {
        put_value(text, key, &inside);
        put(text, ": ");
        put_value(text, item, &inside);
    }
}

static void put_dict(Text *text, ValueRef value, const Inside *outer)
{
    put(text, "{");
    put_entries(text, value, outer);
    put(text, "}");
}

static void put_members(Text *text, ValueRef value, const Inside *outer)
{
    Inside inside;
    ssize_t position = 0, number = 0;
    ValueRef item;
    if (!enter(text, &inside, value, outer, as_set(value)->used)) return;
    while (set_next(value, &position, &item) && next_item(text, number++))
        put_value(text, item, &inside);
}

static void put_set(Text *text, ValueRef value, const Inside *outer)
{
    if (!as_set(value)->used) {
        put(text, "set()");
        return;
    }
    put(text, "{");
    put_members(text, value, outer);
    put(text, "}");
}

static void put_frozenset(Text *text, ValueRef value, const Inside *outer)
{
    put(text, as_set(value)->used ? "frozenset({" : "frozenset(");
    put_members(text, value, outer);
    put(text, as_set(value)->used ? "})" : ")");
}

// ---- what has a name

static void put_id(Text *text, ValueRef value)
{
    if (text->limits->id) put_format(text, " at 0x%llx", (long long)memory_id(object_of(value)));
}

// What follows the last dot of tp_name.
static void put_short_name(Text *text, const Type *type)
{
    const char *dot = strrchr(type->name, '.');
    bool has_module = !(type->flags & TYPE_HEAP) || type->heap_full_name;
    put_type_name(text, dot && has_module ? dot + 1 : type->name);
}

// The end of `<kind name>`.
static void put_name_of(Text *text, ValueRef name, ValueRef value)
{
    put(text, " ");
    if (name && str_check(name))
        put_name(text, name);
    else
        put(text, "?");
    put_id(text, value);
    put(text, ">");
}

static void put_named(Text *text, const char *kind, ValueRef name, ValueRef value)
{
    put(text, "<");
    put(text, kind);
    put_name_of(text, name, value);
}

static void put_function(Text *text, ValueRef value, const Inside *outer)
{
    (void)outer;
    put_named(text, "function", as_function(value)->qualname, value);
}

static void put_code(Text *text, ValueRef value, const Inside *outer)
{
    (void)outer;
    put_named(text, "code object", as_code(value)->name, value);
}

static void put_module(Text *text, ValueRef value, const Inside *outer)
{
    (void)outer;
    ValueRef dict = as_module(value)->dict;
    put_named(text, "module", dict ? dict_peek_ascii(dict, "__name__") : 0, value);
}

static void put_builtin(Text *text, ValueRef value, const Inside *outer)
{
    (void)outer;
    put(text, "<built-in function ");
    put(text, as_builtin(value)->def->name);
    put(text, ">");
}

// Shows the contents of a cell or a method.
static void put_held(Text *text, ValueRef owner, ValueRef held, const Inside *outer)
{
    Inside inside;
    if (enter(text, &inside, owner, outer, 1)) put_value(text, held, &inside);
}

static void put_method(Text *text, ValueRef value, const Inside *outer)
{
    ValueRef function = as_method(value)->function;
    if (function_check(function)) {
        put_named(text, "bound method", as_function(function)->qualname, value);
        return;
    }
    put(text, "<bound method of ");
    put_held(text, value, function, outer);
    put(text, ">");
}

static void put_cell(Text *text, ValueRef value, const Inside *outer)
{
    put(text, "<cell: ");
    if (as_cell(value)->contents)
        put_held(text, value, as_cell(value)->contents, outer);
    else
        put(text, "empty");
    put(text, ">");
}

static void put_range(Text *text, ValueRef value, const Inside *outer)
{
    const Range *range = as_range(value);
    put(text, "range(");
    put_value(text, range->start, outer);
    put(text, ", ");
    put_value(text, range->stop, outer);
    if (range->step != from_small(1)) {
        put(text, ", ");
        put_value(text, range->step, outer);
    }
    put(text, ")");
}

static void put_slice(Text *text, ValueRef value, const Inside *outer)
{
    const Slice *slice = (const Slice *)object_of(value);
    Value parts[] = {slice->start, slice->stop, slice->step};
    put(text, "slice(");
    put_items(text, value, parts, 3, outer);
    put(text, ")");
}

static void put_dtype(Text *text, ValueRef value, const Inside *outer)
{
    (void)outer;
    put(text, "torch.");
    put(text, dtype_table[dtype_of(value)].name);
}

// ---- all of them

typedef void (*PutFn)(Text *text, ValueRef value, const Inside *outer);

// For exactly these types; for a subclass, the text follows its name in brackets.
static const struct Kind {
    Type *type;
    PutFn put;
} kinds[] = {
    {&int_type, put_int},
    {&float_type, put_float},
    {&str_type, put_str},
    {&tuple_type, put_tuple},
    {&list_type, put_list},
    {&dict_type, put_dict},
    {&function_type, put_function},
    {&cell_type, put_cell},
    {&code_type, put_code},
    {&set_type, put_set},
    {&frozenset_type, put_frozenset},
    {&bytes_type, put_bytes_literal},
    {&method_type, put_method},
    {&builtin_type, put_builtin},
    {&module_type, put_module},
    {&bytearray_type, put_bytearray},
    {&complex_type, put_complex},
    {&range_type, put_range},
    {&slice_type, put_slice},
    {&dtype_type, put_dtype},
};

static PutFn put_of(const Type *type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == type) return kinds[i].put;
    return NULL;
}

static bool put_immediate(Text *text, ValueRef value)
{
    static const char *const words[] = {"None",           "False",    "True",
                                        "NotImplemented", "Ellipsis", "NULL"};
    if (!value) {
        put(text, "NULL");
        return true;
    }
    if (is_object(value) || is_small(value) || is_double(value)) return false;
    put(text, words[bits_of(value) - IMMEDIATE_BASE]);
    return true;
}

static void put_exception(Text *text, ValueRef value, const Inside *outer)
{
    ValueRef args = as_exception(value)->args;
    put_short_name(text, type_of(value));
    put(text, "(");
    if (args) put_items(text, value, as_tuple(args)->items, tuple_size(args), outer);
    put(text, ")");
}

// An instance of a class written in script: shown as the built-in type from which it derives.
static void put_instance(Text *text, ValueRef value, const Inside *outer)
{
    const Type *type = type_of(value), *base = type;
    PutFn content = NULL;
    while (base && !(content = put_of(base))) base = base->base_type;
    ValueRef name = upcalls.name_of ? upcalls.name_of(value) : 0;
    if (name) {
        put(text, "<");
        put_short_name(text, type);
        put_name_of(text, name, value);
    } else if (content && base != &module_type) {
        put_short_name(text, type);
        put(text, base == &tuple_type ? "" : "(");
        content(text, value, outer);
        put(text, base == &tuple_type ? "" : ")");
    } else {
        put(text, "<");
        put_short_name(text, type);
        put(text, " object");
        put_id(text, value);
        put(text, ">");
    }
}

// Its class, then what show_tensor.h says.
static void put_tensor(Text *text, ValueRef value)
{
    char piece[1000];
    show_tensor(piece, sizeof piece, as_tensor(value), text->limits->items);
    put(text, "<");
    put_short_name(text, type_of(value));
    put_id(text, value);
    put(text, " ");
    put(text, piece);
    put(text, ">");
}

static void put_class(Text *text, ValueRef value)
{
    put(text, "<class ");
    put_short_name(text, (const Type *)object_of(value));
    put(text, ">");
}

static void put_value(Text *text, ValueRef value, const Inside *outer)
{
    if (put_immediate(text, value)) return;
    PutFn put_exactly = put_of(type_of(value));
    if (put_exactly)
        put_exactly(text, value, outer);
    else if (has_flag(value, TYPE_TYPE))
        put_class(text, value);
    else if (exception_check(value))
        put_exception(text, value, outer);
    else if (tensor_check(value))
        put_tensor(text, value);
    else
        put_instance(text, value, outer);
}

size_t show_value(char *buffer, size_t size, ValueRef value, const ShowLimits *limits)
{
    Text text = {buffer, size, 0, limits ? limits : &show_brief};
    put_value(&text, value, NULL);
    return finish(&text);
}

size_t show_text(char *buffer, size_t size, ValueRef str)
{
    Text text = {buffer, size, 0, &show_brief};
    put_plain_str(&text, str, 0);
    return finish(&text);
}

size_t show_name(char *buffer, size_t size, ValueRef qualname)
{
    Text text = {buffer, size, 0, &show_brief};
    put_name(&text, qualname);
    return finish(&text);
}

size_t show_file_name(char *buffer, size_t size, ValueRef path)
{
    Text text = {buffer, size, 0, &show_brief};
    ssize_t start = str_length(path);
    while (start > 0 && str_at(as_str(path), start - 1) != '/') start--;
    put_plain_str(&text, path, start);
    return finish(&text);
}
