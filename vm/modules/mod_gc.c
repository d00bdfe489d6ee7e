// The module gc: the script's interface to the collector, which is objects/gc.c.
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/outside/outside.h"
#include "vm/sys/sys.h"

#include <stdio.h>

enum DebugFlag {
    DEBUG_STATS = 1,
    DEBUG_COLLECTABLE = 2,
    DEBUG_UNCOLLECTABLE = 4,
    DEBUG_SAVEALL = 32,
    DEBUG_LEAK = DEBUG_COLLECTABLE | DEBUG_UNCOLLECTABLE | DEBUG_SAVEALL,
};

static int debug_flags;

static Value gc_module_collect(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"generation", NULL};
    static const Signature signature = {"collect", names, 0, 1};
    ValueRef slots[1];
    int generation = GC_GENERATIONS - 1;
    (void)self;
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    if (slots[0] && !argument_int(slots[0], &generation)) return VALUE_ERROR;
    if (generation < 0 || generation >= GC_GENERATIONS)
        return raise_error(ValueError, "invalid generation");
    return int_new(gc_collect(generation));
}

static Value gc_module_enable(FUNCTION_ARGS)
{
    gc_enable(true);
    return NONE;
}

static Value gc_module_disable(FUNCTION_ARGS)
{
    gc_enable(false);
    return NONE;
}

static Value gc_module_isenabled(FUNCTION_ARGS)
{
    return from_bool(gc_is_enabled());
}

static Value three_ints(int a, int b, int c)
{
    return tuple_pack(3, (ValueRef)from_small(a), (ValueRef)from_small(b), (ValueRef)from_small(c));
}

static Value gc_module_get_count(FUNCTION_ARGS)
{
    return three_ints(gc_generations[0].count, gc_generations[1].count, gc_generations[2].count);
}

static Value gc_module_get_threshold(FUNCTION_ARGS)
{
    return three_ints(gc_generations[0].threshold, gc_generations[1].threshold,
                      gc_generations[2].threshold);
}

static Value gc_module_set_threshold(ValueRef self, const ValueRef *args, size_t nargs,
                                     ValueRef kwnames)
{
    (void)self;
    if (!args_no_keywords("set_threshold", kwnames)) return VALUE_ERROR;
    if (nargs < 1 || nargs > GC_GENERATIONS)
        return raise_error(TypeError, "set_threshold() takes %s argument%s (%zu given)",
                           nargs < 1 ? "at least 1" : "at most 3", nargs < 1 ? "" : "s", nargs);
    int thresholds[GC_GENERATIONS];
    for (size_t i = 0; i < nargs; i++)
        if (!argument_int(args[i], &thresholds[i])) return VALUE_ERROR;
    for (size_t i = 0; i < nargs; i++) gc_set_threshold((int)i, thresholds[i]);
    return NONE;
}

static void show_beginning(int generation)
{
    sys_write_stderr(format_text("gc: collecting generation %d...\n"
                                 "gc: objects in each generation: %zd %zd %zd\n"
                                 "gc: objects in permanent generation: %zd\n",
                                 generation, gc_generation_size(0), gc_generation_size(1),
                                 gc_generation_size(2), gc_frozen_count()));
}

static void show_end(int64_t nanoseconds, ssize_t found)
{
    char seconds[32];
    snprintf(seconds, sizeof seconds, "%.4f", (double)nanoseconds / 1e9);
    sys_write_stderr(
        format_text("gc: done, %zd unreachable, 0 uncollectable, %ss elapsed\n", found, seconds));
}

// What the debug flags ask to see, on sys.stderr.
static void show_collection(GcEvent event, int generation, const Object *object, ssize_t found)
{
    static int64_t start;
    if (event == GC_FINDS && debug_flags & DEBUG_COLLECTABLE)
        sys_write_stderr(format_text("gc: collectable <%s 0x%llx>\n", object->type->name,
                                     (long long)memory_id(object)));
    if (!(debug_flags & DEBUG_STATS)) return;
    if (event == GC_BEGINS) show_beginning(generation);
    if (event == GC_BEGINS) start = outside_clock(CLOCK_STEADY);
    if (event == GC_ENDS) show_end(outside_clock(CLOCK_STEADY) - start, found);
}

static Value gc_module_set_debug(FUNCTION_ARGS)
{
    if (!argument_int(args[0], &debug_flags)) return VALUE_ERROR;
    gc_save_all = debug_flags & DEBUG_SAVEALL;
    upcalls.observe_gc = debug_flags & (DEBUG_STATS | DEBUG_COLLECTABLE) ? show_collection : NULL;
    return NONE;
}

static Value gc_module_get_debug(FUNCTION_ARGS)
{
    return int_new(debug_flags);
}

static Value generation_stats(const GcGeneration *generation)
{
    Value stats = dict_new();
    if (!stats) return VALUE_ERROR;
    if (dict_set_ascii(stats, "collections", from_small(generation->collections)) &&
        dict_set_ascii(stats, "collected", from_small(generation->collected)) &&
        dict_set_ascii(stats, "uncollectable", from_small(0)))
        return stats;
    drop(stats);
    return VALUE_ERROR;
}

