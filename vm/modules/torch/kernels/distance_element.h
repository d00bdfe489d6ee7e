// The distances of one point from others, for one type of elements: kernel_distances.c, which
// explains Distances, includes this text once for each type, with REAL, WORD (an unsigned integer
// of its size) and NAME(x) defined. ALWAYS_INLINE makes `squares` a constant.

typedef REAL NAME(Vector) __attribute__((vector_size(32), aligned(sizeof(REAL)), may_alias));
typedef WORD NAME(Words) __attribute__((vector_size(32)));

#define LANES ((int)(32 / sizeof(REAL)))

// The coordinates first, first + step ... before end.
static ALWAYS_INLINE void NAME(add_terms)(const Distances *work, const REAL *others, int64_t first,
                                          int64_t step, int64_t end, bool squares,
                                          NAME(Vector) * sums)
{
    for (int64_t k = first; k < end; k += step) {
        NAME(Vector) number;
        for (int i = 0; i < LANES; i++) number[i] = ((const REAL *)work->point)[k];
        UNROLL
        for (int v = 0; v < VECTORS; v++) {
            const REAL *other = others + k * work->stride + v * LANES;
            NAME(Vector) d = number - *(const NAME(Vector) *)other;
            if (squares)
                sums[v] += d * d;
            else
                sums[v] += (NAME(Vector))((NAME(Words))d & (WORD)-1 >> 1);
        }
    }
}

static ALWAYS_INLINE void NAME(add_block)(const Distances *work, int64_t at, bool squares)
{
    int64_t lanes = squares ? LANES : 1, whole = work->m / lanes * lanes;
    int64_t left = work->count - at, n = left < VECTORS * LANES ? left : VECTORS * LANES;
    const REAL *others = (const REAL *)work->others + at;
    NAME(Vector) sums[VECTORS] = {0};
    REAL found[VECTORS * LANES];
    for (int64_t lane = 0; lane < lanes && whole; lane++) {
        NAME(Vector) parts[VECTORS] = {0};
        NAME(add_terms)(work, others, lane, lanes, whole, squares, parts);
        UNROLL
        for (int v = 0; v < VECTORS; v++) sums[v] += parts[v];
    }
    NAME(add_terms)(work, others, whole, 1, work->m, squares, sums);
    memcpy(found, sums, sizeof found);
    for (int i = 0; squares && i < VECTORS * LANES; i++) found[i] = m_sqrt(found[i]);
    memcpy((REAL *)work->to + at, found, (size_t)n * sizeof(REAL));
}

static ALWAYS_INLINE void NAME(add_all)(const Distances *work, bool squares)
{
    for (int64_t at = 0; at < work->count; at += VECTORS * LANES)
        NAME(add_block)(work, at, squares);
}

static void NAME(add)(const Distances *work)
{
    if (work->squares)
        NAME(add_all)(work, true);
    else
        NAME(add_all)(work, false);
}

#undef LANES
