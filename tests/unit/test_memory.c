// The allocator: what it hands out is aligned, apart and its own; it counts, fails on demand, and
// gives the same requests the same addresses.
#include "tests/unit/unit.h"

#include "objects/memory.h"
#include "objects/memory/system_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void start(void)
{
    ck_assert(memory_init());
}

static void stop(void)
{
    memory_finish();
}

// Are these bytes all the same?
static bool all_are(const void *block, size_t size, int byte)
{
    const unsigned char *at = block;
    for (size_t i = 0; i < size; i++)
        if (at[i] != (unsigned char)byte) return false;
    return true;
}

// byte i is (i * 7)
static bool is_pattern(const unsigned char *block, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (block[i] != (unsigned char)(i * 7)) return false;
    return true;
}

START_TEST(blocks_are_aligned_and_apart)
{
    enum { COUNT = 2000 };
    static char *blocks[COUNT];
    for (int i = 0; i < COUNT; i++) {
        size_t size = (size_t)(i % 700) + 1;
        blocks[i] = memory_alloc(size);
        ck_assert_ptr_nonnull(blocks[i]);
        ck_assert_uint_eq((uintptr_t)blocks[i] % 16, 0);
        memset(blocks[i], i & 0xff, size);
    }
    for (int i = 0; i < COUNT; i++) {
        size_t size = (size_t)(i % 700) + 1;
        ck_assert(all_are(blocks[i], size, i));
        memory_free(blocks[i]);
    }
    ck_assert_uint_eq(memory_counts().blocks, 0);
}
END_TEST

START_TEST(zeroed_memory_is_zero)
{
    for (size_t size = 1; size < 5000000; size *= 3) {
        char *dirty = memory_alloc(size);
        memset(dirty, 0xAA, size);
        memory_free(dirty);
        char *block = memory_alloc_zeroed(size);
        ck_assert(all_are(block, size, 0));
        memory_free(block);
    }
}
END_TEST

START_TEST(resize_keeps_contents)
{
    size_t size = 1;
    unsigned char *block = memory_alloc(size);
    block[0] = 0;
    while (size < 3000000) {
        size_t larger = size + size / 8 + 1;
        block = memory_resize(block, larger);
        ck_assert_ptr_nonnull(block);
        for (size_t i = size; i < larger; i++) block[i] = (unsigned char)(i * 7);
        size = larger;
    }
    ck_assert(is_pattern(block, size));
    block = memory_resize(block, 100);
    ck_assert(is_pattern(block, 100));
    memory_free(block);
    ck_assert_uint_eq(memory_counts().blocks, 0);
}
END_TEST

// A long random life, every block filled with its own number.
START_TEST(random_requests)
{
    enum { COUNT = 500, STEPS = 60000 };
    static struct {
        unsigned char *block;
        size_t size;
    } held[COUNT];
    unsigned state = 12345;
    for (int step = 0; step < STEPS; step++) {
        state = state * 1103515245 + 12345;
        unsigned i = (state >> 16) % COUNT;
        size_t size = (state >> 8) % 100 ? (state >> 4) % 600 : (state >> 4) % 200000;
        if (!all_are(held[i].block, held[i].size, (int)i)) ck_abort_msg("block %u changed", i);
        if (state & 0x1000) {
            held[i].block = memory_resize(held[i].block, size + 1);
        } else {
            memory_free(held[i].block);
            held[i].block = memory_alloc(size + 1);
        }
        if (!held[i].block) ck_abort_msg("no memory");
        held[i].size = size + 1;
        memset(held[i].block, (int)(i & 0xff), size + 1);
    }
    for (int i = 0; i < COUNT; i++) memory_free(held[i].block);
    ck_assert_uint_eq(memory_counts().blocks, 0);
    ck_assert_uint_eq(memory_counts().bytes, 0);
}
END_TEST

#define NOWHERE (SIZE_MAX / 64 * 63) // bytes: of 32 bits' addresses, too, some are taken already

START_TEST(set_aside)
{
    size_t allocations = memory_counts().allocations, size = 3000000;
    char *block = memory_set_aside(size);
    ck_assert_ptr_nonnull(block);
    ck_assert(block[0] == 0 && memcmp(block, block + 1, size - 1) == 0);
    memset(block, 1, size);
    ck_assert_uint_eq(memory_counts().allocations, allocations);
    ck_assert_ptr_null(memory_set_aside(NOWHERE));
}
END_TEST

