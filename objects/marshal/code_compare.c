// Equality and hash of code. Two code objects are equal if they do the same. So constants that
// compare equal but behave differently (1, 1.0 and True; 0.0 and -0.0) count as different.
#include "objects/containers/set.h"
#include "objects/marshal/code_parts.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/stack.h"
#include "objects/text/str.h"

#include <math.h>

static bool same_double(double a, double b)
{
    return a == b && (a != 0.0 || !signbit(a) == !signbit(b));
}

static bool same_constants(ValueRef a, ValueRef b, bool *same);

static bool same_tuples(ValueRef a, ValueRef b, bool *same)
{
    *same = tuple_size(a) == tuple_size(b);
    for (ssize_t i = 0; *same && i < tuple_size(a); i++)
        if (!same_constants(tuple_at(a, i), tuple_at(b, i), same)) return false;
    return true;
}

static bool has_same(ValueRef set, ValueRef item, bool *found)
{
    ssize_t position = 0;
    ValueRef other;
    *found = false;
    while (!*found && set_next(set, &position, &other))
        if (!same_constants(item, other, found)) return false;
    return true;
}

static bool same_sets(ValueRef a, ValueRef b, bool *same)
{
    ssize_t position = 0;
    ValueRef item;
    *same = set_size(a) == set_size(b);
    while (*same && set_next(a, &position, &item))
        if (!has_same(b, item, same)) return false;
    return true;
}

// Constants of other types than the compiler makes are the same only if they are one object.
static bool same_constants(ValueRef a, ValueRef b, bool *same)
{
    *same = a == b;
    if (*same || type_of(a) != type_of(b) || !stack_has_room()) return true;
    if (float_check_exact(a))
        *same = same_double(float_value(a), float_value(b));
    else if (complex_check_exact(a))
        *same = same_double(as_complex(a)->real, as_complex(b)->real) &&
                same_double(as_complex(a)->imag, as_complex(b)->imag);
    else if (tuple_check_exact(a))
        return same_tuples(a, b, same);
    else if (is_exactly(a, &frozenset_type))
        return same_sets(a, b, same);
    else if (int_check_exact(a) || str_check_exact(a) || bytes_check_exact(a) || code_check(a))
        return object_equal(a, b, same);
    return true;
}

static bool same_numbers(const Code *a, const Code *b)
{
    return a->argcount == b->argcount && a->posonlyargcount == b->posonlyargcount &&
           a->kwonlyargcount == b->kwonlyargcount && a->nlocals == b->nlocals &&
           a->flags == b->flags && a->firstlineno == b->firstlineno;
}

static bool same_code(const Code *a, const Code *b, bool *same)
{
    const ValueRef lefts[] = {a->name, a->code, a->names, a->varnames, a->freevars, a->cellvars};
    const ValueRef rights[] = {b->name, b->code, b->names, b->varnames, b->freevars, b->cellvars};
    *same = same_numbers(a, b);
    for (int i = 0; *same && i < 6; i++)
        if (!object_equal(lefts[i], rights[i], same)) return false;
    return !*same || same_constants(a->consts, b->consts, same);
}

Value code_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if ((op != COMPARE_EQ && op != COMPARE_NE) || !code_check(left) || !code_check(right))
        return NOT_IMPLEMENTED;
    bool same;
    if (!same_code(as_code(left), as_code(right), &same)) return VALUE_ERROR;
    return from_bool(same == (op == COMPARE_EQ));
}

bool code_hash(ValueRef self, int64_t *hash)
{
    const Code *code = as_code(self);
    const ValueRef parts[] = {code->name,     code->code,     code->consts,  code->names,
                              code->varnames, code->freevars, code->cellvars};
    int64_t all =
        code->argcount ^ code->posonlyargcount ^ code->kwonlyargcount ^ code->nlocals ^ code->flags;
    for (int i = 0; i < 7; i++) {
        if (!object_hash(parts[i], hash)) return false;
        all ^= *hash;
    }
    *hash = all == -1 ? -2 : all;
    return true;
}
