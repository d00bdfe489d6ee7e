// BufferedReader, BufferedWriter, BufferedRandom: one buffer of bytes between a script and a raw
// stream.
//
// The buffer holds either bytes read ahead (start..end) or bytes that wait to be written
// (`waiting`), never both. A write after a read first moves the raw stream back over the bytes read
// ahead. A read after a write first writes the waiting bytes.
#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/classes/descriptor.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"
#include "vm/io/io.h"
#include "vm/io/io_descriptor.h"
#include "vm/outside/outside.h"

#include <errno.h>
#include <unistd.h>

#define DEFAULT_SIZE 8192

static Buffered *as_buffered(ValueRef value)
{
    return (Buffered *)object_of(value);
}

static bool check_attached(const Buffered *buffered)
{
    if (buffered->raw) return true;
    return raise_error(ValueError, buffered->bytes ? "raw stream has been detached"
                                                   : "I/O operation on uninitialized object");
}

static int64_t this_thread(void)
{
    return upcalls.thread_ident ? upcalls.thread_ident() : 1;
}

static bool check_idle(ValueRef self)
{
    const int64_t *owner = &as_buffered(self)->owner;
    if (*owner && eval_breaker.strands && !upcalls.await_owner(owner)) return false;
    return !*owner || raise_error(RuntimeError, "reentrant call inside %R", self);
}

// A function that reads or changes the block takes it for as long as the raw stream may be called.
// Who had it meanwhile may have detached the raw stream.
static bool take_block(ValueRef self)
{
    bool waits = as_buffered(self)->owner;
    if (!check_idle(self) || (waits && !check_attached(as_buffered(self)))) return false;
    as_buffered(self)->owner = this_thread();
    return true;
}

static Value leave_block(ValueRef self, Value result)
{
    as_buffered(self)->owner = 0;
    return result;
}

static const char too_deep[] = " while calling a Python object";

// raw.method(), the raw stream held meanwhile: script code may detach it.
static Value ask_raw(ValueRef self, const char *method)
{
    if (!check_attached(as_buffered(self))) return VALUE_ERROR;
    Value raw = retain(as_buffered(self)->raw), name = str_intern(method);
    Value result = name ? object_call_method_none(raw, name) : VALUE_ERROR;
    drop(name);
    drop(raw);
    return result;
}

static Value get_raw(ValueRef self, const char *attribute)
{
    if (!check_attached(as_buffered(self))) return VALUE_ERROR;
    if (!stack_enter(too_deep)) return VALUE_ERROR; // streams may wrap each other in a ring
    Value raw = retain(as_buffered(self)->raw), name = str_intern(attribute);
    Value result = name ? object_get(raw, name) : VALUE_ERROR;
    drop(name);
    drop(raw);
    stack_leave();
    return result;
}

static bool check_usable(const Buffered *buffered, const char *what)
{
    bool closed;
    if (!check_attached(buffered)) return false;
    Value raw = retain(buffered->raw);
    bool known = stream_is_closed(raw, &closed);
    drop(raw);
    if (known && closed) return raise_error(ValueError, "%s closed file", what);
    return known && check_attached(buffered);
}

// ---- the raw stream: directly where it is a FileIO, else through its methods

static const FileIO *raw_file(const Buffered *buffered)
{
    return is_exactly(buffered->raw, &file_io_type) ? (const FileIO *)object_of(buffered->raw)
                                                    : NULL;
}

static ssize_t raw_failed(void)
{
    if (!error_pending()) raise_os_error(errno, 0);
    return -1;
}

// raw.method(argument), once more for each interrupted system call.
static Value call_raw(const Buffered *buffered, ValueRef method, ValueRef argument)
{
    Value result;
    do result = object_call_method_one(buffered->raw, method, argument);
    while (!result && stream_interrupted());
    return result;
}

// How many of `size` bytes raw.method() says it has done: -1 = it failed or is false, -2 = None.
// What is no number counts as -1, whatever exception says so. Steals the answer.
static ssize_t claimed(Value answer, size_t size, const char *method)
{
    ssize_t count = -1;
    if (!answer) return -1;
    if (answer != NONE && !object_as_ssize(answer, &count, ValueError)) {
        error_clear();
        count = -1;
    }
    drop(answer);
    if (answer == NONE) return -2;
    if (count >= 0 && (size_t)count <= size) return count;
    raise_error(OSError,
                "raw %s() returned invalid length %zd (should have been between 0 and %zu)", method,
                count, size);
    return -1;
}

