// The context of operators: the value of the context variable `decimal_context`, so that each
// thread and each task has its own (PEP 567).
//
// Context variables are written in Python (vm/lib/_contextvars.mpy), and every operator asks for
// this one. So what it was last is kept, together with the versions of the two dicts that decide
// it: the globals of that module, whose `_current` is the contextvars.Context, and the `_data` of
// the latter. A dict gets another version with every change.
#include "objects/classes/descriptor.h"
#include "objects/dict.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/upcalls.h"
#include "vm/modules/decimal/decimal.h"

static Value variable;                                         // the ContextVar
static Value variables;                                        // the module _contextvars
static Value default_context, basic_context, extended_context; // the templates

static struct {
    uint64_t globals_version, data_version; // 0 = nothing is kept
    const Value *data;                      // where contextvars.Context has its dict
    ContextObject *context;
} kept;

// ---- the variable

// Where the current contextvars.Context has its dict; NULL = it is none.
static const Value *find_data(void)
{
    ValueRef scope = dict_peek_ascii(as_module(variables)->dict, "_current");
    ValueRef name = str_find_interned("_data");
    ValueRef found =
        scope && name && is_object(scope) ? type_lookup(type_of(scope), name) : VALUE_ERROR;
    size_t offset = found ? slot_offset(found, type_of(scope)) : 0;
    return offset ? (const Value *)((const char *)object_of(scope) + offset) : NULL;
}

static void keep(ContextObject *context)
{
    const Value *data = find_data();
    kept.globals_version = 0;
    if (!data || !*data || !dict_check(*data)) return;
    kept.globals_version = as_dict(as_module(variables)->dict)->version;
    kept.data_version = as_dict(*data)->version;
    kept.data = data;
    kept.context = context;
}

static Value call_variable(const char *method, ValueRef argument)
{
    Value name = str_intern(method);
    Value result = name ? object_call_method_one(variable, name, argument) : VALUE_ERROR;
    drop(name);
    return result;
}

static bool set_variable(ValueRef context)
{
    Value token = call_variable("set", context);
    drop(token);
    return token;
}

// A copy of the template, in which nothing has happened, becomes the value.
static Value first_context(void)
{
    Value made = context_copy(as_context(default_context));
    if (!made) return VALUE_ERROR;
    *signal_bits(as_context(made)->flags) = 0;
    if (!set_variable(made)) drop_slot(&made);
    return made;
}

static ContextObject *look_up(void)
{
    Value found = call_variable("get", NONE);
    if (found == NONE) found = first_context();
    if (!found) return NULL;
    if (!context_check(found)) {
        raise_error(TypeError, "the current context is no context");
        drop(found);
        return NULL;
    }
    ContextObject *context = as_context(found);
    keep(context);
    drop(found); // the variable owns it
    return context;
}

ContextObject *current_context(void)
{
    if (kept.globals_version &&
        kept.globals_version == as_dict(as_module(variables)->dict)->version &&
        dict_check(*kept.data) && kept.data_version == as_dict(*kept.data)->version)
        return kept.context;
    return look_up();
}

// Makes it the current one; a template is copied.
static bool set_current(ValueRef context)
{
    ValueRef templates[] = {default_context, basic_context, extended_context};
    Value copy = VALUE_ERROR;
    for (int i = 0; i < 3; i++) {
        if (context != templates[i]) continue;
        copy = context_copy(as_context(context));
        if (!copy) return false;
        *signal_bits(as_context(copy)->flags) = 0;
    }
    bool done = set_variable(copy ? (ValueRef)copy : context);
    drop(copy);
    return done;
}

// ---- functions of the module

static Value getcontext(FUNCTION_ARGS)
{
    ContextObject *context = current_context();
    return context ? retain(ref_of(context)) : VALUE_ERROR;
}

static Value setcontext(FUNCTION_ARGS)
{
    if (!context_check(args[0])) return raise_error(TypeError, "argument must be a context");
    return set_current(args[0]) ? NONE : VALUE_ERROR;
}

// What localcontext() gives to `with`.
typedef struct ContextManager {
    Object base;
    Value local, outer; // contexts
} ContextManager;

