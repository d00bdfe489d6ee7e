// The module `_debugger`: what the debugger's commands (vm/lib/debugger) can read of the machine,
// and how they read input and print.
//
//     localsplus(frame) value_stack(frame) blocks(frame)     a frame as the machine has it
//     positions(code) takes(opcode, operand)                 what an instruction computes
//     cache_info(code) callback() evaluator()                the hook and the guarded code cache
//     show(value) peek(value, kind, key)                     what is seen without script code
//     read_line(prompt, completer, scene) write(text, kind) attempt(function)     the dialogue
//
// Only visitors import it: the prompt, and the copies that the prompt forks to look at something.
// So it may allocate, count references and run script code.
#include "compiler/opcode.h"
#include "frames/cache/cache.h"
#include "frames/generators/generator.h"
#include "frames/hook.h"
#include "vm/colours.h"
#include "vm/debugger/debugger.h"
#include "vm/debugger/visitor.h"
#include "vm/import/import.h"
#include "vm/import/library.h"
#include "vm/io/stream.h"
#include "vm/outside/outside.h"
#include "vm/outside/processes.h"
#include "vm/prompt/line_editor.h"
#include "vm/prompt/line_history.h"
#include "vm/sys/sys.h"

#include "objects/bytes/bytes.h"
#include "objects/bytes/codecs.h"
#include "objects/call.h"
#include "objects/cell.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/looking/peek.h"
#include "objects/looking/show.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <errno.h>
#include <stdio.h>

#define HISTORY_FILE ".minivm_debug_history"

static ValueRef null_mark; // stands for an empty slot of the value stack

// ---- arguments

static Frame *frame_argument(ValueRef value)
{
    if (is_exactly(value, &frame_type)) return as_frame_object(value)->frame;
    raise_error(TypeError, "expected a frame, not %.200T", value);
    return NULL;
}

static Code *code_argument(ValueRef value)
{
    if (code_check(value)) return as_code(value);
    raise_error(TypeError, "expected a code object, not %.200T", value);
    return NULL;
}

// ---- a frame as the machine has it

static Value or_none(ValueRef value)
{
    return value && value != ABSENT ? retain(value) : NONE;
}

static Value variable_row(const Frame *frame, ssize_t index, const char *kind, ValueRef name)
{
    ValueRef slot = frame->localsplus[index];
    bool is_cell = *kind != 'f' || kind[1] == 'r';
    ValueRef contents = is_cell && slot ? (ValueRef)as_cell(slot)->contents : slot;
    Value number = from_small(index), word = str_intern(kind);
    Value value = or_none(contents), cell = is_cell ? or_none(slot) : NONE;
    Value row = VALUE_ERROR;
    if (word) row = tuple_pack(6, number, word, name, from_bool(contents != 0), value, cell);
    drop(word);
    drop(value);
    drop(cell);
    return row;
}

static bool add_variables(Value list, const Frame *frame, ssize_t first, const char *kind,
                          ValueRef names, ssize_t count)
{
    for (ssize_t i = 0; i < count; i++)
        if (!list_append_owned(list, variable_row(frame, first + i, kind, tuple_at(names, i))))
            return false;
    return true;
}

static Value localsplus(FUNCTION_ARGS)
{
    const Frame *frame = frame_argument(args[0]);
    Value list = frame ? list_new(0) : VALUE_ERROR;
    if (!list) return VALUE_ERROR;
    const Code *code = as_code(frame->code);
    ssize_t cells = code_cell_count(code);
    if (add_variables(list, frame, 0, "fast", code->varnames, code->nlocals) &&
        add_variables(list, frame, code->nlocals, "cell", code->cellvars, cells) &&
        add_variables(list, frame, code->nlocals + cells, "free", code->freevars,
                      code_free_count(code)))
        return list;
    drop(list);
    return VALUE_ERROR;
}

// The object of a frame that has ended keeps the variables only, not the value stack.
static bool has_stack(const Frame *frame, ValueRef object)
{
    return frame != &as_frame_object(object)->kept;
}

static Value has_ended(FUNCTION_ARGS)
{
    const Frame *frame = frame_argument(args[0]);
    return frame ? from_bool(!has_stack(frame, args[0])) : VALUE_ERROR;
}

