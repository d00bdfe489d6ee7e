// Code objects: making them, their line numbers, freeing them.
//
// code_new() checks what CPython's constructor checks, so the verifier can read every code object.
// Whether the instructions make sense is checked by the verifier (verify.c) before the code runs.
// Higher folders attach data to a code object (the quickened copy, co_extra); it is freed through
// the upcalls.
#include "objects/code.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/object_parts.h"
#include "objects/containers/set.h"
#include "objects/error.h"
#include "objects/marshal/code_parts.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

#include <limits.h>

// ---- checking and interning

static bool check_names(ValueRef names)
{
    for (ssize_t i = 0; i < tuple_size(names); i++)
        if (!tuple_at(names, i) || !str_check_exact(tuple_at(names, i)))
            return raise_error(SystemError, "non-string found in code slot");
    return true;
}

static void intern_all(ValueRef names)
{
    Tuple *tuple = as_tuple(names);
    for (ssize_t i = 0; i < tuple->size; i++) str_intern_in_place(&tuple->items[i]);
}

bool code_interns(ValueRef value)
{
    if (!str_check_exact(value)) return false;
    const Str *text = as_str(value);
    if (!text->ascii) return false;
    for (ssize_t i = 0; i < text->length; i++) {
        char c = text->data[i];
        bool fine =
            c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!fine) return false;
    }
    return true;
}

static bool intern_constants(ValueRef constants, bool *changed);

// Replaces a frozenset by a copy if one of its items gets interned.
static bool intern_set(Value *slot)
{
    bool changed = false, ok = false;
    Value items = sequence_tuple(*slot), set = VALUE_ERROR;
    if (items) ok = intern_constants(items, &changed);
    if (ok && changed) {
        set = object_call_one(ref_of(&frozenset_type), items);
        ok = set;
        if (set) replace_slot(slot, set);
    }
    drop(items);
    return ok;
}

// Interns constants that look like names, also in tuples and frozensets of constants.
static bool intern_constants(ValueRef constants, bool *changed)
{
    Tuple *tuple = as_tuple(constants);
    bool ok = true;
    for (ssize_t i = 0; ok && i < tuple->size; i++) {
        ValueRef item = tuple->items[i];
        if (code_interns(item))
            str_intern_in_place(&tuple->items[i]);
        else if (tuple_check_exact(item) && stack_has_room())
            ok = intern_constants(item, changed);
        else if (is_exactly(item, &frozenset_type) && stack_has_room())
            ok = intern_set(&tuple->items[i]);
        *changed |= item != tuple->items[i];
    }
    return ok;
}

static bool check_kinds(const CodeFields *f)
{
    if (f->posonlyargcount < 0 || f->argcount < f->posonlyargcount || f->kwonlyargcount < 0 ||
        f->nlocals < 0 || f->stacksize < 0 || f->flags < 0 || !bytes_check(f->code) ||
        !bytes_check(f->lnotab) || !str_check(f->filename) || !str_check(f->name))
        return raise_bad_call("code_new");
    const ValueRef tuples[] = {f->consts, f->names, f->varnames, f->freevars, f->cellvars};
    for (int i = 0; i < 5; i++)
        if (!tuple_check(tuples[i])) return raise_bad_call("code_new");
    return check_names(f->names) && check_names(f->varnames) && check_names(f->freevars) &&
           check_names(f->cellvars);
}

static int64_t parameter_count(const CodeFields *f)
{
    return (int64_t)f->argcount + f->kwonlyargcount + ((f->flags & CO_VARARGS) != 0) +
           ((f->flags & CO_VARKEYWORDS) != 0);
}

// ---- making

static int16_t cell_argument(const CodeFields *f, ValueRef cell, int64_t parameters)
{
    for (int64_t i = 0; i < parameters && i <= INT16_MAX; i++)
        if (str_equal(cell, tuple_at(f->varnames, (ssize_t)i))) return (int16_t)i;
    return -1;
}

// Finds the cells that start with the value of an argument.
static bool map_cells(Code *code, const CodeFields *f)
{
    ssize_t count = tuple_size(f->cellvars);
    int64_t parameters = parameter_count(f);
    if (count == 0) return true;
    int16_t *map = memory_alloc((size_t)count * sizeof *map);
    if (!map) return raise_memory_error();
    bool used = false;
    for (ssize_t i = 0; i < count; i++) {
        map[i] = cell_argument(f, tuple_at(f->cellvars, i), parameters);
        used |= map[i] >= 0;
    }
    if (used)
        code->cell2arg = map;
    else
        memory_free(map);
    return true;
}

static void set_fields(Code *code, const CodeFields *f)
{
    code->argcount = f->argcount;
    code->posonlyargcount = f->posonlyargcount;
    code->kwonlyargcount = f->kwonlyargcount;
    code->nlocals = f->nlocals;
    code->stacksize = f->stacksize;
    code->firstlineno = f->firstlineno;
    code->code = retain(f->code);
    code->consts = retain(f->consts);
    code->names = retain(f->names);
    code->varnames = retain(f->varnames);
    code->freevars = retain(f->freevars);
    code->cellvars = retain(f->cellvars);
    code->filename = retain(f->filename);
    code->name = retain(f->name);
    code->lnotab = retain(f->lnotab);
    bool no_free = tuple_size(f->cellvars) == 0 && tuple_size(f->freevars) == 0;
    code->flags = no_free ? f->flags | CO_NOFREE : f->flags & ~CO_NOFREE;
}

