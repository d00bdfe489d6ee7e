// PEP 523 from C: the pointer, what a hook may do to a frame, co_extra. That every kind of frame
// passes is shown by tests/plugins/every_kind.mpy, against CPython.
#include "tests/unit/machine_unit.h"

#include "compiler/opcode.h"
#include "frames/cache/custom_code.h"
#include "frames/generators/generator.h"
#include "frames/hook.h"
#include "vm/eval.h"
#include "vm/quicken.h"

#include "objects/call.h"
#include "objects/code.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/function.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

// def f(x): return x
static const TestCode identity = {
    BYTES((char)LOAD_FAST, 0, (char)RETURN_VALUE, 0),
    .argcount = 1,
};
// def f(x): return x(7)
static TestCode caller = {
    BYTES((char)LOAD_FAST, 0, (char)LOAD_CONST, 0, (char)CALL_FUNCTION, 1, (char)RETURN_VALUE, 0),
    .argcount = 1,
};
// def f(x): y = yield x; return y
static const TestCode echo = {
    BYTES((char)LOAD_FAST, 0, (char)YIELD_VALUE, 0, (char)STORE_FAST, 1, (char)LOAD_FAST, 1,
          (char)RETURN_VALUE, 0),
    .argcount = 1,
    .flags = CO_OPTIMIZED | CO_NEWLOCALS | CO_GENERATOR | CO_NOFREE,
};

static Value globals, seven, function, generator;
static int evaluated, thrown; // by the hook `counting`
static char released[100];

// A function of the code, or the generator that calling it with 7 gives.
static void begin(const TestCode *code)
{
    machine_start();
    evaluated = thrown = 0;
    released[0] = 0;
    upcalls.release_extra = code_release_extra;
    upcalls.traverse_extra = code_traverse_extra;
    globals = dict_new();
    seven = tuple_pack(1, (ValueRef)from_small(7));
    caller.consts = seven;
    function = test_function(code, globals);
    if (code == &echo) generator = object_call_one(function, from_small(7));
}

static void end(void)
{
    eval_frame_set(NULL);
    drop_slot(&generator);
    drop(function);
    drop(seven);
    drop(globals);
    machine_stop();
}

static void assert_raised(Type *type, const char *message)
{
    ck_assert(error_is(type));
    Value exception = error_take(), text = object_str(exception);
    ck_assert_msg(strstr(str_utf8(text, NULL), message), "%s", str_utf8(text, NULL));
    drop(text);
    drop(exception);
}

// ---- the pointer

static Frame *caller_seen;

static Value counting(ThreadState *thread, Frame *frame, int throwflag)
{
    evaluated++;
    thrown += throwflag;
    ck_assert(!throwflag == !error_pending());
    ck_assert_ptr_ne(thread->frame, frame);
    caller_seen = frame->previous;
    return eval_frame_default(thread, frame, throwflag);
}

static Value answering(ThreadState *thread, Frame *frame, int throwflag)
{
    (void)thread;
    (void)frame;
    (void)throwflag;
    return from_small(42);
}

START_TEST(the_default_is_no_hook)
{
    begin(&identity);
    ck_assert_ptr_eq(eval_frame_get(), eval_frame_default);
    ck_assert_ptr_eq(eval_frame_get_default(), eval_frame_default);
    ck_assert(!thread_state.hooked);
    eval_frame_set(counting);
    ck_assert_ptr_eq(eval_frame_get(), counting);
    ck_assert(thread_state.hooked);
    eval_frame_set(eval_frame_default);
    ck_assert(!thread_state.hooked);
    end();
}
END_TEST

