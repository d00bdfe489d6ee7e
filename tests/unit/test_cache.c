// The guarded code cache from C: the list on a code object, the marks, the rows of the lookup, and
// the rule by which localsplus is taken over.
#include "tests/unit/machine_unit.h"

#include "compiler/opcode.h"
#include "frames/cache/cache.h"
#include "frames/cache/custom_code.h"
#include "frames/hook.h"
#include "vm/eval.h"
#include "vm/quicken.h"

#include "objects/call.h"
#include "objects/classes/namespace.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/function.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

static Value globals;

static bool make_runnable(Code *code)
{
    return quicken(code) != NULL;
}

static void start(void)
{
    machine_start();
    upcalls.make_runnable = make_runnable;
    upcalls.release_extra = code_release_extra;
    upcalls.traverse_extra = code_traverse_extra;
    ck_assert(cache_init());
    globals = dict_new();
}

static void stop(void)
{
    cache_finish();
    drop_slot(&globals);
    machine_stop();
}

// A function of so many arguments, at most three, that returns always the same.
static Value constant(int argcount, ValueRef result)
{
    Value consts = tuple_pack(1, result);
    Value function = test_function(
        &(TestCode){BYTES(LOAD_CONST, 0, (char)RETURN_VALUE, 0), argcount, .consts = consts},
        globals);
    drop(consts);
    return function;
}

// A function that returns its argument.
static Value identity(void)
{
    return test_function(&(TestCode){BYTES(LOAD_FAST, 0, (char)RETURN_VALUE, 0), 1}, globals);
}

static Code *code_of(ValueRef function)
{
    return as_code(as_function(function)->code);
}

static Value guarded(ValueRef function, ValueRef guard)
{
    Value attributes = dict_new();
    ck_assert(dict_set_ascii(attributes, "code", as_function(function)->code));
    ck_assert(dict_set_ascii(attributes, "check_fn", guard));
    Value made = namespace_new(attributes);
    drop(attributes);
    return made;
}

static void set_callback(ValueRef callback)
{
    Value before = cache_set_callback(callback);
    ck_assert(before != VALUE_ERROR);
    drop(before);
}

// f(1): the small int that it returns.
static int64_t call(ValueRef function)
{
    Value result = object_call_one(function, from_small(1));
    assert_no_error();
    ck_assert(is_small(result));
    return small_value(result);
}

static Value another_evaluator(ThreadState *thread, Frame *frame, int throwflag)
{
    return eval_frame_default(thread, frame, throwflag);
}

START_TEST(evaluator_is_there_while_a_callback_is)
{
    start();
    Value callback = constant(3, NONE);
    ck_assert(!thread_state.hooked);
    ck_assert(cache_set_callback(FALSE) == NONE);
    ck_assert(thread_state.hooked);
    ck_assert(cache_set_callback(callback) == FALSE);
    ck_assert_ptr_null(cache_set_callback(from_small(5)));
    ck_assert(error_is(TypeError));
    error_clear();
    ck_assert(thread_state.hooked);
    Value before = cache_set_callback(NONE);
    ck_assert(before == callback);
    ck_assert(!thread_state.hooked);
    drop(before);
    set_callback(callback);
    EvalFrameFn mine = eval_frame_get();
    eval_frame_set(another_evaluator);
    set_callback(NONE);
    ck_assert(eval_frame_get() == another_evaluator); // it is not the cache's to take away
    eval_frame_set(mine);
    set_callback(callback);
    cache_finish();
    ck_assert(!thread_state.hooked);
    ck_assert_int_eq(object_of(callback)->refcount, 1);
    drop(callback);
    stop();
}
END_TEST

START_TEST(marks_and_states)
{
    start();
    Value f = identity();
    Code *code = code_of(f);
    ck_assert_ptr_null(extra_state_get(code));
    ck_assert(extra_state_mark(code, NULL));
    ck_assert_int_eq(code->extra_count, 0); // nothing was there to be forgotten
    ExtraState *extra = extra_state_make(code);
    ck_assert_ptr_nonnull(extra);
    ck_assert_ptr_eq(extra_state_make(code), extra);
    ck_assert(extra_state_mark(code, SKIP_CODE));
    ck_assert_ptr_eq(extra_state_get(code), SKIP_CODE);
    ck_assert(extra_state_mark(code, SKIP_CODE_RECURSIVE));
    ck_assert_ptr_eq(extra_state_get(code), SKIP_CODE_RECURSIVE);
    ck_assert_ptr_nonnull(extra_state_make(code));
    ck_assert(extra_state_mark(code, NULL));
    ck_assert_ptr_null(extra_state_get(code));
    drop(f);
    stop();
}
END_TEST

