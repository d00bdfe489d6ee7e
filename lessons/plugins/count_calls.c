// A profiler: how often each function was called, and how long until it returned.
//
//     minivm --eval-frame count_calls.so script.mpy      (with NO_TIME set: the counts alone)
//
// What it knows of a function hangs on the function's code object, in a slot of co_extra: no table
// to search, and nothing to pay for code that never runs. A function's time includes that of the
// functions it calls; where it calls itself, the clock runs once.
#include "minivm_plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_RECORDS 1000 // all code objects beyond share the last one

typedef struct Record {
    char name[80];
    long calls, depth;
    double seconds;
} Record;

static const PluginApi *api;
static EvalFrameFn next;
static int slot, record_count;
static Record records[MAX_RECORDS];

static double now(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// NULL with an exception pending.
static Record *record_of(Code *code)
{
    Record *record = api->code_get_extra(code, slot);
    if (record) return record;
    if (record_count < MAX_RECORDS) record_count++;
    record = &records[record_count - 1];
    CodeInfo info = api->code_info(code);
    snprintf(record->name, sizeof record->name, "%s, line %d", info.name, info.firstlineno);
    return api->code_set_extra(code, slot, record) ? record : NULL;
}

static Value count(ThreadState *thread, Frame *frame, int throwflag)
{
    Record *record = record_of(api->frame_code(frame));
    if (!record) return 0;
    if (api->frame_lasti(frame) < 0) record->calls++; // a generator that goes on is no new call
    double start = now();
    record->depth++;
    Value result = next(thread, frame, throwflag);
    if (--record->depth == 0) record->seconds += now() - start;
    return result;
}

static int most_calls_first(const void *a, const void *b)
{
    const Record *left = a, *right = b;
    if (left->calls == right->calls) return strcmp(left->name, right->name);
    return left->calls < right->calls ? 1 : -1;
}

static void report(void)
{
    qsort(records, (size_t)record_count, sizeof *records, most_calls_first);
    bool timed = !getenv("NO_TIME");
    fprintf(stderr, "%8s%s  function\n", "calls", timed ? "          ms" : "");
    for (int i = 0; i < record_count; i++) {
        fprintf(stderr, "%8ld", records[i].calls);
        if (timed) fprintf(stderr, "%12.3f", 1e3 * records[i].seconds);
        fprintf(stderr, "  %s\n", records[i].name);
    }
}

static bool init(const PluginApi *given)
{
    api = given;
    slot = api->extra_request_index(NULL, NULL);
    next = api->eval_frame_get();
    api->eval_frame_set(count);
    return slot >= 0;
}

MINIVM_PLUGIN(init, report);
