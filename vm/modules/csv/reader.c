// The reader of _csv: a machine of few states that is given one character after the other, and
// LINE_END after each line. A quoted field may go on in the next line.
#include "objects/classes/descriptor.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/memory.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/modules/csv/csv.h"

#define LINE_END 0 // no line contains NUL

static int64_t field_limit = 128 * 1024;

typedef struct Reader {
    Object base;
    Value lines; // an iterator
    Value dialect;
    ssize_t line_number;
} Reader;

typedef enum State {
    START_ROW,
    START_FIELD,
    IN_FIELD,
    ESCAPED,
    AFTER_ESCAPED_END, // after a line end that was escaped
    IN_QUOTES,
    ESCAPED_IN_QUOTES,
    QUOTE_IN_QUOTES, // the end of the quotes, or the first of two quotes
    BEHIND_ROW,      // only the rest of a line end may follow
} State;

// One row. It is not part of the Reader, because the iterator over the lines may use the reader.
typedef struct Row {
    const Dialect *dialect;
    Value fields; // a list
    StrBuilder field;
    State state;
    bool is_number;
} Row;

// ---- the machine

static bool add(Row *row, uint32_t character, State state)
{
    row->state = state;
    if (row->field.length >= field_limit)
        return csv_error("field larger than field limit (%lld)", (long long)field_limit);
    return builder_char(&row->field, character);
}

static bool save(Row *row, State state)
{
    Value field = builder_finish(&row->field);
    if (field && row->is_number) replace_slot(&field, object_float(field));
    row->is_number = false;
    row->state = state;
    return field && list_append_owned(row->fields, field);
}

static bool is_line_end(uint32_t character)
{
    return character == '\n' || character == '\r' || character == LINE_END;
}

static State after_line_end(uint32_t character)
{
    return character == LINE_END ? START_ROW : BEHIND_ROW;
}

static bool start_field(Row *row, uint32_t character)
{
    const Dialect *dialect = row->dialect;
    row->state = START_FIELD;
    if (is_line_end(character)) return save(row, after_line_end(character));
    if (character == dialect->quotechar && dialect->quoting != QUOTE_NONE)
        row->state = IN_QUOTES;
    else if (character == dialect->escapechar)
        row->state = ESCAPED;
    else if (character == ' ' && dialect->skipinitialspace)
        return true;
    else if (character == dialect->delimiter)
        return save(row, START_FIELD);
    else {
        row->is_number = dialect->quoting == QUOTE_NONNUMERIC;
        return add(row, character, IN_FIELD);
    }
    return true;
}

static bool in_field(Row *row, uint32_t character)
{
    if (is_line_end(character)) return save(row, after_line_end(character));
    if (character == row->dialect->escapechar) {
        row->state = ESCAPED;
        return true;
    }
    if (character == row->dialect->delimiter) return save(row, START_FIELD);
    return add(row, character, row->state); // AFTER_ESCAPED_END lasts, as in CPython
}

static bool in_quotes(Row *row, uint32_t character)
{
    const Dialect *dialect = row->dialect;
    if (character == LINE_END) return true;
    if (character == dialect->escapechar)
        row->state = ESCAPED_IN_QUOTES;
    else if (character == dialect->quotechar)
        row->state = dialect->doublequote ? QUOTE_IN_QUOTES : IN_FIELD;
    else
        return add(row, character, IN_QUOTES);
    return true;
}

static bool quote_in_quotes(Row *row, uint32_t character)
{
    const Dialect *dialect = row->dialect;
    if (character == dialect->quotechar) return add(row, character, IN_QUOTES);
    if (character == dialect->delimiter) return save(row, START_FIELD);
    if (is_line_end(character)) return save(row, after_line_end(character));
    if (!dialect->strict) return add(row, character, IN_FIELD);
    return csv_error("'%c' expected after '%c'", (int)dialect->delimiter, (int)dialect->quotechar);
}

static bool behind_row(Row *row, uint32_t character)
{
    if (character == LINE_END)
        row->state = START_ROW;
    else if (!is_line_end(character))
        return csv_error("new-line character seen in unquoted field - do you need to open the file "
                         "in universal-newline mode?");
    return true;
}

