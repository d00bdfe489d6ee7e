// Numbers of windows, read from arguments (windows.h).
#include "vm/modules/torch/call/windows.h"

bool window_numbers(const OpCall *call, int slot, int dims, int64_t *numbers)
{
    Dim sizes[TENSOR_MAX_DIMS]; // what is no Dim is refused: sums of the numbers would overflow
    int64_t given[TENSOR_MAX_DIMS];
    int count = call_dims(call, slot, sizes) < 0 ? -1 : call_ints(call, slot, given);
    if (count <= 0) return count == 0;
    for (int i = 0; i < dims; i++) numbers[WINDOW_DIMS - dims + i] = given[count == 1 ? 0 : i];
    return true;
}

void window_sizes(const Tensor *tensor, int dims, int64_t *numbers)
{
    window_fill(numbers, 1);
    for (int i = 0; i < dims; i++)
        numbers[WINDOW_DIMS - dims + i] = tensor_size(tensor, tensor->ndim - dims + i);
}
