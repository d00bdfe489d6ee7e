// bytes, bytearray and memoryview; expectations from CPython 3.9.
#include "tests/unit/text_unit.h"

#include "objects/bytes/buffer.h"
#include "objects/containers/slice.h"

#define BA(text) bytearray_new(text, sizeof(text) - 1)

static Value span(Value start, Value stop, Value step)
{
    return slice_new(start, stop, step);
}

START_TEST(making)
{
    CHECK("b'\\x00\\x00\\x00'", make(&bytes_type, I(3), END));
    CHECK("ValueError: negative count", make(&bytes_type, I(-1), END));
    CHECK("b'\\x01\\xff'", make(&bytes_type, tuple2(I(1), I(255)), END));
    CHECK("ValueError: bytes must be in range(0, 256)",
          make(&bytes_type, tuple2(I(1), I(256)), END));
    CHECK("TypeError: string argument without an encoding", make(&bytes_type, S("a"), END));
    CHECK("TypeError: encoding without a string argument",
          make(&bytes_type, B("a"), S("ascii"), END));
    CHECK("TypeError: cannot convert 'float' object to bytes",
          make(&bytes_type, from_double(1.5), END));
    CHECK("ValueError: byte must be in range(0, 256)",
          make(&bytearray_type, tuple2(I(1), I(256)), END));
    CHECK("bytearray(b'abc')", make(&bytearray_type, S("abc"), S("ascii"), END));
    CHECK("b'\\xab\\xcd'", call(B(""), "fromhex", S("AB cd"), END));
    CHECK("ValueError: non-hexadecimal number found in fromhex() arg at position 3",
          call(B(""), "fromhex", S("abc"), END));
    CHECK("'ab:cdef'", call(B("\xab\xcd\xef"), "hex", S(":"), I(2), END));
    CHECK("'abcd:ef'", call(B("\xab\xcd\xef"), "hex", S(":"), I(-2), END));
}
END_TEST

START_TEST(methods)
{
    CHECK("0", call(B("abc"), "find", I(97), END));
    CHECK("ValueError: subsection not found", call(B("abc"), "index", B("x"), END));
    CHECK("TypeError: argument should be integer or bytes-like object, not 'str'",
          call(B("abc"), "find", S("a"), END));
    CHECK("[b'a', b'b']", call(B(" a b "), "split", END));
    CHECK("[bytearray(b'a'), bytearray(b'b')]", call(BA("a,b"), "split", B(","), END));
    CHECK("[b' a', b'b']", call(B(" a b "), "rsplit", NONE, I(1), END));
    CHECK("[b'a\\r', b'b\\r\\n']", call(B("a\rb\r\n"), "splitlines", TRUE, END));
    CHECK("b'a-b'", call(B("-"), "join", tuple2(B("a"), BA("b")), END));
    CHECK("TypeError: sequence item 0: expected a bytes-like object, str found",
          call(B("-"), "join", tuple2(S("a"), B("b")), END));
    CHECK("b'Ab Cd'", call(B("ab cd"), "title", END));
    CHECK("b'bnn'", call(B("banana"), "translate", NONE, B("a"), END));
    CHECK("bytearray(b'-a-b-')", call(BA("ab"), "replace", B(""), B("-"), END));
    CHECK("b'xabx'", call(B("ab"), "center", I(4), B("x"), END));
    CHECK("(b'a', b'-', b'b')", call(B("a-b"), "partition", B("-"), END));
}
END_TEST

START_TEST(percent)
{
    CHECK("b'005|x'", binary(B("%03d|%s"), OP_REMAINDER, tuple2(I(5), B("x"))));
    CHECK("bytearray(b'A')", binary(BA("%c"), OP_REMAINDER, I(65)));
    CHECK("TypeError: %b requires a bytes-like object, or an object that implements __bytes__, not "
          "'str'",
          binary(B("%s"), OP_REMAINDER, S("x")));
    CHECK("TypeError: not all arguments converted during bytes formatting",
          binary(B("a"), OP_REMAINDER, B("b")));
}
END_TEST

START_TEST(operators)
{
    CHECK("True", call(B("abc"), "__eq__", B("abc"), END));
    CHECK("True", call(BA("abc"), "__eq__", B("abc"), END));
    CHECK("b'ab'", binary(B("a"), OP_ADD, BA("b")));
    CHECK("TypeError: can't concat str to bytes", binary(B("a"), OP_ADD, S("b")));
    CHECK("99", subscript(B("abc"), I(-1)));
    CHECK("b'ca'", subscript(B("abc"), span(NONE, NONE, I(-2))));
    CHECK("TypeError: byte indices must be integers or slices, not str", subscript(B("a"), S("a")));
    CHECK("bytearray(b\"a\\'b\")", BA("a'b"));
    CHECK("b'\\'\"\\\\\\t\\x00\\xff'", B("'\"\\\t\0\xff"));
}
END_TEST