// The loop keeps the top of a running frame's stack to itself: what the frame says of it may be
// old, and the values gone, except where the debugger has stopped the program.
static bool knows_stack(const Frame *frame)
{
    if (debugger_stopped.frame) return true;
    for (const Frame *running = thread_state.frame; running; running = running->previous)
        if (running == frame)
            return raise_error(RuntimeError, "the value stack of a frame that runs is not known");
    return true;
}

static Value value_stack(FUNCTION_ARGS)
{
    Frame *frame = frame_argument(args[0]);
    if (!frame || !knows_stack(frame)) return VALUE_ERROR;
    Value list = list_new(0);
    if (!list || !has_stack(frame, args[0])) return list;
    for (const Value *slot = frame_stack(frame); slot < frame->sp; slot++) {
        bool is_null = !*slot || *slot == ABSENT;
        if (list_append(list, is_null ? null_mark : (ValueRef)*slot)) continue;
        drop(list);
        return VALUE_ERROR;
    }
    return list;
}

static Value block_row(const Frame *frame, const Block *block)
{
    bool in_handler = block->handler == BLOCK_EXCEPT;
    Value kind = str_intern(in_handler ? "EXCEPT_HANDLER" : "SETUP_FINALLY");
    Value offset = in_handler ? NONE : from_small(block->handler * 2);
    ssize_t slots = quick_of(as_code(frame->code))->slots;
    Value row = kind ? tuple_pack(3, kind, offset, from_small(block->level - slots)) : VALUE_ERROR;
    drop(kind);
    return row;
}

static Value blocks(FUNCTION_ARGS)
{
    Frame *frame = frame_argument(args[0]);
    Value list = frame ? list_new(0) : VALUE_ERROR;
    if (!list || !has_stack(frame, args[0])) return list;
    for (uint32_t i = 0; list && i < frame->block_count; i++)
        if (!list_append_owned(list, block_row(frame, &frame_blocks(frame)[i]))) drop_slot(&list);
    return list;
}

static Value frame_key(FUNCTION_ARGS)
{
    const Frame *frame = frame_argument(args[0]);
    return frame ? int_new(frame->number) : VALUE_ERROR;
}

static Value locals_to_fast(FUNCTION_ARGS)
{
    Frame *frame = frame_argument(args[0]);
    return frame && frame_locals_to_fast(frame, false) ? NONE : VALUE_ERROR;
}

// ---- what an instruction computes

static Value position_row(const Position *at)
{
    if (at->line < 1 || at->column < 0) return NONE;
    return tuple_pack(4, from_small(at->line), from_small(at->column), from_small(at->end_line),
                      from_small(at->end_column));
}

static Value positions(FUNCTION_ARGS)
{
    const Code *code = code_argument(args[0]);
    if (!code) return VALUE_ERROR;
    library_find_positions(args[0]);
    if (!code->positions) return NONE;
    ssize_t count = code_size(code) / 2;
    Value list = list_new(count);
    for (ssize_t i = 0; list && i < count; i++)
        if (!list_append_owned(list, position_row(&code->positions[i]))) drop_slot(&list);
    return list;
}

static Value takes(FUNCTION_ARGS)
{
    ssize_t opcode, operand;
    if (!object_as_ssize(args[0], &opcode, OverflowError) ||
        !object_as_ssize(args[1], &operand, OverflowError))
        return VALUE_ERROR;
    if (opcode < 0 || opcode > 255 || !opcode_name((int)opcode))
        return raise_error(ValueError, "no such opcode: %zd", opcode);
    return int_new(opcode_takes((int)opcode, (int)operand));
}

// ---- the hook and the cache

static Value entry_row(const CacheEntry *entry)
{
    Value failure = or_none(entry->failure), hits = int_new(entry->hits);
    Value misses = int_new(entry->misses), row = VALUE_ERROR;
    if (hits && misses)
        row = tuple_pack(6, entry->check_fn, entry->code, entry->backend, hits, misses, failure);
    drop(hits);
    drop(misses);
    drop(failure);
    return row;
}

