// On which device a call computes: the CPU, or meta, whose tensors have a shape and no elements.
//
//     torch.zeros(2, device="meta")     device= says so
//     x + 1                             x says so
//     torch.zeros(2)                    op_state.makes_meta says so: `with torch.device("meta"):`
//
// All tensors of a call are on one device, but for two kinds on the CPU that a call on meta takes
// as well: those without dimensions, which are as good as numbers, and indices. A tensor that is
// written may be on meta when what is written into it is not, for it keeps nothing.
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/text/str.h"
#include "vm/modules/torch/call/call_parts.h"
#include "vm/modules/torch/call/torch_objects.h"

static const char *device_name(bool meta)
{
    return meta ? "meta" : "cpu";
}

static bool is_meta(const Tensor *tensor)
{
    return tensor_is(tensor, TENSOR_META);
}

// "index", "indices".
static bool is_for_indices(const Param *param)
{
    const char *name = str_utf8(param->name, NULL);
    return name && strncmp(name, "ind", 3) == 0;
}

// What the tensors that have been looked at say.
typedef struct Found {
    bool decided, meta;
} Found;

// False with RuntimeError for a tensor on the other device pending.
static bool add_tensor(Found *found, const Tensor *tensor, bool index)
{
    bool meta = is_meta(tensor);
    if (!meta && (index || tensor->ndim == 0)) return true;
    if (!found->decided) *found = (Found){true, meta};
    return found->meta == meta ||
           raise_error(RuntimeError, "Tensor on device %s is not on the expected device %s!",
                       device_name(meta), device_name(found->meta));
}

static bool add_slot(const OpCall *call, Found *found, int index)
{
    const Param *param = &call->schema->params[index];
    ValueRef slot = call->slots[index];
    if (!is_object(slot) || slot == call->out) return true;
    if (param->type != PARAM_TENSORS)
        return !tensor_check(slot) || add_tensor(found, as_tensor(slot), is_for_indices(param));
    size_t count;
    const ValueRef *tensors = call_tensors(call, index, &count);
    for (size_t i = 0; i < count; i++)
        if (tensors[i] != NONE && !add_tensor(found, as_tensor(tensors[i]), is_for_indices(param)))
            return false;
    return true;
}

static bool raise_no_data(void)
{
    return raise_error(NotImplementedError, "Cannot copy out of meta tensor; no data!");
}

// The device of the arguments, of which some tensor is on meta.
static bool choose_by_arguments(OpCall *call)
{
    Found found = {false, false};
    bool writes = call->inplace || call->op->kinds & MUTATES;
    if (call->op->kinds & COMPOSED) return true; // the operators that it is made of choose
    if (writes && is_meta(call_tensor(call, 0))) return true;
    if (call->op == &op_table[OP_copy__]) return raise_no_data();
    for (int i = 0; i < call->schema->count; i++)
        if (!add_slot(call, &found, i)) return false;
    if (!call->out || tuple_check(call->out)) return true;
    bool to = is_meta(as_tensor(call->out));
    return !found.decided || found.meta == to ||
           raise_error(RuntimeError,
                       "Attempting to copy from device %s to device %s, but cross-device copies "
                       "are not allowed!",
                       device_name(found.meta), device_name(to));
}

// The function makes a tensor out of no tensor.
static bool is_factory(const OpCall *call)
{
    return call->schema->device >= 0 && call->schema->params[0].type != PARAM_TENSOR;
}

bool call_choose_device(OpCall *call)
{
    ValueRef given = call->schema->device >= 0 ? call->slots[call->schema->device] : NONE;
    bool has_meta = call->meta;
    if (given == NONE && is_factory(call) && !call->out) call->meta = op_state.makes_meta;
    if (given != NONE && !device_read(given, &call->meta)) return false;
    if (given == NONE && has_meta && !choose_by_arguments(call)) return false;
    if (call->meta) call->fake = true;
    if (!has_meta || call->meta || call->fake_mode) return true;
    call->fake = false; // x.new_zeros(2, device="cpu")
    return call->op != &op_table[OP__to_copy_] || raise_no_data();
}
