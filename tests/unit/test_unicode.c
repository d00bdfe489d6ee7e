// The Unicode database: properties, case, digits, names both ways, NFKC.
#include "tests/unit/unit.h"

#include "objects/text/unicode.h"

#include <string.h>

START_TEST(properties)
{
    ck_assert(unicode_is_alpha('a') && unicode_is_alpha(0x4E00) && !unicode_is_alpha('1'));
    ck_assert(unicode_is_space(0x3000) && unicode_is_space(0x1F) && !unicode_is_space(0x200B));
    ck_assert(unicode_is_line_break(0x2028) && unicode_is_line_break(0x0B) &&
              !unicode_is_line_break(' '));
    ck_assert(unicode_is_printable(0x1F600) && !unicode_is_printable(0xAD) &&
              !unicode_is_printable(0xD800));
    ck_assert(unicode_is_identifier_start(0x2118) && !unicode_is_identifier_start('1'));
    ck_assert(unicode_is_identifier_part(0x387) && !unicode_is_identifier_part('-'));
    ck_assert(!unicode_is_alpha(0x110000));
    ck_assert(unicode_is_title(0x1C5) && unicode_is_upper(0x2160) && unicode_is_lower(0xAA));
}
END_TEST

START_TEST(digits)
{
    ck_assert_int_eq(unicode_decimal_value('7'), 7);
    ck_assert_int_eq(unicode_decimal_value(0x0669), 9);
    ck_assert_int_eq(unicode_decimal_value(0xB2), -1);
    ck_assert_int_eq(unicode_digit_value(0xB2), 2);
    ck_assert_int_eq(unicode_digit_value(0xBD), -1);
    ck_assert(unicode_is_numeric(0xBD));
}
END_TEST

START_TEST(cases)
{
    uint32_t mapped[3];
    ck_assert_int_eq(unicode_to_upper(0xDF, mapped), 2);
    ck_assert_uint_eq(mapped[0], 'S');
    ck_assert_int_eq(unicode_to_upper(0x390, mapped), 3);
    ck_assert_int_eq(unicode_to_title(0x1C6, mapped), 1);
    ck_assert_uint_eq(mapped[0], 0x1C5);
    ck_assert_int_eq(unicode_to_lower(0x130, mapped), 2);
    ck_assert_int_eq(unicode_to_folded(0x13A0, mapped), 1);
    ck_assert_uint_eq(mapped[0], 0x13A0);
}
END_TEST

static int64_t by_name(const char *name)
{
    return unicode_by_name(name, strlen(name));
}

START_TEST(names)
{
    ck_assert_int_eq(by_name("LATIN SMALL LETTER A"), 'a');
    ck_assert_int_eq(by_name("latin small letter a"), 'a');
    ck_assert_int_eq(by_name("SNOWMAN"), 0x2603);
    ck_assert_int_eq(by_name("NEW LINE"), 10);
    ck_assert_int_eq(by_name("BELL"), 0x1F514);
    ck_assert_int_eq(by_name("HANGUL SYLLABLE HIH"), 0xD7A3);
    ck_assert_int_eq(by_name("CJK UNIFIED IDEOGRAPH-4E00"), 0x4E00);
    ck_assert_int_eq(by_name("cjk unified ideograph-4e00"), -1);
    ck_assert_int_eq(by_name("LATIN SMALL LETTER"), -1);
    ck_assert_int_eq(by_name(""), -1);
}
END_TEST

START_TEST(names_both_ways)
{
    char name[UNICODE_NAME_MAX];
    int count = 0;
    for (uint32_t point = 0; point < 0x110000; point += 37) {
        size_t size = unicode_name(point, name);
        if (!size) continue;
        ck_assert_int_eq(unicode_by_name(name, size), point);
        count++;
    }
    ck_assert_int_eq(count, 3721);
}
END_TEST

static void check_nfkc(const uint32_t *points, size_t count, const uint32_t *expected, size_t size)
{
    uint32_t normalized[32];
    ck_assert_uint_eq(unicode_normalize(UNICODE_NFKC, points, count, normalized, 32), size);
    ck_assert_mem_eq(normalized, expected, size * sizeof *expected);
}

START_TEST(normalizing)
{
    check_nfkc((uint32_t[]){0xFB01}, 1, (uint32_t[]){'f', 'i'}, 2);
    check_nfkc((uint32_t[]){'e', 0x301}, 2, (uint32_t[]){0xE9}, 1);
    check_nfkc((uint32_t[]){'a', 0x315, 0x300, 0x5AE}, 4, (uint32_t[]){0xE0, 0x5AE, 0x315}, 3);
    check_nfkc((uint32_t[]){0x1100, 0x1161, 0x11A8}, 3, (uint32_t[]){0xAC01}, 1);
    check_nfkc((uint32_t[]){0x1D400}, 1, (uint32_t[]){'A'}, 1);
    ck_assert_uint_gt(unicode_normalize(UNICODE_NFKC, (uint32_t[]){0xFB03}, 1, NULL, 0), 1);
}
END_TEST

Suite *unicode_suite(void)
{
    Suite *suite = suite_create("unicode");
    TCase *tests = bare_case(suite, "unicode");
    tcase_add_test(tests, properties);
    tcase_add_test(tests, digits);
    tcase_add_test(tests, cases);
    tcase_add_test(tests, names);
    tcase_add_test(tests, names_both_ways);
    tcase_add_test(tests, normalizing);
    return suite;
}
