// Elements in another order: shortcuts of pixel_shuffle, pixel_unshuffle and im2col. Each result is
// a copy of a view of the image, whose dimensions are then joined.
//
//     pixel_shuffle      [C r r, H, W]     seen as  [C, H, r, W, r]    joined  [C, H r, W r]
//     pixel_unshuffle    [C, h r, w r]     seen as  [C, r, r, h, w]    joined  [C r r, h, w]
//     im2col             [C, H, W]         seen as  [C, k, k, h, w]    joined  [C k k, h w]
#include "objects/tensor/iterate.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/kernels.h"

#if HAS_SHORTCUTS

#define SEEN 5 // dimensions of the view after those of the batch

// The dimensions of the view, and how many of them make each dimension of the result.
typedef struct Seen {
    int64_t size[SEEN], stride[SEEN];
    int joined[3]; // the last may be 0: there are two
} Seen;

// The view's sizes and strides, after those of the batch.
static void view_shape(const Tensor *image, const Seen *seen, Shape *shape)
{
    int batch = image->ndim - 3;
    shape_init(shape, batch + SEEN);
    shape->strided = true;
    shape->offset = image->offset;
    for (int i = 0; i < batch; i++) {
        shape->size[i] = tensor_sizes(image)[i];
        shape->stride[i] = tensor_strides(image)[i];
    }
    for (int i = 0; i < SEEN; i++) {
        shape->size[batch + i] = from_small(seen->size[i]);
        shape->stride[batch + i] = from_small(seen->stride[i]);
    }
}

static bool join_dims(Tensor *copy, const Seen *seen)
{
    Shape shape;
    int batch = copy->ndim - SEEN, from = 0;
    shape_from_sizes(&shape, batch, tensor_sizes(copy));
    for (int i = 0; i < 3 && seen->joined[i]; i++) {
        int64_t size = 1;
        for (int j = 0; j < seen->joined[i]; j++) size *= seen->size[from++];
        shape.size[shape.ndim++] = from_small(size);
    }
    return shape_contiguous(&shape) && tensor_set_shape(copy, &shape);
}

static bool copy_seen(OpCall *call, const Seen *seen)
{
    Shape shape;
    Tensor *image = call_tensor(call, 0);
    view_shape(image, seen, &shape);
    Value view = tensor_view(image, &shape);
    Value copy = view ? tensor_new(tensor_dtype(image), shape.ndim, shape.size) : VALUE_ERROR;
    bool done =
        copy && iterate_copy(as_tensor(copy), as_tensor(view)) && join_dims(as_tensor(copy), seen);
    drop(view);
    call->value = copy;
    return done || (drop_slot(&call->value), false);
}

// ---- pixels and channels

typedef struct Pixels {
    int64_t channels, height, width, factor;
} Pixels;

// Is it an image whose pixels a factor moves? (Where the dimensions that are joined are neighbours
// in memory, the function gives a view.)
static bool moves_pixels(const OpCall *call, Pixels *of)
{
    const Tensor *image = call_tensor(call, 0);
    int last = image->ndim - 1;
    if (last < 2 || last + 3 > TENSOR_MAX_DIMS || !image->numel) return false;
    if (!tensor_is(image, TENSOR_CONTIGUOUS) || !call_int(call, 1, &of->factor)) return false;
    of->channels = tensor_size(image, last - 2);
    of->height = tensor_size(image, last - 1);
    of->width = tensor_size(image, last);
    return of->factor > 1 && of->factor <= INT32_MAX;
}

bool KERNEL(shortcut_pixel_shuffle)(OpCall *call)
{
    Pixels of;
    if (!moves_pixels(call, &of)) return true;
    int64_t r = of.factor, plane = of.height * of.width;
    bool joins = plane == 1;
    if (of.channels % (r * r) || joins) return true;
    Seen seen = {{of.channels / (r * r), of.height, r, of.width, r},
                 {r * r * plane, of.width, r * plane, 1, plane},
                 {1, 2, 2}};
    return copy_seen(call, &seen);
}

bool KERNEL(shortcut_pixel_unshuffle)(OpCall *call)
{
    Pixels of;
    if (!moves_pixels(call, &of)) return true;
    int64_t r = of.factor;
    bool joins = of.width == r && (of.channels == 1 || of.height == r);
    if (of.height % r || of.width % r || joins) return true;
    Seen seen = {{of.channels, r, r, of.height / r, of.width / r},
                 {of.height * of.width, of.width, 1, r * of.width, r},
                 {3, 1, 1}};
    return copy_seen(call, &seen);
}

// ---- windows as columns

// How the windows lie along a dimension of the image: false where the function has to see to it.
static bool see_windows(const OpCall *call, int dim, Seen *seen)
{
    const Tensor *image = call_tensor(call, 0);
    int64_t given[4][TENSOR_MAX_DIMS]; // kernel_size, dilation, padding, stride
    for (int i = 0; i < 4; i++)
        if (call_ints(call, 1 + i, given[i]) != 2) return false;
    int64_t kernel = given[0][dim], dilation = given[1][dim], jump = given[3][dim];
    int64_t size = tensor_size(image, image->ndim - 2 + dim);
    if (given[2][dim] || kernel < 1 || dilation < 1 || jump < 1) return false;
    if (dilation > size || kernel - 1 > (size - 1) / dilation) return false;
    if (jump > size) jump = size; // one window, and a stride that fits
    int64_t reach = dilation * (kernel - 1) + 1, step = tensor_stride(image, image->ndim - 2 + dim);
    seen->size[1 + dim] = kernel;
    seen->stride[1 + dim] = dilation * step;
    seen->size[3 + dim] = (size - reach) / jump + 1;
    seen->stride[3 + dim] = jump * step;
    return true;
}

bool KERNEL(shortcut_im2col)(OpCall *call)
{
    const Tensor *image = call_tensor(call, 0);
    Seen seen = {.joined = {3, 2}};
    if ((image->ndim != 3 && image->ndim != 4) || !image->numel) return true;
    if (!see_windows(call, 0, &seen) || !see_windows(call, 1, &seen)) return true;
    seen.size[0] = tensor_size(image, image->ndim - 3);
    seen.stride[0] = tensor_stride(image, image->ndim - 3);
    return copy_seen(call, &seen);
}

#endif
