// TextIOWrapper: text over a buffered stream of bytes.
//
// Writing: newlines are translated and the text is encoded into `pending`. `pending` is written to
// the buffer when it is full, at a newline if `line_buffering` is set, and at flush(). Reading:
// each chunk of bytes is decoded up to its last complete character, and the rest waits in
// `undecoded`. The decoded text waits in `decoded`; its newlines are translated when it is
// returned. So the position in the file is the buffer's position minus the bytes of both. A codec
// that C does not have converts by its incremental decoder and encoder; what waits is in them, and
// the position is a number that only tell() and seek() understand (vm/lib/_text_position.mpy).
#include "objects/bytes/bytes.h"
#include "objects/bytes/codecs.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/io/io.h"
#include "vm/io/text_encodings.h"
#include "vm/io/text_options.h"
#include "vm/outside/outside.h"

#include <strings.h>
#include <unistd.h>

#define CHUNK 8192
#define MAX_SEQUENCE 8         // no encoding needs more bytes for a character
#define PART ((size_t)1 << 23) // bytes that are decoded at once

typedef struct TextIO {
    Stream stream;
    Value buffer;           // 0 = not initialised, or detached
    Value encoding, errors; // str
    Value codec;            // the CodecInfo where C does not have the codec, else 0
    Value decoder, encoder; // made of it when they are needed; 0 = not yet
    Value flags;            // the decoder's state before it got `input`; 0 = tell() needs neither
    Value input;            // the bytes that `decoded` was made of
    ssize_t before;         // characters made of `input` that `decoded` has no more
    Newlines newlines;
    bool line_buffering, write_through;
    bool flushes; // after every write()
    bool readable, writable, is_utf8;
    bool has_read1;        // else it is read() that gives a part
    bool telling;          // `flags` and `input` are kept: a codec's stream that can seek
    bool has_mark;         // a byte order mark was written, or needs none any more
    const char *decode_as; // what the mark that was read says, NULL = `encoding`
    ssize_t chunk_size;
    bool ended;     // the last read gave nothing
    bool iterating; // tell() is disabled by next()
    uint8_t seen;   // kinds of line ends read so far
    Value decoded;  // str
    ssize_t at;     // how much of it was handed out
    char undecoded[MAX_SEQUENCE];
    size_t undecoded_size;
    char *pending; // CHUNK bytes
    size_t pending_size;
} TextIO;

static TextIO *as_text_io(ValueRef value)
{
    return (TextIO *)object_of(value);
}

static bool check_attached(const TextIO *text)
{
    if (text->buffer) return true;
    return raise_error(ValueError, text->encoding ? "underlying buffer has been detached"
                                                  : "I/O operation on uninitialized object");
}

// buffer.method(argument, second), where 0 = no argument. The buffer is held meanwhile: script code
// may detach it.
static Value call_buffer(const TextIO *text, const char *method, ValueRef argument, ValueRef second)
{
    if (!check_attached(text)) return VALUE_ERROR;
    Value buffer = retain(text->buffer), name = str_intern(method);
    ValueRef args[] = {buffer, argument, second};
    size_t count = 1 + (argument != 0) + (second != 0);
    Value result = name ? object_call_method(name, args, count, 0) : VALUE_ERROR;
    drop(name);
    drop(buffer);
    return result;
}

// buffer.method(argument), once more for each interrupted system call.
static Value insist(const TextIO *text, const char *method, ValueRef argument)
{
    Value result;
    do result = call_buffer(text, method, argument, 0);
    while (!result && stream_interrupted());
    return result;
}

static bool tell_buffer(const TextIO *text, const char *method)
{
    Value result = call_buffer(text, method, 0, 0);
    drop(result);
    return result != VALUE_ERROR;
}

static bool ask_buffer(const TextIO *text, const char *method, bool *answer)
{
    Value result = call_buffer(text, method, 0, 0);
    bool done = result && object_truth(result, answer);
    drop(result);
    return done;
}

static bool buffer_is_closed(const TextIO *text, bool *closed)
{
    if (!check_attached(text)) return false;
    Value buffer = retain(text->buffer);
    bool done = stream_is_closed(buffer, closed);
    drop(buffer);
    return done;
}

// What was asked may have detached the buffer.
static bool check_open(const TextIO *text)
{
    bool closed;
    return buffer_is_closed(text, &closed) && (!closed || raise_closed()) && check_attached(text);
}

// The name of an encoding or of an error handler. A stream that script code has just failed to
// initialise once more has none: the defaults then.
static const char *name_of(ValueRef str, const char *missing)
{
    return str ? str_utf8(str, NULL) : missing;
}

static const char *encoding_of(const TextIO *text)
{
    return name_of(text->encoding, "UTF-8");
}

// The names are held, here and in decode(): an error handler may be script code.
static Value encode(const TextIO *text, ValueRef str)
{
    Value encoding = retain(text->encoding), errors = retain(text->errors);
    Value bytes = text_encode(str, name_of(encoding, "UTF-8"), name_of(errors, "strict"));
    drop(encoding);
    drop(errors);
    return bytes;
}

static Value decode(const TextIO *text, const char *bytes, size_t size)
{
    Value encoding = retain(text->encoding), errors = retain(text->errors);
    const char *name = text->decode_as ? text->decode_as : name_of(encoding, "UTF-8");
    Value piece = text_decode(bytes, size, name, name_of(errors, "strict"));
    drop(encoding);
    drop(errors);
    return piece;
}

// As in the middle of a file.
static Value encode_without_mark(const TextIO *text, ValueRef str)
{
    size_t skip = mark_size(encoding_of(text));
    Value bytes = encode(text, str);
    if (!bytes) return VALUE_ERROR;
    if (!skip || (size_t)as_bytes(bytes)->size < skip) return bytes;
    Value rest = bytes_new(as_bytes(bytes)->data + skip, (size_t)as_bytes(bytes)->size - skip);
    drop(bytes);
    return rest;
}

