// The type Pickler, and the functions dump() and dumps(). See pickle.h.
#include "objects/bytes/bytes.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/method.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "vm/modules/pickle/pickle.h"

// ---- hooks

bool hook_find(Hook *hook, ValueRef self, const char *name)
{
    Value found = pickle_attribute(self, name);
    if (!found) return false;
    hook->bound = found != ABSENT && method_check(found) && as_method(found)->self == self;
    Value function = hook->bound ? retain(as_method(found)->function) : retain(found);
    replace_slot(&hook->function, function == ABSENT ? VALUE_ERROR : function);
    drop(found);
    return true;
}

Value hook_call(const Hook *hook, ValueRef self, ValueRef argument)
{
    Value function = retain(hook->function);
    Value result = hook->bound ? object_call_two(function, self, argument)
                               : object_call_one(function, argument);
    drop(function);
    return result;
}

Value hook_get(const Hook *hook, ValueRef self, const char *name)
{
    if (!hook->function) return raise_error(AttributeError, "%s", name);
    return hook->bound ? method_new(hook->function, self) : retain(hook->function);
}

bool hook_set(Hook *hook, ValueRef value, const char *name)
{
    if (!value) return raise_error(TypeError, "attribute deletion is not supported");
    if (!object_is_callable(value))
        return raise_error(TypeError, "%s must be a callable taking one argument", name);
    hook->bound = false;
    replace_slot(&hook->function, retain(value));
    return true;
}

// ---- making one

static bool set_protocol(Pickler *self, ValueRef given, bool fix_imports)
{
    int protocol = DEFAULT_PROTOCOL;
    if (given && given != NONE && !argument_int(given, &protocol)) return false;
    if (protocol < 0) protocol = HIGHEST_PROTOCOL;
    if (protocol > HIGHEST_PROTOCOL)
        return raise_error(ValueError, "pickle protocol must be <= %d", HIGHEST_PROTOCOL);
    self->protocol = protocol;
    self->binary = protocol > 0;
    self->fix_imports = fix_imports && protocol < 3;
    return true;
}

static bool set_callback(Pickler *self, ValueRef callback)
{
    if (callback == NONE) callback = VALUE_ERROR;
    if (callback && self->protocol < 5)
        return raise_error(ValueError, "buffer_callback needs protocol >= 5");
    replace_slot(&self->buffer_callback, retain(callback));
    return true;
}

static bool set_file(Pickler *self, ValueRef file)
{
    Value write = object_get_optional(file, NAME(write));
    if (write == ABSENT) return raise_error(TypeError, "file must have a 'write' attribute");
    if (write) replace_slot(&self->output.write, write);
    return write;
}

// The arguments after the file, as protocol, fix_imports and buffer_callback.
static bool set_options(Pickler *self, const ValueRef options[3])
{
    bool fix_imports = true;
    return (!options[1] || object_truth(options[1], &fix_imports)) &&
           set_protocol(self, options[0], fix_imports) && set_callback(self, options[2]);
}

static bool find_dispatch_table(Pickler *self)
{
    Value table = pickle_attribute(ref_of(self), "dispatch_table");
    if (table) replace_slot(&self->dispatch_table, table == ABSENT ? VALUE_ERROR : table);
    return table;
}

static bool pickler_init(ValueRef value, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"file", "protocol", "fix_imports", "buffer_callback", NULL};
    static const Signature signature = {"Pickler", names, 1, 4};
    ValueRef given[4];
    Pickler *self = as_pickler(value);
    if (!args_bind(&signature, args, nargs, kwnames, given)) return false;
    if (!set_options(self, given + 1) || !set_file(self, given[0])) return false;
    memo_table_clear(&self->memo);
    output_clear(&self->output);
    self->fast = self->fast_depth = 0;
    drop_slot(&self->fast_open);
    return hook_find(&self->persistent_id, value, "persistent_id") && find_dispatch_table(self);
}

static Value pickler_new(Type *type, METHOD_ARGS)
{
    Pickler *made = object_alloc(type, 0);
    if (made) made->output.frame_start = -1;
    return own(made);
}

// ---- saving

static bool find_reducer(Pickler *self)
{
    Value reducer = pickle_attribute(ref_of(self), "reducer_override");
    if (reducer) replace_slot(&self->reducer_override, reducer == ABSENT ? VALUE_ERROR : reducer);
    return reducer;
}

static bool dump(Pickler *self, ValueRef value)
{
    output_clear(&self->output);
    if (!find_reducer(self)) return false;
    if (self->protocol >= 2)
        output_op_number(&self->output, PICKLE_PROTO, (uint64_t)self->protocol, 1);
    self->output.framing = self->protocol >= 4;
    bool done = pickle_save_held(self, value);
    if (done) output_op(&self->output, PICKLE_STOP);
    done = done && output_end(&self->output);
    self->output.framing = false;
    drop_slot(&self->reducer_override);
    return done;
}

static Value pickler_dump_method(ValueRef self, METHOD_ARGS)
{
    if (!as_pickler(self)->output.write)
        return pickling_error("Pickler.__init__() was not called by %T.__init__()", self);
    return dump(as_pickler(self), args[0]) ? NONE : VALUE_ERROR;
}

static Value clear_memo(ValueRef self, METHOD_ARGS)
{
    memo_table_clear(&as_pickler(self)->memo);
    return NONE;
}

