// Frames: the frame stack, the object that outlives its frame, generators, f_lasti.
#include "tests/unit/machine_unit.h"

#include "compiler/opcode.h"
#include "frames/generators/generator.h"
#include "frames/hook.h"
#include "vm/eval.h"
#include "vm/function_call.h"
#include "vm/quicken.h"

#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

static Value no_builtins;

static ValueRef builtins(void)
{
    return no_builtins;
}

void machine_start(void)
{
    no_builtins = dict_new();
    upcalls.builtins = builtins;
    ck_assert(eval_init());
    upcalls.release_quickened = quicken_release;
}

void machine_stop(void)
{
    eval_finish();
    drop_slot(&no_builtins);
}

Value test_code(const TestCode *fields)
{
    Value x = str_intern("x"), y = str_intern("y"), z = str_intern("z");
    Value a = str_intern("a"), b = str_intern("b");
    Value variables = tuple_pack(3, (ValueRef)x, (ValueRef)y, (ValueRef)z), none = tuple_new(0);
    Value names = tuple_pack(2, (ValueRef)a, (ValueRef)b);
    Value bytes = bytes_new(fields->bytes, fields->size), lines = bytes_new("", 0);
    Value file = str_new("test"), name = str_new("f");
    CodeFields all = {
        .argcount = fields->argcount,
        .nlocals = 3,
        .stacksize = fields->stacksize ? fields->stacksize : 10,
        .flags = fields->flags ? fields->flags : CO_OPTIMIZED | CO_NEWLOCALS | CO_NOFREE,
        .firstlineno = 1,
        .code = bytes,
        .consts = fields->consts ? fields->consts : none,
        .names = names,
        .varnames = variables,
        .freevars = none,
        .cellvars = none,
        .filename = file,
        .name = name,
        .lnotab = lines,
    };
    Value code = code_new(&all);
    ck_assert(code != VALUE_ERROR);
    Value made[] = {x, y, z, a, b, variables, none, names, bytes, lines, file, name};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) drop(made[i]);
    return code;
}

Value test_run(const TestCode *fields, ValueRef globals)
{
    Value code = test_code(fields);
    Value result = code_run(as_code(code), globals, VALUE_ERROR, NULL);
    drop(code);
    return result;
}

Value test_function(const TestCode *fields, ValueRef globals)
{
    Value code = test_code(fields);
    Value function = function_new(code, globals, VALUE_ERROR);
    drop(code);
    return function;
}

static const TestCode does_nothing = {BYTES((char)LOAD_FAST, 0, (char)RETURN_VALUE, 0)};

// A frame on the frame stack.
static Frame *push(ValueRef code, ValueRef globals)
{
    QuickCode *quick = quicken(as_code(code));
    ck_assert_ptr_nonnull(quick);
    Frame *frame = frame_push(quick);
    ck_assert_ptr_nonnull(frame);
    frame_init(frame, quick, retain(globals), globals);
    return frame;
}

START_TEST(stack_grows_by_chunks)
{
    enum { COUNT = 20000 };
    machine_start();
    Value globals = dict_new(), code = test_code(&does_nothing);
    Frame **frames = memory_alloc(COUNT * sizeof *frames);
    Value *before = thread_state.top;
    for (int i = 0; i < COUNT; i++) {
        frames[i] = push(code, globals);
        frames[i]->localsplus[0] = from_small(i);
    }
    for (int i = COUNT; --i >= 0;) {
        ck_assert(frames[i]->localsplus[0] == from_small(i)); // nothing has moved or overlapped
        frame_pop(frames[i]);
    }
    ck_assert_ptr_eq(thread_state.top, before);
    memory_free(frames);
    drop(code);
    drop(globals);
    machine_stop();
}
END_TEST

START_TEST(object_takes_the_frame_over)
{
    machine_start();
    Value globals = dict_new(), code = test_code(&does_nothing);
    Frame *outer = push(code, globals), *inner = push(code, globals);
    inner->previous = outer;
    Value text = str_new("kept");
    inner->localsplus[1] = retain(text);
    Value object = retain(frame_object(inner));
    ck_assert_ptr_eq(as_frame_object(object)->frame, inner);
    frame_pop(inner);
    const Frame *kept = as_frame_object(object)->frame;
    ck_assert_ptr_ne(kept, inner);
    ck_assert(kept->localsplus[1] == text);
    ck_assert_int_eq(object_of(text)->refcount, 2);
    ck_assert(as_frame_object(object)->back == frame_object(outer));
    frame_pop(outer);
    drop(object);
    ck_assert_int_eq(object_of(text)->refcount, 1);
    drop(text);
    drop(code);
    drop(globals);
    machine_stop();
}
END_TEST

