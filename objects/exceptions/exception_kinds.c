// The kinds of exceptions that have more attributes than args: how their constructors set the
// attributes, and how they print.
//
//     StopIteration  value             SyntaxError   msg filename lineno offset text ...
//     SystemExit     code              UnicodeError  encoding object start end reason
//     ImportError    msg name path     OSError       errno strerror filename filename2
//     KeyError       (its str() is the repr of the key)
//
// An attribute that was not given is VALUE_ERROR, which a script sees as None.
#include "objects/exceptions/exception_layout.h"

#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"

#include <errno.h>

static void set_retained(Value *slot, ValueRef value)
{
    replace_slot(slot, retain(value));
}

// ---- StopIteration and SystemExit

static bool stop_iteration_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (!exception_init_args(self, args, nargs, kwnames)) return false;
    set_retained(&as_exception(self)->stop_iteration.value, nargs > 0 ? args[0] : (ValueRef)NONE);
    return true;
}

static const MemberDef stop_iteration_members[] = {
    {"value", MEMBER_VALUE, offsetof(ExceptionObject, stop_iteration.value), false,
     "generator return value"},
    {0},
};

const ExceptionLayout layout_stop_iteration = {
    .values = 1, .init = stop_iteration_init, .members = stop_iteration_members};

static bool system_exit_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (!exception_init_args(self, args, nargs, kwnames)) return false;
    ExceptionObject *exception = as_exception(self);
    if (nargs > 0)
        set_retained(&exception->system_exit.code, nargs == 1 ? args[0] : exception->args);
    return true;
}

static const MemberDef system_exit_members[] = {
    {"code", MEMBER_VALUE, offsetof(ExceptionObject, system_exit.code), false, "exception code"},
    {0},
};

const ExceptionLayout layout_system_exit = {
    .values = 1, .init = system_exit_init, .members = system_exit_members};

// ---- ImportError

static bool import_error_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"name", "path", NULL};
    static const Signature signature = {"ImportError", names, 0, 0};
    ValueRef slots[2];
    if (!exception_init_args(self, args, nargs, 0)) return false;
    if (!args_bind(&signature, args + nargs, 0, kwnames, slots)) return false;
    ExceptionObject *exception = as_exception(self);
    set_retained(&exception->import_error.name, slots[0]);
    set_retained(&exception->import_error.path, slots[1]);
    set_retained(&exception->import_error.msg, nargs == 1 ? args[0] : VALUE_ERROR);
    return true;
}

static Value import_error_str(ValueRef self)
{
    ValueRef msg = as_exception(self)->import_error.msg;
    return msg && str_check_exact(msg) ? retain(msg) : exception_str(self);
}

// The attributes with name and path, as __setstate__ takes them; ABSENT where there are none.
static Value import_error_state(ValueRef self)
{
    const ExceptionObject *exception = as_exception(self);
    if (!exception->import_error.name && !exception->import_error.path)
        return exception->dict ? retain(exception->dict) : ABSENT;
    // Held: a key of the dict may set the attributes in its __eq__.
    Value name = retain(exception->import_error.name), path = retain(exception->import_error.path);
    Value state = exception->dict ? dict_copy(exception->dict) : dict_new();
    if (state && ((name && !dict_set(state, NAME(name), name)) ||
                  (path && !dict_set(state, NAME(path), path))))
        drop_slot(&state);
    drop(name);
    drop(path);
    return state;
}

static Value import_error_reduce(ValueRef self, METHOD_ARGS)
{
    Value state = import_error_state(self);
    if (!state) return VALUE_ERROR;
    ValueRef args_tuple = as_exception(self)->args;
    Value result = exception_reduce_with(self, args_tuple, state == ABSENT ? VALUE_ERROR : state);
    drop(state);
    return result;
}

static const MethodDef import_error_methods[] = {
    {"__reduce__", import_error_reduce, NO_ARGS, NULL},
    {0},
};

