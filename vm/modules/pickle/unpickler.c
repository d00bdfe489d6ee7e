// The type Unpickler, its loop over the instructions, and the functions load() and loads().
#include "objects/bytes/bytes.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/import/import.h"
#include "vm/modules/pickle/pickle.h"

// ---- the loop

static bool (*const loaders[256])(Unpickler *) = {
#define PICKLE_OPCODE(name, byte) [byte] = load_##name,
#include "vm/modules/pickle/opcodes.def"
#undef PICKLE_OPCODE
};

static Value raise_invalid_key(unsigned char key)
{
    if (key >= ' ' && key <= '~' && key != '\'' && key != '\\')
        return unpickling_error("invalid load key, '%c'.", key);
    char digits[3] = {"0123456789abcdef"[key >> 4], "0123456789abcdef"[key & 15]};
    return unpickling_error("invalid load key, '\\x%s'.", digits);
}

static void begin(Unpickler *self)
{
    self->mark_count = self->fence = self->protocol = 0;
    while (self->size) drop(self->stack[--self->size]);
}

static bool run(Unpickler *self)
{
    for (;;) {
        const char *next = input_opcode(&self->input);
        if (!next) return false;
        unsigned char key = (unsigned char)*next;
        if (key == PICKLE_STOP) return true;
        if (!loaders[key]) return raise_invalid_key(key);
        if (!loaders[key](self) || !poll_signals()) return false;
    }
}

static Value load(Unpickler *self)
{
    begin(self);
    return run(self) && input_skip(&self->input) ? unpickler_pop(self) : VALUE_ERROR;
}

// ---- making one

// The arguments after the file, as fix_imports, encoding, errors and buffers.
typedef ValueRef Options[4];

static bool set_name(Value *name, ValueRef given, const char *which, const char *usual)
{
    if (given && !str_check(given))
        return raise_error(TypeError, "Unpickler() argument '%s' must be str, not %.50G", which,
                           given);
    if (given && str_find_char(given, 0, 0, str_length(given), 1) >= 0)
        return raise_error(ValueError, "embedded null character");
    Value text = given ? retain(given) : str_intern(usual);
    if (text) replace_slot(name, text);
    return text;
}

static bool set_buffers(Unpickler *self, ValueRef given)
{
    Value buffers = given && given != NONE ? object_iter(given) : VALUE_ERROR;
    if (!buffers && given && given != NONE) return false;
    replace_slot(&self->buffers, buffers);
    return true;
}

static bool set_options(Unpickler *self, const Options options)
{
    self->fix_imports = true;
    return (!options[0] || object_truth(options[0], &self->fix_imports)) &&
           set_name(&self->encoding, options[1], "encoding", "ASCII") &&
           set_name(&self->errors, options[2], "errors", "strict") && set_buffers(self, options[3]);
}

static bool unpickler_init(ValueRef value, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"file",   "fix_imports", "encoding",
                                        "errors", "buffers",     NULL};
    static const Signature signature = {"Unpickler", names, 1, 1};
    ValueRef given[5];
    Unpickler *self = as_unpickler(value);
    if (!args_bind(&signature, args, nargs, kwnames, given)) return false;
    // The options first: who has a file can load, even while the file is asked for its methods.
    if (!set_options(self, given + 1) || !input_from_file(&self->input, given[0])) return false;
    begin(self);
    memo_table_clear(&self->memo);
    return hook_find(&self->persistent_load, value, "persistent_load");
}

static Value unpickler_new(Type *type, METHOD_ARGS)
{
    return own(object_alloc(type, 0));
}

static Value unpickler_load_method(ValueRef self, METHOD_ARGS)
{
    if (!as_unpickler(self)->input.read)
        return unpickling_error("Unpickler.__init__() was not called by %T.__init__()", self);
    return load(as_unpickler(self));
}

// ---- names

// The name in the pickle of Python 2, as Python 3 has it. Both are owned, and may be replaced.
static bool use_new_names(Value *module, Value *name)
{
    Value pair = pickle_renamed("NAME_MAPPING", *module, *name), renamed = VALUE_ERROR;
    bool done = pair;
    if (pair == ABSENT) {
        renamed = pickle_renamed("IMPORT_MAPPING", *module, VALUE_ERROR);
        done = renamed;
    } else if (pair && (!tuple_check(pair) || tuple_size(pair) != 2)) {
        done = raise_error(RuntimeError,
                           "_compat_pickle.NAME_MAPPING values should be 2-tuples, not %.200T",
                           (ValueRef)pair);
    } else if (pair) {
        renamed = retain(tuple_at(pair, 0));
        replace_slot(name, retain(tuple_at(pair, 1)));
    }
    if (done && renamed != ABSENT) replace_slot(module, retain(renamed));
    drop(renamed);
    drop(pair);
    return done;
}

// module.name, where the name may be dotted.
static Value found_in(ValueRef module, ValueRef name)
{
    Value path = pickle_path(name, module);
    Value found = path ? pickle_deep_attribute(module, path, NULL) : VALUE_ERROR;
    drop(path);
    return found;
}

static Value import_class(const Unpickler *self, ValueRef module_name, ValueRef name)
{
    if (!str_check(module_name) || !str_check(name))
        return raise_error(TypeError, "must be str, not %.200T",
                           str_check(name) ? module_name : name);
    Value module = import_for_program(module_name);
    if (!module) return VALUE_ERROR;
    Value found = self->protocol >= 4 ? found_in(module, name) : object_get_optional(module, name);
    if (found == ABSENT)
        found = raise_error(AttributeError, "Can't get attribute %R on %R", name, (ValueRef)module);
    drop(module);
    return found;
}

