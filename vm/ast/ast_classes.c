// The classes of the module `ast`, made from the tables of the compiler.
//
// The fields of a kind are a text as in Python.asdl, "expr target, expr? value". The names of the
// fields, the optional ones (whose default is None) and the docstrings are all read from that text.
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/ast/ast_objects.h"

static AstClasses classes;
static bool are_made;

// ---- the tables as text

#define CHILD(sum, field) ", " #sum " " #field
#define CHILD_OPT(sum, field) ", " #sum "? " #field
#define CHILDREN(sum, field) ", " #sum "* " #field
#define CHILDREN_OPT(sum, field) ", " #sum "* " #field
#define IDENT(field) ", identifier " #field
#define IDENT_OPT(field) ", identifier? " #field
#define IDENTS(field) ", identifier* " #field
#define CONSTANT(field) ", constant " #field
#define TEXT(field) ", string " #field
#define TEXT_OPT(field) ", string? " #field
#define INT(field) ", int " #field
#define INT_OPT(field) ", int? " #field
#define ENUM(type, field) ", " #type " " #field
#define ENUMS(type, field) ", " #type "* " #field
static const struct {
    const char *sum, *name, *fields;
} kinds[NODE_KIND_COUNT] = {
#define NODE(sum, name, fields) {#sum, #name, "" fields},
#include "compiler/ast.def"
};

static const struct {
    const char *type, *name;
} constants[AST_CONSTANT_COUNT] = {
#define CONSTANT_ROW(enumeration, name, ending) {#enumeration, #name},
    BOOLOPS(CONSTANT_ROW) OPERATORS(CONSTANT_ROW) UNARYOPS(CONSTANT_ROW) CMPOPS(CONSTANT_ROW)
        EXPR_CONTEXTS(CONSTANT_ROW)
#undef CONSTANT_ROW
};

// ---- ast.AST

static Value ast_fields(ValueRef self)
{
    Value name = str_intern("_fields");
    Value fields = name ? object_get_optional(ref_of(type_of(self)), name) : VALUE_ERROR;
    drop(name);
    if (!fields) return VALUE_ERROR;
    Value tuple = fields == ABSENT ? tuple_new(0) : sequence_tuple(fields);
    drop(fields);
    return tuple;
}

static bool set_keywords(ValueRef self, ValueRef fields, const ValueRef *values, size_t nargs,
                         ValueRef kwnames)
{
    for (ssize_t i = 0; kwnames && i < tuple_size(kwnames); i++) {
        ValueRef name = tuple_at(kwnames, i);
        for (ssize_t j = 0; j < (ssize_t)nargs; j++)
            if (str_check(tuple_at(fields, j)) && str_equal(tuple_at(fields, j), name))
                return raise_error(TypeError, "%.400T got multiple values for argument '%S'", self,
                                   name);
        if (!object_set(self, name, values[i])) return false;
    }
    return true;
}

static bool ast_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    Value fields = ast_fields(self);
    if (!fields) return false;
    ssize_t count = tuple_size(fields);
    bool ok = count >= (ssize_t)nargs ||
              raise_error(TypeError, "%.400T constructor takes at most %zd positional argument%s",
                          self, count, count == 1 ? "" : "s");
    for (size_t i = 0; ok && i < nargs; i++)
        ok = object_set(self, tuple_at(fields, (ssize_t)i), args[i]);
    ok = ok && set_keywords(self, fields, args + nargs, nargs, kwnames);
    drop(fields);
    return ok;
}

static Value ast_new(Type *type, METHOD_ARGS)
{
    return own(object_alloc(type, 0));
}

static Value ast_reduce(ValueRef self, METHOD_ARGS)
{
    Value dict = object_get_optional(self, NAME(__dict__));
    if (!dict) return VALUE_ERROR;
    Value arguments = tuple_new(0), result = VALUE_ERROR;
    if (arguments && dict == ABSENT)
        result = tuple_pack(2, ref_of(type_of(self)), (ValueRef)arguments);
    else if (arguments)
        result = tuple_pack(3, ref_of(type_of(self)), (ValueRef)arguments, (ValueRef)dict);
    drop(arguments);
    drop(dict);
    return result;
}

static void ast_release(Object *self)
{
    drop_slot(&((AstObject *)self)->dict);
}

static void ast_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((AstObject *)self)->dict, visit, arg);
}

static const MethodDef ast_methods[] = {{"__reduce__", ast_reduce, NO_ARGS, NULL}, {0}};

