// Doubles as text and back (dtoa), and what C code asks of floats. The expectations are CPython
// 3.9's; the hexadecimal ones are float.hex().
#include "tests/unit/unit.h"

#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/float.h"
#include "objects/numbers/float_text.h"
#include "objects/text/str.h"

#include <math.h>

typedef struct Shortest {
    double number;
    const char *text;
} Shortest;

static const Shortest shortest[] = {
    {0.1, "0.1"},
    {0.3333333333333333, "0.3333333333333333"},
    {1e+16, "1e+16"},
    {1e+17, "1e+17"},
    {1.2345678901234568e+17, "1.2345678901234568e+17"},
    {1e+22, "1e+22"},
    {1e+23, "1e+23"},
    {9007199254740992.0, "9007199254740992.0"},
    {5e-324, "5e-324"},
    {2.2250738585072014e-308, "2.2250738585072014e-308"},
    {1.7976931348623157e+308, "1.7976931348623157e+308"},
    {0.0001, "0.0001"},
    {1e-05, "1e-05"},
    {100.0, "100.0"},
    {5.684341886080802e-14, "5.684341886080802e-14"},
    {1.5e-323, "1.5e-323"},
    {4.35, "4.35"},
    {0.3, "0.3"},
    {0.6666666666666666, "0.6666666666666666"},
    {1e+21, "1e+21"},
    {8.41e+21, "8.41e+21"},
    {1.1805916207174113e+21, "1.1805916207174113e+21"},
    {9.5367431640625e-07, "9.5367431640625e-07"},
    {123.456, "123.456"},
    {-0.0, "-0.0"},
    {-1.5e-07, "-1.5e-07"},
    {299792458.0, "299792458.0"},
    {6.02214076e+23, "6.02214076e+23"},
};

START_TEST(repr_is_the_shortest_text)
{
    char text[32];
    double_repr(shortest[_i].number, text);
    ck_assert_str_eq(text, shortest[_i].text);
}
END_TEST

typedef struct Rounded {
    double number;
    char kind;
    int precision;
    const char *text;
} Rounded;

static const Rounded rounded[] = {
    {0.5, 'f', 0, "0"},
    {1.5, 'f', 0, "2"},
    {2.5, 'f', 0, "2"},
    {0.125, 'f', 2, "0.12"},
    {0.375, 'f', 2, "0.38"},
    {2.675, 'f', 2, "2.67"},
    {1e+22, 'f', 1, "10000000000000000000000.0"},
    {123.456, 'e', 3, "1.235e+02"},
    {0.0, 'e', 2, "0.00e+00"},
    {1234567.0, 'g', 6, "1.23457e+06"},
    {123456.0, 'g', 6, "123456"},
    {0.0001, 'g', 3, "0.0001"},
    {1e-05, 'g', 3, "1e-05"},
    {0.3333333333333333, 'f', 30, "0.333333333333333314829616256247"},
    {5e-324, 'e', 40, "4.9406564584124654417656879286822137236506e-324"},
    {1e+308, 'f', 0,
     "100000000000000001097906362944045541740492309677311846336810682903157585404911491537163328978"
     "494688899061249669721172515611590283743140088328307009198146046031271664502933027185697489699"
     "588559043338384466165001178426897626212945177628091195786707458122783970171784415105291802893"
     "207873272974885715430223118336"},
    {99.5, 'g', 2, "1e+02"},
    {9.5, 'e', 0, "1e+01"},
    {0.1, 'f', 55, "0.1000000000000000055511151231257827021181583404541015625"},
    {1.152921504606847e+18, 'e', 20, "1.15292150460684697600e+18"},
    {1e-05, 'f', 3, "0.000"},
};

START_TEST(digits_are_rounded_half_to_even)
{
    char *text = double_format(rounded[_i].number, rounded[_i].kind, rounded[_i].precision, 0);
    ck_assert_str_eq(text, rounded[_i].text);
    memory_free(text);
}
END_TEST

typedef struct Parsed {
    const char *text, *hex;
} Parsed;

static const Parsed parsed[] = {
    {"1", "0x1.0000000000000p+0"},
    {".5", "0x1.0000000000000p-1"},
    {"5.", "0x1.4000000000000p+2"},
    {"1e5", "0x1.86a0000000000p+16"},
    {"1E-5", "0x1.4f8b588e368f1p-17"},
    {"+2.5", "0x1.4000000000000p+1"},
    {"-0", "-0x0.0p+0"},
    {"123456789012345678901234567890", "0x1.8ee90ff6c373ep+96"},
    {"9007199254740993", "0x1.0000000000000p+53"},
    {"9007199254740992.5", "0x1.0000000000000p+53"},
    {"9007199254740993.00000000000000000001", "0x1.0000000000001p+53"},
    {"1e23", "0x1.52d02c7e14af6p+76"},
    {"8.5e22", "0x1.1ffdbf6b2b2ebp+76"},
    {"1.7976931348623158e308", "0x1.fffffffffffffp+1023"},
    {"1.7976931348623159e308", "inf"},
    {"2.4703282292062327e-324", "0x0.0p+0"},
    {"2.4703282292062328e-324", "0x0.0000000000001p-1022"},
    {"2.2250738585072011e-308", "0x0.fffffffffffffp-1022"},
    {"179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977"
     "587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845"
     "817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559"
     "699508093042880",
     "0x1.203af9ee75615p+974"},
    {"0.000000000000000000000000000000000000000000000000000000000000000000000000001e75",
     "0x1.0000000000000p+0"},
    {"1e400", "inf"},
    {"1e-400", "0x0.0p+0"},
    {"100000000000000016777215", "0x1.52d02c7e14af7p+76"},
    {"100000000000000016777216", "0x1.52d02c7e14af8p+76"},
    {"6250000000000000000000000000000000000", "0x1.2ced32a16a1b1p+122"},
};

