// The writer of _csv. It quotes a field where a reader would not find its end.
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/modules/csv/csv.h"

typedef struct Writer {
    Object base;
    Value write; // the file's method
    Value dialect;
} Writer;

static bool is_special(const Dialect *dialect, uint32_t character)
{
    if (character == dialect->delimiter || character == dialect->escapechar ||
        character == dialect->quotechar)
        return true;
    ssize_t length = as_str(dialect->lineterminator)->length;
    return str_find_char(dialect->lineterminator, character, 0, length, 1) >= 0;
}

// What stands before a special character: a second quote, the escape character, or nothing (0),
// within quotes.
static uint32_t prefix_of(const Dialect *dialect, uint32_t character)
{
    bool is_quote = character == dialect->quotechar;
    if (dialect->quoting == QUOTE_NONE) return dialect->escapechar;
    if (!is_quote) return 0;
    return dialect->doublequote ? character : dialect->escapechar;
}

static bool must_escape(const Dialect *dialect, uint32_t character)
{
    return dialect->quoting == QUOTE_NONE ||
           (character == dialect->quotechar && !dialect->doublequote);
}

// Looks for a special character that makes quotes necessary.
static bool needs_quotes(const Dialect *dialect, const Str *field, bool *quotes)
{
    for (ssize_t i = 0; i < field->length; i++) {
        uint32_t character = str_at(field, i);
        if (!is_special(dialect, character)) continue;
        if (!must_escape(dialect, character))
            *quotes = true;
        else if (!dialect->escapechar)
            return csv_error("need to escape, but no escapechar set");
    }
    return true;
}

static bool add_text(StrBuilder *line, const Dialect *dialect, ValueRef field)
{
    const Str *text = as_str(field);
    ssize_t start = 0;
    for (ssize_t i = 0; i < text->length; i++) {
        uint32_t character = str_at(text, i);
        uint32_t prefix = is_special(dialect, character) ? prefix_of(dialect, character) : 0;
        if (!prefix) continue;
        if (!builder_slice(line, field, start, i) || !builder_char(line, prefix)) return false;
        start = i;
    }
    return builder_slice(line, field, start, text->length);
}

static bool add_field(StrBuilder *line, const Dialect *dialect, ValueRef text, bool quotes)
{
    return needs_quotes(dialect, as_str(text), &quotes) &&
           (!quotes || builder_char(line, dialect->quotechar)) && add_text(line, dialect, text) &&
           (!quotes || builder_char(line, dialect->quotechar));
}

static bool add_value(StrBuilder *line, const Dialect *dialect, ValueRef value)
{
    bool quotes = dialect->quoting == QUOTE_ALL ||
                  (dialect->quoting == QUOTE_NONNUMERIC && !object_is_number(value));
    Value text = value == NONE ? str_new("") : object_str(value);
    bool ok = text && add_field(line, dialect, text, quotes);
    drop(text);
    return ok;
}

static bool add_values(StrBuilder *line, const Dialect *dialect, ValueRef values)
{
    bool ok = true;
    ssize_t count = 0;
    for (; ok; count++) {
        Value value = next_of(values);
        if (value == ABSENT) break;
        ok = value && (count == 0 || builder_char(line, dialect->delimiter)) &&
             add_value(line, dialect, value);
        drop(value);
    }
    if (!ok || count == 0 || line->length) return ok;
    if (dialect->quoting == QUOTE_NONE)
        return csv_error("single empty field record must be quoted");
    return builder_char(line, dialect->quotechar) && builder_char(line, dialect->quotechar);
}

static Value line_of(const Dialect *dialect, ValueRef row)
{
    Value values = object_iter(row);
    if (!values && error_is(TypeError)) {
        error_clear();
        return csv_error("iterable expected, not %.200T", row);
    }
    if (!values) return VALUE_ERROR;
    StrBuilder line;
    builder_begin(&line);
    bool ok = add_values(&line, dialect, values) && builder_str(&line, dialect->lineterminator);
    drop(values);
    if (ok) return builder_finish(&line);
    builder_abandon(&line);
    return VALUE_ERROR;
}

static Value write_row(const Writer *self, ValueRef row)
{
    if (!self->write) return raise_error(ReferenceError, "the writer has been collected");
    Value line = line_of(as_dialect(self->dialect), row);
    Value result = line ? object_call_one(self->write, line) : VALUE_ERROR;
    drop(line);
    return result;
}

static Value writerow(ValueRef self, METHOD_ARGS)
{
    return write_row((const Writer *)object_of(self), args[0]);
}

static Value writerows(ValueRef self, METHOD_ARGS)
{
    Value rows = object_iter(args[0]);
    bool ok = rows;
    while (ok) {
        Value row = next_of(rows);
        if (row == ABSENT) break;
        Value result = row ? write_row((const Writer *)object_of(self), row) : VALUE_ERROR;
        ok = result && poll_signals();
        drop(result);
        drop(row);
    }
    drop(rows);
    return ok ? NONE : VALUE_ERROR;
}

static void writer_release(Object *self)
{
    drop_slot(&((Writer *)self)->write);
    drop_slot(&((Writer *)self)->dialect);
}

// As of a reader.
static void writer_clear(Object *self)
{
    drop_slot(&((Writer *)self)->write);
}

static void writer_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((Writer *)self)->write, visit, arg);
    visit_item(((Writer *)self)->dialect, visit, arg);
}

static const MethodDef writer_methods[] = {
    {"writerow", writerow, ONE_ARG, "Write one row: an iterable of fields."},
    {"writerows", writerows, ONE_ARG, "Write the rows of an iterable."},
    {0},
};

static const MemberDef writer_members[] = {
    {"dialect", MEMBER_VALUE, offsetof(Writer, dialect), true, NULL},
    {0},
};

Type csv_writer_type = {
    STATIC_TYPE("_csv.writer", sizeof(Writer)),
    .doc = "Writes rows of fields into a file.",
    .flags = TYPE_GC,
    .methods = writer_methods,
    .members = writer_members,
    .release = writer_release,
    .traverse = writer_traverse,
    .clear = writer_clear,
};

Value csv_writer(FUNCTION_ARGS)
{
    Value dialect = csv_dialect_of(args, nargs, kwnames);
    Value write = dialect ? object_get_optional(args[0], NAME(write)) : VALUE_ERROR;
    if (write && (write == ABSENT || !object_is_callable(write)))
        replace_slot(&write, raise_error(TypeError, "argument 1 must have a \"write\" method"));
    Writer *made = write ? object_alloc(&csv_writer_type, 0) : NULL;
    if (!made) {
        drop(write);
        drop(dialect);
        return VALUE_ERROR;
    }
    made->write = write;
    made->dialect = dialect;
    return own(made);
}