static const MemberDef import_error_members[] = {
    {"msg", MEMBER_VALUE, offsetof(ExceptionObject, import_error.msg), false, "exception message"},
    {"name", MEMBER_VALUE, offsetof(ExceptionObject, import_error.name), false, "module name"},
    {"path", MEMBER_VALUE, offsetof(ExceptionObject, import_error.path), false, "module path"},
    {0},
};

const ExceptionLayout layout_import_error = {
    .values = 3,
    .init = import_error_init,
    .str = import_error_str,
    .methods = import_error_methods,
    .members = import_error_members,
};

// ---- OSError

static bool os_error_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
static Value os_error_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames);

static Type *os_error_type(int64_t number)
{
    switch (number) {
    case EAGAIN:
    case EALREADY:
    case EINPROGRESS: return BlockingIOError;
    case EPIPE:
    case ESHUTDOWN: return BrokenPipeError;
    case ECHILD: return ChildProcessError;
    case ECONNABORTED: return ConnectionAbortedError;
    case ECONNREFUSED: return ConnectionRefusedError;
    case ECONNRESET: return ConnectionResetError;
    case EEXIST: return FileExistsError;
    case ENOENT: return FileNotFoundError;
    case EISDIR: return IsADirectoryError;
    case ENOTDIR: return NotADirectoryError;
    case EINTR: return InterruptedError;
    case EACCES:
    case EPERM: return PermissionError;
    case ESRCH: return ProcessLookupError;
    case ETIMEDOUT: return TimeoutError;
    default: return OSError;
    }
}

// If a subclass has its own __init__ but no __new__, it must call OSError.__init__ itself. For all
// others __new__ has done everything, because the arguments decide the class.
static bool fills_in_init(const Type *type)
{
    return type->init != os_error_init && type->new_ == os_error_new;
}

static bool is_given(ValueRef value)
{
    return value && value != NONE;
}

#define NOT_WRITTEN (-1)

static bool os_error_set_written(ValueRef self, ValueRef value)
{
    ssize_t written = NOT_WRITTEN, *field = &as_exception(self)->os_error.written;
    if (!value && *field == NOT_WRITTEN) return raise_error(AttributeError, "characters_written");
    if (value && !object_as_ssize(value, &written, ValueError)) return false;
    *field = written;
    return true;
}

// OSError(errno, strerror[, filename[, winerror[, filename2]]])
static bool os_error_fill(ValueRef self, const ValueRef *args, size_t nargs)
{
    ExceptionObject *exception = as_exception(self);
    size_t kept = nargs;
    if (nargs >= 2 && nargs <= 5) {
        ValueRef filename = nargs > 2 ? args[2] : VALUE_ERROR;
        ValueRef filename2 = nargs > 4 ? args[4] : VALUE_ERROR;
        if (is_given(filename) && type_of(self) == BlockingIOError && object_is_number(filename)) {
            if (!os_error_set_written(self, filename)) return false;
        } else if (is_given(filename)) {
            set_retained(&exception->os_error.filename, filename);
            if (is_given(filename2)) set_retained(&exception->os_error.filename2, filename2);
            kept = 2;
        }
        set_retained(&exception->os_error.error_number, args[0]);
        set_retained(&exception->os_error.strerror, args[1]);
    }
    return exception_init_args(self, args, kept, 0);
}

static Value os_error_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    bool later = fills_in_init(type);
    if (!later && !args_no_keywords(type->name, kwnames)) return VALUE_ERROR;
    if (!later && type == OSError && nargs >= 2 && nargs <= 5 && int_check(args[0])) {
        int64_t number;
        if (!int_as_int64_clamped(args[0], &number)) type = os_error_type(number);
    }
    Value self = exception_alloc(type, NULL, 0);
    if (!self) return VALUE_ERROR;
    as_exception(self)->os_error.written = NOT_WRITTEN;
    if (later || os_error_fill(self, args, nargs)) return self;
    drop(self);
    return VALUE_ERROR;
}