START_TEST(frames_from_c_and_from_the_loop)
{
    begin(&caller);
    Value inner = test_function(&identity, globals);
    eval_frame_set(counting);
    ck_assert(object_call_one(function, inner) == from_small(7));
    ck_assert_int_eq(evaluated, 2);
    ck_assert_ptr_nonnull(caller_seen); // f_back is there before the frame runs
    eval_frame_set(answering);
    ck_assert(object_call_one(function, inner) == from_small(42));
    eval_frame_set(NULL);
    ck_assert(object_call_one(function, inner) == from_small(7));
    ck_assert_int_eq(evaluated, 2);
    drop(inner);
    end();
}
END_TEST

// Takes itself away, or puts itself in place, while frames run below it.
static Value leaving(ThreadState *thread, Frame *frame, int throwflag)
{
    eval_frame_set(NULL);
    Value result = eval_frame_default(thread, frame, throwflag);
    eval_frame_set(leaving);
    evaluated++;
    return result;
}

START_TEST(a_hook_changes_in_the_middle)
{
    begin(&caller);
    Value inner = test_function(&identity, globals);
    eval_frame_set(leaving);
    ck_assert(object_call_one(function, inner) == from_small(7));
    ck_assert_int_eq(evaluated, 1);
    ck_assert(object_call_one(function, inner) == from_small(7));
    ck_assert_int_eq(evaluated, 2);
    drop(inner);
    end();
}
END_TEST

// ---- what a hook makes of a function's frame

START_TEST(a_frame_that_never_ran_ends)
{
    begin(&identity);
    Value argument = str_new("argument"), *top = thread_state.top;
    eval_frame_set(answering);
    ck_assert(object_call_one(function, argument) == from_small(42));
    ck_assert_int_eq(object_of(argument)->refcount, 1);
    ck_assert_ptr_eq(thread_state.top, top);
    drop(argument);
    end();
}
END_TEST

static Value keeping_the_object(ThreadState *thread, Frame *frame, int throwflag)
{
    (void)thread;
    (void)throwflag;
    return retain(frame_object(frame));
}

START_TEST(its_object_outlives_it)
{
    begin(&identity);
    Value argument = str_new("argument");
    eval_frame_set(keeping_the_object);
    Value object = object_call_one(function, argument);
    ck_assert_int_eq(frame_lasti(as_frame_object(object)->frame), -1);
    ck_assert(as_frame_object(object)->frame->localsplus[0] == argument);
    drop(object);
    ck_assert_int_eq(object_of(argument)->refcount, 1);
    drop(argument);
    end();
}
END_TEST

static Value returning_nothing(ThreadState *thread, Frame *frame, int throwflag)
{
    (void)thread;
    (void)frame;
    (void)throwflag;
    error_clear();
    return VALUE_ERROR;
}

static Value returning_with_error(ThreadState *thread, Frame *frame, int throwflag)
{
    Value result = eval_frame_default(thread, frame, throwflag);
    raise_error(KeyError, "left behind");
    return result;
}

START_TEST(a_result_is_checked)
{
    begin(&identity);
    Value argument = str_new("argument");
    eval_frame_set(returning_nothing);
    ck_assert_ptr_null(object_call_one(function, argument));
    assert_raised(SystemError, " returned NULL without setting an error");
    eval_frame_set(returning_with_error);
    ck_assert_ptr_null(object_call_one(function, argument));
    ck_assert(is_exactly(as_exception(error_peek())->cause, KeyError));
    assert_raised(SystemError, " returned a result with an error set");
    ck_assert_int_eq(object_of(argument)->refcount, 1);
    drop(argument);
    end();
}
END_TEST

static Value running_twice(ThreadState *thread, Frame *frame, int throwflag)
{
    drop(eval_frame_default(thread, frame, throwflag));
    return eval_frame_default(thread, frame, throwflag);
}

static Value running_the_caller(ThreadState *thread, Frame *frame, int throwflag)
{
    return eval_frame_default(thread, frame->previous ? frame->previous : frame, throwflag);
}

static Value throwing_nothing(ThreadState *thread, Frame *frame, int throwflag)
{
    return eval_frame_default(thread, frame, !throwflag);
}