// ---- a codec that C does not have

// `half`, which is made by codec.kind(errors) when it is needed: owned. Script code, here and
// below, may initialise the stream once more, or begin to.
static Value half_of(const TextIO *text, Value *half, const char *kind)
{
    if (*half) return retain(*half);
    if (!text->codec) return raise_error(ValueError, "I/O operation on uninitialized object");
    Value codec = retain(text->codec), errors = retain(text->errors), name = str_intern(kind);
    Value made = name ? object_call_method_one(codec, name, errors) : VALUE_ERROR;
    drop(codec);
    drop(errors);
    drop(name);
    if (made) replace_slot(half, retain(made));
    return made;
}

// half.method(input, last), where 0 = no second argument.
static Value convert(const TextIO *text, Value *half, const char *kind, const char *method,
                     ValueRef input, ValueRef last)
{
    Value held = half_of(text, half, kind), name = held ? str_intern(method) : VALUE_ERROR;
    ValueRef args[] = {held, input, last};
    Value result = name ? object_call_method(name, args, last ? 3 : 2, 0) : VALUE_ERROR;
    drop(held);
    drop(name);
    return result;
}

static Value decode_by_codec(TextIO *text, const char *bytes, size_t size, bool last)
{
    Value data = bytes_new(bytes, size);
    if (!data) return VALUE_ERROR;
    Value piece =
        convert(text, &text->decoder, "incrementaldecoder", "decode", data, from_bool(last));
    drop(data);
    if (piece && !str_check(piece)) {
        raise_error(TypeError, "decoder should return a string result, not '%.200T'",
                    (ValueRef)piece);
        drop_slot(&piece);
    }
    return piece;
}

static Value encode_by_codec(TextIO *text, ValueRef str)
{
    Value bytes = convert(text, &text->encoder, "incrementalencoder", "encode", str, 0);
    if (bytes && !bytes_check(bytes)) {
        raise_error(TypeError, "encoder should return a bytes object, not '%.200T'",
                    (ValueRef)bytes);
        drop_slot(&bytes);
    }
    return bytes;
}

// decoder.getstate(): the bytes that it keeps, and its flags.
static Value decoder_state(TextIO *text)
{
    Value decoder = half_of(text, &text->decoder, "incrementaldecoder");
    Value name = decoder ? str_intern("getstate") : VALUE_ERROR;
    Value state = name ? object_call_method_none(decoder, name) : VALUE_ERROR;
    bool usual =
        state && tuple_check(state) && tuple_size(state) == 2 && bytes_check(tuple_at(state, 0));
    if (state && tuple_check(state) && !usual && tuple_size(state) == 2)
        raise_error(TypeError,
                    "illegal decoder state: the first item should be a bytes object, not '%.200T'",
                    tuple_at(state, 0));
    else if (state && !usual)
        raise_error(TypeError, "illegal decoder state");
    if (!usual) drop_slot(&state);
    drop(name);
    drop(decoder);
    return state;
}

static void forget_input(TextIO *text)
{
    Value flags = text->flags, input = text->input;
    text->flags = text->input = VALUE_ERROR; // both, before script code may run
    text->before = 0;
    drop(flags);
    drop(input);
}

// Before more is read: the bytes that the decoder has got and not made text of, and its flags
// before it got them. Where a part of `decoded` is still to be handed out, that is `input`.
static Value state_before(TextIO *text)
{
    if (!text->telling) return NONE;
    bool goes_on = text->flags && text->decoded && text->at < str_length(text->decoded);
    return goes_on ? tuple_pack(2, text->input, text->flags) : decoder_state(text);
}

// Before what was read is decoded.
static bool note_input(TextIO *text, ValueRef state, ValueRef data)
{
    if (state == NONE) return true;
    Value input = object_binary(tuple_at(state, 0), data, OP_ADD);
    if (!input) return false;
    bool goes_on = text->decoded && text->at < str_length(text->decoded);
    text->before = goes_on ? text->before + text->at : 0;
    replace_slot(&text->flags, retain(tuple_at(state, 1)));
    replace_slot(&text->input, input);
    return true;
}

// _text_position.function(...); args[0] is for the module.
static Value call_position(const char *function, ValueRef *args, size_t nargs)
{
    Value module = upcalls.import("_text_position"), name = module ? str_intern(function) : 0;
    args[0] = module;
    Value result = name ? object_call_method(name, args, nargs, 0) : VALUE_ERROR;
    drop(name);
    drop(module);
    return result;
}

// ---- writing

// The buffer, held, where it is one of ours and can be called directly; else 0.
static Value plain_buffer(const TextIO *text)
{
    bool plain = text->buffer && (is_exactly(text->buffer, &buffered_writer_type) ||
                                  is_exactly(text->buffer, &buffered_random_type));
    return plain ? retain(text->buffer) : VALUE_ERROR;
}

// Under an unbuffered stream lies the file: nobody looks at how much its write() has taken.
static Value plain_file(const TextIO *text)
{
    bool plain = text->buffer && is_exactly(text->buffer, &file_io_type);
    return plain ? retain(text->buffer) : VALUE_ERROR;
}

static bool write_bytes(const TextIO *text, const char *bytes, size_t size)
{
    Value file = plain_file(text), plain = file ? file : plain_buffer(text);
    if (plain) {
        bool done = file ? file_io_put(file, bytes, size) : buffered_put(plain, bytes, size);
        drop(plain);
        return done;
    }
    Value piece = bytes_new(bytes, size);
    Value result = piece ? insist(text, "write", piece) : VALUE_ERROR;
    drop(piece);
    drop(result);
    return result != VALUE_ERROR;
}

