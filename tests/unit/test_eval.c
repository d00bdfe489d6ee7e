// The loop: what fused instructions and caches do, observers, and code that no compiler would make.
#include "tests/unit/machine_unit.h"

#include "compiler/opcode.h"
#include "frames/observe.h"
#include "vm/eval.h"
#include "vm/numbers.h"
#include "vm/quicken.h"

#include "objects/call.h"
#include "objects/classes/method.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/function.h"
#include "objects/memory.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <stdio.h>

// def f(x, y): return x + y
static const TestCode add = {
    BYTES((char)LOAD_FAST, 0, (char)LOAD_FAST, 1, (char)BINARY_ADD, 0, (char)RETURN_VALUE, 0),
    .argcount = 2,
};

static Value call_two(ValueRef function, ValueRef x, ValueRef y)
{
    return object_call_two(function, x, y);
}

static void assert_equal(Value left, Value right)
{
    bool equal = false;
    ck_assert(left != VALUE_ERROR && right != VALUE_ERROR);
    ck_assert(object_equal(left, right, &equal) && equal);
    drop(left);
    drop(right);
}

START_TEST(fused_operator_has_a_general_path)
{
    machine_start();
    Value globals = dict_new(), function = test_function(&add, globals);
    ck_assert(call_two(function, from_small(2), from_small(3)) == from_small(5));
    ck_assert(call_two(function, from_double(0.5), from_double(1)) == from_double(1.5));
    assert_equal(call_two(function, from_small(SMALL_MAX), from_small(1)), int_new(SMALL_MAX + 1));
    assert_equal(call_two(function, from_small(SMALL_MIN), from_small(-1)), int_new(SMALL_MIN - 1));
    assert_equal(call_two(function, from_small(1), from_double(0.5)), from_double(1.5));
    Value text = str_new("ab");
    assert_equal(call_two(function, text, text), str_new("abab"));
    ck_assert_ptr_null(call_two(function, text, from_small(1)));
    ck_assert(error_is(TypeError));
    error_clear();
    Value infinity = from_double(1e308 * 10),
          nan = call_two(function, infinity, from_double(-1e308 * 10));
    ck_assert(is_exactly(nan, &float_type)); // a NaN is an object
    drop(nan);
    drop(text);
    drop(function);
    drop(globals);
    machine_stop();
}
END_TEST

START_TEST(numbers_at_the_border)
{
    Value result;
    ck_assert(!number_add(from_small(SMALL_MAX), from_small(1), &result));
    ck_assert(number_add(from_small(SMALL_MAX), from_small(-1), &result));
    ck_assert(result == from_small(SMALL_MAX - 1));
    ck_assert(!number_subtract(from_small(0), from_small(SMALL_MIN), &result));
    ck_assert(
        !number_multiply(from_small((int64_t)1 << 24), from_small((int64_t)1 << 24), &result));
    ck_assert(
        number_multiply(from_small(-((int64_t)1 << 24)), from_small((int64_t)1 << 24), &result));
    ck_assert(result == from_small(SMALL_MIN));
    ck_assert(!number_floor_divide(from_small(SMALL_MIN), from_small(-1), &result));
    ck_assert(number_floor_divide(from_small(-7), from_small(2), &result));
    ck_assert(result == from_small(-4));
    ck_assert(number_remainder(from_small(-7), from_small(3), &result));
    ck_assert(result == from_small(2));
    ck_assert(!number_remainder(from_small(1), from_small(0), &result));
    ck_assert(!number_lshift(from_small(1), from_small(48), &result));
    ck_assert(number_lshift(from_small(-1), from_small(47), &result));
    ck_assert(result == from_small(-((int64_t)1 << 47)));
    ck_assert(number_rshift(from_small(-5), from_small(1000), &result));
    ck_assert(result == from_small(-1));
    ck_assert(number_xor(from_small(5), from_small(-1), &result));
    ck_assert(result == from_small(-6));
    ck_assert_int_eq(number_lt(from_small(-1), from_small(1)), 1);
    ck_assert_int_eq(number_lt(from_small(1), from_double(1)), -1);
}
END_TEST

