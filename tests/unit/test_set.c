// set and frozenset: the order of the table, hashes, operations. The answers are CPython 3.9's,
// under PYTHONHASHSEED=0.
#include "tests/unit/text_unit.h"

#include "objects/containers/set.h"

static Value set_of(const int *numbers, size_t count)
{
    Value set = set_new(0);
    for (size_t i = 0; i < count; i++) ck_assert(set_add(set, from_small(numbers[i])));
    return set;
}
#define SET(...)                                                                                   \
    set_of((const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

START_TEST(order_is_the_table)
{
    Value set = SET(5, 13, 21, 29, 1, 9, 17, 3);
    bool found;
    CHECK("{1, 3, 5, 9, 13, 17, 21, 29}", retain(set));
    ck_assert(set_discard(set, from_small(13), &found) && found);
    ck_assert(set_discard(set, from_small(1), &found) && found);
    ck_assert(set_add(set, from_small(37)));
    CHECK("{3, 5, 37, 9, 17, 21, 29}", retain(set));
    CHECK("3", call(retain(set), "pop", END));
    CHECK("5", call(retain(set), "pop", END));
    CHECK("{37, 9, 17, 21, 29}", set);
    CHECK("{0, 32, 8, 40, 16, 24}", SET(0, 8, 16, 24, 32, 40));
}
END_TEST

START_TEST(order_of_strs)
{
    Value set = set_new(0);
    for (const char *letter = "abcde"; *letter; letter++) {
        Value item = str_from_code_point((uint32_t)*letter);
        ck_assert(set_add(set, item));
        drop(item);
    }
    CHECK("{'b', 'a', 'd', 'c', 'e'}", set);
}
END_TEST

START_TEST(operations)
{
    Value a = SET(0, 1, 2, 3, 4, 5, 6, 7), b = SET(3, 4, 5, 100, 200);
    CHECK("{3, 4, 5}", binary(retain(a), OP_AND, retain(b)));
    CHECK("{0, 1, 2, 6, 7}", binary(retain(a), OP_SUBTRACT, retain(b)));
    CHECK("{0, 1, 2, 100, 6, 7, 200}", binary(retain(a), OP_XOR, retain(b)));
    CHECK("{0, 1, 2, 3, 4, 5, 6, 7, 100, 200}", binary(retain(a), OP_OR, retain(b)));
    CHECK("TypeError: unsupported operand type(s) for |: 'set' and 'int'",
          binary(retain(a), OP_OR, I(1)));
    drop(a);
    drop(b);
}
END_TEST

START_TEST(hash_of_frozenset)
{
    int64_t hash;
    Value items = SET(1, 2, 3), frozen = frozenset_new(items), empty = frozenset_new(0);
    ck_assert(object_hash(frozen, &hash));
    ck_assert_int_eq(hash, -272375401224217160);
    ck_assert(object_hash(empty, &hash));
    ck_assert_int_eq(hash, 133146708735736);
    ck_assert(!object_hash(items, &hash));
    CHECK("TypeError: unhashable type: 'set'", VALUE_ERROR);
    Value again = frozenset_new(0);
    ck_assert_ptr_eq(again, empty);
    drop(again);
    drop(items);
    drop(frozen);
    drop(empty);
}
END_TEST

START_TEST(finds_a_set_in_a_set)
{
    Value inner = SET(1, 2), frozen = frozenset_new(inner), outer = set_new(0);
    bool found;
    ck_assert(set_add(outer, frozen));
    ck_assert(set_contains(outer, inner, &found) && found);
    ck_assert(set_discard(outer, inner, &found) && found);
    CHECK("set()", outer);
    CHECK("frozenset({1, 2})", frozen);
    drop(inner);
}
END_TEST

START_TEST(iterator_notices_changes)
{
    Value set = SET(1, 2, 3), iterator = object_iter(set);
    ck_assert_ptr_eq(object_next(iterator), from_small(1));
    ck_assert(set_add(set, from_small(9)));
    CHECK("RuntimeError: Set changed size during iteration", object_next(iterator));
    drop(iterator);
    drop(set);
}
END_TEST

START_TEST(grows_and_shrinks)
{
    Value set = set_new(0);
    bool found;
    for (int64_t i = 0; i < 100000; i++) ck_assert(set_add(set, from_small(i * 3)));
    for (int64_t i = 0; i < 100000; i += 2)
        ck_assert(set_discard(set, from_small(i * 3), &found) && found);
    ck_assert_int_eq(set_size(set), 50000);
    for (int64_t i = 0; i < 100000; i++) {
        ck_assert(set_contains(set, from_small(i * 3), &found));
        ck_assert_int_eq(found, i % 2);
    }
    set_clear(set);
    CHECK("set()", set);
}
END_TEST

Suite *set_suite(void)
{
    Suite *suite = suite_create("set");
    TCase *tests = live_case(suite, "set");
    tcase_add_test(tests, order_is_the_table);
    tcase_add_test(tests, order_of_strs);
    tcase_add_test(tests, operations);
    tcase_add_test(tests, hash_of_frozenset);
    tcase_add_test(tests, finds_a_set_in_a_set);
    tcase_add_test(tests, iterator_notices_changes);
    tcase_add_test(tests, grows_and_shrinks);
    return suite;
}