static bool write_pending(TextIO *text)
{
    size_t size = text->pending_size;
    text->pending_size = 0;
    return !size || write_bytes(text, text->pending, size);
}

static bool flush_buffer(const TextIO *text)
{
    Value plain = plain_buffer(text);
    if (!plain) return tell_buffer(text, "flush");
    bool done = buffered_write_out(plain);
    drop(plain);
    return done;
}

static bool put_bytes(TextIO *text, const char *bytes, size_t size)
{
    size_t limit = text->chunk_size < CHUNK ? (size_t)text->chunk_size : CHUNK;
    if (text->pending_size + size > limit && !write_pending(text)) return false;
    if (size >= limit || text->pending_size + size > limit) // script code may have written more
        return write_bytes(text, bytes, size);
    memcpy(text->pending + text->pending_size, bytes, size);
    text->pending_size += size;
    return text->pending_size < limit || write_pending(text);
}

static bool put_text(TextIO *text, ValueRef str)
{
    if (as_str(str)->ascii && text->is_utf8)
        return put_bytes(text, as_str(str)->data, (size_t)str_length(str));
    Value bytes = text->codec      ? encode_by_codec(text, str)
                  : text->has_mark ? encode_without_mark(text, str)
                                   : encode(text, str);
    text->has_mark = true;
    bool done = bytes && put_bytes(text, as_bytes(bytes)->data, (size_t)as_bytes(bytes)->size);
    drop(bytes);
    return done;
}

static Value translate_newlines(const TextIO *text, ValueRef str)
{
    StrBuilder builder;
    builder_begin(&builder);
    ssize_t length = str_length(str), start = 0;
    while (start < length) {
        ssize_t newline = str_find_char(str, '\n', start, length, 1);
        bool done =
            builder_slice(&builder, str, start, newline < 0 ? length : newline) &&
            (newline < 0 || builder_text(&builder, text->newlines == ONLY_CR ? "\r" : "\r\n"));
        if (!done) {
            builder_abandon(&builder);
            return VALUE_ERROR;
        }
        start = newline < 0 ? length : newline + 1;
    }
    return builder_finish(&builder);
}

static bool forget_read(TextIO *text)
{
    text->undecoded_size = 0;
    text->at = 0;
    text->ended = false;
    drop_slot(&text->decoded);
    drop_slot(&text->decoder);
    forget_input(text);
    return true;
}

bool text_io_write(ValueRef self, ValueRef str)
{
    TextIO *text = as_text_io(self);
    if (!str_check(str)) return raise_error(TypeError, "write() argument must be str, not %G", str);
    if (!check_open(text)) return false;
    if (!text->writable) return raise_unsupported("not writable");
    ssize_t length = str_length(str);
    bool has_newline = str_find_char(str, '\n', 0, length, 1) >= 0;
    bool translate = has_newline && (text->newlines == ONLY_CR || text->newlines == ONLY_CRLF);
    Value shown = translate ? translate_newlines(text, str) : retain(str);
    bool done = shown && put_text(text, shown);
    bool flush = text->flushes;
    if (text->line_buffering && !flush)
        flush = has_newline || (done && str_find_char(str, '\r', 0, length, 1) >= 0);
    drop(shown);
    if (!done) return false;
    if (text->decoded) forget_read(text);
    if (text->write_through || flush) done = write_pending(text);
    return done && (!flush || flush_buffer(text));
}

static Value write_method(ValueRef self, METHOD_ARGS)
{
    return text_io_write(self, args[0]) ? int_new(str_length(args[0])) : VALUE_ERROR;
}

bool text_io_flush(ValueRef self)
{
    TextIO *text = as_text_io(self);
    return check_open(text) && write_pending(text) && flush_buffer(text);
}

bool text_io_unbuffer(ValueRef self)
{
    as_text_io(self)->flushes = true;
    return text_io_flush(self);
}

static Value flush_method(ValueRef self, METHOD_ARGS)
{
    TextIO *text = as_text_io(self);
    if (!check_open(text) || !write_pending(text)) return VALUE_ERROR;
    return tell_buffer(text, "flush") ? NONE : VALUE_ERROR;
}

// ---- reading: bytes to text

// Decodes the bytes left over and the new ones.
static Value decode_more(TextIO *text, const char *bytes, size_t size, bool last)
{
    size_t total = text->undecoded_size + size;
    char *all = memory_alloc(total + 1);
    if (!all) return raise_memory_error();
    memcpy(all, text->undecoded, text->undecoded_size);
    memcpy(all + text->undecoded_size, bytes, size);
    size_t mark = text->decode_as ? 0 : mark_size(encoding_of(text));
    const char *encoding = text->decode_as ? text->decode_as : encoding_of(text);
    size_t left = last           ? 0 // at the end nothing may be left over
                  : total < mark ? total
                                 : cut_character(encoding, all, total);
    Value piece = decode(text, all, total - left);
    if (mark && total - left >= mark) text->decode_as = encoding_after_mark(mark, all);
    if (piece) {
        memcpy(text->undecoded, all + total - left, left);
        text->undecoded_size = left;
    }
    memory_free(all);
    return piece;
}

// Decodes bytes, and appends the text to `decoded`.
static bool decode_chunk(TextIO *text, const char *bytes, size_t size, bool last)
{
    Value piece = text->codec ? decode_by_codec(text, bytes, size, last)
                              : decode_more(text, bytes, size, last);
    if (!piece) return false;
    Value rest = text->decoded ? str_substring(text->decoded, text->at, str_length(text->decoded))
                               : str_new("");
    Value joined = rest ? str_concat(rest, piece) : VALUE_ERROR;
    if (joined && text->newlines <= KEEP_ALL)
        text->seen = line_ends_in(joined, text->ended, text->seen);
    drop(rest);
    drop(piece);
    if (!joined) return false;
    replace_slot(&text->decoded, joined);
    text->at = 0;
    return true;
}

