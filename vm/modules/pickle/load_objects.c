// Instructions that find classes and functions by name, call them, and set what instances hold.
#include "objects/bytes/codecs.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "vm/modules/pickle/pickle.h"

// ---- names

// By find_class(), which a subclass may have for itself.
static Value find_class(Unpickler *self, ValueRef module, ValueRef name)
{
    Value method = str_intern("find_class");
    ValueRef args[] = {ref_of(self), module, name};
    Value found = method ? object_call_method(method, args, 3, VALUE_ERROR) : VALUE_ERROR;
    drop(method);
    return found;
}

// A line without its end, decoded. False where it is empty, or no such text.
static Value read_name(Unpickler *self, ssize_t least, const char *encoding)
{
    ssize_t size;
    const char *line = input_line(&self->input, &size);
    if (!line) return VALUE_ERROR;
    if (size < least) return pickle_truncated();
    return text_decode(line, (size_t)size - 1, encoding, "strict");
}

bool load_GLOBAL(Unpickler *self)
{
    Value module = read_name(self, 2, "utf-8");
    Value name = module ? read_name(self, 2, "utf-8") : VALUE_ERROR;
    Value found = name ? find_class(self, module, name) : VALUE_ERROR;
    drop(name);
    drop(module);
    return unpickler_push(self, found);
}

bool load_STACK_GLOBAL(Unpickler *self)
{
    Value name = unpickler_pop(self), module = name ? unpickler_pop(self) : VALUE_ERROR;
    bool are_names = module && str_check_exact(module) && str_check_exact(name);
    if (!are_names) error_clear();
    Value found =
        are_names ? find_class(self, module, name) : unpickling_error("STACK_GLOBAL requires str");
    drop(module);
    drop(name);
    return unpickler_push(self, found);
}

// ---- copyreg's registry

static Value find_extension(Unpickler *self, ValueRef code)
{
    Value registry = pickle_table("copyreg", "_inverted_registry"), found = VALUE_ERROR;
    Value pair = registry ? dict_get(registry, code) : VALUE_ERROR;
    if (pair == ABSENT)
        raise_error(ValueError, "unregistered extension code %S", code);
    else if (pair && (!tuple_check(pair) || tuple_size(pair) != 2 ||
                      !str_check(tuple_at(pair, 0)) || !str_check(tuple_at(pair, 1))))
        raise_error(ValueError, "_inverted_registry[%S] isn't a 2-tuple of strings", code);
    else if (pair)
        found = find_class(self, tuple_at(pair, 0), tuple_at(pair, 1));
    drop(pair);
    drop(registry);
    return found;
}

static bool push_extension(Unpickler *self, int operand)
{
    uint64_t number;
    if (!unpickler_operand(self, operand, &number)) return false;
    if (!number || number > INT32_MAX) return unpickling_error("EXT specifies code <= 0");
    ValueRef code = from_small((int64_t)number);
    Value cache = pickle_table("copyreg", "_extension_cache");
    Value found = cache ? dict_get(cache, code) : VALUE_ERROR;
    if (found == ABSENT) {
        found = find_extension(self, code);
        if (found && !dict_set(cache, code, found)) drop_slot(&found);
    }
    drop(cache);
    return unpickler_push(self, found);
}

bool load_EXT1(Unpickler *self)
{
    return push_extension(self, 1);
}

bool load_EXT2(Unpickler *self)
{
    return push_extension(self, 2);
}

bool load_EXT4(Unpickler *self)
{
    return push_extension(self, 4);
}

// ---- persistent ids

static bool check_persistent(const Unpickler *self)
{
    return self->persistent_load.function ||
           unpickling_error("A load persistent id instruction was encountered,\n"
                            "but no persistent_load function was specified.");
}

// Steals the id.
static bool push_persistent(Unpickler *self, Value id)
{
    Value found = id ? hook_call(&self->persistent_load, ref_of(self), id) : VALUE_ERROR;
    drop(id);
    return unpickler_push(self, found);
}

bool load_PERSID(Unpickler *self)
{
    if (!check_persistent(self)) return false;
    Value id = read_name(self, 1, "ascii");
    if (!id && error_is(UnicodeDecodeError)) {
        error_clear();
        unpickling_error("persistent IDs in protocol 0 must be ASCII strings");
    }
    return push_persistent(self, id);
}

bool load_BINPERSID(Unpickler *self)
{
    return check_persistent(self) && push_persistent(self, unpickler_pop(self));
}

// ---- instances

// A class without arguments is not called, but its __new__ is.
static Value instantiate(ValueRef class, ValueRef arguments)
{
    if (tuple_size(arguments) == 0 && type_check(class)) {
        Value initial = pickle_attribute(class, "__getinitargs__");
        drop(initial);
        if (initial == ABSENT) return object_call_method_one(class, NAME(__new__), class);
        if (!initial) return VALUE_ERROR;
    }
    return object_call_spread(class, arguments, VALUE_ERROR);
}

bool load_INST(Unpickler *self)
{
    ssize_t mark;
    if (!unpickler_mark(self, &mark)) return false;
    Value module = read_name(self, 2, "ascii");
    Value name = module ? read_name(self, 2, "ascii") : VALUE_ERROR, made = VALUE_ERROR;
    Value class = name ? find_class(self, module, name) : VALUE_ERROR;
    Value arguments = class ? unpickler_pop_tuple(self, mark) : VALUE_ERROR;
    if (arguments) made = instantiate(class, arguments);
    drop(arguments);
    drop(class);
    drop(name);
    drop(module);
    return unpickler_push(self, made);
}

