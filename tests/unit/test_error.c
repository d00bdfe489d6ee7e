// Raising, matching and printing exceptions; binding arguments. The texts are python3.9's.
#include "tests/unit/unit.h"

#include "objects/call.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/operators.h"
#include "objects/text/str.h"

// Takes the pending exception and compares its type and text.
static void assert_raised(Type *type, const char *text)
{
    ck_assert(error_pending());
    Value exception = error_take();
    ck_assert_str_eq(type_of(exception)->name, type->name);
    Value words = object_str(exception);
    ck_assert_ptr_nonnull(words);
    ck_assert_str_eq(str_utf8(words, NULL), text);
    drop(words);
    drop(exception);
}

static void assert_str(Value exception, const char *text)
{
    ck_assert_ptr_nonnull(exception);
    Value words = object_str(exception);
    ck_assert_ptr_nonnull(words);
    ck_assert_str_eq(str_utf8(words, NULL), text);
    drop(words);
    drop(exception);
}

START_TEST(raise_and_match)
{
    ck_assert(!raise_error(KeyError, "%d", 5));
    ck_assert(error_is(KeyError));
    ck_assert(error_is(LookupError));
    ck_assert(!error_is(IndexError));
    assert_raised(KeyError, "'5'");
    raise_value(ref_of(TypeError));
    assert_raised(TypeError, "");
    raise_value(from_small(3));
    assert_raised(TypeError, "exceptions must derive from BaseException");
}
END_TEST

START_TEST(handled_becomes_context)
{
    raise_error(ValueError, "first");
    Value first = error_take();
    handled_top->exception = retain(first);
    raise_error(TypeError, "second");
    Value second = error_take();
    ck_assert(as_exception(second)->context == first);
    drop_slot(&handled_top->exception);
    drop(first);
    // Raising the first while the second is handled would close a ring: the old link is cut.
    handled_top->exception = second;
    first = retain(as_exception(second)->context);
    raise_value(first);
    ck_assert(as_exception(first)->context == second);
    ck_assert(!as_exception(second)->context);
    error_clear();
    drop_slot(&handled_top->exception);
    drop(first);
}
END_TEST

START_TEST(from_pending)
{
    raise_error(ValueError, "inner");
    raise_from_pending(RuntimeError, "outer");
    Value outer = error_take();
    ck_assert(type_of(as_exception(outer)->cause) == ValueError);
    ck_assert(as_exception(outer)->suppress_context);
    drop(outer);
}
END_TEST

START_TEST(os_errors)
{
    Value name = str_new("a/b");
    raise_os_error(2, name);
    assert_raised(FileNotFoundError, "[Errno 2] No such file or directory: 'a/b'");
    raise_os_error(32, VALUE_ERROR);
    assert_raised(BrokenPipeError, "[Errno 32] Broken pipe");
    raise_os_error(28, VALUE_ERROR);
    assert_raised(OSError, "[Errno 28] No space left on device");
    drop(name);
}
END_TEST

static void assert_syntax(const char *line, const char *text)
{
    Value filename = str_new("dir/f.py"), words = str_new(line);
    raise_syntax_error(SyntaxError, "invalid syntax", filename, 3, 7, words);
    assert_raised(SyntaxError, text);
    drop(filename);
    drop(words);
}

START_TEST(syntax_errors)
{
    assert_syntax("x = = 1\n", "invalid syntax (f.py, line 3)");
    assert_syntax("print 'hello'\n",
                  "Missing parentheses in call to 'print'. Did you mean print('hello')? (f.py, "
                  "line 3)");
    assert_syntax("if x: print y, ; z",
                  "Missing parentheses in call to 'print'. Did you mean print(y, end=\" \")? "
                  "(f.py, line 3)");
    assert_syntax("exec code", "Missing parentheses in call to 'exec' (f.py, line 3)");
    assert_syntax("print f(x)", "invalid syntax (f.py, line 3)");
}
END_TEST

START_TEST(unicode_errors)
{
    raise_decode_error("utf-8", "ab\xff", 3, 2, 3, "invalid start byte");
    assert_raised(UnicodeDecodeError,
                  "'utf-8' codec can't decode byte 0xff in position 2: invalid start byte");
    Value text = str_new("a\xc3\xa9\xe2\x82\xac");
    raise_encode_error("ascii", text, 1, 2, "ordinal not in range(128)");
    assert_raised(UnicodeEncodeError, "'ascii' codec can't encode character '\\xe9' in position "
                                      "1: ordinal not in range(128)");
    raise_encode_error("ascii", text, 1, 3, "why");
    assert_raised(UnicodeEncodeError, "'ascii' codec can't encode characters in position 1-2: why");
    drop(text);
}
END_TEST