static Value gc_module_get_stats(FUNCTION_ARGS)
{
    Value list = list_new(GC_GENERATIONS);
    for (int i = 0; list && i < GC_GENERATIONS; i++) {
        if (list_append_owned(list, generation_stats(&gc_generations[i]))) continue;
        drop(list);
        return VALUE_ERROR;
    }
    return list;
}

static Value gc_module_get_objects(ValueRef self, const ValueRef *args, size_t nargs,
                                   ValueRef kwnames)
{
    static const char *const names[] = {"generation", NULL};
    static const Signature signature = {"get_objects", names, 0, 1};
    ValueRef slots[1];
    ssize_t generation = -1;
    (void)self;
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    if (!slots[0] || slots[0] == NONE) return gc_objects(-1);
    if (!int_check(slots[0]) && !type_of(slots[0])->index)
        return raise_error(TypeError, "argument should be integer or None, not '%.200T'", slots[0]);
    if (!object_as_ssize(slots[0], &generation, OverflowError)) return VALUE_ERROR;
    if (generation >= GC_GENERATIONS)
        return raise_error(ValueError,
                           "generation parameter must be less than the number of available "
                           "generations (%d)",
                           GC_GENERATIONS);
    if (generation < 0) return raise_error(ValueError, "generation parameter cannot be negative");
    return gc_objects((int)generation);
}

// Calls what looks at the arguments as one tuple.
static Value with_tuple(const ValueRef *args, size_t nargs, Value (*look)(ValueRef tuple))
{
    Value tuple = tuple_from_array(args, nargs);
    if (!tuple) return VALUE_ERROR;
    Value list = look(tuple);
    drop(tuple);
    return list;
}

static Value gc_module_get_referrers(FUNCTION_ARGS)
{
    return with_tuple(args, nargs, gc_referrers);
}

static Value gc_module_get_referents(FUNCTION_ARGS)
{
    return with_tuple(args, nargs, gc_referents);
}

static Value gc_module_is_tracked(FUNCTION_ARGS)
{
    return from_bool(is_object(args[0]) && gc_seems_tracked(object_of(args[0])));
}

static Value gc_module_is_finalized(FUNCTION_ARGS)
{
    return from_bool(is_object(args[0]) && gc_is_finalized(object_of(args[0])));
}

static Value gc_module_freeze(FUNCTION_ARGS)
{
    gc_freeze();
    return NONE;
}

static Value gc_module_unfreeze(FUNCTION_ARGS)
{
    gc_unfreeze();
    return NONE;
}

static Value gc_module_get_freeze_count(FUNCTION_ARGS)
{
    return int_new(gc_frozen_count());
}

static const MethodDef functions[] = {
    {"enable", gc_module_enable, NO_ARGS, NULL},
    {"disable", gc_module_disable, NO_ARGS, NULL},
    {"isenabled", gc_module_isenabled, NO_ARGS, NULL},
    {"set_debug", gc_module_set_debug, ONE_ARG, NULL},
    {"get_debug", gc_module_get_debug, NO_ARGS, NULL},
    {"get_count", gc_module_get_count, NO_ARGS, NULL},
    {"set_threshold", gc_module_set_threshold, KEYWORD_ARGS, NULL},
    {"get_threshold", gc_module_get_threshold, NO_ARGS, NULL},
    {"collect", gc_module_collect, KEYWORD_ARGS, NULL},
    {"get_objects", gc_module_get_objects, KEYWORD_ARGS, NULL},
    {"get_stats", gc_module_get_stats, NO_ARGS, NULL},
    {"is_tracked", gc_module_is_tracked, ONE_ARG, NULL},
    {"is_finalized", gc_module_is_finalized, ONE_ARG, NULL},
    {"get_referrers", gc_module_get_referrers, ARGS(0, -1), NULL},
    {"get_referents", gc_module_get_referents, UNPACKED_ARGS(0, -1), NULL},
    {"freeze", gc_module_freeze, NO_ARGS, NULL},
    {"unfreeze", gc_module_unfreeze, NO_ARGS, NULL},
    {"get_freeze_count", gc_module_get_freeze_count, NO_ARGS, NULL},
    {0},
};

static bool add_int(ValueRef module, const char *name, int number)
{
    return module_add(module, name, from_small(number));
}

// The two lists are the collector's as well: it appends to one and calls the other.
static bool fill(ValueRef module)
{
    debug_flags = 0;
    if (!gc_garbage) gc_garbage = list_new(0);
    if (!gc_callbacks) gc_callbacks = list_new(0);
    return gc_garbage && gc_callbacks && module_add(module, "garbage", gc_garbage) &&
           module_add(module, "callbacks", gc_callbacks) &&
           add_int(module, "DEBUG_STATS", DEBUG_STATS) &&
           add_int(module, "DEBUG_COLLECTABLE", DEBUG_COLLECTABLE) &&
           add_int(module, "DEBUG_UNCOLLECTABLE", DEBUG_UNCOLLECTABLE) &&
           add_int(module, "DEBUG_SAVEALL", DEBUG_SAVEALL) &&
           add_int(module, "DEBUG_LEAK", DEBUG_LEAK);
}

const ModuleDef gc_module = {
    .name = "gc",
    .doc = "This module provides access to the garbage collector for reference cycles.",
    .functions = functions,
    .fill = fill,
};
