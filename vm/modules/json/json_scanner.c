// The type of _json.make_scanner: scanner(text, index) -> (value, index after it).
//
//     scanner(text, index)       one Reading: the text, where it is, and the keys seen so far
//     read_value                 decides by the first character; at it when called, after the
//                                value when it returns
//     read_object, read_array    begin at their bracket
//
// Where no value begins, StopIteration is raised with the index, which json.decoder turns into its
// error; what else is wrong is a JSONDecodeError.
#include "objects/classes/descriptor.h"
#include "objects/containers/list.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/numbers/float.h"
#include "objects/protocols/items.h"
#include "objects/upcalls.h"
#include "vm/modules/json/json.h"

typedef struct Scanner {
    Object base;
    bool strict; // no control characters within strings
    Value object_hook, object_pairs_hook, parse_float, parse_int, parse_constant;
} Scanner;

typedef struct Reading {
    const Scanner *scanner;
    ValueRef text;
    ssize_t at;
    Value keys; // a dict: equal keys of all objects are one str
} Reading;

// ---- characters

// 0 after the end; a NUL means nothing in JSON either.
static uint32_t peek(const Reading *reading)
{
    const Str *text = as_str(reading->text);
    return reading->at < text->length ? str_at(text, reading->at) : 0;
}

static void skip_space(Reading *reading)
{
    for (;; reading->at++) {
        uint32_t point = peek(reading);
        if (point != ' ' && point != '\n' && point != '\t' && point != '\r') return;
    }
}

static bool read_word(Reading *reading, const char *word)
{
    const Str *text = as_str(reading->text);
    ssize_t length = (ssize_t)strlen(word);
    if (text->length - reading->at < length) return false;
    for (ssize_t i = 0; i < length; i++)
        if (str_at(text, reading->at + i) != (uint32_t)word[i]) return false;
    reading->at += length;
    return true;
}

static Value constant(const Reading *reading, const char *word)
{
    Value name = str_intern(word), value = VALUE_ERROR;
    if (name) value = object_call_one(reading->scanner->parse_constant, name);
    drop(name);
    return value;
}

static ssize_t digits_end(const Str *text, ssize_t at)
{
    while (at < text->length && str_at(text, at) >= '0' && str_at(text, at) <= '9') at++;
    return at;
}

// ---- numbers

// Where the number at an index ends: the index itself if there is none.
static ssize_t number_end(const Str *text, ssize_t begin, bool *whole)
{
    ssize_t at = begin + (begin < text->length && str_at(text, begin) == '-');
    ssize_t end = digits_end(text, at), after;
    *whole = true;
    if (end == at) return begin;
    if (str_at(text, at) == '0') end = at + 1;
    if (end < text->length && str_at(text, end) == '.') {
        after = digits_end(text, end + 1);
        if (after > end + 1) *whole = false, end = after;
    }
    if (end < text->length && (str_at(text, end) | 32) == 'e') {
        at = end + 1;
        if (at < text->length && (str_at(text, at) == '-' || str_at(text, at) == '+')) at++;
        after = digits_end(text, at);
        if (after > at) *whole = false, end = after;
    }
    return end;
}

// The int of at most SHORT_INT characters, which are a sign and digits.
#define SHORT_INT 14
static Value short_int(const Str *text, ssize_t begin, ssize_t end)
{
    bool negative = str_at(text, begin) == '-';
    int64_t number = 0;
    for (ssize_t i = begin + negative; i < end; i++) number = number * 10 + str_at(text, i) - '0';
    return from_small(negative ? -number : number);
}

static Value read_number(Reading *reading)
{
    bool whole;
    ssize_t begin = reading->at, end = number_end(as_str(reading->text), begin, &whole);
    if (end == begin) return raise_with(StopIteration, from_small(begin));
    const Scanner *scanner = reading->scanner;
    ValueRef hook = whole ? scanner->parse_int : scanner->parse_float;
    reading->at = end;
    if (hook == ref_of(&int_type) && end - begin <= SHORT_INT)
        return short_int(as_str(reading->text), begin, end);
    Value digits = str_substring(reading->text, begin, end), number = VALUE_ERROR;
    if (digits && hook == ref_of(&int_type))
        number = int_from_text(digits, 10);
    else if (digits && hook == ref_of(&float_type))
        number = float_from_text(digits);
    else if (digits)
        number = object_call_one(hook, digits);
    drop(digits);
    return number;
}

