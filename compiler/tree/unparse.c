// An expression as source text: what `from __future__ import annotations` keeps of an annotation.
//
// The words and spaces are those of CPython 3.9's ast_unparse.c, whatever the source looked like.
// Each expression is written for a level of precedence, and gets parentheses if its own is lower:
//
//     (a + b) * c     left operand written for TERM, and + is only ARITH
#include "compiler/compilation.h"

#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/float.h"
#include "objects/operators.h"
#include "objects/text/str.h"

// From what binds least to what binds most.
typedef enum Precedence {
    PREC_TUPLE,
    PREC_TEST, // lambda, if-else
    PREC_OR,
    PREC_AND,
    PREC_NOT,
    PREC_COMPARE,
    PREC_EXPR,
    PREC_BIT_OR = PREC_EXPR,
    PREC_BIT_XOR,
    PREC_BIT_AND,
    PREC_SHIFT,
    PREC_ARITH,
    PREC_TERM,
    PREC_FACTOR,
    PREC_POWER,
    PREC_AWAIT,
    PREC_ATOM
} Precedence;

typedef struct Unparser {
    Compilation *c;
    struct Unparser *outer; // the one that this one writes a part for
    StrBuilder builder;
} Unparser;

static void write_expression(Unparser *u, const Node *node, Precedence level);

static _Noreturn void fail(Unparser *u)
{
    Arena *arena = u->c->arena;
    for (; u; u = u->outer) builder_abandon(&u->builder);
    arena_fail(arena);
}

static void write_text(Unparser *u, const char *text)
{
    if (!builder_text(&u->builder, text)) fail(u);
}

static void write_str(Unparser *u, ValueRef str)
{
    if (!builder_str(&u->builder, str)) fail(u);
}

static void write_if(Unparser *u, bool condition, const char *text)
{
    if (condition) write_text(u, text);
}

static void write_list(Unparser *u, const NodeList *list)
{
    for (int i = 0; i < list->count; i++) {
        write_if(u, i > 0, ", ");
        write_expression(u, list->items[i], PREC_TEST);
    }
}

// ---- constants

static void write_owned(Unparser *u, Value text)
{
    if (!text) fail(u);
    bool written = builder_str(&u->builder, text);
    drop(text);
    if (!written) fail(u);
}

// Infinity has no literal: 1e309 overflows to it.
static void write_number(Unparser *u, ValueRef value)
{
    Value text = object_repr(value);
    Value inf = text ? str_new("inf") : VALUE_ERROR;
    ssize_t at = inf ? str_find_char(text, 'i', 0, str_length(text), 1) : -1;
    while (at >= 0 && !(at + 2 < str_length(text) && str_at(as_str(text), at + 1) == 'n'))
        at = str_find_char(text, 'i', at + 1, str_length(text), 1);
    if (at >= 0) {
        Value front = str_substring(text, 0, at);
        Value back = str_substring(text, at + 3, str_length(text));
        replace_slot(&text, front && back ? format_text("%S1e309%S", front, back) : VALUE_ERROR);
        drop(front);
        drop(back);
    }
    drop(inf);
    write_owned(u, text);
}

static void write_constant(Unparser *u, ValueRef value)
{
    if (value == ELLIPSIS) {
        write_text(u, "...");
    } else if (tuple_check(value)) {
        write_text(u, "(");
        for (ssize_t i = 0; i < tuple_size(value); i++) {
            write_if(u, i > 0, ", ");
            write_constant(u, tuple_at(value, i));
        }
        write_text(u, tuple_size(value) == 1 ? ",)" : ")");
    } else if (float_check_exact(value) || strcmp(type_of(value)->name, "complex") == 0) {
        write_number(u, value);
    } else {
        write_owned(u, object_repr(value));
    }
}

// ---- operators

static void write_bool(Unparser *u, const Node *node, Precedence level)
{
    Precedence own = node->BoolOp.op == And_op ? PREC_AND : PREC_OR;
    const char *word = node->BoolOp.op == And_op ? " and " : " or ";
    write_if(u, level > own, "(");
    for (int i = 0; i < node->BoolOp.values.count; i++) {
        write_if(u, i > 0, word);
        write_expression(u, node->BoolOp.values.items[i], own + 1);
    }
    write_if(u, level > own, ")");
}

