// Lesson 5: the input is what to show, and a program.
//
//     show: listing         as --dis prints it, without addresses
//     show: operands        the opcodes and their operands alone, of the module's code
//     bytes 90016401        in place of a program: code that no compiler makes, and
//     lines 0001            its co_lnotab
#include "lessons/harness.h"

#include "compiler/compile.h"
#include "compiler/opcode.h"
#include "compiler/verify/disassemble.h"
#include "objects/bytes/bytes.h"
#include "objects/error.h"
#include "objects/init.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <stdio.h>
#include <string.h>

#define ADDRESS " at 0x"
#define MOST_BYTES 256

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

static Value compile(const char *program)
{
    Value filename = str_new("<lesson>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename, .is_utf8 = true};
    Value code = compile_source(program, strlen(program), &options);
    drop(filename);
    return code;
}

static Value read_bytes(const char *digits)
{
    uint8_t bytes[MOST_BYTES];
    unsigned byte;
    size_t count = 0;
    for (; count < MOST_BYTES && sscanf(digits, "%2x", &byte) == 1; digits += 2)
        bytes[count++] = (uint8_t)byte;
    return bytes_new(bytes, count);
}

// Made of the two lines after "show:".
static Value code_of_bytes(const char *text)
{
    Value made = compile("a = b, 'text'\n");
    Code *code = as_code(made);
    replace_slot(&code->code, read_bytes(text + strlen("bytes ")));
    replace_slot(&code->lnotab, read_bytes(strchr(text, '\n') + 1 + strlen("lines ")));
    return made;
}

void probe(const char *input, size_t size)
{
    (void)size;
    const char *text = strchr(input, '\n') + 1;
    bool is_bytes = strncmp(text, "bytes ", strlen("bytes ")) == 0;
    Value code = is_bytes ? code_of_bytes(text) : compile(text);
    if (code)
        answer_code(input, code);
    else
        answer_exception();
    drop(code);
}
