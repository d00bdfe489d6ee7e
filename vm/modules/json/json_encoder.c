// The type of _json.make_encoder: encoder(value, level) -> a list with the text.
//
//     encoder(value, level, _one_shot=True)    one Writing: its text, or its pieces so far
//     write_value                              a scalar, or write_list, write_dict, write_default
//     piece_ends                               with _one_shot=False the list has the pieces that
//                                              JSONEncoder.iterencode() gives, not the whole text
//
// `markers` is a dict of the containers that are open, by id(), to find circles; or None. `indent`
// is the str that every level of a container indents by; None: all is one line.
#include "objects/classes/descriptor.h"
#include "objects/classes/method.h"
#include "objects/classes/object_parts.h"
#include "objects/containers/list.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/numbers/float.h"
#include "objects/protocols/items.h"
#include "objects/upcalls.h"
#include "vm/modules/json/json.h"

typedef struct Encoder {
    Object base;
    Value markers, default_, encoder, indent, key_separator, item_separator;
    bool sort_keys, skipkeys, allow_nan;
} Encoder;

typedef struct Writing {
    const Encoder *encoder;
    StrBuilder text;
    Value pieces; // a list
    bool one_shot;
} Writing;

static bool end_text(Writing *writing)
{
    return list_append_owned(writing->pieces, builder_finish(&writing->text));
}

static bool piece_ends(Writing *writing)
{
    return writing->one_shot || !writing->text.length || end_text(writing);
}

// ---- scalars

// The function that writes a str, if `encoder` is one of this module: else NULL.
static CallFn own_function(ValueRef encoder)
{
    CallFn function = NULL;
    if (is_exactly(encoder, &builtin_type))
        function = ((const Builtin *)object_of(encoder))->def->function;
    bool is_own = function == json_encode_basestring || function == json_encode_basestring_ascii;
    return is_own ? function : NULL;
}

static bool write_str(Writing *writing, ValueRef string)
{
    ValueRef encoder = writing->encoder->encoder;
    CallFn known = own_function(encoder);
    if (known)
        return json_add_string(&writing->text, string, known == json_encode_basestring_ascii);
    Value text = object_call_one(encoder, string);
    if (!text) return false;
    bool ok = str_check(text);
    if (ok)
        ok = builder_str(&writing->text, text);
    else
        raise_error(TypeError, "encoder() must return a string, not %.80T", text);
    drop(text);
    return ok;
}

static bool write_int(Writing *writing, ValueRef number)
{
    if (is_small(number)) return builder_int(&writing->text, small_value(number));
    Value text = int_to_text(number, 10, false);
    bool ok = text && builder_str(&writing->text, text);
    drop(text);
    return ok;
}

static bool write_float(Writing *writing, ValueRef value)
{
    double number = float_value(value);
    char text[32];
    if (number - number == 0) {
        double_repr(number, text);
        return builder_text(&writing->text, text);
    }
    if (!writing->encoder->allow_nan)
        return raise_error(ValueError, "Out of range float values are not JSON compliant");
    if (number != number) return builder_text(&writing->text, "NaN");
    return builder_text(&writing->text, number > 0 ? "Infinity" : "-Infinity");
}

// None, a bool, an int or a float; *done false: it is none of them.
static bool write_atom(Writing *writing, ValueRef value, bool *done)
{
    *done = true;
    if (value == NONE) return builder_text(&writing->text, "null");
    if (value == TRUE) return builder_text(&writing->text, "true");
    if (value == FALSE) return builder_text(&writing->text, "false");
    if (int_check(value)) return write_int(writing, value);
    if (float_check(value)) return write_float(writing, value);
    *done = false;
    return true;
}

// ---- containers

static bool write_value(Writing *writing, ValueRef value, ssize_t level);

static bool write_line(Writing *writing, ssize_t level)
{
    ValueRef indent = writing->encoder->indent;
    if (!str_check(indent)) return true;
    Value space = str_repeat(indent, level);
    bool ok = space && builder_char(&writing->text, '\n') && builder_str(&writing->text, space);
    drop(space);
    return ok;
}

static bool write_separator(Writing *writing, ssize_t level)
{
    return builder_str(&writing->text, writing->encoder->item_separator) &&
           write_line(writing, level);
}

// The end of a list or a dict: its bracket is a piece of its own.
static bool write_bracket(Writing *writing, uint32_t bracket, ssize_t level)
{
    return piece_ends(writing) && write_line(writing, level) && piece_ends(writing) &&
           builder_char(&writing->text, bracket) && piece_ends(writing);
}

static bool write_empty(Writing *writing, const char *brackets)
{
    return builder_text(&writing->text, brackets) && piece_ends(writing);
}

