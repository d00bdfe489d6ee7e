// The module _csv: rows of text and their fields.
//
//     reader(lines, dialect, **settings)    an iterator over rows, which are lists     reader.c
//     writer(file, dialect, **settings)     .writerow(row), .writerows(rows)           writer.c
//     Dialect(dialect, **settings)          what separates, quotes and escapes fields  dialect.c
//
// A dialect never changes once it is made, so the reader and the writer may keep a pointer to it
// while script code runs.
#pragma once

#include "objects/call.h"
#include "objects/error.h"
#include "objects/type.h"

typedef enum Quoting { QUOTE_MINIMAL, QUOTE_ALL, QUOTE_NONNUMERIC, QUOTE_NONE } Quoting;

typedef struct Dialect {
    Object base;
    uint32_t delimiter, quotechar, escapechar; // 0 = there is none
    Quoting quoting;
    bool doublequote, skipinitialspace, strict;
    Value lineterminator; // a str
} Dialect;

extern Type csv_dialect_type, csv_reader_type, csv_writer_type;

static inline const Dialect *as_dialect(ValueRef value)
{
    return (const Dialect *)object_of(value);
}

// The dialect for f(first, dialect=None, **settings), owned. Wrong arguments: TypeError. It looks
// at all arguments but args[0].
Value csv_dialect_of(const ValueRef *args, size_t nargs, ValueRef kwnames);
// _csv._dialects: the registered dialects, a dict, owned.
Value csv_registry(void);
// The registered dialect of this name, owned.
Value csv_registered(ValueRef name);
// Raises _csv.Error; the result is VALUE_ERROR.
Value csv_error(const char *format, ...);

Value csv_reader(FUNCTION_ARGS);
Value csv_writer(FUNCTION_ARGS);
Value csv_field_size_limit(FUNCTION_ARGS);