static bool step(Row *row, uint32_t character)
{
    bool breaks = character == '\n' || character == '\r';
    uint32_t escaped = character == LINE_END ? '\n' : character;
    switch (row->state) {
    case START_ROW:
        if (character == LINE_END) return true;
        if (!breaks) return start_field(row, character);
        row->state = BEHIND_ROW;
        return true;
    case START_FIELD: return start_field(row, character);
    case IN_FIELD: return in_field(row, character);
    case ESCAPED: return add(row, escaped, breaks ? AFTER_ESCAPED_END : IN_FIELD);
    case AFTER_ESCAPED_END: return character == LINE_END || in_field(row, character);
    case IN_QUOTES: return in_quotes(row, character);
    case ESCAPED_IN_QUOTES: return add(row, escaped, IN_QUOTES);
    case QUOTE_IN_QUOTES: return quote_in_quotes(row, character);
    case BEHIND_ROW: return behind_row(row, character);
    }
    return true;
}

static bool read_line(Row *row, ValueRef line)
{
    const Str *text = as_str(line);
    for (ssize_t i = 0; i < text->length; i++) {
        uint32_t character = str_at(text, i);
        if (character == LINE_END) return csv_error("line contains NUL");
        if (!step(row, character)) return false;
    }
    return step(row, LINE_END);
}

// ---- the iterator

// The lines have ended within a row: it is whole where the last field is.
static bool end_of_lines(Row *row, bool *ended)
{
    *ended = row->field.length == 0 && row->state != IN_QUOTES;
    if (*ended) return true;
    if (row->dialect->strict) return csv_error("unexpected end of data");
    return save(row, START_ROW);
}

// The list of fields is in `row`; it is not a row where `ended` is set.
static bool read_row(Reader *self, Row *row, bool *ended)
{
    do {
        Value line = next_of(self->lines);
        if (line == ABSENT) return end_of_lines(row, ended);
        bool ok = line;
        if (line && !str_check(line))
            ok = csv_error("iterator should return strings, not %.200T (did you open the file in "
                           "text mode?)",
                           line);
        self->line_number += ok;
        ok = ok && read_line(row, line);
        drop(line);
        if (!ok || !poll_signals()) return false;
    } while (row->state != START_ROW);
    return true;
}

static Value reader_next(ValueRef value)
{
    Reader *self = (Reader *)object_of(value);
    Row row = {.dialect = as_dialect(self->dialect), .fields = list_new(0)};
    bool ended = !self->lines; // the collector has cleared it
    builder_begin(&row.field);
    bool ok = row.fields && (ended || read_row(self, &row, &ended));
    builder_abandon(&row.field);
    if (ok && !ended) return row.fields;
    drop(row.fields);
    return ok ? ABSENT : VALUE_ERROR;
}

static void reader_release(Object *self)
{
    drop_slot(&((Reader *)self)->lines);
    drop_slot(&((Reader *)self)->dialect);
}

// The dialect stays: it refers to nothing that could be in a cycle.
static void reader_clear(Object *self)
{
    drop_slot(&((Reader *)self)->lines);
}

static void reader_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((Reader *)self)->lines, visit, arg);
    visit_item(((Reader *)self)->dialect, visit, arg);
}

static const MemberDef reader_members[] = {
    {"dialect", MEMBER_VALUE, offsetof(Reader, dialect), true, NULL},
    {"line_num", MEMBER_SSIZE, offsetof(Reader, line_number), true, NULL},
    {0},
};

Type csv_reader_type = {
    STATIC_TYPE("_csv.reader", sizeof(Reader)),
    .doc = "An iterator over the rows of a text, which are lists of fields.",
    .flags = TYPE_GC,
    .members = reader_members,
    .release = reader_release,
    .traverse = reader_traverse,
    .clear = reader_clear,
    .iter = iterator_self,
    .next = reader_next,
};

// ---- functions of the module

Value csv_reader(FUNCTION_ARGS)
{
    Value dialect = csv_dialect_of(args, nargs, kwnames);
    Value lines = dialect ? object_iter(args[0]) : VALUE_ERROR;
    Reader *made = lines ? object_alloc(&csv_reader_type, 0) : NULL;
    if (!made) {
        drop(dialect);
        drop(lines);
        return VALUE_ERROR;
    }
    made->lines = lines;
    made->dialect = dialect;
    return own(made);
}

// The longest field that is read; an argument sets another.
Value csv_field_size_limit(FUNCTION_ARGS)
{
    int64_t limit = field_limit;
    if (nargs && !int_check_exact(args[0]))
        return raise_error(TypeError, "limit must be an integer");
    if (nargs && !int_as_int64(args[0], &limit)) return VALUE_ERROR;
    Value old = int_new(field_limit);
    field_limit = limit;
    return old;
}
