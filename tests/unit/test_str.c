// str: widths, search, splitting, case, formatting; expectations from CPython 3.9.
#include "tests/unit/text_unit.h"

#include "objects/memory.h"
#include "objects/text/text.h"

START_TEST(widths)
{
    Value ascii = S("abc"), latin = S("ab\xC3\xA9"), wide = S("a\xE2\x82\xAC"),
          astral = S("\xF0\x9F\x98\x80");
    ck_assert_int_eq(as_str(ascii)->kind, 1);
    ck_assert(as_str(ascii)->ascii && !as_str(latin)->ascii);
    ck_assert_int_eq(as_str(latin)->kind, 1);
    ck_assert_int_eq(as_str(wide)->kind, 2);
    ck_assert_int_eq(as_str(astral)->kind, 4);
    ck_assert_int_eq(str_length(astral), 1);
    ck_assert_str_eq(str_utf8(wide, NULL), "a\xE2\x82\xAC");
    Value narrow = str_substring(wide, 0, 1);
    ck_assert_int_eq(as_str(narrow)->kind, 1);
    drop(narrow);
    drop(ascii);
    drop(latin);
    drop(wide);
    drop(astral);
}
END_TEST

START_TEST(hashes)
{
    Value empty = S(""), abc = S("abc"), wide = S("\xE2\x82\xAC");
    ck_assert_int_eq(str_hash(empty), 0);
    ck_assert_int_eq(str_hash(abc), 4596069200710135518);
    ck_assert_int_eq(str_hash(wide), -7838577127164893040);
    drop(empty);
    drop(abc);
    drop(wide);
}
END_TEST

START_TEST(interned)
{
    Value a = str_intern("spam_and_eggs"), b = S("spam_and_eggs");
    ck_assert(bits_of(a) != bits_of(b));
    str_intern_in_place(&b);
    ck_assert(bits_of(a) == bits_of(b));
    ck_assert(str_is_interned(a));
    drop(a);
    drop(b);
    Value many[3000];
    for (int i = 0; i < 3000; i++) {
        many[i] = format_text("name%d", i);
        str_intern_in_place(&many[i]);
    }
    for (int i = 0; i < 3000; i += 2) drop_slot(&many[i]);
    for (int i = 1; i < 3000; i += 2) {
        Value again = format_text("name%d", i);
        str_intern_in_place(&again);
        ck_assert(bits_of(again) == bits_of(many[i]));
        drop(again);
        drop(many[i]);
    }
}
END_TEST

START_TEST(appending_is_linear)
{
    Value text = S("x");
    Value part = S("yz\xC3\xA9");
    size_t before = memory_counts().allocations;
    for (int i = 0; i < 100000; i++) ck_assert(str_append(&text, part));
    ck_assert_int_lt(memory_counts().allocations - before, 100);
    ck_assert_int_eq(str_length(text), 300001);
    ck_assert_int_eq(str_at(as_str(text), 300000), 0xE9);
    drop(text);
    drop(part);
}
END_TEST

// Every pattern against the plain way to search, in three widths and two directions.
static void search_with(const uint32_t *letters, int seed)
{
    uint32_t text[64], pattern[8];
    unsigned state = (unsigned)seed;
    for (int i = 0; i < 64; i++) text[i] = letters[(state = state * 1103515245 + 12345) >> 16 & 1];
    ssize_t length = 1 + (state >> 20) % 7;
    for (int i = 0; i < 8; i++)
        pattern[i] = letters[(state = state * 1103515245 + 12345) >> 17 & 1];
    ssize_t first = -1, last = -1;
    for (ssize_t at = 0; at + length <= 64; at++) {
        if (memcmp(text + at, pattern, (size_t)length * 4) != 0) continue;
        if (first < 0) first = at;
        last = at;
    }
    Value str = str_from_code_points(text, 64),
          part = str_from_code_points(pattern, (size_t)length);
    const Str *a = as_str(str), *b = as_str(part);
    ck_assert_int_eq(text_find(a->kind, a->data, 64, b->kind, b->data, length, 1), first);
    ck_assert_int_eq(text_find(a->kind, a->data, 64, b->kind, b->data, length, -1), last);
    drop(str);
    drop(part);
}

START_TEST(searching)
{
    for (int seed = 0; seed < 2000; seed++) {
        search_with((uint32_t[]){'a', 'b'}, seed);
        search_with((uint32_t[]){'a', 0x20AC}, seed);
        search_with((uint32_t[]){0x20AC, 0x1F600}, seed);
    }
    CHECK("1", call(S("banana"), "find", S("ana"), END));
    CHECK("3", call(S("banana"), "rfind", S("ana"), END));
    CHECK("-1", call(S("banana"), "find", S("ana"), I(4), END));
    CHECK("2", call(S("banana"), "count", S("an"), END));
    CHECK("7", call(S("banana"), "count", S(""), END));
    CHECK("ValueError: substring not found", call(S("banana"), "index", S("x"), END));
    CHECK("TypeError: must be str, not int", call(S("banana"), "find", I(1), END));
    CHECK("TypeError: find() takes at least 1 argument (0 given)", call(S("a"), "find", END));
    CHECK("TypeError: tuple for startswith must only contain str, not int",
          call(S("a"), "startswith", tuple2(S("b"), I(1)), END));
    CHECK("True", call(S("abc"), "endswith", tuple2(S("x"), S("bc")), END));
    CHECK("TypeError: 'in <string>' requires string as left operand, not int",
          call(S("a"), "__contains__", I(1), END));
}
END_TEST

