// The context of operators: the value of the context variable `decimal_context`, so that each
// thread and each task has its own (PEP 567).
//
// Context variables are written in Python (vm/lib/_contextvars.mpy), and every operator asks for
// this one. So what it was last is kept, together with the version of the dict that has it, which
// is a bucket of the current contextvars.Context. A dict gets another version with every change,
// and no two dicts have the same.
#include "objects/classes/descriptor.h"
#include "objects/containers/list.h"
#include "objects/dict.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/upcalls.h"
#include "vm/modules/decimal/decimal.h"
#include "vm/modules/strands.h"

static Value variable;                                         // the ContextVar
static Value variables;                                        // the module _contextvars
static Value default_context, basic_context, extended_context; // the templates

// Where the variable is found, which the module _contextvars decides.
static struct {
    Value class;    // contextvars.Context; VALUE_ERROR = it is not known how
    size_t buckets; // where an instance has the list of buckets
    int64_t hash;   // of the variable: its bucket is this one modulo the number of buckets
} home;

static struct {
    uint64_t version;       // of the bucket; 0 = nothing is kept
    ContextObject *context; // which the bucket owns
} kept;

static Value last; // the context that was looked up last: a script may have made it for this alone

const Context default_settings = {
    .prec = 28,
    .emax = 999999,
    .emin = -999999,
    .rounding = ROUND_HALF_EVEN,
    .capitals = true,
    .traps = ANY_INVALID | DIVISION_BY_ZERO | OVERFLOWED,
};

const ContextObject *default_template(void)
{
    return default_context ? as_context(default_context) : NULL;
}

bool decimal_lives(void)
{
    return variables || raise_error(RuntimeError, "the module decimal has been freed");
}

// ---- the variable

// An attribute that the instances of a class keep by a name of __slots__: the offset, 0 = none.
static size_t offset_of(Type *type, const char *attribute)
{
    ValueRef name = str_find_interned(attribute);
    ValueRef found = name ? type_lookup(type, name) : VALUE_ERROR;
    return found ? slot_offset(found, type) : 0;
}

static ValueRef slot_at(ValueRef instance, size_t offset)
{
    return *(const Value *)((const char *)object_of(instance) + offset);
}

static bool find_home(void)
{
    Value class = attribute_of("_contextvars", "Context");
    if (!class) return false;
    size_t hash_offset = offset_of(type_of(variable), "_hash");
    ValueRef hash = hash_offset ? slot_at(variable, hash_offset) : VALUE_ERROR;
    home.buckets = type_check(class) ? offset_of(as_type(class), "_buckets") : 0;
    if (!home.buckets || !hash || !int_check(hash) || int_as_int64_clamped(hash, &home.hash))
        drop_slot(&class);
    home.class = class;
    return true;
}

// The dict that has the variable: borrowed, VALUE_ERROR = it is not where it should be.
static ValueRef find_bucket(void)
{
    ValueRef scope = strands_context();
    if (!is_object(scope) || ref_of(type_of(scope)) != (ValueRef)home.class) return VALUE_ERROR;
    ValueRef buckets = slot_at(scope, home.buckets);
    if (!is_object(buckets) || !list_check_exact(buckets) || !list_size(buckets))
        return VALUE_ERROR;
    int64_t index = home.hash % list_size(buckets);
    ValueRef bucket = list_at(buckets, (ssize_t)(index < 0 ? index + list_size(buckets) : index));
    return is_object(bucket) && dict_check_exact(bucket) ? bucket : VALUE_ERROR;
}

// Keeps it if the bucket has it. False with an exception pending.
static bool keep(ContextObject *context)
{
    kept.version = 0;
    ValueRef bucket = find_bucket();
    if (!bucket) return true;
    Value held = retain(bucket), found = dict_get(bucket, variable);
    if ((ValueRef)found == ref_of(context)) {
        kept.version = as_dict(held)->version;
        kept.context = context;
    }
    drop(found);
    drop(held);
    return found;
}

static Value call_variable(const char *method, ValueRef argument)
{
    Value name = decimal_lives() ? str_intern(method) : VALUE_ERROR;
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
    ContextObject *context = keep(as_context(found)) ? as_context(found) : NULL;
    replace_slot(&last, found);
    return context;
}

ContextObject *current_context(void)
{
    ValueRef bucket = kept.version ? find_bucket() : VALUE_ERROR;
    return bucket && as_dict(bucket)->version == kept.version ? kept.context : look_up();
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
    ContextObject *current = current_context();
    if (!current) return VALUE_ERROR;
    Value outer = retain(ref_of(current));
    ContextObject *given = context_argument(slots[0]);
    Value local = given ? context_copy(given) : VALUE_ERROR;
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
    if (!variables) variables = upcalls.import("_contextvars");
    Value class = variables ? attribute_of("_contextvars", "ContextVar") : VALUE_ERROR;
    Value text = class ? str_new("decimal_context") : VALUE_ERROR;
    variable = text ? object_call_one(class, text) : VALUE_ERROR;
    drop(text);
    drop(class);
    return variable && find_home();
}

static bool make_template(ValueRef module, const char *name, Value *template,
                          const Context *context)
{
    if (!*template) *template = context_new(context);
    return *template && module_add(module, name, *template);
}

bool current_init(ValueRef module)
{
    Context context = default_settings;
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
    kept.version = 0;
    drop_slot(&last);
    drop_slot(&home.class);
    drop_slot(&variable);
    drop_slot(&variables);
    drop_slot(&default_context);
    drop_slot(&basic_context);
    drop_slot(&extended_context);
}
