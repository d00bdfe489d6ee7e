// dict: order, deletion, growth, versions, what a caller of C sees. The answers are CPython 3.9's.
#include "tests/unit/text_unit.h"

#include "objects/config.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/numbers/complex.h"
#include "objects/protocols/items.h"

static Value numbered(ssize_t count)
{
    Value dict = dict_new();
    for (int64_t i = 0; i < count; i++) ck_assert(dict_set(dict, from_small(i), from_small(i * i)));
    return dict;
}

START_TEST(keeps_the_order_of_insertion)
{
    Value dict = numbered(6);
    ck_assert(dict_delete(dict, from_small(2)));
    ck_assert(dict_set(dict, from_small(2), from_small(-2)));
    ck_assert(dict_set(dict, from_small(0), from_small(7)));
    CHECK("{0: 7, 1: 1, 3: 9, 4: 16, 5: 25, 2: -2}", retain(dict));
    CHECK("[0, 1, 3, 4, 5, 2]", dict_keys(dict));
    CHECK("[7, 1, 9, 16, 25, -2]", dict_values(dict));
    CHECK("[(0, 7), (1, 1), (3, 9), (4, 16), (5, 25), (2, -2)]", dict_items(dict));
    drop(dict);
}
END_TEST

START_TEST(grows_and_finds_all)
{
    Value dict = numbered(100000);
    for (int64_t i = 0; i < 100000; i += 2) ck_assert(dict_delete(dict, from_small(i)));
    ck_assert_int_eq(dict_size(dict), 50000);
    for (int64_t i = 0; i < 100000; i++) {
        Value value = dict_get(dict, from_small(i));
        ck_assert_ptr_eq(value, i % 2 ? from_small(i * i) : ABSENT);
    }
    dict_clear(dict);
    ck_assert_int_eq(dict_size(dict), 0);
    CHECK("{}", dict);
}
END_TEST

// 1, 1.0 and True are the same key; the first one stays.
START_TEST(equal_keys_are_one)
{
    Value dict = dict_new();
    ck_assert(dict_set(dict, from_small(1), from_small(10)));
    ck_assert(dict_set(dict, from_double(1.0), from_small(20)));
    ck_assert(dict_set(dict, TRUE, from_small(30)));
    ck_assert(dict_set(dict, from_double(-0.0), from_small(0)));
    ck_assert(dict_set(dict, FALSE, from_small(1)));
    CHECK("{1: 30, -0.0: 1}", dict);
}
END_TEST

START_TEST(strs_are_found_by_text)
{
    Value dict = dict_new(), a = str_new("name"), b = str_new("na"), c = str_new("me");
    Value same = str_concat(b, c);
    ck_assert(dict_set(dict, a, from_small(1)));
    ck_assert_ptr_eq(dict_peek(dict, same), from_small(1));
    ck_assert_ptr_eq(dict_peek_ascii(dict, "name"), from_small(1));
    ck_assert_ptr_null(dict_peek_ascii(dict, "nam"));
    ck_assert_int_eq(dict_entry_index(dict, same), 0);
    ck_assert(dict_set(dict, from_small(3), from_small(4))); // now keys are not all strs
    ck_assert_ptr_eq(dict_peek(dict, same), from_small(1));
    drop(a);
    drop(b);
    drop(c);
    drop(same);
    drop(dict);
}
END_TEST

START_TEST(versions_tell_of_changes)
{
    Value dict = numbered(3);
    uint64_t version = as_dict(dict)->version;
    uint32_t keys = dict_keys_version(dict);
    ck_assert_uint_ne(keys, 0);
    ck_assert(dict_set(dict, from_small(1), from_small(99)));
    ck_assert_uint_gt(as_dict(dict)->version, version);
    ck_assert_uint_eq(dict_keys_version(dict), keys);
    ck_assert(dict_set(dict, from_small(7), from_small(99)));
    ck_assert_uint_ne(dict_keys_version(dict), keys);
    keys = dict_keys_version(dict);
    ck_assert(dict_delete(dict, from_small(7)));
    ck_assert_uint_ne(dict_keys_version(dict), keys);
    drop(dict);
}
END_TEST

START_TEST(pops_and_defaults)
{
    Value dict = numbered(3);
    ck_assert_ptr_eq(dict_pop(dict, from_small(5)), ABSENT);
    ck_assert_ptr_eq(dict_pop(dict, from_small(2)), from_small(4));
    ck_assert_ptr_eq(dict_set_default(dict, from_small(1), NONE), from_small(1));
    ck_assert_ptr_eq(dict_set_default(dict, from_small(8), NONE), NONE);
    CHECK("(8, None)", dict_pop_last(dict));
    CHECK("(0, 0)", dict_pop_end(dict, false));
    CHECK("(1, 1)", dict_pop_last(dict));
    CHECK("KeyError: 'popitem(): dictionary is empty'", dict_pop_last(dict));
    CHECK("KeyError: 'dictionary is empty'", dict_pop_end(dict, false));
    ck_assert(!dict_delete(dict, from_small(1)));
    CHECK("KeyError: 1", VALUE_ERROR);
    drop(dict);
}
END_TEST

START_TEST(moves_to_either_end)
{
    Value dict = numbered(5);
    bool found;
    ck_assert(dict_move_to_end(dict, from_small(1), true, &found) && found);
    ck_assert(dict_move_to_end(dict, from_small(3), false, &found) && found);
    ck_assert(dict_move_to_end(dict, from_small(9), false, &found) && !found);
    CHECK("[3, 0, 2, 4, 1]", dict_keys(dict));
    for (int64_t i = 0; i < 1000; i++) {
        ck_assert(dict_move_to_end(dict, from_small(i % 5), i % 3, &found) && found);
        ck_assert_ptr_eq(dict_get(dict, from_small(i % 5)), from_small((i % 5) * (i % 5)));
    }
    ck_assert_int_eq(dict_size(dict), 5);
    drop(dict);
}
END_TEST