static const GetSetDef ast_getset[] = {
    {"__dict__", generic_get_dict, generic_set_dict, NULL},
    {0},
};

static Type ast_type = {
    STATIC_TYPE("ast.AST", sizeof(AstObject)),
    .flags = TYPE_BASE | TYPE_GC,
    .dict_offset = offsetof(AstObject, dict),
    .methods = ast_methods,
    .getset = ast_getset,
    .new_ = ast_new,
    .init = ast_init,
    .release = ast_release,
    .traverse = ast_traverse,
    .clear = ast_release,
    .getattribute = object_generic_get,
    .setattr = object_generic_set,
};

bool ast_check(ValueRef value)
{
    return are_made && is_object(value) && type_is_subtype(type_of(value), &ast_type);
}

// ---- docstrings

// "Return(expr? value)"
static bool write_kind(StrBuilder *builder, NodeKind kind)
{
    const char *fields = kinds[kind].fields;
    if (!builder_text(builder, kinds[kind].name)) return false;
    return !*fields || (builder_char(builder, '(') && builder_text(builder, fields + 2) &&
                        builder_char(builder, ')'));
}

// In front of an alternative of a sum: one a line, below the first.
static bool write_separator(StrBuilder *builder, const char *sum, bool first)
{
    if (first) return builder_text(builder, sum) && builder_text(builder, " = ");
    return builder_char(builder, '\n') && builder_fill(builder, ' ', (ssize_t)strlen(sum) + 1) &&
           builder_text(builder, "| ");
}

static bool write_sum(StrBuilder *builder, const char *sum)
{
    bool first = true;
    for (int kind = 0; kind < NODE_KIND_COUNT; kind++) {
        if (strcmp(kinds[kind].sum, sum) != 0) continue;
        if (!write_separator(builder, sum, first) || !write_kind(builder, (NodeKind)kind))
            return false;
        first = false;
    }
    for (int i = 0; i < AST_CONSTANT_COUNT; i++) {
        if (strcmp(constants[i].type, sum) != 0) continue;
        if (!(first ? write_separator(builder, sum, true) : builder_text(builder, " | ")) ||
            !builder_text(builder, constants[i].name))
            return false;
        first = false;
    }
    return true;
}

static Value finish_doc(StrBuilder *builder, bool ok)
{
    if (ok) return builder_finish(builder);
    builder_abandon(builder);
    return VALUE_ERROR;
}

static Value doc_of_kind(NodeKind kind)
{
    StrBuilder builder;
    builder_begin(&builder);
    return finish_doc(&builder, write_kind(&builder, kind));
}

static Value doc_of_sum(const char *sum)
{
    StrBuilder builder;
    builder_begin(&builder);
    return finish_doc(&builder, write_sum(&builder, sum));
}

// ---- making classes

static const char *const no_names[] = {NULL};
static const char *const position_names[] = {"lineno", "col_offset", "end_lineno", "end_col_offset",
                                             NULL};

static Value names_tuple(const char *const *names)
{
    ssize_t count = 0;
    while (names[count]) count++;
    Value tuple = tuple_new(count);
    for (ssize_t i = 0; tuple && i < count; i++) {
        as_tuple(tuple)->items[i] = str_intern(names[i]);
        if (!as_tuple(tuple)->items[i]) drop_slot(&tuple);
    }
    return tuple;
}

// The names of the fields, of which the optional ones get None in the class's namespace.
static Value field_names(const char *fields, ValueRef namespace)
{
    Value names[8];
    size_t count = 0;
    bool ok = true;
    while (ok && *fields) {
        const char *name = strchr(fields + 2, ' ') + 1, *end = strchr(name, ',');
        size_t size = end ? (size_t)(end - name) : strlen(name);
        Value interned = str_from_utf8(name, size);
        if (interned) str_intern_in_place(&interned);
        names[count++] = interned;
        ok = interned && (name[-2] != '?' || dict_set(namespace, interned, NONE));
        fields = name + size;
    }
    if (ok) return tuple_from_owned(names, count);
    while (count) drop(names[--count]);
    return VALUE_ERROR;
}

