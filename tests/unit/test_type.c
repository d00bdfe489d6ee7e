// Types: static ones made ready, classes made by type(), the MRO, slots that follow the dict,
// versions and caches, instances and their attributes.
#include "tests/unit/unit.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/method.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/instance.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"

#include <stdio.h>

// type(name, bases, namespace); the bases and the namespace are dropped, 0 = empty.
static Value class_new(const char *name, Value bases, Value namespace)
{
    Value text = str_new(name);
    if (!bases) bases = tuple_new(0);
    if (!namespace) namespace = dict_new();
    ValueRef args[] = {text, bases, namespace};
    Value made = object_call(ref_of(&type_type), args, 3, VALUE_ERROR);
    drop(text);
    drop(bases);
    drop(namespace);
    return made;
}

static Value namespace_with(const char *name, Value value)
{
    Value namespace = dict_new();
    ck_assert(dict_set_ascii(namespace, name, value));
    drop(value);
    return namespace;
}

static Value names(const char *first, const char *second)
{
    Value list = list_new(2);
    ck_assert(list_append_owned(list, str_new(first)));
    if (second) ck_assert(list_append_owned(list, str_new(second)));
    return list;
}

static void set(ValueRef object, const char *name, Value value)
{
    Value text = str_intern(name);
    ck_assert(value ? object_set(object, text, value) : object_delete(object, text));
    drop(text);
    drop(value);
}

// The attribute, which must be an int.
static int64_t get(ValueRef object, const char *name)
{
    Value text = str_intern(name);
    Value value = object_get(object, text);
    drop(text);
    assert_no_error();
    ck_assert(is_small(value));
    return small_value(value);
}

static bool has(ValueRef object, const char *name)
{
    Value text = str_intern(name);
    Value value = object_get_optional(object, text);
    drop(text);
    drop(value);
    return value != ABSENT;
}

static void assert_raised(Type *type, const char *message)
{
    ck_assert(error_is(type));
    Value exception = error_take();
    Value text = object_str(exception);
    ck_assert_str_eq(str_utf8(text, NULL), message);
    drop(text);
    drop(exception);
}

static void assert_repr(ValueRef value, const char *expected)
{
    Value text = object_repr(value);
    assert_no_error();
    ck_assert_str_eq(str_utf8(text, NULL), expected);
    drop(text);
}

// A class dies by the collector only.
static void forget(Value class)
{
    drop(class);
    gc_collect(GC_GENERATIONS - 1);
}

// ---- static types

START_TEST(static_types_are_ready)
{
    ck_assert(type_is_subtype(&bool_type, &int_type));
    ck_assert(type_is_subtype(&int_type, &object_type));
    ck_assert(!type_is_subtype(&int_type, &bool_type));
    ck_assert_ptr_eq(bool_type.add, int_type.add);
    ck_assert(list_type.hash == object_hash_unhashable);
    assert_repr(list_type.mro, "(<class 'list'>, <class 'object'>)");
    ck_assert(dict_peek_ascii(list_type.dict, "__hash__") == NONE);
}
END_TEST

START_TEST(order_of_dict)
{
    static const char *const expected[] = {"__repr__",         "__hash__",    "__str__",
                                           "__getattribute__", "__setattr__", "__delattr__"};
    ssize_t position = 0;
    ValueRef key, value;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        ck_assert(dict_next(object_type.dict, &position, &key, &value));
        ck_assert_str_eq(str_utf8(key, NULL), expected[i]);
        ck_assert(is_exactly(value, &wrapper_descriptor_type));
    }
}
END_TEST

START_TEST(static_types_cannot_be_changed)
{
    ck_assert(!object_set(ref_of(&int_type), NAME(__doc__), NONE));
    assert_raised(TypeError, "can't set attributes of built-in/extension type 'int'");
}
END_TEST

// ---- classes

START_TEST(class_attributes)
{
    Value class = class_new("C", VALUE_ERROR, namespace_with("x", from_small(7)));
    ck_assert_int_eq(get(class, "x"), 7);
    ck_assert(as_type(class)->flags & TYPE_INLINE);
    Value name = type_name(as_type(class));
    assert_repr(name, "'C'");
    drop(name);
    set(class, "x", from_small(8));
    ck_assert_int_eq(get(class, "x"), 8);
    set(class, "x", VALUE_ERROR);
    ck_assert(!has(class, "x"));
    forget(class);
}
END_TEST

