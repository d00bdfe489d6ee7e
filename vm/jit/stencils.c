// The stencils, in C: stencil.h says what becomes of them. This file is compiled, and not linked.
//
//     DO(name, statements)         a stencil that does this, and goes on
//     IF(name, condition)          a branch
//     STENCIL(name) { ...; NEXT; } any other. They may end in
//     NEXT         the code after this stencil
//     TAKEN        the target of the branch that this stencil is
//     EXIT         the guard has failed: the loop goes on by the interpreter
//     SLOT         a word of the frame, such as a variable
//     NUMBER, WORD, REAL   what the copy is given: a number, a constant, a constant double
//
// In a register an int is `raised`, as in vm/numbers.h: shifted left by 15, so that it overflows
// when the sum does not fit into a Value. Everything else in an integer register is a Value's bits.
//
// A stencil allocates nothing and frees nothing, and calls only what is quiet (walk_quiet.c); so no
// script code runs in between, and what a register borrows stays alive. A guard comes before the
// first change that its statement makes, as the interpreter runs the whole statement again.
//
// Registers are in the names: add_i0_i1 is i0 += i1. The macros write each stencil once and repeat
// it for all registers.
#include "frames/frame.h"
#include "objects/cell.h"
#include "objects/classes/method.h"
#include "objects/containers/list.h"
#include "objects/containers/range.h"
#include "objects/dict.h"
#include "objects/function.h"
#include "objects/instance.h"
#include "objects/protocols/iterators.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/jit/jit.h"
#include "vm/jit/walk.h"
#include "vm/numbers.h"
#include "vm/quicken.h"
#include "vm/quiet.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" // a return has one result, and no register
// clang-format off: what a macro makes of another is laid out as it is read
#define PARAMETERS                                                                                 \
    char *frame, int64_t i0, int64_t i1, int64_t i2, int64_t i3, int64_t i4, double d0, double d1, \
        double d2, double d3, double d4, double d5, double d6, double d7
#define REGISTERS frame, i0, i1, i2, i3, i4, d0, d1, d2, d3, d4, d5, d6, d7

typedef int64_t Next(PARAMETERS); // what a function returns, or JIT_LEFT
extern Next NEXT_, GOTO_;
extern int64_t NEXT_WITH_RESULT(char *frame, int64_t i0) __asm__("NEXT_");
// Cold: the compiler lets the conditional jump itself go there.
extern Next TAKEN_ __attribute__((cold)), EXIT_ __attribute__((cold));
extern char NUMBER_[];
extern const uint64_t WORD_;
extern const double REAL_;

#ifdef __aarch64__ // the compiler would name it by its distance, as an address
#define NUMBER                                                                                     \
    ({ uintptr_t number;                                                                           \
       __asm__("movz %0, #:abs_g0_nc:NUMBER_\n\tmovk %0, #:abs_g1:NUMBER_" : "=r"(number));        \
       number; })
#else
#define NUMBER ((uintptr_t)NUMBER_)
#endif
#define WORD WORD_
#define REAL REAL_
#define SLOT (*(uint64_t *)(void *)(frame + NUMBER))
#define FRAME ((Frame *)(void *)frame)
#define GO(where) return where(REGISTERS)
#define NEXT GO(NEXT_)
#define TAKEN GO(TAKEN_)
#define EXIT GO(EXIT_)
#define GUARD(condition)                                                                           \
    if (__builtin_expect(!(condition), 0)) EXIT
#define STENCIL(name)                                                                              \
    Next name;                                                                                     \
    int64_t name(PARAMETERS)
#define DO(name, ...)                                                                              \
    STENCIL(name)                                                                                  \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        NEXT;                                                                                      \
    }
#define IF(name, condition) DO(name, if (__builtin_expect(!(condition), 0)) TAKEN)

