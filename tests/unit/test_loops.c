// Loops of pointwise rows for vectors of 512 bits against those for any processor: the same bits,
// for every row that has them, whatever is left over after whole vectors. Longer ones are made of
// blocks, of which some are computed twice (kernels/scalar_quick.h).
#include "tests/unit/unit.h"

#include "vm/modules/torch/kernels/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
extern const KernelTables kernel_tables_plain;
extern const Loop wide_loops_v4[OP_COUNT];

#define MOST 61 // elements: three whole vectors and 13 more
#define GUARD 12345.0f
#define LONG 2100 // elements: four blocks and a part, which ends in no whole vector

static float any_float(void)
{
    static const float edges[] = {0,  -0.0f, 1,       -1,      0.5f,  -0.5f, INFINITY, -INFINITY,
                                  2,  3,     NAN,     1e-40f,  1e38f, 88.7f, -103.9f,  0x1p31f,
                                  22, -22,   -1e-45f, -1e-40f, 0.85f, 0.9f,  0.6f,     0.41421357f};
    uint32_t bits = (uint32_t)rand() << 16 ^ (uint32_t)rand();
    float number;
    memcpy(&number, &bits, sizeof number);
    switch (rand() % 4) {
    case 0: return edges[(size_t)rand() % (sizeof edges / sizeof *edges)];
    case 1: return number;
    default: return (float)(rand() % 20001 - 10000) / (rand() % 2 ? 1000 : 10007);
    }
}

// A NaN may have any bits: which of two comes through is the processor's choice.
static bool same(float a, float b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void compare(OpIndex op, int64_t n)
{
    float elements[5][MOST + 1], scalars[3] = {any_float(), any_float(), any_float()};
    char *wide[4], *plain[4];
    for (int i = 0; i < 5; i++)
        for (int k = 0; k <= MOST; k++) elements[i][k] = i < 2 ? GUARD : any_float();
    for (int i = 0; i < 4; i++) wide[i] = plain[i] = (char *)elements[i + 1];
    plain[0] = (char *)elements[0];
    wide_loops_v4[op](n, wide, scalars);
    kernel_tables_plain.loops[op][COMPUTED_float32](n, plain, scalars);
    for (int64_t k = 0; k <= MOST; k++) {
        float found = elements[1][k], wanted = elements[0][k];
        ck_assert_msg(same(found, wanted), "row %d, element %d of %d: %a, not %a (of %a, %a)",
                      (int)op, (int)k, (int)n, (double)found, (double)wanted,
                      (double)elements[2][k], (double)elements[3][k]);
    }
}

// Elements of a long row: a part of them is any float, so that a block in doubt follows others that
// are not; the others are in the middle of what the functions know.
static float long_row_element(int k, int rough)
{
    if (k / 300 == rough) return any_float();
    return (float)(rand() % 20001 - 10000) / (k % 2 ? 10007 : 2003);
}

// The first input is the output as well if `in_place`.
static void compare_long(OpIndex op, int64_t n, bool in_place, int rough)
{
    static float elements[5][LONG + 1];
    float scalars[3] = {1, 20, 1};
    char *wide[4], *plain[4];
    for (int i = 0; i < 5; i++)
        for (int k = 0; k <= LONG; k++) elements[i][k] = i < 2 ? GUARD : long_row_element(k, rough);
    for (int i = 0; i < 4; i++) wide[i] = plain[i] = (char *)elements[i + 1];
    plain[0] = (char *)elements[0];
    kernel_tables_plain.loops[op][COMPUTED_float32](n, plain, scalars);
    if (in_place) wide[0] = wide[1];
    wide_loops_v4[op](n, wide, scalars);
    for (int64_t k = 0; k < n; k++) {
        float found = ((float *)(void *)wide[0])[k], wanted = elements[0][k];
        ck_assert_msg(same(found, wanted), "row %d, element %d of %d: %a, not %a", (int)op, (int)k,
                      (int)n, (double)found, (double)wanted);
    }
    ck_assert(in_place || elements[1][n] == GUARD);
}

START_TEST(wide_loops_give_the_same_bits)
{
    int rows = 0;
    if (!__builtin_cpu_supports("avx512dq")) return;
    for (int op = 0; op < OP_COUNT; op++) {
        if (!wide_loops_v4[op]) continue;
        rows++;
        for (int64_t n = 0; n <= MOST; n++) compare((OpIndex)op, n);
        for (int i = 0; i < 100; i++) compare((OpIndex)op, MOST);
        for (int i = 1; i < 4; i++) compare_long((OpIndex)op, LONG - i, i % 2, 2 * i);
    }
    ck_assert_int_gt(rows, 50);
}
END_TEST
#endif

Suite *loops_suite(void)
{
    Suite *suite = suite_create("loops");
    TCase *tests = live_case(suite, "loops");
#if defined(__x86_64__)
    tcase_add_test(tests, wide_loops_give_the_same_bits);
#else
    (void)tests;
#endif
    return suite;
}