START_TEST(linear_order_of_a_diamond)
{
    Value a = class_new("A", VALUE_ERROR, namespace_with("__module__", str_new("m")));
    Value b =
        class_new("B", tuple_pack(1, (ValueRef)a), namespace_with("__module__", str_new("m")));
    Value c =
        class_new("C", tuple_pack(1, (ValueRef)a), namespace_with("__module__", str_new("m")));
    Value d = class_new("D", tuple_pack(2, (ValueRef)b, (ValueRef)c),
                        namespace_with("__module__", str_new("m")));
    assert_repr(as_type(d)->mro, "(<class 'm.D'>, <class 'm.B'>, <class 'm.C'>, <class 'm.A'>, "
                                 "<class 'object'>)");
    ck_assert(!class_new("E", tuple_pack(2, (ValueRef)a, (ValueRef)d), VALUE_ERROR));
    assert_raised(TypeError,
                  "Cannot create a consistent method resolution\norder (MRO) for bases A, D");
    ck_assert(!class_new("E", tuple_pack(2, (ValueRef)a, (ValueRef)a), VALUE_ERROR));
    assert_raised(TypeError, "duplicate base class A");
    drop(d);
    drop(c);
    drop(b);
    forget(a);
}
END_TEST

START_TEST(bad_bases)
{
    ck_assert(!class_new("C", tuple_pack(1, ref_of(&bool_type)), VALUE_ERROR));
    assert_raised(TypeError, "type 'bool' is not an acceptable base type");
    ck_assert(!class_new("C", tuple_pack(2, ref_of(&int_type), ref_of(&str_type)), VALUE_ERROR));
    assert_raised(TypeError, "multiple bases have instance lay-out conflict");
    ck_assert(!class_new("C", tuple_pack(2, ref_of(OSError), ref_of(SyntaxError)), VALUE_ERROR));
    assert_raised(TypeError, "multiple bases have instance lay-out conflict");
    ck_assert(!class_new("C", tuple_pack(1, from_small(3)), VALUE_ERROR));
    assert_raised(TypeError, "metaclass conflict: the metaclass of a derived class must be a "
                             "(non-strict) subclass of the metaclasses of all its bases");
}
END_TEST

START_TEST(slots_become_members)
{
    Value class = class_new("C", VALUE_ERROR, namespace_with("__slots__", names("b", "a")));
    const MemberDef *members = as_type(class)->members;
    ck_assert_str_eq(members[0].name, "a");
    ck_assert_str_eq(members[1].name, "b");
    ck_assert_ptr_null(members[2].name);
    ck_assert_int_eq(as_type(class)->dict_offset, 0);
    Value object = object_call_none(class);
    ck_assert(!has(object, "a"));
    set(object, "a", from_small(1));
    ck_assert_int_eq(get(object, "a"), 1);
    ck_assert(!object_set(object, NAME(__doc__), NONE));
    assert_raised(AttributeError, "'C' object attribute '__doc__' is read-only");
    drop(object);
    forget(class);
}
END_TEST

START_TEST(bad_slots)
{
    ck_assert(!class_new("C", VALUE_ERROR, namespace_with("__slots__", names("a b", NULL))));
    assert_raised(TypeError, "__slots__ must be identifiers");
    ck_assert(!class_new("C", tuple_pack(1, ref_of(&int_type)),
                         namespace_with("__slots__", names("a", NULL))));
    assert_raised(TypeError, "nonempty __slots__ not supported for subtype of 'int'");
    ck_assert(
        !class_new("C", VALUE_ERROR, namespace_with("__slots__", names("__dict__", "__dict__"))));
    assert_raised(TypeError, "__dict__ slot disallowed: we already got one");
}
END_TEST