// raw.readinto() an array, of which the block gets a copy: the script may keep the array. It cannot
// make it smaller meanwhile.
static ssize_t raw_read_into(const Buffered *buffered, char *bytes, size_t size)
{
    Value array = bytearray_new(NULL, size), name = str_intern("readinto");
    Value view = array && name ? memoryview_new(array) : VALUE_ERROR;
    Buffer filled;
    ssize_t count = -1;
    if (view && buffer_get(array, &filled, true)) {
        count = claimed(call_raw(buffered, name, view), size, "readinto");
        if (count > 0) memcpy(bytes, filled.bytes, (size_t)count);
        buffer_release(&filled);
    }
    drop(array);
    drop(name);
    drop(view);
    return count;
}

// Reads at most `size` bytes: their number, 0 at the end, -1 = failed, -2 = nothing now.
static ssize_t raw_read(const Buffered *buffered, char *bytes, size_t size)
{
    const FileIO *file = raw_file(buffered);
    if (file) {
        ssize_t count = descriptor_read(file->descriptor, bytes, size);
        if (count < 0 && errno == EAGAIN && !error_pending()) return -2;
        return count < 0 ? raw_failed() : count;
    }
    return raw_read_into(buffered, bytes, size);
}

// Writes at most `size` bytes: their number, -1 = failed, -2 = nothing now.
static ssize_t raw_write(const Buffered *buffered, const char *bytes, size_t size)
{
    const FileIO *file = raw_file(buffered);
    if (file) {
        ssize_t count = file_io_write(file, bytes, size);
        if (count < 0 && errno == EAGAIN && !error_pending()) return -2;
        return count < 0 ? raw_failed() : count;
    }
    Value piece = bytes_new(bytes, size);
    if (!piece) return -1;
    ssize_t count = claimed(call_raw(buffered, NAME(write), piece), size, "write");
    drop(piece);
    return count;
}

// A number that is a position in a stream, which may be longer than memory.
static bool as_offset(ValueRef value, int64_t *offset)
{
    Value index = object_index(value);
    if (!index) return false;
    int outside = int_as_int64_clamped(index, offset);
    drop(index);
    return !outside ||
           raise_error(ValueError, "cannot fit '%.200T' into an offset-sized integer", value);
}

// The position that the raw stream has answered, -1 = failed. Steals the answer.
static int64_t as_position(Value answer)
{
    int64_t position = -1;
    if (!answer || !as_offset(answer, &position))
        position = -1;
    else if (position < 0)
        raise_error(OSError, "Raw stream returned invalid position %lld", (long long)position);
    drop(answer);
    return position;
}

static int64_t raw_tell(ValueRef self)
{
    return as_position(ask_raw(self, "tell"));
}

static int64_t raw_seek(const Buffered *buffered, int64_t offset, int whence)
{
    Value name = str_intern("seek"), number = int_new(offset);
    ValueRef args[] = {buffered->raw, number, from_small(whence)};
    Value answer = name && number ? object_call_method(name, args, 3, 0) : VALUE_ERROR;
    drop(name);
    drop(number);
    return as_position(answer);
}

// ---- the block

static bool raise_blocked(size_t written)
{
    Value text = str_new("write could not complete without blocking");
    ValueRef args[] = {from_small(EAGAIN), text, from_small((int64_t)written)};
    Value error = text ? object_call(ref_of(BlockingIOError), args, 3, 0) : VALUE_ERROR;
    if (error) raise_value(error);
    drop(text);
    drop(error);
    return false;
}

static bool write_waiting(Buffered *buffered)
{
    size_t done = 0;
    while (done < buffered->waiting) {
        ssize_t count = raw_write(buffered, buffered->bytes + done, buffered->waiting - done);
        if (count < 0) {
            memmove(buffered->bytes, buffered->bytes + done, buffered->waiting - done);
            buffered->waiting -= done;
            return count == -2 ? raise_blocked(0) : false;
        }
        done += (size_t)count;
    }
    buffered->waiting = 0;
    return true;
}

// Forgets what was read ahead: the raw stream goes back to where the script thinks it is.
static bool forget_ahead(Buffered *buffered)
{
    size_t ahead = buffered->end - buffered->start;
    buffered->start = buffered->end = 0;
    return !ahead || raw_seek(buffered, -(int64_t)ahead, SEEK_CUR) >= 0;
}

