// ExtraState and CacheEntry: the list on a code object, and the life of what is in it.
//
// Setting a guard's attributes may run script code (__setattr__), which may call this file again.
// So a list is changed first, and the guard's attributes are set afterwards.
#include "frames/cache/cache_entry.h"

#include "frames/hook.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/upcalls.h"

static int extra_index = -1;

// ---- the list

static bool entries_are_sound(const ExtraState *extra)
{
    int64_t count = 0;
    for (ValueRef at = extra->entries; at; at = as_cache_entry(at)->next, count++) {
        const CacheEntry *entry = as_cache_entry(at);
        invariant(is_exactly(at, &cache_entry_type), "a list of entries holds entries");
        invariant(is_alive(&entry->base), "a list owns its entries");
        invariant(entry->owner == extra, "an entry knows in whose list it is");
        invariant(entry->check_fn && is_alive(object_of(entry->check_fn)),
                  "an entry owns its guard");
        invariant(code_check(entry->code), "an entry owns the code that its guard is for");
        invariant(entry->backend, "an entry knows the backend that made it");
        invariant(count < extra->count, "a list has no more entries than it counts");
    }
    invariant(count == extra->count, "a list has as many entries as it counts");
    return true;
}

static void push_entry(ExtraState *extra, Value value)
{
    CacheEntry *entry = as_cache_entry(value);
    invariant(!entry->owner && !entry->next, "an entry is in one list at most");
    entry->owner = extra;
    entry->next = extra->entries;
    extra->entries = value;
    extra->count++;
    invariant(entries_are_sound(extra), "an entry put in front is followed by those before");
}

static Value take_entry_out(CacheEntry *entry)
{
    invariant(entry->owner && entries_are_sound(entry->owner), "an entry is taken from its list");
    Value *link = &entry->owner->entries;
    while (as_cache_entry(*link) != entry) link = &as_cache_entry(*link)->next;
    Value taken = *link;
    *link = entry->next;
    entry->next = VALUE_ERROR;
    entry->owner->count--;
    invariant(entries_are_sound(entry->owner), "the others stay in their order");
    entry->owner = NULL;
    return taken;
}

static bool tell_guard(ValueRef guard, ValueRef entry, ValueRef extra)
{
    return object_set(guard, NAME(cache_entry), entry) &&
           object_set(guard, NAME(extra_state), extra);
}

// Tells the guard of an entry that has left its list. No caller can handle an error here.
static void retire_entry(Value entry)
{
    invariant(!as_cache_entry(entry)->owner, "an entry that is retired is in no list any more");
    ValueRef guard = as_cache_entry(entry)->check_fn;
    Value pending = error_take();
    if (!tell_guard(guard, NONE, NONE)) report_unraisable(guard, NULL);
    error_restore(pending);
    drop(entry);
}

bool extra_state_add(ExtraState *extra, ValueRef entry)
{
    CacheEntry *added = as_cache_entry(entry);
    Value held = retain(ref_of(extra));
    push_entry(extra, retain(entry));
    bool done = tell_guard(added->check_fn, entry, held);
    if (!done && added->owner) drop(take_entry_out(added));
    drop(held);
    return done;
}

void extra_state_move_to_front(CacheEntry *entry)
{
    ExtraState *extra = entry->owner;
    if (extra && as_cache_entry(extra->entries) != entry) push_entry(extra, take_entry_out(entry));
}

// ---- on the code object

static bool is_mark(const void *extra)
{
    return extra == SKIP_CODE || extra == SKIP_CODE_RECURSIVE;
}

static void release_extra(void *extra)
{
    if (!extra || is_mark(extra)) return;
    ExtraState *state = extra;
    while (state->entries) retire_entry(take_entry_out(as_cache_entry(state->entries)));
    invariant(state->count == 0, "an empty list counts nothing");
    drop(own(state));
}

static void traverse_extra(void *extra, VisitFn visit, void *arg)
{
    if (!is_mark(extra)) visit(ref_of((ExtraState *)extra), arg);
}

bool extra_state_init(void)
{
    if (extra_index < 0) extra_index = extra_request_index(release_extra, traverse_extra);
    return extra_index >= 0;
}

void *extra_state_get(const Code *code)
{
    return code_get_extra(code, extra_index);
}

ExtraState *extra_state_make(Code *code)
{
    ExtraState *extra = extra_state_get(code);
    if (extra && !is_mark(extra)) return extra;
    Value frame_state = dict_new();
    extra = frame_state ? object_alloc(&extra_state_type, 0) : NULL;
    if (!extra) {
        drop(frame_state);
        return NULL;
    }
    extra->frame_state = frame_state;
    if (code_set_extra(code, extra_index, extra)) return extra;
    drop(own(extra));
    return NULL;
}