// ---- objects and arrays

static Value read_value(Reading *reading);

// Goes after the "," or the end bracket that follows an item; *more: it is a comma.
static bool read_separator(Reading *reading, uint32_t bracket, bool *more)
{
    skip_space(reading);
    uint32_t point = peek(reading);
    *more = point == ',';
    if (point != ',' && point != bracket)
        return json_raise_decode_error(reading->text, "Expecting ',' delimiter", reading->at);
    reading->at++;
    if (*more) skip_space(reading);
    return poll_signals();
}

// Goes after the opening bracket; *more: an item follows, else it is after the closing one.
static void read_bracket(Reading *reading, uint32_t closing, bool *more)
{
    reading->at++;
    skip_space(reading);
    *more = peek(reading) != closing;
    if (!*more) reading->at++;
}

static Value read_key(Reading *reading)
{
    if (peek(reading) != '"')
        return json_raise_decode_error(
            reading->text, "Expecting property name enclosed in double quotes", reading->at);
    reading->at++;
    Value key = json_scan_string(reading->text, &reading->at, reading->scanner->strict);
    if (!key) return VALUE_ERROR;
    Value shared = dict_set_default(reading->keys, key, key);
    drop(key);
    return shared;
}

static Value read_member_value(Reading *reading)
{
    skip_space(reading);
    if (peek(reading) != ':')
        return json_raise_decode_error(reading->text, "Expecting ':' delimiter", reading->at);
    reading->at++;
    skip_space(reading);
    return read_value(reading);
}

// Reads `"key": value` into a dict, or a list of pairs.
static bool read_member(Reading *reading, ValueRef made)
{
    Value key = read_key(reading);
    Value value = key ? read_member_value(reading) : VALUE_ERROR;
    bool ok = value;
    if (ok && list_check(made))
        ok = list_append_owned(made, tuple_pack(2, (ValueRef)key, (ValueRef)value));
    else if (ok)
        ok = dict_set(made, key, value);
    drop(value);
    drop(key);
    return ok;
}

static Value hooked(ValueRef hook, Value made)
{
    if (!made || hook == NONE) return made;
    Value value = object_call_one(hook, made);
    drop(made);
    return value;
}

static Value read_object(Reading *reading)
{
    const Scanner *scanner = reading->scanner;
    bool as_pairs = scanner->object_pairs_hook != NONE, more;
    Value made = as_pairs ? list_new(0) : dict_new();
    read_bracket(reading, '}', &more);
    while (made && more)
        if (!read_member(reading, made) || !read_separator(reading, '}', &more))
            replace_slot(&made, VALUE_ERROR);
    return hooked(as_pairs ? scanner->object_pairs_hook : scanner->object_hook, made);
}

static Value read_array(Reading *reading)
{
    bool more;
    Value list = list_new(0);
    read_bracket(reading, ']', &more);
    while (list && more)
        if (!list_append_owned(list, read_value(reading)) || !read_separator(reading, ']', &more))
            replace_slot(&list, VALUE_ERROR);
    return list;
}

static Value read_nested(Reading *reading, Value (*read)(Reading *), const char *where)
{
    if (!stack_enter(where)) return VALUE_ERROR;
    Value value = read(reading);
    stack_leave();
    return value;
}

static Value read_value(Reading *reading)
{
    switch (peek(reading)) {
    case '"':
        reading->at++;
        return json_scan_string(reading->text, &reading->at, reading->scanner->strict);
    case '{':
        return read_nested(reading, read_object,
                           " while decoding a JSON object from a unicode string");
    case '[':
        return read_nested(reading, read_array,
                           " while decoding a JSON array from a unicode string");
    case 'n':
        if (read_word(reading, "null")) return NONE;
        break;
    case 't':
        if (read_word(reading, "true")) return TRUE;
        break;
    case 'f':
        if (read_word(reading, "false")) return FALSE;
        break;
    case 'N':
        if (read_word(reading, "NaN")) return constant(reading, "NaN");
        break;
    case 'I':
        if (read_word(reading, "Infinity")) return constant(reading, "Infinity");
        break;
    case '-':
        if (read_word(reading, "-Infinity")) return constant(reading, "-Infinity");
        break;
    }
    return read_number(reading);
}

