// The loops of gemm() for one type of elements (gemm_tile.h): gemm.c includes this text once for
// each dtype, with ELEMENT defined as its C type and NAME(x) as the name of x in that copy.
//
//     pack_a, pack_b    panels from an operand of any strides
//     multiply          a block of C from panels, tile by tile; edge_tile where a tile is not full
//     pack_row, multiply_row    the same for one row of A: B is not packed where its columns
//                               are adjacent
//
// A tile's sums are vectors in registers. ALWAYS_INLINE makes `width` and `step` constants, so that
// the loops over a strip have no counter.

typedef ELEMENT NAME(Vector)
    __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(ELEMENT)), may_alias));

#define LANES ((int)(VECTOR_BYTES / sizeof(ELEMENT)))
#define COLUMNS (2 * LANES)

// Fills a vector with one number. Where numbers are computed in the wider registers of the x87, the
// language has no arithmetic between a number and a vector.
static ALWAYS_INLINE void NAME(repeat)(NAME(Vector) * vector, ELEMENT number)
{
#if __FLT_EVAL_METHOD__ == 0
    *vector = number - (NAME(Vector)){0};
#else
    for (int i = 0; i < LANES; i++) (*vector)[i] = number;
#endif
}

// ---- packing

// Offsets that are `step` apart: the compiler knows width and step, and shuffles vectors.
static ALWAYS_INLINE void NAME(pack_steps)(const PanelSource *from, int64_t first, int64_t step,
                                           int width, ELEMENT *restrict panel)
{
    const ELEMENT *data = (const ELEMENT *)from->data + first;
    for (int64_t k = 0; k < from->depth; k++, panel += width) {
        const ELEMENT *strip = data + axis_at(&from->along, from->k + k);
        for (int i = 0; i < width; i++) panel[i] = strip[i * step];
    }
}

// Four numbers of each of four lines: a square, turned over in registers where the compiler can.
static ALWAYS_INLINE void NAME(pack_square)(const ELEMENT *data, const int64_t *offsets, int width,
                                            ELEMENT *restrict panel)
{
#if CAN_SHUFFLE
    typedef ELEMENT Four __attribute__((vector_size(4 * sizeof(ELEMENT))));
    Four a, b, c, d, rows[4];
    memcpy(&a, data + offsets[0], sizeof a);
    memcpy(&b, data + offsets[1], sizeof b);
    memcpy(&c, data + offsets[2], sizeof c);
    memcpy(&d, data + offsets[3], sizeof d);
    Four low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    Four low2 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    Four high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    Four high2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    rows[0] = __builtin_shufflevector(low, low2, 0, 1, 4, 5);
    rows[1] = __builtin_shufflevector(low, low2, 2, 3, 6, 7);
    rows[2] = __builtin_shufflevector(high, high2, 0, 1, 4, 5);
    rows[3] = __builtin_shufflevector(high, high2, 2, 3, 6, 7);
    for (int x = 0; x < 4; x++) memcpy(panel + x * width, &rows[x], sizeof rows[x]);
#else
    for (int i = 0; i < 4; i++)
        for (int x = 0; x < 4; x++) panel[x * width + i] = data[offsets[i] + x];
#endif
}

// Lines of memory that run along k, a cache line of each at a time.
static ALWAYS_INLINE void NAME(pack_lines)(const PanelSource *from, const int64_t *offsets,
                                           int width, ELEMENT *restrict panel)
{
    const ELEMENT *data = (const ELEMENT *)from->data + from->k;
    int64_t k = 0;
    for (; k + LINE <= from->depth; k += LINE) {
        int i = 0;
        for (; i + 4 <= width; i += 4)
            for (int x = 0; x < LINE; x += 4)
                NAME(pack_square)(data + k + x, offsets + i, width, panel + (k + x) * width + i);
        for (; i < width; i++) {
            const ELEMENT *line = data + offsets[i] + k;
            for (int x = 0; x < LINE; x++) panel[(k + x) * width + i] = line[x];
        }
    }
    for (; k < from->depth; k++)
        for (int i = 0; i < width; i++) panel[k * width + i] = data[offsets[i] + k];
}

// Strips of which some are adjacent: `lengths` of them, as in a convolution's rows of points.
static ALWAYS_INLINE void NAME(pack_runs)(const PanelSource *from, const int64_t *offsets,
                                          const int *lengths, int64_t present, int width,
                                          ELEMENT *restrict panel)
{
    for (int64_t k = 0; k < from->depth; k++, panel += width) {
        const ELEMENT *strip = (const ELEMENT *)from->data + axis_at(&from->along, from->k + k);
        for (int64_t i = 0; i < present;) {
            const ELEMENT *run = strip + offsets[i];
            int64_t end = i + lengths[i];
            for (; i + LINE <= end; i += LINE, run += LINE)
                memcpy(panel + i, run, LINE * sizeof *run);
            for (; i < end; i++) panel[i] = *run++;
        }
        for (int64_t i = present; i < width; i++) panel[i] = 0;
    }
}