START_TEST(locals_follow_the_variables)
{
    machine_start();
    Value globals = dict_new(), code = test_code(&does_nothing);
    Frame *frame = push(code, globals);
    frame->localsplus[0] = from_small(1);
    ValueRef locals = frame_locals(frame);
    ck_assert_int_eq(dict_size(locals), 1);
    ck_assert(dict_peek_ascii(locals, "x") == from_small(1));
    frame->localsplus[0] = VALUE_ERROR;
    frame->localsplus[2] = from_small(3);
    ck_assert(frame_locals(frame) == locals);
    ck_assert_ptr_null(dict_peek_ascii(locals, "x"));
    ck_assert(dict_peek_ascii(locals, "z") == from_small(3));
    ck_assert(dict_set_ascii(locals, "y", from_small(2)));
    ck_assert(frame_locals_to_fast(frame, false));
    ck_assert(frame->localsplus[1] == from_small(2));
    frame_pop(frame);
    drop(code);
    drop(globals);
    machine_stop();
}
END_TEST

START_TEST(lasti_counts_prefixes)
{
    machine_start();
    Value globals = dict_new();
    Value code =
        test_code(&(TestCode){BYTES((char)NOP, 0, (char)EXTENDED_ARG, 0, (char)EXTENDED_ARG, 0,
                                    (char)LOAD_FAST, 1, (char)RETURN_VALUE, 0)});
    Frame *frame = push(code, globals);
    ck_assert_int_eq(frame_lasti(frame), -1);
    frame->ip += 1;
    ck_assert_int_eq(frame_lasti(frame), 0);
    frame->ip += 3; // at LOAD_FAST, whose prefixes begin at 2
    ck_assert_int_eq(frame_lasti(frame), 2);
    frame->ip += 1;
    ck_assert_int_eq(frame_lasti(frame), 8);
    frame_pop(frame);
    drop(code);
    drop(globals);
    machine_stop();
}
END_TEST

// def f(x): y = yield x; return y
static const TestCode echo = {
    BYTES((char)LOAD_FAST, 0, (char)YIELD_VALUE, 0, (char)STORE_FAST, 1, (char)LOAD_FAST, 1,
          (char)RETURN_VALUE, 0),
    .argcount = 1,
    .flags = CO_OPTIMIZED | CO_NEWLOCALS | CO_GENERATOR | CO_NOFREE,
};

START_TEST(generator_waits_and_ends)
{
    machine_start();
    Value globals = dict_new(), function = test_function(&echo, globals);
    ValueRef argument = from_small(7);
    Value generator = object_call(function, &argument, 1, VALUE_ERROR);
    ck_assert(is_exactly(generator, &generator_type));
    ck_assert_int_eq(as_generator(generator)->state, GENERATOR_CREATED);
    Value object = retain(frame_object(&as_generator(generator)->frame));
    ck_assert(generator_next(generator) == from_small(7));
    ck_assert_int_eq(as_generator(generator)->state, GENERATOR_SUSPENDED);
    ck_assert_int_eq(frame_lasti(as_frame_object(object)->frame), 2);
    ck_assert_ptr_null(generator_send(generator, from_small(8)));
    ck_assert(stop_iteration_take() == from_small(8));
    ck_assert_int_eq(as_generator(generator)->state, GENERATOR_FINISHED);
    ck_assert(as_frame_object(object)->frame->localsplus[1] == from_small(8));
    ck_assert(generator_next(generator) == ABSENT);
    drop(object);
    drop(generator);
    drop(function);
    drop(globals);
    machine_stop();
}
END_TEST

START_TEST(generator_takes_exceptions)
{
    machine_start();
    Value globals = dict_new(), function = test_function(&echo, globals);
    ValueRef argument = from_small(7);
    Value generator = object_call(function, &argument, 1, VALUE_ERROR);
    ck_assert(generator_next(generator) == from_small(7));
    ck_assert_ptr_null(generator_throw(generator, ref_of(KeyError), VALUE_ERROR, VALUE_ERROR));
    ck_assert(error_is(KeyError));
    error_clear();
    ck_assert(generator_close(generator));
    drop(generator);
    generator = object_call(function, &argument, 1, VALUE_ERROR);
    ck_assert_ptr_null(generator_send(generator, from_small(1)));
    ck_assert(error_is(TypeError));
    error_clear();
    drop(generator);
    drop(function);
    drop(globals);
    machine_stop();
}
END_TEST

Suite *frame_suite(void)
{
    Suite *suite = suite_create("frame");
    TCase *tests = live_case(suite, "frame");
    tcase_add_test(tests, stack_grows_by_chunks);
    tcase_add_test(tests, object_takes_the_frame_over);
    tcase_add_test(tests, locals_follow_the_variables);
    tcase_add_test(tests, lasti_counts_prefixes);
    tcase_add_test(tests, generator_waits_and_ends);
    tcase_add_test(tests, generator_takes_exceptions);
    return suite;
}
