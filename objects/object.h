// The header of every heap object, the type object, and the reference count.
//
//     +----------+----------+---------
//     | refcount | type     | ...          an Object; if its type is TYPE_GC,
//     +----------+----------+---------     a GcHead precedes it (objects/gc.h)
//
// objects/operators.h declares the object protocol itself (repr, hash, compare, attributes,
// arithmetic). The slots of a type say what the type supports; a slot that is NULL is not
// supported. A slot has the meaning that CPython gives it (Doc/c-api/typeobj.rst) and the name of
// the method it serves; slots.def lists the pairs.
//
// The reference count is changed as CPython changes it: retain() is Py_INCREF, drop() is Py_DECREF,
// drop_slot() is Py_CLEAR, replace_slot() is Py_SETREF.
//
// A `Foo *` in a signature is borrowed, like a ValueRef. Ownership is passed only as a Value.
#pragma once

#include "objects/invariant.h"
#include "objects/value.h"

struct Object {
    int64_t refcount;
    Type *type; // owned where the type is a heap type
};

typedef enum CompareOp {
    COMPARE_LT,
    COMPARE_LE,
    COMPARE_EQ,
    COMPARE_NE,
    COMPARE_GT,
    COMPARE_GE
} CompareOp;

// `args` holds the positional arguments, then the values of the keyword arguments. `kwnames` is a
// tuple of the keywords, or VALUE_ERROR if there are none. `nargs` counts the positional arguments
// only. All calls in minivm pass arguments this way (CPython calls it vectorcall).
typedef Value (*CallFn)(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
typedef Value (*NewFn)(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames);
typedef bool (*InitFn)(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
typedef Value (*UnaryFn)(ValueRef self);
typedef Value (*BinaryFn)(ValueRef left, ValueRef right);
typedef Value (*TernaryFn)(ValueRef a, ValueRef b, ValueRef c);
typedef Value (*CompareFn)(ValueRef left, ValueRef right, CompareOp op);
typedef Value (*GetAttrFn)(ValueRef self, ValueRef name);
// The setters: `value` VALUE_ERROR = delete.
typedef bool (*SetAttrFn)(ValueRef self, ValueRef name, ValueRef value);
typedef Value (*DescrGetFn)(ValueRef descr, ValueRef instance,
                            ValueRef owner); // instance or owner may be VALUE_ERROR
typedef bool (*DescrSetFn)(ValueRef descr, ValueRef instance, ValueRef value);
typedef bool (*HashFn)(ValueRef self, int64_t *hash); // never -1
typedef bool (*TruthFn)(ValueRef self, bool *truth);
typedef bool (*LengthFn)(ValueRef self, ssize_t *length);
typedef Value (*ItemFn)(ValueRef self, ssize_t index);
typedef bool (*SetItemFn)(ValueRef self, ssize_t index, ValueRef value);
typedef bool (*SetSubscriptFn)(ValueRef self, ValueRef key, ValueRef value);
typedef bool (*ContainsFn)(ValueRef self, ValueRef item, bool *found);
typedef void (*VisitFn)(ValueRef child, void *arg);
// Visits every owned Value of the object. The type in the header is not visited: the collector
// knows it.
typedef void (*TraverseFn)(Object *self, VisitFn visit, void *arg);
typedef void (*ReleaseFn)(Object *self);
typedef struct Buffer Buffer; // buffer.h
typedef bool (*BufferFn)(ValueRef self, Buffer *buffer, bool writable);

typedef enum TypeFlag {
    TYPE_HEAP = 1 << 0,     // made at run time; counted by its instances
    TYPE_BASE = 1 << 1,     // may be subclassed
    TYPE_GC = 1 << 2,       // instances carry a GcHead and are traversed
    TYPE_READY = 1 << 3,    // type_ready() has run
    TYPE_ABSTRACT = 1 << 4, // __abstractmethods__ is not empty
    TYPE_INLINE = 1 << 5,   // instances are struct Instance (objects/instance.h)
    TYPE_METHOD = 1 << 6,   // instances are callables that LOAD_METHOD need not bind
    TYPE_HAS_DEL = 1 << 7,  // some class in the MRO defines __del__ (slot `finalize`)
    TYPE_INT = 1 << 8,      // subclasses of the built-in types, so that the checks are one test
    TYPE_STR = 1 << 9,
    TYPE_BYTES = 1 << 10,
    TYPE_TUPLE = 1 << 11,
    TYPE_LIST = 1 << 12,
    TYPE_DICT = 1 << 13,
    TYPE_TYPE = 1 << 14,
    TYPE_EXCEPTION = 1 << 15,
    TYPE_FLOAT = 1 << 16,
    TYPE_UNCACHED = 1 << 17, // its MRO holds a class that is not its base: no version, ever
    TYPE_LEAF = 1 << 18,     // instances own nothing but what `release` frees; no subclass
    TYPE_ITEMS = 1 << 19,    // `length` and `item` read what an instance holds: no script code
    TYPE_STAND_IN = 1 << 20, // of a class in mini-Python that is not loaded: upcalls.load_class
} TypeFlag;

struct MethodDef; // objects/call.h
struct GetSetDef; // descriptor.h
struct MemberDef;
struct SharedKeys; // objects/instance.h

struct Type {
    Object base;
    const char *name; // as CPython's tp_name: "list", "collections.deque"; what follows the last
                      // dot is __name__
    size_t size;      // of an instance, GcHead not counted
    size_t item_size; // of one item after it in a variable-size object, else 0
    size_t front;     // bytes before the GcHead: subclasses of variable-size types keep dict and
                      // slots there
    uint32_t flags;
    uint32_t version;       // changes with the results of lookups (type.h); 0 = none yet
    ssize_t dict_offset;    // of the Value that holds an instance's __dict__, from its address; 0 =
                            // none, < 0 = in front
    ssize_t weakref_offset; // likewise, of the head of the list of weak references

    const struct MethodDef *methods;
    const struct MemberDef *members; // of a heap type: its __slots__, owned
    const struct GetSetDef *getset;
    const char *doc;

    Type *base_type; // owned where this is a heap type
    Value bases;     // tuple
    Value mro;       // tuple, this type first
    Value dict;
    Value subclasses;        // dict: address -> static type or weak reference
    Value heap_name;         // str: __name__ of a heap type; `name` points into it
    Value heap_qualname;     // str
    Value heap_full_name;    // str "module.name" of what stands for a type in C: `name` points into
                             // it then
    struct SharedKeys *keys; // names of the attributes kept in the instances, TYPE_INLINE only
    Value weakrefs;          // to the type itself

    // life
    NewFn new_;
    InitFn init;
    ReleaseFn release;   // drops what the object owns; the caller frees the memory (object_dealloc)
    TraverseFn traverse; // visits what the object owns; TYPE_GC only
    ReleaseFn clear;     // drops what may be part of a cycle; TYPE_GC only
    ReleaseFn finalize;  // __del__: may run script code and may bring the object back
    // basics
    UnaryFn repr, str;
    HashFn hash; // object_hash_unhashable where __hash__ is None
    CompareFn compare;
    CallFn call;
    GetAttrFn getattribute;
    SetAttrFn setattr;
    UnaryFn iter;
    UnaryFn next; // the next item, ABSENT at the end
    DescrGetFn get;
    DescrSetFn set;
    UnaryFn await, aiter, anext;
    BufferFn buffer;
    ReleaseFn release_buffer;
    // numbers
    BinaryFn add, subtract, multiply, remainder, divmod;
    TernaryFn power;
    UnaryFn negative, positive, absolute;
    TruthFn truth;
    UnaryFn invert;
    BinaryFn lshift, rshift, and_, xor_, or_;
    UnaryFn int_, float_;
    BinaryFn inplace_add, inplace_subtract, inplace_multiply, inplace_remainder;
    TernaryFn inplace_power;
    BinaryFn inplace_lshift, inplace_rshift, inplace_and, inplace_xor, inplace_or;
    BinaryFn floor_divide, true_divide, inplace_floor_divide, inplace_true_divide;
    UnaryFn index;
    BinaryFn matrix_multiply, inplace_matrix_multiply;
    // sequences
    LengthFn length;
    BinaryFn concat;
    ItemFn repeat;
    ItemFn item;
    SetItemFn set_item;
    ContainsFn contains;
    BinaryFn inplace_concat;
    ItemFn inplace_repeat;
    // mappings (length is shared with sequences)
    BinaryFn subscript;
    SetSubscriptFn set_subscript;
};

extern Type type_type, object_type;

// The header of a statically allocated type; the rest follows by designated initialisers.
#define STATIC_TYPE(type_name, instance_size)                                                      \
    .base = {1, &type_type}, .name = (type_name), .size = (instance_size)

// Frees an object whose count has reached 0: calls __del__, clears weak references, drops the
// contents, frees the memory. The depth of nested calls is limited: beyond the limit the object
// waits in a list, which the outermost call empties.
void object_dealloc(Object *object);
// What each thread has its own of: the depth of freeing, and what is being printed.
void object_add_thread_parts(void);

#define REFCOUNT_MAX ((int64_t)1 << 47) // more references than the region has room for

// Freed memory is filled with 0xDD (DEBUG_MEMORY), so the count of a freed object is negative. So
// is the count of an object that waits in object_dealloc().
static inline bool is_alive(const Object *object)
{
    return object->refcount > 0 && object->refcount < REFCOUNT_MAX;
}

// For invariants of what may be dying: an object whose memory is not freed yet.
static inline bool is_allocated(ValueRef value)
{
    return is_object(value) && object_of(value)->refcount != (int64_t)0xDDDDDDDDDDDDDDDD;
}

// Py_INCREF: turns a borrowed value into an owned one.
static inline Value retain(ValueRef value)
{
    invariant(!is_object(value) || is_alive(object_of(value)),
              "what gets one more owner is alive: it is not freed yet, nor about to be");
    if (is_object(value)) object_of(value)->refcount++;
    return from_bits(bits_of(value));
}

// Py_DECREF: gives up an owned value.
static inline void drop(Value value)
{
    invariant(!is_object(value) || is_alive(object_of(value)),
              "an owner holds one count: what it lets go of is still alive");
    if (is_object(value) && --object_of(value)->refcount == 0) object_dealloc(object_of(value));
}

// Py_CLEAR: empties the slot first, then drops the old value, because its destructor may read the
// slot.
static inline void drop_slot(Value *slot)
{
    Value old = *slot;
    *slot = VALUE_ERROR;
    drop(old);
}

// Py_SETREF: stores an owned value in the slot, then drops the old one.
static inline void replace_slot(Value *slot, Value value)
{
    Value old = *slot;
    *slot = value;
    drop(old);
}

extern Type *const immediate_types[IMMEDIATE_COUNT];
extern Type int_type, float_type;

static inline Type *type_of(ValueRef value)
{
    if (is_object(value)) return object_of(value)->type;
    if (is_small(value)) return &int_type;
    if (is_double(value)) return &float_type;
    return immediate_types[(size_t)(bits_of(value) - IMMEDIATE_BASE)];
}

// The type is exactly this one.
static inline bool is_exactly(ValueRef value, const Type *type)
{
    return is_object(value) && object_of(value)->type == type;
}

// One of the flags TYPE_STR ... TYPE_EXCEPTION: an instance of the built-in type or of a subclass.
static inline bool has_flag(ValueRef value, TypeFlag flag)
{
    return is_object(value) && (object_of(value)->type->flags & flag);
}

// Memory for an instance with `items` items after it (item_size each). All but the header is
// zeroed. If the type is TYPE_GC the collector tracks it at once, so fill it before anything can
// collect, or leave it zeroed. Counts a reference to a heap type. NULL with MemoryError pending.
void *object_alloc(Type *type, size_t items);
// The same with the size given in bytes, for a type that computes it itself (TYPE_INLINE; a str of
// wide characters).
void *object_alloc_bytes(Type *type, size_t bytes);
// The same without zeroing, for a type with front 0 that fills all of it at once.
void *object_alloc_unfilled(Type *type, size_t bytes);
