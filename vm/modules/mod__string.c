// The module _string: the parser of str.format()'s format strings, for string.Formatter.
//
// It has two functions, each of which returns an iterator. An iterator holds the str and one of the
// readers of str_format.h.
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"
#include "objects/text/str_format.h"
#include "objects/type.h"

typedef struct MarkupIterator {
    Object base;
    Value text;
    MarkupReader reader;
} MarkupIterator;

typedef struct NameIterator {
    Object base;
    Value text;
    NameReader reader;
} NameIterator;

static void markup_release(Object *self)
{
    drop(((MarkupIterator *)self)->text);
}

static void name_release(Object *self)
{
    drop(((NameIterator *)self)->text);
}

// A text of a subclass of str has attributes, which may lead back here.
static void markup_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((MarkupIterator *)self)->text, visit, arg);
}

static void name_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((NameIterator *)self)->text, visit, arg);
}

static Value part(ValueRef text, TextRange range)
{
    return str_substring(text, range.start, range.end);
}

// (literal, field name, spec, conversion); None for the last three where there is no field.
static Value markup_tuple(ValueRef text, const Markup *markup)
{
    Value items[4] = {part(text, markup->literal), NONE, NONE, NONE};
    if (markup->has_field) {
        items[1] = part(text, markup->name);
        items[2] = part(text, markup->spec);
        if (markup->conversion) items[3] = str_from_code_point(markup->conversion);
    }
    if (items[0] && items[1] && items[2] && items[3]) return tuple_from_owned(items, 4);
    for (int i = 0; i < 4; i++) drop(items[i]);
    return VALUE_ERROR;
}

static Value markup_next(ValueRef self)
{
    MarkupIterator *iterator = (MarkupIterator *)object_of(self);
    Markup markup;
    bool done;
    if (markup_read(&iterator->reader, &markup, &done))
        return markup_tuple(iterator->text, &markup);
    return done ? ABSENT : VALUE_ERROR;
}

static Value index_or_name(ValueRef text, TextRange name, ssize_t index)
{
    return index >= 0 ? int_new(index) : part(text, name);
}

static Value name_next(ValueRef self)
{
    NameIterator *iterator = (NameIterator *)object_of(self);
    NameStep step;
    bool done;
    if (!name_step(&iterator->reader, &step, &done)) return done ? ABSENT : VALUE_ERROR;
    Value items[2] = {from_bool(step.attribute),
                      index_or_name(iterator->text, step.name, step.attribute ? -1 : step.index)};
    return items[1] ? tuple_from_owned(items, 2) : VALUE_ERROR;
}

static Type markup_iterator_type = {
    STATIC_TYPE("formatteriterator", sizeof(MarkupIterator)),
    .flags = TYPE_GC,
    .release = markup_release,
    .traverse = markup_traverse,
    .iter = iterator_self,
    .next = markup_next,
};

static Type name_iterator_type = {
    STATIC_TYPE("fieldnameiterator", sizeof(NameIterator)),
    .flags = TYPE_GC,
    .release = name_release,
    .traverse = name_traverse,
    .iter = iterator_self,
    .next = name_next,
};

static Value formatter_parser(FUNCTION_ARGS)
{
    if (!str_check(args[0])) return raise_error(TypeError, "expected str, got %T", args[0]);
    MarkupIterator *iterator = object_alloc(&markup_iterator_type, 0);
    if (!iterator) return VALUE_ERROR;
    iterator->text = retain(args[0]);
    iterator->reader = (MarkupReader){args[0], 0, str_length(args[0])};
    return own(iterator);
}

static Value formatter_field_name_split(FUNCTION_ARGS)
{
    if (!str_check(args[0])) return raise_error(TypeError, "expected str, got %T", args[0]);
    TextRange first;
    ssize_t index;
    NameIterator *iterator = object_alloc(&name_iterator_type, 0);
    if (!iterator) return VALUE_ERROR;
    iterator->text = retain(args[0]);
    Value items[2] = {VALUE_ERROR, own(iterator)};
    TextRange whole = {0, str_length(args[0])};
    if (name_begin(&iterator->reader, args[0], whole, &first, &index))
        items[0] = index_or_name(args[0], first, index);
    if (items[0]) return tuple_from_owned(items, 2);
    drop(items[1]);
    return VALUE_ERROR;
}

static bool fill(ValueRef module)
{
    (void)module;
    return type_ready(&markup_iterator_type) && type_ready(&name_iterator_type);
}

static const MethodDef functions[] = {
    {"formatter_field_name_split", formatter_field_name_split, ONE_ARG, NULL},
    {"formatter_parser", formatter_parser, ONE_ARG, NULL},
    {0},
};

const ModuleDef _string_module = {
    .name = "_string",
    .doc = "string helper module",
    .functions = functions,
    .fill = fill,
};