static bool os_error_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (!fills_in_init(type_of(self))) return true;
    if (!args_no_keywords(type_of(self)->name, kwnames)) return false;
    return os_error_fill(self, args, nargs);
}

static Value os_error_str(ValueRef self)
{
    ExceptionObject *exception = as_exception(self);
    ValueRef none = NONE;
    ValueRef number = exception->os_error.error_number, text = exception->os_error.strerror;
    ValueRef filename = exception->os_error.filename, filename2 = exception->os_error.filename2;
    if (!filename && !(number && text)) return exception_str(self);
    Value held = tuple_pack(4, number ? number : none, text ? text : none,
                            filename ? filename : none, filename2 ? filename2 : none);
    if (!held) return VALUE_ERROR;
    number = tuple_at(held, 0), text = tuple_at(held, 1);
    Value result;
    if (filename2)
        result = format_text("[Errno %S] %S: %R -> %R", number, text, tuple_at(held, 2),
                             tuple_at(held, 3));
    else if (filename)
        result = format_text("[Errno %S] %S: %R", number, text, tuple_at(held, 2));
    else
        result = format_text("[Errno %S] %S", number, text);
    drop(held);
    return result;
}

// The original arguments: `args` lacks the file names.
static Value os_error_reduce(ValueRef self, METHOD_ARGS)
{
    ExceptionObject *exception = as_exception(self);
    ValueRef kept = exception->args, none = NONE;
    ValueRef filename = exception->os_error.filename, filename2 = exception->os_error.filename2;
    if (tuple_size(kept) != 2 || !filename)
        return exception_reduce_with(self, kept, exception->dict);
    ValueRef all[] = {tuple_at(kept, 0), tuple_at(kept, 1), filename, none, filename2};
    Value whole = tuple_from_array(all, filename2 ? 5 : 3);
    if (!whole) return VALUE_ERROR;
    Value result = exception_reduce_with(self, whole, exception->dict);
    drop(whole);
    return result;
}

static Value os_error_get_written(ValueRef self)
{
    ssize_t written = as_exception(self)->os_error.written;
    if (written == NOT_WRITTEN) return raise_error(AttributeError, "characters_written");
    return int_new(written);
}

static const MethodDef os_error_methods[] = {
    {"__reduce__", os_error_reduce, NO_ARGS, NULL},
    {0},
};

static const MemberDef os_error_members[] = {
    {"errno", MEMBER_VALUE, offsetof(ExceptionObject, os_error.error_number), false,
     "POSIX exception code"},
    {"strerror", MEMBER_VALUE, offsetof(ExceptionObject, os_error.strerror), false,
     "exception strerror"},
    {"filename", MEMBER_VALUE, offsetof(ExceptionObject, os_error.filename), false,
     "exception filename"},
    {"filename2", MEMBER_VALUE, offsetof(ExceptionObject, os_error.filename2), false,
     "second exception filename"},
    {0},
};

static const GetSetDef os_error_getset[] = {
    {"characters_written", os_error_get_written, os_error_set_written, NULL},
    {0},
};

const ExceptionLayout layout_os_error = {
    .values = 4,
    .new_ = os_error_new,
    .init = os_error_init,
    .str = os_error_str,
    .methods = os_error_methods,
    .members = os_error_members,
    .getset = os_error_getset,
};

// ---- SyntaxError

// Does `text` have this ASCII prefix at `start`?
static bool has_prefix(ValueRef text, ssize_t start, const char *prefix)
{
    ssize_t length = str_length(text);
    for (; *prefix; prefix++, start++)
        if (start >= length || str_at(as_str(text), start) != (unsigned char)*prefix) return false;
    return true;
}

static bool is_blank(uint32_t point)
{
    return point == ' ' || point == '\t' || point == '\r' || point == '\n';
}