START_TEST(subclass_of_variable_size)
{
    Value class = class_new("T", tuple_pack(1, ref_of(&tuple_type)), VALUE_ERROR);
    ck_assert_int_lt(as_type(class)->dict_offset, 0);
    Value items = list_from_array((ValueRef[]){from_small(1), from_small(2)}, 2);
    Value object = object_call_one(class, items);
    set(object, "x", from_small(5));
    set(object, "self", retain(object));
    ck_assert_int_eq(get(object, "x"), 5);
    assert_repr(object, "(1, 2)");
    drop(items);
    drop(object);
    ck_assert_int_gt(gc_collect(GC_GENERATIONS - 1), 0);
    forget(class);
}
END_TEST

// ---- slots and versions

static Value answer(ValueRef self, METHOD_ARGS)
{
    (void)self;
    return from_small(42);
}
static const MethodDef answer_def = {"answer", answer, ARGS(0, -1), NULL};

START_TEST(slots_follow_the_dict)
{
    Value base = class_new("A", VALUE_ERROR, VALUE_ERROR);
    Value derived = class_new("B", tuple_pack(1, (ValueRef)base), VALUE_ERROR);
    Value object = object_call_none(derived);
    ck_assert_ptr_null(as_type(derived)->length);
    set(base, "__len__", builtin_new(&answer_def, VALUE_ERROR, VALUE_ERROR));
    ssize_t length;
    ck_assert(object_length(object, &length));
    ck_assert_int_eq(length, 42);
    set(derived, "__len__", NONE);
    set(base, "__len__", VALUE_ERROR);
    ck_assert_ptr_null(as_type(base)->length);
    ck_assert_ptr_nonnull(as_type(derived)->length);
    drop(object);
    drop(derived);
    forget(base);
}
END_TEST

START_TEST(eq_without_hash)
{
    Value function = builtin_new(&answer_def, VALUE_ERROR, VALUE_ERROR);
    Value class = class_new("C", VALUE_ERROR, namespace_with("__eq__", function));
    Value object = object_call_none(class);
    int64_t hash;
    ck_assert(dict_peek_ascii(as_type(class)->dict, "__hash__") == NONE);
    ck_assert(!object_hash(object, &hash));
    assert_raised(TypeError, "unhashable type: 'C'");
    drop(object);
    forget(class);
}
END_TEST

START_TEST(versions)
{
    Value base = class_new("A", VALUE_ERROR, VALUE_ERROR);
    Value derived = class_new("B", tuple_pack(1, (ValueRef)base), VALUE_ERROR);
    uint32_t version = type_version(as_type(derived));
    ck_assert_uint_ne(version, 0);
    ck_assert_uint_eq(type_version(as_type(derived)), version);
    set(base, "x", from_small(1));
    ck_assert_uint_eq(as_type(derived)->version, 0);
    ck_assert_int_eq(get(derived, "x"), 1);
    ck_assert_uint_gt(type_version(as_type(derived)), version);
    drop(derived);
    forget(base);
}
END_TEST

START_TEST(new_bases)
{
    Value a = class_new("A", VALUE_ERROR, namespace_with("x", from_small(1)));
    Value b = class_new("B", VALUE_ERROR, namespace_with("x", from_small(2)));
    Value c = class_new("C", tuple_pack(1, (ValueRef)a), VALUE_ERROR);
    ck_assert_int_eq(get(c, "x"), 1);
    set(c, "__bases__", tuple_pack(1, (ValueRef)b));
    ck_assert_int_eq(get(c, "x"), 2);
    Value itself = tuple_pack(1, (ValueRef)c);
    ck_assert(!object_set(b, NAME(__bases__), itself));
    assert_raised(TypeError, "a __bases__ item causes an inheritance cycle");
    drop(itself);
    drop(a);
    drop(b);
    forget(c);
}
END_TEST

// ---- instances

START_TEST(values_in_order)
{
    Value class = class_new("C", VALUE_ERROR, VALUE_ERROR);
    Value first = object_call_none(class), second = object_call_none(class);
    set(first, "x", from_small(1));
    set(first, "y", from_small(2));
    ck_assert_ptr_null(as_instance(first)->dict);
    ck_assert_uint_eq(as_instance(first)->count, 2);
    set(second, "y", from_small(3)); // another order: this one needs a dict
    ck_assert_ptr_nonnull(as_instance(second)->dict);
    set(first, "y", VALUE_ERROR);
    ck_assert_uint_eq(as_instance(first)->count, 1);
    ck_assert(!has(first, "y"));
    assert_repr(object_dict(first), "{'x': 1}");
    ck_assert_int_eq(get(first, "x"), 1);
    drop(first);
    drop(second);
    forget(class);
}
END_TEST