// ---- the functions

Value pickler_dump(FUNCTION_ARGS)
{
    static const char *const names[] = {"obj", "file", "protocol", "fix_imports", "buffer_callback",
                                        NULL};
    static const Signature signature = {"dump", names, 2, 3};
    ValueRef given[5];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    Value pickler = pickler_new(&pickler_type, NULL, 0, VALUE_ERROR);
    bool done = pickler && set_options(as_pickler(pickler), given + 2) &&
                set_file(as_pickler(pickler), given[1]) && dump(as_pickler(pickler), given[0]);
    drop(pickler);
    return done ? NONE : VALUE_ERROR;
}

Value pickler_dumps(FUNCTION_ARGS)
{
    static const char *const names[] = {"obj", "protocol", "fix_imports", "buffer_callback", NULL};
    static const Signature signature = {"dumps", names, 1, 2};
    ValueRef given[4];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    Value pickler = pickler_new(&pickler_type, NULL, 0, VALUE_ERROR), bytes = VALUE_ERROR;
    if (pickler && set_options(as_pickler(pickler), given + 1) &&
        dump(as_pickler(pickler), given[0]))
        bytes = output_take(&as_pickler(pickler)->output);
    drop(pickler);
    return bytes;
}

// ---- attributes

static Value get_memo(ValueRef self)
{
    return memo_proxy_new(&pickler_memo_type, self);
}

// {id: (index, object)}
static bool memo_from_dict(Memo *memo, ValueRef dict)
{
    ssize_t position = 0, index;
    ValueRef key, pair;
    while (dict_next(dict, &position, &key, &pair)) {
        if (!tuple_check(pair) || tuple_size(pair) != 2)
            return raise_error(TypeError, "'memo' values must be 2-item tuples");
        ValueRef object = tuple_at(pair, 1);
        if (!int_as_ssize(tuple_at(pair, 0), &index) ||
            !memo_table_put(memo, bits_of(object), object, index))
            return false;
    }
    return true;
}

static bool set_memo(ValueRef self, ValueRef value)
{
    if (!value) return raise_error(TypeError, "attribute deletion is not supported");
    if (is_exactly(value, &pickler_memo_type))
        return memo_table_copy(&as_pickler(self)->memo, &as_pickler(memo_proxy_owner(value))->memo);
    if (!dict_check(value))
        return raise_error(TypeError,
                           "'memo' attribute must be a PicklerMemoProxy object or dict, not "
                           "%.200T",
                           value);
    Memo made = {0};
    bool done = memo_from_dict(&made, value) && memo_table_copy(&as_pickler(self)->memo, &made);
    memo_table_clear(&made);
    return done;
}

static Value get_persistent_id(ValueRef self)
{
    return hook_get(&as_pickler(self)->persistent_id, self, "persistent_id");
}

static bool set_persistent_id(ValueRef self, ValueRef value)
{
    return hook_set(&as_pickler(self)->persistent_id, value, "persistent_id");
}

// ---- the type

static void release(Object *object)
{
    Pickler *self = (Pickler *)object;
    bytes_out_free(&self->output.bytes);
    memo_table_clear(&self->memo);
    drop_slot(&self->output.write);
    drop_slot(&self->persistent_id.function);
    drop_slot(&self->dispatch_table);
    drop_slot(&self->reducer_override);
    drop_slot(&self->buffer_callback);
    drop_slot(&self->copyreg_table);
    drop_slot(&self->fast_open);
}

static void traverse(Object *object, VisitFn visit, void *arg)
{
    const Pickler *self = (const Pickler *)object;
    memo_table_visit(&self->memo, visit, arg);
    visit_item(self->output.write, visit, arg);
    visit_item(self->persistent_id.function, visit, arg);
    visit_item(self->dispatch_table, visit, arg);
    visit_item(self->reducer_override, visit, arg);
    visit_item(self->buffer_callback, visit, arg);
    visit_item(self->copyreg_table, visit, arg);
    visit_item(self->fast_open, visit, arg);
}

static const MethodDef methods[] = {
    {"dump", pickler_dump_method, ONE_ARG,
     "dump($self, obj, /)\n--\n\nWrites an object into the file."},
    {"clear_memo", clear_memo, NO_ARGS,
     "clear_memo($self, /)\n--\n\nForgets what was written: it will be written anew."},
    {0},
};

static const MemberDef members[] = {
    {"bin", MEMBER_INT, offsetof(Pickler, binary), false, NULL},
    {"fast", MEMBER_INT, offsetof(Pickler, fast), false, NULL},
    {"dispatch_table", MEMBER_VALUE_REQUIRED, offsetof(Pickler, dispatch_table), false, NULL},
    {0},
};

static const GetSetDef getset[] = {
    {"memo", get_memo, set_memo, NULL},
    {"persistent_id", get_persistent_id, set_persistent_id, NULL},
    {0},
};

Type pickler_type = {
    STATIC_TYPE("_pickle.Pickler", sizeof(Pickler)),
    .flags = TYPE_BASE | TYPE_GC,
    .doc = "Pickler(file, protocol=None, fix_imports=True, buffer_callback=None)\n--\n\n"
           "Writes objects into a file.",
    .methods = methods,
    .members = members,
    .getset = getset,
    .new_ = pickler_new,
    .init = pickler_init,
    .release = release,
    .traverse = traverse,
    .clear = release,
};
