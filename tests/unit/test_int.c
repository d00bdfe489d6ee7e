// Ints: the border between small and large, arithmetic of any size, text, bytes, doubles.
//
// The expectations are CPython 3.9's. What cannot be written down is checked by what must hold of
// any numbers: a == a // b * b + a % b, int(str(a)) == a, and so on.
#include "tests/unit/unit.h"

#include "objects/error.h"
#include "objects/numbers/bigint.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"

static Value number(const char *digits)
{
    Value text = str_new(digits), made = int_from_text(text, 10);
    drop(text);
    assert_no_error();
    return made;
}

// Drops the value.
static void assert_int(Value value, const char *expected)
{
    assert_no_error();
    ck_assert(int_check_exact(value));
    Value text = int_to_text(value, 10, false);
    ck_assert_str_eq(str_utf8(text, NULL), expected);
    drop(text);
    int64_t in_c;
    bool small = !int_as_int64_clamped(value, &in_c) && fits_small(in_c);
    ck_assert(small == is_small(value));
    drop(value);
}

static void assert_raised(Value value, Type *type, const char *message)
{
    ck_assert_ptr_null(value);
    ck_assert(error_is(type));
    Value error = error_take(), text = object_str(error);
    ck_assert_str_eq(str_utf8(text, NULL), message);
    drop(text);
    drop(error);
}

typedef struct Row {
    const char *a, *op, *b, *result;
} Row;

