// See strided.h. Shapes come as tuples of ints.
#include "vm/modules/torch/inductor/strided.h"

#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/text/str.h"

#include <stdio.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

static bool raise_no_shape(void)
{
    return raise_error(TypeError, "a shape is two tuples of as many ints, none below 0");
}

static bool is_extent(ValueRef item)
{
    return is_small(item) && small_value(item) >= 0;
}

static bool read_shape(ValueRef sizes, ValueRef strides, Shape *shape)
{
    if (!tuple_check(sizes) || !tuple_check(strides) || tuple_size(sizes) > TENSOR_MAX_DIMS ||
        tuple_size(sizes) != tuple_size(strides))
        return raise_no_shape();
    shape_init(shape, (int)tuple_size(sizes));
    shape->strided = true;
    for (int i = 0; i < shape->ndim; i++) {
        if (!is_extent(tuple_at(sizes, i)) || !is_extent(tuple_at(strides, i)))
            return raise_no_shape();
        shape->size[i] = dim_of(small_value(tuple_at(sizes, i)));
        shape->stride[i] = dim_of(small_value(tuple_at(strides, i)));
    }
    return true;
}

Value assert_size_stride(FUNCTION_ARGS)
{
    Shape shape;
    if (!tensor_check(args[0])) return raise_error(TypeError, "expected Tensor()");
    const Tensor *tensor = as_tensor(args[0]);
    if (!read_shape(args[1], args[2], &shape)) return VALUE_ERROR;
    if (tensor->ndim != shape.ndim)
        return raise_error(AssertionError, "wrong number of dimensions");
    for (int i = 0; i < shape.ndim; i++) {
        int64_t size = tensor_size(tensor, i), stride = tensor_stride(tensor, i);
        int64_t wanted = small_value(shape.size[i]), step = small_value(shape.stride[i]);
        if (size != wanted || (stride != step && size > 1))
            return raise_error(
                AssertionError, "expected size %lld==%lld, stride %lld==%lld at dim=%d",
                (long long)size, (long long)wanted, (long long)stride, (long long)step, i);
    }
    return TRUE;
}

Value empty_strided_cpu(FUNCTION_ARGS)
{
    Shape shape;
    if (!dtype_check(args[2])) return raise_error(TypeError, "a torch.dtype is expected");
    return read_shape(args[0], args[1], &shape) ? tensor_new_strided(dtype_of(args[2]), &shape)
                                                : VALUE_ERROR;
}

// Is the shape within the tensor's storage?
static bool shape_fits(const Tensor *tensor, const Shape *shape)
{
    int64_t extent, end, bytes;
    if (!shape_extent(shape, &extent)) return false;
    if (__builtin_add_overflow(small_value(shape->offset), extent, &end) ||
        __builtin_mul_overflow(end, (int64_t)dtype_size(tensor_dtype(tensor)), &bytes) ||
        (extent > 0 && (uint64_t)bytes > tensor->storage->nbytes))
        return raise_error(RuntimeError, "the shape does not fit the memory");
    return true;
}

Value reinterpret_tensor(FUNCTION_ARGS)
{
    Shape shape;
    if (!tensor_check(args[0]) || !as_tensor(args[0])->storage)
        return raise_error(TypeError, "a tensor with data is expected");
    Tensor *tensor = as_tensor(args[0]);
    if (!read_shape(args[1], args[2], &shape)) return VALUE_ERROR;
    if (nargs > 3 && !is_extent(args[3])) return raise_error(TypeError, "an offset is an int");
    int64_t more = nargs > 3 ? small_value(args[3]) : 0;
    if (!dim_from(small_value(tensor->offset) + more, &shape.offset)) return VALUE_ERROR;
    if (!shape_fits(tensor, &shape)) return VALUE_ERROR;
    Value made = tensor_alias(tensor, tensor_type);
    if (made && !tensor_set_shape(as_tensor(made), &shape)) drop_slot(&made);
    return made;
}

Value processor_name(FUNCTION_ARGS)
{
    char name[80] = "";
#if defined(__x86_64__) || defined(__i386__)
    unsigned a = 0, b = 0, c = 0, d = 0, a7 = 0, b7 = 0, c7 = 0, d7 = 0;
    __get_cpuid(1, &a, &b, &c, &d);
    __get_cpuid_count(7, 0, &a7, &b7, &c7, &d7);
    snprintf(name, sizeof name, "%x %x %x %x %x %x", a, c, d, b7, c7, d7);
#endif
    return str_new(name);
}