START_TEST(stop_iteration)
{
    raise_stop_iteration(from_small(7));
    Value value = stop_iteration_take();
    ck_assert(value == from_small(7));
    ck_assert(!error_pending());
    raise_stop_iteration(NONE);
    ck_assert(stop_iteration_take() == NONE);
    raise_error(ValueError, "x");
    ck_assert(stop_iteration_take() == ABSENT);
    error_clear();
}
END_TEST

START_TEST(memory_error_needs_no_memory)
{
    raise_memory_error();
    Value first = error_take();
    Value second = retain(first); // the spare is in use
    raise_memory_error();
    ck_assert(error_is(MemoryError));
    error_clear();
    drop(first);
    assert_str(second, "");
}
END_TEST

static const char *const names[] = {"", "b", "c", NULL};
static const Signature signature = {"f", names, 2, 2};

static bool bind(size_t nargs, ValueRef kwnames, ValueRef *slots)
{
    static const int64_t numbers[] = {10, 20, 30, 40};
    ValueRef args[4];
    for (int i = 0; i < 4; i++) args[i] = from_small(numbers[i]);
    return args_bind(&signature, args, nargs, kwnames, slots);
}

START_TEST(binding)
{
    ValueRef slots[3];
    Value b = str_intern("b"), c = str_intern("c"), d = str_intern("d");
    Value just_b = tuple_pack(1, (ValueRef)b), just_c = tuple_pack(1, (ValueRef)c);
    Value just_d = tuple_pack(1, (ValueRef)d);
    ck_assert(bind(2, 0, slots));
    ck_assert(slots[0] == from_small(10) && slots[1] == from_small(20) && !slots[2]);
    ck_assert(bind(1, just_b, slots));
    ck_assert(slots[1] == from_small(20));
    ck_assert(bind(2, just_c, slots));
    ck_assert(slots[2] == from_small(30));
    ck_assert(!bind(3, 0, slots));
    assert_raised(TypeError, "f() takes exactly 2 positional arguments (3 given)");
    ck_assert(!bind(4, 0, slots));
    assert_raised(TypeError, "f() takes at most 3 arguments (4 given)");
    ck_assert(!bind(0, just_b, slots));
    assert_raised(TypeError, "f() takes at least 1 positional argument (0 given)");
    ck_assert(!bind(1, just_c, slots));
    assert_raised(TypeError, "f() missing required argument 'b' (pos 2)");
    ck_assert(!bind(2, just_b, slots));
    assert_raised(TypeError, "argument for f() given by name ('b') and position (2)");
    ck_assert(!bind(2, just_d, slots));
    assert_raised(TypeError, "'d' is an invalid keyword argument for f()");
    Value all[] = {b, c, d, just_b, just_c, just_d};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) drop(all[i]);
}
END_TEST

START_TEST(calling_what_is_not_callable)
{
    ck_assert(!object_call_none(from_small(1)));
    assert_raised(TypeError, "'int' object is not callable");
    ck_assert(!object_binary(from_small(1), NONE, OP_ADD));
    assert_raised(TypeError, "unsupported operand type(s) for +: 'int' and 'NoneType'");
    ck_assert(!object_compare(from_small(1), NONE, COMPARE_LT));
    assert_raised(TypeError, "'<' not supported between instances of 'int' and 'NoneType'");
    ck_assert(!object_subscript(NONE, NONE));
    assert_raised(TypeError, "'NoneType' object is not subscriptable");
}
END_TEST

Suite *error_suite(void)
{
    Suite *suite = suite_create("error");
    TCase *tests = live_case(suite, "error");
    tcase_add_test(tests, raise_and_match);
    tcase_add_test(tests, handled_becomes_context);
    tcase_add_test(tests, from_pending);
    tcase_add_test(tests, os_errors);
    tcase_add_test(tests, syntax_errors);
    tcase_add_test(tests, unicode_errors);
    tcase_add_test(tests, stop_iteration);
    tcase_add_test(tests, memory_error_needs_no_memory);
    tcase_add_test(tests, binding);
    tcase_add_test(tests, calling_what_is_not_callable);
    return suite;
}
