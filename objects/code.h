// Code: the result of compiling one scope. All fields but the private ones are CPython 3.9's, under
// its names without the `co_`; none changes after code_new().
#pragma once

#include "objects/object.h"

typedef enum CodeFlag {
    CO_OPTIMIZED = 0x1,
    CO_NEWLOCALS = 0x2,
    CO_VARARGS = 0x4,
    CO_VARKEYWORDS = 0x8,
    CO_NESTED = 0x10,
    CO_GENERATOR = 0x20,
    CO_NOFREE = 0x40,
    CO_COROUTINE = 0x80,
    CO_ITERABLE_COROUTINE = 0x100,
    CO_ASYNC_GENERATOR = 0x200,
    CO_FUTURE_DIVISION = 0x20000,
    CO_FUTURE_ABSOLUTE_IMPORT = 0x40000,
    CO_FUTURE_WITH_STATEMENT = 0x80000,
    CO_FUTURE_PRINT_FUNCTION = 0x100000,
    CO_FUTURE_UNICODE_LITERALS = 0x200000,
    CO_FUTURE_BARRY_AS_BDFL = 0x400000,
    CO_FUTURE_GENERATOR_STOP = 0x800000,
    CO_FUTURE_ANNOTATIONS = 0x1000000,
} CodeFlag;

// Where the instruction at an offset comes from; lines count from 1, columns (in UTF-8 bytes) from
// 0, -1 = not known.
typedef struct Position {
    int32_t line, column, end_line, end_column;
} Position;

typedef struct Code {
    Object base;
    int argcount, posonlyargcount, kwonlyargcount, nlocals, stacksize, flags, firstlineno;
    Value code; // bytes: 2 bytes an instruction, opcode and operand
    Value consts, names, varnames, freevars, cellvars; // tuples; the last four of interned strs
    Value filename, name;                              // str
    Value lnotab;                                      // bytes
    // Private to minivm.
    int16_t *cell2arg;   // cell i starts with argument cell2arg[i], -1 = empty; NULL: all are
    Position *positions; // one for each instruction, or NULL if another program made the code
    bool compiled;       // made by the compiler of this process: other code is verified first
    void *quickened;     // the loop's private copy (vm/quicken.h)
    void **extra;        // co_extra (frames/hook.h): extra_count slots
    int extra_count;
    Value weakrefs;
} Code;

extern Type code_type;

static inline bool code_check(ValueRef value)
{
    return is_exactly(value, &code_type);
}
static inline Code *as_code(ValueRef value)
{
    invariant(is_allocated(value) && code_check(value), "what is read as a code object is one");
    return (Code *)object_of(value);
}
static inline ssize_t code_size(const Code *code);
static inline int code_cell_count(const Code *code);
static inline int code_free_count(const Code *code);

// All fields are borrowed. Strings that are names get interned, as in CPython. ValueError or
// TypeError for fields of a wrong kind.
typedef struct CodeFields {
    int argcount, posonlyargcount, kwonlyargcount, nlocals, stacksize, flags, firstlineno;
    ValueRef code, consts, names, varnames, freevars, cellvars, filename, name, lnotab;
} CodeFields;
Value code_new(const CodeFields *fields);
// Does code_new() intern this constant: a str that looks like a name?
bool code_interns(ValueRef value);
// Gives a code its positions: one for each instruction, allocated by memory_alloc(), stolen.
void code_set_positions(Code *code, Position *positions);
// The line of the instruction at a byte offset (PyCode_Addr2Line). lnotab is a list of (bytes,
// lines) steps.
int code_line_at(const Code *code, int offset);
// Finds the lines of successive instructions: start with {.code = code}; the offsets must not go
// down.
typedef struct LineCursor {
    const Code *code;
    ssize_t position; // in lnotab
    int start, steps; // the offset and the lines up to there
} LineCursor;
int code_next_line(LineCursor *cursor, int offset);

#include "objects/bytes/bytes.h"
#include "objects/containers/tuple.h"
static inline ssize_t code_size(const Code *code)
{
    return as_bytes(code->code)->size;
}
static inline int code_cell_count(const Code *code)
{
    return (int)tuple_size(code->cellvars);
}
static inline int code_free_count(const Code *code)
{
    return (int)tuple_size(code->freevars);
}
