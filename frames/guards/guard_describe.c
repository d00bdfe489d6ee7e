// See guard_describe.h.
#include "frames/guards/guard_describe.h"

#include "objects/bytes/bytes.h"
#include "objects/classes/method.h"
#include "objects/code.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/function.h"
#include "objects/looking/peek.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#define LONG_TEXT 60
#define LONG_INT_BITS 200
#define LONG_TUPLE 10
#define DEEP_TUPLE 3

// __name__ as exactly a str: that of a class may be of a subclass, whose __str__ is script code.
Value guard_class_name(const Type *type)
{
    Value name = type_name(type);
    Value text = name ? str_substring(name, 0, str_length(name)) : VALUE_ERROR;
    drop(name);
    return text;
}

// As type.__repr__() shows a class, also one whose metaclass has another __repr__.
Value guard_class_text(const Type *type)
{
    Value module = type_module(type);
    if (!module) error_clear(); // a class may have lost its __module__
    Value name = type_qualname(type), text = VALUE_ERROR;
    bool plain = module && str_check_exact(module) && name && str_check_exact(name);
    if (plain && !str_equal_ascii(module, "builtins"))
        text = format_text("<class '%S.%S'>", (ValueRef)module, (ValueRef)name);
    else if (name)
        text = format_text("<class '%s'>", type->name);
    drop(module);
    drop(name);
    return text;
}

Value guard_type_phrase(const Type *type)
{
    if (type == type_of(NONE)) return str_new("None");
    Value name = guard_class_name(type);
    if (!name) return VALUE_ERROR;
    uint32_t first = str_length(name) ? str_at(as_str(name), 0) | 0x20 : 0;
    bool vowel = first && first < 128 && strchr("aeiou", (int)first);
    Value phrase = format_text("%s %S", vowel ? "an" : "a", (ValueRef)name);
    drop(name);
    return phrase;
}

// Steals the text.
static Value shortened(Value text)
{
    Value whole = text ? format_text("%R...", (ValueRef)text) : VALUE_ERROR;
    drop(text);
    return whole;
}

static Value describe(ValueRef value, int depth);

static Value describe_tuple(ValueRef tuple, int depth)
{
    StrBuilder builder;
    ssize_t size = tuple_size(tuple), shown = size <= LONG_TUPLE ? size : LONG_TUPLE;
    builder_begin(&builder);
    bool done = builder_char(&builder, '(');
    for (ssize_t i = 0; done && i < shown; i++) {
        Value item = describe(tuple_at(tuple, i), depth + 1);
        done = item && (i == 0 || builder_text(&builder, ", ")) && builder_str(&builder, item);
        drop(item);
    }
    done = done && builder_text(&builder, shown < size ? ", ...)" : size == 1 ? ",)" : ")");
    if (done) return builder_finish(&builder);
    builder_abandon(&builder);
    return VALUE_ERROR;
}

static Value describe_constant(ValueRef value, int depth)
{
    if (tuple_check_exact(value))
        return depth < DEEP_TUPLE ? describe_tuple(value, depth) : str_new("(...)");
    if (str_check_exact(value) && str_length(value) > LONG_TEXT)
        return shortened(str_substring(value, 0, LONG_TEXT));
    if (is_exactly(value, &bytes_type) && as_bytes(value)->size > LONG_TEXT)
        return shortened(bytes_new(as_bytes(value)->data, LONG_TEXT));
    if (int_check_exact(value) && int_bit_length(value) > LONG_INT_BITS)
        return format_text("an int of %lld bits", (long long)int_bit_length(value));
    return object_repr(value);
}

// A name that a script may have set.
static Value named(const char *what, ValueRef name)
{
    bool good = name && str_check_exact(name);
    return good ? format_text("<%s %S>", what, name) : format_text("<%s>", what);
}

static Value describe(ValueRef value, int depth)
{
    if (constant_check(value)) return describe_constant(value, depth);
    if (function_check(value)) return named("function", as_function(value)->qualname);
    if (code_check(value)) return named("code", as_code(value)->name);
    if (is_exactly(value, &module_type) && as_module(value)->dict)
        return named("module", dict_peek(as_module(value)->dict, NAME(__name__)));
    if (is_exactly(value, &builtin_type))
        return format_text("<built-in function %s>", as_builtin(value)->def->name);
    bool is_class = type_check(value);
    Value name = guard_class_name(is_class ? as_type(value) : type_of(value));
    Value text = !name      ? VALUE_ERROR
                 : is_class ? format_text("<class %S>", (ValueRef)name)
                            : format_text("<%S object>", (ValueRef)name);
    drop(name);
    return text;
}

Value guard_describe(ValueRef value)
{
    return describe(value, 0);
}

Value guard_key_text(ValueRef key)
{
    if (constant_check(key)) return object_repr(key);
    return type_check(key) ? guard_class_text(as_type(key)) : guard_describe(key);
}