static Value cache_info(FUNCTION_ARGS)
{
    const Code *code = code_argument(args[0]);
    if (!code) return VALUE_ERROR;
    const ExtraState *extra = extra_state_get(code);
    if (!extra) return NONE;
    if (extra == SKIP_CODE) return str_intern("SKIP_CODE");
    if (extra == SKIP_CODE_RECURSIVE) return str_intern("SKIP_CODE_RECURSIVE");
    Value list = list_new(0);
    for (ValueRef entry = extra->entries; list && entry; entry = as_cache_entry(entry)->next)
        if (!list_append_owned(list, entry_row(as_cache_entry(entry)))) drop_slot(&list);
    return list;
}

static Value callback(FUNCTION_ARGS)
{
    return retain(cache_callback());
}

static Value callback_aside(FUNCTION_ARGS)
{
    static const char *const reasons[] = {[CACHE_NOT_ASIDE] = "",
                                          [CACHE_ASIDE_GUARDS] = "guards are asked",
                                          [CACHE_ASIDE_CALLBACK] = "the callback runs",
                                          [CACHE_ASIDE_RECURSIVE] =
                                              "code marked SKIP_CODE_RECURSIVE runs"};
    CacheAside why;
    ValueRef function = cache_callback_aside(&why);
    Value reason = str_intern(reasons[why]);
    Value pair = reason ? tuple_pack(2, function, (ValueRef)reason) : VALUE_ERROR;
    drop(reason);
    return pair;
}

static Value evaluator(FUNCTION_ARGS)
{
    EvalFrameFn function = session ? visited_evaluator : eval_frame_get();
    if (function == eval_frame_get_default()) return str_intern("default");
    return str_intern(cache_is_evaluator(function) ? "cache" : "plugin");
}

// ---- the dialogue

static Value working_directory(FUNCTION_ARGS)
{
    char *path = outside_working_directory();
    if (!path) return raise_os_error(errno, VALUE_ERROR);
    Value text = text_decode(path, strlen(path), "utf-8", "surrogateescape");
    memory_free(path);
    return text;
}

static ValueRef find_step(ValueRef value, ValueRef kind, ValueRef key)
{
    if (str_equal_ascii(kind, "attr")) {
        const char *text = str_check(key) ? str_utf8(key, NULL) : NULL;
        ValueRef name = text ? str_find_interned(text) : VALUE_ERROR;
        return name ? peek_attribute(value, name) : ABSENT;
    }
    if (dict_check_exact(value)) return peek_key(value, key);
    bool is_sequence = list_check_exact(value) || tuple_check_exact(value);
    return is_sequence && is_small(key) ? peek_item(value, small_value(key)) : PEEK_REFUSED;
}

static Value peek(FUNCTION_ARGS)
{
    if (!str_check_exact(args[1])) return raise_error(TypeError, "a kind is a str");
    ValueRef found = find_step(args[0], args[1], args[2]);
    if (error_pending()) return VALUE_ERROR;
    if (found == PEEK_REFUSED) return NONE;
    return found == ABSENT ? tuple_new(0) : tuple_pack(1, found);
}

static Value show(FUNCTION_ARGS)
{
    if (args[0] == null_mark) return str_intern("NULL");
    char text[512];
    size_t size = show_value(text, sizeof text, args[0], NULL);
    return str_from_utf8(text, size < sizeof text ? size : strlen(text));
}

// If the output is closed there is no dialogue: the process ends, and so does the program.
static _Noreturn void end_without_output(void)
{
    fprintf(stderr, "minivm: the debugger cannot write: %s\n", strerror(errno));
    outside_end(1);
}

static bool write_bytes(const char *bytes, size_t size)
{
    if (outside_write_all(1, bytes, size)) return true;
    if (!error_pending()) end_without_output();
    return false;
}