START_TEST(more_attributes_than_keys)
{
    Value class = class_new("C", VALUE_ERROR, VALUE_ERROR);
    Value object = object_call_none(class);
    char name[8];
    for (int i = 0; i < SHARED_KEYS_MAX + 5; i++) {
        snprintf(name, sizeof name, "a%d", i);
        set(object, name, from_small(i));
    }
    ck_assert_int_eq(as_type(class)->keys->count, SHARED_KEYS_MAX);
    ck_assert_int_eq(dict_size(object_dict(object)), SHARED_KEYS_MAX + 5);
    ck_assert_int_eq(get(object, "a0"), 0);
    ck_assert_int_eq(get(object, "a31"), 31);
    drop(object);
    forget(class);
}
END_TEST

START_TEST(a_new_key_changes_the_version)
{
    Value class = class_new("C", VALUE_ERROR, namespace_with("x", from_small(1)));
    Value object = object_call_none(class);
    ck_assert_int_eq(get(object, "x"), 1);
    uint32_t version = type_version(as_type(class));
    set(object, "x", from_small(2));
    ck_assert_uint_ne(as_type(class)->version, version);
    ck_assert_int_eq(get(object, "x"), 2);
    drop(object);
    forget(class);
}
END_TEST

START_TEST(another_class)
{
    Value a = class_new("A", VALUE_ERROR, VALUE_ERROR);
    Value b = class_new("B", VALUE_ERROR, VALUE_ERROR);
    Value slotted = class_new("S", VALUE_ERROR, namespace_with("__slots__", names("a", NULL)));
    Value object = object_call_none(a), other = object_call_none(b);
    set(object, "x", from_small(1));
    set(other, "y", from_small(2));
    set(object, "__class__", retain(b));
    ck_assert_int_eq(get(object, "x"), 1);
    ck_assert(!has(object, "y"));
    ck_assert(!object_set(object, NAME(__class__), slotted));
    assert_raised(TypeError, "__class__ assignment: 'S' object layout differs from 'B'");
    drop(object);
    drop(other);
    drop(slotted);
    drop(a);
    forget(b);
}
END_TEST

START_TEST(classes_are_collected)
{
    ssize_t before = dict_size(object_type.subclasses);
    Value class = class_new("C", VALUE_ERROR, VALUE_ERROR);
    set(class, "instance", object_call_none(class));
    ck_assert_int_eq(dict_size(object_type.subclasses), before + 1);
    forget(class);
    ck_assert_int_eq(dict_size(object_type.subclasses), before);
}
END_TEST

Suite *type_suite(void)
{
    Suite *suite = suite_create("type");
    TCase *tests = live_case(suite, "static");
    tcase_add_test(tests, static_types_are_ready);
    tcase_add_test(tests, order_of_dict);
    tcase_add_test(tests, static_types_cannot_be_changed);
    tests = live_case(suite, "classes");
    tcase_add_test(tests, class_attributes);
    tcase_add_test(tests, linear_order_of_a_diamond);
    tcase_add_test(tests, bad_bases);
    tcase_add_test(tests, slots_become_members);
    tcase_add_test(tests, bad_slots);
    tcase_add_test(tests, subclass_of_variable_size);
    tests = live_case(suite, "slots and versions");
    tcase_add_test(tests, slots_follow_the_dict);
    tcase_add_test(tests, eq_without_hash);
    tcase_add_test(tests, versions);
    tcase_add_test(tests, new_bases);
    tests = live_case(suite, "instances");
    tcase_add_test(tests, values_in_order);
    tcase_add_test(tests, more_attributes_than_keys);
    tcase_add_test(tests, a_new_key_changes_the_version);
    tcase_add_test(tests, another_class);
    tcase_add_test(tests, classes_are_collected);
    return suite;
}