// Puts into the block what there is room for: how much.
static size_t append(Buffered *buffered, const char *bytes, size_t size)
{
    size_t room = buffered->size - buffered->waiting, count = size < room ? size : room;
    if (count) memcpy(buffered->bytes + buffered->waiting, bytes, count);
    buffered->waiting += count;
    return count;
}

static bool put(Buffered *buffered, const char *bytes, size_t size)
{
    size_t done = 0;
    if (!forget_ahead(buffered)) return false;
    if (size > buffered->size - buffered->waiting && !write_waiting(buffered)) {
        if (!error_is(BlockingIOError)) return false;
        done = append(buffered, bytes, size);
        if (done < size) return error_clear(), raise_blocked(done);
        error_clear();
    }
    while (size - done > buffered->size) {
        ssize_t count = raw_write(buffered, bytes + done, size - done);
        if (count == -1) return false;
        if (count == -2) return raise_blocked(done + append(buffered, bytes + done, size - done));
        done += (size_t)count;
    }
    append(buffered, bytes + done, size - done);
    return true;
}

bool buffered_put(ValueRef self, const char *bytes, size_t size)
{
    Buffered *buffered = as_buffered(self);
    if (!check_usable(buffered, "write to") || !take_block(self)) return false;
    bool done = put(buffered, bytes, size);
    buffered->owner = 0;
    return done;
}

bool buffered_write_out(ValueRef self)
{
    Buffered *buffered = as_buffered(self);
    if (!check_usable(buffered, "flush of") || !take_block(self)) return false;
    bool done = write_waiting(buffered);
    buffered->owner = 0;
    return done;
}

// Reads ahead once when nothing is read ahead, into the block from a position on: as many bytes as
// raw_read() says.
static ssize_t fill_from(Buffered *buffered, size_t position)
{
    if (buffered->waiting && !write_waiting(buffered)) return -1;
    buffered->start = buffered->end = position;
    ssize_t count = raw_read(buffered, buffered->bytes + position, buffered->size - position);
    if (count > 0) buffered->end += (size_t)count;
    return count;
}

// Makes sure that something is read ahead, if there is anything.
static ssize_t fill(Buffered *buffered)
{
    if (buffered->end > buffered->start) return (ssize_t)(buffered->end - buffered->start);
    return fill_from(buffered, 0);
}

// The same for a read that goes on: a raw stream that gave less than it was asked for is asked for
// the rest of the block.
static ssize_t fill_on(Buffered *buffered, bool goes_on)
{
    if (buffered->end > buffered->start) return fill(buffered);
    return fill_from(buffered, goes_on && buffered->end < buffered->size ? buffered->end : 0);
}

// Bytes collected for a read.
typedef struct Collected {
    char *bytes;
    size_t size, capacity;
} Collected;

static bool collected_room(Collected *collected, size_t size)
{
    if (collected->capacity - collected->size >= size) return true;
    size_t capacity = collected->capacity * 2 + size;
    char *larger = memory_resize(collected->bytes, capacity);
    if (!larger) return raise_memory_error();
    collected->bytes = larger;
    collected->capacity = capacity;
    return true;
}

static bool collect(Collected *collected, const char *bytes, size_t size)
{
    if (!collected_room(collected, size)) return false;
    if (size) memcpy(collected->bytes + collected->size, bytes, size);
    collected->size += size;
    return true;
}

// Reads whole blocks straight from the raw stream, after what was read ahead, as long as `limit`
// asks for that many.
static ssize_t collect_blocks(Buffered *buffered, Collected *collected, size_t limit)
{
    ssize_t count = 1;
    size_t block = buffered->size;
    if (buffered->waiting && !write_waiting(buffered)) return -1;
    while (count > 0 && limit - collected->size >= block) {
        size_t whole = (limit - collected->size) / block * block;
        if (!collected_room(collected, whole)) return -1;
        count = raw_read(buffered, collected->bytes + collected->size, whole);
        if (count > 0) collected->size += (size_t)count;
    }
    return count;
}

// `blocked`: nothing could be read now, and nothing has been.
static Value collected_value(Collected *collected, bool failed, bool blocked)
{
    Value value = VALUE_ERROR;
    if (!failed)
        value = blocked && !collected->size ? NONE : bytes_new(collected->bytes, collected->size);
    memory_free(collected->bytes);
    return value;
}

