// Code that is made by hand, run: what the verifier says of it, and what the loop says of values
// that it finds. The texts are in tests/verify/assembled/, with their answers; the assembler here
// reads their instructions. No other Python has it, and none would survive what it makes.
//
//     assemble("LOAD_FAST 0; RETURN_VALUE")   bytes; a line's end or `;` ends an instruction
//     far("JUMP_ABSOLUTE", 6)                 an instruction of three units, whatever the operand
//     changed(code, co_flags=0)               code.replace()
#include "tests/unit/unit.h"

#include "compiler/opcode.h"
#include "vm/builtins/builtins.h"
#include "vm/run.h"
#include "vm/vm.h"

#include "objects/bytes/bytes.h"
#include "objects/call.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- the assembler

static int opcode_of(const char *name, size_t size)
{
    for (int opcode = 0; opcode < 256; opcode++) {
        const char *known = opcode_name(opcode);
        if (known && strlen(known) == size && memcmp(known, name, size) == 0) return opcode;
    }
    ck_abort_msg("no opcode is called %.*s", (int)size, name);
}

static Value assemble(FUNCTION_ARGS)
{
    const char *text = str_utf8(args[0], NULL);
    char bytes[200];
    size_t size = 0;
    while (*(text += strspn(text, " ;\n"))) {
        size_t name = strcspn(text, " ;\n");
        ck_assert(size + 2 <= sizeof bytes);
        bytes[size++] = (char)opcode_of(text, name);
        text += name + strspn(text + name, " ");
        bytes[size++] = (char)strtol(text, (char **)&text, 10);
    }
    return bytes_new(bytes, size);
}

static Value far(FUNCTION_ARGS)
{
    const char *name = str_utf8(args[0], NULL);
    int64_t operand = small_value(args[1]);
    const char bytes[] = {(char)EXTENDED_ARG,    (char)(operand >> 16),
                          (char)EXTENDED_ARG,    (char)(operand >> 8),
                          (char)opcode_of(name, strlen(name)), (char)operand};
    return bytes_new(bytes, sizeof bytes);
}

static Value changed(FUNCTION_ARGS)
{
    Value name = str_intern("replace");
    Value result = object_call_method(name, args, nargs, kwnames);
    drop(name);
    return result;
}

static const MethodDef functions[] = {
    {"assemble", assemble, ONE_ARG, NULL},
    {"far", far, ARGS(2, 2), NULL},
    {"changed", changed, KEYWORD_ARGS, NULL},
    {0},
};

// ---- running a text

// Standard output or error goes into a file without a name, until it is put back.
typedef struct Captured {
    FILE *file;
    int fd, old;
} Captured;

static Captured capture(int fd)
{
    Captured captured = {.file = tmpfile(), .fd = fd, .old = dup(fd)};
    ck_assert(captured.file && dup2(fileno(captured.file), fd) == fd);
    return captured;
}

static void put_back(const Captured *captured)
{
    ck_assert(dup2(captured->old, captured->fd) == captured->fd);
    close(captured->old);
}

static size_t read_all(FILE *file, char *text, size_t room)
{
    rewind(file);
    size_t size = fread(text, 1, room - 1, file);
    ck_assert(size < room - 1);
    text[size] = 0;
    fclose(file);
    return size;
}

// Tracebacks name the file alone.
static void remove_folder(char *text)
{
    char folder[1000];
    ck_assert_ptr_nonnull(getcwd(folder, sizeof folder - 1));
    strcat(folder, "/");
    for (size_t size = strlen(folder); (text = strstr(text, folder)) != NULL;)
        memmove(text, text + size, strlen(text + size) + 1);
}

static const char *const texts[] = {"001_refused", "002_types", "003_sizes"};

START_TEST(text_of_the_assembler)
{
    enum { ROOM = 1 << 16 };
    static char said[ROOM], errors[ROOM], expected[ROOM];
    const char *argv[] = {"test", NULL};
    char path[40];
    ck_assert(chdir("tests/verify/assembled") == 0);
    ck_assert(vm_init(&(SysOptions){.argc = 1, .argv = argv, .executable = "minivm"}));
    ck_assert(module_add_functions(builtins_module(), functions));
    snprintf(path, sizeof path, "%s.txt", texts[_i]);
    Captured output = capture(1), error = capture(2);
    int status = vm_finish(run_file(path));
    put_back(&output);
    put_back(&error);
    size_t size = read_all(output.file, said, ROOM);
    read_all(error.file, errors, ROOM);
    remove_folder(errors);
    if (*errors)
        size += (size_t)snprintf(said + size, ROOM - size, "[stderr]\n%s", errors);
    if (status) snprintf(said + size, ROOM - size, "[exit status %d]\n", status);
    snprintf(path, sizeof path, "%s.expected", texts[_i]);
    FILE *answer = fopen(path, "r");
    ck_assert_ptr_nonnull(answer);
    read_all(answer, expected, ROOM);
    ck_assert_str_eq(said, expected);
}
END_TEST

Suite *assembled_suite(void)
{
    Suite *suite = suite_create("assembled");
    TCase *tests = bare_case(suite, "assembled");
    tcase_add_loop_test(tests, text_of_the_assembler, 0, sizeof texts / sizeof *texts);
    return suite;
}