bool extra_state_mark(Code *code, void *mark)
{
    if (!mark && !extra_state_get(code)) return true;
    return code_set_extra(code, extra_index, mark);
}

// ---- entries

// Leaves the field empty if there is no such attribute.
static bool read_attribute(ValueRef from, ValueRef name, Value *field)
{
    Value value = object_get_optional(from, name);
    *field = value == ABSENT ? VALUE_ERROR : value;
    return value != VALUE_ERROR;
}

static bool fill_entry(CacheEntry *entry, ValueRef guarded_code)
{
    if (!read_attribute(guarded_code, NAME(check_fn), &entry->check_fn) ||
        !read_attribute(guarded_code, NAME(code), &entry->code))
        return false;
    if (!entry->check_fn || !entry->code)
        return raise_error(
            TypeError,
            "a callback must return None or a GuardedCode (code, check_fn), not '%.200T'",
            guarded_code);
    if (!code_check(entry->code))
        return raise_error(TypeError, "GuardedCode.code must be a code object, not '%.200T'",
                           (ValueRef)entry->code);
    if (!object_is_callable(entry->check_fn))
        return raise_error(TypeError, "GuardedCode.check_fn must be callable, not '%.200T'",
                           (ValueRef)entry->check_fn);
    return read_attribute(guarded_code, NAME(compile_id), &entry->compile_id);
}

Value cache_entry_new(ValueRef guarded_code, ValueRef backend)
{
    CacheEntry *entry = object_alloc(&cache_entry_type, 0);
    if (!entry) return VALUE_ERROR;
    entry->backend = retain(backend);
    if (fill_entry(entry, guarded_code)) return own(entry);
    drop(own(entry));
    return VALUE_ERROR;
}

static Value extra_state_invalidate(ValueRef self, METHOD_ARGS)
{
    ExtraState *extra = (ExtraState *)object_of(self);
    if (!is_exactly(args[0], &cache_entry_type))
        return raise_error(TypeError, "expected a _CacheEntry, not '%.200T'", args[0]);
    CacheEntry *entry = as_cache_entry(args[0]);
    if (entry->owner != extra)
        return raise_error(ValueError, "the entry is not in the list of this _ExtraState");
    retire_entry(take_entry_out(entry));
    return NONE;
}

// ---- the types. A cycle through an entry also goes through an attribute or an item of an object
// that the collector can clear. So the types here have no clear function.

static void cache_entry_traverse(Object *self, VisitFn visit, void *arg)
{
    CacheEntry *entry = (CacheEntry *)self;
    visit_item(entry->check_fn, visit, arg);
    visit_item(entry->code, visit, arg);
    visit_item(entry->backend, visit, arg);
    visit_item(entry->compile_id, visit, arg);
    visit_item(entry->next, visit, arg);
}

static void cache_entry_release(Object *self)
{
    CacheEntry *entry = (CacheEntry *)self;
    invariant(!entry->owner, "an entry in a list is not freed");
    drop(entry->check_fn);
    drop(entry->code);
    drop(entry->backend);
    drop(entry->compile_id);
    drop(entry->next);
    drop(entry->failure);
}

static const MemberDef cache_entry_members[] = {
    {"check_fn", MEMBER_VALUE, offsetof(CacheEntry, check_fn), true, NULL},
    {"code", MEMBER_VALUE, offsetof(CacheEntry, code), true, NULL},
    {"compile_id", MEMBER_VALUE, offsetof(CacheEntry, compile_id), true, NULL},
    {"next", MEMBER_VALUE, offsetof(CacheEntry, next), true, NULL},
    {0},
};

Type cache_entry_type = {
    STATIC_TYPE("torch._C._dynamo.eval_frame._CacheEntry", sizeof(CacheEntry)),
    .flags = TYPE_GC,
    .members = cache_entry_members,
    .release = cache_entry_release,
    .traverse = cache_entry_traverse,
    .getattribute = object_generic_get,
};

static void extra_state_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((ExtraState *)self)->entries, visit, arg);
    visit_item(((ExtraState *)self)->frame_state, visit, arg);
}

static void extra_state_release(Object *self)
{
    invariant(!((ExtraState *)self)->entries, "the entries go before the list does");
    drop(((ExtraState *)self)->frame_state);
}

static const MethodDef extra_state_methods[] = {
    {"invalidate", extra_state_invalidate, ONE_ARG, "Take an entry out of the list."},
    {0},
};

Type extra_state_type = {
    STATIC_TYPE("torch._C._dynamo.eval_frame._ExtraState", sizeof(ExtraState)),
    .flags = TYPE_GC,
    .methods = extra_state_methods,
    .release = extra_state_release,
    .traverse = extra_state_traverse,
    .getattribute = object_generic_get,
};
