// The struct that nearly all iterators of the module itertools have, and what its files share.
#pragma once

#include "objects/call.h"
#include "objects/containers/tuple.h"
#include "objects/protocols/items.h"

// An iterator over another iterator. Each type uses some of the references and numbers, for its own
// purpose; unused ones are 0.
typedef struct Itertool {
    Object base;
    Value source;   // the iterator that it reads, or a tuple of them; 0 = exhausted
    Value function; // called with each item
    Value kept;     // items kept for later
    Value result;   // the tuple returned last
    ssize_t position, next, stop, step;
    bool started;
} Itertool;

static inline Itertool *as_stage(ValueRef value)
{
    return (Itertool *)object_of(value);
}

// A new stage; steals the three, in failure too. `source` VALUE_ERROR passes through.
Value stage_new(Type *type, Value source, Value function, Value kept);
void stage_release(Object *self);
void stage_traverse(Object *self, VisitFn visit, void *arg);
// The tuple returned last, if the script has dropped it; else a copy, which becomes the one
// returned last. Borrowed; the caller replaces its items. NULL with MemoryError pending.
Tuple *stage_result(Itertool *stage);
// For `new_` of types that take positional arguments only.
bool stage_arguments(const Type *type, const Type *exact, const char *name, size_t nargs,
                     ValueRef kwnames, ssize_t min, ssize_t max);

#define STAGE_TYPE(variable, type_name, ...)                                                       \
    Type variable = {                                                                              \
        STATIC_TYPE("itertools." type_name, sizeof(Itertool)),                                     \
        .getattribute = object_generic_get,                                                        \
        .flags = TYPE_GC | TYPE_BASE,                                                              \
        .release = stage_release,                                                                  \
        .traverse = stage_traverse,                                                                \
        .clear = stage_release,                                                                    \
        .iter = iterator_self,                                                                     \
        __VA_ARGS__,                                                                               \
    }

// The types of the module, in the order of its dict.
#define ITERTOOLS_TYPES(ROW)                                                                       \
    ROW(accumulate)                                                                                \
    ROW(combinations)                                                                              \
    ROW(combinations_with_replacement)                                                             \
    ROW(cycle)                                                                                     \
    ROW(dropwhile)                                                                                 \
    ROW(takewhile)                                                                                 \
    ROW(islice)                                                                                    \
    ROW(starmap)                                                                                   \
    ROW(chain)                                                                                     \
    ROW(compress)                                                                                  \
    ROW(filterfalse)                                                                               \
    ROW(count)                                                                                     \
    ROW(zip_longest)                                                                               \
    ROW(permutations)                                                                              \
    ROW(product)                                                                                   \
    ROW(repeat)                                                                                    \
    ROW(groupby)                                                                                   \
    ROW(grouper)                                                                                   \
    ROW(tee)                                                                                       \
    ROW(tee_data)
#define DECLARE_TYPE(name) extern Type itertools_##name##_type;
ITERTOOLS_TYPES(DECLARE_TYPE)
#undef DECLARE_TYPE

// tee(iterable, n=2)
Value itertools_tee(FUNCTION_ARGS);

// ---- copying (itertools_reduce.c)

// (type, arguments), or (type, arguments, state) where there is a state. Steals both; arguments
// VALUE_ERROR passes through.
Value itertools_reduced(ValueRef self, Value arguments, Value state);
Value itertools_chain_reduce(ValueRef self, METHOD_ARGS);
Value itertools_chain_setstate(ValueRef self, METHOD_ARGS);
extern const MethodDef itertools_cycle_methods[], itertools_accumulate_methods[],
    itertools_dropwhile_methods[], itertools_takewhile_methods[], itertools_islice_methods[],
    itertools_zip_longest_methods[];
