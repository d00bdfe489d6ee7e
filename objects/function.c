// Functions written in script.
//
// Executing `def` makes a Function: the code, the globals of the module, and the values that the
// header of the `def` computed. vm/ calls it: vm_init() fills the slot `call`. function.__call__
// goes through call_by_slot(), because it is made before vm_init() runs.
#include "objects/function.h"

#include "objects/call.h"
#include "objects/cell.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/method.h"
#include "objects/classes/object_parts.h"
#include "objects/code.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"

// ---- making

static Value doc_of_code(const Code *code)
{
    if (tuple_size(code->consts) == 0) return NONE;
    ValueRef first = tuple_at(code->consts, 0);
    return str_check(first) ? retain(first) : NONE;
}

Value function_new(ValueRef code_value, ValueRef globals, ValueRef qualname)
{
    const Code *code = as_code(code_value);
    invariant(code_check(code_value) && dict_check(globals),
              "a function is made of code and a dict of globals");
    ValueRef module = dict_peek(globals, NAME(__name__));
    Function *self = object_alloc_unfilled(&function_type, sizeof(Function));
    if (!self) return VALUE_ERROR;
    self->code = retain(code_value);
    self->globals = retain(globals);
    self->name = retain(code->name);
    self->qualname = retain(qualname ? qualname : code->name);
    self->doc = doc_of_code(code);
    self->module = retain(module);
    self->defaults = self->kwdefaults = self->closure = self->annotations = VALUE_ERROR;
    self->dict = self->weakrefs = VALUE_ERROR;
    return own(self);
}

static const char *const new_parameters[] = {"code", "globals", "name", "argdefs", "closure", NULL};
static const Signature new_signature = {"function", new_parameters, 2, 5};

static bool check_kind(ValueRef value, const Type *type, const char *parameter)
{
    if (type_is_subtype(type_of(value), type)) return true;
    return raise_error(TypeError, "function() argument '%s' must be %s, not %.50s", parameter,
                       type->name, value == NONE ? "None" : type_of(value)->name);
}

static bool check_closure(const Code *code, ValueRef closure)
{
    ssize_t wanted = code_free_count(code), given = 0;
    if (!closure || closure == NONE) {
        if (wanted > 0) return raise_error(TypeError, "arg 5 (closure) must be tuple");
        return true;
    }
    if (!tuple_check(closure))
        return raise_error(TypeError, "arg 5 (closure) must be None or tuple");
    given = tuple_size(closure);
    if (given != wanted)
        return raise_error(ValueError, "%S requires closure of length %zd, not %zd",
                           (ValueRef)code->name, wanted, given);
    for (ssize_t i = 0; i < given; i++)
        if (!is_exactly(tuple_at(closure, i), &cell_type))
            return raise_error(TypeError, "arg 5 (closure) expected cell, found %T",
                               tuple_at(closure, i));
    return true;
}

static bool check_new_arguments(const ValueRef slots[5])
{
    if (!check_kind(slots[0], &code_type, "code") || !check_kind(slots[1], &dict_type, "globals"))
        return false;
    if (slots[2] && slots[2] != NONE && !str_check(slots[2]))
        return raise_error(TypeError, "arg 3 (name) must be None or string");
    if (slots[3] && slots[3] != NONE && !tuple_check(slots[3]))
        return raise_error(TypeError, "arg 4 (defaults) must be None or tuple");
    return check_closure(as_code(slots[0]), slots[4]);
}

static Value given_or_none(ValueRef value)
{
    return value && value != NONE ? retain(value) : VALUE_ERROR;
}

static Value function_make(Type *type, METHOD_ARGS)
{
    ValueRef slots[5];
    (void)type;
    if (!args_bind(&new_signature, args, nargs, kwnames, slots) || !check_new_arguments(slots))
        return VALUE_ERROR;
    Value made = function_new(slots[0], slots[1], VALUE_ERROR);
    if (!made) return VALUE_ERROR;
    Function *self = as_function(made);
    if (slots[2] && slots[2] != NONE) replace_slot(&self->name, retain(slots[2]));
    self->defaults = given_or_none(slots[3]);
    self->closure = given_or_none(slots[4]);
    return made;
}

// ---- life

#define FUNCTION_FIELDS(FIELD)                                                                     \
    FIELD(code)                                                                                    \
    FIELD(globals)                                                                                 \
    FIELD(defaults)                                                                                \
    FIELD(kwdefaults)                                                                              \
    FIELD(closure)                                                                                 \
    FIELD(doc) FIELD(name) FIELD(qualname) FIELD(module) FIELD(annotations) FIELD(dict)

static void function_traverse(Object *object, VisitFn visit, void *arg)
{
    Function *self = (Function *)object;
#define VISIT(field) visit_item(self->field, visit, arg);
    FUNCTION_FIELDS(VISIT)
#undef VISIT
}

static void function_release(Object *object)
{
    Function *self = (Function *)object;
#define DROP(field) drop(self->field);
    FUNCTION_FIELDS(DROP)
#undef DROP
}

// Does not clear the fields that a call needs (code, globals, closure), because a destructor may
// still call the function. Cells break the cycles through the closure.
static void function_clear(Object *object)
{
    Function *self = (Function *)object;
    drop_slot(&self->defaults);
    drop_slot(&self->kwdefaults);
    drop_slot(&self->doc);
    drop_slot(&self->module);
    drop_slot(&self->annotations);
    drop_slot(&self->dict);
}