#define INTS(M) M(i0) M(i1) M(i2) M(i3) M(i4)
#define FLOATS(M) M(d0) M(d1) M(d2) M(d3) M(d4) M(d5) M(d6) M(d7)
#define WITH_INTS(M, a) M(a, i0) M(a, i1) M(a, i2) M(a, i3) M(a, i4)
#define WITH_FLOATS(M, a)                                                                          \
    M(a, d0) M(a, d1) M(a, d2) M(a, d3) M(a, d4) M(a, d5) M(a, d6) M(a, d7)
// Lesson 17 is about those that are no repetition (lessons/17_stencils/probe.h).
#ifdef LONE_STENCILS
#define INT_PAIRS(M)
#define FLOAT_PAIRS(M)
#define FLOAT_INT_PAIRS(M)
#else
#define INT_PAIRS(M)                                                                               \
    WITH_INTS(M, i0) WITH_INTS(M, i1) WITH_INTS(M, i2) WITH_INTS(M, i3) WITH_INTS(M, i4)
#define FLOAT_PAIRS(M)                                                                             \
    WITH_FLOATS(M, d0) WITH_FLOATS(M, d1) WITH_FLOATS(M, d2) WITH_FLOATS(M, d3)                    \
    WITH_FLOATS(M, d4) WITH_FLOATS(M, d5) WITH_FLOATS(M, d6) WITH_FLOATS(M, d7)
#define FLOAT_INT_PAIRS(M)                                                                         \
    WITH_INTS(M, d0) WITH_INTS(M, d1) WITH_INTS(M, d2) WITH_INTS(M, d3) WITH_INTS(M, d4)           \
    WITH_INTS(M, d5) WITH_INTS(M, d6) WITH_INTS(M, d7)
#endif

static inline uint64_t tag(int64_t number) { return INT_TAG | (uint64_t)number >> 15; }
static inline uint64_t boxed(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits + FLOAT_OFFSET;
}
static inline double unboxed(uint64_t word)
{
    double number;
    word -= FLOAT_OFFSET;
    memcpy(&number, &word, sizeof number);
    return number;
}
static inline bool is_object_word(uint64_t word) { return word - 1 < IMMEDIATE_BASE - 1; }

// ---- in and out: a variable's type is tested once, when the loop is entered

DO(check_int, GUARD(SLOT >= INT_TAG))
DO(check_float, GUARD(SLOT - FLOAT_OFFSET < INT_TAG - FLOAT_OFFSET))
DO(check_bool, GUARD(SLOT - (IMMEDIATE_BASE + 1) < 2))
//> lesson 17: guard
STENCIL(check_type)
{
    uint64_t value = SLOT;
    GUARD(is_object_word(value) && (uint64_t)(uintptr_t)((Object *)value)->type == WORD);
    NEXT;
}
//< lesson 17
// Of a class: its version is that of no other type, and says that it has not changed.
#define HAS_VERSION(a)                                                                             \
    (is_object_word((uint64_t)a) && ((Object *)a)->type->version == (uint32_t)WORD)
DO(check_class, GUARD(HAS_VERSION(SLOT)))