static bool write_items(Writing *writing, ValueRef list, ssize_t level)
{
    bool is_list = list_check(list);
    if ((is_list ? list_size(list) : tuple_size(list)) == 0) return write_empty(writing, "[]");
    if (!builder_char(&writing->text, '[') || !write_line(writing, level + 1)) return false;
    for (ssize_t i = 0; i < (is_list ? list_size(list) : tuple_size(list)); i++) {
        Value item = retain(is_list ? list_at(list, i) : tuple_at(list, i));
        bool ok = (i == 0 || write_separator(writing, level + 1)) &&
                  write_value(writing, item, level + 1) && poll_signals();
        drop(item);
        if (!ok) return false;
    }
    return write_bracket(writing, ']', level);
}

// A subclass's own __iter__() decides what is written.
static bool write_list(Writing *writing, ValueRef list, ssize_t level)
{
    Value items = sequence_fast(list, "not a list or a tuple");
    bool ok = items && write_items(writing, items, level);
    drop(items);
    return ok;
}

// Writes a key as a str; *skipped: it cannot be one, and is left out.
static bool write_key(Writing *writing, ValueRef key, bool first, ssize_t level, bool *skipped)
{
    *skipped = false;
    if (!str_check(key) && key != NONE && !int_check(key) && !float_check(key)) {
        *skipped = writing->encoder->skipkeys;
        return *skipped ||
               raise_error(TypeError, "keys must be str, int, float, bool or None, not %.100T",
                           key);
    }
    if (!first && !(write_separator(writing, level + 1) && piece_ends(writing))) return false;
    if (str_check(key)) return write_str(writing, key);
    Writing name = {.encoder = writing->encoder, .one_shot = true};
    bool done;
    builder_begin(&name.text);
    bool ok = write_atom(&name, key, &done);
    Value text = builder_finish(&name.text);
    ok = ok && text && write_str(writing, text);
    drop(text);
    return ok;
}

static bool write_member(Writing *writing, ValueRef pair, bool *first, ssize_t level)
{
    if (!tuple_check(pair) || tuple_size(pair) != 2)
        return raise_error(ValueError, "items must return 2-tuples");
    bool skipped;
    if (!write_key(writing, tuple_at(pair, 0), *first, level, &skipped)) return false;
    if (skipped) return true;
    *first = false;
    return piece_ends(writing) && builder_str(&writing->text, writing->encoder->key_separator) &&
           piece_ends(writing) && write_value(writing, tuple_at(pair, 1), level + 1) &&
           poll_signals();
}

// The pairs of a dict, as a list of its own.
static Value pairs_of(const Encoder *encoder, ValueRef dict)
{
    Value pairs = VALUE_ERROR;
    if (dict_check_exact(dict)) {
        pairs = dict_items(dict);
    } else {
        Value view = object_call_method_none(dict, NAME(items));
        if (view) pairs = sequence_list(view);
        drop(view);
    }
    if (pairs && encoder->sort_keys && !list_sort(pairs, VALUE_ERROR, false))
        replace_slot(&pairs, VALUE_ERROR);
    return pairs;
}

static bool write_dict(Writing *writing, ValueRef dict, ssize_t level)
{
    Value pairs = pairs_of(writing->encoder, dict);
    bool first = true;
    bool ok = pairs && builder_char(&writing->text, '{') && piece_ends(writing) &&
              write_line(writing, level + 1) && piece_ends(writing);
    for (ssize_t i = 0; ok && i < list_size(pairs); i++) {
        Value pair = retain(list_at(pairs, i)); // gc.get_objects() shows the list to script code
        ok = write_member(writing, pair, &first, level);
        drop(pair);
    }
    ok = ok && write_bracket(writing, '}', level);
    drop(pairs);
    return ok;
}

static bool write_default(Writing *writing, ValueRef value, ssize_t level)
{
    Value other = object_call_one(writing->encoder->default_, value);
    bool ok = other && write_value(writing, other, level);
    drop(other);
    return ok;
}

// Writes what may hold itself.
static bool write_open(Writing *writing, ValueRef value, ssize_t level)
{
    ValueRef markers = writing->encoder->markers;
    bool found = false, marked = markers != NONE;
    Value mark = marked ? int_new(value_id(value)) : NONE;
    bool ok = mark && (!marked || dict_contains(markers, mark, &found));
    if (ok && found) ok = raise_error(ValueError, "Circular reference detected");
    if (ok && marked) ok = dict_set(markers, mark, value);
    if (ok && (list_check(value) || tuple_check(value)))
        ok = write_list(writing, value, level);
    else if (ok && dict_check(value))
        ok = write_dict(writing, value, level);
    else if (ok)
        ok = write_default(writing, value, level);
    if (ok && marked) ok = dict_delete(markers, mark);
    drop(mark);
    return ok;
}

