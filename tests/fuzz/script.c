// See script.h.
#include "tests/fuzz/script.h"

#include "objects/bytes/bytes.h"
#include "objects/call.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "tests/fuzz/acts.h"
#include "tests/fuzz/fuzzing.h"
#include "vm/import/import.h"
#include "vm/outside/outside.h"
#include "vm/run.h"
#include "vm/vm.h"

#include <stdio.h>
#include <string.h>

static Value one;

static ValueRef defined(const char *name)
{
    Value text = str_intern(name);
    ValueRef value = dict_peek(import_main_globals(), text);
    drop(text);
    return value;
}

void script_start(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "tests/fuzz/targets/fuzz_%s.mpy", name);
    if (!acts_give() || run_file(path) != 0) fuzz_fail(path);
    one = retain(defined("one"));
    if (!one) fuzz_fail("a target has no function `one`");
}

void script_finish(void)
{
    drop_slot(&one);
}

Value script_list(const char *name)
{
    ValueRef value = defined(name);
    return value ? retain(value) : VALUE_ERROR;
}

// Without memory or time a target ends as it can; all else that it raises is a fault.
void script_one(const uint8_t *bytes, size_t size)
{
    Value data = bytes_new((const char *)bytes, size);
    Value result = data ? object_call_one(one, data) : VALUE_ERROR;
    bool ended = !result && !error_is(MemoryError) && !error_is(KeyboardInterrupt);
    if (ended) {
        fuzz_limits(0);
        run_failed();
        fuzz_fail("an input raises what it should not");
    }
    error_clear();
    drop(result);
    drop(data);
}
