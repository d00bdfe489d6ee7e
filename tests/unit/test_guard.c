// Native guards from C: reading localsplus, the order of the walk, what holds, the texts; and
// looking at values without running script code.
#include "tests/unit/machine_unit.h"

#include "compiler/opcode.h"
#include "frames/guards/guard_tree.h"
#include "vm/quicken.h"

#include "objects/call.h"
#include "objects/cell.h"
#include "objects/code.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/looking/peek.h"
#include "objects/memory.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/tensor/tensor.h"
#include "objects/type.h"

static Value globals, code, root;
static Frame *frame; // variables x y z

static Frame *push(ValueRef of)
{
    QuickCode *quick = quicken(as_code(of));
    ck_assert_ptr_nonnull(quick);
    Frame *made = frame_push(quick);
    ck_assert_ptr_nonnull(made);
    frame_init(made, quick, retain(globals), globals);
    return made;
}

static void start(void)
{
    machine_start();
    ck_assert(type_ready(&guard_manager_type) && type_ready(&root_guard_manager_type) &&
              type_ready(&guard_debug_info_type));
    globals = dict_new();
    code = test_code(&(TestCode){BYTES((char)LOAD_FAST, 0, (char)RETURN_VALUE, 0)});
    root = object_call_none(ref_of(&root_guard_manager_type));
    frame = push(code);
}

static void stop(void)
{
    frame_pop(frame);
    drop_slot(&root);
    drop_slot(&code);
    drop_slot(&globals);
    machine_stop();
}

// ---- building by the C functions that the methods call

static GuardNode *child(GuardNode *parent, AccessorKind kind, ValueRef key)
{
    GuardNode *node = guard_node_child(as_root(root), parent, kind, key, VALUE_ERROR);
    assert_no_error();
    return node;
}

static GuardNode *named(GuardNode *parent, AccessorKind kind, const char *name)
{
    Value key = str_new(name);
    GuardNode *node = child(parent, kind, key);
    drop(key);
    return node;
}

static GuardNode *variable(const char *name)
{
    return named(&as_root(root)->top, ACCESS_LOCAL, name);
}

static void add(GuardNode *node, GuardKind kind, ValueRef argument)
{
    Guard guard;
    ck_assert(guard_make(&guard, kind, &argument));
    ck_assert(guard_node_add(as_root(root), node, &guard));
}

static void assert_failure(const char *text)
{
    ck_assert_int_eq(guard_manager_holds(root, frame), 0);
    Value failure = guard_manager_failure(root, frame);
    assert_no_error();
    ck_assert_str_eq(str_utf8(failure, NULL), text);
    drop(failure);
}

// ---- the tests

START_TEST(reads_localsplus)
{
    start();
    add(variable("y"), TYPE_MATCH, ref_of(&int_type));
    assert_failure("L['y']: found no such variable"); // unbound
    frame->localsplus[1] = from_small(5);
    ck_assert_int_eq(guard_manager_holds(root, frame), 1);
    ck_assert(!(frame->flags & (FRAME_LOCALS | FRAME_OBJECT))); // f_locals was not read
    replace_slot(&frame->localsplus[1], from_double(0.5));
    assert_failure("L['y'] is an int: found a float");
    add(variable("q"), NOT_NONE, NONE);
    frame->localsplus[1] = from_small(5);
    assert_failure("L['q']: found no such variable"); // of no slot
    stop();
}
END_TEST

// The slots of one code say nothing about another.
START_TEST(slots_of_each_code)
{
    start();
    add(variable("x"), EQUALS_MATCH, from_small(1));
    frame->localsplus[0] = from_small(1);
    ck_assert_int_eq(guard_manager_holds(root, frame), 1);
    Value other = test_code(&(TestCode){BYTES((char)LOAD_FAST, 0, (char)RETURN_VALUE, 0)});
    Frame *second = push(other);
    ck_assert_int_eq(guard_manager_holds(root, second), 0);
    second->localsplus[0] = from_small(1);
    ck_assert_int_eq(guard_manager_holds(root, second), 1);
    ck_assert_int_eq(guard_manager_holds(root, frame), 1);
    frame_pop(second);
    ck_assert_int_eq(object_of(other)->refcount, 1); // the tree does not keep it
    drop(other);
    ck_assert_int_eq(guard_manager_holds(root, frame), 1);
    stop();
}
END_TEST

