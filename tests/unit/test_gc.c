// The collector: cycles go, what is reachable stays, finalizers and callbacks are called.
#include "tests/unit/unit.h"

#include "objects/call.h"
#include "objects/classes/method.h"
#include "objects/classes/weakref.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/memory/reference_audit.h"
#include "objects/upcalls.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define AUDITS (DEBUG_INVARIANTS && MEMORY_HEADERS && !MEMORY_SANITIZED)
#define TOO_LOW "a count includes every reference"
#define TOO_HIGH "an object with a count is referred to from somewhere"

typedef struct Pair {
    Object base;
    Value left, right, weakrefs;
} Pair;

static int released, finalized, called;
static Value saved;

static void pair_release(Object *self)
{
    released++;
    drop_slot(&((Pair *)self)->left);
    drop_slot(&((Pair *)self)->right);
}

static void pair_clear(Object *self)
{
    drop_slot(&((Pair *)self)->left);
    drop_slot(&((Pair *)self)->right);
}

static void pair_traverse(Object *self, VisitFn visit, void *arg)
{
    visit(((Pair *)self)->left, arg);
    visit(((Pair *)self)->right, arg);
}

static void count_finalize(Object *self)
{
    (void)self;
    finalized++;
}

static void save_self(Object *self)
{
    finalized++;
    if (!saved) saved = retain(ref_of(self));
}

static Type pair_type = {
    STATIC_TYPE("pair", sizeof(Pair)),
    .flags = TYPE_GC,
    .weakref_offset = offsetof(Pair, weakrefs),
    .release = pair_release,
    .clear = pair_clear,
    .traverse = pair_traverse,
};

static Pair *pair_new(void)
{
    Pair *pair = object_alloc(&pair_type, 0);
    ck_assert_ptr_nonnull(pair);
    return pair;
}

// Two objects that refer to each other: the reference to the first.
static Value ring(void)
{
    Pair *a = pair_new(), *b = pair_new();
    a->left = own(b);
    b->right = retain(ref_of(a));
    return own(a);
}

static void reset(void)
{
    released = finalized = called = 0;
    saved = VALUE_ERROR;
    pair_type.finalize = NULL;
    gc_collect(2);
}

START_TEST(ring_is_freed)
{
    drop(ring());
    ck_assert_int_eq(released, 0);
    ck_assert_int_eq(gc_collect(0), 2);
    ck_assert_int_eq(released, 2);
    ck_assert_int_eq(gc_collect(2), 0);
}
END_TEST

START_TEST(reachable_ring_stays)
{
    Value held = ring();
    for (int i = 0; i < 3; i++) ck_assert_int_eq(gc_collect(i), 0);
    Pair *pair = (Pair *)object_of(held);
    ck_assert_int_eq(object_of(held)->refcount, 2);
    ck_assert_ptr_nonnull(pair->left);
    drop(held);
    ck_assert_int_eq(gc_collect(0), 0); // it is in the oldest generation
    ck_assert_int_eq(gc_collect(2), 2);
}
END_TEST

// A long chain that hangs at one object outside, and ends in a ring.
START_TEST(reached_by_a_long_way)
{
    Value chain = ring();
    for (int i = 0; i < 1000; i++) {
        Pair *pair = pair_new();
        pair->right = chain;
        chain = own(pair);
    }
    ck_assert_int_eq(gc_collect(0), 0);
    drop(chain);
    ck_assert_int_eq(gc_collect(2), 2);
    ck_assert_int_eq(released, 1002);
}
END_TEST

START_TEST(list_in_itself)
{
    size_t blocks = memory_counts().blocks;
    Value list = list_new(0);
    ck_assert(list_append(list, list));
    drop(list);
    ck_assert_int_eq(gc_collect(2), 1);
    ck_assert_uint_eq(memory_counts().blocks, blocks);
}
END_TEST

START_TEST(finalizers_run_once)
{
    pair_type.finalize = count_finalize;
    drop(ring());
    ck_assert_int_eq(gc_collect(2), 2);
    ck_assert_int_eq(finalized, 2);
    ck_assert_int_eq(released, 2);
}
END_TEST

START_TEST(resurrected_ring_stays)
{
    pair_type.finalize = save_self;
    drop(ring());
    ck_assert_int_eq(gc_collect(2), 0);
    ck_assert_int_eq(finalized, 2);
    ck_assert_int_eq(released, 0);
    drop_slot(&saved);
    ck_assert_int_eq(gc_collect(2), 2);
    ck_assert_int_eq(finalized, 2);
    ck_assert_int_eq(released, 2);
}
END_TEST

static Value count_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)self, (void)kwnames;
    ck_assert_uint_eq(nargs, 1);
    ck_assert(!weakref_target(args[0]));
    called++;
    return NONE;
}

static const MethodDef callback_def = {"callback", count_call, ONE_ARG, NULL};

START_TEST(callbacks_of_survivors)
{
    Value callback = builtin_new(&callback_def, VALUE_ERROR, VALUE_ERROR);
    Value target = ring();
    Value outside = weakref_new(target, callback);
    Pair *pair = (Pair *)object_of(target);
    pair->right = weakref_new(target, callback); // garbage as well: never called
    drop(target);
    ck_assert_int_eq(gc_collect(2), 3);
    ck_assert_int_eq(called, 1);
    ck_assert(!weakref_target(outside));
    drop(outside);
    drop(callback);
}
END_TEST

