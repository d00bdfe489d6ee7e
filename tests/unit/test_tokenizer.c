// The tokenizer: kinds and positions of tokens, indentation, encodings; and --tokens, whose goldens
// are `python3.9 -m tokenize`'s.
#include "tests/unit/unit.h"

#include "compiler/tokens/tokenizer.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <stdio.h>

static const char *const names[] = {
#define TOKEN(name, number, text) [number] = #name,
#define KEYWORD(word)
#include "compiler/tokens/tokens.def"
#undef TOKEN
#undef KEYWORD
};

// "NAME EQUAL NUMBER ...", ERRORTOKEN followed by `done`.
static void assert_tokens(const char *source, const char *expected)
{
    static char text[4096];
    Arena arena;
    Value filename = str_new("<s>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename, .is_utf8 = true};
    int length = 0;
    arena_begin(&arena);
    ck_assert(!setjmp(arena.failure));
    Source *opened = arena_alloc(&arena, sizeof *opened);
    Tokenizer *tokenizer = arena_alloc(&arena, sizeof *tokenizer);
    source_open(&arena, opened, source, strlen(source), &options);
    tokenizer_begin(tokenizer, &arena, opened, filename);
    for (TokenType type = TOKEN_NAME; type != TOKEN_ENDMARKER && type != TOKEN_ERRORTOKEN;) {
        Span span;
        type = tokenizer_next(tokenizer, &span);
        length += snprintf(text + length, sizeof text - (size_t)length, "%s ", names[type]);
    }
    ck_assert_str_eq(text, expected);
    error_clear();
    arena_end(&arena);
    drop(filename);
}

START_TEST(kinds)
{
    assert_tokens("x = 1", "NAME EQUAL NUMBER NEWLINE ENDMARKER ");
    assert_tokens("# c\n\n  # d\n", "ENDMARKER ");
    assert_tokens("(a\n # c\n b)", "LPAR NAME NAME RPAR NEWLINE ENDMARKER ");
    assert_tokens("a \\\n b", "NAME NAME NEWLINE ENDMARKER ");
    assert_tokens(".5 ... .. a.b", "NUMBER ELLIPSIS DOT DOT NAME DOT NAME NEWLINE ENDMARKER ");
    assert_tokens("rb'a' Fr\"b\" u'' '''\n''' ub''",
                  "STRING STRING STRING STRING NAME STRING NEWLINE ENDMARKER ");
    assert_tokens("**= // >>= -> := <> != @ $",
                  "DOUBLESTAREQUAL DOUBLESLASH RIGHTSHIFTEQUAL RARROW COLONEQUAL NOTEQUAL "
                  "NOTEQUAL AT OP NEWLINE ENDMARKER ");
    assert_tokens("1if 1e5j 1e 0x1f", "NUMBER NAME NUMBER NUMBER NAME NUMBER NEWLINE ENDMARKER ");
    assert_tokens("\303\251\303\250 a", "NAME NAME NEWLINE ENDMARKER ");
}
END_TEST

START_TEST(indentation)
{
    assert_tokens("if a:\n b\n c\nd\n", "NAME NAME COLON NEWLINE INDENT NAME NEWLINE NAME NEWLINE "
                                        "DEDENT NAME NEWLINE ENDMARKER ");
    assert_tokens("a\n\tb\n\t\tc", "NAME NEWLINE INDENT NAME NEWLINE INDENT NAME NEWLINE DEDENT "
                                   "DEDENT ENDMARKER ");
    assert_tokens("a\n  b\n c", "NAME NEWLINE INDENT NAME NEWLINE ERRORTOKEN ");
    assert_tokens("a\n\tb\n        c", "NAME NEWLINE INDENT NAME NEWLINE ERRORTOKEN ");
    assert_tokens("a\n  \fb", "NAME NEWLINE NAME NEWLINE ENDMARKER ");
}
END_TEST

static void assert_syntax_error(const char *source)
{
    Arena arena;
    arena_begin(&arena);
    Value filename = str_new("<s>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename};
    if (!setjmp(arena.failure)) {
        parse_source(&arena, source, strlen(source), &options);
        ck_abort_msg("%s parses", source);
    }
    ck_assert(error_is(SyntaxError));
    error_clear();
    arena_end(&arena);
    drop(filename);
}

START_TEST(wrong)
{
    static const char *const sources[] = {"'a",     "\"\"\"", "0777",        "1_", "0b3",
                                          "0o",     "0x",     "1e+",         ")",  "(]",
                                          "a \\ b", "a \\",   "\342\200\234"};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) assert_syntax_error(sources[i]);
}
END_TEST

START_TEST(keywords)
{
    ck_assert_int_eq(keyword_type("if", 2), TOKEN_if);
    ck_assert_int_eq(keyword_type("nonlocal", 8), TOKEN_nonlocal);
    ck_assert_int_eq(keyword_type("async", 5), TOKEN_ASYNC);
    ck_assert_int_eq(keyword_type("iff", 3), TOKEN_NAME);
    ck_assert_int_eq(keyword_type("print", 5), TOKEN_NAME);
    ck_assert_int_eq(keyword_type("i", 1), TOKEN_NAME);
}
END_TEST

// The text that a source turns out to be, or the error's words.
static void assert_opens(const char *bytes, size_t size, bool is_file, const char *expected)
{
    Arena arena;
    arena_begin(&arena);
    Value filename = str_new("<s>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename, .is_file = is_file};
    if (!setjmp(arena.failure)) {
        Source *source = arena_alloc(&arena, sizeof *source);
        source_open(&arena, source, bytes, size, &options);
        ck_assert_str_eq(source->text, expected);
    } else {
        Value error = error_take();
        Value text = object_str(error);
        ck_assert_str_eq(str_utf8(text, NULL), expected);
        drop(text);
        drop(error);
    }
    arena_end(&arena);
    drop(filename);
}

#define OPENS(bytes, expected) assert_opens(bytes, sizeof bytes - 1, false, expected)
#define FILE_OPENS(bytes, expected) assert_opens(bytes, sizeof bytes - 1, true, expected)

START_TEST(encodings)
{
    OPENS("a\r\nb\rc", "a\nb\nc\n");
    OPENS("\xEF\xBB\xBF"
          "a",
          "a\n");
    OPENS("# coding: latin-1\n\xE9", "# coding: latin-1\n\303\251\n");
    OPENS("\n# vim: set fileencoding=koi8-r :\n\xC1",
          "\n# vim: set fileencoding=koi8-r :\n\320\260\n");
    OPENS("#coding=cp1252\n\x80", "#coding=cp1252\n\342\202\254\n");
    OPENS("a\n# coding: nonsense\n", "a\n# coding: nonsense\n");
    OPENS("# coding: nonsense\n", "unknown encoding: nonsense (<s>, line 0)");
    OPENS("\xEF\xBB\xBF# coding: latin-1\n", "encoding problem: iso-8859-1 with BOM (<s>, line 0)");
    OPENS("# coding: ascii\n\xE9",
          "'ascii' codec can't decode byte 0xe9 in position 16: ordinal not in range(128) "
          "(<s>, line 0)");
    OPENS("a\0b", "source code string cannot contain null bytes");
    FILE_OPENS("# coding: nonsense\n", "encoding problem: nonsense");
    FILE_OPENS("a = 1\0 b\nc\n\0d\ne", "a = 1c\n\ne\n");
}
END_TEST

START_TEST(dump)
{
    static const char source[] = "def f(a): # c\n    return 'é' + 0x1f\n\n";
    static const char expected[] = "0,0-0,0:            ENCODING       'utf-8'        \n"
                                   "1,0-1,3:            NAME           'def'          \n"
                                   "1,4-1,5:            NAME           'f'            \n"
                                   "1,5-1,6:            OP             '('            \n"
                                   "1,6-1,7:            NAME           'a'            \n"
                                   "1,7-1,8:            OP             ')'            \n"
                                   "1,8-1,9:            OP             ':'            \n"
                                   "1,10-1,13:          COMMENT        '# c'          \n"
                                   "1,13-1,14:          NEWLINE        '\\n'           \n"
                                   "2,0-2,4:            INDENT         '    '         \n"
                                   "2,4-2,10:           NAME           'return'       \n"
                                   "2,11-2,14:          STRING         \"'é'\"          \n"
                                   "2,15-2,16:          OP             '+'            \n"
                                   "2,17-2,21:          NUMBER         '0x1f'         \n"
                                   "2,21-2,22:          NEWLINE        '\\n'           \n"
                                   "3,0-3,1:            NL             '\\n'           \n"
                                   "4,0-4,0:            DEDENT         ''             \n"
                                   "4,0-4,0:            ENDMARKER      ''             \n";
    Value filename = str_new("<s>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename};
    Value text = tokens_dump(source, sizeof source - 1, &options);
    ck_assert_str_eq(str_utf8(text, NULL), expected);
    drop(text);
    drop(filename);
}
END_TEST

Suite *tokenizer_suite(void)
{
    Suite *suite = suite_create("tokenizer");
    TCase *tests = live_case(suite, "tokenizer");
    tcase_add_test(tests, kinds);
    tcase_add_test(tests, indentation);
    tcase_add_test(tests, wrong);
    tcase_add_test(tests, keywords);
    tcase_add_test(tests, encodings);
    tcase_add_test(tests, dump);
    return suite;
}