START_TEST(unbound_variable_is_said)
{
    machine_start();
    Value globals = dict_new();
    TestCode code = {
        BYTES((char)LOAD_FAST, 2, (char)LOAD_FAST, 1, (char)BINARY_ADD, 0, (char)RETURN_VALUE, 0)};
    ck_assert_ptr_null(test_run(&code, globals));
    ck_assert(error_is(UnboundLocalError));
    error_clear();
    drop(globals);
    machine_stop();
}
END_TEST

START_TEST(global_cache_follows_the_dict)
{
    machine_start();
    Value globals = dict_new();
    TestCode code = {BYTES((char)LOAD_GLOBAL, 0, (char)RETURN_VALUE, 0)};
    Value function = test_function(&code, globals);
    ck_assert(dict_set_ascii(globals, "a", from_small(1)));
    for (int i = 0; i < 3; i++) ck_assert(object_call_none(function) == from_small(1));
    ck_assert(dict_set_ascii(globals, "a", from_small(2)));
    ck_assert(object_call_none(function) == from_small(2));
    ck_assert(dict_set_ascii(globals, "b", from_small(3)));
    ck_assert(object_call_none(function) == from_small(2));
    Value name = str_intern("a");
    ck_assert(dict_delete(globals, name));
    drop(name);
    ck_assert_ptr_null(object_call_none(function));
    ck_assert(error_is(NameError));
    error_clear();
    drop(function);
    dict_clear(globals);
    drop(globals);
    machine_stop();
}
END_TEST

// global a; a += b; return a
static const TestCode grow_global = {
    BYTES((char)LOAD_GLOBAL, 0, (char)LOAD_GLOBAL, 1, (char)INPLACE_ADD, 0, (char)STORE_GLOBAL, 0,
          (char)LOAD_GLOBAL, 0, (char)RETURN_VALUE, 0),
};

START_TEST(text_grows_in_its_variable)
{
    machine_start();
    Value globals = dict_new(), function = test_function(&grow_global, globals);
    Value half = str_new("a growing text "), b = str_new("b");
    ck_assert(dict_set_ascii(globals, "b", b));
    for (int i = 0; i < 2; i++) { // the second time by the caches
        Value a = str_concat(half, half);
        ck_assert(dict_set_ascii(globals, "a", a));
        drop(a);
        uint64_t version = as_dict(globals)->version;
        drop(object_call_none(function));
        ck_assert_uint_ne(as_dict(globals)->version, version);
        ValueRef in_place = dict_peek_ascii(globals, "a");
        ck_assert_int_eq(str_length(in_place), 31);
        Value held = retain(in_place); // so that it may not
        drop(object_call_none(function));
        ck_assert(dict_peek_ascii(globals, "a") != held);
        ck_assert_int_eq(str_length(held), 31);
        drop(held);
    }
    drop(half);
    drop(b);
    drop(function);
    dict_clear(globals);
    drop(globals);
    machine_stop();
}
END_TEST

START_TEST(text_stays_where_there_is_no_memory)
{
    machine_start();
    Value globals = dict_new(), function = test_function(&grow_global, globals);
    Value half = str_new("a growing text "), b = str_repeat(half, 100), a = str_concat(half, half);
    ck_assert(dict_set_ascii(globals, "a", a) && dict_set_ascii(globals, "b", half));
    drop(object_call_none(function)); // quickened and with its caches full
    ck_assert(dict_set_ascii(globals, "a", a) && dict_set_ascii(globals, "b", b));
    drop(a);
    memory_fail_at(1, true);
    ck_assert_ptr_null(object_call_none(function));
    memory_fail_at(0, false);
    ck_assert(error_is(MemoryError));
    error_clear();
    ck_assert_int_eq(str_length(dict_peek_ascii(globals, "a")), 30);
    drop(half);
    drop(b);
    drop(function);
    dict_clear(globals);
    drop(globals);
    machine_stop();
}
END_TEST