// ---- the type

static bool take_option(ValueRef context, const char *name, Value *option)
{
    Value interned = str_intern(name);
    *option = interned ? object_get(context, interned) : VALUE_ERROR;
    drop(interned);
    return *option;
}

static void release(Object *object)
{
    Scanner *self = (Scanner *)object;
    drop_slot(&self->object_hook);
    drop_slot(&self->object_pairs_hook);
    drop_slot(&self->parse_float);
    drop_slot(&self->parse_int);
    drop_slot(&self->parse_constant);
}

static Value scanner_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"context", NULL};
    static const Signature signature = {"make_scanner", names, 1, 1};
    ValueRef context;
    if (!args_bind(&signature, args, nargs, kwnames, &context)) return VALUE_ERROR;
    Scanner options = {0}; // no script sees a scanner before it is whole
    Value strict = VALUE_ERROR;
    bool ok = take_option(context, "strict", &strict) && object_truth(strict, &options.strict) &&
              take_option(context, "object_hook", &options.object_hook) &&
              take_option(context, "object_pairs_hook", &options.object_pairs_hook) &&
              take_option(context, "parse_float", &options.parse_float) &&
              take_option(context, "parse_int", &options.parse_int) &&
              take_option(context, "parse_constant", &options.parse_constant);
    drop(strict);
    Scanner *self = ok ? object_alloc(type, 0) : NULL;
    if (!self) {
        release(&options.base);
        return VALUE_ERROR;
    }
    options.base = self->base;
    *self = options;
    return own(self);
}

static Value scanner_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"string", "idx", NULL};
    static const Signature signature = {"scan_once", names, 2, 2};
    ValueRef given[2];
    Reading reading = {.scanner = (const Scanner *)object_of(self)};
    if (!args_bind(&signature, args, nargs, kwnames, given) ||
        !argument_ssize(given[1], &reading.at))
        return VALUE_ERROR;
    if (!str_check(given[0]))
        return raise_error(TypeError, "first argument must be a string, not %.80T", given[0]);
    if (reading.at < 0) return raise_error(ValueError, "idx cannot be negative");
    reading.text = given[0];
    reading.keys = dict_new();
    Value items[2] = {reading.keys ? read_value(&reading) : VALUE_ERROR, VALUE_ERROR};
    drop(reading.keys);
    if (!items[0]) return VALUE_ERROR;
    items[1] = from_small(reading.at);
    return tuple_from_owned(items, 2);
}

static void traverse(Object *object, VisitFn visit, void *arg)
{
    const Scanner *self = (const Scanner *)object;
    visit_item(self->object_hook, visit, arg);
    visit_item(self->object_pairs_hook, visit, arg);
    visit_item(self->parse_float, visit, arg);
    visit_item(self->parse_int, visit, arg);
    visit_item(self->parse_constant, visit, arg);
}

static const MemberDef members[] = {
    {"strict", MEMBER_BOOL, offsetof(Scanner, strict), true, NULL},
    {"object_hook", MEMBER_VALUE, offsetof(Scanner, object_hook), true, NULL},
    {"object_pairs_hook", MEMBER_VALUE, offsetof(Scanner, object_pairs_hook), true, NULL},
    {"parse_float", MEMBER_VALUE, offsetof(Scanner, parse_float), true, NULL},
    {"parse_int", MEMBER_VALUE, offsetof(Scanner, parse_int), true, NULL},
    {"parse_constant", MEMBER_VALUE, offsetof(Scanner, parse_constant), true, NULL},
    {0},
};

Type json_scanner_type = {
    STATIC_TYPE("_json.Scanner", sizeof(Scanner)),
    .getattribute = object_generic_get,
    .flags = TYPE_GC,
    .doc = "JSON scanner object",
    .new_ = scanner_new,
    .call = scanner_call,
    .release = release,
    .traverse = traverse,
    .clear = release,
    .members = members,
};