// All that is left, to the builder, part by part.
static bool decode_parts(TextIO *text, StrBuilder *builder, const char *bytes, size_t size)
{
    for (size_t at = 0, part; at < size; at += part) {
        part = size - at < PART ? size - at : PART;
        Value piece = decode_more(text, bytes + at, part, at + part == size);
        bool done = piece && builder_str(builder, piece) && poll_signals();
        drop(piece);
        if (!done) return false;
    }
    return true;
}

// Decodes all that is left. Ctrl-C does not wait for the end of much of it. What cannot be decoded
// is decoded as a whole, as the error says where it is.
static bool decode_rest(TextIO *text, const char *bytes, size_t size)
{
    TextIO before = *text;
    StrBuilder builder;
    bool in_parts = !text->codec && errors_are_local(name_of(text->errors, "strict"));
    if (size <= PART || !in_parts) return decode_chunk(text, bytes, size, true);
    builder_begin(&builder);
    bool done = !text->decoded ||
                builder_slice(&builder, text->decoded, text->at, str_length(text->decoded));
    if (!done || !decode_parts(text, &builder, bytes, size)) {
        builder_abandon(&builder);
        if (!error_is(UnicodeError)) return false;
        error_clear();
        memcpy(text->undecoded, before.undecoded, sizeof text->undecoded);
        text->undecoded_size = before.undecoded_size;
        text->decode_as = before.decode_as;
        return decode_chunk(text, bytes, size, true);
    }
    Value joined = builder_finish(&builder);
    if (!joined || !poll_signals()) return drop(joined), false;
    if (text->newlines <= KEEP_ALL) text->seen = line_ends_in(joined, text->ended, text->seen);
    replace_slot(&text->decoded, joined);
    text->at = 0;
    return poll_signals();
}

// Decodes what the buffer has answered: a chunk, before which the state was that, or all that is
// left (0 = no state).
static bool decode_answer(TextIO *text, ValueRef answer, const char *method, ValueRef state)
{
    Buffer piece;
    bool all = !state;
    if (!answer) return false;
    bool done = buffer_get(answer, &piece, false);
    if (!done && error_is(TypeError)) {
        error_clear();
        if (all)
            raise_error(TypeError, "can't concat %T to bytes", answer);
        else
            raise_error(TypeError,
                        "underlying %s() should have returned a bytes-like object, not '%T'",
                        method, answer);
    }
    if (done) {
        text->ended = all || piece.size == 0;
        if (all) forget_input(text); // it is handed out at once
        done = (all || note_input(text, state, answer)) && check_attached(text) &&
               (all ? decode_rest(text, piece.bytes, (size_t)piece.size)
                    : decode_chunk(text, piece.bytes, (size_t)piece.size, text->ended));
        buffer_release(&piece);
    }
    return done;
}

static bool read_chunk(TextIO *text)
{
    if (!write_pending(text)) return false;
    const char *method = text->has_read1 ? "read1" : "read";
    Value state = state_before(text);
    if (!state) return false;
    Value size = int_new(text->chunk_size), piece = size ? insist(text, method, size) : VALUE_ERROR;
    bool done = decode_answer(text, piece, method, state);
    drop(piece);
    drop(size);
    drop(state);
    return done;
}

// ---- reading: handing out

// A line end found in the decoded text: where it begins, and how long it is; 0 = more text must be
// read to know.
typedef struct LineEnd {
    ssize_t start, size;
} LineEnd;

static LineEnd end_at(const TextIO *text, ssize_t position)
{
    const Str *str = as_str(text->decoded);
    bool last = position + 1 == str->length;
    if (str_at(str, position) == '\n') return (LineEnd){position, 1};
    if (last && !text->ended) return (LineEnd){position, 0};
    return (LineEnd){position, !last && str_at(str, position + 1) == '\n' ? 2 : 1};
}

// The first line end from `at` on; start = length where there is none.
static LineEnd find_end(const TextIO *text)
{
    ValueRef str = text->decoded;
    ssize_t length = str_length(str), at = text->at;
    ssize_t lf = text->newlines == ONLY_CR ? -1 : str_find_char(str, '\n', at, length, 1);
    if (text->newlines == ONLY_LF) return lf < 0 ? (LineEnd){length, 1} : (LineEnd){lf, 1};
    ssize_t until = lf < 0 || text->newlines == ONLY_CRLF ? length : lf;
    ssize_t cr = str_find_char(str, '\r', at, until, 1);
    if (text->newlines == ONLY_CR) return cr < 0 ? (LineEnd){length, 1} : (LineEnd){cr, 1};
    if (text->newlines != ONLY_CRLF) {
        ssize_t first = cr >= 0 ? cr : lf;
        return first < 0 ? (LineEnd){length, 1} : end_at(text, first);
    }
    while (cr >= 0) {
        LineEnd end = end_at(text, cr);
        if (end.size != 1) return end;
        cr = str_find_char(str, '\r', cr + 1, length, 1);
    }
    return (LineEnd){length, 1};
}

// The first line end that is not a LF alone, among so many characters.
static LineEnd find_cr(const TextIO *text, ssize_t count)
{
    ssize_t length = str_length(text->decoded);
    ssize_t end = count < length - text->at ? text->at + count : length;
    ssize_t cr = str_find_char(text->decoded, '\r', text->at, end, 1);
    return cr < 0 ? (LineEnd){length, 1} : end_at(text, cr);
}

