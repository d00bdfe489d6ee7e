// The way of a bound call: promote, rule, allocate, kernel, versions, autograd.
#include "vm/modules/torch/call/op.h"

#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/tensor/iterate.h"
#include "objects/thread_parts.h"
#include "objects/type.h"
#include "objects/upcalls.h"
#include "vm/modules/torch/call/autocast.h"
#include "vm/modules/torch/call/call_parts.h"
#include "vm/modules/torch/call/dispatch.h"
#include "vm/modules/torch/call/memory_format.h"
#include "vm/modules/torch/call/op_bind.h"
#include "vm/modules/torch/call/promote.h"
#include "vm/modules/torch/call/transform.h"
#include "vm/modules/torch/complex/complex_ops.h"
#include "vm/modules/torch/kernels/kernels.h"

#define FIRST_STATE {.grad_enabled = true, .default_dtype = DTYPE_float32}
OpState op_state = FIRST_STATE;
OpHooks op_hooks;

// ---- what the arguments say

// A tensor with data that has nothing else to say.
static inline bool is_ordinary(const Tensor *tensor)
{
    const unsigned telling =
        TENSOR_REQUIRES_GRAD | TENSOR_FAKE | TENSOR_WRAPPER | TENSOR_UNRESOLVED;
    return !(tensor->flags & telling) && !tensor->view_base && tensor->dtype != DTYPE_bool &&
           !dtype_is_complex(tensor_dtype(tensor));
}

static void look_closer(OpCall *call, const Tensor *tensor)
{
    if (tensor_requires_grad(tensor)) call->wants_grad = true;
    if (tensor_has_raw_bools(tensor)) call->raw_bools = true;
    if (tensor_is(tensor, TENSOR_UNRESOLVED)) call->unresolved = true;
    if (dtype_is_complex(tensor_dtype(tensor))) call->complex = true;
    if (!(tensor->flags & (TENSOR_FAKE | TENSOR_WRAPPER))) {
        call->mixed = true;
        return;
    }
    if (tensor_is(tensor, TENSOR_WRAPPER)) {
        call->wrapped = true;
        return;
    }
    call->fake = true;
    call->meta |= tensor_is(tensor, TENSOR_META);
    if (!call->fake_mode) call->fake_mode = tensor->fake_mode;
    if (call->fake_mode != tensor->fake_mode) call->mixed = true;
}

static inline void look_at_tensor(OpCall *call, const Tensor *tensor)
{
    if (is_ordinary(tensor))
        call->mixed = true;
    else
        look_closer(call, tensor);
}

// What out= is does not make the elements that are read complex.
static void look_at_slots(OpCall *call)
{
    int end = call->schema->count - (call->out ? 1 : 0);
    for (int i = 0; i < call->schema->count; i++) {
        ValueRef slot = call->slots[i];
        bool complex = call->complex;
        if (!is_object(slot)) continue;
        if (call->schema->params[i].type == PARAM_TENSORS) {
            size_t count;
            const ValueRef *tensors = call_tensors(call, i, &count);
            for (size_t j = 0; j < count; j++)
                if (tensors[j] != NONE) look_at_tensor(call, as_tensor(tensors[j]));
        } else if (tensor_check(slot)) {
            look_at_tensor(call, as_tensor(slot));
        }
        if (i >= end) call->complex = complex;
    }
}

static bool is_level_without_history(void)
{
    return op_state.transforming && !op_state.level_records;
}

// False with AssertionError pending where fakes of one mode meet other tensors.
static bool look_at_arguments(OpCall *call)
{
    call->meta = call->wrapped = call->mixed = call->wants_grad = false;
    call->raw_bools = call->unresolved = call->complex = false;
    call->fake_mode = op_state.fake_mode;
    call->fake = call->fake_mode != VALUE_ERROR;
    look_at_slots(call);
    if (call->wants_grad && (!op_state.grad_enabled || is_level_without_history()))
        call->wants_grad = false;
    if (op_state.transforming) return true;
    if (call->wrapped) return transform_unwrap(call) && look_at_arguments(call);
    bool names_device = call->schema->device >= 0;
    if ((call->meta || names_device) && !call_choose_device(call)) return false;
    return !call->mixed || !call->fake_mode || fake_check_mixed(call);
}

