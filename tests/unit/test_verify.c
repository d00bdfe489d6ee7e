// The verifier: what it refuses and in which words, and that it refuses nothing else.
//
// Most of the wrong code is made from verify_recipes.def: each rule about the stack, the blocks and
// the operands is broken with every instruction that can break it, in every degree. What the
// message must say follows from the recipe and from the words of the rule, which stand here once
// more. The rest is written out by hand.
#include "tests/unit/unit.h"

#include "compiler/opcode.h"
#include "compiler/verify/verify.h"

#include "objects/error.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <stdarg.h>
#include <stdio.h>

#define FUNCTION (CO_OPTIMIZED | CO_NEWLOCALS)
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

typedef enum Rule {
    ANY,
    CONSTS,
    NAMES,
    LOCALS,
    CELLS,
    FROM_0_TO_1,
    FROM_0_TO_2,
    FROM_2_TO_3,
    FROM_0_TO_5,
    FROM_0_TO_7,
    FROM_0_TO_15,
    FROM_1,
    YIELDS,
    RELATIVE,
    ABSOLUTE,
    ABSOLUTE_ON // never back
} Rule;

typedef enum Flow { ON, JUMPS, ENDS, RETURNS, SETS_UP, IN_BLOCK, IN_HANDLER } Flow;

typedef struct Recipe {
    const char *name;
    int opcode;
    unsigned operand;
    int looks, takes, gives;
    Rule rule;
    Flow flow;
} Recipe;

