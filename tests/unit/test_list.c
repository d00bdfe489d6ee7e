// list and tuple: growing, slices, sorting, iterators. The answers are CPython 3.9's.
#include "tests/unit/text_unit.h"

#include "objects/containers/slice.h"
#include "objects/error.h"
#include "objects/memory.h"

static Value list_of(const int *numbers, size_t count)
{
    Value list = list_new(0);
    for (size_t i = 0; i < count; i++) ck_assert(list_append(list, from_small(numbers[i])));
    return list;
}
#define LIST(...)                                                                                  \
    list_of((const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static Value slice_of(Value start, Value stop, Value step)
{
    return slice_new(start, stop, step);
}

START_TEST(grows_in_steps)
{
    Value list = list_new(0);
    for (int i = 0; i < 20; i++) ck_assert(list_append(list, from_small(i)));
    CHECK("232", call(retain(list), "__sizeof__", END)); // 40 + 8 * 24
    for (int i = 0; i < 15; i++) drop(call(retain(list), "pop", END));
    CHECK("[0, 1, 2, 3, 4]", retain(list));
    CHECK("104", call(list, "__sizeof__", END)); // 40 + 8 * 8
}
END_TEST

// An array of 6 becomes one of 8 when 2 items are left, as in CPython: without memory it stays.
START_TEST(pops_without_memory)
{
    Value list = list_new(6);
    for (int i = 0; i < 6; i++) ck_assert(list_append(list, from_small(i)));
    memory_fail_at(1, true);
    for (int i = 6; i-- > 0;) {
        Value last = list_take_last(list);
        ck_assert(last == from_small(i));
        ck_assert(!error_pending());
        ck_assert_int_eq(list_size(list), i);
    }
    memory_fail_at(0, false);
    drop(list);
}
END_TEST

START_TEST(inserts_and_deletes)
{
    Value list = LIST(1, 2, 3);
    ck_assert(list_insert(list, 0, from_small(0)));
    ck_assert(list_insert(list, -1, from_small(9)));
    ck_assert(list_insert(list, 99, from_small(4)));
    CHECK("[0, 1, 2, 9, 3, 4]", retain(list));
    ck_assert(list_set_slice(list, 1, 3, 0));
    CHECK("[0, 9, 3, 4]", retain(list));
    ck_assert(list_set_slice(list, 1, 1, list));
    CHECK("[0, 0, 9, 3, 4, 9, 3, 4]", retain(list));
    ck_assert(list_reverse(list));
    CHECK("[4, 3, 9, 4, 3, 9, 0, 0]", list);
}
END_TEST

START_TEST(extended_slices)
{
    Value list = LIST(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), slice = slice_of(NONE, NONE, from_small(-3));
    CHECK("[9, 6, 3, 0]", object_subscript(list, slice));
    ck_assert(object_delete_subscript(list, slice));
    CHECK("[1, 2, 4, 5, 7, 8]", retain(list));
    Value pair = LIST(-1, -2);
    ck_assert(object_set_subscript(list, slice, pair));
    CHECK("[1, 2, -2, 5, 7, -1]", retain(list));
    ck_assert(list_append(pair, from_small(-3)));
    ck_assert(!object_set_subscript(list, slice, pair));
    CHECK("ValueError: attempt to assign sequence of size 3 to extended slice of size 2",
          VALUE_ERROR);
    CHECK("IndexError: list index out of range", subscript(retain(list), I(6)));
    CHECK("-1", subscript(retain(list), I(-1)));
    drop(pair);
    drop(slice);
    drop(list);
}
END_TEST

// A thousand numbers of a simple generator, compared as ints, as floats and as strs.
START_TEST(sorts)
{
    Value list = list_new(0);
    uint32_t number = 1;
    for (int i = 0; i < 1000; i++) {
        number = number * 1103515245u + 12345u;
        ck_assert(list_append(list, from_small(number >> 16)));
    }
    Value floats = list_new(0), strs = list_new(0);
    for (ssize_t i = 0; i < 1000; i++) {
        ck_assert(list_append(floats, from_double((double)small_value(list_at(list, i)) / 4)));
        ck_assert(list_append_owned(strs, object_str(list_at(list, i))));
    }
    ck_assert(list_sort(list, 0, false) && list_sort(floats, 0, true) && list_sort(strs, 0, false));
    for (ssize_t i = 1; i < 1000; i++) {
        ck_assert(small_value(list_at(list, i - 1)) <= small_value(list_at(list, i)));
        ck_assert(double_value(list_at(floats, i - 1)) >= double_value(list_at(floats, i)));
        ck_assert_int_le(str_compare(list_at(strs, i - 1), list_at(strs, i)), 0);
    }
    drop(list);
    drop(floats);
    drop(strs);
}
END_TEST

// Pairs are sorted by their first item only, so those that are equal must keep their order.
START_TEST(sort_is_stable)
{
    Value list = list_new(0), key = str_intern("__len__"), getter;
    for (int i = 0; i < 500; i++) {
        Value item = tuple_new(i * 7 % 5);
        for (ssize_t j = 0; j < tuple_size(item); j++) as_tuple(item)->items[j] = from_small(i);
        ck_assert(list_append_owned(list, item));
    }
    getter = object_get(ref_of(&tuple_type), key);
    ck_assert(list_sort(list, getter, false));
    for (ssize_t i = 1; i < 500; i++) {
        ValueRef before = list_at(list, i - 1), after = list_at(list, i);
        ck_assert_int_le(tuple_size(before), tuple_size(after));
        if (tuple_size(before) == tuple_size(after) && tuple_size(after))
            ck_assert_int_lt(small_value(tuple_at(before, 0)), small_value(tuple_at(after, 0)));
    }
    drop(getter);
    drop(key);
    drop(list);
}
END_TEST

START_TEST(sort_of_what_has_no_order)
{
    Value list = LIST(3, 1);
    ck_assert(list_append(list, NONE));
    ck_assert(!list_sort(list, 0, false));
    CHECK("TypeError: '<' not supported between instances of 'NoneType' and 'int'", VALUE_ERROR);
    CHECK("3", int_new(list_size(list)));
    drop(list);
}
END_TEST

START_TEST(iterator_of_a_changing_list)
{
    Value list = LIST(1, 2), iterator = object_iter(list);
    CHECK("1", object_next(iterator));
    ck_assert(list_append(list, from_small(3)));
    CHECK("2", object_next(iterator));
    CHECK("3", object_next(iterator));
    ck_assert_ptr_eq(object_next(iterator), ABSENT);
    ck_assert(list_append(list, from_small(4)));
    ck_assert_ptr_eq(object_next(iterator), ABSENT);
    drop(iterator);
    drop(list);
}
END_TEST

START_TEST(tuples)
{
    int64_t hash;
    Value tuple =
        tuple_pack(3, (ValueRef)from_small(1), (ValueRef)from_small(2), (ValueRef)from_small(3));
    ck_assert(object_hash(tuple, &hash));
    ck_assert_int_eq(hash, 529344067295497451);
    Value empty = tuple_slice(tuple, 2, 1), other = tuple_new(0);
    ck_assert_ptr_eq(empty, other);
    ck_assert(object_hash(empty, &hash));
    ck_assert_int_eq(hash, 5740354900026072187);
    CHECK("(2, 3)", tuple_slice(tuple, 1, 9));
    CHECK("(1, 2, 3, 1, 2, 3)", binary(retain(tuple), OP_MULTIPLY, I(2)));
    CHECK("TypeError: can only concatenate tuple (not \"int\") to tuple",
          binary(retain(tuple), OP_ADD, I(2)));
    CHECK("IndexError: tuple index out of range", subscript(retain(tuple), I(3)));
    drop(empty);
    drop(other);
    drop(tuple);
}
END_TEST

Suite *list_suite(void)
{
    Suite *suite = suite_create("list");
    TCase *tests = live_case(suite, "list");
    tcase_add_test(tests, grows_in_steps);
    tcase_add_test(tests, pops_without_memory);
    tcase_add_test(tests, inserts_and_deletes);
    tcase_add_test(tests, extended_slices);
    tcase_add_test(tests, sorts);
    tcase_add_test(tests, sort_is_stable);
    tcase_add_test(tests, sort_of_what_has_no_order);
    tcase_add_test(tests, iterator_of_a_changing_list);
    tcase_add_test(tests, tuples);
    return suite;
}
