// Code objects: what code_new() checks, lines by lnotab, cells from arguments, equality, replace().
#include "tests/unit/unit.h"

#include "objects/call.h"
#include "objects/code.h"
#include "objects/error.h"
#include "objects/operators.h"
#include "objects/text/str.h"

static Value strings(const char *first, const char *second)
{
    Value tuple = tuple_new(first ? (second ? 2 : 1) : 0);
    if (first) as_tuple(tuple)->items[0] = str_new(first);
    if (second) as_tuple(tuple)->items[1] = str_new(second);
    return tuple;
}

typedef struct Parts {
    Value code, consts, names, varnames, freevars, cellvars, filename, name, lnotab;
    CodeFields fields;
} Parts;

// def f(a, b): with b in a cell, and three instructions on two lines.
static void parts_begin(Parts *p)
{
    p->code = bytes_new("d\0d\0S\0", 6);
    p->consts = tuple_pack(2, NONE, from_small(1));
    p->names = strings(NULL, NULL);
    p->varnames = strings("a", "b");
    p->freevars = strings(NULL, NULL);
    p->cellvars = strings("b", NULL);
    p->filename = str_new("file");
    p->name = str_new("f");
    p->lnotab = bytes_new("\2\1\2\377", 4);
    p->fields = (CodeFields){.argcount = 2,
                             .nlocals = 2,
                             .stacksize = 1,
                             .flags = CO_OPTIMIZED | CO_NEWLOCALS,
                             .firstlineno = 10,
                             .code = p->code,
                             .consts = p->consts,
                             .names = p->names,
                             .varnames = p->varnames,
                             .freevars = p->freevars,
                             .cellvars = p->cellvars,
                             .filename = p->filename,
                             .name = p->name,
                             .lnotab = p->lnotab};
}

static void parts_end(const Parts *p)
{
    const Value parts[] = {p->code,     p->consts,   p->names, p->varnames, p->freevars,
                           p->cellvars, p->filename, p->name,  p->lnotab};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) drop(parts[i]);
}

static void assert_raised(Type *type, const char *message)
{
    ck_assert(error_is(type));
    Value exception = error_take();
    Value text = object_str(exception);
    ck_assert_str_eq(str_utf8(text, NULL), message);
    drop(text);
    drop(exception);
}

START_TEST(made)
{
    Parts p;
    parts_begin(&p);
    Value code = code_new(&p.fields);
    assert_no_error();
    const Code *c = as_code(code);
    ck_assert_int_eq(code_size(c), 6);
    ck_assert_int_eq(code_cell_count(c), 1);
    ck_assert_int_eq(code_free_count(c), 0);
    ck_assert_int_eq(c->cell2arg[0], 1);
    ck_assert(!(c->flags & CO_NOFREE));
    ck_assert(str_is_interned(tuple_at(c->varnames, 0)));
    ck_assert(!c->compiled);
    drop(code);
    parts_end(&p);
}
END_TEST

START_TEST(lines)
{
    Parts p;
    parts_begin(&p);
    Value code = code_new(&p.fields);
    const int expected[] = {10, 10, 11, 11, 10, 10};
    for (int i = 0; i < 6; i++) ck_assert_int_eq(code_line_at(as_code(code), i), expected[i]);
    drop(code);
    parts_end(&p);
}
END_TEST

START_TEST(refused)
{
    Parts p;
    parts_begin(&p);
    p.fields.argcount = 3;
    ck_assert(!code_new(&p.fields));
    assert_raised(ValueError, "code: varnames is too small");
    p.fields.argcount = 2;
    p.fields.stacksize = -1;
    ck_assert(!code_new(&p.fields));
    ck_assert(error_is(SystemError));
    error_clear();
    p.fields.stacksize = 1;
    p.fields.names = p.consts;
    ck_assert(!code_new(&p.fields));
    assert_raised(SystemError, "non-string found in code slot");
    parts_end(&p);
}
END_TEST

START_TEST(equality)
{
    Parts p;
    bool equal;
    int64_t left, right;
    parts_begin(&p);
    Value a = code_new(&p.fields), b = code_new(&p.fields);
    ck_assert(object_equal(a, b, &equal) && equal);
    ck_assert(object_hash(a, &left) && object_hash(b, &right));
    ck_assert_int_eq(left, right);
    drop(b);
    Value consts = tuple_pack(2, NONE, from_double(1.0)); // 1.0 == 1, but not the same constant
    p.fields.consts = consts;
    b = code_new(&p.fields);
    ck_assert(object_equal(a, b, &equal) && !equal);
    drop(a);
    drop(b);
    drop(consts);
    parts_end(&p);
}
END_TEST

START_TEST(replace)
{
    Parts p;
    parts_begin(&p);
    Value code = code_new(&p.fields);
    Value method = str_intern("replace"), keyword = str_intern("co_name"), name = str_new("g");
    Value kwnames = tuple_pack(1, (ValueRef)keyword);
    ValueRef args[] = {code, name};
    Value copy = object_call_method(method, args, 1, kwnames);
    assert_no_error();
    ck_assert(str_equal_ascii(as_code(copy)->name, "g"));
    ck_assert_int_eq(as_code(copy)->firstlineno, 10);
    args[1] = NONE;
    ck_assert(!object_call_method(method, args, 1, kwnames));
    assert_raised(TypeError, "replace() argument 'co_name' must be str, not None");
    drop(copy);
    drop(kwnames);
    drop(name);
    drop(keyword);
    drop(method);
    drop(code);
    parts_end(&p);
}
END_TEST

Suite *code_suite(void)
{
    Suite *suite = suite_create("code");
    TCase *tests = live_case(suite, "code");
    tcase_add_test(tests, made);
    tcase_add_test(tests, lines);
    tcase_add_test(tests, refused);
    tcase_add_test(tests, equality);
    tcase_add_test(tests, replace);
    return suite;
}
