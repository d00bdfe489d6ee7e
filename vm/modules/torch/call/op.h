// A call of an operator, from its arguments to its result.
//
//     torch.add(x, 2, alpha=3)            a C function for each name (call/functions.c)
//       -> bind      the arguments are matched with the schemas of the name: call->slots[]
//       -> overrides an argument of a class with __torch_function__? Then that answers the call
//       -> op_call() transform (torch.func)? dispatch mode (make_fx)?
//                    promote -> rule -> allocate -> kernel or loop
//                    -> version of what was written + 1 -> record for autograd
//
// An OpCall holds all that happens on the way. slots[i] is the argument of the i-th parameter of
// the schema, with defaults filled in. It is plain (call/plain.c): a Tensor, an int, float or bool
// and no instance of a subclass, None, a str, a dtype, or a tuple of these. Whatever a script has
// given is asked for its number once, when the call is bound, so rules, kernels and derivatives
// run no script code when they read an argument, and read the same twice. A SymInt and its like
// remain where the results are fake; a kernel never meets one. call_int(), call_dims() ... convert
// a slot to C.
//
// Fake tensors: if an argument is fake, or a FakeTensorMode has been entered (op_state.fake_mode),
// the rule runs, the kernel does not, and the results are fake. They belong to the mode entered, or
// to that of the first fake argument. Tensors on the device meta are fakes of no mode, of the class
// Tensor; call->meta says that the results are such ones, or fakes of them.
#pragma once

#include "objects/tensor/tensor.h"
#include "vm/modules/torch/call/schema.h"
#include "vm/modules/torch/ops/op_table.h"

#define OP_RESULTS 3

typedef struct OpResult {
    Dtype dtype;
    unsigned flips; // of a view: the flags of TENSOR_UNRESOLVED in which it differs from its base
    Shape shape;
    Tensor *tensor; // after the rule: allocated (or the tensor written in place). Owned by the call
} OpResult;

struct OpCall {
    const OpDef *op;
    const Schema *schema;
    ValueRef slots[SCHEMA_PARAMS]; // by parameter; a parameter not given has its default
    // What the arguments say: neighbours, which are cleared at once.
    bool fake;       // the results have no elements
    bool meta;       // they are on the device meta
    bool wrapped;    // some argument is the wrapper of a transform
    bool mixed;      // some argument is a tensor with data, or of another mode than `fake_mode`
    bool wants_grad; // gradients are on, and an argument requires one
    bool raw_bools;  // an argument is a tensor of bools that may be other bytes than 0 and 1
    bool unresolved; // an argument is a view whose elements are conjugated or negated on the way
    bool complex;    // an argument is a complex tensor
    bool inplace;    // the result goes into slots[0]
    bool symbolic;   // a slot has a SymInt, SymFloat or SymBool
    bool relaid;     // the kernel fills row-major tensors; they are copied into the shapes' strides
    ValueRef fake_mode; // what fake results belong to; VALUE_ERROR = no mode
    Value original;     // in an in-place form: what self was, if its derivative names it; owned
    uint32_t holds;     // bit i: slots[i] was made for the call, and held[i] owns it
    Value held[SCHEMA_PARAMS];
    ValueRef out;   // out=, a Tensor or (for several results) a tuple of them; VALUE_ERROR = none
    Dtype computed; // what pointwise operands are converted to; DTYPE_NONE = no promotion
    Dtype promoted; // the dtype of the result that promotion gives; DTYPE_NONE likewise
    Value value; // a result that is no plain tensor, owned: set by a kernel of DATA, or by the rule
                 // of a VIEW row that gives a tuple of views (split) or is COMPOSED (reshape)
    Value *warnings; // a list of what is to be warned of, or 0; for call_warn()
    int result_count;
    OpResult results[OP_RESULTS];
};

// ---- the state of the machine that operators read
typedef struct OpState {
    // Each thread has its own of these (objects/thread_parts.h).
    bool grad_enabled;   // torch.no_grad() clears it
    bool inference;      // torch.inference_mode()
    bool subclasses_off; // torch._C.DisableTorchFunctionSubclass
    bool functions_off;  // torch._C.DisableTorchFunction: nor is a mode asked
    bool makes_meta;     // functions that are given no device make tensors on the device meta
    bool function_mode;  // a TorchFunctionMode is asked of every call (call/overrides.h)
    union {
        uint32_t answered; // not 0: somebody else than the row answers. A plain call asks no more
        struct {
            bool dispatching;   // a dispatch mode answers operators (call/dispatch.h)
            bool transforming;  // before it, a transform of torch.func does (call/transform.h)
            bool level_records; // its results get a history
        };
    };
    ValueRef fake_mode; // the FakeTensorMode entered last: functions that make tensors make fake
                        // ones; VALUE_ERROR = none
    // These are the same for all threads.
    Dtype default_dtype;
    ValueRef fake_type; // the class of fake results; VALUE_ERROR = tensor_type
    Type *symbolic[3];  // SymInt, SymFloat, SymBool: set once torch.fx.experimental.sym_node exists
} OpState;
extern OpState op_state;
void op_state_init(void);
// A SymInt, SymFloat or SymBool: its index in op_state.symbolic. -1 = the value is none of these.
int symbolic_kind(ValueRef value);
// The int that a value stands for, exact and of any size, owned: a script's object is asked once,
// a tensor by item(). A SymInt stays one. VALUE_ERROR with TypeError, or what the script raised.
Value plain_int(ValueRef value);