static ALWAYS_INLINE void NAME(pack_any)(const PanelSource *from, const int64_t *offsets,
                                         int64_t present, int width, ELEMENT *restrict panel)
{
    for (int64_t k = 0; k < from->depth; k++, panel += width) {
        const ELEMENT *strip = (const ELEMENT *)from->data + axis_at(&from->along, from->k + k);
        for (int64_t i = 0; i < present; i++) panel[i] = strip[offsets[i]];
        for (int64_t i = present; i < width; i++) panel[i] = 0;
    }
}

// One panel: `present` of its `width` strips exist.
static ALWAYS_INLINE void NAME(pack_panel)(const PanelSource *from, int64_t first, int64_t present,
                                           int width, ELEMENT *restrict panel)
{
    int64_t offsets[MAX_WIDTH];
    for (int64_t i = 0; i < present; i++) offsets[i] = axis_at(&from->across, first + i);
    int64_t step = present == width && width > 1 ? offsets[1] - offsets[0] : 0;
    for (int64_t i = 2; i < present; i++)
        if (offsets[i] - offsets[i - 1] != step) step = 0;
    int lengths[MAX_WIDTH];
    bool runs = find_runs(offsets, present, lengths) <= width / 4;
    bool lines = !from->along.table && from->along.step == 1;
    if (step == 1)
        NAME(pack_steps)(from, offsets[0], 1, width, panel);
    else if (step == 2)
        NAME(pack_steps)(from, offsets[0], 2, width, panel);
    else if (present == width && lines)
        NAME(pack_lines)(from, offsets, width, panel);
    else if (runs)
        NAME(pack_runs)(from, offsets, lengths, present, width, panel);
    else if (present == width)
        NAME(pack_any)(from, offsets, width, width, panel);
    else
        NAME(pack_any)(from, offsets, present, width, panel);
}

static ALWAYS_INLINE void NAME(pack)(const PanelSource *from, int width, ELEMENT *panels)
{
    for (int64_t i = 0; i < from->width; i += width) {
        int64_t left = from->width - i;
        NAME(pack_panel)(from, from->first + i, left < width ? left : width, width, panels);
        panels += from->depth * width;
    }
}

static void NAME(pack_a)(const PanelSource *from, void *panels)
{
    NAME(pack)(from, ROWS, panels);
}

static void NAME(pack_b)(const PanelSource *from, void *panels)
{
    NAME(pack)(from, COLUMNS, panels);
}

// ---- multiplying

// c (+)= the product of two panels, for `height` rows of a tile, each of them contiguous.
static ALWAYS_INLINE void NAME(tile_of)(int height, int64_t depth, const ELEMENT *restrict a,
                                        const ELEMENT *restrict b, ELEMENT *c, const int64_t *rows,
                                        bool accumulate)
{
    typedef NAME(Vector) Vector;
    Vector sums[ROWS][2] = {0};
    for (int64_t k = 0; k < depth; k++, a += ROWS, b += COLUMNS) {
        Vector left = *(const Vector *)b, right = *(const Vector *)(b + LANES);
        UNROLL
        for (int i = 0; i < height; i++) {
            Vector number;
            NAME(repeat)(&number, a[i]);
            sums[i][0] += number * left;
            sums[i][1] += number * right;
        }
    }
    UNROLL
    for (int i = 0; i < height; i++) {
        Vector *row = (Vector *)(c + rows[i]);
        if (accumulate) {
            sums[i][0] += row[0];
            sums[i][1] += row[1];
        }
        row[0] = sums[i][0];
        row[1] = sums[i][1];
    }
}

static ALWAYS_INLINE void NAME(tile)(int64_t height, int64_t depth, const ELEMENT *restrict a,
                                     const ELEMENT *restrict b, ELEMENT *c, const int64_t *rows,
                                     bool accumulate)
{
    if (height == 4 && ROWS > 4)
        NAME(tile_of)(4, depth, a, b, c, rows, accumulate);
    else if (height == 8 && ROWS > 8)
        NAME(tile_of)(8, depth, a, b, c, rows, accumulate);
    else if (height == 12 && ROWS > 12)
        NAME(tile_of)(12, depth, a, b, c, rows, accumulate);
    else
        NAME(tile_of)(ROWS, depth, a, b, c, rows, accumulate);
}

static ALWAYS_INLINE void NAME(store_sums)(ELEMENT *c, const ELEMENT *sums, int64_t count,
                                           bool accumulate)
{
    for (int64_t i = 0; i < count; i++) c[i] = accumulate ? c[i] + sums[i] : sums[i];
}

// A tile at the edge of C, or one whose rows are not contiguous: computed beside C.
static void NAME(edge_tile)(const GemmBlock *block, int64_t m, int64_t n, const int64_t *rows,
                            const int64_t *columns, const ELEMENT *a, const ELEMENT *b)
{
    int64_t height = tile_height(m);
    ELEMENT *c = block->c->data;
    ELEMENT beside[ROWS * COLUMNS];
    int64_t rows_beside[ROWS];
    for (int i = 0; i < ROWS; i++) rows_beside[i] = i * COLUMNS;
    NAME(tile)(height, block->depth, a, b, beside, rows_beside, false);
    for (int64_t i = 0; i < m; i++) {
        const ELEMENT *sums = beside + i * COLUMNS;
        for (int64_t j = 0; j < n; j++)
            NAME(store_sums)(c + rows[i] + columns[j], sums + j, 1, block->accumulate);
    }
}

