// sys.audit() and sys.addaudithook() (PEP 578). A script's own events go to its hooks; the machine
// itself announces none.
#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/text/str.h"
#include "vm/sys/sys.h"

static Value hooks; // a list, or 0 before the first one

void sys_drop_audit_hooks(void)
{
    drop_slot(&hooks);
}

// Calls each hook with the event and its arguments; what a hook raises ends it.
static bool announce(ValueRef event, ValueRef arguments)
{
    bool done = true;
    for (ssize_t i = 0; done && hooks && i < list_size(hooks); i++) {
        Value hook = retain(list_at(hooks, i));
        Value result = object_call_two(hook, event, arguments);
        done = result != VALUE_ERROR;
        drop(result);
        drop(hook);
    }
    return done;
}

Value sys_audit(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)self, (void)kwnames;
    if (!nargs)
        return raise_error(TypeError, "audit() missing 1 required positional argument: 'event'");
    if (!str_check(args[0]))
        return raise_error(TypeError, "expected str for argument 'event', not %.200T", args[0]);
    if (!hooks) return NONE;
    Value arguments = tuple_from_array(args + 1, nargs - 1);
    bool done = arguments && announce(args[0], arguments);
    drop(arguments);
    return done ? NONE : VALUE_ERROR;
}

// The hooks that are there hear of a new one, and may refuse it by any Exception.
Value sys_add_audit_hook(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"hook", NULL};
    static const Signature signature = {"addaudithook", names, 1, 1};
    ValueRef hook;
    (void)self;
    if (!args_bind(&signature, args, nargs, kwnames, &hook)) return VALUE_ERROR;
    Value event = str_new("sys.addaudithook"), arguments = event ? tuple_new(0) : VALUE_ERROR;
    bool told = arguments && announce(event, arguments);
    drop(arguments);
    drop(event);
    if (!told && error_is(RuntimeError)) {
        error_clear();
        return NONE;
    }
    if (!told) return VALUE_ERROR;
    if (!hooks) hooks = list_new(1);
    return hooks && list_append(hooks, hook) ? NONE : VALUE_ERROR;
}
