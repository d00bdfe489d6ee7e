// The streams of the module io, in C: the classes and what they share.
//
//     _IOBase -+- _RawIOBase ------- FileIO                     bytes, one system call each
//              +- _BufferedIOBase -+ BufferedReader, BufferedWriter, BufferedRandom
//              |                   + BytesIO
//              +- _TextIOBase -----+ TextIOWrapper              text over a buffered stream
//                                  + StringIO
//
// A script may subclass each of them, so they call each other through methods. Where speed matters
// (print to sys.stdout), a stream that is exactly of one of these types is called directly.
#pragma once

#include "objects/bytes/buffer.h"
#include "objects/call.h"

typedef struct Stream {
    Object base;
    Value dict, weakrefs;
    bool closed;
} Stream;

typedef struct FileIO {
    Stream stream;
    int descriptor; // -1 = closed
    bool created, readable, writable, appending, close_descriptor;
} FileIO;

typedef struct Buffered {
    Stream stream;
    Value raw;   // 0 = not initialised, or detached
    char *bytes; // `size` bytes: read ahead, or waiting to be written, never both
    size_t size;
    size_t start, end; // what was read ahead
    size_t waiting;    // how many bytes wait to be written
    bool readable, writable;
    // The thread whose call of the raw stream is under way, 0 = none: its script code must not
    // reenter, and another thread waits.
    int64_t owner;
} Buffered;

extern Type io_base_type, raw_base_type, buffered_base_type, text_base_type;
extern Type file_io_type, buffered_reader_type, buffered_writer_type, buffered_random_type;
extern Type bytes_io_type, string_io_type, text_io_type;
extern Type *unsupported_operation; // io.UnsupportedOperation

static inline Stream *as_stream(ValueRef value)
{
    return (Stream *)object_of(value);
}

// All files of a script write through this: descriptor_write(), then upcalls.observe_output.
ssize_t file_io_write(const FileIO *file, const void *bytes, size_t size);
// All of it, in as many writes as it takes. False = an exception is pending.
bool file_io_put(ValueRef self, const char *bytes, size_t size);

// Slots that all stream types share.
void stream_traverse(Object *self, VisitFn visit, void *arg);
void stream_clear(Object *self);

Value raise_unsupported(const char *operation);
Value raise_closed(void); // ValueError "I/O operation on closed file."
// The argument of readinto() and readinto1(): the buffer to fill.
bool fill_argument(ValueRef value, const char *method, Buffer *buffer);
// An argument that is a size: None or a negative number = no limit, which gives -1.
bool size_argument(ValueRef value, ssize_t *size);
// Calls self.name(), drops the result.
bool stream_call(ValueRef self, const char *name);
// The truth of self.name() or, for `closed`, of self.closed.
bool stream_ask(ValueRef self, const char *name, bool *answer);
bool stream_is_closed(ValueRef self, bool *closed);
// Whether it has an attribute at all.
bool stream_has(ValueRef self, const char *name, bool *has);
// Whether a signal has interrupted the call that failed (OSError with EINTR): then nothing is
// pending any more, and the call is to be made again.
bool stream_interrupted(void);
// Makes an earlier exception the __context__ of the pending one, if there is one. Steals; 0 =
// nothing.
void chain_error(Value earlier);
// "<_io.Kind name='x'>", with the stream's attribute `name` if it has one.
Value stream_repr(ValueRef self);

// io_buffered.c: over a raw stream.
Value buffered_new(Type *type, ValueRef raw, ssize_t size);
bool buffered_put(ValueRef self, const char *bytes, size_t size);
bool buffered_write_out(ValueRef self); // flush(), without the raw stream's flush()
// io_text.c. Texts may be NULL for the defaults.
typedef struct TextOptions {
    const char *encoding, *errors, *newline;
    bool line_buffering, write_through;
} TextOptions;
Value text_io_new(ValueRef buffer, const TextOptions *options);
bool text_io_write(ValueRef self, ValueRef text);
bool text_io_flush(ValueRef self);
bool text_io_unbuffer(ValueRef self);   // stream_unbuffer()
ValueRef text_io_buffer(ValueRef self); // 0 where there is none
// None, one line end, or a tuple of those that were seen.
#define SEEN_CR 1u
#define SEEN_LF 2u
#define SEEN_CRLF 4u
#define SEEN_ALL 7u
Value newlines_seen(unsigned seen);
// Those of `seen`, and those in the text. A CR at its end may be half of one, unless it has ended.
unsigned line_ends_in(ValueRef decoded, bool ended, unsigned seen);
// open() of builtins and io.
Value io_open(ValueRef self, METHOD_ARGS);
