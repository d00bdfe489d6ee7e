// Shapes of the operators that copy a tensor and write into a view of the copy: diagonal_scatter,
// select_scatter, slice_scatter, as_strided_scatter.
//
// The parameters of each are (self, src, ...), those of its view (self, ...). view_scattered()
// gives the shape of the view; the rule compares src with it, kernel_view_scatter writes through
// it.
//
// (PyTorch: ATen/native/TensorShape.cpp, diagonal_scatter and those after it)
#include "objects/error.h"
#include "objects/tensor/iterate.h"
#include "vm/modules/torch/call/call_parts.h"
#include "vm/modules/torch/rules/rule_build.h"
#include "vm/modules/torch/rules/rules.h"

// The view that a row writes through.
static OpIndex view_of(const OpCall *call)
{
    switch (op_index(call->op)) {
    case OP_diagonal_scatter_: return OP_diagonal_;
    case OP_select_scatter_: return OP_select_int;
    case OP_slice_scatter_: return OP_slice_Tensor;
    default: return OP_as_strided_;
    }
}

bool view_scattered(const OpCall *call, ValueRef base, Shape *shape)
{
    OpCall view = {.op = &op_table[view_of(call)], .schema = schema_of(view_of(call))};
    if (!view.schema) return false;
    view.slots[0] = base;
    for (int i = 1; i < view.schema->count; i++) view.slots[i] = call->slots[i + 1];
    bool done = view.op->rule(&view);
    if (view.result_count) *shape = view.results[0].shape;
    return done;
}

static bool check_source(const Tensor *source, const Shape *shape)
{
    bool same = source->ndim == shape->ndim;
    for (int i = 0; same && i < shape->ndim; i++)
        if (!dim_equal(tensor_sizes(source)[i], shape->size[i], &same)) return false;
    if (same) return true;
    Value have = shape_text(source->ndim, tensor_sizes(source));
    Value want = have ? shape_text(shape->ndim, shape->size) : VALUE_ERROR;
    if (want)
        raise_error(RuntimeError,
                    "expected src to have a size equal to the slice of self. src size = %S, slice "
                    "size = %S",
                    (ValueRef)have, (ValueRef)want);
    drop(have);
    drop(want);
    return false;
}

// The copy has the strides of the tensor, unless some of its elements share memory. It begins
// where its storage does.
static void plan_copy(const Tensor *self, Shape *shape)
{
    bool shares = false;
    for (int i = 0; i < self->ndim; i++) shares |= tensor_strides(self)[i] == from_small(0);
    if (shares)
        shape_from_sizes(shape, self->ndim, tensor_sizes(self));
    else
        tensor_shape(self, shape);
    replace_slot(&shape->offset, from_small(0));
}

static bool rule_view_scatter(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    Shape shape;
    shape_init(&shape, 0);
    bool done =
        view_scattered(call, call->slots[0], &shape) && check_source(call_tensor(call, 1), &shape);
    shape_drop(&shape);
    if (done) plan_copy(self, call_result(call, tensor_dtype(self)));
    return done;
}

bool rule_diagonal_scatter(OpCall *call)
{
    return rule_view_scatter(call);
}

bool rule_select_scatter(OpCall *call)
{
    return rule_view_scatter(call);
}

bool rule_slice_scatter(OpCall *call)
{
    return rule_view_scatter(call);
}

bool rule_as_strided_scatter(OpCall *call)
{
    return rule_view_scatter(call);
}