// Hands on what was read ahead, until there are `limit` bytes (< 0 = all of it).
static bool collect_ahead(Buffered *buffered, Collected *collected, ssize_t limit)
{
    size_t size = buffered->end - buffered->start;
    if (limit >= 0 && size > (size_t)limit - collected->size)
        size = (size_t)limit - collected->size;
    if (!collect(collected, buffered->bytes + buffered->start, size)) return false;
    buffered->start += size;
    return true;
}

// Reads `limit` bytes, or all there are (< 0). A file is asked block by block, so that a limit far
// beyond its end takes no room; scripts see how much a raw stream of their own is asked for.
static Value read_size(Buffered *buffered, ssize_t limit)
{
    Collected collected = {0};
    ssize_t count = collect_ahead(buffered, &collected, limit) ? 1 : -1;
    if (count > 0 && limit >= 0 && !raw_file(buffered))
        count = collect_blocks(buffered, &collected, (size_t)limit);
    for (bool goes_on = false; count > 0 && (limit < 0 || collected.size < (size_t)limit);
         goes_on = true) {
        count = fill_on(buffered, goes_on);
        if (count > 0 && !(collect_ahead(buffered, &collected, limit) && poll_signals()))
            count = -1;
    }
    return collected_value(&collected, count == -1, count == -2);
}

static Value read_line(Buffered *buffered, ssize_t limit)
{
    Collected collected = {0};
    ssize_t count = 1;
    const char *newline = NULL;
    while (!newline && (limit < 0 || collected.size < (size_t)limit) &&
           (count = fill(buffered)) > 0) {
        const char *from = buffered->bytes + buffered->start;
        newline = memchr(from, '\n', (size_t)count);
        ssize_t stop = newline ? (ssize_t)collected.size + (newline - from) + 1 : limit;
        if (limit >= 0 && stop > limit) stop = limit;
        if (!collect_ahead(buffered, &collected, stop)) {
            count = -1;
            break;
        }
    }
    return collected_value(&collected, count == -1, false);
}

// What was read ahead, and what raw.readall() gives; ABSENT where the raw stream has no such
// method.
static Value read_all(Buffered *buffered)
{
    Value name = str_intern("readall");
    Value method = name ? object_get_optional(buffered->raw, name) : VALUE_ERROR;
    drop(name);
    if (!method || method == ABSENT) return method;
    Value ahead = VALUE_ERROR;
    if (!buffered->waiting || write_waiting(buffered))
        ahead = bytes_new(buffered->bytes + buffered->start, buffered->end - buffered->start);
    buffered->start = buffered->end = 0;
    Value rest = ahead ? object_call_none(method) : VALUE_ERROR, all = VALUE_ERROR;
    if (rest == NONE)
        all = as_bytes(ahead)->size ? retain(ahead) : NONE;
    else if (rest && !bytes_check(rest))
        raise_error(TypeError, "readall() should return bytes");
    else if (rest)
        all = as_bytes(ahead)->size ? object_binary(ahead, rest, OP_ADD) : retain(rest);
    drop(method);
    drop(ahead);
    drop(rest);
    return all;
}

// ---- making one

Value buffered_new(Type *type, ValueRef raw, ssize_t size)
{
    ValueRef args[] = {raw, from_small(size < 0 ? DEFAULT_SIZE : size)};
    return object_call(ref_of(type), args, 2, 0);
}

static bool require(ValueRef raw, const char *question, const char *complaint)
{
    bool able;
    Value held = retain(raw);
    bool known = stream_ask(held, question, &able);
    drop(held);
    return known && (able || raise_unsupported(complaint));
}

// What a type asks of the raw stream: a set of these.
enum { SEEKABLE = 1, READABLE = 2, WRITABLE = 4 };

// Not usable, also where the raw stream is asked what it can do, until all has succeeded.
// Gives what was the raw stream, to be dropped at the end: its __del__ may initialise this one.
static Value buffered_forget(Buffered *buffered)
{
    Value raw = buffered->raw;
    buffered->raw = VALUE_ERROR;
    memory_free(buffered->bytes);
    buffered->bytes = NULL;
    buffered->readable = buffered->writable = false;
    buffered->start = buffered->end = buffered->waiting = 0;
    return raw;
}