// No device here needs its copies in locked memory: PyTorch without one refuses to pin as well.
static bool check_pinning(const OpCall *call)
{
    int index = call->schema->pin_memory;
    if (index < 0 || call->slots[index] != TRUE || call->op == &op_table[OP__to_copy_]) return true;
    return raise_error(RuntimeError, "Need to provide pin_memory allocator to use pin memory.");
}

// ---- where the results go

Shape *call_result(OpCall *call, Dtype dtype)
{
    invariant(call->result_count < OP_RESULTS, "a call has room for its results");
    OpResult *result = &call->results[call->result_count++];
    result->dtype = dtype;
    result->flips = 0;
    result->tensor = NULL;
    shape_init(&result->shape, 0);
    return &result->shape;
}

Tensor *call_allocate(OpCall *call, Dtype dtype, int ndim, const Dim *sizes)
{
    shape_from_sizes(call_result(call, dtype), ndim, sizes);
    Value made = tensor_new(dtype, ndim, sizes);
    if (!made) return NULL;
    Tensor *result = as_tensor(made);
    call->results[call->result_count - 1].tensor = result;
    return result;
}

static Value new_result(const OpCall *call, const OpResult *result)
{
    const Shape *shape = &result->shape;
    if (call->fake) {
        Type *type = call->fake_mode ? as_type(op_state.fake_type) : tensor_type;
        return tensor_new_fake(type, call->fake_mode, call->meta, result->dtype, shape);
    }
    if (shape->strided && !call->relaid) return tensor_new_strided(result->dtype, shape);
    return tensor_new(result->dtype, shape->ndim, shape->size);
}

static bool allocate(OpCall *call)
{
    for (int i = 0; i < call->result_count; i++) {
        OpResult *result = &call->results[i];
        Value made = new_result(call, result);
        if (!made) return false;
        result->tensor = as_tensor(made);
    }
    return true;
}

static bool is_argument(const OpCall *call, const Tensor *tensor)
{
    for (int i = 0; i < call->schema->count - !!(call->op->kinds & OUT); i++)
        if (call->slots[i] == ref_of(tensor)) return true;
    return false;
}

// The result goes into a tensor that exists. One that a loop reads as well keeps its shape.
static bool use_destination(OpCall *call, int index, Tensor *tensor)
{
    OpResult *result = &call->results[index];
    bool is_loop = call->op->kinds & POINTWISE;
    bool keeps_shape = call->inplace || (is_loop && is_argument(call, tensor));
    if (call->inplace && !is_loop && !call_check_overlap(call, tensor)) return false;
    if (keeps_shape && !call_check_inplace(tensor, &result->shape)) return false;
    if (!call_check_out(call, index, result->dtype, tensor_dtype(tensor))) return false;
    if (!keeps_shape && !call_fit_out(call, tensor, &result->shape)) return false;
    result->tensor = as_tensor(retain(ref_of(tensor)));
    return true;
}

// The i-th of the tensors given as out=.
static Tensor *out_tensor(const OpCall *call, int index)
{
    if (tuple_check(call->out)) return as_tensor(tuple_at(call->out, index));
    return as_tensor(call->out);
}

// ---- what is left to mini-Python

static bool is_result(const OpCall *call, ValueRef value)
{
    int count = call->schema->results;
    if (count == 0) return true;
    if (count == 1) return tensor_check(value);
    if (!tuple_check(value) || tuple_size(value) != count) return false;
    ValueRef names = call->schema->result_names; // a list of tensors, the last, has none
    ssize_t tensors = names ? tuple_size(names) : count;
    for (ssize_t i = 0; i < tensors; i++)
        if (!tensor_check(tuple_at(value, i))) return false;
    return true;
}

