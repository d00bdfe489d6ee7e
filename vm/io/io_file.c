// FileIO: reads and writes bytes by system calls. Also open(), which puts the other streams over
// it.
#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/bytes/codecs.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/instance.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/builtins/warn.h"
#include "vm/io/io.h"
#include "vm/io/io_descriptor.h"
#include "vm/io/path.h"
#include "vm/io/stream.h"
#include "vm/outside/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static FileIO *as_file(ValueRef value)
{
    return (FileIO *)object_of(value);
}

// ---- modes

// One of r w a x, and perhaps +; `b` says nothing here.
static bool parse_mode(FileIO *file, const char *mode, int *flags)
{
    int kinds = 0;
    bool plus = false;
    for (const char *letter = mode; *letter; letter++) {
        switch (*letter) {
        case 'r': kinds++, file->readable = true, *flags = 0; break;
        case 'w': kinds++, file->writable = true, *flags = O_CREAT | O_TRUNC; break;
        case 'a':
            kinds++, file->writable = file->appending = true, *flags = O_CREAT | O_APPEND;
            break;
        case 'x': kinds++, file->writable = file->created = true, *flags = O_CREAT | O_EXCL; break;
        case '+':
            if (plus) kinds = 2;
            plus = file->readable = file->writable = true;
            break;
        case 'b': break;
        default: return raise_error(ValueError, "invalid mode: %.200s", mode);
        }
    }
    if (kinds != 1)
        return raise_error(ValueError, "Must have exactly one of create/read/write/append mode and "
                                       "at most one plus");
    *flags |= plus ? O_RDWR : file->writable ? O_WRONLY : O_RDONLY;
    return true;
}

static const char *mode_text(const FileIO *file)
{
    if (file->created) return file->readable ? "xb+" : "xb";
    if (file->appending) return file->readable ? "ab+" : "ab";
    if (file->readable) return file->writable ? "rb+" : "rb";
    return "wb";
}

// ---- opening

static bool open_by(FileIO *file, ValueRef opener, ValueRef path, int flags)
{
    Value number = object_call_two(opener, path, from_small(flags));
    if (!number) return false;
    int64_t descriptor = INT64_MAX;
    bool is_int = int_check(number);
    if (is_int && int_as_int64_clamped(number, &descriptor)) descriptor = INT64_MAX;
    drop(number);
    if (!is_int) return raise_error(TypeError, "expected integer from opener");
    if (descriptor != (int)descriptor)
        return raise_error(OverflowError, "Python int too large to convert to C int");
    if (descriptor < 0) return raise_error(ValueError, "opener returned %d", (int)descriptor);
    if (outside_is_aside((int)descriptor)) return raise_os_error(errno, 0);
    file->descriptor = (int)descriptor;
    return true;
}

static bool open_name(FileIO *file, ValueRef path, const char *name, int flags)
{
    file->descriptor = outside_open(name, flags, 0666);
    if (file->descriptor < 0 && !error_pending()) raise_os_error(errno, path);
    return file->descriptor >= 0;
}

static bool open_path(FileIO *file, ValueRef path, int flags, ValueRef opener)
{
    bool done;
    Value bytes = path_bytes(path);
    if (!bytes) return false;
    if (strlen(as_bytes(bytes)->data) != (size_t)as_bytes(bytes)->size)
        done = raise_error(ValueError, "embedded null byte");
    else if (!file->close_descriptor)
        done = raise_error(ValueError, "Cannot use closefd=False with file name");
    else if (opener && opener != NONE)
        done = open_by(file, opener, path, flags);
    else
        done = open_name(file, path, as_bytes(bytes)->data, flags);
    drop(bytes);
    return done;
}

static bool refuse_folder(FileIO *file, ValueRef path)
{
    if (outside_descriptor_kind(file->descriptor) != FILE_DIRECTORY) return true;
    return raise_os_error(EISDIR, path);
}

