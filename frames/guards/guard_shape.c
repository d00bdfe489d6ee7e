// Shape guards: conditions on the sizes of tensors, such as 2 <= L['x'].size()[0] <= 4.
//
// A script gives the condition as a list of steps for a machine with a stack, and its text as
// verbose_code_parts. The machine is the loop in run(); it calls nothing and allocates nothing.
//
//     [2, (x, "size", 0), "<=", (x, "size", 0), 4, "<=", "and"]
//
//      2   L['x'].size()[0]  <=   L['x'].size()[0]   4   <=   and        steps
//      2        2 3           1         1 3        1 3 4  1 1   1        stack, where size 0 is 3
//
// A tuple reads a number from the value of a GuardManager: "size" or "stride" of a dimension,
// "storage_offset" of a tensor, or the "value" of an int. An operator takes two numbers off the
// stack, "not" one, and puts its result there. If a number cannot be read, a division is by zero or
// a result does not fit into 64 bits, the guard fails. (PyTorch makes a Python function of such
// conditions, and so the tree names them LAMBDA_GUARD; here no script code runs.)
#include "frames/guards/guard_describe.h"
#include "frames/guards/guard_tree.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/tensor/tensor.h"

#define MOST_NUMBERS 32 // on the stack

typedef enum StepKind {
    STEP_NUMBER,
    READ_SIZE,
    READ_STRIDE,
    READ_STORAGE_OFFSET,
    READ_VALUE,
    STEP_NOT,
    FIRST_BINARY,
    STEP_ADD = FIRST_BINARY,
    STEP_SUBTRACT,
    STEP_MULTIPLY,
    STEP_DIVIDE,
    STEP_REMAINDER,
    STEP_LESS,
    STEP_LESS_EQUAL,
    STEP_EQUAL,
    STEP_NOT_EQUAL,
    STEP_MIN,
    STEP_MAX,
    STEP_AND,
    STEP_OR,
    STEP_KINDS
} StepKind;

static const char *const step_words[STEP_KINDS] = {
    [READ_SIZE] = "size",   [READ_STRIDE] = "stride",
    [READ_VALUE] = "value", [READ_STORAGE_OFFSET] = "storage_offset",
    [STEP_NOT] = "not",     [STEP_ADD] = "+",
    [STEP_SUBTRACT] = "-",  [STEP_MULTIPLY] = "*",
    [STEP_DIVIDE] = "//",   [STEP_REMAINDER] = "%",
    [STEP_LESS] = "<",      [STEP_LESS_EQUAL] = "<=",
    [STEP_EQUAL] = "==",    [STEP_NOT_EQUAL] = "!=",
    [STEP_MIN] = "min",     [STEP_MAX] = "max",
    [STEP_AND] = "and",     [STEP_OR] = "or",
};

typedef struct ShapeStep {
    StepKind kind;
    const GuardNode *node; // whose value is read
    int64_t number;        // of STEP_NUMBER; the dimension that is read
} ShapeStep;

struct ShapeGuard {
    ShapeGuard *next;
    Value parts; // a tuple of strs
    size_t count;
    ShapeStep steps[];
};

// ---- deciding

static bool read_tensor(const ShapeStep *step, const Tensor *tensor, int64_t *number)
{
    bool of_dim = step->kind != READ_STORAGE_OFFSET;
    if (of_dim && step->number >= tensor->ndim) return false;
    const Dim *dims = step->kind == READ_STRIDE ? tensor_strides(tensor) : tensor_sizes(tensor);
    ValueRef dim = of_dim ? dims[step->number] : tensor->offset;
    if (!is_small(dim)) return false; // a SymInt: only code could tell
    *number = small_value(dim);
    return true;
}

static bool read_number(const ShapeStep *step, int64_t *number)
{
    ValueRef value = step->node->value;
    if (step->kind == READ_VALUE)
        return int_check_exact(value) && int_as_int64_clamped(value, number) == 0;
    return tensor_check(value) && read_tensor(step, as_tensor(value), number);
}

// As Python's // and %.
static bool divide(StepKind kind, int64_t a, int64_t b, int64_t *result)
{
    if (b == 0 || (a == INT64_MIN && b == -1)) return false;
    int64_t quotient = a / b, rest = a % b;
    bool down = rest != 0 && (rest < 0) != (b < 0);
    *result = kind == STEP_DIVIDE ? quotient - down : down ? rest + b : rest;
    return true;
}