bool call_take_value(OpCall *call, Value value)
{
    call->value = value;
    return value && (is_result(call, value) ||
                     raise_error(TypeError, "%s(): %T was given for %d tensors", call->op->name,
                                 (ValueRef)value, call->schema->results));
}

bool call_warn(const OpCall *call, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    Value text = format_text_v(format, arguments);
    va_end(arguments);
    if (text && !*call->warnings) *call->warnings = list_new(1);
    if (text && *call->warnings) return list_append_owned(*call->warnings, text);
    drop(text);
    return false;
}

// Warns of each text of a list, also of a call that has failed. Steals the answer and the list.
static Value say_warnings(Value answer, Value texts)
{
    Value error = answer ? VALUE_ERROR : error_take();
    bool done = true;
    for (ssize_t i = 0; done && i < list_size(texts); i++) {
        Value text = retain(list_at(texts, i));
        done = warn(UserWarning, call_warning_level(), "%S", (ValueRef)text);
        drop(text);
    }
    drop(texts);
    if (error && done) error_restore(error);
    if (error && !done) drop(error);
    if (!done) drop_slot(&answer);
    return answer;
}

// ---- running

static bool compute_elements(OpCall *call)
{
    uint32_t kinds = call->op->kinds;
    if (kinds & POINTWISE) return pointwise_run(call);
    bool copies = kinds & UPDATES && !call->inplace;
    if (copies && !iterate_copy(call->results[0].tensor, call_tensor(call, 0))) return false;
    if (call->complex || (call->result_count && dtype_is_complex(call->results[0].dtype)))
        return complex_compute(call);
    return kernel_tables->kernels[op_index(call->op)](call);
}

// The loop or the kernel, for tensors with data.
static bool compute(OpCall *call)
{
    if (call->fake) return true;
    bool plain = !call->raw_bools && (!call->unresolved || call->op->kinds & POINTWISE);
    return plain ? compute_elements(call) : call_with_plain_elements(call, compute_elements);
}

// The rows that are not pointwise compute into new memory, which is then copied.
static bool copy_into(OpCall *call, int index, Tensor *tensor)
{
    Tensor *fresh = call->results[index].tensor;
    call->results[index].tensor = NULL;
    bool done = use_destination(call, index, tensor);
    done = done && (call->fake || iterate_copy(tensor, fresh));
    drop(own(fresh));
    return done;
}

static bool copy_into_destinations(OpCall *call)
{
    if (call->inplace) return copy_into(call, 0, call_tensor(call, 0));
    for (int i = 0; i < call->result_count; i++)
        if (!copy_into(call, i, out_tensor(call, i))) return false;
    return true;
}

// Before anything is computed.
static bool check_out(const OpCall *call)
{
    for (int i = 0; call->out && i < call->result_count; i++)
        if (!call_check_out(call, i, call->results[i].dtype, tensor_dtype(out_tensor(call, i))))
            return false;
    return true;
}

// What the kernel has computed row by row is copied into the strides that the rule asked for.
static bool lay_out_results(OpCall *call)
{
    for (int i = 0; i < call->result_count; i++) {
        OpResult *result = &call->results[i];
        if (call->fake || !result->shape.strided) continue;
        Value made = tensor_new_strided(result->dtype, &result->shape);
        if (!made || !iterate_copy(as_tensor(made), result->tensor)) {
            drop(made);
            return false;
        }
        drop(own(result->tensor));
        result->tensor = as_tensor(made);
    }
    return true;
}

static bool run_kernel(OpCall *call)
{
    if (!check_out(call) || !allocate(call) || !compute(call)) return false;
    if (call->relaid && !lay_out_results(call)) return false;
    return !(call->inplace || call->out) || copy_into_destinations(call);
}

