// Colours at a terminal (colours.h): by hand, and each text is the same without them.
#include "tests/unit/unit.h"

#include "vm/colours.h"

#include "objects/text/str.h"

#include <fcntl.h>
#include <stdlib.h>

// `marked` has `{` before each word that gets a colour, and `}` behind it.
static void check(Value coloured(Value text, bool wanted), const char *marked)
{
    char plain[1000], shown[1000];
    size_t size = 0, marks = 0;
    for (const char *at = marked; *at; at++)
        if (*at != '{' && *at != '}') plain[size++] = *at;
    plain[size] = 0;
    Value same = coloured(str_new(plain), false), text = coloured(str_new(plain), true);
    ck_assert_str_eq(str_utf8(same, NULL), plain);
    for (const char *at = str_utf8(text, NULL); *at; at++) {
        if (*at == '\033') {
            shown[marks++] = strncmp(at, "\033[0m", 4) ? '{' : '}';
            while (*at != 'm') at++;
        } else {
            shown[marks++] = *at;
        }
    }
    shown[marks] = 0;
    ck_assert_str_eq(shown, marked);
    drop(same);
    drop(text);
}

START_TEST(tracebacks)
{
    check(coloured_traceback,
          "Traceback (most recent call last):\n"
          "  File \"{a \", b.mpy}\", line {12}, in {f}\n"
          "    return \"x\", line 3\n"
          "  [Previous line repeated 990 more times]\n"
          "{a.b.Wrong}:{ what: it is}\nnext: line of it\n"
          "\n"
          "During handling of the above exception, another exception occurred:\n"
          "\n"
          "  File \"{\xc3\xa4\xf0\x9f\x90\x8d}\", line {1}\n"
          "    x =\n"
          "       ^\n"
          "{KeyError}\n");
    check(coloured_traceback, "");
    check(coloured_traceback, "  File \"no end");
    ck_assert(!coloured_traceback(VALUE_ERROR, true));
}
END_TEST

START_TEST(bytecode)
{
    check(coloured_code,
          "  5 >>   10 {LOAD_NAME}                0 {(f)}\n"
          "             12 {RETURN_VALUE}\n"
          "Disassembly of <code object F at 0x1>:\n"
          "--> F (x.mpy:3)\n"
          "    {-->}      10 {RETURN_VALUE}\n"
          "    1      0 {LOAD_CONST}               1 {(')')}        0 [] -> 1 [A]\n");
}
END_TEST

START_TEST(debugger)
{
    check(coloured_place, "{>} {/a (b).mpy}({12}){add}()->')('\n{->} {return a / b}\n"
                          "  {<stdin>}({1}){<module>}()\n{->} {f()}\n{--Return--}\n");
    check(coloured_place, "  1  \tdef f():\n"
                          "  2 {B}\t    a = 1\n"
                          " 13 {B}{->}\t{    return a}\n"
                          " 14  {->}\t\n"
                          "  3  {>>}\t    a -> 3\n"
                          "1000  {->}\t{x}\n"
                          "[EOF]\n");
    check(coloured_place, "{*** NameError: name 'c' is}\n{  not defined}\n");
    check(coloured_place, "{(Pdb) }");
    check(coloured_place, "{>} x\n{>} x(1\n{>} ({3})\n{->} \n");
}
END_TEST

START_TEST(controls)
{
    static const char hostile[] = "a\033[2J\xc2\x9b\tb\r\n\xe2\x80\xae\xc3\xa4\x7f";
    Value same = without_controls(str_new(hostile), false);
    Value shown = without_controls(str_new(hostile), true);
    ck_assert_str_eq(str_utf8(same, NULL), hostile);
    ck_assert_str_eq(str_utf8(shown, NULL), "a\\x1b[2J\\x9b\tb\\x0d\n\\u202e\xc3\xa4\\x7f");
    ck_assert(!without_controls(VALUE_ERROR, true));
    drop(same);
    drop(shown);
}
END_TEST

START_TEST(wanted_at_a_terminal)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY), file = open("/dev/null", O_WRONLY);
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    ck_assert(colours_wanted(slave) && !colours_wanted(file));
    setenv("NO_COLOR", "", 1); // as if it were not set
    ck_assert(colours_wanted(slave));
    setenv("NO_COLOR", "1", 1);
    ck_assert(!colours_wanted(slave));
    unsetenv("NO_COLOR");
    setenv("TERM", "dumb", 1);
    ck_assert(!colours_wanted(slave));
}
END_TEST

Suite *colours_suite(void)
{
    Suite *suite = suite_create("colours");
    TCase *tests = live_case(suite, "texts");
    tcase_add_test(tests, tracebacks);
    tcase_add_test(tests, bytecode);
    tcase_add_test(tests, debugger);
    tcase_add_test(tests, controls);
    tcase_add_test(tests, wanted_at_a_terminal);
    return suite;
}
