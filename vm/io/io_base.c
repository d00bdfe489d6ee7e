// _IOBase and its three abstract subclasses: the methods of every stream that need only its own
// read, write and seek.
#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/bytes/bytes_parts.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/weakref.h"
#include "objects/containers/list.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/instance.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/iterators.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"
#include "vm/builtins/warn.h"
#include "vm/io/io.h"
#include "vm/io/stream.h"

#include <errno.h>

Type *unsupported_operation;

// ---- what all share

void stream_traverse(Object *self, VisitFn visit, void *arg)
{
    visit(((Stream *)self)->dict, arg);
}

void stream_clear(Object *self)
{
    drop_slot(&((Stream *)self)->dict);
}

// The file under a stream that is still open and would be closed with it, or NULL.
static const FileIO *open_file_below(ValueRef stream)
{
    if (type_is_subtype(type_of(stream), &text_io_type)) stream = text_io_buffer(stream);
    if (stream && (type_is_subtype(type_of(stream), &buffered_reader_type) ||
                   type_is_subtype(type_of(stream), &buffered_writer_type) ||
                   type_is_subtype(type_of(stream), &buffered_random_type)))
        stream = ((const Buffered *)object_of(stream))->raw;
    if (!stream || !type_is_subtype(type_of(stream), &file_io_type)) return NULL;
    const FileIO *file = (const FileIO *)object_of(stream);
    return file->descriptor >= 0 && file->close_descriptor ? file : NULL;
}

// Closes a stream that is being freed: no caller could get an error. One in memory has nothing to
// close, unless a class of a script is told of it.
static void finalize(Object *self)
{
    if (self->type == &bytes_io_type || self->type == &string_io_type) return;
    Value pending = error_take();
    if (open_file_below(ref_of(self)) && !warn_unclosed(ref_of(self))) {
        if (error_is(Warning)) report_unraisable(ref_of(self), NULL);
        error_clear();
    }
    bool closed;
    if (!stream_is_closed(ref_of(self), &closed) ||
        (!closed && !stream_call(ref_of(self), "close")))
        error_clear();
    error_restore(pending);
}

Value raise_unsupported(const char *operation)
{
    return raise_error(unsupported_operation, "%s", operation);
}

Value raise_closed(void)
{
    return raise_error(ValueError, "I/O operation on closed file.");
}

bool fill_argument(ValueRef value, const char *method, Buffer *buffer)
{
    if (buffer_get(value, buffer, true)) return true;
    if (!error_is(TypeError) && !error_is(BufferError)) return false;
    error_clear();
    return raise_error(TypeError, "%s() argument must be read-write bytes-like object, not %G",
                       method, value);
}

bool size_argument(ValueRef value, ssize_t *size)
{
    *size = -1;
    if (!value || value == NONE) return true;
    if (!int_check(value) && !type_of(value)->index)
        return raise_error(TypeError, "argument should be integer or None, not '%.200T'", value);
    return object_as_ssize(value, size, OverflowError);
}

bool stream_interrupted(void)
{
    if (!error_is(OSError)) return false;
    ValueRef number = as_exception(error_peek())->os_error.error_number;
    if (number != from_small(EINTR)) return false;
    error_clear();
    return true;
}

static Value call_named(ValueRef self, const char *name)
{
    Value text = str_intern(name);
    Value result = text ? object_call_method_none(self, text) : VALUE_ERROR;
    drop(text);
    return result;
}

bool stream_call(ValueRef self, const char *name)
{
    Value result = call_named(self, name);
    drop(result);
    return result != VALUE_ERROR;
}

static bool truth_of(Value result, bool *answer)
{
    bool done = result && object_truth(result, answer);
    drop(result);
    return done;
}

bool stream_ask(ValueRef self, const char *name, bool *answer)
{
    return truth_of(call_named(self, name), answer);
}

bool stream_has(ValueRef self, const char *name, bool *has)
{
    Value text = str_intern(name);
    Value found = text ? object_get_optional(self, text) : VALUE_ERROR;
    *has = found != ABSENT;
    drop(text);
    if (!found) return false;
    if (*has) drop(found);
    return true;
}

// The file under a stream of ours, without asking script code; NULL = there may be some.
static const FileIO *plain_file(ValueRef stream)
{
    if (is_exactly(stream, &buffered_writer_type) || is_exactly(stream, &buffered_reader_type) ||
        is_exactly(stream, &buffered_random_type))
        stream = ((const Buffered *)object_of(stream))->raw;
    return stream && is_exactly(stream, &file_io_type) ? (const FileIO *)object_of(stream) : NULL;
}