static const Row rows[] = {
    {"281474976710655", "+", "1", "281474976710656"},
    {"281474976710655", "-", "1", "281474976710654"},
    {"281474976710655", "*", "1", "281474976710655"},
    {"281474976710655", "/", "1", "281474976710655"},
    {"281474976710655", "%", "1", "0"},
    {"281474976710655", "&", "1", "1"},
    {"281474976710655", "|", "1", "281474976710655"},
    {"281474976710655", "^", "1", "281474976710654"},
    {"-281474976710656", "+", "-1", "-281474976710657"},
    {"-281474976710656", "-", "-1", "-281474976710655"},
    {"-281474976710656", "*", "-1", "281474976710656"},
    {"-281474976710656", "/", "-1", "281474976710656"},
    {"-281474976710656", "%", "-1", "0"},
    {"-281474976710656", "&", "-1", "-281474976710656"},
    {"-281474976710656", "|", "-1", "-1"},
    {"-281474976710656", "^", "-1", "281474976710655"},
    {"281474976710655", "+", "281474976710655", "562949953421310"},
    {"281474976710655", "-", "281474976710655", "0"},
    {"281474976710655", "*", "281474976710655", "79228162514263774643590529025"},
    {"281474976710655", "/", "281474976710655", "1"},
    {"281474976710655", "%", "281474976710655", "0"},
    {"281474976710655", "&", "281474976710655", "281474976710655"},
    {"281474976710655", "|", "281474976710655", "281474976710655"},
    {"281474976710655", "^", "281474976710655", "0"},
    {"140737488355328", "+", "2", "140737488355330"},
    {"140737488355328", "-", "2", "140737488355326"},
    {"140737488355328", "*", "2", "281474976710656"},
    {"140737488355328", "%", "2", "0"},
    {"140737488355328", "&", "2", "0"},
    {"-281474976710656", "+", "281474976710656", "0"},
    {"-281474976710656", "-", "281474976710656", "-562949953421312"},
    {"-281474976710656", "*", "281474976710656", "-79228162514264337593543950336"},
    {"-281474976710656", "/", "281474976710656", "-1"},
    {"-281474976710656", "%", "281474976710656", "0"},
    {"-281474976710656", "&", "281474976710656", "281474976710656"},
    {"-281474976710656", "|", "281474976710656", "-281474976710656"},
    {"-281474976710656", "^", "281474976710656", "-562949953421312"},
    {"18446744073709551615", "-", "18446744073709551615", "0"},
    {"18446744073709551615", "*", "18446744073709551615",
     "340282366920938463426481119284349108225"},
    {"18446744073709551615", "/", "18446744073709551615", "1"},
    {"18446744073709551615", "%", "18446744073709551615", "0"},
    {"18446744073709551615", "&", "18446744073709551615", "18446744073709551615"},
    {"18446744073709551615", "|", "18446744073709551615", "18446744073709551615"},
    {"18446744073709551615", "^", "18446744073709551615", "0"},
    {"1000000000000000000000000000000", "+", "-100000000000000000000000000000",
     "900000000000000000000000000000"},
    {"1000000000000000000000000000000", "*", "-100000000000000000000000000000",
     "-100000000000000000000000000000000000000000000000000000000000"},
    {"1000000000000000000000000000000", "/", "-100000000000000000000000000000", "-10"},
    {"1000000000000000000000000000000", "&", "-100000000000000000000000000000",
     "999056978826188105416051785728"},
    {"1000000000000000000000000000000", "|", "-100000000000000000000000000000",
     "-99056978826188105416051785728"},
    {"1000000000000000000000000000000", "^", "-100000000000000000000000000000",
     "-1098113957652376210832103571456"},
    {"-1000000000000000000000000000000", "-", "7", "-1000000000000000000000000000007"},
    {"-1000000000000000000000000000000", "/", "7", "-142857142857142857142857142858"},
    {"-1000000000000000000000000000000", "|", "7", "-999999999999999999999999999993"},
    {"1000000000000000000000000000000", "+", "-7", "999999999999999999999999999993"},
    {"1000000000000000000000000000000", "-", "-7", "1000000000000000000000000000007"},
    {"1000000000000000000000000000000", "*", "-7", "-7000000000000000000000000000000"},
    {"1000000000000000000000000000000", "/", "-7", "-142857142857142857142857142858"},
    {"1000000000000000000000000000000", "%", "-7", "-6"},
    {"1000000000000000000000000000000", "|", "-7", "-7"},
    {"-1000000000000000000000000000000", "*", "-7", "7000000000000000000000000000000"},
    {"-1000000000000000000000000000000", "/", "-7", "142857142857142857142857142857"},
    {"-1000000000000000000000000000000", "%", "-7", "-1"},
    {"-1000000000000000000000000000000", "|", "-7", "-7"},
    {"515377520732011331036461129765621272702107522001", "*", "18446744073709551616",
     "9507037226286351594851152435266090040926700901370420928914565103616"},
    {"515377520732011331036461129765621272702107522001", "%", "18446744073709551616",
     "15462121228172006353"},
    {"515377520732011331036461129765621272702107522001", "&", "18446744073709551616",
     "18446744073709551616"},
    {"515377520732011331036461129765621272702107522001", "|", "18446744073709551616",
     "515377520732011331036461129765621272702107522001"},
    {"-1", "+", "18446744073709551616", "18446744073709551615"},
    {"-1", "*", "18446744073709551616", "-18446744073709551616"},
    {"-1", "/", "18446744073709551616", "-1"},
    {"-1", "%", "18446744073709551616", "18446744073709551615"},
    {"-1", "&", "18446744073709551616", "18446744073709551616"},
    {"-1", "|", "18446744073709551616", "-1"},
    {"-1", "^", "18446744073709551616", "-18446744073709551617"},
    {"340282366920938463463374607431768211456", "*", "18446744073709551615",
     "6277101735386680763495507056286727952638980837032266301440"},
    {"340282366920938463463374607431768211456", "/", "18446744073709551615",
     "18446744073709551617"},
    {"340282366920938463463374607431768211456", "&", "18446744073709551615", "0"},
    {"340282366920938463463374607431768211456", "|", "18446744073709551615",
     "340282366920938463481821351505477763071"},
    {"340282366920938463463374607431768211456", "^", "18446744073709551615",
     "340282366920938463481821351505477763071"},
    {"-281474976710656", "+", "-1", "-281474976710657"},
    {"-281474976710656", "-", "-1", "-281474976710655"},
    {"-281474976710656", "*", "-1", "281474976710656"},
    {"-281474976710656", "/", "-1", "281474976710656"},
    {"-281474976710656", "%", "-1", "0"},
    {"-281474976710656", "&", "-1", "-281474976710656"},
    {"-281474976710656", "|", "-1", "-1"},
    {"-281474976710656", "^", "-1", "281474976710655"},
    {"12345678901234567890", "-", "-98765432109876543210", "111111111011111111100"},
    {"12345678901234567890", "|", "-98765432109876543210", "-98043720335850763306"},
    {"12345678901234567890", "^", "-98765432109876543210", "-109667687463059551292"},
    {"6277101735386680763835789423207666416102355444464034512895", "+",
     "340282366920938463444927863358058659840",
     "6277101735386680764176071790128604879547283307822093172735"},
    {"6277101735386680763835789423207666416102355444464034512895", "*",
     "340282366920938463444927863358058659840",
     "213598703592091008227922961693223591917913353734796486209343134078965822327773803815169089863"
     "6800"},
    {"6277101735386680763835789423207666416102355444464034512895", "/",
     "340282366920938463444927863358058659840", "18446744073709551617"},
    {"6277101735386680763835789423207666416102355444464034512895", "^",
     "340282366920938463444927863358058659840",
     "6277101735386680763495507056286727952657427581105975853055"},
    {"1", "<", "48", "281474976710656"},
    {"1", "<", "47", "140737488355328"},
    {"-1", "<", "48", "-281474976710656"},
    {"-1", "<", "49", "-562949953421312"},
    {"1", "<", "64", "18446744073709551616"},
    {"3", "<", "100", "3802951800684688204490109616128"},
    {"281474976710655", "<", "1", "562949953421310"},
    {"1267650600228229401496703205376", ">", "52", "281474976710656"},
    {"-1267650600228229401496703205376", ">", "52", "-281474976710656"},
    {"-1267650600228229401496703205377", ">", "52", "-281474976710657"},
    {"-1", ">", "1000", "-1"},
    {"1000000000000000000000000000000", ">", "1000", "0"},
    {"-1000000000000000000000000000000", ">", "63", "-108420217249"},
    {"-18446744073709551616", ">", "64", "-1"},
    {"-18446744073709551617", ">", "64", "-2"},
    {"2", "p", "48", "281474976710656"},
    {"-2", "p", "48", "281474976710656"},
    {"2", "p", "200", "1606938044258990275541962092341162602522202993782792835301376"},
    {"3", "p", "31", "617673396283947"},
    {"-3", "p", "33", "-5559060566555523"},
    {"10", "p", "30", "1000000000000000000000000000000"},
    {"0", "p", "0", "1"},
    {"-1", "p", "100000000000000000001", "-1"},
    {"7", "p", "100",
     "3234476509624757991344647769100216810857203198904625400933895331391691459636928060001"},
};

