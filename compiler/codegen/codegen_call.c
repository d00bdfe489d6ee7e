// Calls, and the displays of lists, sets, tuples and dicts.
//
// Both collect items, some of them starred. Without stars the items are on the stack, and one
// instruction takes them. With a star, a list or dict is built first and then filled step by step:
//
//     f(a, b)        a b CALL_FUNCTION 2
//     f(a, *b, c)    a BUILD_LIST 1, b LIST_EXTEND, c LIST_APPEND, LIST_TO_TUPLE, CALL_FUNCTION_EX
#include "compiler/codegen/codegen.h"

#include "objects/containers/set.h"
#include "objects/containers/tuple.h"

#define LARGEST_MAP 0xFFFF // keys of a dict display built at once

static bool all_constant(const NodeList *items, int begin, int end)
{
    for (int i = begin; i < end; i++)
        if (!items->items[i] || items->items[i]->kind != Constant_kind) return false;
    return true;
}

static Value constants_tuple(const NodeList *items, int begin, int end)
{
    Value tuple = tuple_new(end - begin);
    for (int i = begin; tuple && i < end; i++)
        as_tuple(tuple)->items[i - begin] = retain(items->items[i]->Constant.value);
    return tuple;
}

// ---- lists, sets, tuples

typedef struct DisplayOpcodes {
    Opcode build, add, extend, begin; // `begin` where there is a star
} DisplayOpcodes;

static const DisplayOpcodes display_opcodes[] = {
    [LIST_DISPLAY] = {BUILD_LIST, LIST_APPEND, LIST_EXTEND, BUILD_LIST},
    [SET_DISPLAY] = {BUILD_SET, SET_ADD, SET_UPDATE, BUILD_SET},
    [TUPLE_DISPLAY] = {BUILD_TUPLE, LIST_APPEND, LIST_EXTEND, BUILD_LIST},
};

// [1, 2, 3] is filled from a constant tuple, {1, 2, 3} from a constant frozenset.
static void constant_display(CodeGenerator *g, int pushed, const NodeList *items, Display display)
{
    Value tuple = constants_tuple(items, 0, items->count);
    if (display == TUPLE_DISPLAY) {
        emit_new_constant(g, tuple);
        return;
    }
    ValueRef folded = arena_hold(g->arena, tuple);
    if (display == SET_DISPLAY) folded = arena_hold(g->arena, frozenset_new(folded));
    emit_operand(g, display_opcodes[display].build, pushed);
    emit_constant(g, folded);
    emit_operand(g, display_opcodes[display].extend, 1);
}

// `first` is the index of the first starred item.
static void starred_display(CodeGenerator *g, int pushed, const NodeList *items, int first,
                            Display display)
{
    const DisplayOpcodes *opcodes = &display_opcodes[display];
    for (int i = 0; i < first; i++) visit_expr(g, items->items[i]);
    emit_operand(g, opcodes->begin, first + pushed);
    for (int i = first; i < items->count; i++) {
        const Node *item = items->items[i];
        bool is_starred = item->kind == Starred_kind;
        visit_expr(g, is_starred ? item->Starred.value : item);
        emit_operand(g, is_starred ? opcodes->extend : opcodes->add, 1);
    }
    if (display == TUPLE_DISPLAY) emit(g, LIST_TO_TUPLE);
}

// The items, and those that are `pushed` already, as one value.
static void gather(CodeGenerator *g, int pushed, const NodeList *items, Display display)
{
    if (items->count > 2 && all_constant(items, 0, items->count)) {
        constant_display(g, pushed, items, display);
        return;
    }
    for (int i = 0; i < items->count; i++) {
        if (items->items[i]->kind != Starred_kind) continue;
        starred_display(g, pushed, items, i, display);
        return;
    }
    visit_exprs(g, items);
    emit_operand(g, display_opcodes[display].build, items->count + pushed);
}

void display_expression(CodeGenerator *g, const NodeList *items, Display display)
{
    gather(g, 0, items, display);
}

// ---- dicts

// A run of pairs without **: one dict.
static void dict_of_pairs(CodeGenerator *g, const Node *node, int begin, int end)
{
    const NodeList *keys = &node->Dict.keys, *values = &node->Dict.values;
    if (end - begin > 1 && all_constant(keys, begin, end)) {
        for (int i = begin; i < end; i++) visit_expr(g, values->items[i]);
        emit_new_constant(g, constants_tuple(keys, begin, end));
        emit_operand(g, BUILD_CONST_KEY_MAP, end - begin);
        return;
    }
    for (int i = begin; i < end; i++) {
        visit_expr(g, keys->items[i]);
        visit_expr(g, values->items[i]);
    }
    emit_operand(g, BUILD_MAP, end - begin);
}

static void add_pairs(CodeGenerator *g, const Node *node, int begin, int end, bool *have_dict)
{
    dict_of_pairs(g, node, begin, end);
    if (*have_dict) emit_operand(g, DICT_UPDATE, 1);
    *have_dict = true;
}

