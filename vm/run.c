// Running programs: see run.h.
//
// A file is source text, or code compiled by CPython 3.9. It is compiled code if it starts with
// 3.9's magic number, or if its name ends in .pyc; in the latter case another magic number is an
// error. `.mpy` is also the suffix of MicroPython's compiled files. They start with the letter M
// and a version number below 32, and are refused.
#include "vm/run.h"

#include "compiler/compile.h"
#include "compiler/verify/disassemble.h"
#include "compiler/verify/verify.h"
#include "objects/bytes/codecs.h"
#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/marshal/marshal.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/builtins/builtins.h"
#include "vm/colours.h"
#include "vm/function_call.h"
#include "vm/import/import.h"
#include "vm/io/path.h"
#include "vm/io/stream.h"
#include "vm/limits.h"
#include "vm/outside/outside.h"
#include "vm/prompt/repl.h"
#include "vm/prompt/source_lines.h"
#include "vm/sys/sys.h"
#include "vm/tools.h"

#include <errno.h>
#include <stdio.h>

#define MICROPYTHON_VERSIONS 32
#define ZIP_RECORD 22 // bytes of the record at the end of a zip file

// ---- what an uncaught exception means

int run_failed(void)
{
    limits_check();
    if (tools && tools->was_left()) return 0;
    if (error_is(SystemExit)) {
        if (tools) tools->uncaught(error_peek());
        return sys_exit_status();
    }
    if (error_is(KeyboardInterrupt)) {
        sys_print_error();
        return RUN_INTERRUPTED;
    }
    if (error_is(BrokenPipeError)) {
        error_clear();
        return RUN_BROKEN_PIPE;
    }
    if (tools) tools->uncaught(error_peek());
    sys_print_error();
    return 1;
}

// ---- the module __main__

static bool path_insert(const char *folder)
{
    if (sys_is_isolated()) return true;
    ValueRef path = sys_get("path");
    Value text = path_from_system(folder, strlen(folder));
    bool done = text && path && list_check(path) && list_insert(path, 0, text);
    drop(text);
    return done;
}

// The dict of the module __main__: borrowed, 0 with an exception pending.
static ValueRef main_globals(void)
{
    ValueRef globals = import_main_globals();
    return globals && dict_set(globals, NAME(__builtins__), builtins_module()) ? globals : 0;
}

static bool run_as_main(Value code, ValueRef globals)
{
    Value result = code && globals ? code_run(as_code(code), globals, globals, NULL) : VALUE_ERROR;
    drop(code);
    drop(result);
    return result && poll_signals(); // Ctrl-C at the very end counts as well
}

static void flush_quietly(const char *name)
{
    ValueRef stream = sys_get(name);
    if (!stream || stream == NONE) return;
    Value held = retain(stream);
    if (!stream_flush(held)) error_clear();
    drop(held);
}

// What a program from a file has printed comes before its traceback; a command's (-c) and a
// module's (-m) may come after it, as in CPython.
static int run_program(Value code, ValueRef globals)
{
    bool done = run_as_main(code, globals);
    Value exception = error_take();
    flush_quietly("stderr");
    flush_quietly("stdout");
    error_restore(exception);
    return done ? 0 : run_failed();
}

// ---- a file

static bool is_micropython(const char *text, size_t size)
{
    return size > 2 && text[0] == 'M' && (unsigned char)text[1] < MICROPYTHON_VERSIONS &&
           text[1] != '\n' && text[1] != '\r' && text[1] != '\t';
}

static bool is_pyc_name(const char *name)
{
    size_t size = strlen(name);
    return size >= 4 && strcmp(name + size - 4, ".pyc") == 0;
}

// The code in a .pyc file. The messages are CPython's.
static Value read_compiled(const char *text, size_t size)
{
    if (!pyc_has_magic(text, size))
        return raise_error(RuntimeError, "Bad magic number in .pyc file");
    if (size < PYC_HEADER) return raise_error(EOFError, "EOF read where not expected");
    Value code = pyc_read(text, size);
    if (code || error_is(MemoryError)) return code;
    error_clear();
    return raise_error(RuntimeError, "Bad code object in .pyc file");
}