static void write_binary(Unparser *u, const Node *node, Precedence level)
{
    static const struct {
        const char *text;
        Precedence precedence;
        bool from_right;
    } operators[] = {
        [Add_op] = {" + ", PREC_ARITH, false},      [Sub_op] = {" - ", PREC_ARITH, false},
        [Mult_op] = {" * ", PREC_TERM, false},      [MatMult_op] = {" @ ", PREC_TERM, false},
        [Div_op] = {" / ", PREC_TERM, false},       [Mod_op] = {" % ", PREC_TERM, false},
        [LShift_op] = {" << ", PREC_SHIFT, false},  [RShift_op] = {" >> ", PREC_SHIFT, false},
        [BitOr_op] = {" | ", PREC_BIT_OR, false},   [BitXor_op] = {" ^ ", PREC_BIT_XOR, false},
        [BitAnd_op] = {" & ", PREC_BIT_AND, false}, [FloorDiv_op] = {" // ", PREC_TERM, false},
        [Pow_op] = {" ** ", PREC_POWER, true},
    };
    Precedence own = operators[node->BinOp.op].precedence;
    bool from_right = operators[node->BinOp.op].from_right;
    write_if(u, level > own, "(");
    write_expression(u, node->BinOp.left, own + from_right);
    write_text(u, operators[node->BinOp.op].text);
    write_expression(u, node->BinOp.right, own + !from_right);
    write_if(u, level > own, ")");
}

static void write_unary(Unparser *u, const Node *node, Precedence level)
{
    static const char *const words[] = {
        [Invert_op] = "~", [Not_op] = "not ", [UAdd_op] = "+", [USub_op] = "-"};
    Precedence own = node->UnaryOp.op == Not_op ? PREC_NOT : PREC_FACTOR;
    write_if(u, level > own, "(");
    write_text(u, words[node->UnaryOp.op]);
    write_expression(u, node->UnaryOp.operand, own);
    write_if(u, level > own, ")");
}

static void write_compare(Unparser *u, const Node *node, Precedence level)
{
    static const char *const words[] = {
        [Eq_op] = " == ", [NotEq_op] = " != ",    [Lt_op] = " < ",  [LtE_op] = " <= ",
        [Gt_op] = " > ",  [GtE_op] = " >= ",      [Is_op] = " is ", [IsNot_op] = " is not ",
        [In_op] = " in ", [NotIn_op] = " not in "};
    write_if(u, level > PREC_COMPARE, "(");
    write_expression(u, node->Compare.left, PREC_COMPARE + 1);
    for (int i = 0; i < node->Compare.ops.count; i++) {
        write_text(u, words[node->Compare.ops.items[i]]);
        write_expression(u, node->Compare.comparators.items[i], PREC_COMPARE + 1);
    }
    write_if(u, level > PREC_COMPARE, ")");
}

static void write_conditional(Unparser *u, const Node *node, Precedence level)
{
    write_if(u, level > PREC_TEST, "(");
    write_expression(u, node->IfExp.body, PREC_TEST + 1);
    write_text(u, " if ");
    write_expression(u, node->IfExp.test, PREC_TEST + 1);
    write_text(u, " else ");
    write_expression(u, node->IfExp.orelse, PREC_TEST);
    write_if(u, level > PREC_TEST, ")");
}

// ---- parameters and arguments

static void write_parameter(Unparser *u, const Node *arg)
{
    write_str(u, arg->arg.arg);
    if (!arg->arg.annotation) return;
    write_text(u, ": ");
    write_expression(u, arg->arg.annotation, PREC_TEST);
}

static void write_comma(Unparser *u, bool *first)
{
    write_if(u, !*first, ", ");
    *first = false;
}

static void write_default(Unparser *u, const Node *value)
{
    if (!value) return;
    write_text(u, "=");
    write_expression(u, value, PREC_TEST);
}

static void write_positional(Unparser *u, const Node *args, bool *first)
{
    const NodeList *only = &args->arguments.posonlyargs, *both = &args->arguments.args;
    const NodeList *defaults = &args->arguments.defaults;
    int count = only->count + both->count;
    for (int i = 0; i < count; i++) {
        write_comma(u, first);
        write_parameter(u, i < only->count ? only->items[i] : both->items[i - only->count]);
        int k = i - count + defaults->count;
        write_default(u, k >= 0 ? defaults->items[k] : NULL);
        write_if(u, only->count && i + 1 == only->count, ", /");
    }
}

