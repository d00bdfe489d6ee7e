// The bytes that an unpickler reads: of one object, or of a file, from which it takes as few as it
// can. Where the file has peek(), it looks at many, and takes those that it has used.
//
//     buffer   | taken from the file       | peeked only                |
//              0 ...                     taken        ...              size     `at` is the next
#include "objects/bytes/bytes.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "vm/modules/pickle/pickle.h"

#define PEEKED (128 * 1024)

Value pickle_truncated(void)
{
    return unpickling_error("pickle data was truncated");
}

void input_clear(PickleInput *input)
{
    buffer_release(&input->buffer);
    input->buffer = (Buffer){0};
    input->at = input->taken = 0;
    drop_slot(&input->read);
    drop_slot(&input->readline);
    drop_slot(&input->readinto);
    drop_slot(&input->peek);
}

void input_visit(const PickleInput *input, VisitFn visit, void *arg)
{
    visit_item(input->buffer.owner, visit, arg);
    visit_item(input->read, visit, arg);
    visit_item(input->readline, visit, arg);
    visit_item(input->readinto, visit, arg);
    visit_item(input->peek, visit, arg);
}

static bool find_optional(ValueRef file, const char *name, Value *method)
{
    Value found = pickle_attribute(file, name);
    if (found) replace_slot(method, found == ABSENT ? VALUE_ERROR : found);
    return found;
}

bool input_from_file(PickleInput *input, ValueRef file)
{
    input_clear(input);
    if (!find_optional(file, "peek", &input->peek) ||
        !find_optional(file, "readinto", &input->readinto) ||
        !find_optional(file, "read", &input->read) ||
        !find_optional(file, "readline", &input->readline))
        return false;
    if (input->read && input->readline) return true;
    input_clear(input);
    return raise_error(TypeError, "file must have 'read' and 'readline' attributes");
}

bool input_from_bytes(PickleInput *input, ValueRef bytes)
{
    Buffer lent;
    input_clear(input);
    if (!buffer_get(bytes, &lent, false)) return false;
    input->buffer = lent;
    return true;
}

// ---- the file

static Value call(ValueRef method, ValueRef argument)
{
    Value held = retain(method);
    Value result = argument ? object_call_one(held, argument) : object_call_none(held);
    drop(held);
    return result;
}

// Reads from now on in what the file has given, which it steals.
static bool use(PickleInput *input, Value data, bool taken)
{
    Buffer lent;
    bool done = data && buffer_get(data, &lent, false);
    drop(data);
    if (!done) return false;
    buffer_release(&input->buffer);
    input->buffer = lent;
    input->at = 0;
    input->taken = taken ? lent.size : 0;
    return true;
}

bool input_skip(PickleInput *input)
{
    ssize_t used = input->at - input->taken;
    if (!input->read || used <= 0) return true;
    input->taken = input->at;
    Value data = call(input->read, from_small(used));
    drop(data);
    return data;
}

// Some files have a peek() that only says it cannot: it is not asked again.
static bool peek(PickleInput *input)
{
    if (use(input, call(input->peek, from_small(PEEKED)), false)) return true;
    if (!error_is(NotImplementedError)) return false;
    error_clear();
    drop_slot(&input->peek);
    return true;
}

// So many bytes at the start of the buffer, or fewer at the end of the file.
static bool fetch(PickleInput *input, ssize_t size)
{
    if (!input_skip(input)) return false;
    if (input->peek && size < PEEKED) {
        if (!peek(input)) return false;
        if (input->peek && size <= input->buffer.size) return true;
    }
    Value count = int_new(size);
    Value data = count ? call(input->read, count) : VALUE_ERROR;
    drop(count);
    return use(input, data, true);
}

static ssize_t rest(const PickleInput *input)
{
    return input->buffer.size - input->at;
}

