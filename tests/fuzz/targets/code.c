// Any bytes at all, as marshal's: what is read of them, verified, listed and run.
#include "tests/fuzz/driver.h"

#include "compiler/compile.h"
#include "compiler/verify/disassemble.h"
#include "compiler/verify/verify.h"
#include "objects/bytes/bytes.h"
#include "objects/error.h"
#include "objects/marshal/marshal.h"
#include "objects/text/str.h"
#include "tests/fuzz/fuzzing.h"
#include "vm/trace/trace_view.h"

Value fuzz_seed_code(const char *text, size_t size)
{
    Value filename = str_new("seed");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename};
    Value code = compile_source(text, size, &options);
    Value bytes = code ? marshal_write(code, MARSHAL_VERSION) : VALUE_ERROR;
    drop(code);
    drop(filename);
    return bytes;
}

// As the traces and `dis` show code, good or bad.
static void list_code(ValueRef code)
{
    char text[200];
    Value listing = disassemble(code, false);
    drop(listing);
    error_clear();
    for (ssize_t at = 0; at + 1 < code_size(as_code(code)); at += 2)
        trace_operand(text, sizeof text, as_code(code), (int)at);
}

// The arguments of a call are drawn: the same for the same code, whatever ran before.
static void run_code(ValueRef code)
{
    int count = 0;
    uint64_t before = random_state;
    random_state = (uint64_t)code_size(as_code(code));
    if (code_verify_all(as_code(code), &count)) {
        bool ran_out = fuzz_run_observed(code, code, -1);
        if (!ran_out) fuzz_run(code, code);
    } else if (!error_is(SystemError) && !error_is(MemoryError)) {
        fuzz_fail("refused by something else than SystemError");
    }
    random_state = before;
    error_clear();
}

static void check_again(ValueRef value)
{
    Value bytes = marshal_write(value, MARSHAL_VERSION);
    error_clear();
    Value again =
        bytes ? marshal_read(as_bytes(bytes)->data, (size_t)as_bytes(bytes)->size) : VALUE_ERROR;
    if (bytes && !again && !error_is(MemoryError)) fuzz_fail("marshal cannot read what it wrote");
    error_clear();
    drop(bytes);
    drop(again);
}

void fuzz_code(const uint8_t *bytes, size_t size)
{
    static bool confined;
    if (!confined) fuzz_confine();
    confined = true;
    Value value = marshal_read(bytes, size);
    error_clear();
    if (!value) return;
    check_again(value);
    if (code_check(value)) {
        list_code(value);
        run_code(value);
    }
    drop(value);
}
