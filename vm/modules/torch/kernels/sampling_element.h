// Images between their pixels, for one type of elements: kernel_sampling.c, which explains Resized,
// Resizing and Grid, includes this text once for each type, with REAL and NAME(x) defined.

// ---- other sizes

// Where the middle of a new element is among the old ones, from 0 on.
static inline REAL NAME(scaled_place)(const Resized *dim, int64_t i)
{
    double factor = dim->new > 1 ? (double)(dim->old - 1) / (double)(dim->new - 1) : 0;
    REAL place = (REAL)i, half = (REAL)0.5;
    place = dim->align_corners ? place * (REAL)factor : (place + half) * (REAL)dim->step - half;
    place = m_max(place, (REAL)0);
    return dim->clamped ? m_min(place, (REAL)(dim->old - 1)) : place;
}

// False where one is outside.
static bool NAME(find_places)(const Resized *dim)
{
    bool outside = false;
    REAL *weight = dim->weight, *rest = dim->rest;
    for (int64_t i = 0; i < dim->new; i++) {
        REAL place = NAME(scaled_place)(dim, i);
        int64_t low = double_to_int64((double)place);
        outside |= low < 0 || low >= dim->old;
        dim->low[i] = low;
        dim->high[i] = low + 1 < dim->old ? low + 1 : dim->old - 1;
        weight[i] = place - (REAL)low;
        rest[i] = 1 - weight[i];
    }
    return !outside;
}

// Each element of the dimension is a row of `inner` neighbours.
static void NAME(resize_rows)(const Resized *dim, const REAL *from, REAL *restrict to)
{
    int64_t n = dim->inner;
    for (int64_t i = 0; i < dim->new; i++, to += n) {
        const REAL *low = from + dim->low[i] * n, *high = from + dim->high[i] * n;
        REAL weight = ((const REAL *)dim->weight)[i], rest = ((const REAL *)dim->rest)[i];
        for (int64_t j = 0; j < n; j++) to[j] = low[j] * rest + high[j] * weight;
    }
}

static void NAME(resize_line)(const Resized *dim, const REAL *from, REAL *restrict to)
{
    const int64_t *low = dim->low, *high = dim->high;
    const REAL *weight = dim->weight, *rest = dim->rest;
    for (int64_t i = 0; i < dim->new; i++)
        to[i] = from[low[i]] * rest[i] + from[high[i]] * weight[i];
}

static void NAME(resize_dim)(const Resized *dim, const REAL *from, REAL *to)
{
    for (int64_t i = 0; i < dim->outer; i++) {
        if (dim->inner == 1)
            NAME(resize_line)(dim, from, to);
        else
            NAME(resize_rows)(dim, from, to);
        from += dim->old * dim->inner;
        to += dim->new * dim->inner;
    }
}

static void NAME(resize)(const Resizing *work, const void *images, void *results)
{
    for (int64_t plane = 0; plane < work->planes; plane++) {
        const REAL *from = (const REAL *)images + plane * work->old;
        REAL *result = (REAL *)results + plane * work->new;
        for (int i = work->rank; i-- > 0;) {
            REAL *to = i ? work->between[i & 1] : result;
            NAME(resize_dim)(&work->dims[i], from, to);
            from = to;
        }
    }
}

// ---- grids

// The pixels around some points, and what each of them counts: 0 where it is outside.
typedef struct NAME(Taps) {
    int32_t index[CORNERS][POINTS];
    REAL factor[CORNERS][POINTS];
} NAME(Taps);

// Thrown back at both ends, as often as it takes.
static void NAME(reflect)(const Grid *grid, REAL size, REAL *place)
{
    REAL low = grid->align_corners ? 0 : (REAL)-0.5, span = grid->align_corners ? size - 1 : size;
    EACH_POINT(i)
    {
        REAL distance = m_abs(place[i] - low), times = m_floor(distance / span);
        REAL rest = distance - times * span, half = times * (REAL)0.5;
        REAL there = half == m_floor(half) ? rest + low : span - rest + low;
        place[i] = span == 0 ? 0 : there;
    }
}

// Coordinates from -1 to 1 as places among the pixels of a dimension.
static void NAME(find_pixels)(const Grid *grid, REAL size, REAL *place)
{
    REAL last = size - 1;
    EACH_POINT(i)
    {
        REAL moved = place[i] + 1;
        place[i] = grid->align_corners ? moved / 2 * last : (moved * size - 1) / 2;
    }
    if (grid->padding == PAD_REFLECTION) NAME(reflect)(grid, size, place);
    if (grid->padding == PAD_ZEROS) return;
    EACH_POINT(i) place[i] = m_min(m_max(place[i], (REAL)0), last);
}

