// See acts.h.
#include "tests/fuzz/acts.h"

#include "objects/call.h"
#include "objects/classes/method.h"
#include "objects/containers/list.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "vm/import/import.h"

static const char *const methods[] = {
    "clear",        "pop",
    "append",       "extend",
    "insert",       "remove",
    "popleft",      "appendleft",
    "rotate",       "sort",
    "reverse",      "update",
    "popitem",      "setdefault",
    "discard",      "add",
    "move_to_end",  "close",
    "release",      "detach",
    "truncate",     "seek",
    "write",        "read",
    "readline",     "resize_",
    "set_",         "t_",
    "__init__",     "__next__",
    "__delitem__",  "fromlist",
    "frombytes",    "byteswap",
    "send",         "throw",
    "__setstate__", "unlink",
    "flush",        "squeeze_",
    "as_strided_",  "__iter__",
    "__dict__",     "reset",
    "zero_",        "requires_grad_",
    "detach_",      "cancel",
    "__exit__",     "expandtabs",
    "swapaxes_",    "resize",
    "decompress",   "compress",
    "feed",         "Parse",
};
#define METHODS (sizeof methods / sizeof *methods)

static Value argument(int64_t number)
{
    switch (number % 5) {
    case 0: return from_small(0);
    case 1: return from_small(number % 97);
    case 2: return list_new(0);
    case 3: return str_new("a");
    default: return NONE;
    }
}

static void call_method(ValueRef object, const char *method, int64_t number)
{
    Value name = str_intern(method);
    Value function = name ? object_get(object, name) : VALUE_ERROR;
    Value first = argument(number), second = argument(number / 5);
    const ValueRef args[] = {first, second};
    if (function && object_is_callable(function))
        drop(object_call(function, args, (size_t)(number % 3), VALUE_ERROR));
    drop(name);
    drop(function);
    drop(first);
    drop(second);
    error_clear();
}

static Value act(FUNCTION_ARGS)
{
    int64_t number = is_small(args[0]) ? small_value(args[0]) & 0xFFFF : 0;
    if (number % 61 == 60) gc_collect(2);
    call_method(args[1], methods[(size_t)number % METHODS], number / (int64_t)METHODS);
    return NONE;
}

static const MethodDef act_def = {"act", act, ARGS(2, 2), NULL};

bool acts_give(void)
{
    Value function = builtin_new(&act_def, VALUE_ERROR, VALUE_ERROR);
    bool done = function && dict_set_ascii(import_main_globals(), "act", function);
    drop(function);
    return done;
}