START_TEST(reads_globals_of_the_frame)
{
    start();
    GuardNode *all = child(&as_root(root)->top, ACCESS_GLOBALS, globals);
    add(named(all, ACCESS_DICT_GETITEM, "scale"), EQUALS_MATCH, from_small(2));
    assert_failure("KeyError on G['scale']: found no such key");
    ck_assert(dict_set_ascii(globals, "scale", from_small(2)));
    ck_assert_int_eq(guard_manager_holds(root, frame), 1);
    ck_assert(dict_set_ascii(globals, "scale", from_small(3)));
    assert_failure("G['scale'] == 2: found 3");
    ck_assert(dict_set_ascii(globals, "scale", from_small(2)));
    Value others = dict_copy(globals);
    frame->globals = others;
    assert_failure("G: found a frame with other globals");
    frame->globals = globals;
    drop(others);
    stop();
}
END_TEST

START_TEST(cheap_guards_first)
{
    start();
    GuardNode *x = variable("x");
    add(x, EQUALS_MATCH, from_small(1));
    add(x, NOT_NONE, NONE);
    add(x, TYPE_MATCH, ref_of(&int_type));
    add(x, EQUALS_MATCH, from_small(2));
    ck_assert_int_eq(x->end - x->guards, 4);
    const GuardKind order[] = {TYPE_MATCH, NOT_NONE, EQUALS_MATCH, EQUALS_MATCH};
    for (int i = 0; i < 4; i++) ck_assert_int_eq(x->guards[i].kind, order[i]);
    ck_assert(x->guards[2].expected == from_small(1)); // of a kind, in the order they came
    stop();
}
END_TEST

START_TEST(failing_nodes_first)
{
    start();
    GuardNode *x = variable("x"), *y = variable("y"), *z = variable("z");
    GuardNode *const all[] = {x, y, z};
    for (int i = 0; i < 3; i++) {
        add(all[i], TYPE_MATCH, ref_of(&int_type));
        frame->localsplus[i] = from_small(i);
    }
    frame->localsplus[2] = NONE;
    ck_assert_int_eq(guard_manager_holds(root, frame), 0);
    const RootGuardManager *tree = as_root(root);
    ck_assert(tree->top.child == z && z->sibling == x && x->sibling == y && !y->sibling);
    frame->localsplus[2] = from_small(2);
    frame->localsplus[1] = NONE;
    ck_assert_int_eq(guard_manager_holds(root, frame), 0); // y as often as z: after it
    ck_assert(tree->top.child == z && z->sibling == y && y->sibling == x && !x->sibling);
    ck_assert_int_eq(guard_manager_holds(root, frame), 0);
    ck_assert(tree->top.child == y && y->sibling == z && z->sibling == x && !x->sibling);
    ck_assert_int_eq(tree->top.fail_count, 3);
    frame->localsplus[1] = from_small(1);
    ck_assert_int_eq(guard_manager_holds(root, frame), 1);
    stop();
}
END_TEST

// An object that has died is not mistaken for the next one at its address.
START_TEST(identity_outlives_nobody)
{
    start();
    Value function =
        test_function(&(TestCode){BYTES((char)LOAD_FAST, 0, (char)RETURN_VALUE, 0)}, globals);
    add(variable("x"), ID_MATCH, function);
    ck_assert_int_eq(object_of(function)->refcount, 1);
    frame->localsplus[0] = retain(function);
    ck_assert_int_eq(guard_manager_holds(root, frame), 1);
    drop_slot(&frame->localsplus[0]);
    drop(function);
    frame->localsplus[0] =
        test_function(&(TestCode){BYTES((char)LOAD_FAST, 0, (char)RETURN_VALUE, 0)}, globals);
    assert_failure("L['x'] is <function f>: found that it is no more");
    stop();
}
END_TEST