static char seen[200];

static bool note_event(Frame *frame, FrameEvent event, ValueRef value)
{
    (void)value;
    size_t used = strlen(seen);
    snprintf(seen + used, sizeof seen - used, "%c%d ", "coreu"[event], frame_lasti(frame));
    return true;
}

START_TEST(observer_sees_every_instruction)
{
    machine_start();
    Value globals = dict_new(), function = test_function(&add, globals);
    seen[0] = '\0';
    observer_set(OBSERVER_DEBUGGER, note_event);
    ck_assert(call_two(function, from_small(1), from_small(1)) == from_small(2));
    ck_assert_str_eq(seen, "c-1 o0 o2 o4 o6 r6 ");
    seen[0] = '\0';
    ck_assert_ptr_null(call_two(function, from_small(1), NONE));
    ck_assert_str_eq(seen, "c-1 o0 o2 o4 e4 u4 ");
    error_clear();
    observer_set(OBSERVER_DEBUGGER, NULL);
    drop(function);
    drop(globals);
    machine_stop();
}
END_TEST

static Value observe(ValueRef self, METHOD_ARGS)
{
    (void)self, (void)args, (void)nargs, (void)kwnames;
    observer_set(OBSERVER_DEBUGGER, note_event);
    return NONE;
}

static Value observe_and_raise(ValueRef self, METHOD_ARGS)
{
    (void)self, (void)args, (void)nargs, (void)kwnames;
    observer_set(OBSERVER_DEBUGGER, note_event);
    return raise_error(ValueError, "seen");
}

static Value stop_observing(ValueRef self, METHOD_ARGS)
{
    (void)self, (void)args, (void)nargs, (void)kwnames;
    observer_set(OBSERVER_DEBUGGER, NULL);
    return NONE;
}

// Calls itself with its argument, through C.
static Value call_self(ValueRef self, METHOD_ARGS)
{
    (void)nargs, (void)kwnames;
    return object_call_one(self, args[0]);
}

// def f(x): x(); return x
static const TestCode switching = {
    BYTES((char)LOAD_FAST, 0, (char)CALL_FUNCTION, 0, (char)POP_TOP, 0, (char)LOAD_FAST, 0,
          (char)RETURN_VALUE, 0),
    .argcount = 1,
};
// def f(x, y): return y(x)
static const TestCode applying = {
    BYTES((char)LOAD_FAST, 1, (char)LOAD_FAST, 0, (char)CALL_FUNCTION, 1, (char)RETURN_VALUE, 0),
    .argcount = 2,
};

// What is observed when the builtin is called by f, and f by a function: in the loop or through C.
static const struct {
    CallFn function;
    bool through_c, observed;
    const char *seen;
} switches[] = {
    {observe, false, false, "o4 o6 o8 r8 o6 r6 "},
    {observe, true, false, "o4 o6 o8 r8 o6 r6 "},
    {observe_and_raise, false, false, "e2 u2 e4 u4 "},
    {observe_and_raise, true, false, "e2 u2 e4 u4 "},
    {stop_observing, false, true, "c-1 o0 o2 o4 c-1 o0 o2 "},
    {stop_observing, true, true, "c-1 o0 o2 o4 c-1 o0 o2 "},
};

