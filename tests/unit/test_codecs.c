// Codecs and error handlers; expectations from CPython 3.9.
#include "tests/unit/text_unit.h"

#include "objects/bytes/codecs.h"

#define DECODE(bytes, encoding, errors) text_decode(bytes, sizeof(bytes) - 1, encoding, errors)

static Value encode(Value text, const char *encoding, const char *errors)
{
    Value bytes = text_encode(text, encoding, errors);
    drop(text);
    return bytes;
}

START_TEST(names)
{
    ck_assert(encoding_known("UTF8") && encoding_known("Latin_1") && encoding_known("utf-8-sig"));
    ck_assert(encoding_known("ISO-8859-1") && encoding_known("KOI8-R") && encoding_known(NULL));
    ck_assert(!encoding_known("") && !encoding_known("foo"));
    CHECK("LookupError: unknown encoding: foo", encode(S("a"), "foo", NULL));
    CHECK("''", DECODE("", "foo", NULL));
}
END_TEST

START_TEST(utf8)
{
    CHECK("'a\u00e9\u20ac\U0001f600'", DECODE("a\u00e9\u20ac\U0001f600", NULL, NULL));
    CHECK("UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 1: invalid start "
          "byte",
          DECODE("a\xff", "utf-8", NULL));
    CHECK("UnicodeDecodeError: 'utf-8' codec can't decode bytes in position 0-1: unexpected end of "
          "data",
          DECODE("\xe2\x82", "utf-8", NULL));
    CHECK("UnicodeDecodeError: 'utf-8' codec can't decode byte 0xed in position 0: invalid "
          "continuation byte",
          DECODE("\xed\xa0\x80", "utf-8", NULL));
    CHECK("'\ufffda\ufffd'", DECODE("\xf0\x9f"
                                    "a\xff",
                                    "utf-8", "replace"));
    CHECK("'\\udcff\\udce2\\udc82a'", DECODE("\xff\xe2\x82"
                                             "a",
                                             "utf-8", "surrogateescape"));
    CHECK("'\\ud800a'", DECODE("\xed\xa0\x80"
                               "a",
                               "utf-8", "surrogatepass"));
    CHECK("LookupError: unknown error handler name 'foo'", DECODE("\xff", "utf-8", "foo"));
    CHECK("UnicodeEncodeError: 'utf-8' codec can't encode character '\\ud800' in position 0: "
          "surrogates "
          "not allowed",
          encode(str_from_code_point(0xD800), NULL, NULL));
    CHECK("b'\\xef\\xbb\\xbfa'", encode(S("a"), "utf-8-sig", NULL));
    CHECK("'a'", DECODE("\xef\xbb\xbf"
                        "a",
                        "utf-8-sig", NULL));
}
END_TEST

START_TEST(wide_units)
{
    CHECK("b'\\xff\\xfea\\x00\\xac =\\xd8\\x00\\xde'",
          encode(S("a\u20ac\U0001f600"), "utf-16", NULL));
    CHECK("b'\\x00\\x00\\x00a'", encode(S("a"), "utf-32-be", NULL));
    CHECK("'a'", DECODE("\xff\xfe\0\0a\0\0\0", "utf-32", NULL));
    CHECK("'a'", DECODE("\xfe\xff\0a", "utf-16", NULL));
    CHECK("UnicodeDecodeError: 'utf-16-le' codec can't decode bytes in position 0-1: unexpected "
          "end of "
          "data",
          DECODE("\x00\xd8", "utf-16", NULL));
    CHECK("UnicodeDecodeError: 'utf-16-le' codec can't decode bytes in position 0-1: illegal "
          "encoding",
          DECODE("\x00\xdc", "utf-16-le", NULL));
    CHECK("UnicodeDecodeError: 'utf-16-be' codec can't decode byte 0x61 in position 2: truncated "
          "data",
          DECODE("\xfe\xff"
                 "a",
                 "utf-16", NULL));
    CHECK("UnicodeDecodeError: 'utf-32-le' codec can't decode bytes in position 0-3: code point "
          "not in "
          "range(0x110000)",
          DECODE("\0\0\xff\0", "utf-32-le", NULL));
}
END_TEST

START_TEST(byte_by_byte)
{
    CHECK("b'\\x80\\xe9'", encode(S("\u20ac\u00e9"), "cp1252", NULL));
    CHECK("UnicodeEncodeError: 'charmap' codec can't encode character '\\u0100' in position 0: "
          "character maps to <undefined>",
          encode(S("\u0100"), "cp1252", NULL));
    CHECK("UnicodeEncodeError: 'latin-1' codec can't encode characters in position 0-1: ordinal "
          "not in "
          "range(256)",
          encode(S("\u0100\u0101a"), "iso-8859-1", NULL));
    CHECK("UnicodeDecodeError: 'ascii' codec can't decode byte 0xff in position 0: ordinal not in "
          "range(128)",
          DECODE("\xff", "ascii", NULL));
    CHECK("b'?x?\?'", encode(S("\u0100x\u0101\u0102"), "ascii", "replace"));
    CHECK("b'\\\\u0100\\\\xe9'", encode(S("\u0100\u00e9"), "ascii", "backslashreplace"));
    CHECK("b'&#256;&#128512;'", encode(S("\u0100\U0001f600"), "ascii", "xmlcharrefreplace"));
    CHECK("b'\\\\N{GRINNING FACE}'", encode(S("\U0001f600"), "ascii", "namereplace"));
    CHECK("b''", encode(S("\u0100"), "ascii", "ignore"));
    CHECK("b'\\x80'", encode(str_from_code_point(0xDC80), "ascii", "surrogateescape"));
}
END_TEST

START_TEST(escapes)
{
    CHECK("'AA1\\nA\\\\q'",
          DECODE("\\x41\\u0041\\N{DIGIT ONE}\\n\\101\\\n\\q", "unicode_escape", NULL));
    CHECK("UnicodeDecodeError: 'unicodeescape' codec can't decode bytes in position 0-2: truncated "
          "\\xXX escape",
          DECODE("\\x4", "unicode_escape", NULL));
    CHECK("UnicodeDecodeError: 'unicodeescape' codec can't decode bytes in position 0-6: unknown "
          "Unicode character name",
          DECODE("\\N{foo}", "unicode_escape", NULL));
    CHECK("b'\\\\xe9\\\\u20ac\\\\n\\\\\\\\a'",
          encode(S("\u00e9\u20ac\n\\a"), "unicode_escape", NULL));
    CHECK("'\u00e9\u00e9\\\\n\\\\\\\\u0041'",
          DECODE("\\u00e9\xe9\\n\\\\u0041", "raw_unicode_escape", NULL));
}
END_TEST

Suite *codecs_suite(void)
{
    Suite *suite = suite_create("codecs");
    TCase *tests = live_case(suite, "codecs");
    tcase_add_test(tests, names);
    tcase_add_test(tests, utf8);
    tcase_add_test(tests, wide_units);
    tcase_add_test(tests, byte_by_byte);
    tcase_add_test(tests, escapes);
    return suite;
}