// Hands out text up to `limit` characters (< 0 = all there is), or to the end of the line.
// `*complete` says that nothing more needs to be read.
static bool take(TextIO *text, StrBuilder *builder, ssize_t limit, bool line, bool *complete)
{
    *complete = false;
    for (;;) {
        if (!poll_signals()) return false; // the handler of a signal may seek
        if (!text->decoded || text->at >= str_length(text->decoded)) break;
        ssize_t length = str_length(text->decoded);
        ssize_t left = limit < 0 ? length : limit - builder->length;
        if (left == 0) return *complete = true;
        bool whole = !line && text->newlines >= ONLY_LF; // line ends mean nothing here
        LineEnd end = whole ? (LineEnd){length, 1} : line ? find_end(text) : find_cr(text, left);
        bool translates = text->newlines == UNIVERSAL && end.size && end.start < length;
        ssize_t stop = end.start + (end.start < length && !translates ? end.size : 0);
        bool at_end = stop - text->at < left + !translates;
        if (!at_end) stop = text->at + left;
        if (!builder_slice(builder, text->decoded, text->at, stop)) return false;
        text->at = stop;
        if (!at_end || end.start == length) continue;
        if (end.size == 0) return true; // a CR at the end of the chunk
        if (translates && !builder_char(builder, '\n')) return false;
        if (translates) text->at += end.size;
        if (line) return *complete = true;
    }
    if (limit >= 0 && builder->length >= limit) *complete = true;
    return true;
}

// The text is complete, or an exception is pending.
static Value finish_reading(TextIO *text, StrBuilder *builder, bool done)
{
    text->ended = false;
    if (done) return builder_finish(builder);
    builder_abandon(builder);
    return VALUE_ERROR;
}

// Text in which no line end is translated is handed out as it was decoded.
static Value take_all(TextIO *text)
{
    StrBuilder builder;
    bool complete;
    if (!text->decoded) return str_new(""); // the handler of a signal may seek
    ssize_t length = str_length(text->decoded), from = text->at;
    if (text->newlines != UNIVERSAL || find_cr(text, length).start == length) {
        text->at = length;
        text->ended = false;
        return str_substring(text->decoded, from, length);
    }
    builder_begin(&builder);
    return finish_reading(text, &builder, take(text, &builder, -1, false, &complete));
}

// All that is left, by one read() of the buffer, whose answer is held until its text is taken, as
// its __del__ may seek.
static Value read_all(TextIO *text)
{
    Value answer = write_pending(text) ? call_buffer(text, "read", 0, 0) : VALUE_ERROR;
    Value all = decode_answer(text, answer, "read", 0) ? take_all(text) : VALUE_ERROR;
    text->ended = false;
    drop(answer);
    return all;
}

static Value read_text(TextIO *text, ssize_t limit, bool line)
{
    StrBuilder builder;
    bool complete = false, done = true;
    builder_begin(&builder);
    while ((done = take(text, &builder, limit, line, &complete)) && !complete) {
        bool was_ended = text->ended;
        done = read_chunk(text);
        bool empty = !text->decoded || text->at == str_length(text->decoded);
        if (!done || (text->ended && empty && (was_ended || text->ended))) break;
    }
    return finish_reading(text, &builder, done);
}

static bool can_read(const TextIO *text)
{
    return check_open(text) && (text->readable || raise_unsupported("not readable"));
}

static Value read_method(ValueRef self, METHOD_ARGS)
{
    ssize_t limit;
    if (!size_argument(nargs ? args[0] : 0, &limit) || !can_read(as_text_io(self)))
        return VALUE_ERROR;
    return limit < 0 ? read_all(as_text_io(self)) : read_text(as_text_io(self), limit, false);
}

static Value readline_method(ValueRef self, METHOD_ARGS)
{
    ssize_t limit;
    if (!size_argument(nargs ? args[0] : 0, &limit) || !can_read(as_text_io(self)))
        return VALUE_ERROR;
    return read_text(as_text_io(self), limit, true);
}

static Value next_line(ValueRef self)
{
    TextIO *text = as_text_io(self);
    text->iterating = true;
    Value line = is_exactly(self, &text_io_type) ? readline_method(self, NULL, 0, 0)
                                                 : object_call_method_none(self, NAME(readline));
    if (line && !str_check(line)) {
        raise_error(OSError, "readline() should have returned a str object, not '%.200T'",
                    (ValueRef)line);
        drop(line);
        return VALUE_ERROR;
    }
    if (!line || str_length(line)) return line;
    text->iterating = false;
    drop(line);
    return ABSENT;
}

// ---- the position

static bool left_over(const TextIO *text, int64_t *size)
{
    *size = (int64_t)text->undecoded_size;
    if (!text->decoded) return true;
    Value rest = str_substring(text->decoded, text->at, str_length(text->decoded));
    Value bytes = rest ? encode_without_mark(text, rest) : VALUE_ERROR;
    if (bytes) *size += as_bytes(bytes)->size;
    drop(rest);
    drop(bytes);
    return bytes != VALUE_ERROR;
}

// The position in the file from that of the buffer.
static Value find_position(TextIO *text, ValueRef position)
{
    int64_t left;
    if (text->flags && text->decoder && text->decoded) {
        Value decoder = retain(text->decoder), flags = retain(text->flags);
        Value input = retain(text->input), used = int_new(text->before + text->at);
        Value made = int_new(text->before + str_length(text->decoded));
        ValueRef args[] = {0, decoder, position, flags, input, used, made};
        Value cookie = call_position("cookie", args, 7);
        drop(decoder);
        drop(flags);
        drop(input);
        drop(used);
        drop(made);
        return cookie;
    }
    if (!left_over(text, &left)) return VALUE_ERROR;
    return left ? object_binary(position, from_small(left), OP_SUBTRACT) : retain(position);
}

