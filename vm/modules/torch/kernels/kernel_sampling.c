// Images between their pixels: shortcuts of upsample_linear1d, upsample_bilinear2d and
// upsample_trilinear3d, and of grid_sampler_2d and grid_sampler_3d (bilinear and nearest).
//
// Both compute, number by number, what the functions of torch/_decomp/images.mpy say with
// operators, in the same order: each step is rounded to the dtype of the image.
#include "objects/tensor/dense.h"
#include "objects/tensor/element.h"
#include "objects/tensor/storage.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/kernels/scalar_math.h"

#if HAS_SHORTCUTS

#define RANK 3            // at most
#define LONGEST (1 << 22) // size of a dimension, at most: a whole number in float

// One dimension of an image gets another size: element i becomes
// from[low[i]] * rest[i] + from[high[i]] * weight[i], where weight and rest are of the image's
// dtype. `inner`: how many elements there are from one to the next.
typedef struct Resized {
    int64_t old, new, inner, outer;
    int64_t *low, *high;
    void *weight, *rest;
    double step; // old elements per new one
    bool align_corners;
    bool clamped; // a factor of its own may lead out of the image
} Resized;

// All dimensions, and memory for a plane between two of them.
typedef struct Resizing {
    int rank;
    Resized dims[RANK];
    int64_t planes, old, new; // elements of a plane
    void *between[2];
} Resizing;

typedef enum Padding { PAD_ZEROS, PAD_BORDER, PAD_REFLECTION } Padding;

// The points of a grid that are sampled: an image's sizes, of `rank` dimensions.
typedef struct Grid {
    int rank, corners; // 1 corner: the nearest pixel; else 2^rank, the pixels around the point
    int64_t size[RANK], plane, channels;
    int64_t points; // of an image of the batch
    Padding padding;
    bool align_corners;
} Grid;

#define CORNERS (1 << RANK)
#define POINTS 32  // sampled at once
#define CHANNELS 4 // likewise

// Always over all of them, so that there is nothing left over after whole vectors; and in a loop,
// which is shorter than the sum of its turns.
#define EACH_POINT(i) _Pragma("GCC unroll 1") for (int i = 0; i < POINTS; i++)

#define REAL float
#define NAME(x) float32_##x
#include "vm/modules/torch/kernels/sampling_element.h"
#undef REAL
#undef NAME

#define REAL double
#define NAME(x) float64_##x
#include "vm/modules/torch/kernels/sampling_element.h"
#undef REAL
#undef NAME

static bool is_wide(const Tensor *tensor)
{
    return tensor_dtype(tensor) == DTYPE_float32 || tensor_dtype(tensor) == DTYPE_float64;
}

// Is it a plain array of images of this rank, not too large?
static bool is_image(const Tensor *image, int rank)
{
    if (!is_wide(image) || !tensor_is(image, TENSOR_CONTIGUOUS) || !image->numel) return false;
    if (image->ndim != rank + 2 || image->numel > INT32_MAX) return false;
    for (int i = 0; i < rank; i++)
        if (tensor_size(image, 2 + i) > LONGEST) return false;
    return true;
}

// ---- other sizes: (self, output_size, align_corners, a factor or None for each dimension)

static bool read_dim(const OpCall *call, int dim, int64_t new, Resized *resized)
{
    double factor = 0;
    const Tensor *image = call_tensor(call, 0);
    resized->clamped = call_has(call, 3 + dim);
    if (resized->clamped && !call_double(call, 3 + dim, &factor)) return false;
    resized->old = tensor_size(image, 2 + dim);
    resized->new = new;
    resized->step = factor > 0 ? 1 / factor : (double)resized->old / (double)new;
    resized->align_corners = call_bool(call, 2);
    return new > 0 && new <= LONGEST;
}

// The last dimension is resized first.
static bool read_resizing(const OpCall *call, Resizing *work)
{
    int64_t sizes[TENSOR_MAX_DIMS];
    work->rank = call->schema->count - 3 - (call->op->kinds & OUT ? 1 : 0);
    const Tensor *image = call_tensor(call, 0);
    if (!is_image(image, work->rank) || call_ints(call, 1, sizes) != work->rank) return false;
    work->planes = tensor_size(image, 0) * tensor_size(image, 1);
    work->old = work->new = 1;
    for (int i = work->rank; i-- > 0;) {
        if (!read_dim(call, i, sizes[i], &work->dims[i])) return false;
        work->dims[i].inner = work->new;
        work->new *= sizes[i];
        if (work->new > INT32_MAX) return false;
    }
    for (int i = 0; i < work->rank; work->old *= work->dims[i++].old)
        work->dims[i].outer = work->old;
    return true;
}

