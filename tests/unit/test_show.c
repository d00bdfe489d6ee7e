// Short texts of values (show.h): CPython 3.9's repr() where the text is whole, and where
// it is cut what the header says. Looking allocates nothing and counts nothing.
#include "tests/unit/unit.h"

#include "objects/bytes/bytes.h"
#include "objects/cell.h"
#include "objects/classes/method.h"
#include "objects/containers/list.h"
#include "objects/containers/range.h"
#include "objects/containers/set.h"
#include "objects/containers/slice.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/looking/show.h"
#include "objects/looking/show_tensor.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/text/str.h"
#include "objects/type.h"

#include <math.h>

// Steals the value.
static void check_limited(Value value, const ShowLimits *limits, const char *expected)
{
    char text[400], part[8];
    assert_no_error();
    size_t allocations = memory_counts().allocations;
    size_t length = show_value(text, sizeof text, value, limits);
    ck_assert_str_eq(text, expected);
    ck_assert_uint_eq(length, strlen(expected));
    ck_assert_uint_eq(show_value(part, sizeof part, value, limits), length);
    ck_assert(strncmp(part, expected, strlen(part)) == 0);
    ck_assert_uint_eq(show_value(NULL, 0, value, limits), length);
    ck_assert_uint_eq(memory_counts().allocations, allocations);
    drop(value);
}

static void check(Value value, const char *expected)
{
    check_limited(value, NULL, expected);
}

START_TEST(constants)
{
    check(NONE, "None");
    check(TRUE, "True");
    check(ELLIPSIS, "Ellipsis");
    check(VALUE_ERROR, "NULL");
    check(ABSENT, "NULL");
}
END_TEST

START_TEST(numbers)
{
    check(from_small(0), "0");
    check(from_small(-12), "-12");
    check(int_new(INT64_MIN), "-9223372036854775808");
    check(float_new(0.1), "0.1");
    check(float_new(1e16), "1e+16");
    check(float_new(NAN), "nan");
    check(complex_new(1, -2), "(1-2j)");
    check(complex_new(0, 2.5), "2.5j");
    check(complex_new(-0.0, 2), "(-0+2j)");
}
END_TEST

START_TEST(large_numbers)
{
    Value large = int_power(from_small(10), from_small(40), NONE);
    check(retain(large), "1000000000000000000000...00000");
    drop(large);
    check(int_lshift(from_small(1), from_small(5000)), "<int of 5001 bits>");
}
END_TEST

START_TEST(strs)
{
    check(str_new("it's"), "\"it's\"");
    check(str_new("'\"\n\\\x7f"), "'\\'\"\\n\\\\\\x7f'");
    check(str_new("\xC3\xA9\xC2\xA0\xE2\x82\xAC"), "'\xC3\xA9\\xa0\xE2\x82\xAC'");
    check(str_from_code_point(0xDC80), "'\\udc80'");
    check(str_new("abcdefghijklmnopqrstuvwxyz0123456789"), "'abcdefghijklmnopqrstuv...56789'");
    check(bytes_new("a'\0\xff", 4), "b\"a'\\x00\\xff\"");
    check(bytearray_new("ab", 2), "bytearray(b'ab')");
}
END_TEST

START_TEST(containers)
{
    check(tuple_new(0), "()");
    check(tuple_pack(1, from_small(1)), "(1,)");
    check(list_new(0), "[]");
    Value many = list_new(0);
    for (int i = 0; i < 9; i++) ck_assert(list_append(many, from_small(i)));
    check(many, "[0, 1, 2, 3, 4, ...]");
    Value dict = dict_new();
    ck_assert(dict_set_ascii(dict, "a", from_small(1)) && dict_set(dict, from_small(2), NONE));
    check(dict, "{'a': 1, 2: None}");
    check(set_new(0), "set()");
    check(frozenset_new(0), "frozenset()");
    Value set = set_new(0);
    ck_assert(set_add(set, from_small(3)));
    check(set, "{3}");
    check(range_new(from_small(0), from_small(5), from_small(1)), "range(0, 5)");
    check(slice_new(NONE, from_small(2), NONE), "slice(None, 2, None)");
}
END_TEST

START_TEST(depth)
{
    Value value = list_new(0);
    for (int i = 0; i < 5; i++) {
        Value outer = list_new(0);
        ck_assert(list_append_owned(outer, value));
        value = outer;
    }
    check(retain(value), "[[[...]]]");
    check_limited(value, &(ShowLimits){.depth = 1, .items = 3, .text = 10}, "[[...]]");
}
END_TEST

START_TEST(cycles)
{
    Value list = list_new(0), cell = cell_new(0);
    check(retain(cell), "<cell: empty>");
    ck_assert(list_append(list, list) && list_append(list, cell));
    as_cell(cell)->contents = retain(list);
    check(retain(list), "[[...], <cell: [...]>]");
    check(cell, "<cell: [[...], <cell: ...>]>");
    list_clear(list);
    drop(list);
}
END_TEST

START_TEST(named)
{
    check(retain(ref_of(&list_type)), "<class list>");
    Value text = str_new("m"), exception = exception_new(ValueError, (ValueRef[]){text}, 1);
    check(module_new(text), "<module m>");
    check(exception, "ValueError('m')");
    drop(text);
}
END_TEST

