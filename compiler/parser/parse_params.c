// The parameters of a function or a lambda.
//
// python.gram has every rule twice: a lambda's parameters have no annotations, and end at ':'
// instead of ')'. Here one function serves both, told by its ParamStyle.
//
//     def f(a, b=1, /, c, d=2, *args, e, f=3, **kwargs)
//           slash_...  plain..   star_etc
#include "compiler/parser/parser.h"

typedef struct ParamStyle {
    int end; // the token after the last parameter
    bool annotated;
} ParamStyle;

static const ParamStyle function_style = {TOKEN_RPAR, true};
static const ParamStyle lambda_style = {TOKEN_COLON, false};

typedef enum DefaultUse { NO_DEFAULT, WITH_DEFAULT, MAYBE_DEFAULT } DefaultUse;

Node *empty_arguments(Parser *p)
{
    return node_new(p->arena, arguments_kind, (Position){0});
}

// annotation: ':' expression
static Node *annotation_rule(Parser *p)
{
    int start = p->mark;
    Node *node = expect(p, TOKEN_COLON) ? expression_rule(p) : NULL;
    if (!node) p->mark = start;
    return node;
}

// default: '=' expression
static Node *default_rule(Parser *p)
{
    int start = p->mark;
    Node *node = expect(p, TOKEN_EQUAL) ? expression_rule(p) : NULL;
    if (!node) p->mark = start;
    return node;
}

// param: NAME [annotation]
// lambda_param: NAME
static Node *param_rule(Parser *p, const ParamStyle *style)
{
    int start = p->mark;
    if (!expect(p, TOKEN_NAME)) return NULL;
    Node *annotation = style->annotated ? annotation_rule(p) : NULL;
    Node *node = new_node(p, arg_kind, start);
    const Token *name = &p->tokens[start];
    node->arg.arg = new_identifier(p, name->text, name->size);
    node->arg.annotation = annotation;
    return node;
}

// ',' [TYPE_COMMENT] | [TYPE_COMMENT] &')', a lambda's without the comment
static bool param_ends(Parser *p, const ParamStyle *style, Node *param)
{
    bool comma = expect(p, TOKEN_COMMA);
    if (style->annotated) param->arg.type_comment = type_comment_rule(p);
    return comma || peek(p) == style->end;
}

// param_no_default:    param (',' [TYPE_COMMENT] | [TYPE_COMMENT] &')')
// param_with_default:  param default (',' [TYPE_COMMENT] | [TYPE_COMMENT] &')')
// param_maybe_default: param [default] (',' [TYPE_COMMENT] | [TYPE_COMMENT] &')')
static Node *param_with(Parser *p, const ParamStyle *style, DefaultUse use, Node **value)
{
    int start = p->mark;
    Node *param = param_rule(p, style);
    if (!param) return NULL;
    *value = use == NO_DEFAULT ? NULL : default_rule(p);
    if (use != WITH_DEFAULT || *value)
        if (param_ends(p, style, param)) return param;
    p->mark = start;
    return NULL;
}

// A row of such parameters, with their defaults in a second list.
static void params_with(Parser *p, const ParamStyle *style, DefaultUse use, NodeList *params,
                        NodeList *values)
{
    int base = p->stack_size, count = 0;
    Node *value;
    for (Node *param; (param = param_with(p, style, use, &value)); count++) {
        stack_push(p, param);
        stack_push(p, value);
    }
    *params = *values = (NodeList){count, NULL};
    if (count == 0) return;
    params->items = arena_alloc(p->arena, (size_t)count * 2 * sizeof *params->items);
    values->items = params->items + count;
    for (int i = 0; i < count; i++) {
        params->items[i] = p->stack[base + 2 * i];
        values->items[i] = p->stack[base + 2 * i + 1];
    }
    p->stack_size = base;
}

// '/' (',' | &')')
static bool slash(Parser *p, const ParamStyle *style)
{
    int start = p->mark;
    if (!expect(p, TOKEN_SLASH)) return false;
    if (expect(p, TOKEN_COMMA) || peek(p) == style->end) return true;
    p->mark = start;
    return false;
}

// invalid_star_etc: '*' (')' | ',' (')' | '**')) | '*' ',' TYPE_COMMENT
static void invalid_star_etc_rule(Parser *p, const ParamStyle *style)
{
    int start = p->mark;
    if (expect(p, TOKEN_STAR)) {
        bool bare = expect(p, style->end);
        if (!bare && expect(p, TOKEN_COMMA))
            bare = expect(p, style->end) || expect(p, TOKEN_DOUBLESTAR);
        if (bare) raise_syntax(p, "named arguments must follow bare *");
        if (type_comment_rule(p)) raise_syntax(p, "bare * has associated type comment");
    }
    p->mark = start;
}

