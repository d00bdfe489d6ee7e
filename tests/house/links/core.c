// objects/, compiler/ and frames/: code is compiled and carries something in co_extra; nothing runs it.
#include "compiler/compile.h"
#include "frames/hook.h"
#include "objects/code.h"
#include "objects/init.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

#include <stdio.h>

static void released(void *extra)
{
    if (extra) printf("released %s\n", (const char *)extra);
}

int main(void)
{
    if (!objects_init() || !frame_types_init()) return 1;
    upcalls.release_extra = code_release_extra;
    Value name = str_new("link.mpy");
    CompileOptions options = {.filename = name, .grammar_age = NEWEST_GRAMMAR};
    Value code = compile_source("x = 1\n", 6, &options);
    int index = extra_request_index(released, NULL);
    if (!code || !code_set_extra(as_code(code), index, "what was kept")) return 1;
    puts(code_get_extra(as_code(code), index));
    drop(code);
    drop(name);
    objects_finish();
    return 0;
}