static Value tell_method(ValueRef self, METHOD_ARGS)
{
    TextIO *text = as_text_io(self);
    bool seekable;
    if (!check_open(text) || !ask_buffer(text, "seekable", &seekable)) return VALUE_ERROR;
    if (!seekable) return raise_unsupported("underlying stream is not seekable");
    if (text->iterating) return raise_error(OSError, "telling position disabled by next() call");
    if (!text_io_flush(self)) return VALUE_ERROR;
    Value position = call_buffer(text, "tell", 0, 0);
    Value result = position && check_attached(text) ? find_position(text, position) : VALUE_ERROR;
    drop(position);
    return result;
}

static bool check_seek(const TextIO *text, ValueRef cookie, int whence)
{
    bool seekable, nonzero = false;
    if (!check_open(text) || !ask_buffer(text, "seekable", &seekable)) return false;
    if (!seekable) return raise_unsupported("underlying stream is not seekable");
    if (whence < 0 || whence > 2)
        return raise_error(ValueError, "invalid whence (%d, should be 0, 1 or 2)", whence);
    if (!object_truth(cookie, &nonzero)) return false;
    if (whence == 1 && nonzero) return raise_unsupported("can't do nonzero cur-relative seeks");
    if (whence == 2 && nonzero) return raise_unsupported("can't do nonzero end-relative seeks");
    return true;
}

static bool check_cookie(ValueRef cookie)
{
    bool negative;
    if (!object_compare_bool(cookie, from_small(0), COMPARE_LT, &negative)) return false;
    return !negative || raise_error(ValueError, "negative seek position %R", cookie);
}

// Whether this is (flags, input, text, how much of it is used): a script may have replaced
// restore().
static bool check_restored(ValueRef state, ssize_t *used)
{
    bool usual = tuple_check(state) && tuple_size(state) == 4 && str_check(tuple_at(state, 2));
    if (usual && !int_as_ssize(tuple_at(state, 3), used)) return false;
    if (usual && *used >= 0 && *used <= str_length(tuple_at(state, 2))) return true;
    return raise_error(OSError, "can't restore logical file position");
}

// To a position that find_position() has given for a codec's stream.
static Value go_to(TextIO *text, ValueRef cookie)
{
    Value decoder = half_of(text, &text->decoder, "incrementaldecoder");
    Value buffer = decoder && check_attached(text) ? retain(text->buffer) : VALUE_ERROR;
    ValueRef args[] = {0, buffer, decoder, cookie};
    Value state = buffer ? call_position("restore", args, 4) : VALUE_ERROR;
    ssize_t used;
    if (state && !check_restored(state, &used)) drop_slot(&state);
    if (state && text->telling) {
        replace_slot(&text->flags, retain(tuple_at(state, 0)));
        replace_slot(&text->input, retain(tuple_at(state, 1)));
        replace_slot(&text->decoded, retain(tuple_at(state, 2)));
        text->at = used;
        text->before = 0;
    }
    drop(buffer);
    drop(decoder);
    if (state) replace_slot(&state, retain(cookie));
    return state;
}

static Value seek_method(ValueRef self, METHOD_ARGS)
{
    TextIO *text = as_text_io(self);
    int whence = 0;
    if ((nargs > 1 && !argument_int(args[1], &whence)) || !check_seek(text, args[0], whence))
        return VALUE_ERROR;
    Value cookie = whence == 1 ? tell_method(self, NULL, 0, 0) : retain(args[0]);
    if (!cookie || (whence != 2 && !check_cookie(cookie)) || !text_io_flush(self)) {
        drop(cookie);
        return VALUE_ERROR;
    }
    forget_read(text);
    drop_slot(&text->encoder);
    text->iterating = false;
    bool opaque = text->codec && text->readable && whence != 2;
    Value result = opaque ? go_to(text, cookie)
                          : call_buffer(text, "seek", cookie, whence == 2 ? from_small(2) : 0);
    if (result && whence != 2) replace_slot(&result, retain(cookie)); // whatever the buffer says
    drop(cookie);
    if (result && !object_truth(result, &text->has_mark)) drop_slot(&result);
    if (!text->has_mark) text->decode_as = NULL;
    if (!text->has_mark || whence == 2) text->seen = 0;
    return result;
}

static Value truncate_method(ValueRef self, METHOD_ARGS)
{
    TextIO *text = as_text_io(self);
    if (!text_io_flush(self)) return VALUE_ERROR;
    return call_buffer(text, "truncate", nargs ? args[0] : (ValueRef)NONE, 0);
}

// ---- closing, and what is asked of the buffer

static Value close_method(ValueRef self, METHOD_ARGS)
{
    TextIO *text = as_text_io(self);
    bool closed;
    if (!buffer_is_closed(text, &closed)) return VALUE_ERROR;
    if (closed) return NONE;
    bool flushed = stream_call(self, "flush");
    Value error = error_take();
    bool done = tell_buffer(text, "close") && flushed;
    chain_error(error);
    return done ? NONE : VALUE_ERROR;
}

static Value detach_method(ValueRef self, METHOD_ARGS)
{
    TextIO *text = as_text_io(self);
    if (!check_attached(text) || !stream_call(self, "flush") || !check_attached(text))
        return VALUE_ERROR;
    Value buffer = text->buffer;
    text->buffer = VALUE_ERROR;
    return buffer;
}

static Value get_of_buffer(ValueRef self, const char *attribute)
{
    if (!check_attached(as_text_io(self))) return VALUE_ERROR;
    if (!stack_enter(" while calling a Python object")) return VALUE_ERROR; // as for get_raw()
    Value buffer = retain(as_text_io(self)->buffer), name = str_intern(attribute);
    Value result = name ? object_get(buffer, name) : VALUE_ERROR;
    drop(name);
    drop(buffer);
    stack_leave();
    return result;
}

