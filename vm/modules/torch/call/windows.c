// Numbers of windows, read from arguments (windows.h).
#include "vm/modules/torch/call/windows.h"

#include "objects/numbers/int.h"

bool window_numbers(const OpCall *call, int slot, int dims, int64_t *numbers)
{
    Dim given[TENSOR_MAX_DIMS];
    int count = call_dims(call, slot, given);
    if (count <= 0) return count == 0;
    for (int i = 0; i < dims; i++) {
        DimRef dim = given[count == 1 ? 0 : i];
        if (!int_as_int64(dim, &numbers[WINDOW_DIMS - dims + i])) return false;
    }
    return true;
}

void window_sizes(const Tensor *tensor, int dims, int64_t *numbers)
{
    window_fill(numbers, 1);
    for (int i = 0; i < dims; i++)
        numbers[WINDOW_DIMS - dims + i] = tensor_size(tensor, tensor->ndim - dims + i);
}