static Value calculate(ValueRef a, char op, ValueRef b)
{
    switch (op) {
    case '+': return int_add(a, b);
    case '-': return int_subtract(a, b);
    case '*': return int_multiply(a, b);
    case '/': return int_floor_divide(a, b);
    case '%': return int_remainder(a, b);
    case '&': return int_and(a, b);
    case '|': return int_or(a, b);
    case '^': return int_xor(a, b);
    case '<': return int_lshift(a, b);
    case '>': return int_rshift(a, b);
    default: return int_power(a, b, NONE);
    }
}

START_TEST(arithmetic)
{
    Value a = number(rows[_i].a), b = number(rows[_i].b);
    assert_int(calculate(a, *rows[_i].op, b), rows[_i].result);
    drop(a);
    drop(b);
}
END_TEST

// A number of `limbs` limbs that looks random, with runs of zeros and ones.
static Value some_number(size_t limbs, uint64_t seed)
{
    unsigned char bytes[8 * 400];
    for (size_t i = 0; i < 8 * limbs; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        unsigned char byte = (unsigned char)(seed >> 56);
        bytes[i] = seed >> 40 & 8 ? byte : seed >> 50 & 1 ? 0xFF : 0;
    }
    return int_from_bytes(bytes, 8 * limbs, true, true);
}

static const size_t sizes[] = {1, 2, 3, 7, 35, 36, 37, 63, 64, 71, 72, 73, 100, 130, 200, 397};
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes };

