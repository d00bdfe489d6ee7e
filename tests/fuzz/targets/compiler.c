// Any text at all, as a program: tokens, tree, symbols, code. What the compiler makes, the verifier
// accepts, and marshal gives back as it was.
//
// The first byte says how it is compiled.
#include "tests/fuzz/driver.h"

#include "compiler/compile.h"
#include "compiler/verify/verify.h"
#include "objects/bytes/bytes.h"
#include "objects/error.h"
#include "objects/marshal/marshal.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "tests/fuzz/fuzzing.h"

#include <string.h>

// Only these may end a compilation; the memory of an input is limited as well.
static void check_refused(void)
{
    if (error_pending() && !error_is(SyntaxError) && !error_is(MemoryError) &&
        !error_is(RecursionError) && !error_is(ValueError) && !error_is(KeyboardInterrupt))
        fuzz_fail("the compiler raises what it should not");
    error_clear();
}

static void check_code(ValueRef code)
{
    int count = 0;
    if (!code_verify_all(as_code(code), &count) && !error_is(MemoryError))
        fuzz_fail("the verifier refuses what the compiler made");
    Value bytes = marshal_write(code, MARSHAL_VERSION);
    Value again =
        bytes ? marshal_read(as_bytes(bytes)->data, (size_t)as_bytes(bytes)->size) : VALUE_ERROR;
    Value more = again ? marshal_write(again, MARSHAL_VERSION) : VALUE_ERROR;
    if (more && as_bytes(more)->size != as_bytes(bytes)->size)
        fuzz_fail("marshal reads another code than it has written");
    drop(bytes);
    drop(again);
    drop(more);
    error_clear();
}

Value fuzz_seed_compiler(const char *text, size_t size)
{
    Value bytes = bytes_new(NULL, size + 1);
    if (bytes) memcpy(as_bytes(bytes)->data + 1, text, size);
    if (bytes) as_bytes(bytes)->data[0] = 0;
    return bytes;
}

void fuzz_compiler(const uint8_t *bytes, size_t size)
{
    if (!size) return;
    Value filename = str_new("input");
    CompileOptions options = {.mode = bytes[0] & 3,
                              .filename = filename,
                              .optimize = bytes[0] >> 2 & 1,
                              .grammar_age = bytes[0] >> 3 & 1 ? 4 : NEWEST_GRAMMAR,
                              .is_utf8 = bytes[0] >> 4 & 1,
                              .is_file = bytes[0] >> 5 & 1,
                              .flags = (bytes[0] >> 6 & 1 ? PyCF_TYPE_COMMENTS : 0) |
                                       (bytes[0] >> 7 & 1 ? PyCF_ALLOW_TOP_LEVEL_AWAIT : 0)};
    const char *text = (const char *)bytes + 1;
    Value code = compile_source(text, size - 1, &options);
    check_refused();
    if (code && code_check(code)) check_code(code);
    drop(code);
    drop(tokens_dump(text, size - 1, &options));
    check_refused();
    drop(symtable_dump(text, size - 1, &options));
    check_refused();
    drop(filename);
}