const char *input_fetch(PickleInput *input, ssize_t size)
{
    if (input->read && !fetch(input, size)) return NULL;
    const char *bytes = input->read ? input_taken(input, size) : NULL;
    if (!bytes) pickle_truncated();
    return bytes;
}

const char *input_opcode(PickleInput *input)
{
    const char *bytes = input_taken(input, 1);
    if (bytes) return bytes;
    if (input->read && !fetch(input, 1)) return NULL;
    bytes = input->read ? input_taken(input, 1) : NULL;
    if (!bytes) raise_error(EOFError, "Ran out of input");
    return bytes;
}

const char *input_line(PickleInput *input, ssize_t *size)
{
    const char *start = input->buffer.bytes + input->at;
    const char *end = rest(input) > 0 ? memchr(start, '\n', (size_t)rest(input)) : NULL;
    if (end) {
        *size = end + 1 - start;
        input->at += *size;
        return start;
    }
    if (!input->read) {
        pickle_truncated();
        return NULL;
    }
    if (!input_skip(input) || !use(input, call(input->readline, VALUE_ERROR), true)) return NULL;
    *size = input->at = input->buffer.size;
    if (*size && input->buffer.bytes[*size - 1] == '\n') return input->buffer.bytes;
    pickle_truncated();
    return NULL;
}

// ---- many bytes

// What readinto() has put into an array of so many bytes.
static Value read_into_array(PickleInput *input, ssize_t size)
{
    ssize_t read = 0;
    Value array = bytearray_new(NULL, (size_t)size);
    Value view = array ? memoryview_new(array) : VALUE_ERROR;
    Value count = view ? call(input->readinto, view) : VALUE_ERROR;
    bool done = count && object_as_ssize(count, &read, ValueError);
    drop(count);
    drop(view);
    if (done && (read < size || as_bytearray(array)->size != size)) done = pickle_truncated();
    if (!done) drop_slot(&array);
    return array;
}

static Value read_from_file(PickleInput *input, ssize_t size)
{
    if (!input->read) return pickle_truncated();
    if (!input_skip(input)) return VALUE_ERROR;
    if (input->readinto) return read_into_array(input, size);
    Value count = int_new(size);
    Value data = count ? call(input->read, count) : VALUE_ERROR;
    drop(count);
    if (!data) return VALUE_ERROR;
    bool done = bytes_check(data);
    if (!done) raise_error(ValueError, "read() returned non-bytes object (%R)", (ValueRef)data);
    if (done && as_bytes(data)->size < size) done = pickle_truncated();
    if (!done) drop_slot(&data);
    return data;
}

// Fills `made`, of so many bytes: what is in the buffer goes first.
static bool fill(PickleInput *input, char *made, ssize_t size)
{
    ssize_t here = rest(input) < size ? rest(input) : size;
    if (here) memcpy(made, input->buffer.bytes + input->at, (size_t)here);
    input->at += here;
    if (here == size) return true;
    Buffer read;
    Value data = read_from_file(input, size - here);
    bool done = data && buffer_get(data, &read, false);
    drop(data);
    if (!done) return false;
    if (read.size >= size - here) memcpy(made + here, read.bytes, (size_t)(size - here));
    buffer_release(&read);
    return true;
}

// Does not make room for what the pickle only says that it has.
static bool check_rest(PickleInput *input, ssize_t size)
{
    return input->read || size <= rest(input) || pickle_truncated();
}

Value input_bytes(PickleInput *input, ssize_t size)
{
    Value made = check_rest(input, size) ? bytes_new(NULL, (size_t)size) : VALUE_ERROR;
    if (made && size && !fill(input, as_bytes(made)->data, size)) drop_slot(&made);
    return made;
}

Value input_bytearray(PickleInput *input, ssize_t size)
{
    Value made = check_rest(input, size) ? bytearray_new(NULL, (size_t)size) : VALUE_ERROR;
    if (made && size && !fill(input, as_bytearray(made)->data, size)) drop_slot(&made);
    return made;
}