#define INT_SLOTS(a)                                                                               \
    DO(load_##a, a = (int64_t)SLOT) /* the Value as it is */                                       \
    DO(store_##a, SLOT = (uint64_t)a)                                                              \
    DO(fill_##a, a = (int64_t)(SLOT << 15)) /* known to be an int */                               \
    DO(spill_##a, SLOT = tag(a))                                                                   \
    DO(constant_##a, a = (int64_t)WORD)
INTS(INT_SLOTS)
DO(store_constant, SLOT = WORD)

#define FLOAT_SLOTS(a)                                                                             \
    DO(fill_##a, a = unboxed(SLOT))                                                                \
    DO(spill_##a, SLOT = boxed(a))                                                                 \
    DO(constant_##a, a = REAL)                                                                     \
    DO(number_##a, GUARD(a == a)) /* a NaN is an object: it stays with the interpreter */
FLOATS(FLOAT_SLOTS)

// A variable gets an object that is borrowed. What it held may not die of that; a leaf (vm/quiet.h)
// may, but later.
#define STORE_OBJECT(a)                                                                            \
    DO(store_object_##a, uint64_t old = SLOT;                                                      \
       GUARD(!is_object_word(old) || ((Object *)old)->refcount > 1);                               \
       ((Object *)a)->refcount++;                                                                  \
       if (is_object_word(old)) ((Object *)old)->refcount--;                                       \
       SLOT = (uint64_t)a)                                                                         \
    DO(store_leaf_##a, uint64_t old = SLOT; GUARD(quiet_made.count < QUIET_MAX);                   \
       ((Object *)a)->refcount++;                                                                  \
       if (is_object_word(old)) quiet_made.values[quiet_made.count++] = (Value)old;                \
       SLOT = (uint64_t)a)
INTS(STORE_OBJECT)

// ---- a Value in a register becomes what the walk takes it for

#define UNBOX_INT(a)                                                                               \
    DO(int_##a, GUARD((uint64_t)a >= INT_TAG); a = (int64_t)((uint64_t)a << 15))                   \
    DO(bool_##a, GUARD((uint64_t)a - (IMMEDIATE_BASE + 1) < 2))                                    \
    DO(type_##a, GUARD(is_object_word((uint64_t)a) &&                                              \
                       (uint64_t)(uintptr_t)((Object *)a)->type == WORD))                          \
    DO(class_##a, GUARD(HAS_VERSION(a)))
INTS(UNBOX_INT)
#define UNBOX_FLOAT(a, b)                                                                          \
    DO(float_##a##_##b, GUARD((uint64_t)b - FLOAT_OFFSET < INT_TAG - FLOAT_OFFSET);                \
       a = unboxed((uint64_t)b))                                                                   \
    DO(real_##a##_##b, a = (double)(b >> 15)) /* of an int: exact, as it has 49 bits */
FLOAT_INT_PAIRS(UNBOX_FLOAT)

// ---- arithmetic

#define INT_ARITHMETIC(a, b)                                                                       \
    DO(move_##a##_##b, a = b)                                                                      \
    DO(add_##a##_##b, GUARD(!__builtin_add_overflow(a, b, &a)))                                    \
    DO(subtract_##a##_##b, GUARD(!__builtin_sub_overflow(a, b, &a)))                               \
    DO(multiply_##a##_##b, GUARD(!__builtin_mul_overflow(a, b >> 15, &a)))                         \
    DO(and_##a##_##b, a &= b)                                                                      \
    DO(or_##a##_##b, a |= b)                                                                       \
    DO(xor_##a##_##b, a ^= b)                                                                      \
    BY_VALUES(remainder, a, b)                                                                     \
    BY_VALUES(floor_divide, a, b)                                                                  \
    BY_VALUES(lshift, a, b)                                                                        \
    BY_VALUES(rshift, a, b)
// As the interpreter does them.
#define BY_VALUES(name, a, b)                                                                      \
    STENCIL(name##_##a##_##b)                                                                      \
    {                                                                                              \
        Value result;                                                                              \
        GUARD(number_##name(lowered(a), lowered(b), &result));                                     \
        a = raised(result);                                                                        \
        NEXT;                                                                                      \
    }
INT_PAIRS(INT_ARITHMETIC)

#define INT_CONSTANTS(a)                                                                           \
    DO(add_constant_##a, GUARD(!__builtin_add_overflow(a, (int64_t)WORD, &a)))                     \
    DO(subtract_constant_##a, GUARD(!__builtin_sub_overflow(a, (int64_t)WORD, &a)))                \
    DO(and_constant_##a, a &= (int64_t)WORD)                                                       \
    DO(halve_##a, a = a >> NUMBER & -(1ll << 15)) /* so many times */                              \
    DO(negative_##a, GUARD(!__builtin_sub_overflow(0, a, &a)))
INTS(INT_CONSTANTS)

#define FLOAT_ARITHMETIC(a, b)                                                                     \
    DO(move_##a##_##b, a = b)                                                                      \
    DO(add_##a##_##b, a += b)                                                                      \
    DO(subtract_##a##_##b, a -= b)                                                                 \
    DO(multiply_##a##_##b, a *= b)                                                                 \
    DO(true_divide_##a##_##b, GUARD(b != 0); a /= b)
FLOAT_PAIRS(FLOAT_ARITHMETIC)

#define FLOAT_CONSTANTS(a)                                                                         \
    DO(add_constant_##a, a += REAL)                                                                \
    DO(subtract_constant_##a, a -= REAL)                                                           \
    DO(multiply_constant_##a, a *= REAL)                                                           \
    DO(true_divide_constant_##a, a /= REAL)
FLOATS(FLOAT_CONSTANTS)

// The result of a function that is a float; or of one in C, as x ** y is (vm/quiet.h).
typedef double DoublesFn(double, double);
#define RESULT(a)                                                                                  \
    DO(put_result_##a, jit_saved.number = a)                                                       \
    DO(result_##a, a = jit_saved.number)                                                           \
    DO(apply_##a, jit_saved.number = ((DoublesFn *)(uintptr_t)WORD)(jit_saved.number, a);          \
       GUARD(jit_saved.number == jit_saved.number)) /* a NaN says that it cannot do it */
FLOATS(RESULT)

// ---- comparisons: they go on where they hold, and branch where they do not

#define COMPARES(a, b) /* of floats, not < is not >= */                                           \
    IF(lt_##a##_##b, a < b)                                                                        \
    IF(le_##a##_##b, a <= b)                                                                       \
    IF(eq_##a##_##b, a == b)                                                                       \
    IF(ne_##a##_##b, a != b)                                                                       \
    IF(not_lt_##a##_##b, !(a < b))                                                                 \
    IF(not_le_##a##_##b, !(a <= b))
INT_PAIRS(COMPARES)
FLOAT_PAIRS(COMPARES)

#define TRUTHS(a)                                                                                  \
    IF(true_##a, a != 0)                                                                           \
    IF(false_##a, a == 0)
INTS(TRUTHS)
FLOATS(TRUTHS)
#define BOOL_TRUTHS(a)                                                                             \
    IF(bool_true_##a, a & 2)                                                                       \
    IF(bool_false_##a, !(a & 2))
_Static_assert((IMMEDIATE_BASE + 2) & 2, "True has the bit");
_Static_assert(!((IMMEDIATE_BASE + 1) & 2), "and False has it not");
INTS(BOOL_TRUTHS)

STENCIL(jump) { GO(GOTO_); }
DO(poll, GUARD(!eval_breaker.any); jit_saved.turns++) // once in each turn of the loop
DO(let_go, if (__builtin_expect(quiet_made.count > 0, 0)) quiet_made.let_go())

// ---- lists: an object is in a register, and is of the type already

// The Value at a place that is there if the condition holds; or the address of the place, where
// nothing dies if it is overwritten.
#define PLACE(name, registers, a, condition, place)                                                \
    DO(name##_##registers, GUARD(condition); a = (int64_t)place)                                   \
    DO(name##_slot_##registers, GUARD((condition) && !is_object_word((uint64_t)place));            \
       a = (int64_t)&place)
#define ITEM(list, index) ((const List *)list)->items[(uint64_t)(index >> 15)]
#define HAS_ITEM(list, index) ((uint64_t)(index >> 15) < (uint64_t)((const List *)list)->size)
#define LIST_ITEMS(a, b)                                                                           \
    PLACE(item, a##_##b, a, HAS_ITEM(a, b), ITEM(a, b))                                            \
    DO(put_int_##a##_##b, *(uint64_t *)a = tag(b))                                                 \
    DO(put_value_##a##_##b, *(uint64_t *)a = (uint64_t)b)
INT_PAIRS(LIST_ITEMS)
#define PUT_FLOAT(a, b)                                                                            \
    DO(put_float_##a##_##b, *(uint64_t *)b = boxed(a))
FLOAT_INT_PAIRS(PUT_FLOAT)
// A character of a str whose characters are all below 256, and the int that stands for one.
#define CHARACTERS(a, b)                                                                           \
    DO(character_##a##_##b, const Str *text = (const Str *)a;                                      \
       uint64_t at = (uint64_t)(b >> 15);                                                          \
       GUARD(text->kind == 1 && at < (uint64_t)text->length);                                      \
       a = (int64_t)jit_saved.characters[(uint8_t)text->data[at]];                                 \
       GUARD(a)) /* it is not made yet */
INT_PAIRS(CHARACTERS)
#define ORDINALS(a)                                                                                \
    DO(ord_##a, const Str *text = (const Str *)a;                                                  \
       GUARD(text->kind == 1 && text->length == 1);                                                \
       a = (int64_t)((uint64_t)(uint8_t)text->data[0] << 15))
INTS(ORDINALS)
// A list gets one item more: it is there at once, and its address is where the item goes.
#define GROWS(a)                                                                                   \
    DO(room_##a, GUARD(((const List *)a)->size < ((const List *)a)->capacity))                     \
    DO(grown_##a, a = (int64_t)&((List *)a)->items[((List *)a)->size++])
INTS(GROWS)

// ---- names of a module, and attributes: by the caches of the instructions (vm/inline_cache.h)

DO(check_module, GUARD(FRAME->locals == FRAME->globals))
#define GLOBALS ((Dict *)(uintptr_t)FRAME->globals)
DO(globals_changed, GLOBALS->version = ++dict_last_version)
#define WORD_IN(object) (*(uint64_t *)(void *)((char *)(uintptr_t)(object) + NUMBER))
#define HAS_KEYS(dict, version) ((dict)->keys_version == (uint32_t)(version))
#define BUILTINS ((const Dict *)thread_state.builtin_names)
// An attribute in the instance, with this number (WORD), or named in __slots__.
#define NAMES(a)                                                                                   \
    PLACE(global, a, a, HAS_KEYS(GLOBALS, WORD), WORD_IN(GLOBALS->entries))                        \
    PLACE(attribute, a, a, WORD < ((const Instance *)a)->count, WORD_IN(a))                        \
    PLACE(member, a, a, true, WORD_IN(a))                                                          \
    DO(plain_##a, GUARD(!((const Instance *)a)->dict)) /* it may hide what the class has */        \
    DO(builtin_##a, GUARD(HAS_KEYS(GLOBALS, WORD) && HAS_KEYS(BUILTINS, WORD >> 32));              \
       a = (int64_t)WORD_IN(BUILTINS->entries))                                                    \
    DO(same_##a, GUARD((uint64_t)a == WORD))                                                       \
    DO(contents_##a, a = (int64_t)((const Cell *)SLOT)->contents)                                  \
    DO(length_##a, a = (int64_t)((uint64_t)((const List *)a)->size << 15)) /* of a list */
INTS(NAMES)

// ---- iterators, which are on the frame's value stack

// A loop within the loop has an iterator of jit_saved, and gives it back.
static inline void give_back(RangeIterator *range)
{
    range->next = (int64_t)(uintptr_t)jit_saved.spare;
    jit_saved.spare = range;
}
// The item to come: the iterator does not move on yet.
#define RANGE ((RangeIterator *)SLOT)
#define ITEM_OF(name, a, at_the_end)                                                               \
    DO(name##_##a, if (__builtin_expect(RANGE->left <= 0, 0)) {                                    \
           at_the_end;                                                                             \
           TAKEN;                                                                                  \
       }                                                                                           \
       a = (int64_t)((uint64_t)RANGE->next << 15))
#define ITERATION(a)                                                                               \
    ITEM_OF(item_of_range, a, )                                                                    \
    ITEM_OF(item_of_inner, a, give_back(RANGE))                                                    \
    DO(range_start_##a, jit_saved.start = a >> 15)                                                 \
    DO(range_stop_##a, jit_saved.stop = a >> 15)                                             \
    DO(range_step_##a, jit_saved.step = a >> 15)                                             \
    DO(item_of_list_##a,                                                                           \
       const IndexIterator *iterator = (const IndexIterator *)SLOT;                                \
       const List *list = (const List *)iterator->sequence;                                        \
       if (__builtin_expect(!list || iterator->index >= list->size, 0)) TAKEN;                     \
       a = (int64_t)list->items[iterator->index])
INTS(ITERATION)
DO(move_list, ((IndexIterator *)SLOT)->index++)
DO(move_range, RANGE->left--; RANGE->next += RANGE->step)
//> lesson 17: iterator
STENCIL(new_range)
{
    int64_t start = jit_saved.start, step = jit_saved.step, last;
    int64_t distance = jit_saved.stop - start, left = distance;
    RangeIterator *range = jit_saved.spare;
    GUARD(step != 0 && range);
    if (step != 1) {
        left = step > 0 ? distance + step - 1 : distance + step + 1;
        left = (left ^ step) < 0 ? 0 : left / step;
    }
    left = left < 0 ? 0 : left;
    GUARD(!__builtin_mul_overflow(left, step, &last) && fits_small(last + start));
    jit_saved.spare = (RangeIterator *)(uintptr_t)range->next;
    range->start = range->next = start;
    range->step = step;
    range->left = left;
    SLOT = (uint64_t)(uintptr_t)range;
    NEXT;
}
//< lesson 17
DO(end_range, give_back((RangeIterator *)SLOT)) // by `break`

// ---- functions in C (vm/jit/walk_quiet.c), whose arguments are in the frame

DO(quiet, uint64_t word = WORD; QuietFn *function = (QuietFn *)(uintptr_t)(word << 16 >> 16);
   jit_saved.value = bits_of(function((const ValueRef *)&SLOT, word >> 48));
   GUARD(jit_saved.value))
#define RESULTS(a) DO(result_##a, a = (int64_t)jit_saved.value)
INTS(RESULTS)

// ---- calls and returns (vm/jit/walk_calls.c)

#define FUNCTION(a) ((const Function *)(a))
_Static_assert(offsetof(Builtin, def) == offsetof(Function, code), "code_i0 reads either");
DO(may_call, GUARD(!eval_breaker.any && frame + NUMBER <= jit_saved.bound))
DO(may_enter, GUARD(*((const CallSite *)WORD)->entry)) // it may have been thrown away
#define CALLS(a)                                                                                   \
    DO(code_##a, GUARD((uint64_t)FUNCTION(a)->code == WORD))                                       \
    DO(own_globals_##a, GUARD(FUNCTION(a)->globals == FRAME->globals))                             \
    DO(globals_of_##a, a = (int64_t)FUNCTION(a)->globals)                                          \
    DO(retain_##a, ((Object *)a)->refcount++)                                                      \
    STENCIL(return_##a) { FRAME->ip = (Instruction *)WORD; return a; }
INTS(CALLS)
STENCIL(call) // the result is in i0; what was in the other registers is lost
{
    Next *entry = (Next *)*((const CallSite *)WORD)->entry;
    i0 = entry(frame + NUMBER, i0, i1, i2, i3, i4, d0, d1, d2, d3, d4, d5, d6, d7);
    __asm__("" : "+r"(frame)); // the compiler should keep nothing else for what is rare
    if (__builtin_expect(i0 != JIT_LEFT, 1)) return NEXT_WITH_RESULT(frame, i0);
    Frame *callee = (Frame *)(void *)(frame + NUMBER); // all that have called leave as well
    callee->previous = FRAME;
    callee->code = *(const volatile Value *)&WORD;
    return JIT_LEFT;
}
// The end of a function's own variable: what it holds is held by another, too.
DO(release, if (is_object_word(SLOT)) ((Object *)SLOT)->refcount--; SLOT = 0)

// ---- leaving

// The common exit: vm/jit/jit.c writes the registers back to the variables.
STENCIL(save)
{
#define SAVE_INT(a) *ints++ = a;
#define SAVE_FLOAT(a) *floats++ = a;
    jit_saved.frame = FRAME;
    int64_t *ints = jit_saved.ints;
    double *floats = jit_saved.floats;
    INTS(SAVE_INT)
    FLOATS(SAVE_FLOAT)
    return JIT_LEFT;
}
STENCIL(leave) { jit_saved.exit = (struct Exit *)WORD; GO(GOTO_); }
