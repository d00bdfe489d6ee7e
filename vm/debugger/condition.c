// See condition.h.
#include "vm/debugger/condition.h"

#include "compiler/compile.h"
#include "compiler/opcode.h"
#include "vm/growing.h"

#include "objects/bytes/bytes.h"
#include "objects/cell.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/looking/peek.h"
#include "objects/text/str.h"

#include <string.h>

#define STACK 16

// ---- for the prompt

Value condition_compile(const char *text)
{
    Value name = str_new("<string>");
    CompileOptions options = {.mode = MODE_EVAL, .filename = name};
    Value code = name ? compile_source(text, strlen(text), &options) : VALUE_ERROR;
    drop(name);
    return code;
}

static bool keep_text(char field[CONDITION_TEXT], ValueRef str)
{
    const Str *text = as_str(str);
    if (!text->ascii || text->length >= CONDITION_TEXT) return false;
    memcpy(field, text->data, (size_t)text->length);
    field[text->length] = 0;
    return strlen(field) == (size_t)text->length;
}

static bool keep_constant(ConditionConstant *constant, ValueRef value)
{
    constant->is_text = str_check_exact(value);
    constant->bits = bits_of(value);
    return constant->is_text ? keep_text(constant->text, value) : !is_object(value);
}

static bool keep_code(SimpleCondition *condition, const Code *code)
{
    ssize_t names = tuple_size(code->names), constants = tuple_size(code->consts);
    if (code_size(code) > CONDITION_BYTES || code->stacksize > STACK ||
        names > CONDITION_OPERANDS || constants > CONDITION_OPERANDS)
        return false;
    for (ssize_t i = 0; i < names; i++)
        if (!keep_text(condition->names[i], tuple_at(code->names, i))) return false;
    for (ssize_t i = 0; i < constants; i++)
        if (!keep_constant(&condition->constants[i], tuple_at(code->consts, i))) return false;
    memcpy(condition->code, as_bytes(code->code)->data, (size_t)code_size(code));
    condition->size = (int)code_size(code);
    return true;
}

void condition_keep(SimpleCondition *condition, const char *text)
{
    Value code = *text ? condition_compile(text) : VALUE_ERROR;
    if (!code || !keep_code(condition, as_code(code))) condition->size = 0;
    drop(code);
    error_clear();
}

// ---- for the main line: operands and operations. All of them: false = give up

// A value, or a text constant of the condition.
typedef struct Datum {
    ValueRef value;
    const char *text; // or NULL
} Datum;

static bool find(ValueRef value, Datum *found)
{
    *found = (Datum){value, NULL};
    return value && value != ABSENT;
}

// Cells first: if an argument is a cell variable, its own slot is empty.
static ValueRef variable(const Frame *frame, const char *name)
{
    const Code *code = as_code(frame->code);
    int cells = code_cell_count(code), linked = cells + code_free_count(code);
    for (int i = 0; i < linked; i++) {
        ValueRef known =
            i < cells ? tuple_at(code->cellvars, i) : tuple_at(code->freevars, i - cells);
        ValueRef cell = frame->localsplus[code->nlocals + i];
        if (str_equal_ascii(known, name)) return cell ? (ValueRef)as_cell(cell)->contents : 0;
    }
    for (int i = 0; i < code->nlocals; i++)
        if (str_equal_ascii(tuple_at(code->varnames, i), name)) return frame->localsplus[i];
    return ABSENT;
}

static bool load_name(const Frame *frame, const char *name, Datum *found)
{
    ValueRef value = ABSENT;
    if (as_code(frame->code)->flags & CO_OPTIMIZED) {
        value = variable(frame, name);
    } else if (frame->flags & FRAME_LOCALS) {
        if (!dict_check_exact(frame->locals)) return false;
        value = dict_peek_ascii(frame->locals, name);
        if (!value) value = ABSENT;
    }
    return find(value == ABSENT ? dict_peek_ascii(frame->globals, name) : value, found);
}

static bool load_attribute(Datum *top, const char *text)
{
    ValueRef name = str_find_interned(text);
    return !top->text && name && find(peek_attribute(top->value, name), top);
}

static bool load_item(Datum *of, Datum key)
{
    if (of->text) return false;
    if (dict_check_exact(of->value) && key.text)
        return find(dict_peek_ascii(of->value, key.text), of);
    if (key.text) return false;
    if (dict_check_exact(of->value)) return find(peek_key(of->value, key.value), of);
    if (!is_small(key.value)) return false;
    bool is_list = list_check_exact(of->value);
    if (!is_list && !tuple_check_exact(of->value)) return false;
    int64_t index = small_value(key.value);
    if (index < 0) index += is_list ? list_size(of->value) : tuple_size(of->value);
    return index >= 0 && find(peek_item(of->value, index), of);
}

static bool truth_of(Datum operand, bool *truth)
{
    ValueRef value = operand.value;
    if (operand.text)
        *truth = *operand.text != 0;
    else if (is_bool(value) || value == NONE)
        *truth = value == TRUE;
    else if (is_small(value))
        *truth = small_value(value) != 0;
    else if (str_check_exact(value) || list_check_exact(value) || tuple_check_exact(value) ||
             dict_check_exact(value))
        *truth = peek_length(value) > 0;
    else
        return false;
    return true;
}

static bool text_equal(Datum a, Datum b, bool *equal)
{
    if (a.text && b.text)
        *equal = strcmp(a.text, b.text) == 0;
    else if (a.text && str_check_exact(b.value))
        *equal = str_equal_ascii(b.value, a.text);
    else if (b.text && str_check_exact(a.value))
        *equal = str_equal_ascii(a.value, b.text);
    else if (!a.text && !b.text && str_check_exact(a.value) && str_check_exact(b.value))
        *equal = str_equal(a.value, b.value);
    else
        return false;
    return true;
}