static bool combine(StepKind kind, int64_t a, int64_t b, int64_t *result)
{
    switch (kind) {
    case STEP_ADD: return !__builtin_add_overflow(a, b, result);
    case STEP_SUBTRACT: return !__builtin_sub_overflow(a, b, result);
    case STEP_MULTIPLY: return !__builtin_mul_overflow(a, b, result);
    case STEP_DIVIDE:
    case STEP_REMAINDER: return divide(kind, a, b, result);
    case STEP_LESS: *result = a < b; break;
    case STEP_LESS_EQUAL: *result = a <= b; break;
    case STEP_EQUAL: *result = a == b; break;
    case STEP_NOT_EQUAL: *result = a != b; break;
    case STEP_MIN: *result = a < b ? a : b; break;
    case STEP_MAX: *result = a > b ? a : b; break;
    case STEP_AND: *result = a && b; break;
    default: *result = a || b; break;
    }
    return true;
}

static bool run(const ShapeGuard *guard, int64_t *stack)
{
    int depth = 0;
    for (const ShapeStep *step = guard->steps; step < guard->steps + guard->count; step++) {
        if (step->kind == STEP_NUMBER) {
            stack[depth++] = step->number;
        } else if (step->kind < STEP_NOT) {
            if (!read_number(step, &stack[depth++])) return false;
        } else if (step->kind == STEP_NOT) {
            stack[depth - 1] = !stack[depth - 1];
        } else {
            depth--;
            int64_t *at = &stack[depth - 1];
            if (!combine(step->kind, at[0], at[1], at)) return false;
        }
    }
    invariant(depth == 1, "a condition leaves one number on the stack");
    return true;
}

bool guard_shape_holds(const ShapeGuard *guard)
{
    int64_t stack[MOST_NUMBERS];
    return run(guard, stack) && stack[0];
}

// ---- compiling

static bool find_word(ValueRef word, StepKind first, StepKind end, StepKind *kind)
{
    for (*kind = first; *kind < end; (*kind)++)
        if (str_check_exact(word) && str_equal_ascii(word, step_words[*kind])) return true;
    return false;
}

static bool raise_bad_step(ValueRef step)
{
    return raise_error(TypeError,
                       "a step must be an int, the str of an operator, or a tuple (manager, "
                       "'size', dimension), (manager, 'storage_offset') or (manager, 'value'), "
                       "not '%T'",
                       step);
}

static bool compile_read(const RootGuardManager *root, ValueRef item, ShapeStep *step)
{
    ssize_t size = tuple_size(item);
    if (size < 2 || !is_exactly(tuple_at(item, 0), &guard_manager_type) ||
        !find_word(tuple_at(item, 1), READ_SIZE, STEP_NOT, &step->kind))
        return raise_bad_step(item);
    bool of_dim = step->kind == READ_SIZE || step->kind == READ_STRIDE;
    if (size != (of_dim ? 3 : 2)) return raise_bad_step(item);
    ValueRef manager = tuple_at(item, 0), dim = of_dim ? tuple_at(item, 2) : from_small(0);
    if (manager_root(manager) != root)
        return raise_error(ValueError, "a step reads the value of a GuardManager of another tree");
    if (!is_small(dim) || small_value(dim) < 0 || small_value(dim) >= TENSOR_MAX_DIMS)
        return raise_error(ValueError, "a dimension must be an int from 0 to %d",
                           TENSOR_MAX_DIMS - 1);
    step->node = as_manager(manager)->node;
    step->number = small_value(dim);
    return true;
}

static bool compile_step(const RootGuardManager *root, ValueRef item, ShapeStep *step)
{
    if (tuple_check_exact(item)) return compile_read(root, item, step);
    if (int_check(item)) return int_as_int64(item, &step->number); // STEP_NUMBER is 0
    if (!str_check_exact(item)) return raise_bad_step(item);
    return find_word(item, STEP_NOT, STEP_KINDS, &step->kind) ||
           raise_error(ValueError, "there is no operator %R", item);
}