// Patterns that make a naive search quadratic.
START_TEST(searching_is_linear)
{
    Value run = S("\xE2\x82\xAC"), text = str_repeat(run, 400000), half = str_repeat(run, 200000);
    Value tail = str_new("x"), pattern = str_concat(half, tail);
    CHECK("-1", call(retain(text), "find", retain(pattern), END));
    CHECK("-1", call(retain(text), "rfind", retain(pattern), END));
    CHECK("-1", call(retain(text), "rfind", str_concat(tail, half), END));
    drop(run);
    drop(text);
    drop(half);
    drop(tail);
    drop(pattern);
}
END_TEST

START_TEST(splitting)
{
    CHECK("['a', 'b', 'c']", call(S("  a b\tc\n"), "split", END));
    CHECK("['a', 'b c ']", call(S(" a b c "), "split", NONE, I(1), END));
    CHECK("[' a b', 'c']", call(S(" a b c "), "rsplit", NONE, I(1), END));
    CHECK("['', 'a', '', 'b']", call(S(",a,,b"), "split", S(","), END));
    CHECK("[',a,', 'b']", call(S(",a,,b"), "rsplit", S(","), I(1), END));
    CHECK("ValueError: empty separator", call(S("a"), "split", S(""), END));
    CHECK("TypeError: must be str or None, not int", call(S("a"), "split", I(1), END));
    CHECK("['a', 'b', 'c', 'd']", call(S("a\nb\r\nc\x0b"
                                         "d"),
                                       "splitlines", END));
    CHECK("['a\\n', 'b\\r\\n', '\\n']", call(S("a\nb\r\n\n"), "splitlines", TRUE, END));
    CHECK("('a', '-', 'b-c')", call(S("a-b-c"), "partition", S("-"), END));
    CHECK("('a-b', '-', 'c')", call(S("a-b-c"), "rpartition", S("-"), END));
    CHECK("('', '', 'abc')", call(S("abc"), "rpartition", S("-"), END));
    CHECK("'b'", call(S("xxbxy"), "strip", S("xy"), END));
    CHECK("'a  '", call(S(" \xE3\x80\x80"
                          "a  "),
                        "lstrip", END));
    CHECK("'a, b'", call(S(", "), "join", tuple2(S("a"), S("b")), END));
    CHECK("TypeError: sequence item 1: expected str instance, int found",
          call(S(","), "join", tuple2(S("a"), I(1)), END));
    CHECK("TypeError: can only join an iterable", call(S(","), "join", I(1), END));
}
END_TEST

START_TEST(replacing)
{
    CHECK("'bcncnc'", call(S("banana"), "replace", S("a"), S("c"), END));
    CHECK("'b--nana'", call(S("banana"), "replace", S("a"), S("--"), I(1), END));
    CHECK("'-a-b-'", call(S("ab"), "replace", S(""), S("-"), END));
    CHECK("'-ab'", call(S("ab"), "replace", S(""), S("-"), I(1), END));
    CHECK("'aeb'", call(S("a\xE2\x82\xAC"
                          "b"),
                        "replace", S("\xE2\x82\xAC"), S("e"), END));
    Value narrowed = call(S("a\xE2\x82\xAC"
                            "b"),
                          "replace", S("\xE2\x82\xAC"), S("e"), END);
    ck_assert_int_eq(as_str(narrowed)->kind, 1);
    ck_assert(as_str(narrowed)->ascii);
    drop(narrowed);
    CHECK("'xyz'", call(S("abxyz"), "removeprefix", S("ab"), END));
    CHECK("'ab'", call(S("abxyz"), "removesuffix", S("xyz"), END));
    CHECK("'a   b'", call(S("a\tb"), "expandtabs", I(4), END));
    CHECK("'-0042'", call(S("-42"), "zfill", I(5), END));
    CHECK("'**ab*'", call(S("ab"), "center", I(5), S("*"), END));
}
END_TEST