START_TEST(tuples_are_untracked)
{
    Value numbers = tuple_pack(2, (ValueRef)from_small(1), (ValueRef)from_small(2));
    Value list = list_new(0);
    Value with_list = tuple_pack(1, (ValueRef)list);
    gc_collect(0);
    ck_assert(!gc_is_tracked(object_of(numbers)));
    ck_assert(gc_is_tracked(object_of(with_list)));
    drop(numbers);
    drop(with_list);
    drop(list);
}
END_TEST

START_TEST(polling)
{
    eval_breaker.gc = false;
    for (int i = 0; i < 3000; i++) {
        drop(ring());
        if (eval_breaker.gc) gc_poll();
    }
    ck_assert_int_gt(released, 4000);
    gc_enable(false);
    gc_poll();
    released = 0;
    for (int i = 0; i < 3000; i++) drop(ring());
    ck_assert(!eval_breaker.gc);
    gc_enable(true);
    gc_collect(2);
    ck_assert_int_ge(released, 6000);
}
END_TEST

static int64_t collections(void)
{
    return gc_generations[0].collections + gc_generations[1].collections;
}

// Makes objects that all live, collecting where the loop would; returns the number of collections.
static int64_t keep_pairs(ValueRef list, int count)
{
    int64_t before = collections();
    for (int i = 0; i < count; i++) {
        ck_assert(list_append_owned(list, own(pair_new())));
        if (eval_breaker.gc) gc_poll();
    }
    return collections() - before;
}

START_TEST(paced_by_what_is_found)
{
    Value list = list_new(0);
    gc_collect(2);
    int64_t fruitless = keep_pairs(list, 21000);
    ck_assert_int_le(fruitless, 3 + (21000 - 4900) / 5600); // at 700 more, 1400, 2800, 5600 ...
    drop(ring());
    for (int i = 0; i < 5700 && !released; i++) keep_pairs(list, 1);
    ck_assert_int_eq(released, 2);
    ck_assert_int_ge(keep_pairs(list, 710), 1); // what was found has put the pace back
    gc_set_threshold(0, 100);                   // a program's own thresholds are kept to
    ck_assert_int_ge(keep_pairs(list, 1010), 9);
    drop(list);
}
END_TEST

START_TEST(save_all)
{
    gc_save_all = true;
    drop(ring());
    ck_assert_int_eq(gc_collect(2), 2);
    ck_assert_int_eq(list_size(gc_garbage), 2);
    gc_save_all = false;
    drop_slot(&gc_garbage);
    ck_assert_int_eq(gc_collect(2), 2);
    ck_assert_int_eq(released, 2);
}
END_TEST

// ---- the audit of counts

// Does it end a process, with these words?
static bool says(bool (*audit)(void), const char *words)
{
    char text[1000] = "";
    int status;
    FILE *said = tmpfile();
    ck_assert_ptr_nonnull(said);
    pid_t child = fork();
    if (child == 0) {
        dup2(fileno(said), STDERR_FILENO);
        _exit(!audit());
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    rewind(said);
    text[fread(text, 1, sizeof text - 1, said)] = 0;
    fclose(said);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(text, words);
}

START_TEST(audit_of_a_count_too_low)
{
    Value list = list_new(0), pair = own(pair_new());
    ck_assert(list_append(list, pair) && list_append(list, pair));
    object_of(pair)->refcount = 2; // our own reference is on the stack
    ck_assert(!says(counts_are_sound, "") && !says(references_are_sound, ""));
    object_of(pair)->refcount = 1;
    ck_assert_int_eq(says(counts_are_sound, TOO_LOW), AUDITS);
    ck_assert_int_eq(says(references_are_sound, TOO_LOW), AUDITS);
    object_of(pair)->refcount = 3;
    drop(pair);
    drop(list);
}
END_TEST

#define LOST 8
static uintptr_t lost[LOST]; // as no scan sees them

static __attribute__((noinline)) void lose(void)
{
    for (int i = 0; i < LOST; i++) lost[i] = ~(uintptr_t)pair_new();
}

START_TEST(audit_of_a_count_too_high)
{
    lose();
    ck_assert_int_eq(says(counts_are_sound, TOO_HIGH), AUDITS);
    ck_assert_int_eq(says(references_are_sound, TOO_HIGH), AUDITS);
    for (int i = 0; i < LOST; i++) drop(own((Pair *)~lost[i]));
}
END_TEST

START_TEST(audit_of_garbage)
{
    drop(ring());
    for (int i = 0; i < LOST; i++) {
        Pair *pair = pair_new();
        pair->right = own(pair); // refers to itself alone
    }
    ck_assert(!says(counts_are_sound, ""));
    ck_assert_int_eq(gc_collect(2), LOST + 2);
}
END_TEST

Suite *gc_suite(void)
{
    Suite *suite = suite_create("gc");
    TCase *tests = live_case(suite, "gc");
    tcase_add_checked_fixture(tests, reset, NULL);
    tcase_add_test(tests, ring_is_freed);
    tcase_add_test(tests, reachable_ring_stays);
    tcase_add_test(tests, reached_by_a_long_way);
    tcase_add_test(tests, list_in_itself);
    tcase_add_test(tests, finalizers_run_once);
    tcase_add_test(tests, resurrected_ring_stays);
    tcase_add_test(tests, callbacks_of_survivors);
    tcase_add_test(tests, tuples_are_untracked);
    tcase_add_test(tests, polling);
    tcase_add_test(tests, paced_by_what_is_found);
    tcase_add_test(tests, save_all);
    tcase_add_test(tests, audit_of_a_count_too_low);
    tcase_add_test(tests, audit_of_a_count_too_high);
    tcase_add_test(tests, audit_of_garbage);
    return suite;
}