// `print x, ...` : shows the call that was meant.
static Value print_hint(ValueRef text, ssize_t start)
{
    ssize_t end = str_find_char(text, ';', start, str_length(text), 1);
    if (end < 0) end = str_length(text);
    while (start < end && is_blank(str_at(as_str(text), start))) start++;
    while (end > start && is_blank(str_at(as_str(text), end - 1))) end--;
    bool comma = end > start && str_at(as_str(text), end - 1) == ',';
    Value words = str_substring(text, start, end);
    if (!words) return VALUE_ERROR;
    Value hint = format_text("Missing parentheses in call to 'print'. Did you mean print(%S%s)?",
                             words, comma ? " end=\" \"" : "");
    drop(words);
    return hint;
}

// The message for a statement of Python 2 at `start`; ABSENT where there is none.
static Value legacy_hint(ValueRef text, ssize_t start)
{
    while (start < str_length(text) && is_blank(str_at(as_str(text), start))) start++;
    if (has_prefix(text, start, "print ")) return print_hint(text, start + 6);
    if (has_prefix(text, start, "exec ")) return str_new("Missing parentheses in call to 'exec'");
    return ABSENT;
}

// A line without parentheses that has `print` or `exec` at its start or after a colon.
static bool report_missing_parentheses(ExceptionObject *exception)
{
    ValueRef text = exception->syntax_error.text;
    ssize_t length = str_length(text);
    if (str_find_char(text, '(', 0, length, 1) >= 0) return true;
    Value hint = legacy_hint(text, 0);
    if (hint == ABSENT) {
        ssize_t colon = str_find_char(text, ':', 0, length, 1);
        if (colon >= 0) hint = legacy_hint(text, colon + 1);
    }
    if (!hint) return false;
    if (hint != ABSENT) replace_slot(&exception->syntax_error.msg, hint);
    return true;
}

static bool syntax_error_set_location(ExceptionObject *exception, ValueRef location)
{
    Value tuple = sequence_tuple(location);
    if (!tuple) return false;
    if (tuple_size(tuple) != 4) {
        drop(tuple);
        return raise_error(IndexError, "tuple index out of range");
    }
    set_retained(&exception->syntax_error.filename, tuple_at(tuple, 0));
    set_retained(&exception->syntax_error.lineno, tuple_at(tuple, 1));
    set_retained(&exception->syntax_error.offset, tuple_at(tuple, 2));
    set_retained(&exception->syntax_error.text, tuple_at(tuple, 3));
    drop(tuple);
    return exception->base.type != SyntaxError || !str_check(exception->syntax_error.text) ||
           report_missing_parentheses(exception);
}

static bool syntax_error_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (!exception_init_args(self, args, nargs, kwnames)) return false;
    ExceptionObject *exception = as_exception(self);
    if (nargs > 0) set_retained(&exception->syntax_error.msg, args[0]);
    return nargs != 2 || syntax_error_set_location(exception, args[1]);
}

static Value base_name(ValueRef filename)
{
    ssize_t length = str_length(filename);
    ssize_t slash = str_find_char(filename, '/', 0, length, -1);
    return str_substring(filename, slash + 1, length);
}

static Value syntax_error_str(ValueRef self)
{
    ExceptionObject *exception = as_exception(self);
    ValueRef filename = exception->syntax_error.filename, lineno = exception->syntax_error.lineno;
    ValueRef msg = exception->syntax_error.msg ? exception->syntax_error.msg : NONE;
    bool has_line = lineno && int_check_exact(lineno);
    int64_t line = 0;
    if (has_line) int_as_int64_clamped(lineno, &line);
    if (!filename || !str_check(filename))
        return has_line ? format_text("%S (line %lld)", msg, (long long)line) : object_str(msg);
    Value name = base_name(filename);
    if (!name) return VALUE_ERROR;
    Value text = has_line ? format_text("%S (%S, line %lld)", msg, (ValueRef)name, (long long)line)
                          : format_text("%S (%S)", msg, (ValueRef)name);
    drop(name);
    return text;
}

