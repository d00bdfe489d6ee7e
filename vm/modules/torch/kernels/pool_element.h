// The loops of pooling for one type of elements: kernel_pool.c includes this text once for each
// dtype, with ELEMENT and NAME(x) defined. PoolWork and Window are explained there.
//
// max_pool keeps the index of each maximum, so that max_pool_backward adds a gradient there only.
// average_pool_backward spreads it over the window.

#define FOR_WINDOW(i, window)                                                                      \
    for (int64_t i = (window)->start; i < (window)->end; i += (window)->step)

// The largest number of a window and its index in the plane; a NaN is larger than all.
static ELEMENT NAME(max_of_window)(const ELEMENT *plane, const int64_t *size, const Window *z,
                                   const Window *y, const Window *x, int64_t *index)
{
    ELEMENT max = NAME(least);
    *index = (z->start * size[1] + y->start) * size[2] + x->start;
    FOR_WINDOW(k, z)
    {
        FOR_WINDOW(i, y)
        {
            const ELEMENT *line = plane + (k * size[1] + i) * size[2];
            FOR_WINDOW(j, x)
            {
                if (line[j] > max || m_isnan(line[j])) {
                    max = line[j];
                    *index = line + j - plane;
                }
            }
        }
    }
    return max;
}

static void NAME(max_pool)(const PoolWork *work)
{
    const ELEMENT *plane = work->from;
    ELEMENT *to = work->to;
    int64_t *indices = work->indices;
    for (int64_t p = 0; p < work->planes; p++, plane += work->area)
        for (int64_t z = 0; z < work->out[0]; z++)
            for (int64_t y = 0; y < work->out[1]; y++)
                for (int64_t x = 0; x < work->out[2]; x++)
                    *to++ =
                        NAME(max_of_window)(plane, work->in, &work->windows[0][z],
                                            &work->windows[1][y], &work->windows[2][x], indices++);
}

// The gradient of each output is added at the index of its maximum.
static void NAME(max_pool_backward)(const PoolWork *work)
{
    const ELEMENT *grad = work->from;
    const int64_t *indices = work->indices;
    ELEMENT *plane = work->to;
    int64_t area_out = work->out[0] * work->out[1] * work->out[2];
    memset(plane, 0, (size_t)(work->planes * work->area) * sizeof(ELEMENT));
    for (int64_t p = 0; p < work->planes; p++, plane += work->area)
        for (int64_t i = 0; i < area_out; i++) plane[*indices++] += *grad++;
}

static ELEMENT NAME(sum_of_window)(const ELEMENT *plane, const int64_t *size, const Window *z,
                                   const Window *y, const Window *x)
{
    ELEMENT sum = 0;
    FOR_WINDOW(k, z)
    {
        FOR_WINDOW(i, y)
        {
            const ELEMENT *line = plane + (k * size[1] + i) * size[2];
            FOR_WINDOW(j, x) sum += line[j];
        }
    }
    return sum;
}

static void NAME(average_pool)(const PoolWork *work)
{
    const ELEMENT *plane = work->from;
    ELEMENT *to = work->to;
    for (int64_t p = 0; p < work->planes; p++, plane += work->area) {
        for (int64_t z = 0; z < work->out[0]; z++) {
            for (int64_t y = 0; y < work->out[1]; y++) {
                for (int64_t x = 0; x < work->out[2]; x++) {
                    const Window *at[] = {&work->windows[0][z], &work->windows[1][y],
                                          &work->windows[2][x]};
                    int64_t count = elements_counted(work, at);
                    ELEMENT sum = NAME(sum_of_window)(plane, work->in, at[0], at[1], at[2]);
                    *to++ = sum / (ELEMENT)count;
                }
            }
        }
    }
}

static void NAME(add_to_window)(ELEMENT *plane, const int64_t *size, const Window *const *at,
                                ELEMENT part)
{
    FOR_WINDOW(k, at[0])
    {
        FOR_WINDOW(i, at[1])
        {
            ELEMENT *line = plane + (k * size[1] + i) * size[2];
            FOR_WINDOW(j, at[2]) line[j] += part;
        }
    }
}

static void NAME(average_pool_backward)(const PoolWork *work)
{
    const ELEMENT *grad = work->from;
    ELEMENT *plane = work->to;
    memset(plane, 0, (size_t)(work->planes * work->area) * sizeof(ELEMENT));
    for (int64_t p = 0; p < work->planes; p++, plane += work->area) {
        for (int64_t z = 0; z < work->out[0]; z++) {
            for (int64_t y = 0; y < work->out[1]; y++) {
                for (int64_t x = 0; x < work->out[2]; x++) {
                    const Window *at[] = {&work->windows[0][z], &work->windows[1][y],
                                          &work->windows[2][x]};
                    ELEMENT part = *grad++ / (ELEMENT)elements_counted(work, at);
                    NAME(add_to_window)(plane, work->in, at, part);
                }
            }
        }
    }
}

#undef FOR_WINDOW