// How many numbers are on the stack after the step; -1 with ValueError pending.
static int depth_after(const ShapeStep *step, int depth)
{
    int takes = step->kind < STEP_NOT ? 0 : step->kind == STEP_NOT ? 1 : 2;
    if (depth < takes) {
        raise_error(ValueError, "an operator finds no number on the stack");
        return -1;
    }
    if (depth - takes < MOST_NUMBERS) return depth - takes + 1;
    raise_error(ValueError, "more than %d numbers on the stack", MOST_NUMBERS);
    return -1;
}

static bool compile(const RootGuardManager *root, ValueRef program, ShapeGuard *guard)
{
    int depth = 0;
    for (size_t i = 0; i < guard->count && depth >= 0; i++) {
        ShapeStep *step = &guard->steps[i];
        if (!compile_step(root, list_at(program, (ssize_t)i), step)) return false;
        depth = depth_after(step, depth);
    }
    return depth == 1 || (depth >= 0 && raise_error(ValueError,
                                                    "a condition leaves one number on the stack, "
                                                    "not %d",
                                                    depth));
}

bool guard_root_add_shape(RootGuardManager *root, ValueRef program, Value parts)
{
    size_t count = (size_t)list_size(program);
    ShapeGuard *guard = memory_alloc_zeroed(sizeof *guard + count * sizeof *guard->steps);
    if (!guard) {
        drop(parts);
        return raise_memory_error();
    }
    guard->parts = parts;
    guard->count = count;
    if (!compile(root, program, guard)) {
        guard_shape_free(guard);
        return false;
    }
    ShapeGuard **link = &root->shape_guards;
    while (*link) link = &(*link)->next;
    *link = guard;
    root->has_relations = true;
    return true;
}

void guard_shape_free(ShapeGuard *guard)
{
    drop(guard->parts);
    memory_free(guard);
}

// ---- what there is to say

ValueRef guard_shape_parts(const ShapeGuard *guard)
{
    return guard->parts;
}

ShapeGuard *guard_shape_next(const ShapeGuard *guard)
{
    return guard->next;
}

static bool same_read(const ShapeStep *a, const ShapeStep *b)
{
    return a->kind == b->kind && a->node == b->node && a->number == b->number;
}

static bool is_first_read(const ShapeGuard *guard, const ShapeStep *step)
{
    if (step->kind == STEP_NUMBER || step->kind >= STEP_NOT) return false;
    for (const ShapeStep *other = guard->steps; other < step; other++)
        if (same_read(other, step)) return false;
    return true;
}

// "L['x'].size()[0]"
static Value read_text(const ShapeStep *step)
{
    Value source = guard_source(step->node), text = VALUE_ERROR;
    const char *word = step_words[step->kind];
    if (!source || step->kind == READ_VALUE) return source;
    if (step->kind == READ_STORAGE_OFFSET)
        text = format_text("%S.%s()", (ValueRef)source, word);
    else
        text = format_text("%S.%s()[%lld]", (ValueRef)source, word, (long long)step->number);
    drop(source);
    return text;
}

static Value enclosed(const char *format, Value text)
{
    Value whole = text ? format_text(format, (ValueRef)text) : VALUE_ERROR;
    drop(text);
    return whole;
}

// " = 3", or what stands there instead of a tensor or a small int.
static Value number_text(const ShapeStep *step)
{
    int64_t number;
    ValueRef value = step->node->value;
    if (read_number(step, &number)) return format_text(" = %lld", (long long)number);
    if (step->kind == READ_VALUE) return enclosed(" = %S", guard_describe(value));
    return enclosed(", which %S does not have", guard_type_phrase(type_of(value)));
}

static bool append_read(StrBuilder *builder, const ShapeStep *step, bool first)
{
    Value text = read_text(step), number = text ? number_text(step) : VALUE_ERROR;
    bool done = number && (first || builder_text(builder, ", ")) && builder_str(builder, text) &&
                builder_str(builder, number);
    drop(text);
    drop(number);
    return done;
}

Value guard_shape_found(const ShapeGuard *guard)
{
    StrBuilder builder;
    builder_begin(&builder);
    bool done = true, first = true;
    for (const ShapeStep *step = guard->steps; done && step < guard->steps + guard->count; step++) {
        if (!is_first_read(guard, step)) continue;
        done = append_read(&builder, step, first);
        first = false;
    }
    if (done) return builder_finish(&builder);
    builder_abandon(&builder);
    return VALUE_ERROR;
}
