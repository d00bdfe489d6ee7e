// See compile_page.h. What is remembered is a dict from these tuples to how often each came:
//
//     (decision, id(code), line, id(entry's code) or 0, failures, type of the error or None)
//
// where `failures` are those of the entries that were tried before: (id(entry's code), reason) of
// each. They stand in the order in which they came first. A program that runs a compiled function a
// million times has few different ones; a reason can name a value that is another one each time, so
// their number has a limit. The codes are kept, id -> code, so that no id comes to mean another.
#include "vm/trace/compile_page.h"

#include "vm/import/import.h"
#include "vm/trace/trace_cache.h"

#include "objects/bytes/bytes.h"
#include "objects/call.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

#include <string.h>

#define MOST_DECISIONS 20000

static const char *const names[] = {
    [CACHE_THROWN] = "thrown", [CACHE_PASSED_BY] = "passed by", [CACHE_HIT] = "hit",
    [CACHE_MISSED] = "missed", [CACHE_COMPILED] = "compiled",   [CACHE_SKIPPED] = "skipped",
    [CACHE_FAILED] = "failed",
};

static Value recorder, decisions, codes; // all or none
static int64_t forgotten;                // decisions for which there was no room

// id(code), which is kept.
static Value known(ValueRef code)
{
    Value id = int_new(memory_id(object_of(code)));
    if (!id || dict_set(codes, id, code)) return id;
    drop(id);
    return VALUE_ERROR;
}

static Value failure(const CacheEntry *entry)
{
    Value parts[] = {known(entry->code), entry->failure ? retain(entry->failure) : retain(NONE)};
    return tuple_from_owned(parts, 2);
}

// Of the entries from `first` that were tried before `last`; NULL = all.
static Value failures(ValueRef first, const CacheEntry *last)
{
    ssize_t count = 0;
    for (ValueRef next = first; next && as_cache_entry(next) != last; count++)
        next = as_cache_entry(next)->next;
    Value found = tuple_new(count);
    for (ssize_t i = 0; found && i < count; i++, first = as_cache_entry(first)->next) {
        as_tuple(found)->items[i] = failure(as_cache_entry(first));
        if (!as_tuple(found)->items[i]) drop_slot(&found);
    }
    return found;
}

static Value tried(CacheDecision decision, const ExtraState *extra, const CacheEntry *entry)
{
    if (decision == CACHE_THROWN || decision == CACHE_PASSED_BY) return tuple_new(0);
    return failures(decision == CACHE_COMPILED ? (ValueRef)entry->next : (ValueRef)extra->entries,
                    entry);
}

// False where there is no room.
static bool count(ValueRef key)
{
    Value before = dict_get(decisions, key);
    if (!before) return false;
    if (before == ABSENT && dict_size(decisions) >= MOST_DECISIONS) return false;
    int64_t so_far = before == ABSENT ? 0 : small_value(before);
    drop(before);
    return dict_set_owned(decisions, key, int_new(so_far + 1));
}

static void remember(int decision, Frame *frame, const ExtraState *extra, const CacheEntry *entry)
{
    if (cache_is_step(decision) || !trace_is_of_program(frame)) return;
    Value error = error_take();
    Value parts[] = {
        str_new(names[decision]),      known(frame->code),
        int_new(frame_line(frame)),    entry ? known(entry->code) : int_new(0),
        tried(decision, extra, entry), error ? type_name(type_of(error)) : retain(NONE),
    };
    Value key = tuple_from_owned(parts, sizeof parts / sizeof *parts);
    if (!key || !count(key)) {
        forgotten++; // the page says so, and the program runs on
        error_clear();
    }
    drop(key);
    error_restore(error);
}

bool compile_page_begin(const char *path)
{
    Value module = import_module("torch._dynamo.compile_page");
    Value name = module ? str_intern("Recorder") : VALUE_ERROR;
    Value file = name ? bytes_new(path, strlen(path)) : VALUE_ERROR; // open() takes bytes as well
    recorder = file ? object_call_method_one(module, name, file) : VALUE_ERROR;
    drop(file);
    drop(name);
    drop(module);
    decisions = recorder ? dict_new() : VALUE_ERROR;
    codes = decisions ? dict_new() : VALUE_ERROR;
    if (codes) upcalls.observe_cache = remember;
    return codes;
}

bool compile_page_end(void)
{
    upcalls.observe_cache = NULL;
    Value name = str_intern("write"), lost = int_new(forgotten), result = VALUE_ERROR;
    const ValueRef args[] = {recorder, decisions, codes, lost};
    if (name && lost) result = object_call_method(name, args, 4, 0);
    drop(name);
    drop(lost);
    drop(result);
    drop_slot(&recorder);
    drop_slot(&decisions);
    drop_slot(&codes);
    return result;
}