static bool write_value(Writing *writing, ValueRef value, ssize_t level)
{
    bool done;
    if (str_check(value)) return write_str(writing, value) && piece_ends(writing);
    if (!write_atom(writing, value, &done)) return false;
    if (!piece_ends(writing)) return false;
    if (done) return true;
    if (dict_check(value) && dict_size(value) == 0) return write_empty(writing, "{}");
    if (!stack_enter(" while encoding a JSON object")) return false;
    bool ok = write_open(writing, value, level);
    stack_leave();
    return ok;
}

// ---- the type

// Checks what CPython checks, in its order, and reads the last three arguments.
static bool read_arguments(const ValueRef *given, bool *flags)
{
    for (int i = 4; i < 6; i++)
        if (!str_check(given[i]))
            return raise_error(TypeError, "make_encoder() argument %d must be str, not %.50G",
                               i + 1, given[i]);
    for (int i = 0; i < 3; i++)
        if (!object_truth(given[6 + i], &flags[i])) return false;
    if (given[0] == NONE || dict_check(given[0])) return true;
    return raise_error(TypeError, "make_encoder() argument 1 must be dict or None, not %.200T",
                       given[0]);
}

static Value encoder_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {
        "markers",        "default",   "encoder",  "indent",    "key_separator",
        "item_separator", "sort_keys", "skipkeys", "allow_nan", NULL};
    static const Signature signature = {"make_encoder", names, 9, 9};
    ValueRef given[9];
    bool flags[3];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    Encoder *self = read_arguments(given, flags) ? object_alloc(type, 0) : NULL;
    if (!self) return VALUE_ERROR;
    self->markers = retain(given[0]);
    self->default_ = retain(given[1]);
    self->encoder = retain(given[2]);
    self->indent = retain(given[3]);
    self->key_separator = retain(given[4]);
    self->item_separator = retain(given[5]);
    self->sort_keys = flags[0];
    self->skipkeys = flags[1];
    self->allow_nan = flags[2];
    return own(self);
}

static Value encoder_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"obj", "_current_indent_level", "_one_shot", NULL};
    static const Signature signature = {"_iterencode", names, 2, 3};
    ValueRef given[3];
    ssize_t level;
    Writing writing = {.encoder = (const Encoder *)object_of(self), .one_shot = true};
    if (!args_bind(&signature, args, nargs, kwnames, given) || !argument_ssize(given[1], &level) ||
        (given[2] && !object_truth(given[2], &writing.one_shot)))
        return VALUE_ERROR;
    writing.pieces = list_new(1);
    if (!writing.pieces) return VALUE_ERROR;
    builder_begin(&writing.text);
    bool ok = write_value(&writing, given[0], level);
    if (ok && writing.one_shot) ok = end_text(&writing);
    if (ok) return writing.pieces;
    builder_abandon(&writing.text);
    drop(writing.pieces);
    return VALUE_ERROR;
}

static void release(Object *object)
{
    Encoder *self = (Encoder *)object;
    drop_slot(&self->markers);
    drop_slot(&self->default_);
    drop_slot(&self->encoder);
    drop_slot(&self->indent);
    drop_slot(&self->key_separator);
    drop_slot(&self->item_separator);
}

static void traverse(Object *object, VisitFn visit, void *arg)
{
    const Encoder *self = (const Encoder *)object;
    visit_item(self->markers, visit, arg);
    visit_item(self->default_, visit, arg);
    visit_item(self->encoder, visit, arg);
    visit_item(self->indent, visit, arg);
    visit_item(self->key_separator, visit, arg);
    visit_item(self->item_separator, visit, arg);
}

static const MemberDef members[] = {
    {"markers", MEMBER_VALUE, offsetof(Encoder, markers), true, NULL},
    {"default", MEMBER_VALUE, offsetof(Encoder, default_), true, NULL},
    {"encoder", MEMBER_VALUE, offsetof(Encoder, encoder), true, NULL},
    {"indent", MEMBER_VALUE, offsetof(Encoder, indent), true, NULL},
    {"key_separator", MEMBER_VALUE, offsetof(Encoder, key_separator), true, NULL},
    {"item_separator", MEMBER_VALUE, offsetof(Encoder, item_separator), true, NULL},
    {"sort_keys", MEMBER_BOOL, offsetof(Encoder, sort_keys), true, NULL},
    {"skipkeys", MEMBER_BOOL, offsetof(Encoder, skipkeys), true, NULL},
    {0},
};

Type json_encoder_type = {
    STATIC_TYPE("_json.Encoder", sizeof(Encoder)),
    .getattribute = object_generic_get,
    .flags = TYPE_GC,
    .doc = "_iterencode(obj, _current_indent_level) -> iterable",
    .new_ = encoder_new,
    .call = encoder_call,
    .release = release,
    .traverse = traverse,
    .clear = release,
    .members = members,
};
