// The module unicodedata: what the Unicode database says of a character, and normal forms.
//
// The answers are those of objects/text/unicode.h, version 13.0.0 as in CPython 3.9. Who asks for
// the database of version 3.2 (ucd_3_2_0) gets it from vm/lib/_unicode_3_2.mpy. What is not here:
// the names of sequences in lookup().
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/text/unicode.h"
#include "vm/import/import.h"

#include <stdio.h>

// The character of the argument `which` ("argument", "argument 1"). False with TypeError pending.
static bool read_character(const char *function, const char *which, ValueRef value, uint32_t *point)
{
    if (!str_check(value) || str_length(value) != 1)
        return raise_error(TypeError, "%s() %s must be a unicode character, not %.50G", function,
                           which, value);
    *point = str_at(as_str(value), 0);
    return true;
}

// ---- properties of a character

static Value text_property(const char *function, const char *(*property)(uint32_t), ValueRef value)
{
    uint32_t point;
    return read_character(function, "argument", value, &point) ? str_new(property(point))
                                                               : VALUE_ERROR;
}

static Value category(FUNCTION_ARGS)
{
    return text_property("category", unicode_category, args[0]);
}

static Value bidirectional(FUNCTION_ARGS)
{
    return text_property("bidirectional", unicode_bidirectional, args[0]);
}

static Value east_asian_width(FUNCTION_ARGS)
{
    return text_property("east_asian_width", unicode_east_asian_width, args[0]);
}

static Value combining(FUNCTION_ARGS)
{
    uint32_t point;
    if (!read_character("combining", "argument", args[0], &point)) return VALUE_ERROR;
    return int_new(unicode_combining_class(point));
}

static Value mirrored(FUNCTION_ARGS)
{
    uint32_t point;
    if (!read_character("mirrored", "argument", args[0], &point)) return VALUE_ERROR;
    return int_new(unicode_is_mirrored(point));
}

// "<tag> 0041 030A": the first step, in hexadecimal numbers.
static Value decomposition(FUNCTION_ARGS)
{
    uint32_t point;
    if (!read_character("decomposition", "argument", args[0], &point)) return VALUE_ERROR;
    const char *tag;
    int count;
    const uint32_t *points = unicode_decomposition(point, &tag, &count);
    StrBuilder text;
    builder_begin(&text);
    bool ok = builder_text(&text, tag);
    for (int i = 0; ok && i < count; i++) {
        char number[12];
        snprintf(number, sizeof number, "%s%04X", i || *tag ? " " : "", points[i]);
        ok = builder_text(&text, number);
    }
    return ok ? builder_finish(&text) : VALUE_ERROR;
}

// ---- numbers and names, with a default

// The second argument, or ValueError where there is none.
static Value default_or_error(const ValueRef *args, size_t nargs, const char *message)
{
    return nargs > 1 ? retain(args[1]) : raise_error(ValueError, message);
}

static Value decimal(FUNCTION_ARGS)
{
    uint32_t point;
    if (!read_character("decimal", "argument 1", args[0], &point)) return VALUE_ERROR;
    int value = unicode_decimal_value(point);
    return value >= 0 ? int_new(value) : default_or_error(args, nargs, "not a decimal");
}

static Value digit(FUNCTION_ARGS)
{
    uint32_t point;
    if (!read_character("digit", "argument 1", args[0], &point)) return VALUE_ERROR;
    int value = unicode_digit_value(point);
    return value >= 0 ? int_new(value) : default_or_error(args, nargs, "not a digit");
}

static Value numeric(FUNCTION_ARGS)
{
    uint32_t point;
    if (!read_character("numeric", "argument 1", args[0], &point)) return VALUE_ERROR;
    double value;
    if (unicode_numeric_value(point, &value)) return float_new(value);
    return default_or_error(args, nargs, "not a numeric character");
}

static Value name(FUNCTION_ARGS)
{
    uint32_t point;
    if (!read_character("name", "argument 1", args[0], &point)) return VALUE_ERROR;
    char text[UNICODE_NAME_MAX];
    size_t size = unicode_name(point, text);
    return size ? str_from_ascii(text, size) : default_or_error(args, nargs, "no such name");
}

static Value lookup(FUNCTION_ARGS)
{
    if (!str_check(args[0]))
        return raise_error(TypeError, "a bytes-like object is required, not '%.100T'", args[0]);
    size_t size;
    const char *text = str_utf8(args[0], &size);
    if (!text) return VALUE_ERROR;
    int64_t point = unicode_by_name(text, size);
    if (point < 0) return raise_error(KeyError, "undefined character name '%s'", text);
    return str_from_code_point((uint32_t)point);
}

// ---- normal forms

static bool read_form(ValueRef name, UnicodeForm *form)
{
    static const char *const names[] = {
        [UNICODE_NFD] = "NFD",
        [UNICODE_NFKD] = "NFKD",
        [UNICODE_NFC] = "NFC",
        [UNICODE_NFKC] = "NFKC",
    };
    for (*form = UNICODE_NFD; *form <= UNICODE_NFKC; ++*form)
        if (str_equal_ascii(name, names[*form])) return true;
    return raise_error(ValueError, "invalid normalization form");
}