static bool take_raw(Buffered *buffered, ValueRef raw, ssize_t size, int able)
{
    if (size <= 0) return raise_error(ValueError, "buffer size must be strictly positive");
    Value old = buffered_forget(buffered); // the script code just called may have initialised it
    buffered->bytes = memory_alloc((size_t)size);
    bool done = buffered->bytes || raise_memory_error();
    if (done) {
        buffered->size = (size_t)size;
        buffered->raw = retain(raw);
        buffered->readable = able & READABLE;
        buffered->writable = able & WRITABLE;
    }
    drop(old);
    return done;
}

static bool buffered_setup(ValueRef self, const Signature *signature, int able,
                           const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    ValueRef given[2];
    ssize_t size = DEFAULT_SIZE;
    Buffered *buffered = as_buffered(self);
    if (!check_idle(self)) return false;
    drop(buffered_forget(buffered));
    if (!args_bind(signature, args, nargs, kwnames, given) ||
        (given[1] && !argument_ssize(given[1], &size)))
        return false;
    ValueRef raw = given[0];
    if (((able & SEEKABLE) && !require(raw, "seekable", "File or stream is not seekable.")) ||
        ((able & READABLE) && !require(raw, "readable", "File or stream is not readable.")) ||
        ((able & WRITABLE) && !require(raw, "writable", "File or stream is not writable.")))
        return false;
    return check_idle(self) && take_raw(buffered, raw, size, able);
}

static const char *const parameters[] = {"raw", "buffer_size", NULL};

static bool reader_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const Signature signature = {"BufferedReader", parameters, 1, 2};
    return buffered_setup(self, &signature, READABLE, args, nargs, kwnames);
}

static bool writer_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const Signature signature = {"BufferedWriter", parameters, 1, 2};
    return buffered_setup(self, &signature, WRITABLE, args, nargs, kwnames);
}

static bool random_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const Signature signature = {"BufferedRandom", parameters, 1, 2};
    return buffered_setup(self, &signature, SEEKABLE | READABLE | WRITABLE, args, nargs, kwnames);
}

static Value plain_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)args, (void)nargs, (void)kwnames;
    Buffered *buffered = object_alloc(type, 0);
    return buffered ? own(buffered) : VALUE_ERROR;
}

static void buffered_traverse(Object *self, VisitFn visit, void *arg)
{
    stream_traverse(self, visit, arg);
    visit(((Buffered *)self)->raw, arg);
}

static void buffered_clear(Object *self)
{
    stream_clear(self);
    drop_slot(&((Buffered *)self)->raw);
}

static void buffered_release(Object *self)
{
    buffered_clear(self);
    memory_free(((Buffered *)self)->bytes);
}

// ---- reading

static bool can_read(ValueRef self, const char *what)
{
    const Buffered *buffered = as_buffered(self);
    if (!check_usable(buffered, what)) return false;
    return buffered->readable || raise_unsupported("read");
}

static Value buffered_read(ValueRef self, METHOD_ARGS)
{
    ssize_t size;
    if (!size_argument(nargs ? args[0] : 0, &size)) return VALUE_ERROR;
    if (size < -1) return raise_error(ValueError, "read length must be non-negative or -1");
    Buffered *buffered = as_buffered(self);
    if (!can_read(self, "read of") || !take_block(self)) return VALUE_ERROR;
    Value all = size < 0 && !raw_file(buffered) ? read_all(buffered) : ABSENT;
    return leave_block(self, all == ABSENT ? read_size(buffered, size) : all);
}

// At most `size` bytes: some of those read ahead, or what the raw stream gives at once.
static Value read_once(Buffered *buffered, ssize_t size)
{
    Collected collected = {0};
    ssize_t count = -1;
    if (buffered->end > buffered->start) {
        if (collect_ahead(buffered, &collected, size)) count = 0;
    } else if (collected_room(&collected, (size_t)size) &&
               (!buffered->waiting || write_waiting(buffered))) {
        count = raw_read(buffered, collected.bytes, (size_t)size);
        if (count > 0) collected.size = (size_t)count;
    }
    return collected_value(&collected, count == -1, false);
}

static Value buffered_read1(ValueRef self, METHOD_ARGS)
{
    ssize_t size;
    Buffered *buffered = as_buffered(self);
    if (!size_argument(nargs ? args[0] : 0, &size) || !can_read(self, "read of"))
        return VALUE_ERROR;
    if (size < 0) size = (ssize_t)buffered->size;
    if (size == 0) return bytes_new("", 0);
    return take_block(self) ? leave_block(self, read_once(buffered, size)) : VALUE_ERROR;
}

