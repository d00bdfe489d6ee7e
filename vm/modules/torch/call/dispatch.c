// The dispatch mode: a function of mini-Python that answers calls of operators, below autograd.
//
//     _set_dispatch((handler, decompositions)) -> the pair that was set before, or None
//     handler(row, inplace, args, kwargs)         the result
//     decompositions[row](*args)                  a row made of others: they come to the handler;
//                                                 None: the row comes itself, though it is COMPOSED
//
// A bound call comes here in place of its rule and kernel. The handler runs without a mode and
// without gradients, so it can call the same row itself; afterwards the call is recorded for
// autograd as if the row had run. So a handler sees what PyTorch calls aten operators, those of a
// backward pass too. (PyTorch: TorchDispatchMode, below the Autograd key.)
#include "vm/modules/torch/call/dispatch.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/operators.h"
#include "objects/thread_parts.h"
#include "vm/modules/torch/call/call_parts.h"

static Value held_mode; // the pair, of this thread; VALUE_ERROR = no mode

// Sets a mode, which it takes; returns what was set before.
static Value exchange(Value mode)
{
    Value before = held_mode;
    held_mode = mode;
    op_state.dispatching = mode != VALUE_ERROR;
    return before;
}

// ---- a row made of others

// Owned; NONE or ABSENT = the row is not taken apart. The form that writes never is.
static Value decomposition_of(const OpCall *call, ValueRef mode)
{
    if (call->inplace || call->out) return ABSENT;
    return dict_get(tuple_at(mode, 1), from_small((int64_t)op_index(call->op)));
}

static bool run_decomposed(OpCall *call, ValueRef function)
{
    Value args = call_positional(call), kwargs = args ? call_keywords(call) : VALUE_ERROR;
    call->wants_grad = false; // the operators inside record themselves
    Value value = kwargs ? object_call_spread(function, args, kwargs) : VALUE_ERROR;
    drop(args);
    drop(kwargs);
    return call_take_value(call, value);
}

// ---- a row that the handler answers

static Value ask_handler(const OpCall *call, ValueRef mode)
{
    Value args = call_positional(call), kwargs = args ? call_keywords(call) : VALUE_ERROR;
    Value entered = exchange(VALUE_ERROR), answer = VALUE_ERROR;
    bool enabled = op_state.grad_enabled;
    op_state.grad_enabled = false;
    if (kwargs) {
        ValueRef given[] = {from_small((int64_t)op_index(call->op)), from_bool(call->inplace), args,
                            kwargs};
        answer = object_call(tuple_at(mode, 0), given, 4, VALUE_ERROR);
    }
    op_state.grad_enabled = enabled;
    drop(exchange(entered));
    drop(args);
    drop(kwargs);
    return answer;
}

static bool add_result(OpCall *call, ValueRef value)
{
    if (!tensor_check(value) || call->result_count == OP_RESULTS)
        return raise_error(TypeError, "%s(): the dispatch mode gave %T for a tensor",
                           call->op->name, value);
    call_result(call, tensor_dtype(as_tensor(value)));
    Tensor *result = as_tensor(retain(value));
    if (op_state.grad_enabled) result->flags &= ~TENSOR_QUIET_VIEW; // no_grad was the handler's
    call->results[call->result_count - 1].tensor = result;
    return true;
}

bool call_take_answer(OpCall *call, Value answer)
{
    bool done = answer != VALUE_ERROR;
    if (!done || call->op->kinds & COMPOSED || call->schema->results == 0)
        return call_take_value(call, answer);
    if (call->schema->results == 1) {
        done = add_result(call, answer);
    } else {
        ssize_t count = tuple_check(answer) ? tuple_size(answer) : -1;
        done = count == call->schema->results ||
               raise_error(TypeError, "%s(): the dispatch mode gave %T for %d tensors",
                           call->op->name, (ValueRef)answer, call->schema->results);
        for (ssize_t i = 0; done && i < tuple_size(answer); i++)
            done = add_result(call, tuple_at(answer, i));
    }
    drop(answer);
    return done;
}

bool dispatch_answers(OpCall *call, bool *done)
{
    Value mode = retain(held_mode); // a script that runs meanwhile can set another
    Value function = decomposition_of(call, mode);
    bool answers = function != ABSENT || !(call->op->kinds & COMPOSED);
    if (answers && (function == ABSENT || function == NONE))
        *done = call_may_mutate(call) && call_take_answer(call, ask_handler(call, mode));
    else if (answers)
        *done = function && run_decomposed(call, function);
    drop(function);
    drop(mode);
    return answers;
}

static void end_of_thread(void)
{
    drop(exchange(VALUE_ERROR));
}

void dispatch_init(void)
{
    static ThreadPart part = {
        .variables = &held_mode, .size = sizeof held_mode, .end = end_of_thread};
    thread_part_add(&part);
}

void dispatch_finish(void)
{
    end_of_thread();
}

// ---- functions of torch._C

static Value set_dispatch(FUNCTION_ARGS)
{
    ValueRef mode = args[0];
    if (mode != NONE &&
        !(tuple_check(mode) && tuple_size(mode) == 2 && dict_check(tuple_at(mode, 1))))
        return raise_error(TypeError, "_set_dispatch() expects a function and a dict, or None");
    Value before = exchange(mode == NONE ? VALUE_ERROR : retain(mode));
    return before ? before : NONE;
}

const MethodDef dispatch_functions[] = {
    {"_set_dispatch", set_dispatch, ONE_ARG, "Sets the function that answers operators."},
    {0},
};
