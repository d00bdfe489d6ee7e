// The order in which the objects come to life. Memory and the stack first; then the collector, in
// whose lists every container is; then names, which are plain strs and need no ready type; then the
// types in the order of types.def; and the exceptions, which are types as well. A module whose
// objects are shared (the empty tuple, the single characters) makes them when they are first asked
// for and gives them back in its finish function.
#include "objects/init.h"

#include "objects/bytes/bytes.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/stack.h"
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
    memory_finish();
}