// A whole number near those of pixels that is inside, below or beyond where `place` is. (What has
// no int64 is below: double_to_int64().)
static inline int32_t NAME(pixel_near)(REAL place, REAL size)
{
    REAL inside = place < -2 || !(place < (REAL)0x1p63) ? -2 : place;
    return (int32_t)(inside > size ? size : inside);
}

// One corner goes on with a dimension: `by` is what its pixels count along that.
static void NAME(add_corner)(const int32_t *restrict pixel, int32_t step, int32_t size,
                             const REAL *restrict by, int32_t *restrict index,
                             REAL *restrict factor)
{
    EACH_POINT(i)
    {
        int32_t at = pixel[i] + step, near = at < 0 ? 0 : at < size ? at : size - 1;
        index[i] = index[i] * size + near;
        factor[i] = factor[i] * by[i] * (REAL)(at == near);
    }
}

static void NAME(add_dim)(const Grid *grid, int dim, REAL *place, NAME(Taps) * taps)
{
    int32_t size = (int32_t)grid->size[dim], pixel[POINTS];
    REAL weight[2][POINTS];
    bool nearest = grid->corners == 1;
    NAME(find_pixels)(grid, (REAL)size, place);
    EACH_POINT(i)
    {
        REAL low = nearest ? m_round(place[i]) : m_floor(place[i]);
        pixel[i] = NAME(pixel_near)(low, (REAL)size);
        weight[0][i] = nearest ? 1 : low + 1 - place[i];
        weight[1][i] = place[i] - low;
    }
    for (int corner = 0; corner < grid->corners; corner++) {
        int32_t step = corner >> dim & 1;
        NAME(add_corner)
        (pixel, step, size, weight[step], taps->index[corner], taps->factor[corner]);
    }
}

// Of n points; what is beyond them in a Taps is not used.
static void NAME(find_taps)(const Grid *grid, const REAL *points, int64_t n, NAME(Taps) * taps)
{
    REAL place[POINTS] = {0};
    for (int corner = 0; corner < grid->corners; corner++) EACH_POINT(i)
        {
            taps->index[corner][i] = 0;
            taps->factor[corner][i] = 1;
        }
    for (int dim = 0; dim < grid->rank; dim++) {
        for (int64_t i = 0; i < n; i++) place[i] = points[i * grid->rank + grid->rank - 1 - dim];
        NAME(add_dim)(grid, dim, place, taps);
    }
}

// Some channels. The nearest pixel keeps the sign of its zero.
static ALWAYS_INLINE void NAME(sample)(const Grid *grid, const REAL *image, int64_t n,
                                       const NAME(Taps) * taps, int channels, REAL *restrict to)
{
    const REAL *plane[CHANNELS], start = grid->corners == 1 ? -(REAL)0 : 0;
    for (int c = 0; c < channels; c++) plane[c] = image + c * grid->plane;
    for (int64_t i = 0; i < n; i++) {
        const int32_t *index = taps->index[0] + i, *end = index + grid->corners * POINTS;
        const REAL *factor = taps->factor[0] + i;
        REAL sums[CHANNELS] = {start, start, start, start};
        for (; index < end; index += POINTS, factor += POINTS)
            for (int c = 0; c < channels; c++) sums[c] += plane[c][*index] * *factor;
        for (int c = 0; c < channels; c++) to[c * grid->points + i] = sums[c];
    }
}

static __attribute__((noinline)) void NAME(sample_channels)(const Grid *grid, const REAL *image,
                                                            int64_t n, const NAME(Taps) * taps,
                                                            REAL *to)
{
    int64_t c = 0;
    for (; c + CHANNELS <= grid->channels; c += CHANNELS)
        NAME(sample)(grid, image + c * grid->plane, n, taps, CHANNELS, to + c * grid->points);
    for (; c < grid->channels; c++)
        NAME(sample)(grid, image + c * grid->plane, n, taps, 1, to + c * grid->points);
}

static void NAME(sample_images)(const Grid *grid, int64_t batch, const void *images,
                                const void *points, void *results)
{
    NAME(Taps) taps;
    const REAL *image = images, *point = points;
    REAL *to = results;
    for (; batch > 0; batch--) {
        for (int64_t first = 0, n; first < grid->points; first += n) {
            n = grid->points - first < POINTS ? grid->points - first : POINTS;
            NAME(find_taps)(grid, point + first * grid->rank, n, &taps);
            NAME(sample_channels)(grid, image, n, &taps, to + first);
        }
        image += grid->channels * grid->plane;
        point += grid->points * grid->rank;
        to += grid->channels * grid->points;
    }
}