static void assign(ValueRef value, Value key, Value item, const char *expected)
{
    bool done = object_set_subscript(value, key, item);
    CHECK(expected, done ? retain(value) : VALUE_ERROR);
    drop(key);
    drop(item);
}

START_TEST(changing)
{
    Value array = BA("abcdef");
    assign(array, I(0), I(120), "bytearray(b'xbcdef')");
    assign(array, span(I(1), I(3), NONE), B("12345"), "bytearray(b'x12345def')");
    assign(array, span(I(0), I(4), NONE), B(""), "bytearray(b'45def')");
    assign(array, span(NONE, NONE, I(2)), B("XYZ"), "bytearray(b'X5YeZ')");
    assign(array, span(NONE, NONE, I(2)), B("X"),
           "ValueError: attempt to assign bytes of size 1 to extended slice of size 3");
    assign(array, span(NONE, NONE, I(-2)), B(""), "bytearray(b'5e')");
    assign(array, I(0), I(256), "ValueError: byte must be in range(0, 256)");
    CHECK("None", call(retain(array), "extend", tuple2(I(65), I(66)), END));
    CHECK("66", call(retain(array), "pop", END));
    CHECK("None", call(retain(array), "insert", I(0), I(48), END));
    CHECK("bytearray(b'05eA')", retain(array));
    drop(array);
}
END_TEST

// A queue: what comes in at the end goes out at the front.
START_TEST(queue)
{
    Value array = bytearray_new(NULL, 0), three = B("abc"), front = span(NONE, I(3), NONE);
    for (int i = 0; i < 10000; i++) {
        Value grown = object_inplace(array, three, OP_ADD);
        ck_assert_ptr_nonnull(grown);
        drop(grown);
        if (i % 2) ck_assert(object_delete_subscript(array, front));
    }
    ck_assert_int_eq(as_bytearray(array)->size, 15000);
    drop(array);
    drop(three);
    drop(front);
}
END_TEST

START_TEST(lending)
{
    Value array = BA("abc");
    Buffer buffer;
    ck_assert(buffer_get(array, &buffer, true));
    CHECK("BufferError: Existing exports of data: object cannot be re-sized",
          call(retain(array), "append", I(1), END));
    buffer_release(&buffer);
    CHECK("None", call(retain(array), "append", I(100), END));
    Value view = memoryview_new(array);
    CHECK("BufferError: Existing exports of data: object cannot be re-sized",
          call(retain(array), "clear", END));
    CHECK("None", call(retain(view), "release", END));
    CHECK("ValueError: operation forbidden on released memoryview object",
          call(view, "tobytes", END));
    CHECK("None", call(array, "clear", END));
}
END_TEST

START_TEST(views)
{
    Value bytes = B("abcdefgh"), view = memoryview_new(bytes);
    CHECK("98", subscript(retain(view), I(1)));
    CHECK("b'hfdb'", call(subscript(retain(view), span(NONE, NONE, I(-2))), "tobytes", END));
    CHECK("[1684234849, 1751606885]", call(call(retain(view), "cast", S("I"), END), "tolist", END));
    Value shape[] = {I(2), I(4)};
    Value table = call(retain(view), "cast", S("B"), tuple_from_owned(shape, 2), END);
    CHECK("[[97, 98, 99, 100], [101, 102, 103, 104]]", call(retain(table), "tolist", END));
    CHECK("103", subscript(retain(table), tuple2(I(1), I(2))));
    CHECK("b'aebfcgdh'", call(retain(table), "tobytes", S("F"), END));
    CHECK("NotImplementedError: multi-dimensional sub-views are not implemented",
          subscript(retain(table), I(0)));
    CHECK("IndexError: index out of bounds on dimension 1",
          subscript(retain(table), tuple2(I(2), I(0))));
    CHECK("TypeError: memoryview: length is not a multiple of itemsize",
          call(subscript(retain(view), span(NONE, I(3), NONE)), "cast", S("I"), END));
    CHECK("TypeError: cannot modify read-only memory",
          call(retain(view), "__setitem__", I(0), I(1), END));
    drop(table);
    drop(view);
    drop(bytes);
}
END_TEST

Suite *bytes_suite(void)
{
    Suite *suite = suite_create("bytes");
    TCase *tests = live_case(suite, "bytes");
    tcase_add_test(tests, making);
    tcase_add_test(tests, methods);
    tcase_add_test(tests, percent);
    tcase_add_test(tests, operators);
    tcase_add_test(tests, changing);
    tcase_add_test(tests, queue);
    tcase_add_test(tests, lending);
    tcase_add_test(tests, views);
    return suite;
}