static Value new_class(const char *name)
{
    Value text = str_new(name), bases = tuple_new(0), dict = dict_new();
    Value made = object_call(ref_of(&type_type), (ValueRef[]){text, bases, dict}, 3, VALUE_ERROR);
    drop(text);
    drop(bases);
    drop(dict);
    return made;
}

START_TEST(names_of_classes)
{
    Value made = new_class("a\nb\x1b[31m\xC3\xA9.c");
    Value object = object_call(made, NULL, 0, VALUE_ERROR);
    check(made, "<class a\\nb\\x1b[31m\xC3\xA9.c>");
    check(object, "<a\\nb\\x1b[31m\xC3\xA9.c object>");
}
END_TEST

START_TEST(methods_of_methods)
{
    Value method = new_class("C");
    for (int i = 0; i < 100000; i++) {
        Value inner = method;
        method = method_new(inner, NONE);
        drop(inner);
    }
    check(retain(method), "<bound method of <bound method of <bound method of ...>>>");
    drop(method);
}
END_TEST

START_TEST(names)
{
    char text[20];
    Value name = str_new("f.<locals>.C.m");
    ck_assert_uint_eq(show_name(text, sizeof text, name), 3);
    ck_assert_str_eq(text, "C.m");
    ck_assert_uint_eq(show_text(text, sizeof text, name), 14);
    ck_assert_str_eq(text, "f.<locals>.C.m");
    drop(name);
    name = str_new("a/b\xC3\xA9/\xF0\x9F\x98\x80 c");
    ck_assert_uint_eq(show_file_name(text, sizeof text, name), 6);
    ck_assert_str_eq(text, "\xF0\x9F\x98\x80 c");
    ck_assert_uint_eq(show_file_name(text, 4, name), 6);
    ck_assert_str_eq(text, "");
    drop(name);
}
END_TEST

static Value float_vector(int64_t count)
{
    Value vector = tensor_new(DTYPE_float32, 1, (const Dim[]){dim_of(count)});
    ck_assert(vector);
    float *data = as_tensor(vector)->storage->data;
    for (int64_t i = 0; i < count; i++) data[i] = (float)i / 4;
    return vector;
}

// A view of the two elements from this one on.
static Value two_from(ValueRef vector, int64_t first)
{
    Shape shape;
    shape_init(&shape, 1);
    shape.size[0] = dim_of(2);
    shape.stride[0] = dim_of(1);
    shape.offset = dim_of(first);
    shape.strided = true;
    return tensor_view(as_tensor(vector), &shape);
}

START_TEST(tensors)
{
    ck_assert(type_ready(&storage_type) && type_ready(&tensor_base_type));
    check(float_vector(5), "<TensorBase float32[5]: 0., 0.25, 0.5, 0.75, 1.>");
    check(float_vector(6), "<TensorBase float32[6]: 0., 0.25, 0.5, 0.75, 1., ...>");
    check(float_vector(0), "<TensorBase float32[0]>");
    Value vector = float_vector(9);
    check(two_from(vector, 7), "<TensorBase float32[2]: 1.75, 2.>");
    check_limited(retain(vector), &(ShowLimits){.items = 0}, "<TensorBase float32[9]: ...>");
    drop(vector);
}
END_TEST

// A view has changed where its own elements have, and not where only others of the storage have.
START_TEST(changes_of_tensors)
{
    ck_assert(type_ready(&storage_type) && type_ready(&tensor_base_type));
    Value vector = float_vector(9), view = two_from(vector, 3);
    Storage *storage = as_tensor(vector)->storage;
    TensorState whole, part;
    tensor_state(&whole, as_tensor(vector));
    tensor_state(&part, as_tensor(view));
    ck_assert(!tensor_state_changes(&whole, as_tensor(vector)));
    ((float *)storage->data)[8] = 5;
    storage->writes++;
    ck_assert(tensor_state_changes(&whole, as_tensor(vector)));
    ck_assert(!tensor_state_changes(&whole, as_tensor(vector)));
    ck_assert(!tensor_state_changes(&part, as_tensor(view)));
    ((float *)storage->data)[3] = 5;
    storage->writes++;
    ck_assert(tensor_state_changes(&part, as_tensor(view)));
    storage->writes++; // written, but what was there already
    ck_assert(!tensor_state_changes(&part, as_tensor(view)));
    ck_assert(tensor_resize(as_tensor(view), 1, (const Dim[]){dim_of(1)}));
    ck_assert(tensor_state_changes(&part, as_tensor(view)));
    drop(view);
    drop(vector);
}
END_TEST

Suite *show_suite(void)
{
    Suite *suite = suite_create("show");
    TCase *tests = live_case(suite, "values");
    tcase_add_test(tests, constants);
    tcase_add_test(tests, numbers);
    tcase_add_test(tests, large_numbers);
    tcase_add_test(tests, strs);
    tcase_add_test(tests, containers);
    tcase_add_test(tests, depth);
    tcase_add_test(tests, cycles);
    tcase_add_test(tests, named);
    tcase_add_test(tests, names_of_classes);
    tcase_add_test(tests, methods_of_methods);
    tcase_add_test(tests, names);
    tcase_add_test(tests, tensors);
    tcase_add_test(tests, changes_of_tensors);
    return suite;
}