static Value find_class(ValueRef value, METHOD_ARGS)
{
    const Unpickler *self = as_unpickler(value);
    Value module = retain(args[0]), name = retain(args[1]), found = VALUE_ERROR;
    if (self->protocol >= 3 || !self->fix_imports || use_new_names(&module, &name))
        found = import_class(self, module, name);
    drop(name);
    drop(module);
    return found;
}

// ---- the functions

static Value new_with_options(const Options options)
{
    Value unpickler = unpickler_new(&unpickler_type, NULL, 0, VALUE_ERROR);
    if (unpickler && !set_options(as_unpickler(unpickler), options)) drop_slot(&unpickler);
    return unpickler;
}

// Loads from a new unpickler; steals it.
static Value load_and_drop(Value unpickler, bool has_input)
{
    Value loaded = has_input ? load(as_unpickler(unpickler)) : VALUE_ERROR;
    drop(unpickler);
    return loaded;
}

Value unpickler_load(FUNCTION_ARGS)
{
    static const char *const names[] = {"file",   "fix_imports", "encoding",
                                        "errors", "buffers",     NULL};
    static const Signature signature = {"load", names, 1, 1};
    ValueRef given[5];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    Value unpickler = new_with_options(given + 1);
    bool has_input = unpickler && input_from_file(&as_unpickler(unpickler)->input, given[0]);
    return load_and_drop(unpickler, has_input);
}

Value unpickler_loads(FUNCTION_ARGS)
{
    static const char *const names[] = {"", "fix_imports", "encoding", "errors", "buffers", NULL};
    static const Signature signature = {"loads", names, 1, 1};
    ValueRef given[5];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    Value unpickler = new_with_options(given + 1);
    bool has_input = unpickler && input_from_bytes(&as_unpickler(unpickler)->input, given[0]);
    return load_and_drop(unpickler, has_input);
}

// ---- attributes

static Value get_memo(ValueRef self)
{
    return memo_proxy_new(&unpickler_memo_type, self);
}

// {index: object}
static bool memo_from_dict(Memo *memo, ValueRef dict)
{
    ssize_t position = 0, index;
    ValueRef key, object;
    while (dict_next(dict, &position, &key, &object)) {
        if (!int_check(key)) return raise_error(TypeError, "memo key must be integers");
        if (!int_as_ssize(key, &index)) return false;
        if (index < 0) return raise_error(ValueError, "memo key must be positive integers.");
        if (!memo_table_put(memo, (uint64_t)index + 1, object, index)) return false;
    }
    return true;
}

static bool set_memo(ValueRef self, ValueRef value)
{
    if (!value) return raise_error(TypeError, "attribute deletion is not supported");
    if (is_exactly(value, &unpickler_memo_type))
        return memo_table_copy(&as_unpickler(self)->memo,
                               &as_unpickler(memo_proxy_owner(value))->memo);
    if (!dict_check(value))
        return raise_error(TypeError,
                           "'memo' attribute must be an UnpicklerMemoProxy object or dict, not "
                           "%.200T",
                           value);
    Memo made = {0};
    bool done = memo_from_dict(&made, value) && memo_table_copy(&as_unpickler(self)->memo, &made);
    memo_table_clear(&made);
    return done;
}

static Value get_persistent_load(ValueRef self)
{
    return hook_get(&as_unpickler(self)->persistent_load, self, "persistent_load");
}

static bool set_persistent_load(ValueRef self, ValueRef value)
{
    return hook_set(&as_unpickler(self)->persistent_load, value, "persistent_load");
}

// ---- the type

static void clear(Object *object)
{
    Unpickler *self = (Unpickler *)object;
    begin(self);
    memo_table_clear(&self->memo);
    input_clear(&self->input);
    drop_slot(&self->persistent_load.function);
    drop_slot(&self->buffers);
}

static void release(Object *object)
{
    Unpickler *self = (Unpickler *)object;
    clear(object);
    drop_slot(&self->encoding);
    drop_slot(&self->errors);
    memory_free(self->stack);
    memory_free(self->marks);
}

static void traverse(Object *object, VisitFn visit, void *arg)
{
    const Unpickler *self = (const Unpickler *)object;
    visit_items(self->stack, self->size, visit, arg);
    memo_table_visit(&self->memo, visit, arg);
    input_visit(&self->input, visit, arg);
    visit_item(self->persistent_load.function, visit, arg);
    visit_item(self->buffers, visit, arg);
    visit_item(self->encoding, visit, arg);
    visit_item(self->errors, visit, arg);
}

static const MethodDef methods[] = {
    {"load", unpickler_load_method, NO_ARGS,
     "load($self, /)\n--\n\nReads an object from the file."},
    {"find_class", find_class, ARGS(2, 2),
     "find_class($self, module_name, global_name, /)\n--\n\nThe class or function of a name, which "
     "a subclass may refuse."},
    {0},
};

static const GetSetDef getset[] = {
    {"memo", get_memo, set_memo, NULL},
    {"persistent_load", get_persistent_load, set_persistent_load, NULL},
    {0},
};

Type unpickler_type = {
    STATIC_TYPE("_pickle.Unpickler", sizeof(Unpickler)),
    .flags = TYPE_BASE | TYPE_GC,
    .doc = "Unpickler(file, *, fix_imports=True, encoding='ASCII', errors='strict', buffers=())\n"
           "--\n\nReads objects from a file.",
    .methods = methods,
    .getset = getset,
    .new_ = unpickler_new,
    .init = unpickler_init,
    .release = release,
    .traverse = traverse,
    .clear = clear,
};