// What was read ahead and, where that is not enough, what the raw stream gives: once or until the
// end. The number of bytes, -1, -2.
static ssize_t fill_target(Buffered *buffered, char *target, size_t size, bool once)
{
    size_t done = buffered->end - buffered->start;
    if (done > size) done = size;
    if (done) memcpy(target, buffered->bytes + buffered->start, done);
    buffered->start += done;
    ssize_t count = 1;
    bool goes_on = false;
    while (done < size && count > 0) {
        bool direct = size - done > buffered->size;
        if (!direct && once && done) break;
        if (direct && buffered->waiting && !write_waiting(buffered)) return -1;
        count =
            direct ? raw_read(buffered, target + done, size - done) : fill_on(buffered, goes_on);
        if (count <= 0) break;
        goes_on = !direct;
        if (!direct) {
            if ((size_t)count > size - done) count = (ssize_t)(size - done);
            memcpy(target + done, buffered->bytes + buffered->start, (size_t)count);
            buffered->start += (size_t)count;
        }
        done += (size_t)count;
        if (direct && once) break;
    }
    return count < 0 && (count == -1 || !done) ? count : (ssize_t)done;
}

static Value read_into(ValueRef self, ValueRef target, bool once)
{
    Buffer buffer;
    if (!fill_argument(target, once ? "readinto1" : "readinto", &buffer)) return VALUE_ERROR;
    ssize_t count = -1;
    if (can_read(self, "readinto of") && take_block(self)) {
        count = fill_target(as_buffered(self), buffer.bytes, (size_t)buffer.size, once);
        as_buffered(self)->owner = 0;
    }
    buffer_release(&buffer);
    if (count < 0) return count == -2 ? NONE : VALUE_ERROR;
    return int_new(count);
}

static Value buffered_readinto(ValueRef self, METHOD_ARGS)
{
    return read_into(self, args[0], false);
}

static Value buffered_readinto1(ValueRef self, METHOD_ARGS)
{
    return read_into(self, args[0], true);
}

static Value buffered_peek(ValueRef self, METHOD_ARGS)
{
    Buffered *buffered = as_buffered(self);
    ssize_t size, count = -1;
    if ((nargs && !argument_ssize(args[0], &size)) || !can_read(self, "peek of") ||
        !take_block(self))
        return VALUE_ERROR;
    if (!buffered->writable || (write_waiting(buffered) && forget_ahead(buffered)))
        count = fill(buffered);
    buffered->owner = 0;
    if (count == -1) return VALUE_ERROR;
    return bytes_new(buffered->bytes + buffered->start, count < 0 ? 0 : (size_t)count);
}

static Value buffered_readline(ValueRef self, METHOD_ARGS)
{
    ssize_t limit;
    if (!size_argument(nargs ? args[0] : 0, &limit) || !can_read(self, "readline of") ||
        !take_block(self))
        return VALUE_ERROR;
    return leave_block(self, read_line(as_buffered(self), limit));
}

static Value buffered_next(ValueRef self)
{
    Value line = buffered_readline(self, NULL, 0, 0);
    if (!line || (bytes_check(line) && as_bytes(line)->size)) return line;
    drop(line);
    return ABSENT;
}

// ---- writing

static Value buffered_write(ValueRef self, METHOD_ARGS)
{
    Buffered *buffered = as_buffered(self);
    if (!check_attached(buffered)) return VALUE_ERROR;
    if (!buffered->writable) return raise_unsupported("write");
    if (str_check(args[0]))
        return raise_error(TypeError, "a bytes-like object is required, not 'str'");
    Buffer buffer;
    if (!buffer_get(args[0], &buffer, false)) return VALUE_ERROR;
    ssize_t size = buffer.size;
    bool done = buffered_put(self, buffer.bytes, (size_t)size);
    buffer_release(&buffer);
    return done ? int_new(size) : VALUE_ERROR;
}

// A reader asks its raw stream to flush. What can be written to writes, and goes back to where the
// script is.
static Value buffered_flush_method(ValueRef self, METHOD_ARGS)
{
    Buffered *buffered = as_buffered(self);
    if (!buffered->writable) return ask_raw(self, "flush");
    if (!buffered_write_out(self) || !take_block(self)) return VALUE_ERROR;
    return leave_block(self, forget_ahead(buffered) ? NONE : VALUE_ERROR);
}

