// The parser: trees and errors, both as CPython 3.9 has them (parse_goldens.def).
#include "tests/unit/unit.h"

#include "compiler/compile.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/operators.h"
#include "objects/text/str.h"

typedef struct Golden {
    const char *source, *answer;
} Golden;

static const Golden trees[] = {
#define TREE(source, answer) {source, answer},
#define INDENTED(source, answer)
#define ERROR(source, answer)
#include "tests/unit/parse_goldens.def"
#undef TREE
#undef INDENTED
#undef ERROR
};

static const Golden indented[] = {
#define TREE(source, answer)
#define INDENTED(source, answer) {source, answer},
#define ERROR(source, answer)
#include "tests/unit/parse_goldens.def"
#undef TREE
#undef INDENTED
#undef ERROR
};

static const Golden errors[] = {
#define TREE(source, answer)
#define INDENTED(source, answer)
#define ERROR(source, answer) {source, answer},
#include "tests/unit/parse_goldens.def"
#undef TREE
#undef INDENTED
#undef ERROR
};

// type|message|line|offset|text of the pending error, which is taken.
static Value take_error(void)
{
    Value error = error_take();
    Value text;
    if (is_exactly(error, SyntaxError) || is_exactly(error, IndentationError) ||
        is_exactly(error, TabError)) {
        const ExceptionObject *e = as_exception(error);
        text = format_text("%N|%S|%S|%S|%R", type_of(error), e->syntax_error.msg,
                           e->syntax_error.lineno, e->syntax_error.offset, e->syntax_error.text);
    } else {
        text = format_text("%N", type_of(error));
    }
    drop(error);
    return text;
}

// The dump of the tree, or the error.
static Value parse(const char *source, CompileMode mode, bool attributes, int indent)
{
    Arena arena;
    Value volatile result = VALUE_ERROR;
    Value filename = str_new("<s>");
    CompileOptions options = {.mode = mode, .filename = filename, .is_utf8 = true};
    arena_begin(&arena);
    if (!setjmp(arena.failure)) {
        Node *tree = parse_source(&arena, source, strlen(source), &options);
        result = ast_dump(tree, attributes, indent);
    } else {
        result = take_error();
    }
    arena_end(&arena);
    drop(filename);
    return result;
}

static void assert_parses(const Golden *golden, bool attributes, int indent)
{
    Value text = parse(golden->source, MODE_EXEC, attributes, indent);
    ck_assert_str_eq(str_utf8(text, NULL), golden->answer);
    drop(text);
}

START_TEST(tree)
{
    assert_parses(&trees[_i], true, -1);
}
END_TEST

START_TEST(indented_tree)
{
    assert_parses(&indented[_i], false, 3);
}
END_TEST

START_TEST(error)
{
    assert_parses(&errors[_i], false, -1);
}
END_TEST

static void assert_mode(CompileMode mode, const char *source, const char *answer)
{
    Value text = parse(source, mode, false, -1);
    ck_assert_str_eq(str_utf8(text, NULL), answer);
    drop(text);
}

// Interactive input: one statement, whose end may be missing.
START_TEST(single)
{
    assert_mode(MODE_SINGLE, "pass", "Interactive(body=[Pass()])");
    assert_mode(MODE_SINGLE, "if x:\n pass\n",
                "Interactive(body=[If(test=Name(id='x', ctx=Load()), body=[Pass()], orelse=[])])");
    assert_mode(MODE_SINGLE, "if x:\n",
                "IndentationError|expected an indented block|1|6|'if x:\\n'");
    assert_mode(MODE_SINGLE, "", "SyntaxError|unexpected EOF while parsing|0|0|''");
    assert_mode(MODE_SINGLE, "a\nb",
                "SyntaxError|multiple statements found while compiling a single statement|1|2|"
                "'a\\n'");
}
END_TEST

START_TEST(eval)
{
    assert_mode(MODE_EVAL, "1\n\n", "Expression(body=Constant(value=1))");
    assert_mode(MODE_EVAL, "a b", "SyntaxError|unexpected EOF while parsing|1|3|'a b'");
    assert_mode(MODE_FUNC_TYPE, "(a, *b) -> c",
                "FunctionType(argtypes=[Name(id='a', ctx=Load()), Name(id='b', ctx=Load())], "
                "returns=Name(id='c', ctx=Load()))");
}
END_TEST

// Bytes that are no UTF-8, in a text that declares no encoding.
START_TEST(broken_text)
{
    assert_mode(MODE_EXEC, "x = '\xff'",
                "SyntaxError|(unicode error) 'utf-8' codec can't decode byte 0xff in position 0: "
                "invalid start byte|1|6|\"x = '\xef\xbf\xbd'\\n\"");
}
END_TEST

Suite *ast_suite(void)
{
    Suite *suite = suite_create("ast");
    TCase *tests = live_case(suite, "parser");
    tcase_add_loop_test(tests, tree, 0, sizeof trees / sizeof *trees);
    tcase_add_loop_test(tests, indented_tree, 0, sizeof indented / sizeof *indented);
    tcase_add_loop_test(tests, error, 0, sizeof errors / sizeof *errors);
    tcase_add_test(tests, single);
    tcase_add_test(tests, eval);
    tcase_add_test(tests, broken_text);
    return suite;
}