// The tensor that the call writes, if it is given: with several results, the first of out=.
static Tensor *given_destination(const OpCall *call)
{
    if (call->inplace || call->op->kinds & MUTATES) return call_tensor(call, 0);
    return call->out ? out_tensor(call, 0) : NULL;
}

static bool begin_pointwise(OpCall *call)
{
    const Tensor *given = given_destination(call);
    return promote_call(call) && pointwise_check(call) &&
           (!given || call_check_overlap(call, given));
}

// A narrow dtype is computed in a wider one. So a result of another dtype is rounded on the way.
static bool run_pointwise(OpCall *call)
{
    Dtype dtype = call->results[0].dtype;
    Tensor *given = given_destination(call);
    if (given && tensor_dtype(given) != dtype && dtype_computed(dtype) != dtype)
        return allocate(call) && compute(call) && copy_into(call, 0, given);
    return (given ? use_destination(call, 0, given) : allocate(call)) && compute(call);
}

// Writes into its first parameter, as fill_ does.
static bool run_mutation(OpCall *call)
{
    call_result(call, tensor_dtype(call_tensor(call, 0)));
    call->results[0].tensor = as_tensor(retain(call->slots[0]));
    return compute(call);
}

static bool run_update(OpCall *call)
{
    if (!check_out(call)) return false;
    bool placed = call->inplace ? use_destination(call, 0, call_tensor(call, 0)) : allocate(call);
    return placed && compute(call) && (!call->out || copy_into_destinations(call));
}

bool call_run_composed(OpCall *call)
{
    if (!call->op->rule) return composite_run(call);
    call->wants_grad = false;
    return call->op->rule(call);
}

static bool run_view(OpCall *call)
{
    Tensor *self = call_tensor(call, 0);
    OpResult *result = &call->results[0];
    if (call->inplace) {
        result->tensor = as_tensor(retain(call->slots[0]));
        return tensor_set_shape(self, &result->shape);
    }
    Value view = tensor_view_as(self, result->dtype, &result->shape); // view(dtype) changes it
    if (!view) return false;
    result->tensor = as_tensor(view);
    if (result->flips)
        tensor_set_unresolved(result->tensor, (self->flags & TENSOR_UNRESOLVED) ^ result->flips);
    // Without a derivative it is no view for autograd: detach(), view(dtype).
    if (!*call->op->derivative) drop_slot(&result->tensor->view_base);
    return true;
}

static bool run_data(OpCall *call)
{
    if (call->fake) return fake_data_run(call);
    if (!compute(call)) return false;
    return !call->result_count || !(call->inplace || call->out) || copy_into_destinations(call);
}

// Does a transform or the dispatch mode answer the call? Then *done: it has done so.
static bool is_answered(OpCall *call, bool *done)
{
    if (!op_state.transforming) return dispatch_answers(call, done);
    *done = transform_run(call);
    return true;
}

static bool run(OpCall *call)
{
    uint32_t kinds = call->op->kinds;
    bool done;
    if (op_state.answered && is_answered(call, &done)) return done;
    if (kinds & COMPOSED) return call_run_composed(call);
    // A symbol's own code may have changed the tensors.
    if (call->symbolic && !call->fake && !(op_bind_concrete(call) && look_at_arguments(call)))
        return false;
    if (!call_may_write(call)) return false; // before the shapes are looked at
    if (kinds & DATA_DEPENDENT) return run_data(call);
    if (kinds & POINTWISE && !begin_pointwise(call)) return false;
    if (kinds & MUTATES && !call_check_overlap(call, call_tensor(call, 0))) return false;
    if (!call->op->rule(call) || !memory_format_apply(call)) return false;
    if (kinds & FOLLOWS && !memory_format_follow(call, memory_format_model(call), 1)) return false;
    if (call->value) return true; // the rule has made the views itself
    if (kinds & UPDATES) return run_update(call);
    if (kinds & MUTATES) return run_mutation(call);
    if (kinds & POINTWISE) return run_pointwise(call);
    return kinds & VIEWS ? run_view(call) : run_kernel(call);
}

