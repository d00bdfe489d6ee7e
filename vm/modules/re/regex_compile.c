// Compiles the tree of a regular expression to its program (regex.h lists the instructions).
//
// A repetition of an item that is one character wide has an instruction of its own: it counts the
// characters that match, and backtracks by one character at a time. Any other repetition is a
// REPEAT, whose body ends in an UNTIL.
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/stack.h"
#include "vm/modules/re/regex_tree.h"

static void emit_sequence(RegexCode *code, const RegexSequence *sequence, int flags);

static void emit_two(RegexCode *code, uint32_t first, uint32_t second)
{
    regex_emit(code, first);
    regex_emit(code, second);
}

// Sets the word at `index` to the distance from `from` to here.
static void set_skip(RegexCode *code, size_t index, size_t from)
{
    code->words[index] = (uint32_t)(code->size - from);
}

static _Noreturn void fail(RegexCode *code, const char *message)
{
    regex_raise(str_new(message), 0, 0);
    arena_fail(code->arena);
}

static RegexFold fold_of(int flags)
{
    if (!(flags & RE_IGNORECASE)) return FOLD_NONE;
    return flags & RE_UNICODE ? FOLD_UNICODE : FOLD_ASCII;
}

static void emit_literal(RegexCode *code, const RegexNode *node, int flags)
{
    RegexFold fold = fold_of(flags);
    bool negative = node->kind == NODE_NOT_LITERAL;
    if (!regex_is_cased(fold, node->value)) {
        emit_two(code, negative ? OP_NOT_LITERAL : OP_LITERAL, node->value);
        return;
    }
    uint32_t lower = regex_lower(fold, node->value);
    if (fold == FOLD_UNICODE && regex_emit_equivalents(code, lower, negative)) return;
    emit_two(code, negative ? OP_NOT_LITERAL_FOLD : OP_LITERAL_FOLD, fold);
    regex_emit(code, lower);
}

static RegexAnchor anchor_of(RegexAnchor anchor, int flags)
{
    switch (anchor) {
    case AT_BEGINNING_LINE: return flags & RE_MULTILINE ? AT_BEGINNING_LINE : AT_BEGINNING;
    case AT_END: return flags & RE_MULTILINE ? AT_END_LINE : AT_END;
    case AT_BOUNDARY: return flags & RE_UNICODE ? AT_UNICODE_BOUNDARY : AT_BOUNDARY;
    case AT_NON_BOUNDARY: return flags & RE_UNICODE ? AT_UNICODE_NON_BOUNDARY : AT_NON_BOUNDARY;
    default: return anchor;
    }
}

// One character, whatever it contains.
static bool is_simple(const RegexSequence *sequence)
{
    const RegexNode *node = sequence->first;
    if (sequence->count != 1) return false;
    if (node->kind == NODE_GROUP) return !node->value && is_simple(node->body);
    return node->kind <= NODE_SET;
}

static void emit_repeat(RegexCode *code, const RegexNode *node, int flags)
{
    bool simple = is_simple(node->body);
    if (flags & RE_TEMPLATE)
        fail(code, node->lazy ? "internal: unsupported template operator MIN_REPEAT"
                              : "internal: unsupported template operator MAX_REPEAT");
    RegexOp op = !simple ? OP_REPEAT : node->lazy ? OP_MIN_REPEAT_ONE : OP_REPEAT_ONE;
    size_t start = regex_emit(code, op), skip = regex_emit(code, 0);
    emit_two(code, node->low, node->high);
    emit_sequence(code, node->body, flags);
    if (simple) regex_emit(code, OP_SUCCESS);
    set_skip(code, skip, start);
    if (!simple) regex_emit(code, node->lazy ? OP_MIN_UNTIL : OP_MAX_UNTIL);
}

static void emit_group(RegexCode *code, const RegexNode *node, int flags)
{
    if (node->add_flags & RE_TYPE_FLAGS) flags &= ~RE_TYPE_FLAGS;
    flags = (flags | node->add_flags) & ~node->del_flags;
    if (node->value) emit_two(code, OP_MARK, 2 * (node->value - 1));
    emit_sequence(code, node->body, flags);
    if (node->value) emit_two(code, OP_MARK, 2 * node->value - 1);
}

