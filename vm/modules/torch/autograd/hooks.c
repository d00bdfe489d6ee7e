// Registering hooks, calling them, and the checks of what they give.
#include "vm/modules/torch/autograd/hooks.h"

#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/tensor/tensor.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

// ---- registering

Value hooks_register(Value *slot, ValueRef hook)
{
    Value module = upcalls.import("torch.utils.hooks");
    Value handle = VALUE_ERROR;
    if (module && !*slot) *slot = object_call_method_none(module, NAME(OrderedDict));
    if (*slot && !dict_check(*slot)) { // a script has put another class there
        raise_error(TypeError, "torch.utils.hooks.OrderedDict() gave %T", (ValueRef)*slot);
        drop_slot(slot);
    }
    if (module && *slot) handle = object_call_method_one(module, NAME(RemovableHandle), *slot);
    drop(module);
    Value id = handle ? object_get(handle, NAME(id)) : VALUE_ERROR;
    if (id && object_set_subscript(*slot, id, hook)) {
        drop(id);
        return handle;
    }
    drop(id);
    drop(handle);
    return VALUE_ERROR;
}

bool hooks_keep(Value *slot, uint32_t result_nr, ValueRef value)
{
    if (!*slot) *slot = dict_new();
    return *slot && dict_set(*slot, from_small(result_nr), value);
}

// ---- what hooks give

// RuntimeError, "hook 'NAME' ..."; steals the text that follows the name.
static bool raise_of_hook(ValueRef hook, Value problem)
{
    Value name = problem ? object_get_optional(hook, NAME(__name__)) : VALUE_ERROR;
    if (name == ABSENT) name = str_new("<unknown>");
    if (name) raise_error(RuntimeError, "hook '%S' has %S", (ValueRef)name, (ValueRef)problem);
    drop(name);
    drop(problem);
    return false;
}

static bool raise_changed_type(ValueRef hook, ValueRef before, ValueRef after)
{
    Value was = object_call_method_none(before, NAME(type));
    Value got = was ? object_call_method_none(after, NAME(type)) : VALUE_ERROR;
    Value problem =
        got ? format_text("changed the type of value (was %S got %S)", (ValueRef)was, (ValueRef)got)
            : VALUE_ERROR;
    drop(was);
    drop(got);
    return raise_of_hook(hook, problem);
}

static bool same_sizes(const Tensor *a, const Tensor *b)
{
    return a->ndim == b->ndim &&
           memcmp(tensor_sizes(a), tensor_sizes(b), a->ndim * sizeof(Dim)) == 0;
}

static bool check_tensor(ValueRef hook, ValueRef before, ValueRef after)
{
    if (after == NONE) return true;
    if (before == NONE)
        return raise_error(RuntimeError, "can't replace a None gradient with a non-None value");
    if (!tensor_check(after))
        return raise_error(TypeError, "expected Variable, but hook returned '%T'", after);
    if (as_tensor(before)->dtype != as_tensor(after)->dtype)
        return raise_changed_type(hook, before, after);
    if (!same_sizes(as_tensor(before), as_tensor(after)))
        return raise_of_hook(hook, str_new("changed the size of value"));
    return true;
}

static bool check_tuple(ValueRef hook, ValueRef before, ValueRef after)
{
    if (!tuple_check(after))
        return raise_error(TypeError, "expected tuple, but hook returned '%T'", after);
    if (tuple_size(before) != tuple_size(after))
        return raise_of_hook(hook, format_text("returned an incorrect number of values (got %zd, "
                                               "but expected %zd)",
                                               tuple_size(after), tuple_size(before)));
    for (ssize_t i = 0; i < tuple_size(before); i++)
        if (!check_tensor(hook, tuple_at(before, i), tuple_at(after, i))) return false;
    return true;
}

static bool call_one(ValueRef hook, Value *value, ValueRef second)
{
    Value held = retain(*value);
    Value given = second ? object_call_two(hook, held, second) : object_call_one(hook, held);
    drop(held);
    if (!given) return false;
    bool fits = given == NONE || (tuple_check(*value) ? check_tuple(hook, *value, given)
                                                      : check_tensor(hook, *value, given));
    if (fits && given != NONE)
        replace_slot(value, given);
    else
        drop(given);
    return fits;
}

bool hooks_call(ValueRef hooks, Value *value, ValueRef second)
{
    Value list = dict_values(hooks);
    bool done = list;
    for (ssize_t i = 0; done && i < list_size(list); i++) {
        Value hook = retain(list_at(list, i));
        done = call_one(hook, value, second);
        drop(hook);
    }
    drop(list);
    return done;
}