START_TEST(the_default_refuses)
{
    begin(&caller);
    Value inner = test_function(&identity, globals);
    eval_frame_set(running_twice);
    ck_assert_ptr_null(object_call_one(inner, from_small(1)));
    assert_raised(SystemError, "the frame of 'f' has run already");
    eval_frame_set(running_the_caller);
    ck_assert_ptr_null(object_call_one(function, inner));
    assert_raised(SystemError, "the frame of 'f' has run already");
    eval_frame_set(throwing_nothing);
    ck_assert_ptr_null(object_call_one(inner, from_small(1)));
    assert_raised(SystemError, "bad argument to internal function");
    drop(inner);
    end();
}
END_TEST

static Value other;
static bool after_all, below_another;

static bool ready(Code *code)
{
    return quicken(code) != NULL;
}

static Value running_other_code(ThreadState *thread, Frame *frame, int throwflag)
{
    Code *code = as_code(as_function(other)->code);
    bool fits = code_fits(code, as_code(frame->code));
    Frame *above = below_another ? frame_push(quick_of(code)) : NULL;
    Value result = fits ? frame_run_code(thread, frame, code, eval_frame_default) : VALUE_ERROR;
    if (above) frame_pop(above);
    if (!result || !after_all) return result;
    drop(result);
    return eval_frame_default(thread, frame, throwflag);
}

START_TEST(a_frame_runs_other_code)
{
    begin(&identity);
    upcalls.make_runnable = ready;
    Value argument = str_new("argument");
    TestCode constant = {BYTES((char)LOAD_CONST, 0, (char)RETURN_VALUE, 0), .argcount = 1,
                         .consts = seven};
    other = test_function(&constant, globals);
    eval_frame_set(running_other_code);
    ck_assert(object_call_one(function, argument) == from_small(7));
    ck_assert_int_eq(object_of(argument)->refcount, 1);
    after_all = true;
    ck_assert_ptr_null(object_call_one(function, argument));
    assert_raised(SystemError, "the frame of 'f' has run already");
    ck_assert_int_eq(object_of(argument)->refcount, 1);
    after_all = false; // on frames of their own, as these have no room on the first one:
    below_another = true;
    ck_assert(object_call_one(function, argument) == from_small(7));
    below_another = false;
    constant.stacksize = 1 << 16; // needs a chunk of the frame stack of its own
    replace_slot(&other, test_function(&constant, globals));
    ck_assert(object_call_one(function, argument) == from_small(7));
    drop(argument);
    drop(other);
    end();
}
END_TEST

// ---- and of a generator's

START_TEST(throwing_is_announced)
{
    begin(&echo);
    eval_frame_set(counting);
    ck_assert(generator_next(generator) == from_small(7));
    ck_assert_int_eq(thrown, 0);
    ck_assert_ptr_null(generator_throw(generator, ref_of(KeyError), VALUE_ERROR, VALUE_ERROR));
    assert_raised(KeyError, "");
    ck_assert_int_eq(thrown, 1);
    replace_slot(&generator, object_call_one(function, from_small(7)));
    ck_assert(generator_next(generator) == from_small(7));
    ck_assert(generator_close(generator));
    ck_assert_int_eq(thrown, 2);
    ck_assert_int_eq(evaluated, 4); // a call of a generator function evaluates nothing
    end();
}
END_TEST

START_TEST(a_value_from_elsewhere_is_yielded)
{
    begin(&echo);
    Value sent = str_new("sent");
    eval_frame_set(answering);
    ck_assert(generator_next(generator) == from_small(42));
    ck_assert_int_eq(as_generator(generator)->state, GENERATOR_CREATED);
    eval_frame_set(NULL);
    ck_assert(generator_next(generator) == from_small(7));
    eval_frame_set(answering);
    for (int i = 0; i < 1000; i++) ck_assert(generator_send(generator, sent) == from_small(42));
    ck_assert_int_eq(object_of(sent)->refcount, 1);
    ck_assert_int_eq(as_generator(generator)->state, GENERATOR_SUSPENDED);
    eval_frame_set(NULL);
    ck_assert_ptr_null(generator_send(generator, sent));
    Value returned = stop_iteration_take();
    ck_assert(returned == sent);
    drop(returned);
    drop(sent);
    end();
}
END_TEST