bool stream_is_closed(ValueRef self, bool *closed)
{
    const FileIO *file = plain_file(self);
    if (file) {
        *closed = file->descriptor < 0;
        return true;
    }
    return truth_of(object_get(self, NAME(closed)), closed);
}

void chain_error(Value earlier)
{
    Value later = error_take();
    if (later && earlier)
        replace_slot(&as_exception(later)->context, earlier);
    else if (!later)
        later = earlier;
    error_restore(later);
}

static bool check_open(ValueRef self)
{
    bool closed;
    return stream_is_closed(self, &closed) && (!closed || raise_closed());
}

Value stream_repr(ValueRef self)
{
    Value name = object_get_optional(self, NAME(name));
    if (name == ABSENT || (!name && error_is(Exception))) {
        error_clear();
        return format_text("<%T>", self);
    }
    Value text = name ? format_text("<%T name=%R>", self, (ValueRef)name) : VALUE_ERROR;
    drop(name);
    return text;
}

// ---- methods of _IOBase

static Value base_seek(FUNCTION_ARGS)
{
    return raise_unsupported("seek");
}
static Value base_truncate(FUNCTION_ARGS)
{
    return raise_unsupported("truncate");
}
static Value base_fileno(FUNCTION_ARGS)
{
    return raise_unsupported("fileno");
}

static Value base_tell(ValueRef self, METHOD_ARGS)
{
    Value name = str_intern("seek");
    ValueRef arguments[] = {self, from_small(0), from_small(1)};
    Value result = name ? object_call_method(name, arguments, 3, 0) : VALUE_ERROR;
    drop(name);
    return result;
}

static Value base_flush(ValueRef self, METHOD_ARGS)
{
    return check_open(self) ? NONE : VALUE_ERROR;
}

static Value base_close(ValueRef self, METHOD_ARGS)
{
    if (as_stream(self)->closed) return NONE;
    bool flushed = stream_call(self, "flush");
    as_stream(self)->closed = true;
    return flushed ? NONE : VALUE_ERROR;
}

static Value base_no(FUNCTION_ARGS)
{
    return FALSE;
}

static Value base_isatty(ValueRef self, METHOD_ARGS)
{
    return check_open(self) ? FALSE : VALUE_ERROR;
}

static Value base_enter(ValueRef self, METHOD_ARGS)
{
    return check_open(self) ? retain(self) : VALUE_ERROR;
}

static Value base_exit(ValueRef self, METHOD_ARGS)
{
    return object_call_method_none(self, NAME(close));
}

static Value check_able(ValueRef self, const char *question, const char *complaint)
{
    bool able;
    if (!stream_ask(self, question, &able)) return VALUE_ERROR;
    return able ? TRUE : raise_unsupported(complaint);
}

static Value base_check_closed(ValueRef self, METHOD_ARGS)
{
    return check_open(self) ? NONE : VALUE_ERROR;
}

static Value base_check_seekable(ValueRef self, METHOD_ARGS)
{
    return check_able(self, "seekable", "File or stream is not seekable.");
}

static Value base_check_readable(ValueRef self, METHOD_ARGS)
{
    return check_able(self, "readable", "File or stream is not readable.");
}

static Value base_check_writable(ValueRef self, METHOD_ARGS)
{
    return check_able(self, "writable", "File or stream is not writable.");
}

// How many bytes the next read may take without going past a newline: one, where the stream cannot
// peek.
static bool line_step(ValueRef self, ssize_t left, ssize_t *step)
{
    *step = 1;
    Value name = str_intern("peek");
    Value peek = name ? object_get_optional(self, name) : VALUE_ERROR;
    drop(name);
    if (!peek || peek == ABSENT) return peek == ABSENT;
    Value ahead = object_call_one(peek, from_small(1));
    drop(peek);
    if (!ahead) return false;
    bool is_bytes = bytes_check(ahead);
    if (is_bytes && as_bytes(ahead)->size) {
        const Bytes *bytes = as_bytes(ahead);
        const char *newline = memchr(bytes->data, '\n', (size_t)bytes->size);
        *step = newline ? newline - bytes->data + 1 : bytes->size;
        if (left >= 0 && *step > left) *step = left;
    }
    if (!is_bytes)
        raise_error(OSError, "peek() should have returned a bytes object, not '%.200T'",
                    (ValueRef)ahead);
    drop(ahead);
    return is_bytes;
}