// class name(base): `fields` and `doc` are stolen, `has_position` for a class whose instances have
// positions.
static Value make_class(const char *name, ValueRef base, Value fields, Value doc, ValueRef space)
{
    Value title = str_new(name), bases = tuple_pack(1, base), class = VALUE_ERROR;
    Value module = str_intern("ast");
    if (title && bases && fields && doc && module && dict_set_ascii(space, "_fields", fields) &&
        dict_set_ascii(space, "__module__", module) && dict_set_ascii(space, "__doc__", doc)) {
        ValueRef arguments[] = {title, bases, space};
        class = object_call(ref_of(&type_type), arguments, 3, 0);
    }
    if (class && !dict_set(classes.all, title, class)) drop_slot(&class);
    drop(module);
    drop(bases);
    drop(title);
    drop(doc);
    drop(fields);
    return class;
}

// The class of a sum or an enumeration, made where it is not there yet: borrowed.
static ValueRef class_of_sum(const char *sum, bool has_position)
{
    ValueRef known = dict_peek_ascii(classes.all, sum);
    if (known) return known;
    Value space = dict_new(), class = VALUE_ERROR;
    Value positions = names_tuple(has_position ? position_names : no_names);
    if (space && positions && dict_set_ascii(space, "_attributes", positions) &&
        (!has_position || (dict_set_ascii(space, "end_lineno", NONE) &&
                           dict_set_ascii(space, "end_col_offset", NONE))))
        class = make_class(sum, ref_of(&ast_type), tuple_new(0), doc_of_sum(sum), space);
    drop(positions);
    drop(space);
    drop(class); // held by classes.all
    return class;
}

// A product (arguments, alias ...) stands on its own, below AST.
static bool make_node_class(NodeKind kind)
{
    bool is_product = !strcmp(kinds[kind].sum, kinds[kind].name);
    bool has_position = node_has_attributes(kind);
    ValueRef base = is_product ? ref_of(&ast_type) : class_of_sum(kinds[kind].sum, has_position);
    Value space = base ? dict_new() : VALUE_ERROR;
    if (!space) return false;
    Value positions = names_tuple(has_position ? position_names : no_names);
    bool ok = positions;
    if (ok && is_product) ok = dict_set_ascii(space, "_attributes", positions);
    if (ok && is_product && has_position)
        ok = dict_set_ascii(space, "end_lineno", NONE) &&
             dict_set_ascii(space, "end_col_offset", NONE);
    Value fields = ok ? field_names(kinds[kind].fields, space) : VALUE_ERROR;
    if (fields) classes.fields[kind] = retain(fields);
    if (fields)
        classes.nodes[kind] = make_class(kinds[kind].name, base, fields, doc_of_kind(kind), space);
    drop(positions);
    drop(space);
    return classes.nodes[kind];
}

static bool make_constant(AstConstant constant)
{
    ValueRef base = class_of_sum(constants[constant].type, false);
    Value space = base ? dict_new() : VALUE_ERROR;
    const char *name = constants[constant].name;
    if (!space) return false;
    Value class = make_class(name, base, tuple_new(0), str_new(name), space);
    drop(space);
    classes.constants[constant] = class;
    classes.singles[constant] = class ? object_call_none(class) : VALUE_ERROR;
    return classes.singles[constant];
}

static bool make_base(void)
{
    Value empty = tuple_new(0), module = str_intern("ast");
    bool ok = empty && module && type_ready(&ast_type) &&
              dict_set_ascii(ast_type.dict, "_fields", empty) &&
              dict_set_ascii(ast_type.dict, "_attributes", empty);
    drop(module);
    drop(empty);
    if (!ok) return false;
    type_modified(&ast_type);
    classes.all = dict_new();
    return classes.all && dict_set_ascii(classes.all, "AST", ref_of(&ast_type));
}

static bool make_all(void)
{
    if (!make_base()) return false;
    for (int kind = 0; kind < NODE_KIND_COUNT; kind++)
        if (!make_node_class((NodeKind)kind)) return false;
    for (int i = 0; i < AST_CONSTANT_COUNT; i++)
        if (!make_constant((AstConstant)i)) return false;
    return true;
}

const AstClasses *ast_classes(void)
{
    if (are_made) return &classes;
    are_made = make_all();
    if (!are_made) ast_classes_finish();
    return are_made ? &classes : NULL;
}

void ast_classes_finish(void)
{
    drop_slot(&classes.all);
    for (int kind = 0; kind < NODE_KIND_COUNT; kind++) {
        drop_slot(&classes.nodes[kind]);
        drop_slot(&classes.fields[kind]);
    }
    for (int i = 0; i < AST_CONSTANT_COUNT; i++) {
        drop_slot(&classes.constants[i]);
        drop_slot(&classes.singles[i]);
    }
    are_made = false;
}