static void write_parameters(Unparser *u, const Node *args)
{
    bool first = true;
    const NodeList *keywords = &args->arguments.kwonlyargs;
    write_positional(u, args, &first);
    if (args->arguments.vararg || keywords->count) {
        write_comma(u, &first);
        write_text(u, "*");
        if (args->arguments.vararg) write_parameter(u, args->arguments.vararg);
    }
    for (int i = 0; i < keywords->count; i++) {
        write_comma(u, &first);
        write_parameter(u, keywords->items[i]);
        write_default(u, args->arguments.kw_defaults.items[i]);
    }
    if (args->arguments.kwarg) {
        write_comma(u, &first);
        write_text(u, "**");
        write_parameter(u, args->arguments.kwarg);
    }
}

static void write_lambda(Unparser *u, const Node *node, Precedence level)
{
    const Node *args = node->Lambda.args;
    bool has_positional = args->arguments.args.count || args->arguments.posonlyargs.count;
    write_if(u, level > PREC_TEST, "(");
    write_text(u, has_positional ? "lambda " : "lambda");
    write_parameters(u, args);
    write_text(u, ": ");
    write_expression(u, node->Lambda.body, PREC_TEST);
    write_if(u, level > PREC_TEST, ")");
}

static bool is_lone_generator(const Node *node)
{
    return node->Call.args.count == 1 && !node->Call.keywords.count &&
           node->Call.args.items[0]->kind == GeneratorExp_kind;
}

static void write_call(Unparser *u, const Node *node)
{
    write_expression(u, node->Call.func, PREC_ATOM);
    if (is_lone_generator(node)) {
        write_expression(u, node->Call.args.items[0], PREC_ATOM);
        return;
    }
    write_text(u, "(");
    write_list(u, &node->Call.args);
    for (int i = 0; i < node->Call.keywords.count; i++) {
        const Node *keyword = node->Call.keywords.items[i];
        write_if(u, i > 0 || node->Call.args.count, ", ");
        if (keyword->keyword.arg) {
            write_str(u, keyword->keyword.arg);
            write_text(u, "=");
        } else {
            write_text(u, "**");
        }
        write_expression(u, keyword->keyword.value, PREC_TEST);
    }
    write_text(u, ")");
}

// ---- displays and comprehensions

static void write_generators(Unparser *u, const NodeList *generators)
{
    for (int i = 0; i < generators->count; i++) {
        const Node *generator = generators->items[i];
        write_text(u, generator->comprehension.is_async ? " async for " : " for ");
        write_expression(u, generator->comprehension.target, PREC_TUPLE);
        write_text(u, " in ");
        write_expression(u, generator->comprehension.iter, PREC_TEST + 1);
        for (int k = 0; k < generator->comprehension.ifs.count; k++) {
            write_text(u, " if ");
            write_expression(u, generator->comprehension.ifs.items[k], PREC_TEST + 1);
        }
    }
}

static void write_comprehension(Unparser *u, const char *open, const Node *element,
                                const Node *value, const NodeList *generators, const char *close)
{
    write_text(u, open);
    write_expression(u, element, PREC_TEST);
    if (value) {
        write_text(u, ": ");
        write_expression(u, value, PREC_TEST);
    }
    write_generators(u, generators);
    write_text(u, close);
}

static void write_dict(Unparser *u, const Node *node)
{
    write_text(u, "{");
    for (int i = 0; i < node->Dict.values.count; i++) {
        const Node *key = node->Dict.keys.items[i];
        write_if(u, i > 0, ", ");
        if (key) {
            write_expression(u, key, PREC_TEST);
            write_text(u, ": ");
            write_expression(u, node->Dict.values.items[i], PREC_TEST);
        } else {
            write_text(u, "**");
            write_expression(u, node->Dict.values.items[i], PREC_EXPR);
        }
    }
    write_text(u, "}");
}

static void write_between(Unparser *u, const char *open, const NodeList *items, const char *close)
{
    write_text(u, open);
    write_list(u, items);
    write_text(u, close);
}