bool load_OBJ(Unpickler *self)
{
    ssize_t mark;
    if (!unpickler_mark(self, &mark)) return false;
    if (self->size - mark < 1) return unpickler_underflow(self);
    Value arguments = unpickler_pop_tuple(self, mark + 1);
    Value class = arguments ? unpickler_pop(self) : VALUE_ERROR;
    Value made = class ? instantiate(class, arguments) : VALUE_ERROR;
    drop(class);
    drop(arguments);
    return unpickler_push(self, made);
}

static Value call_new(ValueRef class, ValueRef arguments, ValueRef keywords)
{
    SpreadArguments spread;
    if (!spread_begin(&spread, VALUE_ERROR, arguments, keywords)) return VALUE_ERROR;
    Value made = as_type(class)->new_(as_type(class), spread.values, spread.nargs, spread.names);
    spread_end(&spread);
    return made;
}

bool load_NEWOBJ(Unpickler *self)
{
    Value arguments = unpickler_pop(self);
    if (!arguments) return false;
    Value class = VALUE_ERROR, made = VALUE_ERROR;
    if (!tuple_check(arguments))
        unpickling_error("NEWOBJ expected an arg tuple.");
    else if (!(class = unpickler_pop(self)))
        ;
    else if (!type_check(class))
        unpickling_error("NEWOBJ class argument isn't a type object");
    else if (!as_type(class)->new_)
        unpickling_error("NEWOBJ class argument has NULL tp_new");
    else
        made = call_new(class, arguments, VALUE_ERROR);
    drop(class);
    drop(arguments);
    return unpickler_push(self, made);
}

static bool check_newobj_ex(ValueRef class, ValueRef arguments, ValueRef keywords)
{
    if (!type_check(class))
        return unpickling_error("NEWOBJ_EX class argument must be a type, not %.200T", class);
    if (!as_type(class)->new_)
        return unpickling_error("NEWOBJ_EX class argument doesn't have __new__");
    if (!tuple_check(arguments))
        return unpickling_error("NEWOBJ_EX args argument must be a tuple, not %.200T", arguments);
    return dict_check(keywords) ||
           unpickling_error("NEWOBJ_EX kwargs argument must be a dict, not %.200T", keywords);
}

bool load_NEWOBJ_EX(Unpickler *self)
{
    Value keywords = unpickler_pop(self), made = VALUE_ERROR;
    Value arguments = keywords ? unpickler_pop(self) : VALUE_ERROR;
    Value class = arguments ? unpickler_pop(self) : VALUE_ERROR;
    if (class && check_newobj_ex(class, arguments, keywords))
        made = call_new(class, arguments, keywords);
    drop(class);
    drop(arguments);
    drop(keywords);
    return unpickler_push(self, made);
}

bool load_REDUCE(Unpickler *self)
{
    Value arguments = unpickler_pop(self), made = VALUE_ERROR;
    Value function = arguments ? unpickler_pop(self) : VALUE_ERROR;
    if (function && !tuple_check(arguments))
        raise_error(TypeError, "argument list must be a tuple");
    else if (function)
        made = object_call_spread(function, arguments, VALUE_ERROR);
    drop(function);
    drop(arguments);
    return unpickler_push(self, made);
}

// ---- what they hold

// Sets items of instance.__dict__, whose names are interned as those of attributes are.
static bool set_dict(ValueRef instance, ValueRef state)
{
    if (!dict_check(state)) return unpickling_error("state is not a dictionary");
    Value dict = object_get(instance, NAME(__dict__));
    ssize_t position = 0;
    ValueRef key, value;
    bool done = dict;
    while (done && dict_next(state, &position, &key, &value)) {
        Value name = retain(key), held = retain(value);
        if (str_check_exact(name)) str_intern_in_place(&name);
        done = object_set_subscript(dict, name, held);
        drop(held);
        drop(name);
    }
    drop(dict);
    return done;
}

static bool set_slots(ValueRef instance, ValueRef state)
{
    if (!dict_check(state)) return unpickling_error("slot state is not a dictionary");
    ssize_t position = 0;
    ValueRef key, value;
    bool done = true;
    while (done && dict_next(state, &position, &key, &value)) {
        Value name = retain(key), held = retain(value);
        done = str_check(name) ||
               raise_error(TypeError, "attribute name must be string, not '%.200T'", key);
        done = done && object_set(instance, name, held);
        drop(held);
        drop(name);
    }
    return done;
}

// A tuple of two is (state of __dict__, state of __slots__).
static bool set_state(ValueRef instance, ValueRef state)
{
    ValueRef slots = VALUE_ERROR;
    if (tuple_check(state) && tuple_size(state) == 2) {
        slots = tuple_at(state, 1);
        state = tuple_at(state, 0);
    }
    return (state == NONE || set_dict(instance, state)) && (!slots || set_slots(instance, slots));
}

bool load_BUILD(Unpickler *self)
{
    if (self->size - 2 < self->fence) return unpickler_underflow(self);
    Value state = unpickler_pop(self), instance = retain(self->stack[self->size - 1]);
    Value set = pickle_attribute(instance, "__setstate__");
    bool done = set;
    if (set && set != ABSENT) {
        Value result = object_call_one(set, state);
        done = result;
        drop(result);
    } else if (set) {
        done = set_state(instance, state);
    }
    drop(set);
    drop(instance);
    drop(state);
    return done;
}
