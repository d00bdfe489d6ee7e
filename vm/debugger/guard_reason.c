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

// Owned: a str, None, or VALUE_ERROR.
static Value ask_library(ValueRef guard, ValueRef code, ValueRef locals)
{
    Value module = import_isolate(true) ? import_module("torch._dynamo.guards") : VALUE_ERROR;
    Value name = module ? str_intern("get_guard_fail_reason") : VALUE_ERROR;
    ValueRef args[] = {module, guard, code, locals};
    return name ? object_call_method(name, args, 4, VALUE_ERROR) : VALUE_ERROR;
}

static _Noreturn void answer(ValueRef guard, ValueRef code, ValueRef locals)
{
    visitor_become();
    size_t size = 0;
    bool is_mute = sys_set("stdout", NONE) && sys_set("stderr", NONE); // the guard has printed once
    Value part = is_mute ? ask_library(guard, code, locals) : VALUE_ERROR;
    const char *text = part && str_check(part) ? str_utf8(part, &size) : NULL;
    if (text && size < REASON_BYTES) memcpy(reason, text, size + 1);
    outside_end(0);
}

static Value explain(ValueRef guard, ValueRef code, ValueRef locals)
{
    int status;
    *reason = 0;
    int process = outside_fork();
    if (process == 0) answer(guard, code, locals);
    if (process > 0) outside_wait(process, &status);
    return *reason ? str_from_utf8(reason, strlen(reason)) : ABSENT;
}

void guard_reason_start(void)
{
    if (!reason) reason = memory_share(REASON_BYTES);
    if (reason) upcalls.explain_guard = explain;
}
