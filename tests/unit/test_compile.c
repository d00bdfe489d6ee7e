// The compiler after the parser: errors and listings, all as CPython 3.9 has them
// (compile_goldens.def; the code objects are in tests/code); the position of every instruction;
// what a failing allocation leaves behind.
#include "tests/unit/unit.h"

#include "compiler/compile.h"
#include "compiler/opcode.h"
#include "compiler/verify/disassemble.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/stack.h"
#include "objects/text/str.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Golden {
    const char *source, *answer;
} Golden;

#define COMPILE_ERROR(source, answer)
#define LISTING(source, answer)
#define SYMBOLS(source, answer)

static const Golden errors[] = {
#undef COMPILE_ERROR
#define COMPILE_ERROR(source, answer) {source, answer},
#include "tests/unit/compile_goldens.def"
#undef COMPILE_ERROR
#define COMPILE_ERROR(source, answer)
};

static const Golden listings[] = {
#undef LISTING
#define LISTING(source, answer) {source, answer},
#include "tests/unit/compile_goldens.def"
#undef LISTING
#define LISTING(source, answer)
};

static Value compile_text(const char *source)
{
    Value filename = str_new("<s>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename, .is_utf8 = true};
    Value code = filename ? compile_source(source, strlen(source), &options) : VALUE_ERROR;
    drop(filename);
    return code;
}

// ---- positions

typedef struct Positions {
    Position *items; // sorted
    size_t count;
} Positions;

static int compare_positions(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(Position));
}

// The positions of all nodes of the tree, as they stand in its dump.
static Positions positions_in(const char *dump)
{
    Positions positions = {NULL, 0};
    size_t capacity = 0;
    for (; (dump = strstr(dump, "lineno=")); dump++) {
        if (positions.count == capacity) {
            capacity = capacity * 2 + 64;
            positions.items = realloc(positions.items, capacity * sizeof *positions.items);
        }
        Position *p = &positions.items[positions.count];
        memset(p, 0, sizeof *p);
        if (sscanf(dump, "lineno=%d, col_offset=%d, end_lineno=%d, end_col_offset=%d", &p->line,
                   &p->column, &p->end_line, &p->end_column) == 4)
            positions.count++;
    }
    if (positions.count)
        qsort(positions.items, positions.count, sizeof *positions.items, compare_positions);
    return positions;
}

static void assert_positions(const char *file, const Code *c, const Positions *positions)
{
    ck_assert_ptr_nonnull(c->positions);
    for (ssize_t i = 0; i < code_size(c) / 2; i++) {
        Position p = c->positions[i];
        bool found = bsearch(&p, positions->items, positions->count, sizeof p, compare_positions);
        ck_assert_msg(found || positions->count == 0,
                      "%s: %s, offset %d: no node is at %d:%d-%d:%d", file, str_utf8(c->name, NULL),
                      (int)i * 2, p.line, p.column, p.end_line, p.end_column);
    }
    for (ssize_t i = 0; i < tuple_size(c->consts); i++)
        if (code_check(tuple_at(c->consts, i)))
            assert_positions(file, as_code(tuple_at(c->consts, i)), positions);
}

static Value dump_text(const char *text, size_t size, const CompileOptions *options)
{
    Arena arena;
    Value volatile dump = VALUE_ERROR;
    arena_begin(&arena);
    if (!setjmp(arena.failure))
        dump = ast_dump(parse_source(&arena, text, size, options), true, -1);
    arena_end(&arena);
    return dump;
}

static void check_positions(const char *path)
{
    static char text[1 << 21];
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    Value filename = str_new(path);
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename};
    Value code = compile_source(text, size, &options);
    if (code) {
        Value dump = dump_text(text, size, &options);
        Positions positions = positions_in(str_utf8(dump, NULL));
        assert_positions(path, as_code(code), &positions);
        free(positions.items);
        drop(dump);
    }
    error_clear();
    drop(code);
    drop(filename);
}

// Each instruction has the position of a node of the tree, in all programs of a folder.
START_TEST(positions)
{
    const char *folder = getenv("POSITIONS_OF");
    char command[500], path[500];
    snprintf(command, sizeof command, "find %s -name '*.py' -o -name '*.mpy'",
             folder ? folder : "tests/scripts");
    FILE *files = popen(command, "r");
    ck_assert_ptr_nonnull(files);
    while (fgets(path, sizeof path, files)) {
        path[strcspn(path, "\n")] = 0;
        check_positions(path);
    }
    ck_assert_int_eq(pclose(files), 0);
}
END_TEST

// Of `x + y`, the addition has the position of the whole and not of an operand.
START_TEST(position_of_operator)
{
    Value code = compile_text("x = 1\nf(x +\n  y)\n");
    assert_no_error();
    // 2: LOAD_NAME f, 3: LOAD_NAME x, 4: LOAD_NAME y, 5: BINARY_ADD
    const Position *add = &as_code(code)->positions[5];
    ck_assert_int_eq(add->line, 2);
    ck_assert_int_eq(add->column, 2);
    ck_assert_int_eq(add->end_line, 3);
    ck_assert_int_eq(add->end_column, 3);
    drop(code);
}
END_TEST

// ---- errors and listings

