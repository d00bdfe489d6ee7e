// Lesson 5: the input is what to show, and a program.
//
//     show: listing         as --dis prints it, without addresses
//     show: operands        the opcodes and their operands alone, of the module's code
#include "lessons/harness.h"

#include "compiler/compile.h"
#include "compiler/opcode.h"
#include "compiler/verify/disassemble.h"
#include "objects/bytes/bytes.h"
#include "objects/error.h"
#include "objects/init.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <string.h>

#define ADDRESS " at 0x"

void probe_begin(void)
{
    objects_init();
}

static void answer_listing(const char *text)
{
    const char *address;
    while ((address = strstr(text, ADDRESS))) {
        answer("%.*s", (int)(address - text), text);
        text = address + strlen(ADDRESS);
        text += strspn(text, "0123456789abcdef");
    }
    answer("%s", text);
}

static void answer_operands(const Code *code)
{
    const uint8_t *bytes = (const uint8_t *)as_bytes(code->code)->data;
    for (int i = 0; 2 * i < (int)code_size(code); i++)
        answer("%s %u\n", opcode_name(bytes[2 * i]), (unsigned)opcode_operand_at(bytes, i));
}

static void answer_exception(void)
{
    Value exception = error_take();
    Value text = exception ? object_str(exception) : VALUE_ERROR;
    answer("fails: %s\n", text ? str_utf8(text, NULL) : "without an exception");
    drop(text);
    drop(exception);
    error_clear();
}

static void answer_code(const char *show, ValueRef code)
{
    if (strncmp(show, "show: operands", strlen("show: operands")) == 0) {
        answer_operands(as_code(code));
        return;
    }
    Value listing = disassemble(code, true);
    if (listing)
        answer_listing(str_utf8(listing, NULL));
    else
        answer_exception();
    drop(listing);
}

void probe(const char *input, size_t size)
{
    const char *program = strchr(input, '\n') + 1;
    Value filename = str_new("<lesson>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename, .is_utf8 = true};
    Value code = compile_source(program, size - (size_t)(program - input), &options);
    if (code)
        answer_code(input, code);
    else
        answer_exception();
    drop(code);
    drop(filename);
}