// The text's points, and after them room for its normal form, which takes two passes to measure.
static Value normalized(UnicodeForm form, const Str *text)
{
    size_t count = (size_t)text->length;
    uint32_t *points = memory_alloc((count + 1) * sizeof *points);
    if (!points) return raise_memory_error();
    for (size_t i = 0; i < count; i++) points[i] = str_at(text, (ssize_t)i);
    size_t room = unicode_normalize(form, points, count, NULL, 0);
    uint32_t *result = memory_alloc((room + 1) * sizeof *result);
    Value value = VALUE_ERROR;
    if (result)
        value = str_from_code_points(result, unicode_normalize(form, points, count, result, room));
    else
        raise_memory_error();
    memory_free(result);
    memory_free(points);
    return value;
}

// The normal form of the second argument; the first is the form's name.
static Value read_and_normalize(const char *function, const ValueRef *args)
{
    for (int i = 0; i < 2; i++)
        if (!str_check(args[i]))
            return raise_error(TypeError, "%s() argument %d must be str, not %.50G", function,
                               i + 1, args[i]);
    UnicodeForm form;
    if (!read_form(args[0], &form)) return VALUE_ERROR;
    bool stays = str_check_exact(args[1]) && as_str(args[1])->ascii;
    return stays ? retain(args[1]) : normalized(form, as_str(args[1]));
}

static Value normalize(FUNCTION_ARGS)
{
    return read_and_normalize("normalize", args);
}

static Value is_normalized(FUNCTION_ARGS)
{
    Value form = read_and_normalize("is_normalized", args);
    if (!form) return VALUE_ERROR;
    bool same = str_equal(form, args[1]);
    drop(form);
    return same ? TRUE : FALSE;
}

// ---- version 3.2

// What version 3.2 said of the character where that was something else, or None.
static Value in_3_2(FUNCTION_ARGS)
{
    uint32_t point;
    const char *texts[3];
    bool mirrored;
    int decimal;
    if (!read_character("_in_3_2", "argument", args[0], &point)) return VALUE_ERROR;
    if (!unicode_differs_in_3_2(point, texts, &mirrored, &decimal)) return NONE;
    Value values[] = {str_new(texts[0]), str_new(texts[1]), str_new(texts[2]), int_new(mirrored),
                      decimal < 0 ? NONE : int_new(decimal)};
    return tuple_from_owned(values, 5);
}

// The database itself is made for who asks for it.
static Value get_late(FUNCTION_ARGS)
{
    if (!str_check(args[0]) || !str_equal_ascii(args[0], "ucd_3_2_0"))
        return raise_error(AttributeError, "module 'unicodedata' has no attribute '%S'", args[0]);
    Value module = import_module("_unicode_3_2");
    Value database = module ? object_get(module, args[0]) : VALUE_ERROR;
    drop(module);
    return database;
}

static const MethodDef functions[] = {
    {"__getattr__", get_late, ONE_ARG, NULL},
    {"_in_3_2", in_3_2, ONE_ARG, NULL},
    {"bidirectional", bidirectional, ONE_ARG,
     "bidirectional($self, chr, /)\n--\n\nThe class of the character in text of two directions."},
    {"category", category, ONE_ARG,
     "category($self, chr, /)\n--\n\nThe general category, as \"Lu\"."},
    {"combining", combining, ONE_ARG,
     "combining($self, chr, /)\n--\n\nThe combining class of a mark, 0 for other characters."},
    {"decimal", decimal, ARGS(1, 2),
     "decimal($self, chr, default=<unrepresentable>, /)\n--\n\nThe value of a decimal digit."},
    {"decomposition", decomposition, ONE_ARG,
     "decomposition($self, chr, /)\n--\n\nThe tag and the code points of its decomposition."},
    {"digit", digit, ARGS(1, 2),
     "digit($self, chr, default=<unrepresentable>, /)\n--\n\nThe value of a digit."},
    {"east_asian_width", east_asian_width, ONE_ARG,
     "east_asian_width($self, chr, /)\n--\n\nThe width among East Asian characters."},
    {"is_normalized", is_normalized, ARGS(2, 2),
     "is_normalized($self, form, unistr, /)\n--\n\nWhether the text is in this normal form."},
    {"lookup", lookup, ONE_ARG, "lookup($self, name, /)\n--\n\nThe character of this name."},
    {"mirrored", mirrored, ONE_ARG,
     "mirrored($self, chr, /)\n--\n\nWhether it is mirrored in text from right to left."},
    {"name", name, ARGS(1, 2),
     "name($self, chr, default=<unrepresentable>, /)\n--\n\nThe name of a character."},
    {"normalize", normalize, ARGS(2, 2),
     "normalize($self, form, unistr, /)\n--\n\nThe text in the form NFC, NFD, NFKC or NFKD."},
    {"numeric", numeric, ARGS(1, 2),
     "numeric($self, chr, default=<unrepresentable>, /)\n--\n\nThe value of a number."},
    {0},
};

static bool fill(ValueRef module)
{
    return module_add_owned(module, "unidata_version", str_new("13.0.0"));
}

const ModuleDef unicodedata_module = {
    .name = "unicodedata",
    .doc = "The Unicode database.",
    .functions = functions,
    .fill = fill,
};