// kwds: '**' param_no_default
static Node *kwds_rule(Parser *p, const ParamStyle *style)
{
    int start = p->mark;
    Node *value;
    if (!expect(p, TOKEN_DOUBLESTAR)) return NULL;
    Node *param = param_with(p, style, NO_DEFAULT, &value);
    if (!param) p->mark = start;
    return param;
}

// '*' param_no_default param_maybe_default* | '*' ',' param_maybe_default+
static bool star_params(Parser *p, const ParamStyle *style, Node *arguments)
{
    int start = p->mark;
    if (!expect(p, TOKEN_STAR)) return false;
    Node *value, *vararg = param_with(p, style, NO_DEFAULT, &value);
    if (vararg || expect(p, TOKEN_COMMA)) {
        NodeList params, values;
        params_with(p, style, MAYBE_DEFAULT, &params, &values);
        if (vararg || params.count > 0) {
            arguments->arguments.vararg = vararg;
            arguments->arguments.kwonlyargs = params;
            arguments->arguments.kw_defaults = values;
            return true;
        }
    }
    p->mark = start;
    return false;
}

// star_etc:
//     | '*' param_no_default param_maybe_default* [kwds]
//     | '*' ',' param_maybe_default+ [kwds]
//     | kwds
//     | invalid_star_etc
static bool star_etc_rule(Parser *p, const ParamStyle *style, Node *arguments)
{
    bool starred = star_params(p, style, arguments);
    arguments->arguments.kwarg = kwds_rule(p, style);
    if (starred || arguments->arguments.kwarg) return true;
    if (p->call_invalid_rules) invalid_star_etc_rule(p, style);
    return false;
}

// parameters:
//     | slash_no_default param_no_default* param_with_default* [star_etc]
//     | slash_with_default param_with_default* [star_etc]
//     | param_no_default+ param_with_default* [star_etc]
//     | param_with_default+ [star_etc]
//     | star_etc
//
// slash_no_default: param_no_default+ '/' (',' | &')')
// slash_with_default: param_no_default* param_with_default+ '/' (',' | &')')
static Node *parameters_rule(Parser *p, const ParamStyle *style)
{
    Node *node = empty_arguments(p);
    NodeList plain, defaulted, values, none;
    params_with(p, style, NO_DEFAULT, &plain, &none);
    if (plain.count > 0 && slash(p, style)) {
        node->arguments.posonlyargs = plain;
        params_with(p, style, NO_DEFAULT, &plain, &none);
        params_with(p, style, WITH_DEFAULT, &defaulted, &values);
    } else {
        params_with(p, style, WITH_DEFAULT, &defaulted, &values);
        if (defaulted.count > 0 && slash(p, style)) {
            NodeList later_values;
            node->arguments.posonlyargs = list_join(p, plain, defaulted);
            plain.count = 0;
            params_with(p, style, WITH_DEFAULT, &defaulted, &later_values);
            values = list_join(p, values, later_values);
        }
    }
    node->arguments.args = list_join(p, plain, defaulted);
    node->arguments.defaults = values;
    bool any = node->arguments.posonlyargs.count > 0 || node->arguments.args.count > 0;
    bool more = star_etc_rule(p, style, node);
    return any || more ? node : NULL;
}

// invalid_parameters:
//     | param_no_default* (slash_with_default | param_with_default+) param_no_default
static void invalid_parameters_rule(Parser *p, const ParamStyle *style)
{
    int start = p->mark;
    NodeList params, values;
    Node *value;
    params_with(p, style, NO_DEFAULT, &params, &values);
    params_with(p, style, WITH_DEFAULT, &params, &values);
    if (params.count > 0) {
        slash(p, style);
        if (param_with(p, style, NO_DEFAULT, &value))
            raise_syntax(p, "non-default argument follows default argument");
    }
    p->mark = start;
}

static Node *any_params(Parser *p, const ParamStyle *style)
{
    if (p->call_invalid_rules) invalid_parameters_rule(p, style);
    return parameters_rule(p, style);
}

// params: invalid_parameters | parameters
Node *params_rule(Parser *p)
{
    return any_params(p, &function_style);
}

// lambda_params: invalid_lambda_parameters | lambda_parameters
Node *lambda_params_rule(Parser *p)
{
    return any_params(p, &lambda_style);
}