// What the debugger says itself has colours, the text of a value has none.
static Value in_colours(Value text, ValueRef kind)
{
    static const struct {
        const char *kind;
        Value (*coloured)(Value text, bool wanted);
    } rows[] = {
        {"place", coloured_place}, {"code", coloured_code}, {"exception", coloured_traceback}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (str_equal_ascii(kind, rows[i].kind)) return rows[i].coloured(text, colours_wanted(1));
    return text;
}

static Value write_text(FUNCTION_ARGS)
{
    Value text = without_controls(object_str(args[0]), outside_is_terminal(1));
    if (nargs > 1 && str_check(args[1])) text = in_colours(text, args[1]);
    Value bytes = text ? text_encode(text, "utf-8", "backslashreplace") : VALUE_ERROR;
    bool done = bytes && write_bytes(as_bytes(bytes)->data, (size_t)as_bytes(bytes)->size);
    drop(text);
    drop(bytes);
    return done ? NONE : VALUE_ERROR;
}

static bool history_path(char *path, size_t size)
{
    const char *home = outside_environment("HOME");
    return home && *home && snprintf(path, size, "%s/%s", home, HISTORY_FILE) < (int)size;
}

// The prompt's process ends with the next step command: a file keeps its history until the next
// stop.
static Value complete(ValueRef before, ValueRef function)
{
    return object_call(function, &before, 1, 0);
}

static Value read_at_terminal(const char *prompt, ValueRef completer, ValueRef scene)
{
    static bool loaded;
    char path[4096];
    bool keep = history_path(path, sizeof path);
    if (keep && !loaded) line_history_load(path);
    loaded = true;
    LineRequest request = {prompt, NULL, true, {complete, completer, true}, scene};
    Value line = line_editor_read(&request);
    if (keep && line && line != ABSENT) line_history_save(path);
    return line;
}

// A line with its newline, read byte by byte, because the program may read what follows it. NULL at
// the end of input, and if reading fails, perhaps with a signal handler's exception.
static char *read_bytes(size_t *size)
{
    char *bytes = NULL, byte;
    ssize_t count;
    *size = 0;
    while ((count = outside_read_input(&byte, 1)) > 0) {
        char *longer = memory_resize(bytes, *size + 1);
        if (!longer) break;
        bytes = longer;
        bytes[(*size)++] = byte;
        if (byte == '\n') break;
    }
    if (!error_pending()) return bytes;
    memory_free(bytes);
    return NULL;
}

// An input that cannot be read (a terminal that is gone, a closed descriptor) counts as ended.
static Value read_from_pipe(const char *prompt)
{
    if (!write_bytes(prompt, strlen(prompt))) return VALUE_ERROR;
    size_t size;
    char *bytes = read_bytes(&size);
    if (!bytes) return error_pending() ? VALUE_ERROR : ABSENT;
    if (size && bytes[size - 1] == '\n') size--;
    if (size && bytes[size - 1] == '\r') size--;
    Value line = text_decode(bytes, size, "utf-8", "surrogateescape");
    memory_free(bytes);
    return line;
}

static Value read_line(FUNCTION_ARGS)
{
    if (!str_check(args[0])) return raise_error(TypeError, "the prompt must be a str");
    bool terminal = outside_is_terminal(0) && outside_is_terminal(1), scene = nargs > 2;
    Value shown = coloured_place(retain(args[0]), terminal && !scene && colours_wanted(1));
    const char *prompt = shown ? str_utf8(shown, NULL) : NULL;
    Value line = VALUE_ERROR;
    if (prompt && terminal)
        line = read_at_terminal(prompt, args[1], scene ? args[2] : VALUE_ERROR);
    else if (prompt)
        line = read_from_pipe(prompt);
    drop(shown);
    return line == ABSENT ? NONE : line;
}

// Calls a function with an unbuffered stdout of its own. What the program has printed and not yet
// flushed stays in the program's stream, which will flush it.
static bool print_at_once(void)
{
    ValueRef before = sys_get("stdout");
    if (before) (void)retain(before); // freeing the stream would flush it
    Value stream = stream_standard(1, "<stdout>", true, true);
    bool done = stream && sys_set("stdout", stream);
    drop(stream);
    return done;
}

// With other statuses it has ended by itself: by os._exit(), by a signal.
enum { LOOK_DONE = 116, LOOK_RAISED };

static _Noreturn void look(ValueRef function)
{
    outside_end_with_parent(); // what it looks at may have no end
    bool ready = import_isolate(false) && print_at_once();
    Value result = ready ? object_call_none(function) : VALUE_ERROR;
    outside_end(result ? LOOK_DONE : LOOK_RAISED);
}

static Value attempt(FUNCTION_ARGS)
{
    int status, process = session_fork();
    if (process == 0) look(args[0]);
    if (process < 0 || !outside_wait(process, &status)) return raise_os_error(errno, VALUE_ERROR);
    outside_take_interrupt(); // it was meant for the process that has ended
    return status == LOOK_DONE ? TRUE : status == LOOK_RAISED ? FALSE : NONE;
}

// ---- the port of --dap=PORT

static Value listen_at(FUNCTION_ARGS)
{
    int64_t number;
    if (!int_check(args[0])) return raise_error(TypeError, "expected an int");
    if (!int_as_int64(args[0], &number)) return VALUE_ERROR;
    if (number < 0 || number > UINT16_MAX) return raise_error(ValueError, "expected 0 to 65535");
    int port = (int)number, listener = outside_listen(&port);
    if (listener < 0) return raise_os_error(errno, VALUE_ERROR);
    Value items[] = {from_small(listener), from_small(port)};
    return tuple_from_owned(items, 2);
}

static Value accept_from(FUNCTION_ARGS)
{
    int64_t listener;
    if (!int_check(args[0])) return raise_error(TypeError, "expected an int");
    if (!int_as_int64(args[0], &listener)) return VALUE_ERROR;
    int connection = outside_accept((int)listener);
    return connection < 0 ? raise_os_error(errno, VALUE_ERROR) : from_small(connection);
}

static const MethodDef functions[] = {
    {"localsplus", localsplus, ONE_ARG,
     "localsplus(frame) -> [(index, 'fast' | 'cell' | 'free', name, bound, value, cell), ...]"},
    {"value_stack", value_stack, ONE_ARG, "value_stack(frame) -> its values, the bottom first"},
    {"has_ended", has_ended, ONE_ARG, "Has the frame ended, so that only its variables are kept?"},
    {"blocks", blocks, ONE_ARG, "blocks(frame) -> [(kind, offset of the handler, level), ...]"},
    {"frame_key", frame_key, ONE_ARG, "A number that no other frame of the run has."},
    {"locals_to_fast", locals_to_fast, ONE_ARG, "Writes f_locals back to the variables."},
    {"positions", positions, ONE_ARG,
     "positions(code) -> [(line, column, end line, end column) or None, ...] or None"},
    {"takes", takes, ARGS(2, 2), "How many values an instruction takes off the stack."},
    {"cache_info", cache_info, ONE_ARG,
     "cache_info(code) -> None, the mark, or [(guard, code, backend, hits, misses, failure), ...]"},
    {"callback", callback, NO_ARGS, "The callback of the guarded cache, None or False."},
    {"callback_aside", callback_aside, NO_ARGS,
     "callback_aside() -> (the callback put aside last or None, while what is so or '')"},
    {"evaluator", evaluator, NO_ARGS, "Who evaluates frames: 'default', 'cache' or 'plugin'."},
    {"working_directory", working_directory, NO_ARGS, "The folder that relative names begin in."},
    {"peek", peek, ARGS(3, 3),
     "peek(value, 'attr' | 'item', key) -> (found,), () where it is not there, or None where only "
     "code could tell"},
    {"show", show, ONE_ARG, "A short text of any value; runs no script code."},
    {"write", write_text, ARGS(1, 2),
     "write(text[, kind]): writes a text to descriptor 1, with colours at a terminal if it is a "
     "\"place\", \"code\" or an \"exception\"."},
    {"read_line", read_line, ARGS(2, 3),
     "read_line(prompt, completer[, scene]) -> a line, None at the end of input. For Tab: "
     "completer(text before the cursor) -> (word at its end, what may stand there instead). "
     "scene(True) draws the rest of the screen, scene(False) leaves it"},
    {"listen", listen_at, ONE_ARG,
     "listen(port) -> (descriptor, port), on the loopback address; 0: any port that is free"},
    {"accept", accept_from, ONE_ARG, "accept(listener) -> the descriptor of a connection"},
    {"attempt", attempt, ONE_ARG,
     "Calls a function in a copy of this process, which then ends. Did it return? None: the copy "
     "has ended before."},
    {0},
};

static bool fill(ValueRef module)
{
    Value mark = own(object_alloc(&object_type, 0));
    null_mark = mark;
    return module_add_owned(module, "NULL", mark);
}

const ModuleDef _debugger_module = {
    .name = "_debugger",
    .doc = "What the machine shows to the debugger.",
    .functions = functions,
    .fill = fill,
};
