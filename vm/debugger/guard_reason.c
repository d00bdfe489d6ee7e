// See guard_reason.h.
#include "vm/debugger/guard_reason.h"

#include "vm/debugger/visitor.h"
#include "vm/import/import.h"
#include "vm/outside/outside.h"
#include "vm/sys/sys.h"

#include "objects/call.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

#include <string.h>

#define REASON_BYTES 1000

static char *reason; // the copies write it: memory shared with this process

typedef struct Question {
    ValueRef guard, code, locals;
} Question;

// Owned: a str, None, or VALUE_ERROR.
static Value ask_library(const Question *question)
{
    Value module = import_isolate(true) ? import_module("torch._dynamo.guards") : VALUE_ERROR;
    Value name = module ? str_intern("get_guard_fail_reason") : VALUE_ERROR;
    ValueRef args[] = {module, question->guard, question->code, question->locals};
    return name ? object_call_method(name, args, 4, VALUE_ERROR) : VALUE_ERROR;
}

static void answer(const void *argument)
{
    const Question *question = argument;
    visitor_become();
    size_t size = 0;
    bool is_mute = sys_set("stdout", NONE) && sys_set("stderr", NONE); // the guard has printed once
    Value part = is_mute ? ask_library(question) : VALUE_ERROR;
    const char *text = part && str_check(part) ? str_utf8(part, &size) : NULL;
    if (text && size < REASON_BYTES) memcpy(reason, text, size + 1);
}

static Value explain(ValueRef guard, ValueRef code, ValueRef locals)
{
    const Question question = {guard, code, locals};
    *reason = 0;
    if (!outside_run_copy(answer, &question, reason, REASON_BYTES)) return ABSENT;
    return *reason ? str_from_utf8(reason, strlen(reason)) : ABSENT;
}

void guard_reason_start(void)
{
    if (!reason) reason = memory_share(REASON_BYTES);
    if (reason) upcalls.explain_guard = explain;
}