START_TEST(entries_keep_their_order)
{
    enum { COUNT = 4 };
    start();
    Value f = identity(), entries[COUNT];
    ExtraState *extra = extra_state_make(code_of(f));
    for (int i = 0; i < COUNT; i++) {
        Value guard = constant(1, TRUE), answer = guarded(f, guard);
        entries[i] = cache_entry_new(answer, NONE);
        ck_assert(extra_state_add(extra, entries[i]));
        drop(answer);
        drop(guard);
    }
    ck_assert_int_eq(extra->count, COUNT);
    for (int i = 0; i < COUNT; i++) {
        extra_state_move_to_front(as_cache_entry(entries[i]));
        ck_assert(extra->entries == entries[i]);
        ck_assert_int_eq(extra->count, COUNT);
    }
    ValueRef entry = extra->entries;
    for (int i = COUNT; --i >= 0; entry = as_cache_entry(entry)->next)
        ck_assert(entry == entries[i]);
    ck_assert(!entry);
    ck_assert(extra_state_mark(code_of(f), SKIP_CODE));
    for (int i = 0; i < COUNT; i++) {
        ck_assert_ptr_null(as_cache_entry(entries[i])->owner);
        ck_assert_ptr_null(as_cache_entry(entries[i])->next);
        extra_state_move_to_front(as_cache_entry(entries[i])); // is in no list: nothing happens
        drop(entries[i]);
    }
    drop(f);
    stop();
}
END_TEST

START_TEST(hits_and_misses)
{
    start();
    Value f = identity(), other = constant(1, from_small(42));
    Value holds = constant(1, TRUE), fails = constant(1, FALSE);
    Value failing = guarded(other, fails), holding = guarded(other, holds);
    Value callback = constant(3, failing), second = constant(3, holding);
    set_callback(FALSE);
    ck_assert_int_eq(call(f), 1); // run-only, and nothing is cached
    ck_assert_ptr_null(extra_state_get(code_of(f)));
    set_callback(callback);
    ck_assert_int_eq(call(f), 42); // compiled; the guard is not asked
    ck_assert_int_eq(call(f), 42); // asked, failed, compiled again
    const ExtraState *extra = extra_state_get(code_of(f));
    ck_assert_int_eq(extra->count, 2);
    const CacheEntry *oldest = as_cache_entry(as_cache_entry(extra->entries)->next);
    ck_assert_int_eq(oldest->misses, 1);
    ck_assert_int_eq(as_cache_entry(extra->entries)->misses, 0);
    set_callback(second);
    ck_assert_int_eq(call(f), 42); // another backend: the first two are not asked
    ck_assert_int_eq(oldest->misses, 1);
    ck_assert_int_eq(call(f), 42);
    ck_assert_int_eq(as_cache_entry(extra->entries)->hits, 1);
    ck_assert_int_eq(extra->count, 3);
    set_callback(FALSE);
    ck_assert_int_eq(call(f), 42); // everybody's entries serve
    ck_assert_int_eq(as_cache_entry(extra->entries)->hits, 2);
    set_callback(NONE);
    ck_assert_int_eq(call(f), 1);
    Value made[] = {f, other, holds, fails, failing, holding, callback, second};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) drop(made[i]);
    stop();
}
END_TEST

START_TEST(skipping)
{
    start();
    Value f = identity(), skip = constant(3, NONE);
    Value recursive = constant(3, cache_skip_recursive_flag());
    set_callback(skip);
    ck_assert_int_eq(call(f), 1);
    ck_assert_ptr_eq(extra_state_get(code_of(f)), SKIP_CODE);
    ck_assert(extra_state_mark(code_of(f), NULL));
    set_callback(recursive);
    ck_assert_int_eq(call(f), 1);
    ck_assert_ptr_eq(extra_state_get(code_of(f)), SKIP_CODE_RECURSIVE);
    ck_assert_int_eq(call(f), 1);
    ck_assert(thread_state.hooked);
    set_callback(NONE);
    drop(skip);
    drop(recursive);
    drop(f);
    stop();
}
END_TEST

