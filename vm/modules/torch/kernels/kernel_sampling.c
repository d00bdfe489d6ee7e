// Images between their pixels: shortcuts of upsample_linear1d, upsample_bilinear2d and
// upsample_trilinear3d, and of grid_sampler_2d and grid_sampler_3d (bilinear and nearest).
//
// Both compute, number by number, what the functions of torch/_decomp/images.mpy say with
// operators, in the same order: each step is rounded to float32. Images of other dtypes are left to
// the functions.
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
// from[low[i]] * rest[i] + from[high[i]] * weight[i]. `inner`: how many elements there are from one
// to the next.
typedef struct Resized {
    int64_t old, new, inner, outer;
    int64_t *low, *high;
    float *weight, *rest;
    double step; // old elements per new one
    bool align_corners;
    bool clamped; // a factor of its own may lead out of the image
} Resized;

// All dimensions, and memory for a plane between two of them.
typedef struct Resizing {
    int rank;
    Resized dims[RANK];
    int64_t planes, old, new; // elements of a plane
    int64_t most;             // between two dimensions
    float *between[2];
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

// Is it a plain array of images of this rank, not too large?
static bool is_image(const Tensor *image, int rank)
{
    bool plain = tensor_dtype(image) == DTYPE_float32 && tensor_is(image, TENSOR_CONTIGUOUS);
    if (!plain || !image->numel) return false;
    if (image->ndim != rank + 2 || image->numel > INT32_MAX) return false;
    for (int i = 0; i < rank; i++)
        if (tensor_size(image, 2 + i) > LONGEST) return false;
    return true;
}

// ---- other sizes

// Where the middle of a new element is among the old ones, from 0 on.
static inline float scaled_place(const Resized *dim, int64_t i)
{
    double factor = dim->new > 1 ? (double)(dim->old - 1) / (double)(dim->new - 1) : 0;
    float place = (float)i, half = 0.5f;
    place = dim->align_corners ? place * (float)factor : (place + half) * (float)dim->step - half;
    place = m_max(place, 0.0f);
    return dim->clamped ? m_min(place, (float)(dim->old - 1)) : place;
}

// False where one is outside.
static bool find_places(const Resized *dim)
{
    bool outside = false;
    for (int64_t i = 0; i < dim->new; i++) {
        float place = scaled_place(dim, i);
        int64_t low = double_to_int64((double)place);
        outside |= low < 0 || low >= dim->old;
        dim->low[i] = low;
        dim->high[i] = low + 1 < dim->old ? low + 1 : dim->old - 1;
        dim->weight[i] = place - (float)low;
        dim->rest[i] = 1 - dim->weight[i];
    }
    return !outside;
}

// Each element of the dimension is a row of `inner` neighbours.
static void resize_rows(const Resized *dim, const float *from, float *restrict to)
{
    int64_t n = dim->inner;
    for (int64_t i = 0; i < dim->new; i++, to += n) {
        const float *low = from + dim->low[i] * n, *high = from + dim->high[i] * n;
        float weight = dim->weight[i], rest = dim->rest[i];
        for (int64_t j = 0; j < n; j++) to[j] = low[j] * rest + high[j] * weight;
    }
}

static void resize_line(const Resized *dim, const float *from, float *restrict to)
{
    const int64_t *low = dim->low, *high = dim->high;
    const float *weight = dim->weight, *rest = dim->rest;
    for (int64_t i = 0; i < dim->new; i++)
        to[i] = from[low[i]] * rest[i] + from[high[i]] * weight[i];
}

static void resize_dim(const Resized *dim, const float *from, float *to)
{
    for (int64_t i = 0; i < dim->outer; i++) {
        if (dim->inner == 1)
            resize_line(dim, from, to);
        else
            resize_rows(dim, from, to);
        from += dim->old * dim->inner;
        to += dim->new * dim->inner;
    }
}

static void resize(const Resizing *work, const float *images, float *results)
{
    for (int64_t plane = 0; plane < work->planes; plane++) {
        const float *from = images + plane * work->old;
        float *result = results + plane * work->new;
        for (int i = work->rank; i-- > 0;) {
            float *to = i ? work->between[i & 1] : result;
            resize_dim(&work->dims[i], from, to);
            from = to;
        }
    }
}

// The parameters are self, output_size, align_corners, and a factor or None for each dimension.

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
    work->most = 0;
    for (int i = 0; i < work->rank; work->old *= work->dims[i++].old) {
        Resized *dim = &work->dims[i];
        dim->outer = work->old;
        int64_t numel = dim->outer * dim->new * dim->inner;
        if (i && numel > work->most) work->most = numel;
    }
    return work->most <= INT32_MAX;
}