START_TEST(observing_begins_and_ends_at_once)
{
    machine_start();
    Value globals = dict_new();
    Value inner = test_function(&switching, globals), outer = test_function(&applying, globals);
    const MethodDef switcher = {"switch", switches[_i].function, NO_ARGS, NULL};
    const MethodDef caller = {"call_self", call_self, ONE_ARG, NULL};
    Value builtin = builtin_new(&switcher, VALUE_ERROR, VALUE_ERROR);
    Value through_c = builtin_new(&caller, inner, VALUE_ERROR);
    seen[0] = '\0';
    observer_set(OBSERVER_DEBUGGER, switches[_i].observed ? note_event : NULL);
    drop(call_two(outer, builtin, switches[_i].through_c ? through_c : inner));
    ck_assert_str_eq(seen, switches[_i].seen);
    error_clear();
    observer_set(OBSERVER_DEBUGGER, NULL);
    drop(builtin);
    drop(through_c);
    drop(inner);
    drop(outer);
    dict_clear(globals);
    drop(globals);
    machine_stop();
}
END_TEST

static bool note_second(Frame *frame, FrameEvent event, ValueRef value)
{
    (void)frame, (void)value;
    if (event == EVENT_OPCODE) strcat(seen, "| ");
    return true;
}

START_TEST(observers_have_an_order)
{
    machine_start();
    Value globals = dict_new(), function = test_function(&add, globals);
    seen[0] = '\0';
    observer_set(OBSERVER_RECORDER, note_second);
    observer_set(OBSERVER_TRACE, note_event);
    ck_assert(call_two(function, from_small(1), from_small(1)) == from_small(2));
    ck_assert_str_eq(seen, "c-1 o0 | o2 | o4 | o6 | r6 ");
    seen[0] = '\0';
    observer_set(OBSERVER_TRACE, NULL);
    ck_assert(call_two(function, from_small(1), from_small(1)) == from_small(2));
    ck_assert_str_eq(seen, "| | | | ");
    observer_set(OBSERVER_RECORDER, NULL);
    drop(function);
    drop(globals);
    machine_stop();
}
END_TEST

// What the loop finds out by itself, of code that nobody's compiler made.
START_TEST(broken_code_fails)
{
    machine_start();
    Value globals = dict_new();
    const struct {
        TestCode code;
        const char *said;
    } broken[] = {
        {{BYTES((char)LOAD_NAME, 0, (char)RETURN_VALUE, 0)}, "no locals when loading 'a'"},
        {{BYTES((char)SETUP_ANNOTATIONS, 0, (char)LOAD_FAST, 0, (char)RETURN_VALUE, 0)},
         "no locals found when setting up annotations"},
        {{BYTES((char)BUILD_LIST, 0, (char)BUILD_CONST_KEY_MAP, 0, (char)RETURN_VALUE, 0)},
         "bad BUILD_CONST_KEY_MAP keys argument"},
        {{BYTES((char)BUILD_LIST, 0, (char)BUILD_LIST, 0, (char)BUILD_LIST, 0, (char)RERAISE, 0)},
         "nothing to raise again"},
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        ck_assert_ptr_null(test_run(&broken[i].code, globals));
        ck_assert_msg(error_is(SystemError), "code %zu", i);
        Value exception = error_take(), text = object_str(exception);
        ck_assert_str_eq(str_utf8(text, NULL), broken[i].said);
        drop(text);
        drop(exception);
    }
    drop(globals);
    machine_stop();
}
END_TEST

Suite *eval_suite(void)
{
    Suite *suite = suite_create("eval");
    TCase *tests = live_case(suite, "eval");
    tcase_add_test(tests, fused_operator_has_a_general_path);
    tcase_add_test(tests, numbers_at_the_border);
    tcase_add_test(tests, unbound_variable_is_said);
    tcase_add_test(tests, global_cache_follows_the_dict);
    tcase_add_test(tests, text_grows_in_its_variable);
    tcase_add_test(tests, text_stays_where_there_is_no_memory);
    tcase_add_test(tests, observer_sees_every_instruction);
    tcase_add_loop_test(tests, observing_begins_and_ends_at_once, 0,
                        sizeof switches / sizeof *switches);
    tcase_add_test(tests, observers_have_an_order);
    tcase_add_test(tests, broken_code_fails);
    return suite;
}