// ---- after it

// For invariants.
static bool results_are_sound(const OpCall *call)
{
    for (int i = 0; i < call->result_count; i++)
        if (call->results[i].tensor && !tensor_is_sound(call->results[i].tensor)) return false;
    return true;
}

static bool count_version(const OpCall *call)
{
    if (!call->inplace && !call->out && !(call->op->kinds & MUTATES)) return true;
    if (op_state.answered) return true; // the handler's own call has counted
    for (int i = 0; i < call->result_count; i++) {
        Tensor *tensor = call->results[i].tensor;
        // A view in place (Tensor.t_) counts as well, but its own history is none the older.
        if (call->op->kinds & VIEWS && tensor->history_version == tensor_version(tensor))
            tensor->history_version++;
        if (!tensor_count_write(tensor)) return false;
    }
    return true;
}

// How a view came about decides whether it may be written (autograd/record.c): what a view is made
// of hands that on.
#define VIEW_ORIGINS (TENSOR_QUIET_VIEW | TENSOR_VIEW_OF_MANY | TENSOR_INFERENCE_VIEW)

static void set_origin(Tensor *view, unsigned origin)
{
    view->flags = (uint16_t)((view->flags & ~(unsigned)VIEW_ORIGINS) | origin);
}

static void mark_views(const OpCall *call)
{
    if (!(call->op->kinds & VIEWS) || !*call->op->derivative || call->inplace) return;
    bool many = call->value && tuple_check(call->value) && !(call->op->kinds & COMPOSED);
    unsigned origin = call_tensor(call, 0)->flags & VIEW_ORIGINS;
    if (!op_state.grad_enabled)
        origin = TENSOR_QUIET_VIEW;
    else if (many)
        origin = TENSOR_VIEW_OF_MANY;
    for (int i = 0; i < call->result_count; i++) set_origin(call->results[i].tensor, origin);
    for (ssize_t i = 0; many && i < tuple_size(call->value); i++)
        if (tensor_check(tuple_at(call->value, i))) // a dispatch mode may give anything
            set_origin(as_tensor(tuple_at(call->value, i)), origin);
}

// What is made under inference_mode; a view of a tensor that was not is none.
static void mark_inference(const OpCall *call)
{
    if (!op_state.inference || call->inplace) return;
    for (int i = 0; i < call->result_count; i++) {
        Tensor *result = call->results[i].tensor;
        const Tensor *base = result->view_base ? as_tensor(result->view_base) : NULL;
        bool plain = base && !tensor_is(base, TENSOR_INFERENCE);
        result->flags |= plain ? TENSOR_INFERENCE_VIEW : TENSOR_INFERENCE;
    }
}

static bool finish(OpCall *call)
{
    mark_views(call);
    mark_inference(call);
    if (!count_version(call)) return false;
    invariant(results_are_sound(call), "an operator gives tensors whose elements are there");
    int index = call->schema->requires_grad;
    if (index >= 0 && call->slots[index] == TRUE && call->result_count &&
        !call_require_grad(call->results[0].tensor))
        return false;
    bool has_tensors = call->result_count || (call->value && call->op->kinds & (VIEWS | COMPOSED));
    return !call->wants_grad || !op_hooks.record || !has_tensors || op_hooks.record(call);
}

// Takes the tensors out of the call.
static Value take_result(OpCall *call)
{
    if (call->value) {
        Value value = call->value;
        call->value = VALUE_ERROR;
        return value;
    }
    Value tensors[OP_RESULTS];
    for (int i = 0; i < call->result_count; i++) {
        tensors[i] = own(call->results[i].tensor);
        call->results[i].tensor = NULL;
    }
    if (call->schema->results <= 1) return tensors[0];
    Value items = tuple_from_owned(tensors, (size_t)call->result_count);
    return items && call->schema->result_names ? call_named_result(call, items) : items;
}