START_TEST(division_undoes_multiplication)
{
    for (int j = 0; j < SIZE_COUNT; j++) {
        Value a = some_number(sizes[_i], (uint64_t)j), b = some_number(sizes[j], (uint64_t)_i + 99);
        Value quotient = int_floor_divide(a, b), rest = int_remainder(a, b);
        Value product = int_multiply(quotient, b), sum = int_add(product, rest);
        assert_no_error();
        ck_assert_int_eq(int_compare(sum, a), 0);
        ck_assert(!int_sign(rest) || int_sign(rest) == int_sign(b));
        drop(sum);
        sum = int_multiply(a, b);
        drop(quotient);
        quotient = int_floor_divide(sum, b);
        ck_assert_int_eq(int_compare(quotient, a), 0);
        drop(a), drop(b), drop(quotient), drop(rest), drop(product), drop(sum);
    }
}
END_TEST

START_TEST(text_reads_back)
{
    static const int bases[] = {2, 8, 10, 16};
    int_max_str_digits = 0;
    for (int j = 0; j < 4; j++) {
        Value a = some_number(sizes[_i], 7), text = int_to_text(a, bases[j], true);
        Value back = int_from_text(text, bases[j]);
        assert_no_error();
        ck_assert_int_eq(int_compare(a, back), 0);
        drop(a), drop(text), drop(back);
    }
    int_max_str_digits = INT_DEFAULT_MAX_STR_DIGITS;
}
END_TEST

START_TEST(gcd_divides_both)
{
    Value common = some_number(sizes[_i] / 2 + 1, 5);
    Value a = some_number(sizes[_i], 1), b = some_number(sizes[_i], 2);
    replace_slot(&a, int_multiply(a, common));
    replace_slot(&b, int_multiply(b, common));
    Value divisor = int_gcd(a, b);
    assert_int(int_remainder(a, divisor), "0");
    assert_int(int_remainder(b, divisor), "0");
    assert_int(int_remainder(divisor, common), "0");
    drop(common), drop(a), drop(b), drop(divisor);
}
END_TEST

START_TEST(square_roots)
{
    Value root = some_number(sizes[_i], 3);
    if (int_sign(root) < 0) replace_slot(&root, int_negative(root));
    Value square = int_multiply(root, root), below = int_subtract(square, from_small(1));
    Value exact = int_isqrt(square), less = int_isqrt(below);
    ck_assert_int_eq(int_compare(exact, root), 0);
    replace_slot(&less, int_add(less, from_small(1)));
    ck_assert_int_eq(int_compare(less, root), 0);
    drop(root), drop(square), drop(below), drop(exact), drop(less);
}
END_TEST

START_TEST(errors)
{
    Value one = from_small(1), zero = from_small(0);
    assert_raised(int_floor_divide(one, zero), ZeroDivisionError,
                  "integer division or modulo by zero");
    assert_raised(int_true_divide(one, zero), ZeroDivisionError, "division by zero");
    assert_raised(int_lshift(one, from_small(-1)), ValueError, "negative shift count");
    assert_raised(int_power(one, one, zero), ValueError, "pow() 3rd argument cannot be 0");
    assert_raised(int_power(from_small(2), from_small(-1), from_small(4)), ValueError,
                  "base is not invertible for the given modulus");
    assert_raised(int_isqrt(from_small(-1)), ValueError, "isqrt() argument must be nonnegative");
    Value text = str_new(" 12x ");
    assert_raised(int_from_text(text, 10), ValueError,
                  "invalid literal for int() with base 10: ' 12x '");
    drop(text);
}
END_TEST

START_TEST(powers_modulo)
{
    Value a = number("123456789012345678901234567890"),
          b = number("987654321098765432109876543210");
    Value m = number("170141183460469231731687303715884105727");
    assert_int(int_power(a, b, m), "145345796511903342863063915672247746041");
    assert_int(int_power(from_small(3), from_small(-1), from_small(-7)), "-2");
    assert_int(int_power(from_small(5), from_small(3), from_small(1)), "0");
    assert_int(int_power(from_small(-7), b, from_small(1000000007)), "419047923");
    drop(a), drop(b), drop(m);
}
END_TEST

