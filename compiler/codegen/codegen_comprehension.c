// Comprehensions and generator expressions: a function of one argument, called at once.
//
//     [f(x) for x in a if p(x)]      def <listcomp>(.0):         .0 = iter(a)
//                                        BUILD_LIST; for x in .0: if p(x): LIST_APPEND f(x)
//
// Only the first iterable is evaluated outside. The loops nest by recursion over `generators`.
#include "compiler/codegen/codegen.h"

typedef struct Comprehension {
    const Node *node;
    const NodeList *generators;
    const Node *element, *value; // `value` of a dict's pair, else NULL
    const char *name;
    Opcode build, add; // NOP: a generator yields
} Comprehension;

static void generator_loop(CodeGenerator *g, const Comprehension *comprehension, int index,
                           int depth);

// The element goes to the container, which is `depth` deep under it and the iterators.
static void add_element(CodeGenerator *g, const Comprehension *comprehension, int depth)
{
    visit_expr(g, comprehension->element);
    if (comprehension->value) visit_expr(g, comprehension->value);
    if (comprehension->add == YIELD_VALUE) {
        emit(g, YIELD_VALUE);
        emit(g, POP_TOP);
        return;
    }
    emit_operand(g, comprehension->add, depth + 1);
}

static void inner_part(CodeGenerator *g, const Comprehension *comprehension, int index, int depth)
{
    if (index + 1 < comprehension->generators->count)
        generator_loop(g, comprehension, index + 1, depth);
    else
        add_element(g, comprehension, depth);
}

static void conditions(CodeGenerator *g, const Node *generator, BasicBlock *if_cleanup)
{
    for (int i = 0; i < generator->comprehension.ifs.count; i++) {
        jump_if(g, generator->comprehension.ifs.items[i], if_cleanup, false);
        next_block(g);
    }
}

// `for y in [f(x)]` is an assignment: the one item, or NULL.
static const Node *single_item(const Node *iterable)
{
    const NodeList *items;
    if (iterable->kind == List_kind)
        items = &iterable->List.elts;
    else if (iterable->kind == Tuple_kind)
        items = &iterable->Tuple.elts;
    else
        return NULL;
    if (items->count != 1 || items->items[0]->kind == Starred_kind) return NULL;
    return items->items[0];
}

static void implicit_argument(CodeGenerator *g)
{
    g->unit->argcount = 1;
    emit_operand(g, LOAD_FAST, 0);
}

static void sync_loop(CodeGenerator *g, const Comprehension *comprehension, int index, int depth)
{
    const Node *generator = comprehension->generators->items[index];
    const Node *single = index > 0 ? single_item(generator->comprehension.iter) : NULL;
    BasicBlock *start = new_block(g), *if_cleanup = new_block(g), *anchor = new_block(g);
    if (single) {
        visit_expr(g, single);
    } else if (index == 0) {
        implicit_argument(g);
    } else {
        visit_expr(g, generator->comprehension.iter);
        emit(g, GET_ITER);
    }
    if (!single) {
        depth++;
        use_block(g, start);
        emit_jump(g, FOR_ITER, anchor);
        next_block(g);
    }
    visit_expr(g, generator->comprehension.target);
    conditions(g, generator, if_cleanup);
    inner_part(g, comprehension, index, depth);
    use_block(g, if_cleanup);
    if (single) return;
    emit_jump(g, JUMP_ABSOLUTE, start);
    use_block(g, anchor);
}

static void async_loop(CodeGenerator *g, const Comprehension *comprehension, int index, int depth)
{
    const Node *generator = comprehension->generators->items[index];
    BasicBlock *start = new_block(g), *except = new_block(g), *if_cleanup = new_block(g);
    if (index == 0) {
        implicit_argument(g);
    } else {
        visit_expr(g, generator->comprehension.iter);
        emit(g, GET_AITER);
    }
    use_block(g, start);
    emit_jump(g, SETUP_FINALLY, except);
    emit(g, GET_ANEXT);
    emit_constant(g, NONE);
    emit(g, YIELD_FROM);
    emit(g, POP_BLOCK);
    visit_expr(g, generator->comprehension.target);
    conditions(g, generator, if_cleanup);
    inner_part(g, comprehension, index, depth + 1);
    use_block(g, if_cleanup);
    emit_jump(g, JUMP_ABSOLUTE, start);
    use_block(g, except);
    emit(g, END_ASYNC_FOR);
}

static void generator_loop(CodeGenerator *g, const Comprehension *comprehension, int index,
                           int depth)
{
    compile_check_room(g->c);
    if (comprehension->generators->items[index]->comprehension.is_async)
        async_loop(g, comprehension, index, depth);
    else
        sync_loop(g, comprehension, index, depth);
}

static Comprehension comprehension_of(const Node *node)
{
    switch (node->kind) {
    case ListComp_kind:
        return (Comprehension){node,
                               &node->ListComp.generators,
                               node->ListComp.elt,
                               NULL,
                               "<listcomp>",
                               BUILD_LIST,
                               LIST_APPEND};
    case SetComp_kind:
        return (Comprehension){
            node,   &node->SetComp.generators, node->SetComp.elt, NULL, "<setcomp>", BUILD_SET,
            SET_ADD};
    case DictComp_kind:
        return (Comprehension){node,
                               &node->DictComp.generators,
                               node->DictComp.key,
                               node->DictComp.value,
                               "<dictcomp>",
                               BUILD_MAP,
                               MAP_ADD};
    default:
        return (Comprehension){node,
                               &node->GeneratorExp.generators,
                               node->GeneratorExp.elt,
                               NULL,
                               "<genexpr>",
                               NOP,
                               YIELD_VALUE};
    }
}

void comprehension_expression(CodeGenerator *g, const Node *node)
{
    Comprehension comprehension = comprehension_of(node);
    bool is_generator = comprehension.build == NOP;
    bool top_level_await = is_top_level_await(g);
    bool in_async_function = g->unit->scope->coroutine;
    const Node *outermost = comprehension.generators->items[0];
    enter_unit(g, COMPREHENSION_UNIT, compile_name(g->c, comprehension.name), node,
               node->position.line);
    bool is_async = g->unit->scope->coroutine;
    if (is_async && !in_async_function && !is_generator && !top_level_await)
        codegen_error(g, "asynchronous comprehension outside of an asynchronous function");
    if (!is_generator) emit_operand(g, comprehension.build, 0);
    generator_loop(g, &comprehension, 0, 0);
    if (!is_generator) emit(g, RETURN_VALUE);
    ValueRef code = unit_to_code(g, true), qualname = g->unit->qualname;
    leave_unit(g);
    if (top_level_await && is_async) g->unit->scope->coroutine = true;
    make_closure(g, code, 0, qualname);
    visit_expr(g, outermost->comprehension.iter);
    emit(g, outermost->comprehension.is_async ? GET_AITER : GET_ITER);
    emit_operand(g, CALL_FUNCTION, 1);
    if (is_async && !is_generator) emit_await(g);
}