START_TEST(text_becomes_the_nearest_double)
{
    double number;
    ck_assert(double_from_digits(parsed[_i].text, strlen(parsed[_i].text), &number));
    Value hex = double_to_hex(number);
    ck_assert_str_eq(str_utf8(hex, NULL), parsed[_i].hex);
    drop(hex);
}
END_TEST

START_TEST(what_is_no_number_is_refused)
{
    static const char *const texts[] = {"", ".", "e5", "1e", "1e+", "1.2.3", "x", "1 ", "+", "0x1"};
    double number;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert(!double_from_digits(texts[i], strlen(texts[i]), &number));
}
END_TEST

static bool reads_back(uint64_t bits)
{
    double number, back;
    char text[32];
    memcpy(&number, &bits, sizeof number);
    if (!isfinite(number)) return true;
    double_repr(number, text);
    return double_from_digits(text, strlen(text), &back) && back == number;
}

START_TEST(every_repr_reads_back)
{
    uint64_t seed = (uint64_t)_i;
    for (int i = 0; i < 5000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        ck_assert(reads_back(seed ^ seed >> 29));
    }
    for (uint64_t exponent = 0; exponent < 2047; exponent++) {
        ck_assert(reads_back(exponent << 52));
        ck_assert(reads_back((exponent << 52) + 1));
        ck_assert(reads_back((exponent << 52) - 1));
    }
}
END_TEST

START_TEST(special_values)
{
    char text[32];
    double_repr(NAN, text);
    ck_assert_str_eq(text, "nan");
    double_repr(-INFINITY, text);
    ck_assert_str_eq(text, "-inf");
    Value nan = float_new(NAN), other = float_new(NAN);
    ck_assert(is_object(nan) && nan != other && isnan(float_value(nan)));
    drop(nan), drop(other);
}
END_TEST

START_TEST(rounding)
{
    ck_assert(double_round(2.675, 2) == 2.67);
    ck_assert(double_round(0.5, 0) == 0.0);
    ck_assert(double_round(15.0, -1) == 20.0);
    ck_assert(double_round(25.0, -1) == 20.0);
    ck_assert(double_round(1e300, -301) == 0.0);
    ck_assert(isinf(double_round(1.7976931348623157e308, -308)));
    ck_assert(double_round(5e-324, 400) == 5e-324);
}
END_TEST

START_TEST(remainders)
{
    ck_assert(double_remainder(-1.0, 3.0) == 2.0);
    ck_assert(double_remainder(1.0, -3.0) == -2.0);
    ck_assert(signbit(double_remainder(3.0, -3.0)));
    ck_assert(double_remainder(1.0, INFINITY) == 1.0);
    ck_assert(isinf(double_remainder(-1.0, INFINITY)));
}
END_TEST

START_TEST(hashes)
{
    ck_assert_int_eq(double_hash(0.1), 230584300921369408);
    ck_assert_int_eq(double_hash(-1.0), -2);
    ck_assert_int_eq(double_hash(1e300), 1224995262755759164);
    ck_assert_int_eq(double_hash(5e-324), 16777216);
    ck_assert_int_eq(double_hash(INFINITY), 314159);
    ck_assert_int_eq(double_hash(NAN), 0);
}
END_TEST

Suite *float_suite(void)
{
    Suite *suite = suite_create("float");
    TCase *tests = live_case(suite, "floats");
    tcase_add_loop_test(tests, repr_is_the_shortest_text, 0, sizeof shortest / sizeof *shortest);
    tcase_add_loop_test(tests, digits_are_rounded_half_to_even, 0,
                        sizeof rounded / sizeof *rounded);
    tcase_add_loop_test(tests, text_becomes_the_nearest_double, 0, sizeof parsed / sizeof *parsed);
    tcase_add_test(tests, what_is_no_number_is_refused);
    tcase_add_loop_test(tests, every_repr_reads_back, 0, 4);
    tcase_add_test(tests, special_values);
    tcase_add_test(tests, rounding);
    tcase_add_test(tests, remainders);
    tcase_add_test(tests, hashes);
    return suite;
}