static Value swallowing(ThreadState *thread, Frame *frame, int throwflag)
{
    Value result = eval_frame_default(thread, frame, throwflag);
    if (result) return result;
    error_clear();
    return from_small(42);
}

START_TEST(what_raised_has_ended)
{
    begin(&echo);
    eval_frame_set(swallowing);
    ck_assert(generator_next(generator) == from_small(7));
    ck_assert_ptr_null(generator_throw(generator, ref_of(KeyError), VALUE_ERROR, VALUE_ERROR));
    ck_assert(stop_iteration_take() == from_small(42)); // so it counts as returned
    ck_assert(generator_next(generator) == ABSENT);
    end();
}
END_TEST

static Value failing(ThreadState *thread, Frame *frame, int throwflag)
{
    drop(eval_frame_default(thread, frame, throwflag));
    return raise_error(ValueError, "instead");
}

START_TEST(what_fails_after_yielding_has_ended)
{
    begin(&echo);
    eval_frame_set(failing);
    ck_assert_ptr_null(generator_next(generator));
    assert_raised(ValueError, "instead");
    ck_assert_int_eq(as_generator(generator)->state, GENERATOR_FINISHED);
    ck_assert(generator_next(generator) == ABSENT);
    replace_slot(&generator, object_call_one(function, from_small(7)));
    eval_frame_set(running_twice);
    ck_assert_ptr_null(generator_next(generator));
    assert_raised(SystemError, "the frame of 'f' has run already");
    replace_slot(&generator, object_call_one(function, from_small(7)));
    eval_frame_set(returning_nothing);
    ck_assert_ptr_null(generator_next(generator));
    assert_raised(SystemError, " returned NULL without setting an error");
    end();
}
END_TEST

// ---- co_extra

static void note_release(void *extra)
{
    strcat(released, extra ? extra : "-");
}

START_TEST(extra_indices_run_out)
{
    begin(&identity);
    Code *code = as_code(as_function(function)->code);
    for (int i = 0; i < MAX_EXTRA_USERS - 1; i++)
        ck_assert_int_eq(extra_request_index(NULL, NULL), i);
    ck_assert_int_eq(extra_request_index(NULL, NULL), -1);
    ck_assert(code_set_extra(code, 253, "first"));
    ck_assert(code_set_extra(code, 253, "last")); // nobody is to be told
    ck_assert_str_eq(code_get_extra(code, 253), "last");
    ck_assert_ptr_null(code_get_extra(code, 0));
    end();
}
END_TEST

START_TEST(extra_grows_filled_with_nothing)
{
    begin(&identity);
    Code *code = as_code(as_function(function)->code);
    int first = extra_request_index(note_release, NULL);
    ck_assert_ptr_null(code_get_extra(code, first));
    ck_assert(code_set_extra(code, first, "a"));
    ck_assert_ptr_null(code_get_extra(code, first + 1));
    ck_assert(!code_set_extra(code, first + 1, "b"));
    assert_raised(SystemError, "bad argument to internal function");
    ck_assert(!code_set_extra(code, -1, "b"));
    assert_raised(SystemError, "bad argument to internal function");
    ck_assert_ptr_null(code_get_extra(code, -1));
    int second = extra_request_index(note_release, NULL), third = extra_request_index(NULL, NULL);
    ck_assert(code_set_extra(code, third, "c"));
    ck_assert_ptr_null(code_get_extra(code, second));
    ck_assert_str_eq(code_get_extra(code, first), "a");
    ck_assert_int_eq(code->extra_count, 3);
    ck_assert_str_eq(released, "");
    end();
    ck_assert_str_eq(released, "a-"); // with the code; also where there is nothing
}
END_TEST