// A descriptor instead of a path: -1 = it is none, and may be a path. False = it is neither.
static bool descriptor_argument(ValueRef path, int *descriptor)
{
    int64_t number = INT64_MAX;
    *descriptor = -1;
    if (float_check(path)) return raise_error(TypeError, "integer argument expected, got float");
    if (str_check(path) || bytes_check(path)) return true;
    Value index = object_index_or_int(path);
    if (!index || int_as_int64_clamped(index, &number) || number != (int)number) number = INT64_MAX;
    drop(index);
    error_clear();
    if (number == INT64_MAX) return true;
    if (number < 0) return raise_error(ValueError, "negative file descriptor");
    *descriptor = (int)number;
    return true;
}

// Takes over a descriptor that is open.
static bool open_given(FileIO *file, int descriptor)
{
    if (outside_is_aside(descriptor) || outside_descriptor_kind(descriptor) == FILE_MISSING)
        return raise_os_error(EBADF, 0);
    file->descriptor = descriptor;
    return true;
}

static bool file_open(FileIO *file, ValueRef path, const char *mode, bool close_descriptor,
                      ValueRef opener)
{
    int flags = 0, descriptor;
    file->descriptor = -1;
    file->close_descriptor = close_descriptor;
    if (!descriptor_argument(path, &descriptor) || !parse_mode(file, mode, &flags)) return false;
    if (descriptor >= 0 ? !open_given(file, descriptor) : !open_path(file, path, flags, opener))
        return false;
    bool done = refuse_folder(file, path) && object_set(ref_of(file), NAME(name), path);
    if (done && file->appending) outside_seek(file->descriptor, 0, SEEK_END);
    if (done) return true;
    if (descriptor < 0 && file->descriptor >= 0) outside_close(file->descriptor);
    file->descriptor = -1;
    return false;
}

static Value file_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)args, (void)nargs, (void)kwnames;
    FileIO *file = object_alloc(type, 0);
    if (!file) return VALUE_ERROR;
    file->descriptor = -1;
    file->close_descriptor = true;
    return own(file);
}

// __init__ once more: the file that is open is closed.
static bool close_descriptor_of(FileIO *file)
{
    int descriptor = file->descriptor;
    file->descriptor = -1;
    if (descriptor < 0 || !file->close_descriptor || !descriptor_close(descriptor)) return true;
    return error_pending() ? false : raise_os_error(errno, 0);
}

static bool file_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"file", "mode", "closefd", "opener", NULL};
    static const Signature signature = {"FileIO", names, 1, 4};
    ValueRef given[4];
    bool close_descriptor = true;
    if (!args_bind(&signature, args, nargs, kwnames, given)) return false;
    if (given[1] && !str_check(given[1]))
        return raise_error(TypeError, "FileIO() argument 'mode' must be str, not %G", given[1]);
    const char *mode = given[1] ? str_utf8(given[1], NULL) : "r";
    if (!mode || (given[2] && !object_truth(given[2], &close_descriptor))) return false;
    return close_descriptor_of(as_file(self)) &&
           file_open(as_file(self), given[0], mode, close_descriptor, given[3]);
}

// The name of the file, and of its errors, is what os.fspath() gives.
static Value open_raw(ValueRef path, const char *mode, bool close_descriptor, ValueRef opener)
{
    Value name = object_is_number(path) ? retain(path) : path_of(path);
    Value file = name ? file_new(&file_io_type, NULL, 0, 0) : VALUE_ERROR;
    if (file && !file_open(as_file(file), name, mode, close_descriptor, opener)) drop_slot(&file);
    drop(name);
    return file;
}

static Value open_descriptor(int descriptor, const char *mode, ValueRef name)
{
    Value file = open_raw(from_small(descriptor), mode, false, 0);
    ValueRef attributes = file ? object_dict(file) : 0;
    if (file && (!attributes || !dict_set(attributes, NAME(name), name))) drop_slot(&file);
    return file;
}

// ---- methods

static bool check_file(const FileIO *file)
{
    return file->descriptor >= 0 || raise_error(ValueError, "I/O operation on closed file");
}