// What higher parts add to a call; NULL = nothing.
typedef struct OpHooks {
    // record.c: before a tensor is written: false with RuntimeError if an argument requires a
    // gradient and this is a leaf, a view of one, or a view made where nothing was recorded.
    bool (*before_write)(OpCall *call, Tensor *written);
    // record.c: gradients are on and an argument requires one: gives the results their grad_fn.
    // The arguments are in call->slots, the results in call->results; the views of a row that gives
    // a tuple are in call->value. For a view of such a tensor and for in-place forms too.
    bool (*record)(OpCall *call);
} OpHooks;
extern OpHooks op_hooks;

// ---- calling
// A bound call: `call->op`, `schema`, `slots`, `inplace`, `out` are set. Result owned: a Tensor,
// a tuple (several results), or what a DATA kernel gave.
Value op_call(OpCall *call);
// Puts a value, which it takes, into a slot until the call ends. False if it is VALUE_ERROR.
bool call_hold(OpCall *call, int index, Value value);
// A call with positional arguments, as the machine itself makes one (an operator slot, indexing).
// `inplace` calls the in-place form. No overrides are looked up.
Value op_apply(OpIndex op, bool inplace, const ValueRef *args, size_t nargs);
// A call of that row by a script: `args` is a tuple, `kwargs` a dict.
Value op_row_call(OpIndex op, bool inplace, ValueRef args, ValueRef kwargs);
// The same by the rules of a call from a script: the first schema of the name that fits.
Value op_function(OpIndex first, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value op_method(OpIndex first, ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value op_inplace(OpIndex first, ValueRef self, const ValueRef *args, size_t nargs,
                 ValueRef kwnames);
Value op_inplace_function(OpIndex first, const ValueRef *args, size_t nargs, ValueRef kwnames);

// ---- reading arguments, in rules and kernels. `index` is that of the parameter.
static inline bool call_has(const OpCall *call, int index)
{
    return call->slots[index] != NONE;
}
static inline Tensor *call_tensor(const OpCall *call, int index)
{
    return as_tensor(call->slots[index]);
}
// Like call_tensor(); NULL for None.
static inline Tensor *call_optional(const OpCall *call, int index)
{
    return call_has(call, index) ? as_tensor(call->slots[index]) : NULL;
}
static inline bool call_bool(const OpCall *call, int index)
{
    return call->slots[index] == TRUE;
}
// The dtype given, or the other one if the argument is None.
Dtype call_dtype(const OpCall *call, int index, Dtype otherwise);
// An int parameter: false with a guard's exception pending (a SymInt is read).
bool call_int(const OpCall *call, int index, int64_t *number);
// A Scalar or float parameter as a double.
bool call_double(const OpCall *call, int index, double *number);
// A dimension: wrapped into 0 .. ndim-1, IndexError.
bool call_dim(const OpCall *call, int index, int ndim, int64_t *dim);
// An int[] of dimensions, wrapped, as a set of bits. None and [] give all dimensions; a dimension
// that appears twice is RuntimeError.
bool call_dim_set(const OpCall *call, int index, int ndim, uint64_t *set);
// An int[] as sizes: Dims (borrowed from the argument) in `dims`, which has room for
// TENSOR_MAX_DIMS; a single int counts for all. -1 = an exception is pending.
int call_dims(const OpCall *call, int index, Dim *dims);
// An int[] as numbers: how many, -1 = an exception is pending. `numbers` has room for
// TENSOR_MAX_DIMS.
int call_ints(const OpCall *call, int index, int64_t *numbers);
// A Tensor[] (or any other list): its items, borrowed. A value that is no list counts as a list of
// one. RuntimeError for an empty one is the rule's business.
const ValueRef *call_tensors(const OpCall *call, int index, size_t *count);

// The arguments as a script would give them to this row, owned: a tuple of the first `count`; a
// tuple of those by position, without the last ones that are defaults; and a dict of those by
// keyword that are no defaults. What is given as 3 for an int[2] is (3, 3).
Value call_first_args(const OpCall *call, int count);
Value call_positional(const OpCall *call);
Value call_keywords(const OpCall *call);

// The stack level for warn(): that of the frame which has called an operator. A row made of others
// (composite.c) has frames of its own above it, where PyTorch has C++.
int call_warning_level(void);
// Warns the user when the call has ended, as PyTorch does: a script that hears of it may change the
// tensors, whose shapes and memory the call counts on. False with MemoryError pending.
bool call_warn(const OpCall *call, const char *format, ...);

// ---- making results, in rules
// Adds a result of this dtype. Its shape has no dimensions yet: fill it in.
Shape *call_result(OpCall *call, Dtype dtype);
// The first result: for a DATA kernel, which allocates itself. NULL with an exception pending.
Tensor *call_allocate(OpCall *call, Dtype dtype, int ndim, const Dim *sizes);