static void leave(OpCall *call)
{
    for (int i = 0; i < call->result_count; i++) {
        drop(own(call->results[i].tensor));
        shape_drop(&call->results[i].shape);
    }
    drop(call->value);
    drop(call->original);
    op_bind_release(call);
}

Value op_call(OpCall *call)
{
    invariant(op_bind_is_plain(call), "the arguments of a bound call are plain");
    if (tensor_autocast && autocast_takes(call)) return autocast_call(call);
    call->result_count = 0;
    call->relaid = false;
    call->original = call->value = VALUE_ERROR;
    call->computed = call->promoted = DTYPE_NONE;
    Value warnings = VALUE_ERROR;
    call->warnings = &warnings;
    bool done = (!op_state.answered || transform_lift(call)) && look_at_arguments(call) &&
                check_pinning(call) && run(call) && finish(call);
    Value answer = done ? take_result(call) : VALUE_ERROR;
    leave(call);
    return warnings ? say_warnings(answer, warnings) : answer;
}

void op_state_init(void)
{
    static const OpState first = FIRST_STATE;
    static ThreadPart part = {
        .variables = &op_state, .size = offsetof(OpState, default_dtype), .first = &first};
    thread_part_add(&part);
}

// ---- from C

Value op_apply(OpIndex op, bool inplace, const ValueRef *args, size_t nargs)
{
    OpCall call;
    call.inplace = inplace;
    BindResult result =
        op_bind_row(op, BIND_METHOD, args[0], args + 1, nargs - 1, VALUE_ERROR, &call);
    if (result == BIND_FITS) return op_call(&call);
    return result == BIND_FAILS ? VALUE_ERROR : raise_bad_call(op_table[op].name);
}

// A row gives several results as a tuple: the names are the function's.
static Value without_names(Value answer)
{
    if (!answer || !tuple_check(answer) || type_of(answer) == &tuple_type) return answer;
    Value plain = tuple_slice(answer, 0, tuple_size(answer));
    drop(answer);
    return plain;
}

Value op_row_call(OpIndex op, bool inplace, ValueRef args, ValueRef kwargs)
{
    OpCall call;
    SpreadArguments spread;
    call.inplace = inplace;
    if (!spread_begin(&spread, VALUE_ERROR, args, kwargs)) return VALUE_ERROR;
    BindResult result = op_bind_row(op, BIND_FUNCTION, VALUE_ERROR, spread.values, spread.nargs,
                                    spread.names, &call);
    Value answer = VALUE_ERROR;
    if (result == BIND_FITS)
        answer = without_names(op_call(&call));
    else if (result == BIND_MISMATCH)
        op_bind_row_error(op, spread.values, spread.nargs, spread.names);
    spread_end(&spread);
    return answer;
}

static Value call_by_name(OpIndex first, BindStyle style, bool inplace, ValueRef self,
                          const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    OpCall call;
    Value answer = override_call(first, style, inplace, self, args, nargs, kwnames);
    if (answer != ABSENT) return answer;
    bool bound = op_bind_arguments(first, style, inplace, self, args, nargs, kwnames, &call);
    return bound ? op_call(&call) : VALUE_ERROR;
}

Value op_function(OpIndex first, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    return call_by_name(first, BIND_FUNCTION, false, VALUE_ERROR, args, nargs, kwnames);
}
Value op_method(OpIndex first, ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    return call_by_name(first, BIND_METHOD, false, self, args, nargs, kwnames);
}
Value op_inplace(OpIndex first, ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    return call_by_name(first, BIND_METHOD, true, self, args, nargs, kwnames);
}
Value op_inplace_function(OpIndex first, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    return call_by_name(first, BIND_FUNCTION, true, VALUE_ERROR, args, nargs, kwnames);
}