static bool check_readable(const FileIO *file)
{
    if (!check_file(file)) return false;
    return file->readable || raise_unsupported("File not open for reading");
}

static bool check_writable(const FileIO *file)
{
    if (!check_file(file)) return false;
    return file->writable || raise_unsupported("File not open for writing");
}

static Value failed_call(void)
{
    return error_pending() ? VALUE_ERROR : raise_os_error(errno, 0);
}

// The call would have had to wait, for a descriptor that does not (os.set_blocking).
static bool would_wait(ssize_t count)
{
    return count < 0 && errno == EAGAIN && !error_pending();
}

// What a call returns to the script that moves bytes.
static Value moved(ssize_t count)
{
    if (would_wait(count)) return NONE;
    return count < 0 ? failed_call() : int_new(count);
}

// What would have to wait ends the file, for now.
static ssize_t read_what_is_there(int descriptor, void *bytes, size_t size)
{
    ssize_t count = descriptor_read(descriptor, bytes, size);
    return would_wait(count) ? 0 : count;
}

static Value file_readall(ValueRef self, METHOD_ARGS)
{
    size_t size;
    if (!check_readable(as_file(self))) return VALUE_ERROR;
    errno = 0;
    char *bytes = outside_read_all_by(read_what_is_there, as_file(self)->descriptor, &size);
    if (!bytes) return errno == ENOMEM ? raise_memory_error() : failed_call();
    Value result = size == 0 && errno == EAGAIN ? NONE : bytes_new(bytes, size);
    memory_free(bytes);
    return result;
}

static Value file_read(ValueRef self, METHOD_ARGS)
{
    ssize_t size;
    if (!check_readable(as_file(self)) || !size_argument(nargs ? args[0] : 0, &size))
        return VALUE_ERROR;
    if (size < 0) return file_readall(self, NULL, 0, 0);
    char *bytes = memory_alloc((size_t)size + 1);
    if (!bytes) return raise_memory_error();
    ssize_t count = descriptor_read(as_file(self)->descriptor, bytes, (size_t)size);
    Value result = count < 0 ? moved(count) : bytes_new(bytes, (size_t)count);
    memory_free(bytes);
    return result;
}

static Value file_readinto(ValueRef self, METHOD_ARGS)
{
    Buffer buffer;
    if (!fill_argument(args[0], "readinto", &buffer)) return VALUE_ERROR;
    Value result = VALUE_ERROR;
    if (check_readable(as_file(self))) {
        ssize_t count =
            descriptor_read(as_file(self)->descriptor, buffer.bytes, (size_t)buffer.size);
        result = moved(count);
    }
    buffer_release(&buffer);
    return result;
}

ssize_t file_io_write(const FileIO *file, const void *bytes, size_t size)
{
    ssize_t count = descriptor_write(file->descriptor, bytes, size);
    if (count > 0 && upcalls.observe_output)
        upcalls.observe_output(file->descriptor, bytes, (size_t)count);
    return count;
}

bool file_io_put(ValueRef self, const char *bytes, size_t size)
{
    while (size > 0) {
        if (!check_writable(as_file(self))) return false; // closed by a signal's handler
        ssize_t count = file_io_write(as_file(self), bytes, size);
        if (count < 0) return failed_call();
        bytes += count;
        size -= (size_t)count;
    }
    return true;
}

static Value file_write(ValueRef self, METHOD_ARGS)
{
    Buffer buffer;
    if (!check_writable(as_file(self)) || !buffer_get(args[0], &buffer, false)) return VALUE_ERROR;
    ssize_t count = file_io_write(as_file(self), buffer.bytes, (size_t)buffer.size);
    Value result = moved(count);
    buffer_release(&buffer);
    return result;
}

// A file may be longer than memory.
static bool as_offset(ValueRef value, int64_t *offset)
{
    Value index = object_index(value);
    bool done = index && int_as_int64(index, offset);
    drop(index);
    return done;
}