static const MemberDef syntax_error_members[] = {
    {"msg", MEMBER_VALUE, offsetof(ExceptionObject, syntax_error.msg), false, "exception msg"},
    {"filename", MEMBER_VALUE, offsetof(ExceptionObject, syntax_error.filename), false,
     "exception filename"},
    {"lineno", MEMBER_VALUE, offsetof(ExceptionObject, syntax_error.lineno), false,
     "exception lineno"},
    {"offset", MEMBER_VALUE, offsetof(ExceptionObject, syntax_error.offset), false,
     "exception offset"},
    {"text", MEMBER_VALUE, offsetof(ExceptionObject, syntax_error.text), false, "exception text"},
    {"print_file_and_line", MEMBER_VALUE,
     offsetof(ExceptionObject, syntax_error.print_file_and_line), false,
     "exception print_file_and_line"},
    {0},
};

const ExceptionLayout layout_syntax_error = {
    .values = 6,
    .init = syntax_error_init,
    .str = syntax_error_str,
    .members = syntax_error_members,
};

// ---- KeyError

// The repr, so that an empty key shows.
static Value key_error_str(ValueRef self)
{
    ValueRef args = as_exception(self)->args;
    return tuple_size(args) == 1 ? object_repr(tuple_at(args, 0)) : exception_str(self);
}

const ExceptionLayout layout_key_error = {.init = exception_init_args, .str = key_error_str};

// ---- UnicodeError's three kinds

static bool check_str(ValueRef value, int number)
{
    if (str_check(value)) return true;
    return raise_error(TypeError, "argument %d must be str, not %.50G", number, value);
}

// The bytes of an object that lends some.
static Value as_bytes_object(ValueRef value)
{
    if (bytes_check(value)) return retain(value);
    Buffer buffer;
    if (!buffer_get(value, &buffer, false)) return VALUE_ERROR;
    Value bytes = bytes_new(buffer.bytes, (size_t)buffer.size);
    buffer_release(&buffer);
    return bytes;
}

// Sets all but `encoding` from args: object, start, end, reason. Numbers count from `first`.
static bool unicode_error_fill(ExceptionObject *exception, const ValueRef *args, int first,
                               bool decode)
{
    ssize_t start, end;
    if (!decode && !check_str(args[0], first)) return false;
    if (!object_as_ssize(args[1], &start, OverflowError)) return false;
    if (!object_as_ssize(args[2], &end, OverflowError)) return false;
    if (!check_str(args[3], first + 3)) return false;
    Value object = decode ? as_bytes_object(args[0]) : retain(args[0]);
    if (!object) return false;
    replace_slot(&exception->unicode_error.object, object);
    set_retained(&exception->unicode_error.reason, args[3]);
    exception->unicode_error.start = start;
    exception->unicode_error.end = end;
    return true;
}

// What an earlier __init__ has set.
static void unicode_error_forget(ExceptionObject *exception)
{
    drop_slot(&exception->unicode_error.encoding);
    drop_slot(&exception->unicode_error.object);
    drop_slot(&exception->unicode_error.reason);
}

static bool unicode_error_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    const Type *type = type_of(self);
    size_t wanted = type_is_subtype(type, UnicodeTranslateError) ? 4 : 5;
    if (!exception_init_args(self, args, nargs, kwnames)) return false;
    unicode_error_forget(as_exception(self));
    if (nargs != wanted)
        return raise_error(TypeError, "function takes exactly %zu arguments (%zu given)", wanted,
                           nargs);
    ExceptionObject *exception = as_exception(self);
    if (wanted == 4) return unicode_error_fill(exception, args, 1, false);
    bool decode = type_is_subtype(type, UnicodeDecodeError);
    if (!check_str(args[0], 1) || !unicode_error_fill(exception, args + 1, 2, decode)) return false;
    set_retained(&exception->unicode_error.encoding, args[0]);
    return true;
}