static ALWAYS_INLINE void NAME(multiply_tile)(const GemmBlock *block, int64_t i, int64_t j)
{
    int64_t m = block->m - i < ROWS ? block->m - i : ROWS;
    int64_t n = block->n - j < COLUMNS ? block->n - j : COLUMNS;
    const ELEMENT *a = (const ELEMENT *)block->panels_a + i * block->depth;
    const ELEMENT *b = (const ELEMENT *)block->panels_b + j * block->depth;
    const Axis *across = &block->c->columns;
    int64_t rows[ROWS], columns[COLUMNS], column = block->column + j;
    for (int64_t x = 0; x < m; x++) rows[x] = axis_at(&block->c->rows, block->row + i + x);
    if (m == tile_height(m) && n == COLUMNS && axis_is_run(across, column, COLUMNS)) {
        ELEMENT *c = (ELEMENT *)block->c->data + axis_at(across, column);
        NAME(tile)(m, block->depth, a, b, c, rows, block->accumulate);
        return;
    }
    for (int64_t x = 0; x < n; x++) columns[x] = axis_at(across, column + x);
    NAME(edge_tile)(block, m, n, rows, columns, a, b);
}

// A panel of B stays in the first-level cache, while those of A pass by.
static void NAME(multiply)(const GemmBlock *block)
{
    for (int64_t j = 0; j < block->n; j += COLUMNS)
        for (int64_t i = 0; i < block->m; i += ROWS) NAME(multiply_tile)(block, i, j);
}

// ---- products with one row, as in a matrix times a vector or in a convolution by channels: every
// number of B is used once, so it is not packed where columns are adjacent

static ALWAYS_INLINE void NAME(row_part)(int64_t depth, const ELEMENT *a, const ELEMENT *b,
                                         const Axis *along, int64_t k, int vectors, ELEMENT *sums)
{
    typedef NAME(Vector) Vector;
    Vector part[4] = {0};
    for (int64_t i = 0; i < depth; i++) {
        const ELEMENT *strip = b + axis_at(along, k + i);
        Vector number;
        NAME(repeat)(&number, a[i]);
        UNROLL
        for (int v = 0; v < vectors; v++) part[v] += number * *(const Vector *)(strip + v * LANES);
    }
    UNROLL
    for (int v = 0; v < vectors; v++) *(Vector *)(sums + v * LANES) = part[v];
}

// The sums of some columns over one block of k; returns how many columns that are.
static int64_t NAME(row_sums)(const PanelSource *from, const ELEMENT *a, ELEMENT *sums)
{
    const Axis *across = &from->across;
    int64_t width = from->width, first = axis_at(across, from->first);
    const ELEMENT *b = (const ELEMENT *)from->data + first;
    if (width >= 2 * COLUMNS && axis_is_run(across, from->first, 2 * COLUMNS)) {
        NAME(row_part)(from->depth, a, b, &from->along, from->k, 4, sums);
        return 2 * COLUMNS;
    }
    if (width >= COLUMNS && axis_is_run(across, from->first, COLUMNS)) {
        NAME(row_part)(from->depth, a, b, &from->along, from->k, 2, sums);
        return COLUMNS;
    }
    ELEMENT panel[GEMM_DEPTH * COLUMNS];
    int64_t present = width < COLUMNS ? width : COLUMNS;
    Axis packed = axis_step(COLUMNS);
    NAME(pack_panel)(from, from->first, present, COLUMNS, panel);
    NAME(row_part)(from->depth, a, panel, &packed, 0, 2, sums);
    return present;
}

static void NAME(multiply_row)(const GemmBlock *block, PanelSource *b)
{
    ELEMENT sums[2 * COLUMNS];
    ELEMENT *c = (ELEMENT *)block->c->data + axis_at(&block->c->rows, 0);
    while (b->width) {
        int64_t count = NAME(row_sums)(b, block->panels_a, sums);
        const Axis *columns = &block->c->columns;
        if (axis_is_run(columns, b->first, count))
            NAME(store_sums)(c + axis_at(columns, b->first), sums, count, block->accumulate);
        else
            for (int64_t i = 0; i < count; i++) NAME(store_sums)
        (c + axis_at(columns, b->first + i), sums + i, 1, block->accumulate);
        b->first += count;
        b->width -= count;
    }
}

static void NAME(pack_row)(const PanelSource *from, void *panel)
{
    NAME(pack)(from, 1, panel);
}

static const GemmLoops NAME(loops) = {
    ROWS, COLUMNS, NAME(pack_a), NAME(pack_b), NAME(pack_row), NAME(multiply), NAME(multiply_row)};

#undef LANES
#undef COLUMNS