START_TEST(doubles)
{
    double exact;
    Value a = number("9007199254740993"), b = number("36893488147419107329");
    ck_assert(int_as_double(a, &exact) && exact == 9007199254740992.0);
    ck_assert(int_as_double(b, &exact) && exact == 36893488147419111424.0);
    Value ratio = int_true_divide(b, a);
    ck_assert(is_double(ratio) && double_value(ratio) == 4096.0);
    assert_int(int_from_double(-1e22), "-10000000000000000000000");
    ck_assert_int_eq(int_hash(b), 4113);
    ck_assert_int_eq(int_hash(from_small(-1)), -2);
    drop(a), drop(b);
    a = int_lshift(from_small(1), from_small(1024));
    ck_assert(!int_as_double(a, &exact));
    assert_raised(VALUE_ERROR, OverflowError, "int too large to convert to float");
    drop(a);
}
END_TEST

START_TEST(bytes)
{
    unsigned char buffer[9];
    Value a = number("-18446744073709551616");
    ck_assert(int_to_bytes(a, buffer, 9, true, true));
    ck_assert_mem_eq(buffer, "\0\0\0\0\0\0\0\0\xff", 9);
    Value back = int_from_bytes(buffer, 9, true, true);
    ck_assert_int_eq(int_compare(a, back), 0);
    drop(back);
    ck_assert(!int_to_bytes(a, buffer, 8, true, true));
    assert_raised(VALUE_ERROR, OverflowError, "int too big to convert");
    ck_assert(!int_to_bytes(a, buffer, 9, true, false));
    assert_raised(VALUE_ERROR, OverflowError, "can't convert negative int to unsigned");
    drop(a);
    assert_int(int_from_bytes((const unsigned char *)"\x01\x02\x03", 3, false, false), "66051");
    assert_int(int_from_bytes((const unsigned char *)"\xff\xfe", 2, false, true), "-2");
}
END_TEST

START_TEST(literals)
{
    static const struct {
        const char *text;
        int base;
        const char *result; // NULL = refused
    } texts[] = {
        {"0x_ff", 0, "255"},
        {" -0b11 ", 2, "-3"},
        {"0o17", 0, "15"},
        {"1_000", 10, "1000"},
        {"00_0", 0, "0"},
        {"z", 36, "35"},
        {"010", 0, NULL},
        {"1__0", 10, NULL},
        {"_1", 10, NULL},
        {"1_", 10, NULL},
        {"0x", 16, NULL},
        {"- 1", 10, NULL},
        {"", 10, NULL},
        {"0b2", 0, NULL},
        {"12345678901234567890123", 10, "12345678901234567890123"},
        {"0xfffffffffffffffffffffffff", 0, "1267650600228229401496703205375"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Value text = str_new(texts[i].text), made = int_from_text(text, texts[i].base);
        drop(text);
        if (texts[i].result) {
            assert_int(made, texts[i].result);
        } else {
            ck_assert(!made && error_is(ValueError));
            error_clear();
        }
    }
}
END_TEST

START_TEST(long_texts_are_refused)
{
    Value large = int_power(from_small(10), from_small(4300), NONE);
    assert_raised(int_to_text(large, 10, false), ValueError,
                  "Exceeds the limit (4300) for integer string conversion; use "
                  "sys.set_int_max_str_digits() to increase the limit");
    drop(large);
    large = int_power(from_small(10), from_small(4299), NONE);
    Value text = int_to_text(large, 10, false);
    ck_assert_int_eq(str_length(text), 4300);
    drop(large);
    drop(text);
}
END_TEST

Suite *int_suite(void)
{
    Suite *suite = suite_create("int");
    TCase *tests = live_case(suite, "ints");
    tcase_add_loop_test(tests, arithmetic, 0, sizeof rows / sizeof *rows);
    tcase_add_loop_test(tests, division_undoes_multiplication, 0, SIZE_COUNT);
    tcase_add_loop_test(tests, text_reads_back, 0, SIZE_COUNT);
    tcase_add_loop_test(tests, gcd_divides_both, 0, SIZE_COUNT);
    tcase_add_loop_test(tests, square_roots, 0, SIZE_COUNT);
    tcase_add_test(tests, errors);
    tcase_add_test(tests, powers_modulo);
    tcase_add_test(tests, doubles);
    tcase_add_test(tests, bytes);
    tcase_add_test(tests, literals);
    tcase_add_test(tests, long_texts_are_refused);
    return suite;
}