START_TEST(extra_replaced_is_released)
{
    begin(&identity);
    Code *code = as_code(as_function(function)->code);
    int index = extra_request_index(note_release, NULL);
    ck_assert(code_set_extra(code, index, "a"));
    ck_assert(code_set_extra(code, index, "b"));
    ck_assert_str_eq(released, "a");
    ck_assert(code_set_extra(code, index, NULL));
    ck_assert(code_set_extra(code, index, "c"));
    ck_assert_str_eq(released, "ab");
    end();
    ck_assert_str_eq(released, "abc");
}
END_TEST

static Code *target;
static int own_index;
static bool came_back;

// What script code may do meanwhile.
static void coming_back(void *extra)
{
    note_release(extra);
    if (came_back) return;
    came_back = true;
    ck_assert_ptr_ne(code_get_extra(target, own_index), extra);
    int more = extra_request_index(note_release, NULL);
    ck_assert(code_set_extra(target, more, "m"));
    ck_assert(code_set_extra(target, own_index, "n"));
}

START_TEST(extra_release_comes_back)
{
    begin(&identity);
    target = as_code(as_function(function)->code);
    own_index = extra_request_index(coming_back, NULL);
    ck_assert(code_set_extra(target, own_index, "a"));
    ck_assert(code_set_extra(target, own_index, "b")); // a goes and puts n there, so b goes
    ck_assert_str_eq(code_get_extra(target, own_index), "n");
    ck_assert_str_eq(released, "ab");
    came_back = false;
    code_release_extra(target); // n goes and puts another there, which stays; m goes
    ck_assert_str_eq(released, "abnm");
    ck_assert_str_eq(code_get_extra(target, own_index), "n");
    end();
    ck_assert_str_eq(released, "abnmn-m");
}
END_TEST

typedef struct Holder {
    Value code;
} Holder;
static int holders;

static void holder_release(void *extra)
{
    Holder *holder = extra;
    if (!holder) return;
    drop(holder->code);
    memory_free(holder);
    holders--;
}

static void holder_traverse(void *extra, VisitFn visit, void *arg)
{
    visit(((Holder *)extra)->code, arg);
}

static void hang_on_itself(ValueRef code, int index)
{
    Holder *holder = memory_alloc(sizeof *holder);
    holder->code = retain(code);
    holders++;
    ck_assert(code_set_extra(as_code(code), index, holder));
}

START_TEST(the_collector_sees_through)
{
    begin(&identity);
    int index = extra_request_index(holder_release, holder_traverse);
    Value code = test_code(&identity);
    hang_on_itself(code, index);
    gc_collect(2);
    ck_assert_int_eq(holders, 1);
    drop(code);
    ck_assert_int_eq(holders, 1);
    gc_collect(2);
    ck_assert_int_eq(holders, 0);
    end();
}
END_TEST

Suite *hook_suite(void)
{
    Suite *suite = suite_create("hook");
    TCase *tests = live_case(suite, "hook");
    const TTest *const all[] = {
        the_default_is_no_hook,       frames_from_c_and_from_the_loop,
        a_hook_changes_in_the_middle, a_frame_that_never_ran_ends,
        its_object_outlives_it,       a_result_is_checked,
        the_default_refuses,          a_frame_runs_other_code,
        throwing_is_announced,        a_value_from_elsewhere_is_yielded,
        what_raised_has_ended,        what_fails_after_yielding_has_ended,
        extra_indices_run_out,        extra_grows_filled_with_nothing,
        extra_replaced_is_released,   extra_release_comes_back,
        the_collector_sees_through,
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tcase_add_test(tests, all[i]);
    return suite;
}