// Places for all of that: owned.
static Value lend_memory(Resizing *work)
{
    size_t numbers = 0, most = (size_t)work->most * sizeof(float);
    for (int i = 0; i < work->rank; i++) numbers += (size_t)work->dims[i].new;
    Value memory = storage_new(numbers * 3 * sizeof(int64_t) + 2 * most);
    if (!memory) return VALUE_ERROR;
    int64_t *next = as_storage(memory)->data;
    for (int i = 0; i < work->rank; i++) {
        Resized *dim = &work->dims[i];
        dim->low = next;
        dim->high = dim->low + dim->new;
        dim->weight = (float *)(dim->high + dim->new);
        dim->rest = dim->weight + dim->new;
        next += 3 * dim->new;
    }
    work->between[0] = (float *)next;
    work->between[1] = work->between[0] + work->most;
    return memory;
}

static bool resize_image(OpCall *call, const Resizing *work)
{
    Dim sizes[RANK + 2];
    const Tensor *image = call_tensor(call, 0);
    for (int i = 0; i < work->rank; i++) {
        if (!find_places(&work->dims[i])) return true;
        sizes[2 + i] = from_small(work->dims[i].new);
    }
    sizes[0] = tensor_sizes(image)[0];
    sizes[1] = tensor_sizes(image)[1];
    call->value = tensor_new(DTYPE_float32, work->rank + 2, sizes);
    if (call->value)
        resize(work, (float *)(void *)tensor_data(image), tensor_elements(call->value));
    return call->value != VALUE_ERROR;
}

bool KERNEL(shortcut_linear)(OpCall *call)
{
    Resizing work;
    if (!read_resizing(call, &work)) return true;
    Value memory = lend_memory(&work);
    bool done = memory && resize_image(call, &work);
    drop(memory);
    return done;
}

// ---- grids

// The pixels around some points, and what each of them counts: 0 where it is outside.
typedef struct Taps {
    int32_t index[CORNERS][POINTS];
    float factor[CORNERS][POINTS];
} Taps;

// Thrown back at both ends, as often as it takes.
static void reflect(const Grid *grid, float size, float *place)
{
    float low = grid->align_corners ? 0 : -0.5f, span = grid->align_corners ? size - 1 : size;
    EACH_POINT(i)
    {
        float distance = m_abs(place[i] - low), times = m_floor(distance / span);
        float rest = distance - times * span, half = times * 0.5f;
        float there = half == m_floor(half) ? rest + low : span - rest + low;
        place[i] = span == 0 ? 0 : there;
    }
}

// Coordinates from -1 to 1 as places among the pixels of a dimension.
static void find_pixels(const Grid *grid, float size, float *place)
{
    float last = size - 1;
    EACH_POINT(i)
    {
        float moved = place[i] + 1;
        place[i] = grid->align_corners ? moved / 2 * last : (moved * size - 1) / 2;
    }
    if (grid->padding == PAD_REFLECTION) reflect(grid, size, place);
    if (grid->padding == PAD_ZEROS) return;
    EACH_POINT(i) place[i] = m_min(m_max(place[i], 0.0f), last);
}

// A whole number near those of pixels that is inside, below or beyond where `place` is. (What has
// no int64 is below: double_to_int64().)
static inline int32_t pixel_near(float place, float size)
{
    float inside = place < -2 || !(place < 0x1p63f) ? -2 : place;
    return (int32_t)(inside > size ? size : inside);
}

// One corner goes on with a dimension: `by` is what its pixels count along that.
static void add_corner(const int32_t *restrict pixel, int32_t step, int32_t size,
                       const float *restrict by, int32_t *restrict index, float *restrict factor)
{
    EACH_POINT(i)
    {
        int32_t at = pixel[i] + step, near = at < 0 ? 0 : at < size ? at : size - 1;
        index[i] = index[i] * size + near;
        factor[i] = factor[i] * by[i] * (float)(at == near);
    }
}