// ---- the position

static Value buffered_tell(ValueRef self, METHOD_ARGS)
{
    Buffered *buffered = as_buffered(self);
    if (!take_block(self)) return VALUE_ERROR;
    int64_t position = raw_tell(self);
    buffered->owner = 0;
    if (position < 0) return VALUE_ERROR;
    return int_new(position - (int64_t)(buffered->end - buffered->start) +
                   (int64_t)buffered->waiting);
}

// Goes to a position in the block, while something is read ahead, without the raw stream.
// *position: the new one, -1 = the position is not in the block. False = the raw stream's tell()
// failed.
static bool seek_in_block(ValueRef self, int64_t offset, int whence, int64_t *position)
{
    Buffered *buffered = as_buffered(self);
    int64_t before = (int64_t)buffered->start, ahead = (int64_t)buffered->end - before;
    *position = -1;
    if (!ahead || whence >= SEEK_END) return true;
    int64_t raw = raw_tell(self), base = whence == SEEK_SET ? raw - ahead : 0;
    if (raw < 0) return false;
    if (offset < base - before || offset > base + ahead) return true;
    buffered->start = (size_t)(before + (offset - base));
    *position = raw - ahead + (offset - base);
    return true;
}

// Goes to a position that is not in the block; where that fails, what was read ahead stays.
static int64_t seek_away(Buffered *buffered, int64_t offset, int whence)
{
    int64_t ahead = (int64_t)(buffered->end - buffered->start);
    if (!write_waiting(buffered)) return -1;
    if (whence == SEEK_CUR && offset >= INT64_MIN + ahead) offset -= ahead;
    int64_t position = raw_seek(buffered, offset, whence);
    if (position >= 0) buffered->start = buffered->end = 0;
    return position;
}

static Value buffered_seek(ValueRef self, METHOD_ARGS)
{
    int64_t offset;
    int whence = 0;
    Buffered *buffered = as_buffered(self);
    if ((nargs > 1 && !argument_int(args[1], &whence)) || !check_attached(buffered))
        return VALUE_ERROR;
    if (whence < SEEK_SET || whence > SEEK_TO_HOLE)
        return raise_error(ValueError, "whence value %d unsupported", whence);
    if (!check_usable(buffered, "seek of") ||
        !require(buffered->raw, "seekable", "File or stream is not seekable.") ||
        !as_offset(args[0], &offset) ||
        !check_attached(buffered) || // __index__ may have detached it
        !take_block(self))
        return VALUE_ERROR;
    int64_t position;
    if (seek_in_block(self, offset, whence, &position) && position < 0)
        position = seek_away(buffered, offset, whence);
    buffered->owner = 0;
    return position < 0 ? VALUE_ERROR : int_new(position);
}

static Value buffered_truncate(ValueRef self, METHOD_ARGS)
{
    Buffered *buffered = as_buffered(self);
    if (!check_usable(buffered, "truncate of")) return VALUE_ERROR;
    if (!buffered->writable) return raise_unsupported("truncate");
    if (!take_block(self)) return VALUE_ERROR;
    Value name = str_intern("truncate"), result = VALUE_ERROR;
    ValueRef arguments[] = {buffered->raw, nargs ? args[0] : NONE};
    if (name && write_waiting(buffered) && forget_ahead(buffered))
        result = object_call_method(name, arguments, 2, 0);
    drop(name);
    return leave_block(self, result);
}

// ---- closing, and what is asked of the raw stream

static Value buffered_close(ValueRef self, METHOD_ARGS)
{
    bool closed;
    Value answer = get_raw(self, "closed");
    bool known = answer && object_truth(answer, &closed);
    drop(answer);
    if (!known || closed) return known ? NONE : VALUE_ERROR;
    bool flushed = stream_call(self, "flush");
    Value error = error_take();
    Value result = ask_raw(self, "close");
    bool done = result && flushed;
    drop(result);
    chain_error(error);
    return done ? NONE : VALUE_ERROR;
}

static Value buffered_detach(ValueRef self, METHOD_ARGS)
{
    Buffered *buffered = as_buffered(self);
    if (!check_attached(buffered) || !stream_call(self, "flush") || !check_idle(self) ||
        !check_attached(buffered))
        return VALUE_ERROR;
    Value raw = buffered->raw;
    buffered->raw = VALUE_ERROR;
    return raw;
}

