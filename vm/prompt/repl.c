// The interactive loop. It reads lines until they make a whole statement: after each line it
// parses the text, and it reads another line if the text may only be incomplete, or if an
// indented block is open.
//
// The test is that of CPython's codeop: parse the text as it is, with one newline more and with
// two. If the first fails and the errors of the other two differ, the text is incomplete.
//
// A line that is a whole statement by itself, and is indented as the one before it, which is one
// too, leaves an open block as it is: the text, which may be long, is not parsed again for it.
//
// Several lines pasted at once are a block. Blank lines do not end a block, and it may hold many
// statements. It is compiled as a file is, but the values of its expressions are printed.
#include "vm/prompt/repl.h"

#include "compiler/arena.h"
#include "compiler/ast.h"
#include "compiler/compile.h"
#include "objects/code.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "vm/function_call.h"
#include "vm/import/import.h"
#include "vm/io/stream.h"
#include "vm/outside/outside.h"
#include "vm/prompt/line_editor.h"
#include "vm/prompt/line_history.h"
#include "vm/sys/sys.h"

#include <stdio.h>

#define HISTORY_FILE ".minivm_history"

typedef enum Answer { ANSWER_STATEMENT, ANSWER_MORE, ANSWER_ERROR } Answer;

typedef struct Dialogue {
    ValueRef globals, filename;
    int flags;       // CO_FUTURE_* of what has been run
    bool is_block;   // the statement that is being read was pasted
    bool is_open;    // it would be whole if its indented block ended here
    ssize_t indent;  // of the last line, if that is a whole statement by itself; else -1
    bool is_cut_off; // nothing more can be read
} Dialogue;

// ---- prompts and lines

// What cannot be shown is no prompt: whoever types has to be able to change it.
static Value prompt_text(const char *name)
{
    ValueRef prompt = sys_get(name);
    Value text = prompt ? object_str(prompt) : VALUE_ERROR;
    if (text && str_utf8(text, NULL)) return text;
    drop(text);
    error_clear();
    return str_new("");
}

static Value without_newline(Value line)
{
    ssize_t length = line ? str_length(line) : 0;
    if (length == 0 || str_at(as_str(line), length - 1) != '\n') return line;
    Value cut = str_substring(line, 0, length - 1);
    drop(line);
    return cut;
}

// Only a paste has newlines in it.
static bool is_block(ValueRef line)
{
    return str_find_char(line, '\n', 0, str_length(line), 1) >= 0;
}

// For Tab, the first of which imports what it needs.
static Value complete(ValueRef before, ValueRef globals)
{
    Value module = import_module("_completion");
    Value name = module ? str_intern("complete") : VALUE_ERROR;
    ValueRef args[] = {module, before, globals};
    Value answer = name ? object_call_method(name, args, 3, 0) : VALUE_ERROR;
    drop(name);
    drop(module);
    return answer;
}

static Value read_at_terminal(const char *prompt, ValueRef globals)
{
    ValueRef more = sys_get("ps2");
    const char *shown = more && str_check(more) ? str_utf8(more, NULL) : "";
    if (!shown) return VALUE_ERROR;
    LineRequest request = {prompt, shown, true, {complete, globals, false}, 0};
    return line_editor_read(&request);
}

// A line from wherever sys.stdin leads, without its newline; ABSENT at the end.
static Value read_line(const char *prompt_name, Dialogue *dialogue)
{
    Value prompt = prompt_text(prompt_name);
    const char *utf8 = prompt ? str_utf8(prompt, NULL) : NULL;
    Value line = VALUE_ERROR;
    ValueRef out = sys_get("stdout");
    if (out && out != NONE && !stream_flush(out)) error_clear(); // the input is to come to its end
    if (utf8 && outside_is_terminal(0)) {
        line = read_at_terminal(utf8, dialogue->globals);
        if (line && line != ABSENT && is_block(line)) dialogue->is_block = true;
    } else if (utf8) {
        outside_write_all(2, utf8, strlen(utf8));
        ValueRef input = sys_get("stdin");
        line = input ? without_newline(stream_read_line(input))
                     : raise_error(RuntimeError, "lost sys.stdin");
        if (!line && error_is(EOFError)) {
            error_clear();
            line = ABSENT;
        }
        dialogue->is_cut_off = !line && !error_is(KeyboardInterrupt) && !error_is(MemoryError);
    }
    drop(prompt);
    return line;
}

// ---- is the statement complete?

typedef enum Depth { ONLY_PARSE, COMPILE } Depth;