static Value file_seek(ValueRef self, METHOD_ARGS)
{
    int64_t offset;
    int whence = 0;
    if (!check_file(as_file(self)) || !as_offset(args[0], &offset) ||
        (nargs > 1 && !argument_int(args[1], &whence)))
        return VALUE_ERROR;
    off_t position = outside_seek(as_file(self)->descriptor, offset, whence);
    return position < 0 ? failed_call() : int_new(position);
}

static Value file_tell(ValueRef self, METHOD_ARGS)
{
    if (!check_file(as_file(self))) return VALUE_ERROR;
    off_t position = outside_seek(as_file(self)->descriptor, 0, SEEK_CUR);
    return position < 0 ? failed_call() : int_new(position);
}

static Value file_truncate(ValueRef self, METHOD_ARGS)
{
    if (!check_writable(as_file(self))) return VALUE_ERROR;
    int64_t size = -1;
    if (nargs && args[0] != NONE) {
        if (!as_offset(args[0], &size)) return VALUE_ERROR;
    } else {
        size = outside_seek(as_file(self)->descriptor, 0, SEEK_CUR);
    }
    return outside_truncate(as_file(self)->descriptor, size) ? failed_call() : int_new(size);
}

static Value file_close(ValueRef self, METHOD_ARGS)
{
    FileIO *file = as_file(self);
    bool done = file->descriptor < 0 || stream_call(self, "flush"); // perhaps a subclass's
    Value error = error_take();
    int descriptor = file->descriptor;
    file->descriptor = -1;
    file->stream.closed = true;
    if (descriptor >= 0 && file->close_descriptor && descriptor_close(descriptor)) {
        failed_call();
        done = false;
    }
    chain_error(error);
    return done ? NONE : VALUE_ERROR;
}

static Value file_fileno(ValueRef self, METHOD_ARGS)
{
    return check_file(as_file(self)) ? from_small(as_file(self)->descriptor) : VALUE_ERROR;
}

static Value file_isatty(ValueRef self, METHOD_ARGS)
{
    if (!check_file(as_file(self))) return VALUE_ERROR;
    return from_bool(outside_is_terminal(as_file(self)->descriptor));
}

static Value file_seekable(ValueRef self, METHOD_ARGS)
{
    if (!check_file(as_file(self))) return VALUE_ERROR;
    return from_bool(outside_seek(as_file(self)->descriptor, 0, SEEK_CUR) >= 0);
}

static Value file_readable(ValueRef self, METHOD_ARGS)
{
    return check_file(as_file(self)) ? from_bool(as_file(self)->readable) : VALUE_ERROR;
}

static Value file_writable(ValueRef self, METHOD_ARGS)
{
    return check_file(as_file(self)) ? from_bool(as_file(self)->writable) : VALUE_ERROR;
}

static Value file_closed(ValueRef self)
{
    return from_bool(as_file(self)->descriptor < 0);
}
static Value file_closefd(ValueRef self)
{
    return from_bool(as_file(self)->close_descriptor);
}
static Value file_mode(ValueRef self)
{
    return str_new(mode_text(as_file(self)));
}

static Value file_repr(ValueRef self)
{
    const FileIO *file = as_file(self);
    if (file->descriptor < 0) return str_new("<_io.FileIO [closed]>");
    ValueRef attributes = object_dict(self);
    ValueRef name = attributes ? dict_peek(attributes, NAME(name)) : 0;
    const char *closes = file->close_descriptor ? "True" : "False";
    if (!name)
        return format_text("<_io.FileIO fd=%d mode='%s' closefd=%s>", file->descriptor,
                           mode_text(file), closes);
    return format_text("<_io.FileIO name=%R mode='%s' closefd=%s>", name, mode_text(file), closes);
}

