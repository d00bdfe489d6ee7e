// compile(), and the source text that compile(), eval() and exec() accept.
#include "compiler/compile.h"
#include "frames/frame.h"
#include "objects/bytes/buffer.h"
#include "objects/error.h"
#include "objects/protocols/items.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/ast/ast_objects.h"
#include "vm/builtins/builtins.h"
#include "vm/builtins/frame_builtins.h"
#include "vm/io/io.h"
#include "vm/io/path.h"
#include "vm/prompt/source_text.h"
#include "vm/sys/sys.h"

bool source_text_get(ValueRef source, const char *function, const char *what, SourceText *text)
{
    *text = (SourceText){0};
    if (str_check(source)) {
        text->text = str_utf8(source, &text->size);
        text->is_utf8 = true;
    } else if (buffer_check(source)) {
        if (!buffer_get(source, &text->buffer, false)) return false;
        text->text = text->buffer.bytes;
        text->size = (size_t)text->buffer.size;
    } else {
        return raise_error(TypeError, "%s() arg 1 must be a %s object", function, what);
    }
    if (!text->text) return false;
    if (!memchr(text->text, 0, text->size)) return true;
    source_text_drop(text);
    return raise_error(ValueError, "source code string cannot contain null bytes");
}

void source_text_drop(SourceText *text)
{
    if (text->buffer.owner) buffer_release(&text->buffer);
}

#define FUTURE_FLAGS                                                                               \
    (CO_FUTURE_DIVISION | CO_FUTURE_ABSOLUTE_IMPORT | CO_FUTURE_WITH_STATEMENT |                   \
     CO_FUTURE_PRINT_FUNCTION | CO_FUTURE_UNICODE_LITERALS | CO_FUTURE_BARRY_AS_BDFL |             \
     CO_FUTURE_GENERATOR_STOP | CO_FUTURE_ANNOTATIONS)
#define COMPILE_FLAGS                                                                              \
    (FUTURE_FLAGS | PyCF_DONT_IMPLY_DEDENT | PyCF_ONLY_AST | PyCF_TYPE_COMMENTS |                  \
     PyCF_ALLOW_TOP_LEVEL_AWAIT | CO_NESTED)

// The CO_FUTURE_ flags of the code that runs now, which compile() and exec() pass on.
static int inherited_flags(void)
{
    const Frame *frame = thread_state.frame;
    return frame ? as_code(frame->code)->flags & FUTURE_FLAGS : 0;
}

static bool mode_of(ValueRef mode, int flags, CompileMode *result)
{
    static const char *const names[] = {"exec", "eval", "single", "func_type"};
    for (int i = 0; i < 4; i++) {
        if (!str_equal_ascii(mode, names[i])) continue;
        *result = (CompileMode)i;
        if (i < 3 || flags & PyCF_ONLY_AST) return true;
        return raise_error(ValueError, "compile() mode 'func_type' requires flag PyCF_ONLY_AST");
    }
    return raise_error(ValueError,
                       flags & PyCF_ONLY_AST
                           ? "compile() mode must be 'exec', 'eval', 'single' or 'func_type'"
                           : "compile() mode must be 'exec', 'eval' or 'single'");
}

// The options after the file name, which is set already. First checks all types, then the values.
static bool read_options(const ValueRef *given, CompileOptions *options)
{
    ValueRef mode = given[2];
    int dont_inherit = 0, version = -1;
    options->optimize = -1;
    if (!str_check(mode))
        return raise_error(TypeError, "compile() argument 'mode' must be str, not %G", mode);
    if ((given[3] && !argument_int(given[3], &options->flags)) ||
        (given[4] && !argument_int(given[4], &dont_inherit)) ||
        (given[5] && !argument_int(given[5], &options->optimize)) ||
        (given[6] && !argument_int(given[6], &version)))
        return false;
    if (options->flags & ~COMPILE_FLAGS)
        return raise_error(ValueError, "compile(): unrecognised flags");
    if (options->optimize < -1 || options->optimize > 2)
        return raise_error(ValueError, "compile(): invalid optimize value");
    if (options->optimize < 0) options->optimize = sys_optimize();
    if (!dont_inherit) options->flags |= inherited_flags();
    if (version >= 0 && version < NEWEST_GRAMMAR && options->flags & PyCF_ONLY_AST)
        options->grammar_age = NEWEST_GRAMMAR - version;
    return mode_of(mode, options->flags, &options->mode);
}