static const Recipe recipes[] = {
#define RECIPE(opcode, operand, looks, takes, gives, rule, flow)                                   \
    {#opcode, opcode, operand, looks, takes, gives, rule, flow},
#include "tests/unit/verify_recipes.def"
#undef RECIPE
};

// ---- code to be verified

typedef struct Sample {
    uint8_t bytes[4000];
    int size, stacksize, flags;
    char shown[40]; // the instruction that is wrong, as the message shows it
} Sample;

static const Sample empty = {.stacksize = 40, .flags = FUNCTION};
static int refusals;

static Value pack_names(const char *first, const char *second, const char *third)
{
    const char *const names[] = {first, second, third};
    Value tuple = tuple_new(!!first + !!second + !!third);
    for (ssize_t i = 0; i < tuple_size(tuple); i++)
        as_tuple(tuple)->items[i] = str_intern(names[i]);
    return tuple;
}

// Three constants, two names, three variables, one cell and one free variable.
static Value make_code(const Sample *sample)
{
    Value none = tuple_pack(3, (ValueRef)NONE, (ValueRef)NONE, (ValueRef)NONE);
    Value names = pack_names("a", "b", NULL), variables = pack_names("x", "y", "z");
    Value cells = pack_names("c", NULL, NULL), frees = pack_names("d", NULL, NULL);
    Value bytes = bytes_new((const char *)sample->bytes, (size_t)sample->size);
    Value lines = bytes_new("", 0), file = str_new("test"), name = str_new("f");
    CodeFields fields = {.nlocals = 3,
                         .stacksize = sample->stacksize,
                         .flags = sample->flags,
                         .firstlineno = 1,
                         .code = bytes,
                         .consts = none,
                         .names = names,
                         .varnames = variables,
                         .freevars = frees,
                         .cellvars = cells,
                         .filename = file,
                         .name = name,
                         .lnotab = lines};
    Value code = code_new(&fields);
    Value made[] = {none, names, variables, cells, frees, bytes, lines, file, name};
    for (int i = 0; i < COUNT(made); i++) drop(made[i]);
    return code;
}

static void assert_refused(ValueRef code, const char *message)
{
    bool accepted = code_verify(as_code(code));
    ck_assert_msg(!accepted, "accepted, where this is expected: %s", message);
    ck_assert(error_is(SystemError));
    Value exception = error_take(), text = object_str(exception);
    ck_assert_str_eq(str_utf8(text, NULL), message);
    drop(text);
    drop(exception);
    refusals++;
}

// It is wrong at this offset, by this rule.
__attribute__((format(printf, 3, 4))) static void refused(const Sample *sample, int offset,
                                                          const char *rule, ...)
{
    char reason[200], message[300];
    va_list arguments;
    va_start(arguments, rule);
    vsnprintf(reason, sizeof reason, rule, arguments);
    va_end(arguments);
    snprintf(message, sizeof message, "code 'f' cannot run: offset %d, %s: %s", offset,
             sample->shown, reason);
    Value code = make_code(sample);
    assert_refused(code, message);
    drop(code);
}

static void accepted(const Sample *sample)
{
    Value code = make_code(sample);
    code_verify(as_code(code));
    assert_no_error();
    drop(code);
}

// ---- putting instructions together

// Returns the offset of the instruction itself, after its EXTENDED_ARGs.
static int emit(Sample *sample, int opcode, unsigned operand)
{
    for (int shift = 24; shift > 0; shift -= 8) {
        if (!(operand >> shift)) continue;
        sample->bytes[sample->size++] = EXTENDED_ARG;
        sample->bytes[sample->size++] = (uint8_t)(operand >> shift);
    }
    sample->bytes[sample->size++] = (uint8_t)opcode;
    sample->bytes[sample->size++] = (uint8_t)operand;
    return sample->size - 2;
}

static void push(Sample *sample, int count)
{
    while (count-- > 0) emit(sample, LOAD_CONST, 0);
}

static void emit_return(Sample *sample)
{
    push(sample, 1);
    emit(sample, RETURN_VALUE, 0);
}

static void show(Sample *sample, const Recipe *recipe, unsigned operand)
{
    bool has_operand = recipe->opcode >= HAVE_ARGUMENT;
    snprintf(sample->shown, sizeof sample->shown, has_operand ? "%s %u" : "%s", recipe->name,
             operand);
    if (recipe->rule == YIELDS) sample->flags = FUNCTION | CO_GENERATOR;
}

static int emit_with(Sample *sample, const Recipe *recipe, unsigned operand)
{
    show(sample, recipe, operand);
    return emit(sample, recipe->opcode, operand);
}

// The instruction as its recipe has it.
static int emit_recipe(Sample *sample, const Recipe *recipe)
{
    unsigned operand = recipe->operand;
    if (recipe->rule == RELATIVE) operand = 4;
    if (recipe->rule == ABSOLUTE || recipe->rule == ABSOLUTE_ON)
        operand = (unsigned)sample->size + 6;
    return emit_with(sample, recipe, operand);
}

// What may follow: two instructions, and then the target of a jump.
static void end(Sample *sample)
{
    emit_return(sample);
    emit_return(sample);
}

// A block, and the code after it that leaves it; what comes next is its handler, or, if not asked
// for, inside the block. The offset of its SETUP_FINALLY.
static int begin_block(Sample *sample, bool in_handler)
{
    int setup = emit(sample, SETUP_FINALLY, in_handler ? 6 : 60);
    if (!in_handler) return setup;
    emit(sample, POP_BLOCK, 0);
    emit_return(sample);
    return setup;
}

// The handler of a block that was begun `in_handler` false.
static void end_block(Sample *sample, int setup)
{
    while (sample->size < setup + 62) emit(sample, NOP, 0);
    for (int i = 0; i < 3; i++) emit(sample, POP_TOP, 0);
    emit(sample, POP_EXCEPT, 0);
    emit_return(sample);
}

// ---- each rule about the stack and the blocks, with every instruction

static void too_few_values(const Recipe *recipe)
{
    for (int have = 0; have < recipe->looks; have++) {
        Sample sample = empty;
        push(&sample, have);
        int at = emit_recipe(&sample, recipe);
        end(&sample);
        refused(&sample, at, "needs %d values, but the stack holds %d", recipe->looks, have);
    }
}

static void too_many_values(const Recipe *recipe)
{
    int deep = recipe->looks - recipe->takes + recipe->gives;
    if (recipe->opcode == SETUP_ASYNC_WITH)
        deep = recipe->looks + 5;
    else if (recipe->flow == SETS_UP)
        deep = recipe->looks + 6;
    if (deep <= recipe->looks || recipe->flow == IN_HANDLER) return;
    for (int room = recipe->looks; room < deep; room++) {
        Sample sample = empty;
        sample.stacksize = room;
        push(&sample, recipe->looks);
        int at = emit_recipe(&sample, recipe);
        end(&sample);
        refused(&sample, at, "makes the stack %d deep, but co_stacksize is %d", deep, room);
    }
}

// With a mark among the values that it looks at, at each index.
static void use_of_a_mark(const Recipe *recipe)
{
    for (int above = 0; above < recipe->looks; above++) {
        if (recipe->opcode == CALL_METHOD && above + 1 == recipe->takes) continue;
        Sample sample = empty;
        push(&sample, recipe->looks + 1);
        int made = emit(&sample, LOAD_METHOD, 0);
        if (above == 0)
            emit(&sample, POP_TOP, 0);
        else
            push(&sample, above - 1);
        int at = emit_recipe(&sample, recipe);
        end(&sample);
        refused(&sample, at, "uses what the LOAD_METHOD at offset %d left for its CALL_METHOD",
                made);
    }
}

static bool has_rules_of_its_own(const Recipe *recipe)
{
    return recipe->flow == RETURNS || recipe->flow == IN_HANDLER;
}

static void values_from_outside_of_the_block(const Recipe *recipe)
{
    if (has_rules_of_its_own(recipe)) return;
    for (int inside = 0; inside < recipe->takes; inside++) {
        Sample sample = empty;
        push(&sample, recipe->looks);
        int setup = begin_block(&sample, false);
        push(&sample, inside);
        int at = emit_recipe(&sample, recipe);
        emit(&sample, POP_BLOCK, 0);
        end(&sample);
        end_block(&sample, setup);
        refused(&sample, at, "takes a value from outside of the block that begins at offset %d",
                setup);
    }
}

static void values_of_the_handler(const Recipe *recipe)
{
    if (has_rules_of_its_own(recipe)) return;
    for (int inside = 0; inside < recipe->takes; inside++) {
        if (recipe->opcode == ROT_FOUR && inside == 1) continue;
        Sample sample = empty;
        push(&sample, recipe->looks);
        begin_block(&sample, true);
        push(&sample, inside > 3 ? inside - 3 : 0);
        for (int i = inside; i < 3; i++) emit(&sample, POP_TOP, 0);
        int at = emit_recipe(&sample, recipe);
        end(&sample);
        refused(&sample, at, "takes one of the three values that are for POP_EXCEPT");
    }
}

static void after_lifting(const Recipe *recipe)
{
    if (recipe->opcode == POP_EXCEPT) return;
    Sample sample = empty;
    push(&sample, recipe->looks);
    begin_block(&sample, true);
    for (int i = 0; i < 2; i++) emit(&sample, POP_TOP, 0);
    emit(&sample, ROT_FOUR, 0);
    int at = emit_recipe(&sample, recipe);
    end(&sample);
    refused(&sample, at, "only POP_EXCEPT may come after a ROT_FOUR that moves its values");
}

static void end_of_the_code(const Recipe *recipe)
{
    if (recipe->flow != ON || recipe->opcode == EXTENDED_ARG) return;
    Sample sample = empty;
    push(&sample, recipe->looks);
    int at = emit_recipe(&sample, recipe);
    refused(&sample, at, "runs off the end of the code");
}

static void place_in_no_handler(const Recipe *recipe)
{
    if (recipe->flow != IN_HANDLER && recipe->flow != IN_BLOCK) return;
    const char *rule =
        recipe->flow == IN_BLOCK ? "there is no block to end here" : "there is no handler here";
    for (int in_block = 0; in_block < 2; in_block++) { // nowhere; in the wrong kind of block
        Sample sample = empty;
        push(&sample, recipe->looks);
        int setup = in_block ? begin_block(&sample, recipe->flow == IN_BLOCK) : 0;
        int at = emit_recipe(&sample, recipe);
        emit_return(&sample);
        if (in_block) end_block(&sample, setup);
        refused(&sample, at, "%s", rule);
    }
}

// ---- each rule about operands

typedef struct Bound {
    Rule rule;
    int64_t least, most;
    const char *said; // with the operand, where it has a %u
} Bound;

static const Bound bounds[] = {
    {CONSTS, 0, 2, "there is no item %u in co_consts, which has 3"},
    {NAMES, 0, 1, "there is no item %u in co_names, which has 2"},
    {LOCALS, 0, 2, "there is no item %u in co_varnames, which has 3"},
    {CELLS, 0, 1, "there is no item %u in co_cellvars + co_freevars, which has 2"},
    {FROM_0_TO_1, 0, 1, "the operand must be from 0 to 1"},
    {FROM_0_TO_2, 0, 2, "the operand must be from 0 to 2"},
    {FROM_2_TO_3, 2, 3, "the operand must be from 2 to 3"},
    {FROM_0_TO_5, 0, 5, "the operand must be from 0 to 5"},
    {FROM_0_TO_7, 0, 7, "the operand must be from 0 to 7"},
    {FROM_0_TO_15, 0, 15, "the operand must be from 0 to 15"},
    {FROM_1, 1, INT32_MAX, "the operand must be at least 1"},
};

// Also where no way leads to it.
static void wrong_operand(const Recipe *recipe, const Bound *bound, int64_t operand)
{
    if (operand < 0 || operand > INT32_MAX || (operand >= bound->least && operand <= bound->most))
        return;
    for (int reached = 0; reached < 2; reached++) {
        Sample sample = empty;
        if (reached)
            push(&sample, recipe->looks);
        else
            emit_return(&sample);
        int at = emit_with(&sample, recipe, (unsigned)operand);
        end(&sample);
        char said[100];
        snprintf(said, sizeof said, bound->said, (unsigned)operand);
        refused(&sample, at, "%s", said);
    }
}

static void operand_out_of_bounds(const Recipe *recipe)
{
    for (int i = 0; i < COUNT(bounds); i++) {
        if (bounds[i].rule != recipe->rule) continue;
        const int64_t operands[] = {bounds[i].least - 1,
                                    bounds[i].most + 1,
                                    bounds[i].most + 2,
                                    bounds[i].most + 256,
                                    65536,
                                    INT32_MAX};
        for (int k = 0; k < COUNT(operands); k++) wrong_operand(recipe, &bounds[i], operands[k]);
    }
}

static void operand_too_large(const Recipe *recipe)
{
    Sample sample = empty;
    emit_return(&sample);
    emit(&sample, EXTENDED_ARG, 0x800000);
    emit_with(&sample, recipe, 0);
    int at = sample.size - 2;
    if (recipe->opcode >= HAVE_ARGUMENT)
        snprintf(sample.shown, sizeof sample.shown, "%s", recipe->name);
    end(&sample);
    refused(&sample, at, "the operand must be less than 2**31");
}

static bool is_jump(const Recipe *recipe)
{
    return recipe->flow == JUMPS || recipe->flow == SETS_UP;
}

// A jump by so many bytes from the end of the instruction, which is at `from`.
static unsigned operand_for(const Recipe *recipe, int from, int distance)
{
    return (unsigned)(recipe->rule == RELATIVE ? distance : from + 2 + distance);
}

static void wrong_target(const Recipe *recipe, int distance, const char *rule)
{
    Sample sample = empty;
    emit(&sample, EXTENDED_ARG, 0);
    push(&sample, recipe->looks);
    int at = emit_with(&sample, recipe, operand_for(recipe, sample.size, distance));
    emit_return(&sample);
    emit(&sample, EXTENDED_ARG, 0);
    emit_return(&sample);
    refused(&sample, at, rule, at + 2 + distance, sample.size);
}

static void wrong_targets(const Recipe *recipe)
{
    static const char beyond[] = "jumps to offset %d, but the code ends at %d";
    static const char between[] = "jumps to offset %d, into an instruction";
    static const char past[] = "jumps to offset %d, past the EXTENDED_ARG of that instruction";
    static const char back[] = "jumps back, as only JUMP_ABSOLUTE and POP_JUMP_IF_... may";
    if (!is_jump(recipe)) return;
    wrong_target(recipe, 10, beyond);
    wrong_target(recipe, 11, beyond);
    wrong_target(recipe, 100, beyond);
    wrong_target(recipe, 1, between);
    wrong_target(recipe, 9, between);
    wrong_target(recipe, 6, past);
    if (recipe->rule == RELATIVE) return;
    wrong_target(recipe, -1, between);
    wrong_target(recipe, -2 - 2 * recipe->looks, past);
    if (recipe->rule == ABSOLUTE) return;
    wrong_target(recipe, -2, back);
    wrong_target(recipe, -4 - 2 * recipe->looks, back);
}

static void yield_in_a_function(const Recipe *recipe)
{
    const int flags[] = {FUNCTION, 0, FUNCTION | CO_NESTED | CO_ITERABLE_COROUTINE};
    for (int i = 0; recipe->rule == YIELDS && i < COUNT(flags); i++) {
        Sample sample = empty;
        push(&sample, recipe->looks);
        int at = emit_recipe(&sample, recipe);
        sample.flags = flags[i];
        end(&sample);
        refused(&sample, at, "co_flags say that this is no generator");
    }
}

// Two ways to the same instruction, one with so many values more.
static void ways_of_different_depth(const Recipe *recipe)
{
    if (recipe->flow != JUMPS || recipe->opcode == JUMP_FORWARD || recipe->opcode == JUMP_ABSOLUTE)
        return;
    bool keeps = recipe->opcode == JUMP_IF_FALSE_OR_POP || recipe->opcode == JUMP_IF_TRUE_OR_POP;
    int there = keeps ? 1 : 0, after = recipe->opcode == FOR_ITER ? 2 : 0;
    for (int more = 0; more <= 3; more++) {
        Sample sample = empty;
        push(&sample, recipe->looks);
        emit_with(&sample, recipe, operand_for(recipe, sample.size, 6));
        push(&sample, more);
        for (int i = more; i < 3; i++) emit(&sample, NOP, 0);
        int at = sample.size;
        emit_return(&sample);
        snprintf(sample.shown, sizeof sample.shown, "LOAD_CONST 0");
        if (there == after + more)
            accepted(&sample);
        else
            refused(&sample, at, "the stack is %d deep on one way to here and %d on another", there,
                    after + more);
    }
}

static void unknown_opcodes(void)
{
    for (int opcode = 0; opcode < 256; opcode++) {
        bool known = false;
        for (int i = 0; i < COUNT(recipes); i++) known |= recipes[i].opcode == opcode;
        for (int reached = 0; !known && reached < 2; reached++) {
            Sample sample = empty;
            if (!reached) emit_return(&sample);
            int at = emit(&sample, opcode, 0);
            emit_return(&sample);
            snprintf(sample.shown, sizeof sample.shown, "<%d>", opcode);
            refused(&sample, at, "CPython 3.9 has no such opcode");
        }
    }
}

START_TEST(every_opcode_by_every_rule)
{
    for (int i = 0; i < COUNT(recipes); i++) {
        const Recipe *recipe = &recipes[i];
        too_few_values(recipe);
        too_many_values(recipe);
        use_of_a_mark(recipe);
        values_from_outside_of_the_block(recipe);
        values_of_the_handler(recipe);
        after_lifting(recipe);
        end_of_the_code(recipe);
        place_in_no_handler(recipe);
        operand_out_of_bounds(recipe);
        operand_too_large(recipe);
        wrong_targets(recipe);
        yield_in_a_function(recipe);
        ways_of_different_depth(recipe);
    }
    unknown_opcodes();
    ck_assert_int_eq(COUNT(recipes), 119);
    ck_assert_int_ge(refusals, 1000);
}
END_TEST

// ---- wrong code written out

typedef struct Wrong {
    const char *said;
    int stacksize;
    uint8_t bytes[80];
    int size;
} Wrong;

#define CODE(...) .bytes = {__VA_ARGS__}, .size = sizeof((const uint8_t[]){__VA_ARGS__})

static const Wrong wrong[] = {
    // where ways meet
    {"offset 0, LOAD_CONST 0: the stack is 0 deep on one way to here and 1 on another",
     CODE(LOAD_CONST, 0, JUMP_ABSOLUTE, 0)},
    {"offset 12, CALL_METHOD 0: the paths to here have different LOAD_METHODs open",
     CODE(LOAD_FAST, 0, LOAD_FAST, 0, POP_JUMP_IF_FALSE, 10, LOAD_METHOD, 0, JUMP_FORWARD, 2,
          LOAD_CONST, 0, CALL_METHOD, 0, RETURN_VALUE, 0)},
    {"offset 16, CALL_METHOD 1: the paths to here have different LOAD_METHODs open",
     CODE(LOAD_FAST, 0, LOAD_FAST, 0, POP_JUMP_IF_FALSE, 12, LOAD_METHOD, 0, LOAD_CONST, 0,
          JUMP_FORWARD, 4, LOAD_CONST, 0, LOAD_METHOD, 0, CALL_METHOD, 1, RETURN_VALUE, 0)},
    {"offset 6, NOP: the paths to here are inside of different blocks", // of none and one
     CODE(LOAD_FAST, 0, POP_JUMP_IF_FALSE, 6, SETUP_FINALLY, 6, NOP, 0, LOAD_CONST, 0, RETURN_VALUE,
          0, RERAISE, 0)},
    {"offset 24, RERAISE: the paths to here are inside of different blocks", // of different levels
     CODE(LOAD_FAST, 0, POP_JUMP_IF_FALSE, 12, SETUP_FINALLY, 14, POP_BLOCK, 0, LOAD_CONST, 0,
          RETURN_VALUE, 0, LOAD_CONST, 0, SETUP_FINALLY, 6, POP_BLOCK, 0, RETURN_VALUE, 0,
          JUMP_FORWARD, 2, POP_TOP, 0, RERAISE, 0)},
    {"offset 24, RERAISE: the paths to here are inside of different blocks", // outer ones differ
     CODE(LOAD_FAST, 0, POP_JUMP_IF_FALSE, 12, SETUP_FINALLY, 16, POP_BLOCK, 0, LOAD_CONST, 0,
          RETURN_VALUE, 0, SETUP_FINALLY, 14, SETUP_FINALLY, 8, RAISE_VARARGS, 0, NOP, 0, NOP, 0,
          JUMP_FORWARD, 0, RERAISE, 0, NOP, 0, RERAISE, 0)},
    {"offset 16, RERAISE: the paths to here are inside of different blocks", // the block, its
                                                                             // handler
     CODE(SETUP_FINALLY, 14, LOAD_CONST, 0, LOAD_CONST, 0, LOAD_CONST, 0, LOAD_CONST, 0, LOAD_CONST,
          0, LOAD_CONST, 0, NOP, 0, RERAISE, 0)},
    {"offset 18, POP_EXCEPT: the paths to here are inside of different blocks", // lifted and not
     CODE(SETUP_FINALLY, 6, POP_BLOCK, 0, LOAD_CONST, 0, RETURN_VALUE, 0, POP_TOP, 0, POP_TOP, 0,
          DUP_TOP, 0, POP_JUMP_IF_FALSE, 18, ROT_FOUR, 0, POP_EXCEPT, 0, RETURN_VALUE, 0)},
    // marks
    {"offset 14, DUP_TOP_TWO: uses what the LOAD_METHOD at offset 2 left for its CALL_METHOD",
     CODE(LOAD_FAST, 0, LOAD_METHOD, 0, LOAD_FAST, 0, LOAD_METHOD, 1, LOAD_CONST, 0, CALL_METHOD, 1,
          POP_TOP, 0, DUP_TOP_TWO, 0, RETURN_VALUE, 0)},
    {"offset 24, DUP_TOP_TWO: uses what the LOAD_METHOD at offset 2 left for its CALL_METHOD",
     CODE(LOAD_FAST, 0, LOAD_METHOD, 0, SETUP_FINALLY, 4, RAISE_VARARGS, 0, NOP, 0, // a handler
          DUP_TOP_TWO, 0, POP_TOP, 0, POP_TOP, 0, POP_TOP, 0, POP_TOP, 0, POP_TOP, 0, POP_EXCEPT, 0,
          DUP_TOP_TWO, 0, RETURN_VALUE, 0)},
    // blocks
    {"offset 4, RETURN_VALUE: returns from the block of offset 0",
     CODE(SETUP_FINALLY, 4, LOAD_CONST, 0, RETURN_VALUE, 0, RERAISE, 0)},
    {"offset 8, RETURN_VALUE: returns from the block of offset 0",
     CODE(SETUP_FINALLY, 6, POP_BLOCK, 0, LOAD_CONST, 0, RETURN_VALUE, 0, RETURN_VALUE, 0)},
    {"offset 4, POP_BLOCK: there is no block to end here",
     CODE(SETUP_FINALLY, 8, POP_BLOCK, 0, POP_BLOCK, 0, LOAD_CONST, 0, RETURN_VALUE, 0, RERAISE,
          0)},
    {"offset 8, POP_EXCEPT: needs the handler's 3 values on top, not 6",
     CODE(SETUP_FINALLY, 6, POP_BLOCK, 0, LOAD_CONST, 0, RETURN_VALUE, 0, POP_EXCEPT, 0, LOAD_CONST,
          0, RETURN_VALUE, 0)},
    {"offset 12, POP_EXCEPT: needs the handler's 3 values on top, not 4",
     CODE(SETUP_FINALLY, 6, POP_BLOCK, 0, LOAD_CONST, 0, RETURN_VALUE, 0, POP_TOP, 0, POP_TOP, 0,
          POP_EXCEPT, 0, RETURN_VALUE, 0)},
    {"offset 12, END_ASYNC_FOR: needs the handler's 6 values on top, not 5",
     CODE(LOAD_CONST, 0, LOAD_CONST, 0, SETUP_FINALLY, 4, POP_BLOCK, 0, RETURN_VALUE, 0, POP_TOP, 0,
          END_ASYNC_FOR, 0, RETURN_VALUE, 0)},
    {"offset 10, WITH_EXCEPT_START: needs the handler's 6 values on top, not 7",
     CODE(LOAD_CONST, 0, SETUP_FINALLY, 4, POP_BLOCK, 0, RETURN_VALUE, 0, DUP_TOP, 0,
          WITH_EXCEPT_START, 0, RERAISE, 0)},
    {"offset 14, END_ASYNC_FOR: takes a value from outside of the block that begins at offset 2",
     CODE(LOAD_CONST, 0, SETUP_FINALLY, 14, SETUP_FINALLY, 8, POP_BLOCK, 0, POP_BLOCK, 0,
          LOAD_CONST, 0, RETURN_VALUE, 0, END_ASYNC_FOR, 0, NOP, 0, RERAISE, 0)},
    {"offset 22, END_ASYNC_FOR: takes one of the three values that are for POP_EXCEPT",
     CODE(SETUP_FINALLY, 6, POP_BLOCK, 0, LOAD_CONST, 0, RETURN_VALUE, 0, POP_TOP, 0, POP_TOP, 0,
          POP_TOP, 0, SETUP_FINALLY, 6, POP_BLOCK, 0, POP_EXCEPT, 0, JUMP_ABSOLUTE, 4,
          END_ASYNC_FOR, 0, POP_EXCEPT, 0, JUMP_ABSOLUTE, 4)},
    {"offset 8, WITH_EXCEPT_START: makes the stack 8 deep, but co_stacksize is 7", .stacksize = 7,
     CODE(LOAD_CONST, 0, SETUP_FINALLY, 4, POP_BLOCK, 0, RETURN_VALUE, 0, WITH_EXCEPT_START, 0,
          RERAISE, 0)},
    // the end, and operands
    {"offset 2, POP_JUMP_IF_FALSE 0: runs off the end of the code",
     CODE(LOAD_CONST, 0, POP_JUMP_IF_FALSE, 0)},
    {"offset 4, EXTENDED_ARG 0: there is no instruction after it",
     CODE(LOAD_CONST, 0, RETURN_VALUE, 0, EXTENDED_ARG, 0)},
    {"offset 6, EXTENDED_ARG: the operand must be less than 2**31",
     CODE(EXTENDED_ARG, 128, EXTENDED_ARG, 0, EXTENDED_ARG, 0, EXTENDED_ARG, 0, LOAD_CONST, 0,
          RETURN_VALUE, 0)},
    {"offset 8, LOAD_CONST: the operand must be less than 2**31",
     CODE(EXTENDED_ARG, 1, EXTENDED_ARG, 0, EXTENDED_ARG, 0, EXTENDED_ARG, 0, LOAD_CONST, 0,
          RETURN_VALUE, 0)},
    {"offset 8, UNPACK_SEQUENCE 2147483647: makes the stack 2147483647 deep, but co_stacksize is "
     "40",
     CODE(LOAD_CONST, 0, EXTENDED_ARG, 127, EXTENDED_ARG, 255, EXTENDED_ARG, 255, UNPACK_SEQUENCE,
          255, RETURN_VALUE, 0)},
    {"offset 4, UNPACK_EX 772: makes the stack 8 deep, but co_stacksize is 7", .stacksize = 7,
     CODE(LOAD_CONST, 0, EXTENDED_ARG, 3, UNPACK_EX, 4, RETURN_VALUE, 0)},
    {"offset 8, BUILD_MAP 2147483647: needs 4294967294 values, but the stack holds 1",
     CODE(LOAD_CONST, 0, EXTENDED_ARG, 127, EXTENDED_ARG, 255, EXTENDED_ARG, 255, BUILD_MAP, 255,
          RETURN_VALUE, 0)},
    {"offset 8, MAP_ADD 2147483647: needs 2147483649 values, but the stack holds 1",
     CODE(LOAD_CONST, 0, EXTENDED_ARG, 127, EXTENDED_ARG, 255, EXTENDED_ARG, 255, MAP_ADD, 255,
          RETURN_VALUE, 0)},
};

START_TEST(wrong_code)
{
    const Wrong *row = &wrong[_i];
    Sample sample = empty;
    char message[300];
    memcpy(sample.bytes, row->bytes, (size_t)row->size);
    sample.size = row->size;
    if (row->stacksize) sample.stacksize = row->stacksize;
    snprintf(message, sizeof message, "code 'f' cannot run: %s", row->said);
    Value code = make_code(&sample);
    assert_refused(code, message);
    drop(code);
}
END_TEST

// ---- fields

static const Sample returns_none = {
    .bytes = {LOAD_CONST, 0, RETURN_VALUE, 0}, .size = 4, .stacksize = 1, .flags = FUNCTION};

START_TEST(sizes)
{
    Sample sample = returns_none;
    sample.size = 3;
    Value code = make_code(&sample);
    assert_refused(code, "code 'f' cannot run: co_code has 3 bytes, but an instruction has two");
    drop(code);
    sample.size = 0;
    code = make_code(&sample);
    assert_refused(code, "code 'f' cannot run: co_code is empty");
    drop(code);
    sample = returns_none;
    sample.stacksize = 1 << 24;
    accepted(&sample);
    sample.stacksize++;
    code = make_code(&sample);
    assert_refused(code, "code 'f' cannot run: co_stacksize is 16777217, but the most is 16777216");
    as_code(code)->stacksize = INT32_MAX;
    assert_refused(code,
                   "code 'f' cannot run: co_stacksize is 2147483647, but the most is 16777216");
    as_code(code)->stacksize = 1;
    as_code(code)->nlocals = 2;
    assert_refused(code, "code 'f' cannot run: co_nlocals is 2, but co_varnames has 3");
    as_code(code)->nlocals = 4;
    assert_refused(code, "code 'f' cannot run: co_nlocals is 4, but co_varnames has 3");
    as_code(code)->nlocals = 3;
    Value old = as_code(code)->lnotab;
    as_code(code)->lnotab = bytes_new("\1\1\1", 3);
    assert_refused(code, "code 'f' cannot run: co_lnotab has 3 bytes, but it is made of pairs");
    drop(code);
    drop(old);
}
END_TEST

START_TEST(kinds_of_generators)
{
    const int flags[] = {CO_GENERATOR | CO_COROUTINE, CO_GENERATOR | CO_ASYNC_GENERATOR,
                         CO_COROUTINE | CO_ASYNC_GENERATOR,
                         CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR};
    for (int i = 0; i < COUNT(flags); i++) {
        Sample sample = returns_none;
        sample.flags |= flags[i];
        Value code = make_code(&sample);
        assert_refused(code, "code 'f' cannot run: co_flags say more than one of generator, "
                             "coroutine and async generator");
        drop(code);
    }
}
END_TEST

static void check_twice(Value *field, ValueRef code, Value names, const char *message)
{
    Value old = *field;
    *field = names;
    assert_refused(code, message);
    *field = old;
    drop(names);
}

START_TEST(names_that_are_there_twice)
{
    Value code = make_code(&returns_none);
    Code *fields = as_code(code);
    check_twice(&fields->varnames, code, pack_names("x", "y", "x"),
                "code 'f' cannot run: co_varnames has 'x' twice");
    check_twice(&fields->cellvars, code, pack_names("c", "c", NULL),
                "code 'f' cannot run: co_cellvars has 'c' twice");
    check_twice(&fields->freevars, code, pack_names("d", "e", "e"),
                "code 'f' cannot run: co_freevars has 'e' twice");
    drop(code);
}
END_TEST

// ---- what is good

static void enough_values(const Recipe *recipe)
{
    Sample sample = empty;
    push(&sample, recipe->looks);
    emit_recipe(&sample, recipe);
    if (recipe->gives > recipe->takes) // and exactly enough room
        sample.stacksize = recipe->looks - recipe->takes + recipe->gives;
    else
        push(&sample, 1);
    emit(&sample, RETURN_VALUE, 0);
    emit(&sample, NOP, 0);
    emit_return(&sample);
    if (recipe->flow == ON || recipe->flow == ENDS) accepted(&sample);
}

// Where no way leads only the operands matter.
static void good_operands(const Recipe *recipe)
{
    for (int i = 0; i < COUNT(bounds); i++) {
        if (bounds[i].rule != recipe->rule) continue;
        for (int64_t k = bounds[i].least; k <= bounds[i].most && k < 20; k++) {
            Sample sample = empty;
            emit_return(&sample);
            emit_with(&sample, recipe, (unsigned)k);
            accepted(&sample);
        }
    }
}

START_TEST(every_opcode_with_what_it_needs)
{
    for (int i = 0; i < COUNT(recipes); i++) {
        enough_values(&recipes[i]);
        good_operands(&recipes[i]);
    }
}
END_TEST

typedef struct Good {
    uint8_t bytes[80];
    int size;
} Good;

static const Good good[] = {
    // a value left on the stack; code that no way leads to; the same in a loop
    {CODE(LOAD_CONST, 0, LOAD_CONST, 0, RETURN_VALUE, 0)},
    {CODE(LOAD_CONST, 0, RETURN_VALUE, 0, POP_TOP, 0, POP_EXCEPT, 0, CALL_METHOD, 9)},
    {CODE(LOAD_CONST, 0, GET_ITER, 0, FOR_ITER, 4, STORE_FAST, 0, JUMP_ABSOLUTE, 4, LOAD_CONST, 0,
          RETURN_VALUE, 0)},
    // jumps to the beginning of what is extended, and back to the first instruction
    {CODE(LOAD_CONST, 0, POP_JUMP_IF_FALSE, 6, NOP, 0, EXTENDED_ARG, 0, LOAD_CONST, 0, RETURN_VALUE,
          0)},
    {CODE(EXTENDED_ARG, 0, EXTENDED_ARG, 0, EXTENDED_ARG, 0, LOAD_CONST, 1, POP_JUMP_IF_TRUE, 0,
          LOAD_CONST, 0, RETURN_VALUE, 0)},
    // CALL_METHOD of two values that no LOAD_METHOD made, and of one that either of two made
    {CODE(LOAD_CONST, 0, LOAD_CONST, 0, CALL_METHOD, 0, RETURN_VALUE, 0)},
    {CODE(LOAD_FAST, 0, LOAD_FAST, 0, POP_JUMP_IF_FALSE, 10, LOAD_METHOD, 0, JUMP_FORWARD, 2,
          LOAD_METHOD, 1, LOAD_CONST, 0, CALL_METHOD, 1, RETURN_VALUE, 0)},
    // try: return x   except: return y   the way CPython compiles it
    {CODE(SETUP_FINALLY, 6, LOAD_FAST, 0, POP_BLOCK, 0, RETURN_VALUE, 0, POP_TOP, 0, POP_TOP, 0,
          POP_TOP, 0, LOAD_FAST, 1, ROT_FOUR, 0, POP_EXCEPT, 0, RETURN_VALUE, 0)},
    // with x: pass
    {CODE(LOAD_FAST, 0, SETUP_WITH, 16, POP_TOP, 0, POP_BLOCK, 0, LOAD_CONST, 0, DUP_TOP, 0,
          DUP_TOP, 0, CALL_FUNCTION, 3, POP_TOP, 0, JUMP_FORWARD, 16, WITH_EXCEPT_START, 0,
          POP_JUMP_IF_TRUE, 26, RERAISE, 0, POP_TOP, 0, POP_TOP, 0, POP_TOP, 0, POP_EXCEPT, 0,
          POP_TOP, 0, LOAD_CONST, 0, RETURN_VALUE, 0)},
    // async for in a block, whose iterator is outside of it
    {CODE(LOAD_FAST, 0, GET_AITER, 0, SETUP_FINALLY, 10, GET_ANEXT, 0, GET_AWAITABLE, 0, POP_BLOCK,
          0, STORE_FAST, 0, JUMP_ABSOLUTE, 4, END_ASYNC_FOR, 0, LOAD_CONST, 0, RETURN_VALUE, 0)},
    // ways that part and meet in a block
    {CODE(SETUP_FINALLY, 12, LOAD_FAST, 0, POP_JUMP_IF_FALSE, 8, NOP, 0, POP_BLOCK, 0, LOAD_CONST,
          0, RETURN_VALUE, 0, RERAISE, 0)},
    // two blocks with one handler
    {CODE(LOAD_FAST, 0, POP_JUMP_IF_FALSE, 8, SETUP_FINALLY, 10, JUMP_FORWARD, 2, SETUP_FINALLY, 6,
          POP_BLOCK, 0, LOAD_CONST, 0, RETURN_VALUE, 0, RERAISE, 0)},
    // two blocks of one level with two handlers, whose ways meet
    {CODE(LOAD_FAST, 0, POP_JUMP_IF_FALSE, 8, SETUP_FINALLY, 16, JUMP_FORWARD, 4, SETUP_FINALLY, 14,
          NOP, 0, LOAD_CONST, 0, POP_TOP, 0, POP_BLOCK, 0, LOAD_CONST, 0, RETURN_VALUE, 0, RERAISE,
          0, RERAISE, 0)},
};

START_TEST(good_code)
{
    Sample sample = empty;
    memcpy(sample.bytes, good[_i].bytes, (size_t)good[_i].size);
    sample.size = good[_i].size;
    accepted(&sample);
}
END_TEST

START_TEST(twenty_blocks)
{
    for (int blocks = 20; blocks <= 21; blocks++) {
        Sample sample = empty;
        sample.stacksize = 6;
        for (int i = 0; i < blocks; i++) emit(&sample, SETUP_FINALLY, 2u * (unsigned)blocks);
        emit(&sample, RAISE_VARARGS, 0);
        for (int i = 0; i < blocks; i++) emit(&sample, RERAISE, 0);
        snprintf(sample.shown, sizeof sample.shown, "SETUP_FINALLY 42");
        if (blocks == 20)
            accepted(&sample);
        else
            refused(&sample, 40, "is inside of 20 blocks, the most there may be");
    }
}
END_TEST

START_TEST(all_nested_code)
{
    Value inner = make_code(&returns_none), outer = make_code(&returns_none);
    drop_slot(&as_code(outer)->consts);
    as_code(outer)->consts = tuple_pack(3, (ValueRef)inner, (ValueRef)NONE, (ValueRef)inner);
    int count = 0;
    ck_assert(code_verify_all(as_code(outer), &count));
    ck_assert_int_eq(count, 3);
    as_code(inner)->nlocals = 1;
    ck_assert(code_verify(as_code(outer)));
    ck_assert(!code_verify_all(as_code(outer), &count));
    error_clear();
    drop(inner);
    drop(outer);
}
END_TEST

Suite *verify_suite(void)
{
    Suite *suite = suite_create("verify");
    TCase *tests = live_case(suite, "verify");
    tcase_add_test(tests, every_opcode_by_every_rule);
    tcase_add_loop_test(tests, wrong_code, 0, COUNT(wrong));
    tcase_add_test(tests, sizes);
    tcase_add_test(tests, kinds_of_generators);
    tcase_add_test(tests, names_that_are_there_twice);
    tcase_add_test(tests, every_opcode_with_what_it_needs);
    tcase_add_loop_test(tests, good_code, 0, COUNT(good));
    tcase_add_test(tests, twenty_blocks);
    tcase_add_test(tests, all_nested_code);
    return suite;
}
