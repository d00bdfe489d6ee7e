// The format mini-language: results and errors as CPython 3.9 gives them.
#include "tests/unit/unit.h"

#include "objects/error.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <math.h>

typedef enum Kind { KIND_INT, KIND_FLOAT, KIND_COMPLEX, KIND_TEXT } Kind;
#define INT(number) KIND_INT, number, 0, NULL
#define FLOAT(number) KIND_FLOAT, number, 0, NULL
#define COMPLEX(real, imag) KIND_COMPLEX, real, imag, NULL
#define TEXT(text) KIND_TEXT, 0, 0, text

typedef struct Row {
    Kind kind;
    double real, imag;
    const char *text, *spec, *result; // or "ErrorType: message"
} Row;

static const Row rows[] = {
    {INT(1234567), "", "1234567"},
    {INT(1234567), "d", "1234567"},
    {INT(1234567), "5", "1234567"},
    {INT(1234567), "<5", "1234567"},
    {INT(1234567), "^6", "1234567"},
    {INT(1234567), ">6", "1234567"},
    {INT(1234567), "=+6", "+1234567"},
    {INT(1234567), "06", "1234567"},
    {INT(1234567), "+d", "+1234567"},
    {INT(1234567), " d", " 1234567"},
    {INT(1234567), "x", "12d687"},
    {INT(1234567), "#x", "0x12d687"},
    {INT(1234567), "#X", "0X12D687"},
    {INT(1234567), "#o", "0o4553207"},
    {INT(1234567), "#b", "0b100101101011010000111"},
    {INT(1234567), "b", "100101101011010000111"},
    {INT(1234567), ",", "1,234,567"},
    {INT(1234567), "_", "1_234_567"},
    {INT(1234567), "_x", "12_d687"},
    {INT(1234567), "012,", "0,001,234,567"},
    {INT(1234567), "09,", "1,234,567"},
    {INT(1234567), "08,", "1,234,567"},
    {INT(65), "c", "A"},
    {INT(65), "10c", "         A"},
    {INT(1234567), "e", "1.234567e+06"},
    {INT(1234567), ".2f", "1234567.00"},
    {INT(1234567), "%", "123456700.000000%"},
    {INT(1234567), ".1%", "123456700.0%"},
    {INT(1234567), "n", "1234567"},
    {INT(1234567), "*^9,", "1,234,567"},
    {INT(1234567), "+,", "+1,234,567"},
    {INT(1234567), "#010x", "0x0012d687"},
    {INT(1234567), ".2", "ValueError: Precision not allowed in integer format specifier"},
    {INT(1234567), "s", "ValueError: Unknown format code 's' for object of type 'int'"},
    {INT(1234567), "q", "ValueError: Unknown format code 'q' for object of type 'int'"},
    {INT(1234567), ",x", "ValueError: Cannot specify ',' with 'x'."},
    {INT(1234567), "+c", "ValueError: Sign not allowed with integer format specifier 'c'"},
    {INT(1234567), "#c",
     "ValueError: Alternate form (#) not allowed with integer format specifier 'c'"},
    {INT(1234567), ",_", "ValueError: Cannot specify both ',' and '_'."},
    {INT(1234567), "_,", "ValueError: Cannot specify both ',' and '_'."},
    {INT(1234567), ".", "ValueError: Format specifier missing precision"},
    {INT(1234567), "5.5.5", "ValueError: Invalid format specifier"},
    {INT(1234567), "99999999999999999999", "ValueError: Too many decimal digits in format string"},
    {INT(-42), "05", "-0042"},
    {INT(-42), "=6", "-   42"},
    {INT(-42), "+,", "-42"},
    {INT(-42), "x", "-2a"},
    {INT(-42), "b", "-101010"},
    {FLOAT(1234.5678), "", "1234.5678"},
    {FLOAT(1234.5678), ".2f", "1234.57"},
    {FLOAT(1234.5678), "8.2f", " 1234.57"},
    {FLOAT(1234.5678), "08.2f", "01234.57"},
    {FLOAT(1234.5678), "+.1e", "+1.2e+03"},
    {FLOAT(1234.5678), "e", "1.234568e+03"},
    {FLOAT(1234.5678), "g", "1234.57"},
    {FLOAT(1234.5678), ".3g", "1.23e+03"},
    {FLOAT(1234.5678), "#.3g", "1.23e+03"},
    {FLOAT(1234.5678), ",.2f", "1,234.57"},
    {FLOAT(1234.5678), "_.1f", "1_234.6"},
    {FLOAT(1234.5678), "%", "123456.780000%"},
    {FLOAT(1234.5678), ".0%", "123457%"},
    {FLOAT(1234.5678), "n", "1234.57"},
    {FLOAT(1234.5678), "012,.1f", "00,001,234.6"},
    {FLOAT(1234.5678), "<8.1f", "1234.6  "},
    {FLOAT(1234.5678), "^10.1f", "  1234.6  "},
    {FLOAT(1234.5678), "*=+10.1f", "+***1234.6"},
    {FLOAT(1234.5678), "d", "ValueError: Unknown format code 'd' for object of type 'float'"},
    {FLOAT(1234.5678), "x", "ValueError: Unknown format code 'x' for object of type 'float'"},
    {FLOAT(1234.5678), "s", "ValueError: Unknown format code 's' for object of type 'float'"},
    {FLOAT(1234.5678), ",n", "ValueError: Cannot specify ',' with 'n'."},
    {FLOAT(1234.5678), "E", "1.234568E+03"},
    {FLOAT(1234.5678), "G", "1234.57"},
    {FLOAT(1234.5678), ".0f", "1235"},
    {FLOAT(1234.5678), "#.0f", "1235."},
    {FLOAT(1234.5678), "z", "ValueError: Unknown format code 'z' for object of type 'float'"},
    {FLOAT(INFINITY), "f", "inf"},
    {FLOAT(INFINITY), "F", "INF"},
    {FLOAT(INFINITY), "010", "0000000inf"},
    {FLOAT(INFINITY), "+", "+inf"},
    {FLOAT(INFINITY), "e", "inf"},
    {FLOAT(INFINITY), "%", "inf%"},
    {FLOAT(NAN), "f", "nan"},
    {FLOAT(NAN), "+f", "+nan"},
    {FLOAT(NAN), "08f", "00000nan"},
    {FLOAT(NAN), "=9", "      nan"},
    {TEXT("abc"), "", "abc"},
    {TEXT("abc"), "5", "abc  "},
    {TEXT("abc"), ">5", "  abc"},
    {TEXT("abc"), "^7", "  abc  "},
    {TEXT("abc"), "*^7", "**abc**"},
    {TEXT("abc"), ".2", "ab"},
    {TEXT("abc"), "5.1", "a    "},
    {TEXT("abc"), "s", "abc"},
    {TEXT("abc"), "d", "ValueError: Unknown format code 'd' for object of type 'str'"},
    {TEXT("abc"), "05", "ValueError: '=' alignment not allowed in string format specifier"},
    {TEXT("abc"), "=5", "ValueError: '=' alignment not allowed in string format specifier"},
    {TEXT("abc"), "+", "ValueError: Sign not allowed in string format specifier"},
    {TEXT("abc"), "#", "ValueError: Alternate form (#) not allowed in string format specifier"},
    {TEXT("abc"), ",", "ValueError: Cannot specify ',' with 's'."},
    {TEXT("abc"), "x", "ValueError: Unknown format code 'x' for object of type 'str'"},
    {TEXT("abc"), " ", "ValueError: Space not allowed in string format specifier"},
    {COMPLEX(1000.5, -2.0), "", "(1000.5-2j)"},
    {COMPLEX(1000.5, -2.0), ".2f", "1000.50-2.00j"},
    {COMPLEX(1000.5, -2.0), "20", "         (1000.5-2j)"},
    {COMPLEX(1000.5, -2.0), ">20.1f", "         1000.5-2.0j"},
    {COMPLEX(1000.5, -2.0), "+.1f", "+1000.5-2.0j"},
    {COMPLEX(1000.5, -2.0), "^20", "    (1000.5-2j)     "},
    {COMPLEX(1000.5, -2.0), "*<20", "(1000.5-2j)*********"},
    {COMPLEX(1000.5, -2.0), "e", "1.000500e+03-2.000000e+00j"},
    {COMPLEX(1000.5, -2.0), "010",
     "ValueError: Zero padding is not allowed in complex format specifier"},
    {COMPLEX(1000.5, -2.0), "=20",
     "ValueError: '=' alignment flag is not allowed in complex format specifier"},
    {COMPLEX(1000.5, -2.0), ",.1f", "1,000.5-2.0j"},
    {COMPLEX(1000.5, -2.0), "d",
     "ValueError: Unknown format code 'd' for object of type 'complex'"},
    {COMPLEX(1000.5, -2.0), "n", "1000.5-2j"},
    {COMPLEX(0.0, 2.5), "", "2.5j"},
    {COMPLEX(0.0, 2.5), ".1f", "0.0+2.5j"},
    {COMPLEX(0.0, 2.5), "+", "+2.5j"},
};