static bool line_ends(ValueRef line)
{
    const Bytes *bytes = as_bytes(line);
    return bytes->size && bytes->data[bytes->size - 1] == '\n';
}

static Value base_readline(ValueRef self, METHOD_ARGS)
{
    ssize_t limit, step;
    if (!size_argument(nargs ? args[0] : 0, &limit)) return VALUE_ERROR;
    Value line = bytes_new("", 0);
    while (line && !line_ends(line) && (limit < 0 || as_bytes(line)->size < limit)) {
        ssize_t left = limit < 0 ? -1 : limit - as_bytes(line)->size;
        Value piece = VALUE_ERROR;
        if (line_step(self, left, &step))
            piece = object_call_method_one(self, NAME(read), from_small(step));
        if (piece && !bytes_check(piece)) {
            raise_error(OSError, "read() should have returned a bytes object, not '%.200T'",
                        (ValueRef)piece);
            drop_slot(&piece);
        }
        bool ended = piece && as_bytes(piece)->size == 0;
        Value longer = piece ? bytes_concat(line, piece, bytes_new) : VALUE_ERROR;
        drop(piece);
        replace_slot(&line, longer);
        if (ended) break;
    }
    return line;
}

static Value base_readlines(ValueRef self, METHOD_ARGS)
{
    ssize_t hint, length = 0;
    if (!size_argument(nargs ? args[0] : 0, &hint)) return VALUE_ERROR;
    bool limited = hint > 0; // then the line that goes beyond the hint is the last one
    Value lines = list_new(0), iterator = lines ? object_iter(self) : VALUE_ERROR;
    Value line = VALUE_ERROR;
    while (iterator && !(limited && hint < 0) && (line = object_next(iterator)) && line != ABSENT) {
        bool done = list_append(lines, line) && (!limited || object_length(line, &length)) &&
                    poll_signals();
        drop(line);
        if (!done) break;
        hint -= length;
    }
    drop(iterator);
    if (!error_pending()) return lines;
    drop(lines);
    return VALUE_ERROR;
}

static Value base_writelines(ValueRef self, METHOD_ARGS)
{
    if (!check_open(self)) return VALUE_ERROR;
    Value iterator = object_iter(args[0]), line;
    while (iterator && (line = object_next(iterator)) && line != ABSENT) {
        Value result = object_call_method_one(self, NAME(write), line);
        drop(line);
        drop(result);
        if (!result || !poll_signals()) break;
    }
    drop(iterator);
    return error_pending() ? VALUE_ERROR : NONE;
}

static Value base_iter(ValueRef self)
{
    return check_open(self) ? retain(self) : VALUE_ERROR;
}

static Value base_next(ValueRef self)
{
    Value line = object_call_method_none(self, NAME(readline));
    ssize_t length;
    if (!line) return VALUE_ERROR;
    if (!object_length(line, &length)) {
        drop(line);
        return VALUE_ERROR;
    }
    if (length) return line;
    drop(line);
    return ABSENT;
}

static Value base_closed(ValueRef self)
{
    return from_bool(as_stream(self)->closed);
}

static const MethodDef base_methods[] = {
    {"seek", base_seek, ARGS(0, -1), NULL},
    {"tell", base_tell, NO_ARGS, NULL},
    {"truncate", base_truncate, ARGS(0, -1), NULL},
    {"flush", base_flush, NO_ARGS, NULL},
    {"close", base_close, NO_ARGS, NULL},
    {"seekable", base_no, NO_ARGS, NULL},
    {"readable", base_no, NO_ARGS, NULL},
    {"writable", base_no, NO_ARGS, NULL},
    {"_checkClosed", base_check_closed, NO_ARGS, NULL},
    {"_checkSeekable", base_check_seekable, NO_ARGS, NULL},
    {"_checkReadable", base_check_readable, NO_ARGS, NULL},
    {"_checkWritable", base_check_writable, NO_ARGS, NULL},
    {"fileno", base_fileno, NO_ARGS, NULL},
    {"isatty", base_isatty, NO_ARGS, NULL},
    {"__enter__", base_enter, NO_ARGS, NULL},
    {"__exit__", base_exit, ARGS(0, -1), NULL},
    {"readline", base_readline, ARGS(0, 1), NULL},
    {"readlines", base_readlines, ARGS(0, 1), NULL},
    {"writelines", base_writelines, ONE_ARG, NULL},
    {0},
};

