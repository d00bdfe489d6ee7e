// See cascade.h.
#include "vm/modules/torch/kernels/cascade.h"

// Which of two dimensions is the outer one: 1 = i, -1 = j, 0 = neither. Those that are added up are
// inside; then the strides of the results decide, and those of the input; of equal ones the size.
static int order(const SumPlan *plan, int i, int j)
{
    if ((plan->out[i] == 0) != (plan->out[j] == 0)) return plan->out[j] == 0 ? 1 : -1;
    const int64_t *strides[] = {plan->out, plan->in};
    for (int k = 0; k < 2; k++) {
        int64_t a = strides[k][i], b = strides[k][j];
        if (a == 0 || b == 0) continue;
        if (a != b) return a < b ? -1 : 1;
        if (plan->size[i] > plan->size[j]) return 1;
    }
    return 0;
}

static void move(SumPlan *plan, int to, int from)
{
    plan->size[to] = plan->size[from];
    plan->in[to] = plan->in[from];
    plan->out[to] = plan->out[from];
}

static void swap(SumPlan *plan, int i, int j)
{
    int spare = TENSOR_MAX_DIMS + 1;
    move(plan, spare, i);
    move(plan, i, j);
    move(plan, j, spare);
}

static void sort(SumPlan *plan)
{
    for (int i = 1; i < plan->ndim; i++)
        for (int j = i, k = i - 1; k >= 0; k--) {
            int found = order(plan, k, j);
            if (found < 0) break;
            if (found == 0) continue;
            swap(plan, k, j);
            j = k;
        }
}

// Makes one dimension of two where one step covers both.
static void join(SumPlan *plan)
{
    int last = 0;
    for (int i = 1; i < plan->ndim; i++) {
        int64_t size = plan->size[last];
        bool joins = plan->size[i] == 1 || (size * plan->in[last] == plan->in[i] &&
                                            size * plan->out[last] == plan->out[i]);
        if (size == 1)
            move(plan, last, i);
        else if (joins)
            plan->size[last] *= plan->size[i];
        else
            move(plan, ++last, i);
    }
    plan->ndim = last + 1;
}

// Where nothing is added up, each element is a sum of one term.
static void add_single(SumPlan *plan)
{
    for (int i = plan->ndim++; i > 0; i--) move(plan, i, i - 1);
    plan->size[0] = 1;
    plan->in[0] = plan->out[0] = 0;
}

void KERNEL(sum_plan)(SumPlan *plan, const Tensor *self, uint64_t dims)
{
    int64_t stride = 1;
    plan->ndim = self->ndim;
    for (int i = 0; i < self->ndim; i++) {
        int dim = self->ndim - 1 - i;
        bool reduced = dims >> dim & 1;
        plan->size[i] = tensor_size(self, dim);
        plan->in[i] = tensor_stride(self, dim);
        plan->out[i] = reduced ? 0 : stride;
        if (!reduced) stride *= plan->size[i];
    }
    sort(plan);
    if (plan->ndim) join(plan);
    if (plan->ndim && plan->out[0]) add_single(plan);
    for (; plan->ndim < 2; plan->ndim++) {
        plan->size[plan->ndim] = 1;
        plan->in[plan->ndim] = plan->out[plan->ndim] = 0;
    }
}