// Compiles what was read, or looks whether it can be parsed: NONE. A block is parsed as a file is,
// but the values of its expressions are printed.
static Value compile_text(const char *text, size_t size, const CompileOptions *options, Depth depth)
{
    Arena arena;
    Value volatile code = VALUE_ERROR;
    arena_begin(&arena);
    if (setjmp(arena.failure) == 0) {
        Node *tree = parse_source(&arena, text, size, options);
        if (tree->kind == Module_kind) {
            Node *block = node_new(&arena, Interactive_kind, (Position){0});
            block->Interactive.body = tree->Module.body;
            tree = block;
        }
        code = depth == COMPILE ? compile_tree(&arena, tree, options) : NONE;
    }
    arena_end(&arena);
    return code;
}

static Value compile_longer(ValueRef text, const char *newlines, const Dialogue *dialogue,
                            Depth depth)
{
    CompileOptions options = {.mode = dialogue->is_block ? MODE_EXEC : MODE_SINGLE,
                              .filename = dialogue->filename,
                              .flags = dialogue->flags | PyCF_DONT_IMPLY_DEDENT,
                              .optimize = sys_optimize(),
                              .is_utf8 = true};
    Value longer = format_text("%S%s", text, newlines);
    size_t size;
    const char *utf8 = longer ? str_utf8(longer, &size) : NULL;
    Value code = utf8 ? compile_text(utf8, size, &options, depth) : VALUE_ERROR;
    drop(longer);
    return code;
}

// The exception that parsing `text` and some newlines gives; ABSENT where it can be parsed.
static Value error_with_newlines(ValueRef text, const char *newlines, const Dialogue *dialogue)
{
    Value code = compile_longer(text, newlines, dialogue, ONLY_PARSE);
    return code ? ABSENT : error_take();
}

static bool same_error(ValueRef first, ValueRef second)
{
    Value a = object_repr(first), b = object_repr(second);
    bool same = a && b && str_equal(a, b);
    error_clear();
    drop(a);
    drop(b);
    return same;
}

// Blank lines and comments.
static bool only_blank(ValueRef text)
{
    bool comment = false;
    for (ssize_t i = 0; i < str_length(text); i++) {
        uint32_t point = str_at(as_str(text), i);
        if (point == '#' || point == '\n') comment = point == '#';
        if (!comment && point != ' ' && point != '\t' && point != '\n') return false;
    }
    return true;
}

// What only the compiler finds wrong is an error of the whole statement: def f(a, a).
static Answer examine(ValueRef text, Dialogue *dialogue, Value *code)
{
    Value none = error_with_newlines(text, "", dialogue);
    if (none == ABSENT) {
        *code = compile_longer(text, "", dialogue, COMPILE);
        return *code ? ANSWER_STATEMENT : ANSWER_ERROR;
    }
    drop(none);
    Value one = error_with_newlines(text, "\n", dialogue);
    dialogue->is_open = one == ABSENT;
    if (dialogue->is_open) return ANSWER_MORE;
    Value two = error_with_newlines(text, "\n\n", dialogue);
    bool more = !(two != ABSENT && same_error(one, two));
    drop(two);
    if (!more) error_restore(one);
    if (more) drop(one);
    return more ? ANSWER_MORE : ANSWER_ERROR;
}

// ---- a statement

// The indent of a line that is a whole statement by itself; else -1. One with a backslash may warn
// of it, with the number of its line, so it is compiled with the others only.
static ssize_t indent_of_statement(ValueRef line, const Dialogue *dialogue)
{
    size_t size;
    const char *utf8 = str_utf8(line, &size);
    size_t indent = utf8 ? strspn(utf8, " \t") : 0;
    volatile bool parsed = false;
    Arena arena;
    arena_begin(&arena);
    if (utf8 && !strchr(utf8, '\\') && !only_blank(line) && setjmp(arena.failure) == 0) {
        CompileOptions options = {.mode = MODE_EXEC,
                                  .filename = dialogue->filename,
                                  .flags = dialogue->flags,
                                  .is_utf8 = true};
        parsed = parse_source(&arena, utf8 + indent, size - indent, &options) != NULL;
    }
    arena_end(&arena);
    if (!parsed) error_clear();
    return parsed ? (ssize_t)indent : -1;
}

// The line before is at the end of `text`, with the indent of the dialogue.
static bool same_indent(ValueRef text, ValueRef line, ssize_t indent)
{
    ssize_t start = str_find_char(text, '\n', 0, str_length(text), -1) + 1;
    for (ssize_t i = 0; i < indent; i++)
        if (str_at(as_str(text), start + i) != str_at(as_str(line), i)) return false;
    return indent > 0;
}