char *read_program(const char *path, size_t *size)
{
    char *text = outside_read_file(path, size);
    if (!text && errno == ENOMEM) {
        raise_memory_error();
        return NULL;
    }
    if (!text) {
        int error = errno;
        char *folder = *path == '/' ? NULL : outside_working_directory();
        fprintf(stderr, "minivm: can't open file '%s%s%s': [Errno %d] %s\n", folder ? folder : "",
                folder ? "/" : "", path, error, strerror(error));
        memory_free(folder);
        return NULL;
    }
    if (!is_micropython(text, *size)) return text;
    fprintf(
        stderr,
        "minivm: '%s' is a program compiled by MicroPython (.mpy version %d), not source text\n",
        path, text[1]);
    memory_free(text);
    return NULL;
}

static Value compile_program(const char *text, size_t size, const char *filename)
{
    if (pyc_has_magic(text, size) || is_pyc_name(filename)) return read_compiled(text, size);
    Value name = path_from_system(filename, strlen(filename));
    CompileOptions options = {.mode = MODE_EXEC,
                              .filename = name,
                              .optimize = sys_optimize(),
                              .is_file = *filename != '<' || strcmp(filename, "<stdin>") == 0};
    Value code = name ? compile_source(text, size, &options) : VALUE_ERROR;
    drop(name);
    return code;
}

static bool set_file(const char *filename)
{
    Value file = path_from_system(filename, strlen(filename));
    bool done = file && import_set_main_file(file, is_pyc_name(filename));
    drop(file);
    return done;
}

// sys.path begins with the folder of the script; with "", the working folder, where the script's
// path leads nowhere.
static bool insert_script_folder(const char *path)
{
    char *folder = outside_real_path(path);
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash) slash[slash == folder] = 0; // "/" keeps its slash
    bool done = path_insert(folder ? folder : "");
    memory_free(folder);
    return done;
}

static char *absolute_path(const char *path)
{
    char *folder = *path == '/' ? NULL : outside_working_directory();
    size_t size = (folder ? strlen(folder) : 0) + strlen(path) + 2;
    char *absolute = memory_alloc(size);
    if (absolute) snprintf(absolute, size, "%s%s%s", folder ? folder : "", folder ? "/" : "", path);
    memory_free(folder);
    return absolute;
}

// A folder or a zip file with a module __main__, which is where its other modules are found.
static int run_main_of(const char *path, bool (*run)(const char *path))
{
    char *entry = absolute_path(path);
    if (!entry) return raise_memory_error(), run_failed();
    bool done = path_insert(entry) && main_globals() && run(entry);
    memory_free(entry);
    return done ? 0 : run_failed();
}

// Ends the file with the record of a zip file, and the comment that this speaks of? Such files may
// begin with a line "#!...".
static bool is_zip(const char *text, size_t size)
{
    for (size_t end = size < ZIP_RECORD ? 0 : size - ZIP_RECORD + 1; end > 0; end--) {
        const unsigned char *record = (const unsigned char *)text + end - 1;
        size_t comment = size - ZIP_RECORD - (end - 1);
        if (comment > UINT16_MAX) return false;
        if (memcmp(record, "PK\5\6", 4) == 0)
            return record[20] + ((size_t)record[21] << 8) == comment;
    }
    return false;
}

static int run_text(const char *text, size_t size, const char *path)
{
    char *filename = absolute_path(path);
    if (!filename) return raise_memory_error(), run_failed();
    ValueRef globals = main_globals();
    Value code = VALUE_ERROR;
    if (globals && insert_script_folder(path) && set_file(filename))
        code = compile_program(text, size, filename);
    memory_free(filename);
    return run_program(code, globals);
}

int run_file(const char *path)
{
    if (outside_file_kind(path) == FILE_DIRECTORY) return run_main_of(path, import_run_folder);
    size_t size;
    char *text = read_program(path, &size);
    if (!text) return error_pending() ? run_failed() : 2;
    int status =
        is_zip(text, size) ? run_main_of(path, import_run_zip) : run_text(text, size, path);
    memory_free(text);
    return status;
}

// ---- -c, -m, standard input

// False: a message is on stderr, and the reason is pending.
static bool is_command_utf8(const char *text)
{
    Value command = path_from_system(text, strlen(text));
    Value bytes = command ? text_encode(command, "utf-8", NULL) : VALUE_ERROR;
    if (!bytes) {
        Value error = error_take();
        sys_write_stderr(str_new("Unable to decode the command from the command line:\n"));
        error_restore(error);
    }
    drop(bytes);
    drop(command);
    return bytes != VALUE_ERROR;
}

int run_command(const char *text)
{
    ValueRef globals = path_insert("") ? main_globals() : 0;
    if (globals && !is_command_utf8(text)) return run_failed();
    Value code = globals ? compile_program(text, strlen(text), "<string>") : VALUE_ERROR;
    if (tools) tools->keep_source(text, strlen(text));
    return run_as_main(code, globals) ? 0 : run_failed();
}

