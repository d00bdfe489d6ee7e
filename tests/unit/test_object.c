// Life and death of objects: counts, long chains, finalizers, weak references, hashes, depth.
#include "tests/unit/unit.h"

#include "objects/call.h"
#include "objects/classes/weakref.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/stack.h"
#include "objects/text/str.h"

// An object with one reference to another.
typedef struct Node {
    Object base;
    Value next, weakrefs;
} Node;

static int released, finalized;
static Value saved; // what a finalizer brings back to life

static void node_release(Object *self)
{
    released++;
    drop_slot(&((Node *)self)->next);
}

static void node_traverse(Object *self, VisitFn visit, void *arg)
{
    visit(((Node *)self)->next, arg);
}

static void count_finalize(Object *self)
{
    (void)self;
    finalized++;
}

static void resurrect(Object *self)
{
    finalized++;
    saved = retain(ref_of(self));
}

static Type node_type = {
    STATIC_TYPE("node", sizeof(Node)),
    .flags = TYPE_GC,
    .weakref_offset = offsetof(Node, weakrefs),
    .release = node_release,
    .traverse = node_traverse,
};

static Value node_new(Value next)
{
    Node *node = object_alloc(&node_type, 0);
    ck_assert_ptr_nonnull(node);
    node->next = next;
    return own(node);
}

static void reset(void)
{
    released = finalized = 0;
    saved = VALUE_ERROR;
    node_type.finalize = NULL;
}

START_TEST(counts)
{
    Value node = node_new(VALUE_ERROR);
    ck_assert_int_eq(object_of(node)->refcount, 1);
    Value again = retain(node);
    ck_assert_int_eq(object_of(node)->refcount, 2);
    drop(again);
    ck_assert_int_eq(released, 0);
    drop(node);
    ck_assert_int_eq(released, 1);
    drop(retain(NONE));
    drop(retain(from_small(5)));
}
END_TEST

START_TEST(long_chain)
{
    enum { LENGTH = 1000000 };
    size_t blocks = memory_counts().blocks;
    Value chain = VALUE_ERROR;
    for (int i = 0; i < LENGTH; i++) chain = node_new(chain);
    drop(chain);
    ck_assert_int_eq(released, LENGTH);
    ck_assert_uint_eq(memory_counts().blocks, blocks);
}
END_TEST

START_TEST(long_chain_with_finalizers)
{
    enum { LENGTH = 100000 };
    node_type.finalize = count_finalize;
    Value chain = VALUE_ERROR;
    for (int i = 0; i < LENGTH; i++) chain = node_new(chain);
    drop(chain);
    ck_assert_int_eq(finalized, LENGTH);
    ck_assert_int_eq(released, LENGTH);
}
END_TEST

START_TEST(resurrection)
{
    node_type.finalize = resurrect;
    drop(node_new(VALUE_ERROR));
    ck_assert_int_eq(finalized, 1);
    ck_assert_int_eq(released, 0);
    ck_assert_int_eq(object_of(saved)->refcount, 1);
    ck_assert(gc_is_tracked(object_of(saved)));
    drop(saved); // __del__ is called once in a life
    ck_assert_int_eq(finalized, 1);
    ck_assert_int_eq(released, 1);
}
END_TEST

START_TEST(weak_references)
{
    Value node = node_new(VALUE_ERROR);
    Value first = weakref_new(node, VALUE_ERROR), second = weakref_new(node, NONE);
    ck_assert(first == second);
    ck_assert(weakref_target(first) == node);
    ck_assert_int_eq(weakref_count(node), 1);
    drop(node);
    ck_assert(!weakref_target(first));
    drop(first);
    drop(second);
}
END_TEST

START_TEST(sip_hash)
{
    // python3.9 with PYTHONHASHSEED=0
    ck_assert_int_eq(hash_bytes("", 0), 0);
    ck_assert_int_eq(hash_bytes("a", 1), -7583489610679606711);
    ck_assert_int_eq(hash_bytes("abcdefgh", 8), -1847705707669741165);
    ck_assert_int_eq(hash_bytes("hello, world", 12), -2028368409209781828);
}
END_TEST