// ---- attributes

static Value field_or_none(ValueRef field)
{
    return field ? retain(field) : NONE;
}

static Value get_code(ValueRef self)
{
    return retain(as_function(self)->code);
}

static bool set_code(ValueRef self, ValueRef value)
{
    Function *function = as_function(self);
    if (!value || !code_check(value))
        return raise_error(TypeError, "__code__ must be set to a code object");
    ssize_t has = function->closure ? tuple_size(function->closure) : 0;
    ssize_t wants = code_free_count(as_code(value));
    if (has != wants)
        return raise_error(ValueError, "%S() requires a code object with %zd free vars, not %zd",
                           (ValueRef)function->name, has, wants);
    replace_slot(&function->code, retain(value));
    return true;
}

static Value get_name(ValueRef self)
{
    return retain(as_function(self)->name);
}

static bool set_text(Value *field, ValueRef value, const char *attribute)
{
    if (!value || !str_check(value))
        return raise_error(TypeError, "%s must be set to a string object", attribute);
    replace_slot(field, retain(value));
    return true;
}

static bool set_name(ValueRef self, ValueRef value)
{
    return set_text(&as_function(self)->name, value, "__name__");
}

static Value get_qualname(ValueRef self)
{
    return retain(as_function(self)->qualname);
}

static bool set_qualname(ValueRef self, ValueRef value)
{
    return set_text(&as_function(self)->qualname, value, "__qualname__");
}

static Value get_defaults(ValueRef self)
{
    return field_or_none(as_function(self)->defaults);
}

static bool set_defaults(ValueRef self, ValueRef value)
{
    if (value && value != NONE && !tuple_check(value))
        return raise_error(TypeError, "__defaults__ must be set to a tuple object");
    replace_slot(&as_function(self)->defaults, given_or_none(value));
    return true;
}

static Value get_kwdefaults(ValueRef self)
{
    return field_or_none(as_function(self)->kwdefaults);
}

static bool set_kwdefaults(ValueRef self, ValueRef value)
{
    if (value && value != NONE && !dict_check(value))
        return raise_error(TypeError, "__kwdefaults__ must be set to a dict object");
    replace_slot(&as_function(self)->kwdefaults, given_or_none(value));
    return true;
}

static Value get_annotations(ValueRef self)
{
    Function *function = as_function(self);
    if (!function->annotations) function->annotations = dict_new();
    return retain(function->annotations);
}

static bool set_annotations(ValueRef self, ValueRef value)
{
    if (value && value != NONE && !dict_check(value))
        return raise_error(TypeError, "__annotations__ must be set to a dict object");
    replace_slot(&as_function(self)->annotations, given_or_none(value));
    return true;
}

// ---- slots

static Value call_by_slot(ValueRef self, METHOD_ARGS)
{
    if (function_type.call == call_by_slot) return raise_bad_call("function.__call__");
    return function_type.call(self, args, nargs, kwnames);
}

static Value function_repr(ValueRef self)
{
    return format_text("<function %S at 0x%llx>", (ValueRef)as_function(self)->qualname,
                       value_id(self));
}

static Value function_get(ValueRef self, ValueRef instance, ValueRef owner)
{
    (void)owner;
    return instance && instance != NONE ? method_new(self, instance) : retain(self);
}

static const MemberDef members[] = {
    {"__closure__", MEMBER_VALUE, offsetof(Function, closure), true, NULL},
    {"__doc__", MEMBER_VALUE, offsetof(Function, doc), false, NULL},
    {"__globals__", MEMBER_VALUE, offsetof(Function, globals), true, NULL},
    {"__module__", MEMBER_VALUE, offsetof(Function, module), false, NULL},
    {0},
};

static const GetSetDef getset[] = {
    {"__code__", get_code, set_code, NULL},
    {"__defaults__", get_defaults, set_defaults, NULL},
    {"__kwdefaults__", get_kwdefaults, set_kwdefaults, NULL},
    {"__annotations__", get_annotations, set_annotations, NULL},
    {"__dict__", generic_get_dict, generic_set_dict, NULL},
    {"__name__", get_name, set_name, NULL},
    {"__qualname__", get_qualname, set_qualname, NULL},
    {0},
};

Type function_type = {
    STATIC_TYPE("function", sizeof(Function)),
    .flags = TYPE_GC | TYPE_METHOD,
    .dict_offset = offsetof(Function, dict),
    .weakref_offset = offsetof(Function, weakrefs),
    .doc = "function(code, globals, name=None, argdefs=None, closure=None)\n--\n\n"
           "Create a function object.\n\n"
           "  code\n    a code object\n"
           "  globals\n    the globals dictionary\n"
           "  name\n    a string that overrides the name from the code object\n"
           "  argdefs\n    a tuple that specifies the default argument values\n"
           "  closure\n    a tuple that supplies the bindings for free variables",
    .members = members,
    .getset = getset,
    .new_ = function_make,
    .release = function_release,
    .traverse = function_traverse,
    .clear = function_clear,
    .repr = function_repr,
    .call = call_by_slot,
    .get = function_get,
};