int run_module(const char *name)
{
    char *here = outside_working_directory();
    bool done = path_insert(here ? here : "") && main_globals() && import_run_as_main(name);
    memory_free(here);
    return done ? 0 : run_failed();
}

// The file of PYTHONSTARTUP. False: SystemExit is pending.
static bool run_startup(ValueRef globals)
{
    const char *path = sys_environment("PYTHONSTARTUP");
    if (!path) return true;
    size_t size;
    char *text = outside_read_file(path, &size);
    if (!text) {
        int error = errno;
        sys_write_stderr(str_new("Could not open PYTHONSTARTUP\n"));
        raise_os_error(error, VALUE_ERROR);
    }
    bool done = text && run_as_main(compile_program(text, size, path), globals);
    memory_free(text);
    if (done || error_is(SystemExit)) return done;
    sys_print_error();
    return true;
}

int run_dialogue(void)
{
    ValueRef globals = main_globals();
    return globals && repl_run(globals) ? 0 : run_failed();
}

int run_input(bool interactive)
{
    ValueRef globals = path_insert("") ? main_globals() : 0;
    if (!globals) return run_failed();
    if (interactive || outside_is_terminal(0))
        return run_startup(globals) ? run_dialogue() : run_failed();
    if (outside_descriptor_kind(0) == FILE_MISSING) return 0; // closed: an empty program
    size_t size;
    char *text = outside_read_all(0, &size);
    if (!text) return raise_os_error(errno, 0), run_failed();
    if (tools) tools->keep_source(text, size);
    Value code = VALUE_ERROR;
    if (set_file("<stdin>")) code = compile_program(text, size, "<stdin>");
    int status = run_program(code, globals);
    memory_free(text);
    return status;
}

// ---- a stage of the compiler

static Value dump_tree(const char *text, size_t size, const CompileOptions *options)
{
    Arena arena;
    arena_begin(&arena);
    if (setjmp(arena.failure)) {
        arena_end(&arena);
        return VALUE_ERROR;
    }
    const Node *tree = parse_source(&arena, text, size, options);
    Value dump = tree ? ast_dump(tree, false, 4) : VALUE_ERROR;
    arena_end(&arena);
    return dump;
}

// The library's decompiler turns the code into source text again.
static Value decompiled(ValueRef code)
{
    Value module = import_module("depyf"), name = module ? str_intern("decompile") : VALUE_ERROR;
    Value text = name ? object_call_method_one(module, name, code) : VALUE_ERROR;
    drop(name);
    drop(module);
    return text;
}

static Value stage_text(CompileStage stage, const char *text, size_t size,
                        const CompileOptions *options)
{
    if (stage == STAGE_TOKENS) return tokens_dump(text, size, options);
    if (stage == STAGE_AST) return dump_tree(text, size, options);
    if (stage == STAGE_SYMTABLE) return symtable_dump(text, size, options);
    const char *name = str_utf8(options->filename, NULL);
    if (!name) error_clear();
    bool compiled = pyc_has_magic(text, size) || (name && is_pyc_name(name));
    Value code = compiled ? read_compiled(text, size) : compile_source(text, size, options);
    Value shown = VALUE_ERROR;
    int count = 0;
    if (code && stage == STAGE_DIS)
        shown = coloured_code(disassemble(code, true), colours_wanted(1));
    else if (code && stage == STAGE_DECOMPILE)
        shown = decompiled(code);
    else if (code && code_verify_all(as_code(code), &count))
        shown = format_text("%S: %d verified", options->filename, count);
    drop(code);
    return shown;
}

int show_stage(CompileStage stage, const char *text, size_t size, const char *filename)
{
    Value name = path_from_system(filename, strlen(filename));
    CompileOptions options = {.mode = MODE_EXEC, .filename = name, .optimize = sys_optimize()};
    Value shown = name ? stage_text(stage, text, size, &options) : VALUE_ERROR;
    ssize_t length = shown ? str_length(shown) : 0;
    if (length && str_at(as_str(shown), length - 1) != '\n') {
        Value line = format_text("%S\n", (ValueRef)shown);
        replace_slot(&shown, line);
    }
    ValueRef out = sys_get("stdout"); // None: it is closed
    bool done = shown && (!out || out == NONE || stream_write(out, shown));
    drop(shown);
    drop(name);
    return done ? 0 : run_failed();
}