// The tree of a text, as objects.
static Value parse_text(const SourceText *text, const CompileOptions *options)
{
    Arena arena;
    Value volatile tree = VALUE_ERROR;
    arena_begin(&arena);
    if (setjmp(arena.failure) == 0)
        tree = ast_from_tree(parse_source(&arena, text->text, text->size, options));
    arena_end(&arena);
    return tree;
}

// The code of a tree that a script may have put together.
static Value compile_objects(ValueRef object, CompileOptions *options)
{
    Arena arena;
    Value volatile code = VALUE_ERROR;
    int depth = recursion_depth;
    if (options->flags & PyCF_ONLY_AST) return retain(object);
    options->tree_of_script = true;
    arena_begin(&arena);
    if (setjmp(arena.failure) == 0) {
        Node *tree = ast_to_tree(&arena, object, options->mode);
        if (ast_validate(tree)) code = compile_tree(&arena, tree, options);
    }
    recursion_depth = depth;
    arena_end(&arena);
    return code;
}

static Value compile_with(ValueRef source, CompileOptions *options)
{
    SourceText text;
    if (ast_check(source)) return compile_objects(source, options);
    if (!source_text_get(source, "compile", "string, bytes or AST", &text)) return VALUE_ERROR;
    options->is_utf8 = text.is_utf8;
    Value result = options->flags & PyCF_ONLY_AST ? parse_text(&text, options)
                                                  : compile_source(text.text, text.size, options);
    source_text_drop(&text);
    return result;
}

Value source_filename(ValueRef value)
{
    if (str_check(value) || bytes_check(value) || !buffer_check(value)) return path_text(value);
    if (!warn(DeprecationWarning, 1, "path should be string, bytes, or os.PathLike, not %.200T",
              value))
        return VALUE_ERROR;
    Value bytes = bytes_from_value(value), text = bytes ? path_text(bytes) : VALUE_ERROR;
    drop(bytes);
    return text;
}

Value builtin_compile(FUNCTION_ARGS)
{
    static const char *const names[] = {
        "source",   "filename",         "mode", "flags", "dont_inherit",
        "optimize", "_feature_version", NULL};
    static const Signature signature = {"compile", names, 3, 6};
    ValueRef given[7];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    Value filename = source_filename(given[1]);
    if (!filename) return VALUE_ERROR;
    CompileOptions options = {.filename = filename};
    Value code = read_options(given, &options) ? compile_with(given[0], &options) : VALUE_ERROR;
    drop(filename);
    return code;
}

// ---- eval and exec

// Compiles the text that eval() or exec() was given.
static Value compile_argument(ValueRef source, const char *function, CompileMode mode)
{
    SourceText text;
    if (!source_text_get(source, function, "string, bytes or code", &text)) return VALUE_ERROR;
    if (mode == MODE_EVAL) // leading blanks are no indentation there
        while (text.size && (*text.text == ' ' || *text.text == '\t')) text.text++, text.size--;
    Value filename = str_new("<string>");
    CompileOptions options = {.mode = mode,
                              .filename = filename,
                              .flags = inherited_flags(),
                              .optimize = sys_optimize(),
                              .is_utf8 = text.is_utf8};
    Value code = filename ? compile_source(text.text, text.size, &options) : VALUE_ERROR;
    drop(filename);
    source_text_drop(&text);
    return code;
}

static Value run_source(const char *function, CompileMode mode, const ValueRef *args, size_t nargs)
{
    ValueRef globals = nargs > 1 ? args[1] : 0, locals = nargs > 2 ? args[2] : 0;
    if (!run_scopes(function, &globals, &locals)) return VALUE_ERROR;
    Value code = code_check(args[0]) ? retain(args[0]) : compile_argument(args[0], function, mode);
    Value result = code ? run_code(function, code, globals, locals) : VALUE_ERROR;
    drop(code);
    return result;
}

Value builtin_eval(FUNCTION_ARGS)
{
    return run_source("eval", MODE_EVAL, args, nargs);
}

Value builtin_exec(FUNCTION_ARGS)
{
    Value result = run_source("exec", MODE_EXEC, args, nargs);
    drop(result);
    return result ? NONE : VALUE_ERROR;
}