static bool is_number(Datum operand, double *number)
{
    if (operand.text || !(is_small(operand.value) || is_double(operand.value))) return false;
    *number =
        is_small(operand.value) ? (double)small_value(operand.value) : double_value(operand.value);
    return true;
}

static bool compare(Datum *a, Datum b, int op)
{
    double x, y;
    bool result;
    if (!is_number(*a, &x) || !is_number(b, &y)) {
        if ((op != COMPARE_EQ && op != COMPARE_NE) || !text_equal(*a, b, &result)) return false;
        return find(from_bool(result == (op == COMPARE_EQ)), a);
    }
    switch (op) {
    case COMPARE_LT: result = x < y; break;
    case COMPARE_LE: result = x <= y; break;
    case COMPARE_EQ: result = x == y; break;
    case COMPARE_NE: result = x != y; break;
    case COMPARE_GT: result = x > y; break;
    default: result = x >= y;
    }
    return find(from_bool(result), a);
}

static bool compute(Datum *a, Datum b, int opcode)
{
    if (a->text || b.text || !are_small(a->value, b.value)) return false;
    int64_t x = small_value(a->value), y = small_value(b.value), result = 0;
    bool divides = opcode == BINARY_FLOOR_DIVIDE || opcode == BINARY_MODULO;
    if (divides && y == 0) return false;
    int64_t rest = divides ? x % y : 0;
    bool below = rest && (rest < 0) != (y < 0); // C rounds towards 0
    switch (opcode) {
    case BINARY_ADD: result = x + y; break;
    case BINARY_SUBTRACT: result = x - y; break;
    case BINARY_MULTIPLY:
        if (__builtin_mul_overflow(x, y, &result)) return false;
        break;
    case BINARY_FLOOR_DIVIDE: result = x / y - below; break;
    default: result = below ? rest + y : rest;
    }
    return fits_small(result) && find(from_small(result), a);
}

// ---- the interpreter

typedef struct Machine {
    const SimpleCondition *condition;
    const Frame *frame;
    Datum stack[STACK + 1]; // stack[0] stays empty, so that there always is a top
    Datum *top;
    int next; // the offset of the next instruction
} Machine;

static bool push(Machine *machine, Datum operand)
{
    *++machine->top = operand;
    return true;
}

static bool load_constant(Machine *machine, const ConditionConstant *constant)
{
    ValueRef value = constant->is_text ? (ValueRef)NONE : (ValueRef)from_bits(constant->bits);
    return push(machine, (Datum){value, constant->is_text ? constant->text : NULL});
}

// The jumps of an expression lead forwards only, so this loop ends.
static bool jump(Machine *machine, int opcode, int target)
{
    bool truth, keeps = opcode == JUMP_IF_FALSE_OR_POP || opcode == JUMP_IF_TRUE_OR_POP;
    bool wanted = opcode == JUMP_IF_TRUE_OR_POP || opcode == POP_JUMP_IF_TRUE;
    if (!truth_of(*machine->top, &truth)) return false;
    bool jumps = truth == wanted;
    if (!jumps || !keeps) machine->top--;
    if (jumps) machine->next = target;
    return true;
}

static bool rotate(Machine *machine, int count)
{
    Datum top = *machine->top;
    memmove(machine->top - count + 2, machine->top - count + 1, (size_t)(count - 1) * sizeof top);
    machine->top[1 - count] = top;
    return true;
}

static bool is_same(Datum *a, Datum b, int inverted)
{
    if (a->text || b.text) return false;
    return find(from_bool((bits_of(a->value) == bits_of(b.value)) != inverted), a);
}

static bool negate(Datum *top)
{
    bool truth;
    return truth_of(*top, &truth) && find(from_bool(!truth), top);
}

static bool step(Machine *machine, int opcode, int operand)
{
    const SimpleCondition *condition = machine->condition;
    Datum found, *top = machine->top;
    switch (opcode) {
    case LOAD_CONST: return load_constant(machine, &condition->constants[operand]);
    case LOAD_NAME:
        return load_name(machine->frame, condition->names[operand], &found) && push(machine, found);
    case LOAD_ATTR: return load_attribute(top, condition->names[operand]);
    case BINARY_SUBSCR: return load_item(--machine->top, *top);
    case BINARY_ADD:
    case BINARY_SUBTRACT:
    case BINARY_MULTIPLY:
    case BINARY_FLOOR_DIVIDE:
    case BINARY_MODULO: return compute(--machine->top, *top, opcode);
    case COMPARE_OP: return compare(--machine->top, *top, operand);
    case IS_OP: return is_same(--machine->top, *top, operand);
    case UNARY_NOT: return negate(top);
    case DUP_TOP: return push(machine, *top);
    case POP_TOP: return machine->top--, true;
    case ROT_TWO: return rotate(machine, 2);
    case ROT_THREE: return rotate(machine, 3);
    case JUMP_IF_FALSE_OR_POP:
    case JUMP_IF_TRUE_OR_POP:
    case POP_JUMP_IF_FALSE:
    case POP_JUMP_IF_TRUE: return jump(machine, opcode, operand);
    case JUMP_FORWARD: return machine->next += operand, true;
    default: return false;
    }
}

bool condition_decide(const SimpleCondition *condition, const Frame *frame, bool *holds)
{
    if (growing_in_variable()) return false;
    Machine machine = {.condition = condition, .frame = frame};
    machine.top = machine.stack;
    while (machine.next < condition->size) {
        const uint8_t *instruction = condition->code + machine.next;
        if (*instruction == RETURN_VALUE) return truth_of(*machine.top, holds);
        machine.next += 2;
        if (!step(&machine, instruction[0], instruction[1])) return false;
    }
    return false;
}