static Value fileno_method(ValueRef self, METHOD_ARGS)
{
    return call_buffer(as_text_io(self), "fileno", 0, 0);
}
static Value isatty_method(ValueRef self, METHOD_ARGS)
{
    return call_buffer(as_text_io(self), "isatty", 0, 0);
}
static Value seekable_method(ValueRef self, METHOD_ARGS)
{
    return call_buffer(as_text_io(self), "seekable", 0, 0);
}
static Value readable_method(ValueRef self, METHOD_ARGS)
{
    return call_buffer(as_text_io(self), "readable", 0, 0);
}
static Value writable_method(ValueRef self, METHOD_ARGS)
{
    return call_buffer(as_text_io(self), "writable", 0, 0);
}
static Value get_closed(ValueRef self)
{
    return get_of_buffer(self, "closed");
}
static Value get_name(ValueRef self)
{
    return get_of_buffer(self, "name");
}

static Value get_newlines(ValueRef self)
{
    return check_attached(as_text_io(self)) ? newlines_seen(as_text_io(self)->seen) : VALUE_ERROR;
}

ValueRef text_io_buffer(ValueRef self)
{
    return as_text_io(self)->buffer;
}

static Value repr_method(ValueRef self)
{
    const TextIO *text = as_text_io(self);
    if (!text->encoding && !check_attached(text)) return VALUE_ERROR;
    Value encoding = retain(text->encoding);
    Value name = object_get_optional(self, NAME(name)), mode = VALUE_ERROR, result = VALUE_ERROR;
    if (!name) error_clear();
    bool has_name = name && name != ABSENT;
    mode = object_get_optional(self, NAME(mode));
    bool has_mode = mode && mode != ABSENT;
    Value name_text = has_name ? format_text(" name=%R", (ValueRef)name) : str_new("");
    Value mode_text = has_mode ? format_text(" mode=%R", (ValueRef)mode) : str_new("");
    if (mode && name_text && mode_text)
        result = format_text("<%T%S%S encoding=%R>", self, (ValueRef)name_text, (ValueRef)mode_text,
                             (ValueRef)encoding);
    drop(encoding);
    drop(name);
    drop(mode);
    drop(name_text);
    drop(mode_text);
    return result;
}

// ---- making one, and its end

// The buffer is asked before anything is changed, and what was there is dropped at the end: what
// that runs may use this stream, or begin to initialise it.
static bool set_up(TextIO *text, ValueRef buffer, const TextOptions *options)
{
    TextAbilities abilities = {0};
    Newlines newlines;
    const char *encoding = options->encoding ? options->encoding : "UTF-8";
    const char *errors = options->errors ? options->errors : "strict";
    if (!text_newline(options->newline, &newlines)) return false;
    Value held = retain(buffer), encoding_text = str_new(encoding), errors_text = str_new(errors);
    Value codec = VALUE_ERROR;
    bool known = encoding_known(encoding);
    if (!known) codec = registered_codec(encoding);
    if (!text->pending) text->pending = memory_alloc(CHUNK);
    if (!text->pending) raise_memory_error();
    if ((!known && !codec) || !encoding_text || !errors_text || !text->pending ||
        !text_ask_buffer(held, encoding, codec, &abilities)) {
        drop(held);
        drop(codec);
        drop(encoding_text);
        drop(errors_text);
        return false;
    }
    replace_slot(&text->encoding, encoding_text);
    replace_slot(&text->errors, errors_text);
    Value old[] = {text->codec, text->decoder, text->encoder, text->buffer};
    text->codec = codec;
    text->decoder = text->encoder = VALUE_ERROR;
    text->buffer = held;
    text->newlines = newlines;
    text->readable = abilities.readable;
    text->writable = abilities.writable;
    text->has_read1 = abilities.has_read1;
    text->has_mark = abilities.has_mark;
    text->telling = abilities.telling;
    text->is_utf8 = strcasecmp(encoding, "utf-8") == 0;
    text->line_buffering = options->line_buffering;
    text->write_through = options->write_through;
    text->decode_as = NULL;
    if (!text->chunk_size) text->chunk_size = CHUNK;
    forget_input(text);
    for (int i = 0; i < 4; i++) drop(old[i]);
    return true;
}

static Value text_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)args, (void)nargs, (void)kwnames;
    TextIO *text = object_alloc(type, 0);
    return text ? own(text) : VALUE_ERROR;
}

Value text_io_new(ValueRef buffer, const TextOptions *options)
{
    Value text = text_new(&text_io_type, NULL, 0, 0);
    if (text && !set_up(as_text_io(text), buffer, options)) drop_slot(&text);
    return text;
}

// Not usable again before __init__ has succeeded, and free of what was read or is to be written.
// What may run script code is dropped at the end.
static void text_forget(TextIO *text)
{
    Value buffer = text->buffer, codec = text->codec;
    text->buffer = text->codec = VALUE_ERROR;
    drop_slot(&text->encoding);
    text->pending_size = 0;
    text->seen = 0;
    text->iterating = text->flushes = text->telling = false;
    text->chunk_size = CHUNK;
    forget_read(text);
    drop(buffer);
    drop(codec);
}

static bool text_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"buffer",         "encoding",      "errors", "newline",
                                        "line_buffering", "write_through", NULL};
    static const Signature signature = {"TextIOWrapper", names, 1, 6};
    ValueRef given[6];
    TextOptions options = {0};
    if (!args_bind(&signature, args, nargs, kwnames, given) ||
        !text_option(given[1], "encoding", &options.encoding) ||
        !text_option(given[3], "newline", &options.newline) ||
        !text_flag(given[4], &options.line_buffering) ||
        !text_flag(given[5], &options.write_through))
        return false;
    text_forget(as_text_io(self));
    return text_option(given[2], "errors", &options.errors) &&
           set_up(as_text_io(self), given[0], &options);
}

