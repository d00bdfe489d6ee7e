// The module _symtable: the compiler's symbol table of a source text, for vm/lib/symtable.mpy.
//
// A scope is a tuple (name, type, line, nested, symbols, children): `symbols` is a dict of the
// flags of symtable.h, `children` a list of the scopes inside.
#include "compiler/tree/symtable.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "vm/io/io.h"
#include "vm/prompt/source_text.h"

static Value symbols_of(const Scope *scope)
{
    Value symbols = dict_new();
    for (int i = 0; symbols && i < scope->symbols.count; i++) {
        int flags = scope->symbols.entries[i].number;
        if (!dict_set(symbols, scope->symbols.entries[i].key, from_small(flags)))
            drop_slot(&symbols);
    }
    return symbols;
}

static Value describe(const Scope *scope)
{
    Value children = list_new(0), symbols = symbols_of(scope), result = VALUE_ERROR;
    bool ok = children && symbols && stack_check_room();
    for (const Scope *inner = scope->first_inner; ok && inner; inner = inner->next)
        ok = list_append_owned(children, describe(inner));
    if (ok)
        result = tuple_pack(6, scope->name, (ValueRef)from_small(scope->type),
                            (ValueRef)from_small(scope->line), (ValueRef)from_bool(scope->nested),
                            (ValueRef)symbols, (ValueRef)children);
    drop(symbols);
    drop(children);
    return result;
}

static Value table_of(const SourceText *text, const CompileOptions *options)
{
    Arena arena;
    Value volatile result = VALUE_ERROR;
    arena_begin(&arena);
    if (setjmp(arena.failure) == 0) {
        Compilation *c = arena_alloc(&arena, sizeof *c);
        *c = (Compilation){.arena = &arena, .options = options, .features = options->flags};
        Node *tree = parse_source(&arena, text->text, text->size, options);
        future_read(c, tree);
        result = describe(symbols_make(c, tree)->top);
    }
    arena_end(&arena);
    return result;
}

static bool read_mode(ValueRef mode, CompileMode *result)
{
    static const char *const names[] = {"exec", "eval", "single"};
    if (!str_check(mode))
        return raise_error(TypeError, "symtable() argument 3 must be str, not %G", mode);
    for (int i = 0; i < 3; i++) {
        *result = (CompileMode)i;
        if (str_equal_ascii(mode, names[i])) return true;
    }
    return raise_error(ValueError, "symtable() arg 3 must be 'exec' or 'eval' or 'single'");
}

// symtable(source, filename, mode)
static Value symtable(FUNCTION_ARGS)
{
    CompileOptions options = {0};
    SourceText text;
    if (!read_mode(args[2], &options.mode) ||
        !source_text_get(args[0], "symtable", "string or bytes", &text))
        return VALUE_ERROR;
    Value filename = source_filename(args[1]), result = VALUE_ERROR;
    options.filename = filename;
    options.is_utf8 = text.is_utf8;
    if (filename) result = table_of(&text, &options);
    drop(filename);
    source_text_drop(&text);
    return result;
}

static const MethodDef functions[] = {{"symtable", symtable, ARGS(3, 3), NULL}, {0}};

static bool fill(ValueRef module)
{
    static const struct {
        const char *name;
        int value;
    } constants[] = {
        {"DEF_GLOBAL", DEF_GLOBAL},
        {"DEF_LOCAL", DEF_LOCAL},
        {"DEF_PARAM", DEF_PARAM},
        {"DEF_NONLOCAL", DEF_NONLOCAL},
        {"USE", SYMBOL_USE},
        {"DEF_IMPORT", DEF_IMPORT},
        {"DEF_ANNOT", DEF_ANNOT},
        {"DEF_BOUND", DEF_BOUND},
        {"SCOPE_OFF", NAME_SCOPE_SHIFT},
        {"LOCAL", LOCAL},
        {"GLOBAL_EXPLICIT", GLOBAL_EXPLICIT},
        {"GLOBAL_IMPLICIT", GLOBAL_IMPLICIT},
        {"FREE", FREE},
        {"CELL", CELL},
        {"TYPE_FUNCTION", FUNCTION_SCOPE},
        {"TYPE_CLASS", CLASS_SCOPE},
        {"TYPE_MODULE", MODULE_SCOPE},
    };
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (!module_add(module, constants[i].name, from_small(constants[i].value))) return false;
    return true;
}

const ModuleDef _symtable_module = {.name = "_symtable", .functions = functions, .fill = fill};