START_TEST(copies_and_merges)
{
    Value dict = numbered(4), other = dict_new();
    ck_assert(dict_delete(dict, from_small(0)));
    ck_assert(dict_set(other, from_small(1), NONE));
    ck_assert(dict_set(other, from_small(9), NONE));
    Value copy = dict_copy(dict);
    ck_assert(dict_update(copy, other));
    CHECK("{1: None, 2: 4, 3: 9, 9: None}", copy);
    CHECK("{1: 1, 2: 4, 3: 9}", dict);
    CHECK("TypeError: cannot convert dictionary update sequence element #0 to a sequence",
          make(&dict_type, tuple2(I(1), I(2)), END));
    drop(other);
}
END_TEST

START_TEST(unhashable_keys_are_refused)
{
    Value dict = dict_new(), list = list_new(0);
    ck_assert(!dict_set(dict, list, NONE));
    CHECK("TypeError: unhashable type: 'list'", VALUE_ERROR);
    CHECK("TypeError: unhashable type: 'list'", dict_get(dict, list));
    ck_assert_ptr_eq(dict_pop(dict, list), ABSENT); // an empty dict does not even ask
    drop(list);
    drop(dict);
}
END_TEST

START_TEST(iterators_notice_changes)
{
    Value dict = numbered(3), iterator = object_iter(dict);
    ck_assert_ptr_eq(object_next(iterator), from_small(0));
    ck_assert(dict_set(dict, from_small(5), NONE));
    CHECK("RuntimeError: dictionary changed size during iteration", object_next(iterator));
    drop(iterator);
    iterator = object_iter(dict);
    for (int i = 0; i < 4; i++) drop(object_next(iterator));
    ck_assert(dict_delete(dict, from_small(0)) && dict_set(dict, from_small(6), NONE));
    CHECK("RuntimeError: dictionary keys changed during iteration", object_next(iterator));
    drop(iterator);
    drop(dict);
}
END_TEST

START_TEST(shows_itself_once)
{
    Value dict = dict_new();
    ck_assert(dict_set(dict, from_small(1), dict));
    CHECK("{1: {...}}", retain(dict));
    dict_clear(dict);
    drop(dict);
}
END_TEST

// No two texts of one hash are known, so they are made here: what is stored under the other's hash.
// (A build with invariants lets no dict have such a key.)
START_TEST(one_hash_is_not_one_text)
{
    if (DEBUG_INVARIANTS) return;
    Value a = str_new("a"), b = str_new("b"), number = from_small(str_hash(b));
    for (int mixed = 0; mixed < 3; mixed++) {
        Value dict = dict_new();
        if (mixed) ck_assert(dict_set_hashed(dict, mixed == 1 ? NONE : number, str_hash(b), NONE));
        ck_assert(dict_set_hashed(dict, a, str_hash(b), from_small(1)));
        ck_assert_ptr_null(dict_peek(dict, b));
        ck_assert_ptr_null(dict_peek_ascii(dict, "b"));
        ck_assert_ptr_eq(dict_peek_key(dict, b, str_hash(b)), ABSENT);
        ck_assert(dict_set(dict, b, from_small(2)));
        ck_assert_ptr_eq(dict_peek(dict, b), from_small(2));
        ck_assert_ptr_eq(dict_peek_ascii(dict, "b"), from_small(2));
        ck_assert_ptr_eq(dict_peek_key(dict, b, str_hash(b)), from_small(2));
        drop(dict);
    }
    drop(number);
    drop(a);
    drop(b);
}
END_TEST

// Numbers of other types are the same key, texts and what else has the hash are not.
START_TEST(numbers_are_found_without_script)
{
    if (DEBUG_INVARIANTS) return; // likewise
    Value dict = dict_new(), text = str_new("text");
    Value others[] = {from_double(1.0), complex_new(2, 0), str_new("four"), tuple_new(0),
                      from_double(2.5)};
    for (int64_t i = 0; i < 5; i++)
        ck_assert(dict_set_hashed(dict, others[i], i + 1, from_small(10 * (i + 1))));
    ck_assert_ptr_eq(dict_peek_key(dict, from_small(1), 1), from_small(10));
    ck_assert_ptr_eq(dict_peek_key(dict, from_small(2), 2), from_small(20));
    for (int64_t i = 3; i < 6; i++) ck_assert_ptr_eq(dict_peek_key(dict, from_small(i), i), ABSENT);
    for (int64_t i = 1; i < 6; i++) ck_assert_ptr_eq(dict_peek_key(dict, text, i), ABSENT);
    for (int i = 0; i < 5; i++) drop(others[i]);
    drop(text);
    drop(dict);
}
END_TEST

Suite *dict_suite(void)
{
    Suite *suite = suite_create("dict");
    TCase *tests = live_case(suite, "dict");
    tcase_add_test(tests, keeps_the_order_of_insertion);
    tcase_add_test(tests, grows_and_finds_all);
    tcase_add_test(tests, equal_keys_are_one);
    tcase_add_test(tests, strs_are_found_by_text);
    tcase_add_test(tests, versions_tell_of_changes);
    tcase_add_test(tests, pops_and_defaults);
    tcase_add_test(tests, moves_to_either_end);
    tcase_add_test(tests, copies_and_merges);
    tcase_add_test(tests, unhashable_keys_are_refused);
    tcase_add_test(tests, iterators_notice_changes);
    tcase_add_test(tests, shows_itself_once);
    tcase_add_test(tests, one_hash_is_not_one_text);
    tcase_add_test(tests, numbers_are_found_without_script);
    return suite;
}
