// The compiler behind the parser: code objects, errors and listings, all as CPython 3.9 has them
// (compile_goldens.def); what a failing allocation leaves behind.
#include "tests/unit/unit.h"

#include "compiler/compile.h"
#include "compiler/disassemble.h"
#include "compiler/opcode.h"
#include "objects/error.h"
#include "objects/exception.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/str.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Golden {
    const char *source, *answer;
} Golden;

#define CODE(source, answer)
#define COMPILE_ERROR(source, answer)
#define LISTING(source, answer)
#define SYMBOLS(source, answer)

static const Golden codes[] = {
#undef CODE
#define CODE(source, answer) {source, answer},
#include "tests/unit/compile_goldens.def"
#undef CODE
#define CODE(source, answer)
};

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

// ---- code objects as text

static Value hex_of(ValueRef bytes)
{
    static char text[1 << 14];
    const Bytes *b = as_bytes(bytes);
    ck_assert_int_lt(b->size * 2, (ssize_t)sizeof text);
    text[0] = 0;
    for (ssize_t i = 0; i < b->size; i++)
        snprintf(text + 2 * i, 3, "%02x", (unsigned)(uint8_t)b->data[i]);
    return str_new(text);
}

static void add(StrBuilder *builder, Value text)
{
    ck_assert(text && builder_str(builder, text));
    drop(text);
}

static void add_constants(StrBuilder *builder, ValueRef constants)
{
    add(builder, str_new("["));
    for (ssize_t i = 0; i < tuple_size(constants); i++) {
        ValueRef value = tuple_at(constants, i);
        if (i) add(builder, str_new(", "));
        add(builder, code_check(value) ? str_new("<code>") : object_repr(value));
    }
    add(builder, str_new("]\n"));
}

static void add_code(StrBuilder *builder, const Code *c)
{
    Value code = hex_of(c->code), lnotab = hex_of(c->lnotab);
    add(builder,
        format_text("%S %d %d %d %d %d %d %d\n%S\n%S\n%R %R %R %R\n", (ValueRef)c->name,
                    c->argcount, c->posonlyargcount, c->kwonlyargcount, c->nlocals, c->stacksize,
                    c->flags, c->firstlineno, (ValueRef)code, (ValueRef)lnotab, (ValueRef)c->names,
                    (ValueRef)c->varnames, (ValueRef)c->freevars, (ValueRef)c->cellvars));
    drop(code);
    drop(lnotab);
    add_constants(builder, c->consts);
    for (ssize_t i = 0; i < tuple_size(c->consts); i++)
        if (code_check(tuple_at(c->consts, i))) add_code(builder, as_code(tuple_at(c->consts, i)));
}

START_TEST(code_objects)
{
    Value code = compile_text(codes[_i].source);
    assert_no_error();
    StrBuilder builder;
    builder_begin(&builder);
    add_code(&builder, as_code(code));
    Value text = builder_finish(&builder);
    ck_assert_str_eq(str_utf8(text, NULL), codes[_i].answer);
    drop(text);
    drop(code);
}
END_TEST

// Every instruction has a place in the source.
START_TEST(positions)
{
    Value code = compile_text("x = 1\nf(x +\n  y)\n");
    assert_no_error();
    const Code *c = as_code(code);
    ck_assert_ptr_nonnull(c->positions);
    for (ssize_t i = 0; i < code_size(c) / 2; i++) {
        ck_assert_int_ge(c->positions[i].line, 1);
        ck_assert_int_ge(c->positions[i].column, 0);
    }
    // 2: LOAD_NAME f, 3: LOAD_NAME x, 4: LOAD_NAME y, 5: BINARY_ADD
    const Position *add_at = &c->positions[5];
    ck_assert_int_eq(add_at->line, 2);
    ck_assert_int_eq(add_at->column, 2);
    ck_assert_int_eq(add_at->end_line, 3);
    ck_assert_int_eq(add_at->end_column, 3);
    drop(code);
}
END_TEST

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
static char *without_places(const char *text)
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
    char *text = without_places(str_utf8(listing, NULL));
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
    tcase_add_loop_test(tests, code_objects, 0, sizeof codes / sizeof *codes);
    tcase_add_loop_test(tests, compile_errors, 0, sizeof errors / sizeof *errors);
    tcase_add_loop_test(tests, disassembled, 0, sizeof listings / sizeof *listings);
    tcase_add_test(tests, positions);
    tcase_add_test(tests, failing_allocations);
    tcase_add_test(tests, deep_trees);
    tcase_add_test(tests, stack_effects);
    return suite;
}