START_TEST(errors_leave_no_callback)
{
    start();
    Value f = identity(), wrong = constant(3, from_small(7)), too_few = constant(0, NONE);
    ValueRef callbacks[] = {wrong, too_few};
    for (int i = 0; i < 2; i++) {
        set_callback(callbacks[i]);
        ck_assert_ptr_null(object_call_one(f, from_small(1)));
        ck_assert(error_is(TypeError));
        error_clear();
        ck_assert(!thread_state.hooked);
        ck_assert(cache_set_callback(NONE) == NONE);
        ck_assert_int_eq(((ExtraState *)extra_state_get(code_of(f)))->count, 0);
    }
    drop(wrong);
    drop(too_few);
    drop(f);
    stop();
}
END_TEST

// ---- the rule of seed 001

typedef struct Names {
    const char *locals, *cells, *free; // one letter each
    int kind;                          // beside CO_OPTIMIZED and CO_NEWLOCALS
} Names;

static Names names(const char *locals, const char *cells, const char *free)
{
    return (Names){locals, cells, free, 0};
}

static Value letters(const char *text)
{
    Value tuple = tuple_new((ssize_t)strlen(text));
    for (ssize_t i = 0; text[i]; i++) as_tuple(tuple)->items[i] = str_intern((char[]){text[i], 0});
    return tuple;
}

static Value code_with(Names given)
{
    Value locals = letters(given.locals), cells = letters(given.cells), frees = letters(given.free);
    Value none = tuple_new(0), bytes = bytes_new("d\0S\0", 4), lines = bytes_new("", 0);
    Value consts = tuple_pack(1, (ValueRef)NONE), name = str_new("f");
    CodeFields fields = {
        .nlocals = (int)strlen(given.locals),
        .stacksize = 1,
        .flags = CO_OPTIMIZED | CO_NEWLOCALS | given.kind,
        .code = bytes,
        .consts = consts,
        .names = none,
        .varnames = locals,
        .freevars = frees,
        .cellvars = cells,
        .filename = name,
        .name = name,
        .lnotab = lines,
    };
    Value code = code_new(&fields);
    ck_assert(code != VALUE_ERROR);
    Value made[] = {locals, cells, frees, none, bytes, lines, consts, name};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) drop(made[i]);
    return code;
}

static bool fits(Names given, Names original)
{
    Value code = code_with(given), old = code_with(original);
    bool fitting = code_fits(as_code(code), as_code(old));
    if (!fitting) {
        ck_assert(error_is(ValueError));
        error_clear();
    }
    drop(code);
    drop(old);
    return fitting;
}

START_TEST(rule_of_localsplus)
{
    start();
    Names original = names("xyz", "cd", "pq");
    ck_assert(fits(original, original));
    ck_assert(fits(names("xyzab", "cd", "pq"), original));
    ck_assert(!fits(names("xy", "cd", "pq"), original));
    ck_assert(!fits(names("axyz", "cd", "pq"), original));
    ck_assert(!fits(names("xzy", "cd", "pq"), original));
    ck_assert(!fits(names("xyz", "c", "pq"), original));
    ck_assert(!fits(names("xyz", "dc", "pq"), original));
    ck_assert(!fits(names("xyz", "cde", "pq"), original));
    ck_assert(!fits(names("xyz", "cd", "p"), original));
    ck_assert(!fits(names("xyz", "cd", "qp"), original));
    ck_assert(!fits(names("xyz", "cd", "pqr"), original));
    Names generator = {"xyz", "cd", "pq", CO_GENERATOR};
    ck_assert(!fits(generator, original));
    ck_assert(!fits(generator, generator));
    stop();
}
END_TEST

// ---- what dies

START_TEST(cycles_through_a_code_object)
{
    start();
    Value f = identity(), guard = constant(1, TRUE), answer = guarded(f, guard);
    Value callback = constant(3, answer);
    set_callback(callback);
    ck_assert_int_eq(call(f), 1); // the entry holds the code that it hangs on
    set_callback(NONE);
    drop(callback);
    drop(answer);
    drop(guard);
    drop(f);
    stop(); // objects_finish() finds nothing left, or the debug build says what
}
END_TEST

Suite *cache_suite(void)
{
    Suite *suite = suite_create("cache");
    TCase *tests = live_case(suite, "cache");
    tcase_add_test(tests, evaluator_is_there_while_a_callback_is);
    tcase_add_test(tests, marks_and_states);
    tcase_add_test(tests, entries_keep_their_order);
    tcase_add_test(tests, hits_and_misses);
    tcase_add_test(tests, skipping);
    tcase_add_test(tests, errors_leave_no_callback);
    tcase_add_test(tests, rule_of_localsplus);
    tcase_add_test(tests, cycles_through_a_code_object);
    return suite;
}