START_TEST(failing_allocations)
{
    start();
    add(variable("x"), TYPE_MATCH, ref_of(&int_type));
    frame->localsplus[0] = from_small(1);
    memory_fail_at(1, false);
    ck_assert_int_eq(guard_manager_holds(root, frame), -1); // no weak reference to the code
    ck_assert(error_is(MemoryError));
    error_clear();
    ck_assert_int_eq(guard_manager_holds(root, frame), 1);
    replace_slot(&frame->localsplus[0], NONE);
    for (size_t n = 1; n < 40; n++) {
        memory_fail_at(n, false);
        Value failure = guard_manager_failure(root, frame);
        memory_fail_at(0, false);
        if (!failure) ck_assert(error_is(MemoryError));
        error_clear();
        drop(failure);
    }
    stop();
}
END_TEST

static Value tensor_2_by(int64_t columns)
{
    const Dim sizes[] = {dim_of(2), dim_of(columns)};
    Value tensor = tensor_new(DTYPE_float32, 2, sizes);
    ck_assert(tensor);
    return tensor;
}

static Value list_of_two(int64_t first, int64_t second)
{
    return list_from_array((const ValueRef[]){from_small(first), from_small(second)}, 2);
}

static GuardNode *add_tensor_match(const char *name, ValueRef tensor, int64_t columns)
{
    Guard guard;
    GuardNode *node = variable(name);
    Value size = list_of_two(2, columns), stride = list_of_two(columns, 1), text = str_new(name);
    const ValueRef args[] = {tensor, size, stride, text};
    ck_assert(guard_make(&guard, TENSOR_MATCH, args));
    ck_assert(guard_node_add(as_root(root), node, &guard));
    drop(size);
    drop(stride);
    drop(text);
    return node;
}

static Value pair_of_strs(const char *first, const char *second)
{
    Value a = str_new(first), b = str_new(second), pair = tuple_pack(2, (ValueRef)a, (ValueRef)b);
    drop(a);
    drop(b);
    return pair;
}

// x and y are 2 by 3, and they are two.
static void guard_two_tensors(ValueRef x, ValueRef y)
{
    GuardNode *nodes[] = {add_tensor_match("x", x, 3), add_tensor_match("y", y, 3)};
    Value names = pair_of_strs("x", "y"), parts = pair_of_strs("first", "second");
    ck_assert(guard_root_forbid_aliasing(as_root(root), nodes, names, retain(parts)));
    Value program = list_from_array((const ValueRef[]){from_small(1)}, 1);
    ck_assert(guard_root_add_shape(as_root(root), program, parts));
    drop(program);
}

// What holds is decided without an allocation; what fails is explained, or ends in MemoryError.
START_TEST(tensors)
{
    start();
    ck_assert(type_ready(&storage_type) && type_ready(&tensor_base_type));
    Value x = tensor_2_by(3), y = tensor_2_by(3), wide = tensor_2_by(4);
    guard_two_tensors(x, y);
    frame->localsplus[0] = retain(x);
    frame->localsplus[1] = retain(y);
    ck_assert_int_eq(guard_manager_holds(root, frame), 1);
    memory_fail_at(1, false);
    ck_assert_int_eq(guard_manager_holds(root, frame), 1);
    memory_fail_at(0, false);
    const ValueRef others[] = {x, wide};
    for (size_t i = 0; i < 2; i++) {
        replace_slot(&frame->localsplus[1], retain(others[i]));
        ck_assert_int_eq(guard_manager_holds(root, frame), 0);
        for (size_t n = 1; n < 40; n++) {
            memory_fail_at(n, false);
            Value failure = guard_manager_failure(root, frame);
            memory_fail_at(0, false);
            if (!failure) ck_assert(error_is(MemoryError));
            error_clear();
            drop(failure);
        }
    }
    assert_failure("tensor 'y' size mismatch at index 1. expected 3, actual 4");
    drop(x);
    drop(y);
    drop(wide);
    stop();
}
END_TEST