START_TEST(depth)
{
    static const char where[] = " in a test";
    ck_assert(stack_set_limit(100));
    int entered = 0;
    while (stack_enter(where)) entered++;
    ck_assert_int_eq(entered, 100);
    ck_assert(error_is(RecursionError));
    error_clear();
    ck_assert(!stack_enter(where)); // handlers have no more room
    error_clear();
    for (; entered > 0; entered--) stack_leave();
    while (stack_enter(where)) entered++;
    ck_assert_int_eq(entered, 100);
    error_clear();
    for (; entered > 0; entered--) stack_leave();
    ck_assert(!stack_set_limit(0));
    ck_assert(error_is(ValueError));
    error_clear();
}
END_TEST

static int deepest;

static void go_down(int level)
{
    deepest = level;
    if (!stack_enter("")) return;
    go_down(level + 1);
    stack_leave();
}

START_TEST(c_stack_is_measured)
{
    ck_assert(stack_set_limit(2000000000));
    go_down(0);
    ck_assert_int_gt(deepest, 1000);
    ck_assert(error_is(RecursionError));
    error_clear();
}
END_TEST

START_TEST(out_of_memory)
{
    memory_fail_at(1, true);
    ck_assert_ptr_null(object_alloc(&node_type, 0));
    memory_fail_at(0, false);
    ck_assert(error_is(MemoryError));
    error_clear();
    ck_assert_ptr_null(object_alloc_bytes(&node_type, SIZE_MAX / 2));
    node_type.item_size = 8;
    ck_assert_ptr_null(object_alloc(&node_type, SIZE_MAX / 4));
    node_type.item_size = 0;
    error_clear();
}
END_TEST

static void assert_text(Value text, const char *expected)
{
    ck_assert_ptr_nonnull(text);
    ck_assert_str_eq(str_utf8(text, NULL), expected);
    drop(text);
}

START_TEST(texts)
{
    Value word = str_new("w\xc3\xb6rd");
    assert_text(format_text("%d %5d %05d %x %%", -3, 42, -42, 255u), "-3    42 -0042 ff %");
    assert_text(format_text("%s %.3s %c", "one", "twooo", 0xe9), "one two \xc3\xa9");
    assert_text(format_text("%S %R %A %.2S", word, word, word, word),
                "w\xc3\xb6rd 'w\xc3\xb6rd' 'w\\xf6rd' w\xc3\xb6");
    assert_text(format_text("%T %N %zd", word, &str_type, (ssize_t)-7), "str str -7");
    assert_text(format_text("%s", "bad \xff byte"), "bad \xef\xbf\xbd byte");
    drop(word);
}
END_TEST

static bool failed_as_used(bool answered)
{
    bool failed = !answered && error_is(SystemError);
    error_clear();
    return failed;
}

START_TEST(absent_is_no_value)
{
    int64_t hash;
    bool truth;
    if (DEBUG_INVARIANTS) return; // the first use ends the process
    ck_assert(failed_as_used(object_repr(ABSENT)));
    ck_assert(failed_as_used(object_str(ABSENT)));
    ck_assert(failed_as_used(object_hash(ABSENT, &hash)));
    ck_assert(failed_as_used(object_truth(ABSENT, &truth)));
    ck_assert(failed_as_used(object_iter(ABSENT)));
    ck_assert(failed_as_used(object_call(ABSENT, NULL, 0, 0)));
    ck_assert(failed_as_used(object_get(ABSENT, NAME(__class__))));
    ck_assert(failed_as_used(object_set(ABSENT, NAME(__class__), NONE)));
    ck_assert(failed_as_used(object_compare(ABSENT, NONE, COMPARE_EQ)));
}
END_TEST

Suite *object_suite(void)
{
    Suite *suite = suite_create("object");
    TCase *tests = live_case(suite, "object");
    tcase_add_checked_fixture(tests, reset, NULL);
    tcase_add_test(tests, counts);
    tcase_add_test(tests, long_chain);
    tcase_add_test(tests, long_chain_with_finalizers);
    tcase_add_test(tests, resurrection);
    tcase_add_test(tests, weak_references);
    tcase_add_test(tests, sip_hash);
    tcase_add_test(tests, depth);
    tcase_add_test(tests, c_stack_is_measured);
    tcase_add_test(tests, out_of_memory);
    tcase_add_test(tests, texts);
    tcase_add_test(tests, absent_is_no_value);
    return suite;
}