static const GetSetDef base_getset[] = {
    {"__dict__", generic_get_dict, NULL, NULL},
    {"closed", base_closed, NULL, NULL},
    {0},
};

Type io_base_type = {
    STATIC_TYPE("_io._IOBase", sizeof(Stream)),
    .flags = TYPE_BASE | TYPE_GC,
    .dict_offset = offsetof(Stream, dict),
    .weakref_offset = offsetof(Stream, weakrefs),
    .methods = base_methods,
    .getset = base_getset,
    .release = stream_clear,
    .traverse = stream_traverse,
    .clear = stream_clear,
    .finalize = finalize,
    .iter = base_iter,
    .next = base_next,
};

// ---- _RawIOBase: read and readall, by readinto

static Value raw_readall(ValueRef self, METHOD_ARGS)
{
    Value all = bytes_new("", 0);
    while (all) {
        Value piece = object_call_method_one(self, NAME(read), from_small(8192));
        if (!piece && stream_interrupted()) continue;
        if (piece == NONE || (piece && bytes_check(piece) && as_bytes(piece)->size == 0)) {
            bool nothing = piece == NONE && as_bytes(all)->size == 0;
            drop(piece);
            if (!nothing) return all;
            drop(all);
            return NONE;
        }
        bool is_bytes = piece && bytes_check(piece);
        if (piece && !is_bytes) raise_error(TypeError, "read() should return bytes");
        Value longer = is_bytes ? bytes_concat(all, piece, bytes_new) : VALUE_ERROR;
        drop(piece);
        replace_slot(&all, longer);
    }
    return VALUE_ERROR;
}

static Value raw_read_some(ValueRef self, ssize_t size)
{
    Value array = bytearray_new(NULL, (size_t)size), name = str_intern("readinto");
    Value count = array && name ? object_call_method_one(self, name, array) : VALUE_ERROR;
    Value result = count == NONE ? NONE : VALUE_ERROR;
    ssize_t used;
    if (count && count != NONE && object_as_ssize(count, &used, ValueError)) {
        const ByteArray *filled = (const ByteArray *)object_of(array);
        if (used < 0 || used > filled->size)
            raise_error(OSError, "readinto() returned %zd of %zd bytes", used, filled->size);
        else
            result = bytes_new(filled->data, (size_t)used);
    }
    drop(array);
    drop(name);
    drop(count);
    return result;
}

static Value raw_read(ValueRef self, METHOD_ARGS)
{
    ssize_t size;
    if (!size_argument(nargs ? args[0] : 0, &size)) return VALUE_ERROR;
    return size < 0 ? call_named(self, "readall") : raw_read_some(self, size);
}

static Value left_to_subclass(FUNCTION_ARGS)
{
    return raise_error(NotImplementedError, NULL);
}

static const MethodDef raw_methods[] = {
    {"readinto", left_to_subclass, ONE_ARG, NULL},
    {"write", left_to_subclass, ONE_ARG, NULL},
    {"read", raw_read, ARGS(0, 1), NULL},
    {"readall", raw_readall, NO_ARGS, NULL},
    {0},
};

Type raw_base_type = {
    STATIC_TYPE("_io._RawIOBase", sizeof(Stream)),
    .flags = TYPE_BASE | TYPE_GC,
    .base_type = &io_base_type,
    .methods = raw_methods,
};

// ---- _BufferedIOBase and _TextIOBase

static Value no_detach(FUNCTION_ARGS)
{
    return raise_unsupported("detach");
}
static Value no_read(FUNCTION_ARGS)
{
    return raise_unsupported("read");
}
static Value no_read1(FUNCTION_ARGS)
{
    return raise_unsupported("read1");
}
static Value no_write(FUNCTION_ARGS)
{
    return raise_unsupported("write");
}
static Value no_readline(FUNCTION_ARGS)
{
    return raise_unsupported("readline");
}

