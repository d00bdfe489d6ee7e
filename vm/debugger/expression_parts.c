// See expression_parts.h.
#include "vm/debugger/expression_parts.h"

#include "compiler/opcode.h"
#include "objects/bytes/bytes.h"
#include "vm/trace/trace_view.h"

static int skip_prefixes(const Code *code, int offset)
{
    while (trace_instruction(code, offset).opcode == EXTENDED_ARG) offset += 2;
    return offset;
}

static bool is_opcode_at(const Code *code, int offset, int opcode)
{
    return offset >= 0 && trace_instruction(code, offset).opcode == opcode;
}

// ---- displays

// How many values an instruction adds to the list, set or dict that is `operand` below them on
// the stack; 0 = none.
static int added_values(int opcode)
{
    switch (opcode) {
    case LIST_EXTEND:
    case LIST_APPEND:
    case SET_UPDATE:
    case SET_ADD:
    case DICT_UPDATE:
    case DICT_MERGE: return 1;
    case MAP_ADD: return 2;
    default: return 0;
    }
}

// The instruction that first adds to the collection on top of the stack before this offset, or
// takes it off; -1 = none. It is enough to follow one path: all paths through an expression end
// with the same stack depth.
static int find_use(const Code *code, int offset, bool *adds)
{
    int64_t depth = 1; // of the stack, from the collection on
    while (offset < code_size(code)) {
        offset = skip_prefixes(code, offset);
        TraceInstruction at = trace_instruction(code, offset);
        int added = added_values(at.opcode);
        *adds =
            (added && at.operand == depth - added) || (at.opcode == LIST_TO_TUPLE && depth == 1);
        if (*adds || depth <= opcode_takes(at.opcode, at.operand)) return offset;
        if (at.opcode == JUMP_ABSOLUTE) return -1;
        depth += opcode_stack_effect(at.opcode, at.operand, at.opcode == JUMP_FORWARD);
        offset += 2 + (at.opcode == JUMP_FORWARD ? at.operand : 0);
    }
    return -1;
}

// Does the instruction finish a list, set, dict or tuple that the program's text shows? Not where a
// later one adds to it, nor where it holds the arguments of a call: these begin where the call
// does.
static bool finishes_display(const Code *code, int offset)
{
    bool adds;
    int use = find_use(code, offset + 2, &adds);
    if (use < 0 || adds) return use < 0;
    const Position *positions = code->positions;
    return !positions || !is_opcode_at(code, use, CALL_FUNCTION_EX) ||
           positions[offset / 2].line != positions[use / 2].line ||
           positions[offset / 2].column != positions[use / 2].column;
}

static bool same_position(const Position *a, const Position *b)
{
    return a->line == b->line && a->column == b->column && a->end_line == b->end_line &&
           a->end_column == b->end_column;
}

// The items after ** in {**a, 'b': 1} are first collected in a dict of their own.
static bool is_piece(const Code *code, int offset)
{
    bool joins = offset + 2 < code_size(code) && (is_opcode_at(code, offset + 2, DICT_UPDATE) ||
                                                  is_opcode_at(code, offset + 2, DICT_MERGE));
    const Position *positions = code->positions;
    return joins && positions && same_position(&positions[offset / 2], &positions[offset / 2 + 1]);
}

// ---- statements

static bool is_call_of_with(const Code *code, int offset)
{
    return is_opcode_at(code, offset, CALL_FUNCTION) && is_opcode_at(code, offset - 2, DUP_TOP);
}

static bool is_wait_of_statement(const Code *code, int offset)
{
    if (is_opcode_at(code, offset - 4, GET_ANEXT)) return true;
    int asked = offset - 6; // then GET_AWAITABLE, LOAD_CONST
    return is_opcode_at(code, offset - 4, GET_AWAITABLE) &&
           (is_opcode_at(code, asked, BEFORE_ASYNC_WITH) ||
            is_opcode_at(code, asked, WITH_EXCEPT_START) || is_call_of_with(code, asked));
}

bool part_ends(const Code *code, int offset)
{
    offset = skip_prefixes(code, offset);
    TraceInstruction at = trace_instruction(code, offset);
    switch (at.opcode) {
    case BUILD_LIST:
    case BUILD_SET:
    case BUILD_MAP:
    case BUILD_CONST_KEY_MAP: return finishes_display(code, offset) && !is_piece(code, offset);
    case LIST_EXTEND:
    case LIST_APPEND:
    case SET_UPDATE:
    case SET_ADD:
    case DICT_UPDATE: return at.operand == 1 && finishes_display(code, offset);
    case BUILD_TUPLE:
    case LIST_TO_TUPLE: return finishes_display(code, offset);
    case CALL_FUNCTION: return !is_call_of_with(code, offset);
    case YIELD_FROM: return !is_wait_of_statement(code, offset);
    default: return opcode_is(at.opcode, COMPUTES);
    }
}