// reconfigure(): what can be changed while the stream is open.
static Value reconfigure(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"encoding",       "errors",        "newline",
                                        "line_buffering", "write_through", NULL};
    static const Signature signature = {"reconfigure", names, 0, 0};
    TextIO *text = as_text_io(self);
    ValueRef given[5];
    TextOptions options = {.line_buffering = text->line_buffering,
                           .write_through = text->write_through};
    if (!args_bind(&signature, args, nargs, kwnames, given) || !text_io_flush(self))
        return VALUE_ERROR;
    static const char *const kept[] = {NULL, "", "\n", "\r", "\r\n"};
    options.newline = kept[text->newlines];
    if (given[2] == NONE) options.newline = NULL;
    bool has_read = text->decoded && text->at < str_length(text->decoded);
    if ((given[0] || given[1] || given[2]) && has_read)
        return raise_unsupported("It is not possible to set the encoding or newline of stream "
                                 "after the first read");
    Value encoding = retain(given[0] && given[0] != NONE ? given[0] : text->encoding);
    Value errors = retain(given[1] && given[1] != NONE   ? given[1]
                          : given[0] && given[0] != NONE ? NONE
                                                         : text->errors);
    bool done = text_option(encoding, "encoding", &options.encoding) &&
                text_option(errors, "errors", &options.errors) &&
                text_option(given[2], "newline", &options.newline) &&
                (given[3] == NONE || text_flag(given[3], &options.line_buffering)) &&
                (given[4] == NONE || text_flag(given[4], &options.write_through)) &&
                check_attached(text) && set_up(text, text->buffer, &options);
    drop(encoding);
    drop(errors);
    return done ? NONE : VALUE_ERROR;
}

static void text_traverse(Object *self, VisitFn visit, void *arg)
{
    const TextIO *text = (const TextIO *)self;
    stream_traverse(self, visit, arg);
    visit(text->buffer, arg);
    visit(text->codec, arg);
    visit(text->decoder, arg);
    visit(text->encoder, arg);
    visit(text->flags, arg);
}

static void text_clear(Object *self)
{
    TextIO *text = (TextIO *)self;
    stream_clear(self);
    drop_slot(&text->buffer);
    drop_slot(&text->codec);
    drop_slot(&text->decoder);
    drop_slot(&text->encoder);
    forget_input(text);
}

static void text_release(Object *self)
{
    TextIO *text = (TextIO *)self;
    text_clear(self);
    drop_slot(&text->encoding);
    drop_slot(&text->errors);
    drop_slot(&text->decoded);
    memory_free(text->pending);
}

static const MethodDef methods[] = {
    {"detach", detach_method, NO_ARGS, NULL},
    {"write", write_method, ONE_ARG, NULL},
    {"read", read_method, ARGS(0, 1), NULL},
    {"readline", readline_method, ARGS(0, 1), NULL},
    {"flush", flush_method, NO_ARGS, NULL},
    {"close", close_method, NO_ARGS, NULL},
    {"fileno", fileno_method, NO_ARGS, NULL},
    {"seekable", seekable_method, NO_ARGS, NULL},
    {"readable", readable_method, NO_ARGS, NULL},
    {"writable", writable_method, NO_ARGS, NULL},
    {"isatty", isatty_method, NO_ARGS, NULL},
    {"seek", seek_method, ARGS(1, 2), NULL},
    {"tell", tell_method, NO_ARGS, NULL},
    {"truncate", truncate_method, ARGS(0, 1), NULL},
    {"reconfigure", reconfigure, KEYWORD_ARGS, NULL},
    {0},
};

static const MemberDef members[] = {
    {"encoding", MEMBER_VALUE, offsetof(TextIO, encoding), true, NULL},
    {"buffer", MEMBER_VALUE, offsetof(TextIO, buffer), true, NULL},
    {"line_buffering", MEMBER_BOOL, offsetof(TextIO, line_buffering), true, NULL},
    {"write_through", MEMBER_BOOL, offsetof(TextIO, write_through), true, NULL},
    {0},
};

static Value get_errors(ValueRef self)
{
    const TextIO *text = as_text_io(self);
    if (!text->encoding) return check_attached(text), VALUE_ERROR;
    return retain(text->errors);
}

static Value get_chunk_size(ValueRef self)
{
    if (!check_attached(as_text_io(self))) return VALUE_ERROR;
    return int_new(as_text_io(self)->chunk_size);
}

static bool set_chunk_size(ValueRef self, ValueRef value)
{
    ssize_t size;
    if (!check_attached(as_text_io(self))) return false;
    if (!value) return raise_error(AttributeError, "cannot delete attribute");
    if (!object_as_ssize(value, &size, ValueError)) return false;
    if (size <= 0) return raise_error(ValueError, "a strictly positive integer is required");
    as_text_io(self)->chunk_size = size;
    return true;
}

static const GetSetDef getset[] = {
    {"_CHUNK_SIZE", get_chunk_size, set_chunk_size, NULL},
    {"closed", get_closed, NULL, NULL},
    {"errors", get_errors, NULL, NULL},
    {"name", get_name, NULL, NULL},
    {"newlines", get_newlines, NULL, NULL},
    {0},
};

Type text_io_type = {
    STATIC_TYPE("_io.TextIOWrapper", sizeof(TextIO)),
    .flags = TYPE_BASE | TYPE_GC,
    .base_type = &text_base_type,
    .methods = methods,
    .members = members,
    .getset = getset,
    .new_ = text_new,
    .init = text_init,
    .release = text_release,
    .traverse = text_traverse,
    .clear = text_clear,
    .repr = repr_method,
    .next = next_line,
};