START_TEST(counts)
{
    size_t allocations = memory_counts().allocations;
    void *small = memory_alloc(100), *large = memory_alloc(100000);
    MemoryCounts now = memory_counts();
    ck_assert_uint_eq(now.blocks, 2);
    ck_assert_uint_ge(now.bytes, 100100);
    ck_assert_uint_ge(now.peak_bytes, now.bytes);
    ck_assert_uint_ge(now.touched_bytes, now.bytes);
    ck_assert_uint_eq(now.allocations, allocations + 2);
    memory_free(small);
    memory_free(large);
    ck_assert_uint_eq(memory_counts().blocks, 0);
    ck_assert_uint_ge(memory_counts().peak_bytes, 100100);
    if (!MEMORY_HEADERS) // the region has kept the pages
        ck_assert_uint_eq(memory_counts().touched_bytes, now.touched_bytes);
}
END_TEST

START_TEST(fails_on_demand)
{
    void *first = memory_alloc(32);
    memory_fail_at(2, false);
    void *second = memory_alloc(32);
    ck_assert_ptr_nonnull(second);
    ck_assert_ptr_null(memory_alloc_object(32));
    void *third = memory_alloc(32);
    ck_assert_ptr_nonnull(third);
    memory_fail_at(1, true);
    for (int i = 0; i < 5; i++) ck_assert_ptr_null(memory_alloc(32));
    ck_assert_ptr_null(memory_resize(first, 10000));
    memory_fail_at(0, false);
    memory_free(first);
    memory_free(second);
    memory_free(third);
}
END_TEST

static int refusals;

static void count_refusal(void)
{
    refusals++;
}

START_TEST(respects_a_limit)
{
    memory_set_limit(1000000, count_refusal);
    ck_assert_ptr_null(memory_alloc(2000000));
    ck_assert_int_eq(refusals, 1);
    void *block = memory_alloc(500000);
    ck_assert_ptr_nonnull(block);
    ck_assert_ptr_null(memory_resize(block, 1500000));
    ck_assert_ptr_null(memory_alloc(600000));
    ck_assert_int_ge(refusals, 3);
    memory_set_limit(0, NULL);
    block = memory_resize(block, 1500000);
    ck_assert_ptr_nonnull(block);
    memory_free(block);
}
END_TEST

START_TEST(refuses_what_cannot_be)
{
    ck_assert_ptr_null(memory_alloc(SIZE_MAX / 2));
    ck_assert_ptr_null(memory_alloc_zeroed(SIZE_MAX / 3));
    void *empty = memory_alloc(0);
    ck_assert_ptr_nonnull(empty);
    memory_free(empty);
    memory_free(NULL);
}
END_TEST

// What no machine has is refused at once, and not when it is used.
START_TEST(more_than_there_is)
{
    size_t bytes = SIZE_MAX == UINT32_MAX ? NOWHERE : (size_t)(UINT64_C(1) << 45);
    char *start = system_reserve(bytes);
    if (!start) return; // nor are there the addresses
    ck_assert(!system_commit(start, bytes));
    ck_assert(system_commit(start, 1 << 20));
    start[(1 << 20) - 1] = 1;
    system_release(start, bytes);
}
END_TEST

Suite *memory_suite(void)
{
    Suite *suite = suite_create("memory");
    TCase *tests = bare_case(suite, "memory");
    tcase_add_checked_fixture(tests, start, stop);
    tcase_add_test(tests, blocks_are_aligned_and_apart);
    tcase_add_test(tests, zeroed_memory_is_zero);
    tcase_add_test(tests, resize_keeps_contents);
    tcase_add_test(tests, random_requests);
    tcase_add_test(tests, set_aside);
    tcase_add_test(tests, counts);
    tcase_add_test(tests, fails_on_demand);
    tcase_add_test(tests, respects_a_limit);
    tcase_add_test(tests, refuses_what_cannot_be);
    tcase_add_test(tests, more_than_there_is);
    return suite;
}