// Places for all of that: owned. What is between two dimensions is no larger than with the larger
// size of each.
static Value lend_memory(Resizing *work, size_t size)
{
    size_t most = size, numbers = 0;
    for (int i = 0; i < work->rank; i++) {
        const Resized *dim = &work->dims[i];
        most *= (size_t)(dim->old > dim->new ? dim->old : dim->new);
        numbers += (size_t)dim->new;
    }
    if (work->rank == 1) most = 0;
    Value memory = storage_new(numbers * 4 * sizeof(int64_t) + 2 * most);
    if (!memory) return VALUE_ERROR;
    int64_t *next = as_storage(memory)->data;
    for (int i = 0; i < work->rank; i++) {
        void **parts[] = {(void **)&work->dims[i].low, (void **)&work->dims[i].high,
                          &work->dims[i].weight, &work->dims[i].rest};
        for (int j = 0; j < 4; j++, next += work->dims[i].new) *parts[j] = next;
    }
    work->between[0] = next;
    work->between[1] = (char *)next + most;
    return memory;
}

static bool resize(OpCall *call, const Resizing *work)
{
    Dim sizes[RANK + 2];
    const Tensor *image = call_tensor(call, 0);
    bool single = tensor_dtype(image) == DTYPE_float32;
    for (int i = 0; i < work->rank; i++)
        if (!(single ? float32_find_places : float64_find_places)(&work->dims[i])) return true;
    sizes[0] = tensor_sizes(image)[0];
    sizes[1] = tensor_sizes(image)[1];
    for (int i = 0; i < work->rank; i++) sizes[2 + i] = from_small(work->dims[i].new);
    call->value = tensor_new(tensor_dtype(image), work->rank + 2, sizes);
    if (!call->value) return false;
    (single ? float32_resize : float64_resize)(work, tensor_data(image),
                                               tensor_elements(call->value));
    return true;
}

bool KERNEL(shortcut_linear)(OpCall *call)
{
    Resizing work;
    if (!read_resizing(call, &work)) return true;
    Value memory = lend_memory(&work, dtype_size(tensor_dtype(call_tensor(call, 0))));
    bool done = memory && resize(call, &work);
    drop(memory);
    return done;
}

// ---- grids: (input, grid, interpolation_mode, padding_mode, align_corners)

static bool read_grid(const OpCall *call, Grid *grid)
{
    int64_t mode, padding;
    const Tensor *image = call_tensor(call, 0), *points = call_tensor(call, 1);
    int rank = image->ndim - 2;
    bool alike = rank >= 2 && rank <= RANK && is_image(image, rank) && is_image(points, rank) &&
                 tensor_dtype(points) == tensor_dtype(image) &&
                 tensor_size(points, 0) == tensor_size(image, 0) &&
                 tensor_size(points, points->ndim - 1) == rank;
    if (!alike || !call_int(call, 2, &mode) || !call_int(call, 3, &padding)) return false;
    if ((mode != 0 && mode != 1) || padding < PAD_ZEROS || padding > PAD_REFLECTION) return false;
    *grid = (Grid){.rank = rank,
                   .corners = mode ? 1 : 1 << rank,
                   .plane = 1,
                   .channels = tensor_size(image, 1),
                   .points = points->numel / tensor_size(points, 0) / rank,
                   .padding = (Padding)padding,
                   .align_corners = call_bool(call, 4)};
    for (int i = 0; i < rank; i++) grid->plane *= grid->size[i] = tensor_size(image, 2 + i);
    return true;
}

bool KERNEL(shortcut_grid)(OpCall *call)
{
    Grid grid;
    Dim sizes[RANK + 2];
    if (!read_grid(call, &grid)) return true;
    const Tensor *image = call_tensor(call, 0), *points = call_tensor(call, 1);
    int64_t batch = tensor_size(image, 0);
    memcpy(sizes, tensor_sizes(image), 2 * sizeof *sizes);
    memcpy(sizes + 2, tensor_sizes(points) + 1, (size_t)grid.rank * sizeof *sizes);
    call->value = tensor_new(tensor_dtype(image), grid.rank + 2, sizes);
    if (!call->value) return false;
    bool single = tensor_dtype(image) == DTYPE_float32;
    (single ? float32_sample_images : float64_sample_images)(
        &grid, batch, tensor_data(image), tensor_data(points), tensor_elements(call->value));
    return true;
}

#endif
