// Rows that are made of other operators, and results that are no plain tensors: what C leaves to
// mini-Python.
#include "frames/frame.h"
#include "objects/call.h"
#include "objects/code.h"
#include "objects/error.h"
#include "objects/operators.h"
#include "objects/tensor/iterate.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/modules/torch/call/call_parts.h"
#include "vm/modules/torch/call/memory_format.h"
#include "vm/modules/torch/kernels/kernels.h"

#include <stdio.h>

#define DECOMPOSITIONS "<minivm>/torch/_decomp/" // the folder of their files

Value library_function(const char *module_name, const char *name)
{
    Value module = upcalls.import(module_name);
    Value text = module ? str_intern(name) : VALUE_ERROR;
    Value found = text ? object_get(module, text) : VALUE_ERROR;
    drop(module);
    drop(text);
    return found;
}

// "=function" is in torch/_decomp/decompositions.mpy, "=nn.function" in torch/_decomp/nn.mpy.
static Value find_composite(const char *decomposition)
{
    invariant(decomposition[0] == '=', "a composite row names a function");
    const char *name = decomposition + 1, *dot = strchr(name, '.');
    char module[64] = "torch._decomp.decompositions";
    if (dot) snprintf(module, sizeof module, "torch._decomp.%.*s", (int)(dot - name), name);
    return library_function(module, dot ? dot + 1 : name);
}

static Value composite_function(const OpCall *call)
{
    Schema *schema = (Schema *)(uintptr_t)call->schema; // a cache in the schema
    if (!schema->composite) schema->composite = find_composite(call->op->decomposition);
    return schema->composite ? retain(schema->composite) : VALUE_ERROR;
}

static bool is_decomposition(const Frame *frame)
{
    const Str *file = as_str(as_code(frame->code)->filename);
    return file->kind == 1 && strncmp(file->data, DECOMPOSITIONS, strlen(DECOMPOSITIONS)) == 0;
}

int call_warning_level(void)
{
    int level = 1;
    const Frame *frame = thread_state.frame;
    for (; frame && is_decomposition(frame); frame = frame->previous) level++;
    return level;
}

// Copies a result into the tensor of an in-place form or of out=, which it returns.
static Value store_one(OpCall *call, int which, ValueRef made, ValueRef target)
{
    Shape shape;
    if (!call_check_out(call, which, tensor_dtype(as_tensor(made)),
                        tensor_dtype(as_tensor(target))))
        return VALUE_ERROR;
    tensor_shape(as_tensor(made), &shape);
    bool fits = call->out ? call_fit_out(call, as_tensor(target), &shape)
                          : call_check_inplace(as_tensor(target), &shape);
    shape_drop(&shape);
    ValueRef arguments[] = {target, made};
    return fits ? op_apply(OP_copy__, false, arguments, 2) : VALUE_ERROR;
}

// The same for each of several results.
static Value store_each(OpCall *call, ValueRef target)
{
    ssize_t count = tuple_size(call->value);
    Value all = tuple_new(count);
    for (ssize_t i = 0; all && i < count; i++) {
        Value item = store_one(call, (int)i, tuple_at(call->value, i), tuple_at(target, i));
        as_tuple(all)->items[i] = item;
        if (item) continue;
        drop(all);
        return VALUE_ERROR;
    }
    return all && call->schema->result_names ? call_named_result(call, all) : all;
}

static bool store_composed(OpCall *call, ValueRef target)
{
    bool several = tuple_check(call->value);
    Value done = several ? store_each(call, target) : store_one(call, 0, call->value, target);
    drop(call->value);
    call->value = done;
    return done != VALUE_ERROR;
}

// What an operator with a derivative of its own writes into its result counts for no one: PyTorch's
// kernels of that kind run below the counting of versions.
static void forget_writes(const OpCall *call)
{
    Storage *storage = tensor_check(call->value) ? as_tensor(call->value)->storage : NULL;
    if (!storage || !storage->version) return;
    for (int i = 0; i < call->schema->count; i++)
        if (tensor_check(call->slots[i]) && as_tensor(call->slots[i])->storage == storage) return;
    storage->version = 0;
}

static bool call_function(OpCall *call)
{
    Value function = composite_function(call);
    if (!function) return false;
    int count = call->schema->count - (call->op->kinds & OUT ? 1 : 0);
    Value args = call_first_args(call, count);
    ValueRef entered = op_state.fake_mode;
    bool makes_meta = op_state.makes_meta;
    op_state.fake_mode = call->fake_mode; // what the function makes is fake too
    op_state.makes_meta = call->meta;     // and on the device of the arguments
    Value made = args ? object_call_spread(function, args, VALUE_ERROR) : VALUE_ERROR;
    op_state.fake_mode = entered;
    op_state.makes_meta = makes_meta;
    drop(args);
    drop(function);
    return call_take_value(call, made);
}

// May a shortcut (ops/shortcuts.def) serve the call? Nobody must want to see the operators that the
// function calls, and the elements must be those in the storages.
static bool is_quick(const OpCall *call)
{
    bool seen = op_state.answered || op_state.inference || tensor_autocast || call->fake ||
                (call->wants_grad && !*call->op->derivative);
    bool odd = call->symbolic || call->complex || call->raw_bools || call->unresolved;
    return !seen && !odd;
}

// A shortcut that does not serve leaves call->value empty.
static bool compute_value(OpCall *call, bool quick)
{
    Kernel shortcut = kernel_tables->kernels[op_index(call->op)];
    if (shortcut && quick && !shortcut(call)) return false;
    return call->value || call_function(call);
}

static bool run_function(OpCall *call, bool quick)
{
    if (!compute_value(call, quick)) return false;
    ValueRef target = call->inplace ? call->slots[0] : call->out;
    bool stores = target && tensor_check(call->value) == tensor_check(target);
    if (!target && *call->op->derivative) forget_writes(call);
    if (call->op->kinds & FOLLOWS && !memory_format_follow_composed(call)) return false;
    return !stores || store_composed(call, target);
}

bool composite_run(OpCall *call)
{
    bool as_a_whole = call->wants_grad && *call->op->derivative, quick = is_quick(call);
    if (!as_a_whole) {
        call->wants_grad = false; // the operators inside record themselves
        return run_function(call, quick);
    }
    if (!call_may_write(call)) return false;
    op_state.grad_enabled = false;
    bool done = run_function(call, quick);
    op_state.grad_enabled = true;
    return done;
}

// torch.return_types.max, of a call with out= torch.return_types.max_out: a class, owned.
static Value result_class(const OpCall *call)
{
    Value make = library_function("torch.return_types", "make");
    Value name = make ? format_text("%s%s", call->op->name, call->out ? "_out" : "") : VALUE_ERROR;
    Value made = name ? object_call_two(make, name, call->schema->result_names) : VALUE_ERROR;
    drop(make);
    drop(name);
    return made;
}

Value call_named_result(OpCall *call, Value items)
{
    Schema *schema = (Schema *)(uintptr_t)call->schema; // as above
    Value *kept = call->out ? &schema->out_class : &schema->result_class;
    if (!*kept) *kept = result_class(call);
    Value named = *kept ? object_call_one(*kept, items) : VALUE_ERROR;
    drop(items);
    return named;
}