START_TEST(compile_errors)
{
    Value code = compile_text(errors[_i].source);
    ck_assert_ptr_null(code);
    Value error = error_take();
    ck_assert_ptr_nonnull(error);
    Value text;
    if (is_exactly(error, SyntaxError)) {
        const ExceptionObject *e = as_exception(error);
        text = format_text("%S|%S|%S", (ValueRef)e->syntax_error.msg,
                           (ValueRef)e->syntax_error.lineno, (ValueRef)e->syntax_error.offset);
    } else {
        text = object_str(error);
    }
    ck_assert_str_eq(str_utf8(text, NULL), errors[_i].answer);
    drop(text);
    drop(error);
}
END_TEST

// The text without what follows each "0x".
static char *without_positions(const char *text)
{
    char *copy = malloc(strlen(text) + 1), *to = copy;
    for (; *text; text++) {
        *to++ = *text;
        if (text[0] != '0' || text[1] != 'x') continue;
        *to++ = *++text;
        text += strspn(text + 1, "0123456789abcdef");
    }
    *to = 0;
    return copy;
}

START_TEST(disassembled)
{
    Value code = compile_text(listings[_i].source);
    assert_no_error();
    Value listing = disassemble(code, true);
    assert_no_error();
    char *text = without_positions(str_utf8(listing, NULL));
    ck_assert_str_eq(text, listings[_i].answer);
    free(text);
    drop(listing);
    drop(code);
}
END_TEST

// ---- hard cases

// Whichever allocation fails, the answer is MemoryError, or the code where only a folding failed;
// nothing is left (the fixture looks).
START_TEST(failing_allocations)
{
    static const char source[] =
        "from __future__ import annotations\nimport a.b as c\n"
        "class A:\n  'doc'\n  def f(self, x: int = 1, *, y=2.5):\n    __z = [x for x in 'ab' * 3]\n"
        "    try:\n      return super().f(f'{x!r}', (1, b'2', {3, 4}), -5j)\n    finally: pass\n";
    for (size_t n = 1; n < 4000; n++) {
        size_t before = memory_counts().allocations;
        memory_fail_at(n, false);
        Value code = compile_text(source);
        memory_fail_at(0, false);
        ck_assert(code || error_is(MemoryError));
        error_clear();
        drop(code);
        if (memory_counts().allocations - before < n) return;
    }
    ck_abort_msg("it never succeeds");
}
END_TEST

static char *repeated(const char *head, const char *text, int count)
{
    size_t size = strlen(text);
    char *all = malloc(strlen(head) + size * (size_t)count + 1);
    strcpy(all, head);
    char *end = all + strlen(head);
    for (int i = 0; i < count; i++, end += size) memcpy(end, text, size + 1);
    return all;
}

START_TEST(deep_trees)
{
    static const Golden makers[] = {{"x", "+x"}, {"x", ".a"}, {"x", "()"}, {"x", "[0]"}};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        char *source = repeated(makers[i].source, makers[i].answer, 100000);
        ck_assert_ptr_null(compile_text(source));
        ck_assert(error_is(RecursionError));
        error_clear();
        free(source);
    }
    int limit = recursion_limit; // no limit but the C stack
    ck_assert(stack_set_limit(INT_MAX));
    for (int count = 1000; count <= 256000; count *= 2) {
        char *source = repeated("x", "+x", count);
        Value code = compile_text(source);
        if (!code) ck_assert(error_is(RecursionError));
        ck_assert(code || count > 1000);
        error_clear();
        drop(code);
        free(source);
    }
    ck_assert(stack_set_limit(limit));
    char *source = repeated("1", "+1", 100000); // folded on the way up
    Value code = compile_text(source);
    assert_no_error();
    drop(code);
    free(source);
}
END_TEST

START_TEST(stack_effects)
{
    ck_assert_int_eq(opcode_stack_effect(SETUP_WITH, 0, true), 6);
    ck_assert_int_eq(opcode_stack_effect(SETUP_WITH, 0, false), 1);
    ck_assert_int_eq(opcode_stack_effect(FOR_ITER, 0, true), -1);
    ck_assert_int_eq(opcode_stack_effect(UNPACK_EX, 0x0203, false), 5);
    ck_assert_int_eq(opcode_stack_effect(CALL_FUNCTION_EX, 1, false), -2);
    ck_assert_int_eq(opcode_stack_effect(MAKE_FUNCTION, 15, false), -5);
    ck_assert_int_eq(opcode_stack_effect(BUILD_MAP, 3, false), -5);
    ck_assert_int_eq(opcode_stack_effect(FORMAT_VALUE, 4, false), -1);
}
END_TEST

Suite *compile_suite(void)
{
    Suite *suite = suite_create("compile");
    TCase *tests = live_case(suite, "compile");
    tcase_add_loop_test(tests, compile_errors, 0, sizeof errors / sizeof *errors);
    tcase_add_loop_test(tests, disassembled, 0, sizeof listings / sizeof *listings);
    tcase_add_test(tests, positions);
    tcase_add_test(tests, position_of_operator);
    tcase_add_test(tests, failing_allocations);
    tcase_add_test(tests, deep_trees);
    tcase_add_test(tests, stack_effects);
    return suite;
}