// Adds a line to the text, in place. Is what the text needs the same as before? False with an
// exception pending and no text.
static bool add_line(Value *text, ValueRef line, Dialogue *dialogue)
{
    ssize_t before = dialogue->is_open ? dialogue->indent : -1;
    dialogue->indent = indent_of_statement(line, dialogue);
    bool same = before == dialogue->indent && same_indent(*text, line, before);
    Value newline = str_from_code_point('\n');
    bool ok = newline && str_append(text, newline) && str_append(text, line);
    drop(newline);
    if (!ok) drop_slot(text);
    return ok && same;
}

// Reads lines until they make a statement: its code, NONE where there is nothing to run, ABSENT at
// the end of input, or an error.
static Value read_statement(Dialogue *dialogue)
{
    dialogue->is_block = dialogue->is_open = false;
    dialogue->indent = -1;
    Value text = read_line("ps1", dialogue), code = VALUE_ERROR;
    bool same = false;
    while (text && text != ABSENT) {
        Answer answer = same ? ANSWER_MORE : ANSWER_STATEMENT;
        if (!same && only_blank(text))
            code = NONE;
        else if (!same)
            answer = examine(text, dialogue, &code);
        Value line = answer == ANSWER_MORE ? read_line("ps2", dialogue) : VALUE_ERROR;
        if (line == ABSENT) { // the input ends here: what there is must do
            outside_write_all(2, "\n", 1);
            code = compile_longer(text, "\n", dialogue, COMPILE);
        }
        if (!line || line == ABSENT) {
            drop(text);
            return code;
        }
        same = add_line(&text, line, dialogue);
        drop(line);
    }
    return text;
}

// True: go on; false: SystemExit is pending.
static bool show_error(void)
{
    if (error_is(SystemExit)) return false;
    sys_print_error();
    return true;
}

// Ctrl-C at the prompt gives the statement up that is being typed.
static bool show_reading_error(void)
{
    if (!error_is(KeyboardInterrupt)) return show_error();
    error_clear();
    outside_write_all(2, "\nKeyboardInterrupt\n", 19);
    return true;
}

static bool run_statement(Value code, Dialogue *dialogue)
{
    if (code == NONE) return true;
    if (!code) return show_reading_error();
    dialogue->flags |= as_code(code)->flags & (CO_FUTURE_ANNOTATIONS | CO_FUTURE_BARRY_AS_BDFL);
    Value result = code_run(as_code(code), dialogue->globals, dialogue->globals, NULL);
    drop(code);
    drop(result);
    ValueRef out = sys_get("stdout");
    if (result && out && out != NONE && !stream_flush(out)) result = VALUE_ERROR;
    return result || show_error();
}

static void greet(void)
{
    ValueRef version = sys_get("version");
    const char *text = version && str_check(version) ? str_utf8(version, NULL) : "";
    char line[256];
    snprintf(line, sizeof line, "minivm, Python %.*s. Ctrl-D leaves.\n", (int)strcspn(text, " "),
             text);
    outside_write_all(2, line, strlen(line));
}

static bool history_path(char *path, size_t size)
{
    const char *home = outside_environment("HOME");
    return home && *home && snprintf(path, size, "%s/%s", home, HISTORY_FILE) < (int)size;
}

static bool set_prompts(void)
{
    Value first = str_new(">>> "), second = str_new("... ");
    bool done = first && second && (sys_get("ps1") || sys_set("ps1", first)) &&
                (sys_get("ps2") || sys_set("ps2", second));
    drop(first);
    drop(second);
    return done;
}

bool repl_run(ValueRef globals)
{
    char path[4096];
    bool keep = outside_is_terminal(0) && history_path(path, sizeof path);
    Value filename = str_new("<stdin>");
    Dialogue dialogue = {.globals = globals, .filename = filename};
    if (!filename || !set_prompts()) return false;
    if (keep) line_history_load(path);
    if (!sys_is_quiet()) greet();
    bool goes_on = true, at_end = false;
    while (goes_on && !at_end) {
        Value code = read_statement(&dialogue);
        if (dialogue.is_cut_off) break;
        at_end = code == ABSENT;
        if (at_end)
            outside_write_all(2, "\n", 1);
        else
            goes_on = run_statement(code, &dialogue);
    }
    if (keep) line_history_save(path);
    drop(filename);
    return goes_on && !dialogue.is_cut_off;
}