Value code_new(const CodeFields *f)
{
    if (!check_kinds(f)) return VALUE_ERROR;
    if (as_bytes(f->code)->size > INT_MAX)
        return raise_error(OverflowError, "co_code larger than INT_MAX");
    if (parameter_count(f) > tuple_size(f->varnames))
        return raise_error(ValueError, "code: varnames is too small");
    intern_all(f->names);
    intern_all(f->varnames);
    intern_all(f->freevars);
    intern_all(f->cellvars);
    bool changed = false;
    if (!intern_constants(f->consts, &changed)) return VALUE_ERROR;
    Code *code = object_alloc(&code_type, 0);
    if (!code) return VALUE_ERROR;
    set_fields(code, f);
    Value made = own(code);
    if (map_cells(code, f)) return made;
    drop(made);
    return VALUE_ERROR;
}

void code_set_positions(Code *code, Position *positions)
{
    memory_free(code->positions);
    code->positions = positions;
}

// ---- lines

int code_next_line(LineCursor *cursor, int offset)
{
    const Bytes *lnotab = as_bytes(cursor->code->lnotab);
    for (; cursor->position + 1 < lnotab->size; cursor->position += 2) {
        int start = cursor->start + (unsigned char)lnotab->data[cursor->position];
        if (start > offset) break;
        cursor->start = start;
        cursor->steps += (signed char)lnotab->data[cursor->position + 1];
    }
    return cursor->code->firstlineno + cursor->steps;
}

int code_line_at(const Code *code, int offset)
{
    return code_next_line(&(LineCursor){.code = code}, offset);
}

// ---- life

static void code_traverse(Object *object, VisitFn visit, void *arg)
{
    Code *self = (Code *)object; // bytes and strs may be instances of a script's subclasses
    visit_item(self->code, visit, arg);
    visit_item(self->lnotab, visit, arg);
    visit_item(self->filename, visit, arg);
    visit_item(self->name, visit, arg);
    visit_item(self->consts, visit, arg);
    visit_item(self->names, visit, arg);
    visit_item(self->varnames, visit, arg);
    visit_item(self->freevars, visit, arg);
    visit_item(self->cellvars, visit, arg);
    if (self->extra && upcalls.traverse_extra) upcalls.traverse_extra(self, visit, arg);
}

static void code_clear(Object *object)
{
    Code *self = (Code *)object;
    if (self->extra && upcalls.release_extra) upcalls.release_extra(self);
}

static void code_release(Object *object)
{
    Code *self = (Code *)object;
    if (self->quickened && upcalls.release_quickened) upcalls.release_quickened(self);
    code_clear(object);
    drop(self->code);
    drop(self->consts);
    drop(self->names);
    drop(self->varnames);
    drop(self->freevars);
    drop(self->cellvars);
    drop(self->filename);
    drop(self->name);
    drop(self->lnotab);
    memory_free(self->cell2arg);
    memory_free(self->positions);
}

// ---- the type

static Value code_repr(ValueRef self)
{
    const Code *code = as_code(self);
    int line = code->firstlineno ? code->firstlineno : -1;
    return format_text("<code object %S at 0x%llx, file \"%S\", line %d>", (ValueRef)code->name,
                       value_id(self), (ValueRef)code->filename, line);
}

static Value code_sizeof(ValueRef self, METHOD_ARGS)
{
    const Code *code = as_code(self);
    size_t cells = code->cell2arg ? (size_t)code_cell_count(code) * sizeof *code->cell2arg : 0;
    return int_new((int64_t)(sizeof(Code) + cells));
}

static const MethodDef methods[] = {
    {"__sizeof__", code_sizeof, NO_ARGS, NULL},
    {"replace", code_replace, KEYWORD_ARGS,
     "replace($self, /, *, co_argcount=-1, co_posonlyargcount=-1,\n"
     "        co_kwonlyargcount=-1, co_nlocals=-1, co_stacksize=-1,\n"
     "        co_flags=-1, co_firstlineno=-1, co_code=None, co_consts=None,\n"
     "        co_names=None, co_varnames=None, co_freevars=None,\n"
     "        co_cellvars=None, co_filename=None, co_name=None,\n"
     "        co_lnotab=None)\n--\n\n"
     "Return a copy of the code object with new values for the specified fields."},
    {0},
};

#define INT_FIELD(field) {"co_" #field, MEMBER_INT, offsetof(Code, field), true, NULL}
#define VALUE_FIELD(field) {"co_" #field, MEMBER_VALUE, offsetof(Code, field), true, NULL}

static const MemberDef members[] = {
    INT_FIELD(argcount),
    INT_FIELD(posonlyargcount),
    INT_FIELD(kwonlyargcount),
    INT_FIELD(nlocals),
    INT_FIELD(stacksize),
    INT_FIELD(flags),
    VALUE_FIELD(code),
    VALUE_FIELD(consts),
    VALUE_FIELD(names),
    VALUE_FIELD(varnames),
    VALUE_FIELD(freevars),
    VALUE_FIELD(cellvars),
    VALUE_FIELD(filename),
    VALUE_FIELD(name),
    INT_FIELD(firstlineno),
    VALUE_FIELD(lnotab),
    {0},
};

Type code_type = {
    STATIC_TYPE("code", sizeof(Code)),
    .flags = TYPE_GC,
    .weakref_offset = offsetof(Code, weakrefs),
    .doc = "code(argcount, posonlyargcount, kwonlyargcount, nlocals, stacksize,\n"
           "      flags, codestring, constants, names, varnames, filename, name,\n"
           "      firstlineno, lnotab[, freevars[, cellvars]])\n\n"
           "Create a code object.  Not for the faint of heart.",
    .methods = methods,
    .members = members,
    .new_ = code_make,
    .release = code_release,
    .traverse = code_traverse,
    .clear = code_clear,
    .repr = code_repr,
    .hash = code_hash,
    .compare = code_compare,
    .getattribute = object_generic_get,
};