static const MethodDef file_methods[] = {
    {"read", file_read, ARGS(0, 1), NULL},         {"readall", file_readall, NO_ARGS, NULL},
    {"readinto", file_readinto, ONE_ARG, NULL},    {"write", file_write, ONE_ARG, NULL},
    {"seek", file_seek, ARGS(1, 2), NULL},         {"tell", file_tell, NO_ARGS, NULL},
    {"truncate", file_truncate, ARGS(0, 1), NULL}, {"close", file_close, NO_ARGS, NULL},
    {"seekable", file_seekable, NO_ARGS, NULL},    {"readable", file_readable, NO_ARGS, NULL},
    {"writable", file_writable, NO_ARGS, NULL},    {"fileno", file_fileno, NO_ARGS, NULL},
    {"isatty", file_isatty, NO_ARGS, NULL},        {0},
};

static const GetSetDef file_getset[] = {
    {"closed", file_closed, NULL, "True if the file is closed"},
    {"closefd", file_closefd, NULL, NULL},
    {"mode", file_mode, NULL, NULL},
    {0},
};

Type file_io_type = {
    STATIC_TYPE("_io.FileIO", sizeof(FileIO)),
    .flags = TYPE_BASE | TYPE_GC,
    .base_type = &raw_base_type,
    .methods = file_methods,
    .getset = file_getset,
    .new_ = file_new,
    .init = file_init,
    .repr = file_repr,
};

// ---- open()

typedef struct OpenMode {
    bool text, binary, update;
    char raw[4]; // what FileIO gets
    int kinds;
} OpenMode;

static bool parse_open_mode(const char *mode, OpenMode *parsed)
{
    bool universal = strchr(mode, 'U');
    for (const char *letter = mode; *letter; letter++) {
        bool known = strchr("rwaxbtU+", *letter), again = strchr(letter + 1, *letter);
        if (!known || again) return raise_error(ValueError, "invalid mode: '%s'", mode);
        if (*letter == 'b') parsed->binary = true;
        if (*letter == 't') parsed->text = true;
        if (*letter == '+') parsed->update = true;
        if (!strchr("rwax", *letter)) continue;
        parsed->kinds++;
        parsed->raw[0] = *letter;
    }
    if (universal) {
        if (parsed->update || (parsed->kinds && !strchr(mode, 'r')) || parsed->kinds > 1)
            return raise_error(ValueError, "mode U cannot be combined with 'x', 'w', 'a', or '+'");
        if (!warn_from_frame(DeprecationWarning, "'U' mode is deprecated", 1)) return false;
        parsed->raw[0] = 'r';
    }
    if (parsed->update) strcat(parsed->raw, "+");
    if (parsed->text && parsed->binary)
        return raise_error(ValueError, "can't have text and binary mode at once");
    if (parsed->kinds > 1)
        return raise_error(ValueError, "must have exactly one of create/read/write/append mode");
    return true;
}

static bool check_line_buffering(const OpenMode *mode, ssize_t buffering)
{
    if (!mode->binary || buffering != 1) return true;
    return warn_from_frame(RuntimeWarning,
                           "line buffering (buffering=1) isn't supported in binary mode, the "
                           "default buffer size will be used",
                           1);
}

static bool text_only(const OpenMode *mode, ValueRef value, const char *name)
{
    if (!mode->binary || !value || value == NONE) return true;
    return raise_error(ValueError, "binary mode doesn't take %s argument", name);
}

static bool text_argument(ValueRef value, const char *name, const char **text)
{
    if (!value || value == NONE) return true;
    if (!str_check(value))
        return raise_error(TypeError, "open() argument '%s' must be str or None, not %T", name,
                           value);
    *text = str_utf8(value, NULL);
    return *text != NULL;
}

// A file that was opened in vain is closed at once.
static void close_in_vain(ValueRef raw)
{
    Value error = error_take();
    if (!stream_call(raw, "close")) error_clear();
    error_restore(error);
}

static Value wrap_buffered(Value raw, const OpenMode *mode, ssize_t buffering)
{
    Type *type = mode->update          ? &buffered_random_type
                 : mode->raw[0] == 'r' ? &buffered_reader_type
                                       : &buffered_writer_type;
    Value buffered = buffered_new(type, raw, buffering);
    drop(raw);
    return buffered;
}