static Value localcontext(FUNCTION_ARGS)
{
    static const char *const names[] = {"ctx", NULL};
    static const Signature signature = {"", names, 0, 1};
    ValueRef slots[1];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    ContextObject *current = current_context(), *given = context_argument(slots[0]);
    if (!current || !given) return VALUE_ERROR;
    Value outer = retain(ref_of(current)), local = context_copy(given);
    ContextManager *made = local ? object_alloc(&context_manager_type, 0) : NULL;
    if (!made) {
        drop(local);
        drop(outer);
        return VALUE_ERROR;
    }
    made->local = local;
    made->outer = outer;
    return own(made);
}

static Value manager_enter(ValueRef self, METHOD_ARGS)
{
    ValueRef local = ((ContextManager *)object_of(self))->local;
    return set_current(local) ? retain(local) : VALUE_ERROR;
}

static Value manager_exit(ValueRef self, METHOD_ARGS)
{
    return set_current(((ContextManager *)object_of(self))->outer) ? FALSE : VALUE_ERROR;
}

static const MethodDef manager_methods[] = {
    {"__enter__", manager_enter, NO_ARGS, NULL},
    {"__exit__", manager_exit, UNPACKED_ARGS(0, -1), NULL},
    {0},
};

static void manager_release(Object *self)
{
    drop(((ContextManager *)self)->local);
    drop(((ContextManager *)self)->outer);
}

static void manager_traverse(Object *self, VisitFn visit, void *arg)
{
    ContextManager *manager = (ContextManager *)self;
    if (manager->local) visit(manager->local, arg);
    if (manager->outer) visit(manager->outer, arg);
}

Type context_manager_type = {
    STATIC_TYPE("decimal.ContextManager", sizeof(ContextManager)),
    .flags = TYPE_GC,
    .release = manager_release,
    .traverse = manager_traverse,
    .methods = manager_methods,
};

const MethodDef current_functions[] = {
    {"getcontext", getcontext, NO_ARGS, "getcontext($module, /)\n--\n\nThe current context."},
    {"setcontext", setcontext, ONE_ARG,
     "setcontext($module, context, /)\n--\n\nMakes a context the current one."},
    {"localcontext", localcontext, KEYWORD_ARGS,
     "localcontext($module, /, ctx=None)\n--\n\nA context manager: a copy of the context is the "
     "current one inside of `with`."},
    {0},
};

// ---- the life of the module

static bool make_variable(void)
{
    if (variable) return true;
    variables = upcalls.import("_contextvars");
    Value name = variables ? str_intern("ContextVar") : VALUE_ERROR;
    Value class = name ? object_get(variables, name) : VALUE_ERROR;
    Value text = class ? str_new("decimal_context") : VALUE_ERROR;
    variable = text ? object_call_one(class, text) : VALUE_ERROR;
    drop(text);
    drop(class);
    drop(name);
    return variable;
}

static bool make_template(ValueRef module, const char *name, Value *template,
                          const Context *context)
{
    if (!*template) *template = context_new(context);
    return *template && module_add(module, name, *template);
}

bool current_init(ValueRef module)
{
    Context context = {.prec = 28,
                       .emax = 999999,
                       .emin = -999999,
                       .rounding = ROUND_HALF_EVEN,
                       .capitals = true,
                       .traps = ANY_INVALID | DIVISION_BY_ZERO | OVERFLOWED};
    if (!make_variable() || !make_template(module, "DefaultContext", &default_context, &context))
        return false;
    context.prec = 9;
    context.traps = 0;
    if (!make_template(module, "ExtendedContext", &extended_context, &context)) return false;
    context.rounding = ROUND_HALF_UP;
    context.traps = ANY_INVALID | DIVISION_BY_ZERO | OVERFLOWED | UNDERFLOWED | CLAMPED;
    return make_template(module, "BasicContext", &basic_context, &context);
}

void current_finish(void)
{
    kept.globals_version = 0;
    drop_slot(&variable);
    drop_slot(&variables);
    drop_slot(&default_context);
    drop_slot(&basic_context);
    drop_slot(&extended_context);
}