void dict_expression(CodeGenerator *g, const Node *node)
{
    bool have_dict = false;
    int pairs = 0, count = node->Dict.values.count;
    for (int i = 0; i < count; i++) {
        if (node->Dict.keys.items[i] && pairs < LARGEST_MAP) {
            pairs++;
            continue;
        }
        if (node->Dict.keys.items[i]) {
            add_pairs(g, node, i - pairs, i + 1, &have_dict);
            pairs = 0;
            continue;
        }
        if (pairs) add_pairs(g, node, i - pairs, i, &have_dict);
        pairs = 0;
        if (!have_dict) emit_operand(g, BUILD_MAP, 0);
        have_dict = true;
        visit_expr(g, node->Dict.values.items[i]);
        emit_operand(g, DICT_UPDATE, 1);
    }
    if (pairs) add_pairs(g, node, count - pairs, count, &have_dict);
    if (!have_dict) emit_operand(g, BUILD_MAP, 0);
}

// ---- calls

static void check_keywords(CodeGenerator *g, const NodeList *keywords)
{
    PointerMap seen = {0};
    for (int i = 0; i < keywords->count; i++) {
        ValueRef name = keywords->items[i]->keyword.arg;
        if (!name) continue;
        check_store_name(g, name);
        int count = seen.count;
        if (map_add(&seen, g->arena, name) == count) continue;
        // 3.9 leaves the line as it is.
        g->unit->location.column = keywords->items[i]->position.column;
        codegen_error(g, "keyword argument repeated: %S", name);
    }
}

static ValueRef keyword_names(CodeGenerator *g, const NodeList *keywords, int begin, int end)
{
    Value names = tuple_new(end - begin);
    for (int i = begin; names && i < end; i++)
        as_tuple(names)->items[i - begin] = retain(keywords->items[i]->keyword.arg);
    return arena_hold(g->arena, names);
}

static void keyword_values(CodeGenerator *g, const NodeList *keywords, int begin, int end)
{
    for (int i = begin; i < end; i++) visit_expr(g, keywords->items[i]->keyword.value);
}

// A run of keywords without **: one dict.
static void dict_of_keywords(CodeGenerator *g, const NodeList *keywords, int begin, int end)
{
    if (end - begin == 1) {
        emit_constant(g, keywords->items[begin]->keyword.arg);
        visit_expr(g, keywords->items[begin]->keyword.value);
        emit_operand(g, BUILD_MAP, 1);
        return;
    }
    keyword_values(g, keywords, begin, end);
    emit_constant(g, keyword_names(g, keywords, begin, end));
    emit_operand(g, BUILD_CONST_KEY_MAP, end - begin);
}

static void add_keywords(CodeGenerator *g, const NodeList *keywords, int begin, int end,
                         bool *have_dict)
{
    if (begin == end) return;
    dict_of_keywords(g, keywords, begin, end);
    if (*have_dict) emit_operand(g, DICT_MERGE, 1);
    *have_dict = true;
}

static void spread_keywords(CodeGenerator *g, const NodeList *keywords)
{
    bool have_dict = false;
    int begin = 0;
    for (int i = 0; i < keywords->count; i++) {
        if (keywords->items[i]->keyword.arg) continue;
        add_keywords(g, keywords, begin, i, &have_dict);
        begin = i + 1;
        if (!have_dict) emit_operand(g, BUILD_MAP, 0);
        have_dict = true;
        visit_expr(g, keywords->items[i]->keyword.value);
        emit_operand(g, DICT_MERGE, 1);
    }
    add_keywords(g, keywords, begin, keywords->count, &have_dict);
}

static void spread_call(CodeGenerator *g, int pushed, const NodeList *args,
                        const NodeList *keywords)
{
    if (pushed == 0 && args->count == 1 && args->items[0]->kind == Starred_kind)
        visit_expr(g, args->items[0]->Starred.value);
    else
        gather(g, pushed, args, TUPLE_DISPLAY);
    spread_keywords(g, keywords);
    emit_operand(g, CALL_FUNCTION_EX, keywords->count > 0);
}

static bool has_double_starred(const NodeList *keywords)
{
    for (int i = 0; i < keywords->count; i++)
        if (!keywords->items[i]->keyword.arg) return true;
    return false;
}

void call_arguments(CodeGenerator *g, int pushed, const NodeList *args, const NodeList *keywords)
{
    check_keywords(g, keywords);
    if (nodes_have_starred(args) || has_double_starred(keywords)) {
        spread_call(g, pushed, args, keywords);
        return;
    }
    visit_exprs(g, args);
    if (!keywords->count) {
        emit_operand(g, CALL_FUNCTION, pushed + args->count);
        return;
    }
    keyword_values(g, keywords, 0, keywords->count);
    emit_constant(g, keyword_names(g, keywords, 0, keywords->count));
    emit_operand(g, CALL_FUNCTION_KW, pushed + args->count + keywords->count);
}

// value.name(args): no bound method is made where it is not needed.
static bool method_call(CodeGenerator *g, const Node *node)
{
    const Node *method = node->Call.func;
    if (method->kind != Attribute_kind || method->Attribute.ctx != Load_context) return false;
    if (node->Call.keywords.count || nodes_have_starred(&node->Call.args)) return false;
    visit_expr(g, method->Attribute.value);
    emit_name(g, LOAD_METHOD, method->Attribute.attr);
    visit_exprs(g, &node->Call.args);
    emit_operand(g, CALL_METHOD, node->Call.args.count);
    return true;
}

void call_expression(CodeGenerator *g, const Node *node)
{
    if (method_call(g, node)) return;
    check_caller(g, node->Call.func);
    visit_expr(g, node->Call.func);
    call_arguments(g, 0, &node->Call.args, &node->Call.keywords);
}
