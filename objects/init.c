// The order in which objects/ is initialised:
// 1. memory and the stack;
// 2. the collector, which tracks every container;
// 3. names: they are plain strs and need no ready type;
// 4. the types, in the order of types.def;
// 5. the exceptions, which are types as well.
//
// A file with shared objects (the empty tuple, the single characters) makes each when it is first
// used, and frees them in its finish function.
#include "objects/init.h"

#include "objects/bytes/bytes.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/stack.h"
#include "objects/tensor/storage.h"
#include "objects/text/str.h"
#include "objects/type.h"

bool objects_init(void)
{
    if (!memory_init()) return false;
    stack_init();
    gc_init();
    return names_init() && types_init() && exceptions_init();
}

void objects_finish(void)
{
    error_finish();
    gc_finish();
    exceptions_finish();
    types_finish();
    names_finish();
    bytes_finish();
    strs_finish();
    storage_flush();
    memory_finish();
}