static Value ask_fileno(ValueRef self, METHOD_ARGS)
{
    return ask_raw(self, "fileno");
}
static Value ask_isatty(ValueRef self, METHOD_ARGS)
{
    return ask_raw(self, "isatty");
}
static Value ask_seekable(ValueRef self, METHOD_ARGS)
{
    return ask_raw(self, "seekable");
}
static Value ask_readable(ValueRef self, METHOD_ARGS)
{
    return ask_raw(self, "readable");
}
static Value ask_writable(ValueRef self, METHOD_ARGS)
{
    return ask_raw(self, "writable");
}
static Value get_closed(ValueRef self)
{
    return get_raw(self, "closed");
}
static Value get_name(ValueRef self)
{
    return get_raw(self, "name");
}
static Value get_mode(ValueRef self)
{
    return get_raw(self, "mode");
}

#define BOTH_METHODS                                                                               \
    {"detach", buffered_detach, NO_ARGS, NULL}, {"flush", buffered_flush_method, NO_ARGS, NULL},   \
        {"close", buffered_close, NO_ARGS, NULL}, {"seekable", ask_seekable, NO_ARGS, NULL},       \
        {"fileno", ask_fileno, NO_ARGS, NULL}, {"isatty", ask_isatty, NO_ARGS, NULL},              \
        {"seek", buffered_seek, ARGS(1, 2), NULL}, {"tell", buffered_tell, NO_ARGS, NULL},         \
    {                                                                                              \
        "truncate", buffered_truncate, ARGS(0, 1), NULL                                            \
    }
#define READING_METHODS                                                                            \
    {"readable", ask_readable, NO_ARGS, NULL}, {"read", buffered_read, ARGS(0, 1), NULL},          \
        {"read1", buffered_read1, ARGS(0, 1), NULL},                                               \
        {"readinto", buffered_readinto, ONE_ARG, NULL},                                            \
        {"readinto1", buffered_readinto1, ONE_ARG, NULL},                                          \
        {"peek", buffered_peek, ARGS(0, 1), NULL},                                                 \
    {                                                                                              \
        "readline", buffered_readline, ARGS(0, 1), NULL                                            \
    }
#define WRITING_METHODS                                                                            \
    {"writable", ask_writable, NO_ARGS, NULL},                                                     \
    {                                                                                              \
        "write", buffered_write, ONE_ARG, NULL                                                     \
    }

static const MethodDef reader_methods[] = {BOTH_METHODS, READING_METHODS, {0}};
static const MethodDef writer_methods[] = {BOTH_METHODS, WRITING_METHODS, {0}};
static const MethodDef random_methods[] = {BOTH_METHODS, READING_METHODS, WRITING_METHODS, {0}};

static const MemberDef buffered_members[] = {
    {"raw", MEMBER_VALUE, offsetof(Buffered, raw), true, NULL},
    {0},
};

static const GetSetDef buffered_getset[] = {
    {"closed", get_closed, NULL, NULL},
    {"name", get_name, NULL, NULL},
    {"mode", get_mode, NULL, NULL},
    {0},
};

#define BUFFERED_TYPE(name, its_methods, initialise, next_line)                                    \
    {                                                                                              \
        STATIC_TYPE(name, sizeof(Buffered)),                                                       \
        .flags = TYPE_BASE | TYPE_GC,                                                              \
        .base_type = &buffered_base_type,                                                          \
        .methods = (its_methods),                                                                  \
        .members = buffered_members,                                                               \
        .getset = buffered_getset,                                                                 \
        .new_ = plain_new,                                                                         \
        .init = (initialise),                                                                      \
        .release = buffered_release,                                                               \
        .traverse = buffered_traverse,                                                             \
        .clear = buffered_clear,                                                                   \
        .repr = stream_repr,                                                                       \
        .next = (next_line),                                                                       \
    }

Type buffered_reader_type =
    BUFFERED_TYPE("_io.BufferedReader", reader_methods, reader_init, buffered_next);
Type buffered_writer_type = BUFFERED_TYPE("_io.BufferedWriter", writer_methods, writer_init, NULL);
Type buffered_random_type =
    BUFFERED_TYPE("_io.BufferedRandom", random_methods, random_init, buffered_next);