static Value wrap_text(Value buffered, const char *mode, const TextOptions *options)
{
    Value text = text_io_new(buffered, options);
    if (!text) close_in_vain(buffered);
    drop(buffered);
    ValueRef attributes = text ? object_dict(text) : 0;
    if (text && (!attributes || !dict_set_owned(attributes, NAME(mode), str_new(mode))))
        drop_slot(&text);
    return text;
}

static Value build_streams(ValueRef raw, const char *text_mode, const OpenMode *mode,
                           ssize_t buffering, TextOptions *options)
{
    bool terminal = buffering < 0 && outside_is_terminal(as_file(raw)->descriptor);
    options->line_buffering = buffering == 1 || terminal;
    if (buffering == 0)
        return mode->binary ? retain(raw)
                            : raise_error(ValueError, "can't have unbuffered text I/O");
    Value buffered = wrap_buffered(retain(raw), mode, buffering > 1 ? buffering : -1);
    return buffered && !mode->binary ? wrap_text(buffered, text_mode, options) : buffered;
}

Value io_open(FUNCTION_ARGS)
{
    static const char *const names[] = {"file",    "mode",    "buffering", "encoding", "errors",
                                        "newline", "closefd", "opener",    NULL};
    static const Signature signature = {"open", names, 1, 8};
    ValueRef given[8];
    ssize_t buffering = -1;
    bool close_descriptor = true;
    const char *text_mode = "r";
    OpenMode mode = {0};
    TextOptions options = {0};
    if (!args_bind(&signature, args, nargs, kwnames, given) ||
        !text_argument(given[1], "mode", &text_mode) ||
        (given[2] && !object_as_ssize(given[2], &buffering, OverflowError)) ||
        !text_argument(given[3], "encoding", &options.encoding) ||
        !text_argument(given[4], "errors", &options.errors) ||
        !text_argument(given[5], "newline", &options.newline) ||
        (given[6] && !object_truth(given[6], &close_descriptor)) ||
        !parse_open_mode(text_mode, &mode) || !text_only(&mode, given[3], "an encoding") ||
        !text_only(&mode, given[4], "an errors") || !text_only(&mode, given[5], "a newline") ||
        !check_line_buffering(&mode, buffering))
        return VALUE_ERROR;
    Value raw = open_raw(given[0], mode.raw, close_descriptor, given[7]);
    Value stream = raw ? build_streams(raw, text_mode, &mode, buffering, &options) : VALUE_ERROR;
    if (raw && !stream) close_in_vain(raw);
    drop(raw);
    return stream;
}

static char standard_encoding[64] = "utf-8", standard_errors[64] = "strict";

void stream_choose_text(const char *encoding, const char *errors)
{
    encoding_name(encoding, standard_encoding, sizeof standard_encoding);
    snprintf(standard_errors, sizeof standard_errors, "%s", errors);
}

Value stream_standard(int descriptor, const char *name, bool writes, bool unbuffered)
{
    FileKind kind = outside_descriptor_kind(descriptor);
    if (kind == FILE_MISSING) return NONE;
    if (kind == FILE_DIRECTORY)
        return raise_error(RuntimeError, "%s is a directory, cannot continue", name);
    Value text = str_new(name);
    Value raw = text ? open_descriptor(descriptor, writes ? "wb" : "rb", text) : VALUE_ERROR;
    drop(text);
    if (!raw) return VALUE_ERROR;
    Value buffered =
        unbuffered && writes
            ? retain(raw)
            : buffered_new(writes ? &buffered_writer_type : &buffered_reader_type, raw, -1);
    drop(raw);
    TextOptions options = {
        .encoding = standard_encoding,
        .errors = descriptor == 2 ? "backslashreplace" : standard_errors,
        .newline = "\n",
        .line_buffering = descriptor == 2 || outside_is_terminal(descriptor),
        .write_through = unbuffered,
    };
    return buffered ? wrap_text(buffered, writes ? "w" : "r", &options) : VALUE_ERROR;
}