static void emit_assertion(RegexCode *code, const RegexNode *node, int flags)
{
    const RegexSequence *body = node->body;
    if (node->look_behind && body->min_width != body->max_width)
        fail(code, "look-behind requires fixed-width pattern");
    size_t start = regex_emit(code, node->negative ? OP_ASSERT_NOT : OP_ASSERT);
    size_t skip = regex_emit(code, 0);
    regex_emit(code, node->look_behind ? body->min_width : 0);
    emit_sequence(code, body, flags);
    regex_emit(code, OP_SUCCESS);
    set_skip(code, skip, start);
}

// The jumps at the ends of the alternatives are chained by their skips until the end is known.
static void emit_branch(RegexCode *code, const RegexNode *node, int flags)
{
    size_t last = 0;
    regex_emit(code, OP_BRANCH);
    for (const RegexSequence *each = node->body; each; each = each->next) {
        size_t skip = regex_emit(code, 0);
        emit_sequence(code, each, flags);
        regex_emit(code, OP_JUMP);
        last = regex_emit(code, (uint32_t)last);
        set_skip(code, skip, skip);
    }
    regex_emit(code, 0);
    while (last) {
        size_t previous = code->words[last];
        set_skip(code, last, last - 1);
        last = previous;
    }
}

static void emit_condition(RegexCode *code, const RegexNode *node, int flags)
{
    const RegexSequence *other = node->body->next;
    size_t start = regex_emit(code, OP_CONDITION), jump = 0;
    regex_emit(code, node->value);
    size_t skip = regex_emit(code, 0);
    emit_sequence(code, node->body, flags);
    if (other && other->first) {
        jump = regex_emit(code, OP_JUMP);
        regex_emit(code, 0);
    }
    set_skip(code, skip, start);
    if (!jump) return;
    emit_sequence(code, other, flags);
    set_skip(code, jump + 1, jump);
}

static void emit_node(RegexCode *code, const RegexNode *node, int flags)
{
    switch (node->kind) {
    case NODE_LITERAL:
    case NODE_NOT_LITERAL: emit_literal(code, node, flags); break;
    case NODE_ANY: regex_emit(code, flags & RE_DOTALL ? OP_ANY_ALL : OP_ANY); break;
    case NODE_SET:
        regex_emit_set(code, node->items, node->negative, fold_of(flags),
                       (flags & RE_UNICODE) != 0);
        break;
    case NODE_AT: emit_two(code, OP_AT, anchor_of((RegexAnchor)node->value, flags)); break;
    case NODE_BACKREF:
        emit_two(code, OP_BACKREF, fold_of(flags));
        regex_emit(code, node->value);
        break;
    case NODE_GROUP: emit_group(code, node, flags); break;
    case NODE_BRANCH: emit_branch(code, node, flags); break;
    case NODE_REPEAT: emit_repeat(code, node, flags); break;
    case NODE_ASSERT: emit_assertion(code, node, flags); break;
    case NODE_CONDITION: emit_condition(code, node, flags); break;
    }
}

static void emit_sequence(RegexCode *code, const RegexSequence *sequence, int flags)
{
    if (!stack_check_room()) arena_fail(code->arena);
    for (const RegexNode *node = sequence->first; node; node = node->next)
        emit_node(code, node, flags);
}

static void compile_in(Arena *arena, ValueRef pattern, int flags, RegexProgram *program)
{
    RegexTree tree;
    RegexCode code = {.arena = arena};
    regex_parse(arena, pattern, flags, &tree);
    emit_sequence(&code, tree.body, tree.flags);
    regex_emit(&code, OP_SUCCESS);
    program->code = memory_alloc(code.size * sizeof *code.words);
    if (!program->code) {
        raise_memory_error();
        arena_fail(arena);
    }
    memcpy(program->code, code.words, code.size * sizeof *code.words);
    program->size = code.size;
    program->flags = tree.flags;
    program->groups = tree.groups - 1;
    program->min_width = tree.body->min_width;
    program->group_index = retain(tree.group_index);
}

bool regex_compile(ValueRef pattern, int flags, RegexProgram *program)
{
    Arena arena;
    *program = (RegexProgram){0};
    arena_begin(&arena);
    if (!setjmp(arena.failure)) compile_in(&arena, pattern, flags, program);
    arena_end(&arena);
    if (program->code) return true;
    return !error_pending() && regex_compile(pattern, flags | RE_VERBOSE, program);
}