// "character '\xe9' in position 3: reason", or how many there are.
static Value character_text(const ExceptionObject *exception, ValueRef reason)
{
    ValueRef object = exception->unicode_error.object;
    ssize_t start = exception->unicode_error.start, end = exception->unicode_error.end;
    if (start < 0 && end == start + 1) return raise_error(IndexError, "string index out of range");
    if (start >= str_length(object) || end != start + 1)
        return format_text("characters in position %zd-%zd: %S", start, end - 1, reason);
    unsigned point = str_at(as_str(object), start);
    const char *format = "character '\\x%02x' in position %zd: %S";
    if (point > 0xff) format = "character '\\u%04x' in position %zd: %S";
    if (point > 0xffff) format = "character '\\U%08x' in position %zd: %S";
    return format_text(format, point, start, reason);
}

static Value byte_text(const ExceptionObject *exception, ValueRef reason)
{
    ValueRef object = exception->unicode_error.object;
    ssize_t start = exception->unicode_error.start, end = exception->unicode_error.end;
    if (start < 0 || start >= as_bytes(object)->size || end != start + 1)
        return format_text("bytes in position %zd-%zd: %S", start, end - 1, reason);
    unsigned byte = (unsigned char)as_bytes(object)->data[start];
    return format_text("byte 0x%02x in position %zd: %S", byte, start, reason);
}

static Value sentence(const ExceptionObject *exception, ValueRef reason, ValueRef encoding)
{
    ValueRef object = exception->unicode_error.object;
    bool decode = bytes_check(object);
    Value what = decode ? byte_text(exception, reason) : character_text(exception, reason);
    if (!what) return VALUE_ERROR;
    Value text = encoding ? format_text("'%S' codec can't %s %S", encoding,
                                        decode ? "decode" : "encode", (ValueRef)what)
                          : format_text("can't translate %S", (ValueRef)what);
    drop(what);
    return text;
}

static bool object_fits(const ExceptionObject *exception)
{
    ValueRef object = exception->unicode_error.object;
    bool decode = type_is_subtype(exception->base.type, UnicodeDecodeError);
    if (object && (decode ? bytes_check(object) : str_check(object))) return true;
    return raise_error(TypeError, "object attribute must be %s", decode ? "bytes" : "unicode");
}

// A script may have set the attributes to any value, so str() of them is made first.
static Value unicode_error_str(ValueRef self)
{
    ExceptionObject *exception = as_exception(self);
    if (!exception->unicode_error.object) return str_new("");
    bool translate = type_is_subtype(exception->base.type, UnicodeTranslateError);
    ValueRef none = NONE, given = exception->unicode_error.reason;
    Value reason = object_str(given ? given : none);
    given = exception->unicode_error.encoding; // not before, as str() may change it
    Value encoding = translate ? ABSENT : object_str(given ? given : none);
    Value text = VALUE_ERROR;
    if (reason && encoding && object_fits(exception))
        text = sentence(exception, reason, translate ? VALUE_ERROR : (ValueRef)encoding);
    drop(reason);
    drop(encoding);
    return text;
}

static const MemberDef unicode_error_members[] = {
    {"encoding", MEMBER_VALUE, offsetof(ExceptionObject, unicode_error.encoding), false,
     "exception encoding"},
    {"object", MEMBER_VALUE, offsetof(ExceptionObject, unicode_error.object), false,
     "exception object"},
    {"start", MEMBER_SSIZE, offsetof(ExceptionObject, unicode_error.start), false,
     "exception start"},
    {"end", MEMBER_SSIZE, offsetof(ExceptionObject, unicode_error.end), false, "exception end"},
    {"reason", MEMBER_VALUE, offsetof(ExceptionObject, unicode_error.reason), false,
     "exception reason"},
    {0},
};

static Value unicode_error_new(Type *type, METHOD_ARGS)
{
    return exception_alloc(type, args, nargs);
}

const ExceptionLayout layout_unicode_error = {
    .values = 3,
    .new_everywhere = true,
    .new_ = unicode_error_new,
    .init = unicode_error_init,
    .str = unicode_error_str,
    .members = unicode_error_members,
};