static void add_dim(const Grid *grid, int dim, float *place, Taps *taps)
{
    int32_t size = (int32_t)grid->size[dim], pixel[POINTS];
    float weight[2][POINTS];
    bool nearest = grid->corners == 1;
    find_pixels(grid, (float)size, place);
    EACH_POINT(i)
    {
        float low = nearest ? m_round(place[i]) : m_floor(place[i]);
        pixel[i] = pixel_near(low, (float)size);
        weight[0][i] = nearest ? 1 : low + 1 - place[i];
        weight[1][i] = place[i] - low;
    }
    for (int corner = 0; corner < grid->corners; corner++) {
        int32_t step = corner >> dim & 1;
        add_corner(pixel, step, size, weight[step], taps->index[corner], taps->factor[corner]);
    }
}

// Of n points; what is beyond them in a Taps is not used.
static void find_taps(const Grid *grid, const float *points, int64_t n, Taps *taps)
{
    float place[POINTS] = {0};
    for (int corner = 0; corner < grid->corners; corner++) {
        memset(taps->index[corner], 0, sizeof taps->index[corner]);
        EACH_POINT(i) taps->factor[corner][i] = 1;
    }
    for (int dim = 0; dim < grid->rank; dim++) {
        for (int64_t i = 0; i < n; i++) place[i] = points[i * grid->rank + grid->rank - 1 - dim];
        add_dim(grid, dim, place, taps);
    }
}

// Some channels. The nearest pixel keeps the sign of its zero.
static ALWAYS_INLINE void sample(const Grid *grid, const float *image, int64_t n, const Taps *taps,
                                 int channels, float *restrict to)
{
    const float *plane[CHANNELS], start = grid->corners == 1 ? -0.0f : 0;
    for (int c = 0; c < channels; c++) plane[c] = image + c * grid->plane;
    for (int64_t i = 0; i < n; i++) {
        const int32_t *index = taps->index[0] + i, *end = index + grid->corners * POINTS;
        const float *factor = taps->factor[0] + i;
        float sums[CHANNELS] = {start, start, start, start};
        for (; index < end; index += POINTS, factor += POINTS)
            for (int c = 0; c < channels; c++) sums[c] += plane[c][*index] * *factor;
        for (int c = 0; c < channels; c++) to[c * grid->points + i] = sums[c];
    }
}

static __attribute__((noinline)) void sample_channels(const Grid *grid, const float *image,
                                                      int64_t n, const Taps *taps, float *to)
{
    int64_t c = 0;
    for (; c + CHANNELS <= grid->channels; c += CHANNELS)
        sample(grid, image + c * grid->plane, n, taps, CHANNELS, to + c * grid->points);
    for (; c < grid->channels; c++)
        sample(grid, image + c * grid->plane, n, taps, 1, to + c * grid->points);
}

static void sample_images(const Grid *grid, int64_t batch, const float *image, const float *point,
                          float *to)
{
    Taps taps;
    for (; batch > 0; batch--) {
        for (int64_t first = 0, n; first < grid->points; first += n) {
            n = grid->points - first < POINTS ? grid->points - first : POINTS;
            find_taps(grid, point + first * grid->rank, n, &taps);
            sample_channels(grid, image, n, &taps, to + first);
        }
        image += grid->channels * grid->plane;
        point += grid->points * grid->rank;
        to += grid->channels * grid->points;
    }
}

// The parameters are input, grid, interpolation_mode, padding_mode and align_corners.

static bool read_grid(const OpCall *call, Grid *grid)
{
    int64_t mode, padding;
    const Tensor *image = call_tensor(call, 0), *points = call_tensor(call, 1);
    int rank = call->op == &op_table[OP_grid_sampler_3d_] ? 3 : 2;
    bool alike = is_image(image, rank) && is_image(points, rank) &&
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
    call->value = tensor_new(DTYPE_float32, grid.rank + 2, sizes);
    if (!call->value) return false;
    sample_images(&grid, batch, (float *)(void *)tensor_data(image),
                  (float *)(void *)tensor_data(points), tensor_elements(call->value));
    return true;
}

#endif