// read() into the buffer that the argument of `function` lends.
static Value read_into(ValueRef self, ValueRef target, const char *function, const char *method)
{
    Buffer buffer;
    if (!fill_argument(target, function, &buffer)) return VALUE_ERROR;
    Value name = str_intern(method), size = int_new(buffer.size);
    Value piece = name && size ? object_call_method_one(self, name, size) : VALUE_ERROR;
    Value result = VALUE_ERROR;
    if (piece && !bytes_check(piece))
        raise_error(TypeError, "read() should return bytes");
    else if (piece && as_bytes(piece)->size > buffer.size)
        raise_error(ValueError, "read() returned too much data: %zd bytes requested, %zd returned",
                    buffer.size, as_bytes(piece)->size);
    else if (piece) {
        memcpy(buffer.bytes, as_bytes(piece)->data, (size_t)as_bytes(piece)->size);
        result = int_new(as_bytes(piece)->size);
    }
    drop(name);
    drop(size);
    drop(piece);
    buffer_release(&buffer);
    return result;
}

static Value base_readinto(ValueRef self, METHOD_ARGS)
{
    return read_into(self, args[0], "readinto", "read");
}
static Value base_readinto1(ValueRef self, METHOD_ARGS)
{
    return read_into(self, args[0], "readinto1", "read1");
}

static const MethodDef buffered_methods[] = {
    {"detach", no_detach, NO_ARGS, NULL},
    {"read", no_read, ARGS(0, -1), NULL},
    {"read1", no_read1, ARGS(0, -1), NULL},
    {"write", no_write, ARGS(0, -1), NULL},
    {"readinto", base_readinto, ONE_ARG, NULL},
    {"readinto1", base_readinto1, ONE_ARG, NULL},
    {0},
};

Type buffered_base_type = {
    STATIC_TYPE("_io._BufferedIOBase", sizeof(Stream)),
    .flags = TYPE_BASE | TYPE_GC,
    .base_type = &io_base_type,
    .methods = buffered_methods,
};

static const MethodDef text_methods[] = {
    {"detach", no_detach, NO_ARGS, NULL},
    {"read", no_read, ARGS(0, -1), NULL},
    {"readline", no_readline, ARGS(0, -1), NULL},
    {"write", no_write, ARGS(0, -1), NULL},
    {0},
};

static Value nothing_known(ValueRef self)
{
    (void)self;
    return NONE;
}

static const GetSetDef text_getset[] = {
    {"encoding", nothing_known, NULL, NULL},
    {"newlines", nothing_known, NULL, NULL},
    {"errors", nothing_known, NULL, NULL},
    {0},
};

Type text_base_type = {
    STATIC_TYPE("_io._TextIOBase", sizeof(Stream)),
    .flags = TYPE_BASE | TYPE_GC,
    .base_type = &io_base_type,
    .methods = text_methods,
    .getset = text_getset,
};

// ---- what other C code asks of a stream (stream.h)

bool stream_write(ValueRef stream, ValueRef text)
{
    if (is_exactly(stream, &text_io_type)) {
        if (!stack_enter(" while calling a Python object")) return false; // as a call of write()
        bool done = text_io_write(stream, text);
        stack_leave();
        return done;
    }
    Value result = object_call_method_one(stream, NAME(write), text);
    drop(result);
    return result != VALUE_ERROR;
}

bool stream_flush(ValueRef stream)
{
    return is_exactly(stream, &text_io_type) ? text_io_flush(stream) : stream_call(stream, "flush");
}

static bool is_native(ValueRef stream)
{
    if (!stream || !is_exactly(stream, &text_io_type)) return false;
    ValueRef buffer = text_io_buffer(stream);
    if (!buffer || !is_exactly(buffer, &buffered_writer_type)) return false;
    ValueRef raw = ((const Buffered *)object_of(buffer))->raw;
    return raw && is_exactly(raw, &file_io_type);
}

void stream_flush_native(ValueRef stream)
{
    if (is_native(stream) && !text_io_flush(stream)) error_clear();
}

bool stream_unbuffer(ValueRef stream)
{
    return is_exactly(stream, &text_io_type) ? text_io_unbuffer(stream) : stream_flush(stream);
}

Value stream_read_line(ValueRef stream)
{
    Value line = object_call_method_none(stream, NAME(readline));
    if (!line) return VALUE_ERROR;
    if (!str_check(line))
        raise_error(TypeError, "object.readline() returned non-string");
    else if (str_length(line) == 0)
        raise_error(EOFError, "EOF when reading a line");
    else
        return line;
    drop(line);
    return VALUE_ERROR;
}

int stream_descriptor(ValueRef stream)
{
    Value number = object_call_method_none(stream, NAME(fileno));
    int64_t descriptor = -1;
    if (!number || !int_check(number) || int_as_int64_clamped(number, &descriptor)) descriptor = -1;
    error_clear();
    drop(number);
    return (int)descriptor;
}
