// marshal's format: what CPython 3.9 reads from bytes, right or wrong (marshal_goldens.def), what
// comes back from what was written, and .pyc files.
#include "tests/unit/unit.h"

#include "compiler/compile.h"
#include "objects/bytes/bytes.h"
#include "objects/code.h"
#include "objects/error.h"
#include "objects/marshal/marshal.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "vm/import/library.h"

#include <stdio.h>

typedef struct Golden {
    const char *bytes;
    size_t size;
    const char *answer;
} Golden;

static const Golden goldens[] = {
#define MARSHAL(bytes, size, answer) {bytes, size, answer},
#include "tests/unit/marshal_goldens.def"
#undef MARSHAL
};

static void add(StrBuilder *builder, Value text)
{
    ck_assert(text && builder_str(builder, text));
    drop(text);
}

static void add_hex(StrBuilder *builder, ValueRef bytes)
{
    for (ssize_t i = 0; i < as_bytes(bytes)->size; i++) {
        char text[3];
        snprintf(text, sizeof text, "%02x", (unsigned)(uint8_t)as_bytes(bytes)->data[i]);
        ck_assert(builder_text(builder, text));
    }
}

static void add_value(StrBuilder *builder, ValueRef value)
{
    if (tuple_check_exact(value)) {
        for (ssize_t i = 0; i < tuple_size(value); i++) {
            add(builder, str_new(i ? ", " : "("));
            add_value(builder, tuple_at(value, i));
        }
        add(builder, str_new(tuple_size(value) ? ")" : "()"));
        return;
    }
    if (!code_check(value)) {
        add(builder, object_repr(value));
        return;
    }
    const Code *c = as_code(value);
    add(builder, format_text("code(%S, %d, %d, ", (ValueRef)c->name, c->argcount, c->flags));
    add_hex(builder, c->code);
    add(builder, str_new(", "));
    add_value(builder, c->consts);
    add(builder, format_text(", %R, %R, %R, %R, ", (ValueRef)c->names, (ValueRef)c->varnames,
                             (ValueRef)c->freevars, (ValueRef)c->cellvars));
    add_hex(builder, c->lnotab);
    add(builder, str_new(")"));
}

// The value, or the pending error; takes it.
static void assert_shown(Value value, const char *expected)
{
    StrBuilder builder;
    builder_begin(&builder);
    if (value) {
        add_value(&builder, value);
    } else {
        Value error = error_take();
        add(&builder, format_text("%T: %S", (ValueRef)error, (ValueRef)error));
        drop(error);
    }
    drop(value);
    Value text = builder_finish(&builder);
    ck_assert_str_eq(str_utf8(text, NULL), expected);
    drop(text);
}

START_TEST(values_read)
{
    const Golden *golden = &goldens[_i];
    assert_shown(marshal_read(golden->bytes, golden->size), golden->answer);
}
END_TEST

// What was read, written and read again is the same.
START_TEST(written_and_read)
{
    const Golden *golden = &goldens[_i];
    Value value = marshal_read(golden->bytes, golden->size);
    if (!value) {
        error_clear();
        return;
    }
    Value bytes = marshal_write(value, MARSHAL_VERSION);
    drop(value);
    ck_assert(bytes);
    value = marshal_read(as_bytes(bytes)->data, (size_t)as_bytes(bytes)->size);
    assert_shown(value, golden->answer);
    drop(bytes);
}
END_TEST

START_TEST(pyc_files)
{
    static const char wrong[16] = "\x60\r\r\n", right[18] = "\x61\r\r\n\0\0\0\0\0\0\0\0\0\0\0\0N";
    ck_assert_ptr_null(pyc_read(wrong, sizeof wrong));
    ck_assert(error_is(ImportError));
    error_clear();
    ck_assert_ptr_null(pyc_read(right, sizeof right)); // None is no code
    ck_assert(error_is(ImportError));
    error_clear();
    ck_assert_ptr_null(pyc_read("a", 1));
    error_clear();
}
END_TEST

// Nesting is limited, whatever the bytes say.
START_TEST(nested)
{
    static char bytes[10000];
    for (size_t i = 0; i + 2 < sizeof bytes; i += 2) memcpy(bytes + i, ")\1", 2);
    assert_shown(marshal_read(bytes, sizeof bytes), "ValueError: recursion limit exceeded");
}
END_TEST

static bool are_equal(ValueRef left, ValueRef right)
{
    bool equal;
    ck_assert(object_equal(left, right, &equal));
    return equal;
}

// What the build has compiled ahead is what the compiler makes of the text, and is not verified.
static void assert_ahead(ValueRef ahead, ValueRef compiled)
{
    const Code *code = as_code(ahead), *now = as_code(compiled);
    ck_assert(code->compiled);
    ck_assert(are_equal(ahead, compiled) && are_equal(code->lnotab, now->lnotab));
    ck_assert(are_equal(code->filename, now->filename));
    for (ssize_t i = 0; i < tuple_size(code->consts); i++)
        if (code_check(tuple_at(code->consts, i)))
            assert_ahead(tuple_at(code->consts, i), tuple_at(now->consts, i));
}

static void assert_compiled(const LibraryFile *file, const Bytes *text)
{
    Value filename = format_text("%s/%s", LIBRARY_ENTRY, file->name), code = library_code(file);
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename};
    Value compiled = compile_source(text->data, (size_t)text->size, &options);
    ck_assert_msg(code != ABSENT, "%s was not compiled", file->name);
    ck_assert(code && compiled);
    assert_ahead(code, compiled);
    drop(code);
    drop(compiled);
    drop(filename);
}

START_TEST(compiled_library)
{
    size_t count = 0;
    for (size_t i = 0; i < library_file_count; i++) {
        const LibraryFile *file = &library_files[i];
        ck_assert(i == 0 || strcmp(library_files[i - 1].name, file->name) < 0);
        Value text = library_text(file);
        ck_assert(text);
        ck_assert_uint_eq((size_t)as_bytes(text)->size, file->text->unpacked_size);
        if (strstr(file->name, ".mpy")) {
            assert_compiled(file, as_bytes(text));
            count++;
        }
        drop(text);
    }
    ck_assert_uint_gt(count, 100);
}
END_TEST

Suite *marshal_suite(void)
{
    Suite *suite = suite_create("marshal");
    TCase *tests = live_case(suite, "marshal");
    tcase_add_loop_test(tests, values_read, 0, sizeof goldens / sizeof *goldens);
    tcase_add_loop_test(tests, written_and_read, 0, sizeof goldens / sizeof *goldens);
    tcase_add_test(tests, pyc_files);
    tcase_add_test(tests, nested);
    tcase_add_test(tests, compiled_library);
    return suite;
}