static Value value_of(const Row *row)
{
    switch (row->kind) {
    case KIND_INT: return int_from_double(row->real);
    case KIND_FLOAT: return float_new(row->real);
    case KIND_COMPLEX: return complex_new(row->real, row->imag);
    default: return str_new(row->text);
    }
}

// The pending exception as "Type: message".
static Value error_text(void)
{
    Value error = error_take();
    Value text = format_text("%T: %S", error, error);
    drop(error);
    return text;
}

START_TEST(formats)
{
    Value value = value_of(&rows[_i]), spec = str_new(rows[_i].spec);
    Value result = object_format(value, spec);
    if (!result) result = error_text();
    ck_assert_str_eq(str_utf8(result, NULL), rows[_i].result);
    drop(value), drop(spec), drop(result);
}
END_TEST

START_TEST(the_spec_must_be_text)
{
    ck_assert_ptr_null(object_format(from_small(1), from_small(2)));
    ck_assert(error_is(TypeError));
    error_clear();
}
END_TEST

START_TEST(fill_may_be_any_character)
{
    Value spec = str_new("\u2713^5"), result = object_format(from_small(7), spec);
    assert_no_error();
    ck_assert_str_eq(str_utf8(result, NULL), "\u2713\u27137\u2713\u2713");
    drop(spec), drop(result);
}
END_TEST

Suite *format_suite(void)
{
    Suite *suite = suite_create("format");
    TCase *tests = live_case(suite, "format");
    tcase_add_loop_test(tests, formats, 0, sizeof rows / sizeof *rows);
    tcase_add_test(tests, the_spec_must_be_text);
    tcase_add_test(tests, fill_may_be_any_character);
    return suite;
}