START_TEST(trees_of_any_depth)
{
    enum { DEPTH = 50000 };
    start();
    GuardNode *node = variable("x");
    Value nested = from_small(7);
    for (int i = 0; i < DEPTH; i++) {
        node = child(node, ACCESS_TUPLE_GETITEM, from_small(0));
        Value outer = tuple_from_owned(&nested, 1);
        nested = outer;
    }
    add(node, EQUALS_MATCH, from_small(7));
    frame->localsplus[0] = nested;
    ck_assert_int_eq(guard_manager_holds(root, frame), 1);
    Value source = guard_source(node);
    ck_assert_int_eq(str_length(source), 6 + 3 * DEPTH);
    drop(source);
    stop();
}
END_TEST

// ---- peek.h

START_TEST(constants)
{
    Value big = str_new("text"), list = list_new(0), nan = float_new_nan(0.0 / 0.0);
    Value other_nan = float_new_nan(0.0 / 0.0);
    Value pair = tuple_pack(2, from_small(1), (ValueRef)big);
    Value same = tuple_pack(2, from_small(1), (ValueRef)big);
    Value truths = tuple_pack(2, TRUE, (ValueRef)big), mixed = tuple_pack(1, (ValueRef)list);
    ck_assert(constant_check(NONE) && constant_check(ELLIPSIS) && constant_check(pair));
    ck_assert(!constant_check(list) && !constant_check(mixed));
    ck_assert(constant_equal(pair, same) && !constant_equal(pair, truths));
    ck_assert(!constant_equal(from_small(1), TRUE) && !constant_equal(TRUE, from_small(1)));
    ck_assert(!constant_equal(from_small(1), from_double(1)));
    ck_assert(constant_equal(nan, other_nan) && !constant_equal(nan, from_double(1)));
    ck_assert(constant_equal(from_double(0.0), from_double(-0.0)));
    const Value made[] = {big, list, nan, other_nan, pair, same, truths, mixed};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) drop(made[i]);
}
END_TEST

START_TEST(keys_and_items)
{
    Value dict = dict_new(), list = list_new(0), tuple = tuple_pack(1, from_small(5));
    ck_assert(dict_set(dict, TRUE, from_small(1)) && dict_set(dict, from_double(2), NONE));
    ck_assert(peek_key(dict, from_small(1)) == from_small(1)); // True and 1 are one key
    ck_assert(peek_key(dict, from_small(2)) == NONE);
    ck_assert(peek_key(dict, from_small(3)) == ABSENT);
    ck_assert(peek_item(tuple, 0) == from_small(5) && peek_item(tuple, -1) == from_small(5));
    ck_assert(peek_item(tuple, 1) == ABSENT && peek_item(list, -1) == ABSENT);
    ck_assert_int_eq(peek_length(tuple), 1);
    ck_assert_int_eq(peek_length(dict), 2);
    ck_assert_int_eq(peek_length(NONE), -1);
    drop(dict);
    drop(list);
    drop(tuple);
}
END_TEST

Suite *guard_suite(void)
{
    Suite *suite = suite_create("guard");
    TCase *tests = live_case(suite, "guard");
    tcase_add_test(tests, reads_localsplus);
    tcase_add_test(tests, slots_of_each_code);
    tcase_add_test(tests, reads_globals_of_the_frame);
    tcase_add_test(tests, cheap_guards_first);
    tcase_add_test(tests, failing_nodes_first);
    tcase_add_test(tests, identity_outlives_nobody);
    tcase_add_test(tests, failing_allocations);
    tcase_add_test(tests, tensors);
    tcase_add_test(tests, trees_of_any_depth);
    tcase_add_test(tests, constants);
    tcase_add_test(tests, keys_and_items);
    return suite;
}