START_TEST(cases)
{
    CHECK("'STRASSE'", call(S("stra\xC3\x9F"
                              "e"),
                            "upper", END));
    CHECK("'strasse'", call(S("Stra\xC3\x9F"
                              "e"),
                            "casefold", END));
    CHECK("'\u1f00\u03b1\u03c2 \u03c3'", call(S("\u1f08\u0391\u03a3 \u03a3"), "lower", END));
    CHECK("\"They'Re Bill'S\"", call(S("they're bill's"), "title", END));
    CHECK("'Hello world'", call(S("hELLO WORLD"), "capitalize", END));
    CHECK("'hELLO'", call(S("Hello"), "swapcase", END));
    CHECK("True", call(S("\u2167"), "isupper", END));
    CHECK("False", call(S(""), "isalpha", END));
    CHECK("True", call(S("\u0664\u00b2"), "isdigit", END));
    CHECK("False", call(S("\u00b2"), "isdecimal", END));
    CHECK("True", call(S("\u00bd"), "isnumeric", END));
    CHECK("True", call(S("\u00e9t\u00e9_1"), "isidentifier", END));
    CHECK("True", call(S("Hello World"), "istitle", END));
}
END_TEST

START_TEST(reprs)
{
    CHECK("\"it's\"", S("it's"));
    CHECK("'it\\'s \"it\"'", S("it's \"it\""));
    CHECK("'\\t\\n\\r\\\\\\x00\\x7f'", str_from_latin1("\t\n\r\\\0\x7f", 6));
    CHECK("'\u00e9\\x85\\u200b\U0001f600\\U000e0001'",
          S("\u00e9\xC2\x85\u200b\U0001f600\U000e0001"));
    CHECK("'\\ud800'", str_from_code_point(0xD800));
}
END_TEST

START_TEST(formatting)
{
    CHECK("'1 00ff'", binary(S("%d %04x"), OP_REMAINDER, tuple2(I(1), I(255))));
    CHECK("'  a|b  '", binary(S("%3s|%-3s"), OP_REMAINDER, tuple2(S("a"), S("b"))));
    CHECK("'+1.50e+00'", binary(S("%+.2e"), OP_REMAINDER, from_double(1.5)));
    CHECK("'0x0000ff'", binary(S("%#08x"), OP_REMAINDER, I(255)));
    CHECK("TypeError: not enough arguments for format string",
          binary(S("%d %d"), OP_REMAINDER, I(1)));
    CHECK("TypeError: not all arguments converted during string formatting",
          binary(S("%d"), OP_REMAINDER, tuple2(I(1), I(1))));
    CHECK("TypeError: %d format: a number is required, not str",
          binary(S("%d"), OP_REMAINDER, S("a")));
    CHECK("ValueError: unsupported format character 'q' (0x71) at index 1",
          binary(S("%q"), OP_REMAINDER, I(1)));
    CHECK("'1-a'", call(S("{}-{}"), "format", I(1), S("a"), END));
    CHECK("'    1|{}'", call(S("{0:>{1}}|{{}}"), "format", I(1), I(5), END));
    CHECK("\"'a'\"", call(S("{!r}"), "format", S("a"), END));
    CHECK("'b'", call(S("{0[1]}"), "format", tuple2(S("a"), S("b")), END));
    CHECK("ValueError: Single '}' encountered in format string", call(S("}"), "format", END));
    CHECK("ValueError: Single '{' encountered in format string", call(S("{"), "format", END));
    CHECK("IndexError: Replacement index 1 out of range for positional args tuple",
          call(S("{}{}"), "format", I(1), END));
    CHECK("ValueError: cannot switch from automatic field numbering to manual field specification",
          call(S("{}{0}"), "format", I(1), END));
    CHECK("ValueError: Max string recursion exceeded",
          call(S("{:{:{}}}"), "format", I(1), I(2), I(3), END));
    CHECK("KeyError: 'a'", call(S("{a}"), "format", END));
}
END_TEST

START_TEST(operators)
{
    CHECK("'abab'", binary(S("ab"), OP_MULTIPLY, I(2)));
    CHECK("TypeError: can only concatenate str (not \"int\") to str", binary(S("a"), OP_ADD, I(1)));
    CHECK("OverflowError: repeated string is too long",
          binary(S("ab"), OP_MULTIPLY, I(PTRDIFF_MAX)));
    CHECK("'c'", subscript(S("abc"), I(-1)));
    CHECK("IndexError: string index out of range", subscript(S("abc"), I(3)));
    CHECK("TypeError: string indices must be integers", subscript(S("abc"), S("a")));
    CHECK("TypeError: decoding str is not supported", make(&str_type, S("a"), S("ascii"), END));
    CHECK("'a'", make(&str_type, B("a"), S("ascii"), END));
}
END_TEST

Suite *str_suite(void)
{
    Suite *suite = suite_create("str");
    TCase *tests = live_case(suite, "str");
    tcase_add_test(tests, widths);
    tcase_add_test(tests, hashes);
    tcase_add_test(tests, interned);
    tcase_add_test(tests, appending_is_linear);
    tcase_add_test(tests, searching);
    tcase_add_test(tests, searching_is_linear);
    tcase_add_test(tests, splitting);
    tcase_add_test(tests, replacing);
    tcase_add_test(tests, cases);
    tcase_add_test(tests, reprs);
    tcase_add_test(tests, formatting);
    tcase_add_test(tests, operators);
    return suite;
}