static void write_tuple(Unparser *u, const Node *node, Precedence level)
{
    const NodeList *items = &node->Tuple.elts;
    bool enclosed = items->count == 0 || level > PREC_TUPLE;
    write_if(u, enclosed, "(");
    write_list(u, items);
    write_if(u, items->count == 1, ",");
    write_if(u, enclosed, ")");
}

// ---- attributes, subscripts, starred

static void write_attribute(Unparser *u, const Node *node)
{
    const Node *value = node->Attribute.value;
    write_expression(u, value, PREC_ATOM);
    bool is_int = value->kind == Constant_kind && type_of(value->Constant.value) == &int_type;
    write_text(u, is_int ? " ." : "."); // 1 .real
    write_str(u, node->Attribute.attr);
}

// Python 3.9 reads x[(*a, b)], but no x[*a, b].
static void write_subscript(Unparser *u, const Node *node)
{
    const Node *slice = node->Subscript.slice;
    bool starred = slice->kind == Tuple_kind && nodes_have_starred(&slice->Tuple.elts);
    write_expression(u, node->Subscript.value, PREC_ATOM);
    write_text(u, "[");
    write_expression(u, slice, starred ? PREC_TEST : PREC_TUPLE);
    write_text(u, "]");
}

static void write_slice(Unparser *u, const Node *node)
{
    if (node->Slice.lower) write_expression(u, node->Slice.lower, PREC_TEST);
    write_text(u, ":");
    if (node->Slice.upper) write_expression(u, node->Slice.upper, PREC_TEST);
    if (!node->Slice.step) return;
    write_text(u, ":");
    write_expression(u, node->Slice.step, PREC_TEST);
}

static void write_wrapped(Unparser *u, const char *word, const Node *value, Precedence inner,
                          bool enclosed)
{
    write_text(u, enclosed ? "(" : "");
    write_text(u, word);
    if (value) write_expression(u, value, inner);
    write_text(u, enclosed ? ")" : "");
}

static void write_named(Unparser *u, const Node *node, Precedence level)
{
    write_if(u, level > PREC_TUPLE, "(");
    write_expression(u, node->NamedExpr.target, PREC_ATOM);
    write_text(u, " := ");
    write_expression(u, node->NamedExpr.value, PREC_ATOM);
    write_if(u, level > PREC_TUPLE, ")");
}

// ---- f-strings. A script's tree may have anything in one.

static _Noreturn void refuse(Unparser *u, Type *type, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    Value message = format_text_v(format, arguments);
    va_end(arguments);
    if (message) raise_with(type, message);
    drop(message);
    fail(u);
}

static void write_fstring_part(Unparser *u, const Node *node);

// The text of a constant piece, with its braces doubled.
static void write_fstring_text(Unparser *u, ValueRef text)
{
    if (!str_check_exact(text)) refuse(u, TypeError, "must be str, not %T", text);
    for (ssize_t i = 0; i < str_length(text); i++) {
        uint32_t point = str_at(as_str(text), i);
        bool is_brace = point == '{' || point == '}';
        if (is_brace && !builder_char(&u->builder, point)) fail(u);
        if (!builder_char(&u->builder, point)) fail(u);
    }
}

static void write_fstring_parts(Unparser *u, const NodeList *values)
{
    for (int i = 0; i < values->count; i++) write_fstring_part(u, values->items[i]);
}

// An expression of its own, so that what it begins with can be seen.
static ValueRef text_of(Unparser *u, const Node *node, Precedence level)
{
    Unparser inner = {.c = u->c, .outer = u};
    builder_begin(&inner.builder);
    write_expression(&inner, node, level);
    return arena_hold(u->c->arena, builder_finish(&inner.builder));
}

static void write_formatted_value(Unparser *u, const Node *node)
{
    ValueRef text = text_of(u, node->FormattedValue.value, PREC_TEST + 1);
    bool opens_brace = str_length(text) && str_at(as_str(text), 0) == '{';
    write_text(u, opens_brace ? "{ " : "{"); // {{ would be a brace
    write_str(u, text);
    if (node->FormattedValue.conversion > 0) {
        char conversion[] = {'!', (char)node->FormattedValue.conversion, 0};
        if (!strchr("ars", conversion[1]) || node->FormattedValue.conversion > 127)
            refuse(u, SystemError, "unknown f-value conversion kind");
        write_text(u, conversion);
    }
    if (node->FormattedValue.format_spec) {
        write_text(u, ":");
        write_fstring_part(u, node->FormattedValue.format_spec);
    }
    write_text(u, "}");
}

