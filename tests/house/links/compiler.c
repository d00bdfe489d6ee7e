// objects/ and compiler/: a source text becomes code, and the code is listed.
#include "compiler/compile.h"
#include "compiler/verify/disassemble.h"
#include "objects/init.h"
#include "objects/text/str.h"

#include <stdio.h>

int main(void)
{
    if (!objects_init()) return 1;
    Value name = str_new("link.mpy");
    CompileOptions options = {.mode = MODE_EVAL, .filename = name, .grammar_age = NEWEST_GRAMMAR};
    Value code = compile_source("x * 7", 5, &options);
    Value listing = code ? disassemble(code, false) : VALUE_ERROR;
    if (!listing) return 1;
    fputs(str_utf8(listing, NULL), stdout);
    drop(listing);
    drop(code);
    drop(name);
    objects_finish();
    return 0;
}