static void write_fstring_part(Unparser *u, const Node *node)
{
    switch (node->kind) {
    case Constant_kind: write_fstring_text(u, node->Constant.value); break;
    case JoinedStr_kind: write_fstring_parts(u, &node->JoinedStr.values); break;
    case FormattedValue_kind: write_formatted_value(u, node); break;
    default: refuse(u, SystemError, "unknown expression kind inside f-string");
    }
}

static void write_fstring(Unparser *u, const Node *node)
{
    Unparser inner = {.c = u->c, .outer = u};
    builder_begin(&inner.builder);
    write_fstring_part(&inner, node);
    ValueRef body = arena_hold(u->c->arena, builder_finish(&inner.builder));
    write_text(u, "f");
    write_owned(u, object_repr(body));
}

// ---- the switch

static void write_display(Unparser *u, const Node *node)
{
    switch (node->kind) {
    case Dict_kind: write_dict(u, node); break;
    case Set_kind: write_between(u, "{", &node->Set.elts, "}"); break;
    case List_kind: write_between(u, "[", &node->List.elts, "]"); break;
    case GeneratorExp_kind:
        write_comprehension(u, "(", node->GeneratorExp.elt, NULL, &node->GeneratorExp.generators,
                            ")");
        break;
    case ListComp_kind:
        write_comprehension(u, "[", node->ListComp.elt, NULL, &node->ListComp.generators, "]");
        break;
    case SetComp_kind:
        write_comprehension(u, "{", node->SetComp.elt, NULL, &node->SetComp.generators, "}");
        break;
    case DictComp_kind:
        write_comprehension(u, "{", node->DictComp.key, node->DictComp.value,
                            &node->DictComp.generators, "}");
        break;
    default: break;
    }
}

static void write_expression(Unparser *u, const Node *node, Precedence level)
{
    if (!node) return;
    compile_check_room(u->c);
    switch (node->kind) {
    case BoolOp_kind: write_bool(u, node, level); break;
    case BinOp_kind: write_binary(u, node, level); break;
    case UnaryOp_kind: write_unary(u, node, level); break;
    case Lambda_kind: write_lambda(u, node, level); break;
    case IfExp_kind: write_conditional(u, node, level); break;
    case Yield_kind:
        if (node->Yield.value)
            write_wrapped(u, "yield ", node->Yield.value, PREC_TUPLE, true);
        else
            write_text(u, "(yield)");
        break;
    case YieldFrom_kind:
        write_wrapped(u, "yield from ", node->YieldFrom.value, PREC_TEST, true);
        break;
    case Await_kind:
        write_wrapped(u, "await ", node->Await.value, PREC_ATOM, level > PREC_AWAIT);
        break;
    case Compare_kind: write_compare(u, node, level); break;
    case Call_kind: write_call(u, node); break;
    case Constant_kind:
        if (node->Constant.kind) write_text(u, "u");
        write_constant(u, node->Constant.value);
        break;
    case JoinedStr_kind: write_fstring(u, node); break;
    case FormattedValue_kind: write_formatted_value(u, node); break;
    case Attribute_kind: write_attribute(u, node); break;
    case Starred_kind: write_wrapped(u, "*", node->Starred.value, PREC_EXPR, false); break;
    case Name_kind: write_str(u, node->Name.id); break;
    case Tuple_kind: write_tuple(u, node, level); break;
    case Subscript_kind: write_subscript(u, node); break;
    case Slice_kind: write_slice(u, node); break;
    case NamedExpr_kind: write_named(u, node, level); break;
    default: write_display(u, node); break;
    }
}

ValueRef unparse(Compilation *c, const Node *expression)
{
    Unparser unparser = {.c = c};
    builder_begin(&unparser.builder);
    write_expression(&unparser, expression, PREC_TEST);
    return arena_hold(c->arena, builder_finish(&unparser.builder));
}
