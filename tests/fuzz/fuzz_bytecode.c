// Bytes of good code are flipped; what the verifier then accepts is run.
//
//     fuzz_bytecode [count [first]]      cases first .. first + count - 1; a case is the same in every
//                                        run, so that one that ends in a crash can be run alone
//
// A case takes one of the programs in tests/fuzz/bytecode/, changes some bytes of one of its code
// objects (or another field of it), and asks the verifier. A refusal must be SystemError. An
// accepted one runs three times in the whole of its program: in the observed loop with a limit of
// instructions, again with an exception raised at one of them, and in the plain loop. Afterwards
// the functions that are left, and the changed code itself, are called with arguments of all kinds,
// and what generators come of it are resumed, thrown into and closed. Memory, depth and time are
// limited; nothing is read or written.
//
// After every run the machine must be as it was: no frame, no exception handled, no depth, and now
// and then no block of memory more. Built with sanitizers: `make fuzz-bytecode`.
#include "compiler/compile.h"
#include "compiler/opcode.h"
#include "compiler/verify/disassemble.h"
#include "compiler/verify/verify.h"
#include "objects/error.h"
#include "objects/text/str.h"
#include "tests/fuzz/fuzzing.h"
#include "vm/vm.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FOLDER "tests/fuzz/bytecode"
#define MAX_PROGRAMS 40
#define MAX_CODES 100 // in a program
#define TRIES 40
#define CASES_BETWEEN_CHECKS 5000
#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct Program {
    Value codes[MAX_CODES]; // the module's first, each before those among its constants
    int parent[MAX_CODES];  // whose constant it is
    ssize_t index_in_parent[MAX_CODES];
    int count;
} Program;

static Program programs[MAX_PROGRAMS];
static int program_count;
static unsigned long current; // the case that runs
static struct {
    unsigned long unmade, refused, accepted, limited, timeouts;
} counts;

static void on_abort(int signal)
{
    (void)signal;
    fprintf(stderr, "fuzz_bytecode: this was case %lu\n", current);
}

// ---- programs

static void add_codes(Program *program, ValueRef code, int parent, ssize_t index_in_parent)
{
    int index = program->count++;
    if (index == MAX_CODES) fuzz_fail("a program has too many code objects");
    program->codes[index] = retain(code);
    program->parent[index] = parent;
    program->index_in_parent[index] = index_in_parent;
    ValueRef consts = as_code(code)->consts;
    for (ssize_t i = 0; i < tuple_size(consts); i++)
        if (code_check(tuple_at(consts, i))) add_codes(program, tuple_at(consts, i), index, i);
}

static void add_program(const char *name, const char *text, size_t size, CompileMode mode)
{
    Value filename = str_new(name);
    CompileOptions options = {.mode = mode, .filename = filename};
    Value code = compile_source(text, size, &options);
    if (!code || program_count == MAX_PROGRAMS) fuzz_fail("cannot compile a program");
    add_codes(&programs[program_count++], code, 0, 0);
    drop(code);
    drop(filename);
}

static void add_file(const char *path)
{
    char text[1 << 14];
    FILE *file = fopen(path, "r");
    if (!file) fuzz_fail("cannot open a program");
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    add_program(path, text, size, MODE_EXEC);
}

// Operands beyond 255: of constants and names, and of jumps over them.
static void add_long_program(void)
{
    char text[1 << 14];
    int size = sprintf(text, "def f(g):\n  for i in range(2):\n    if g: g = [");
    for (int i = 0; i < 300; i++) size += sprintf(text + size, "%d.5, ", i);
    size += sprintf(text + size, "]\n    else:\n");
    for (int i = 0; i < 300; i++) size += sprintf(text + size, "      n%d = g\n", i);
    size += sprintf(text + size, "  return i\nf(0)\nf(1)\n");
    add_program("long", text, (size_t)size, MODE_EXEC);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_program(const struct dirent *entry)
{
    return strstr(entry->d_name, ".mpy") != NULL;
}

static void add_programs(void)
{
    struct dirent **entries;
    int count = scandir(FOLDER, &entries, is_program, by_name);
    if (count <= 0) fuzz_fail("no programs in " FOLDER);
    for (int i = 0; i < count; i++) {
        char path[600];
        snprintf(path, sizeof path, FOLDER "/%s", entries[i]->d_name);
        add_file(path);
        free(entries[i]);
    }
    free(entries);
    add_long_program();
    static const char shown[] = "1 + 2; (3, 4)\n";
    add_program("shown", shown, sizeof shown - 1, MODE_SINGLE);
}

// Every opcode but NOP, which the peephole pass takes out.
static void check_coverage(void)
{
    bool seen[256] = {[NOP] = true};
    for (int i = 0; i < program_count; i++)
        for (int k = 0; k < programs[i].count; k++) {
            const Bytes *bytes = as_bytes(as_code(programs[i].codes[k])->code);
            for (ssize_t at = 0; at < bytes->size; at += 2) seen[(uint8_t)bytes->data[at]] = true;
        }
    for (int opcode = 0; opcode < 256; opcode++)
        if (opcode_name(opcode) && !seen[opcode]) fuzz_fail(opcode_name(opcode));
}

// ---- changing a code object

static CodeFields fields_of(const Code *code)
{
    return (CodeFields){.argcount = code->argcount,
                        .posonlyargcount = code->posonlyargcount,
                        .kwonlyargcount = code->kwonlyargcount,
                        .nlocals = code->nlocals,
                        .stacksize = code->stacksize,
                        .flags = code->flags,
                        .firstlineno = code->firstlineno,
                        .code = code->code,
                        .consts = code->consts,
                        .names = code->names,
                        .varnames = code->varnames,
                        .freevars = code->freevars,
                        .cellvars = code->cellvars,
                        .filename = code->filename,
                        .name = code->name,
                        .lnotab = code->lnotab};
}

static uint8_t random_opcode(void)
{
    uint8_t opcode;
    do opcode = (uint8_t)random_word();
    while (!opcode_name(opcode));
    return opcode;
}

static void flip(uint8_t *bytes, uint32_t size)
{
    uint32_t at = random_below(size), pair = at & ~1u;
    switch (random_below(8)) {
    case 0:
    case 1: bytes[at] ^= (uint8_t)(1 << random_below(8)); break;
    case 2: bytes[at] = (uint8_t)random_word(); break;
    case 3:
    case 4: bytes[pair] = random_opcode(); break;
    case 5: bytes[pair + 1] = (uint8_t)random_below(10); break;
    case 6: bytes[pair + 1] = (uint8_t)(2 * random_below(size / 2)); break;
    default: memcpy(bytes + pair, bytes + 2 * random_below(size / 2), 2); break;
    }
}

static Value flipped_bytes(ValueRef bytes)
{
    Value copy = bytes_new(as_bytes(bytes)->data, (size_t)as_bytes(bytes)->size);
    uint32_t size = (uint32_t)as_bytes(copy)->size & ~1u;
    for (uint32_t i = 0, flips = 1 + random_below(4); size && i < flips; i++)
        flip((uint8_t *)as_bytes(copy)->data, size);
    return copy;
}

// The same items in another order, or one twice, or one less.
static Value shuffled(ValueRef tuple)
{
    ssize_t size = tuple_size(tuple), keep = size - (size && random_below(4) == 0);
    Value copy = tuple_from_array(lend(as_tuple(tuple)->items), (size_t)keep);
    if (!keep) return copy;
    Value *items = as_tuple(copy)->items;
    Value *a = &items[random_below((uint32_t)keep)], *b = &items[random_below((uint32_t)keep)];
    Value first = *a;
    if (random_below(3) == 0) {
        replace_slot(a, retain(*b));
    } else {
        *a = *b;
        *b = first;
    }
    return copy;
}

static void change_number(CodeFields *f)
{
    int *const numbers[] = {&f->argcount, &f->posonlyargcount, &f->kwonlyargcount, &f->nlocals,
                            &f->stacksize};
    int *number = numbers[random_below(COUNT(numbers))];
    if (random_below(20) == 0)
        *number = (int)random_below(INT32_MAX);
    else
        *number += (int)random_below(5) - 2;
}

static Value change_tuple(CodeFields *f)
{
    ValueRef *const tuples[] = {&f->consts, &f->names, &f->varnames, &f->freevars, &f->cellvars};
    ValueRef *tuple = tuples[random_below(COUNT(tuples))];
    Value changed = shuffled(*tuple);
    *tuple = changed;
    return changed;
}

// Many flips, those only that the verifier accepts: code that is far from any compiler's.
static Value flipped_often(CodeFields fields)
{
    Value bytes = retain(fields.code);
    for (int i = 0; i < TRIES; i++) {
        Value next = flipped_bytes(bytes);
        fields.code = next;
        Value code = code_new(&fields);
        if (code && code_verify(as_code(code)))
            replace_slot(&bytes, next);
        else
            drop(next);
        error_clear();
        drop(code);
    }
    return bytes;
}

// 0 where code_new() refuses to make it.
static Value changed_code(const Code *code)
{
    CodeFields fields = fields_of(code);
    Value changed = VALUE_ERROR;
    switch (random_below(16)) {
    case 0: change_number(&fields); break;
    case 1: fields.flags ^= 1 << random_below(10); break;
    case 2: changed = change_tuple(&fields); break;
    case 3: fields.lnotab = changed = flipped_bytes(fields.lnotab); break;
    case 4:
    case 5: fields.code = changed = flipped_often(fields); break;
    default: fields.code = changed = flipped_bytes(fields.code); break;
    }
    Value made = code_new(&fields);
    drop(changed);
    error_clear();
    return made;
}

// A copy of a code object with another among its constants; as trusted as it was.
static Value with_constant(const Code *code, ssize_t index_in_parent, Value constant)
{
    CodeFields fields = fields_of(code);
    Value consts =
        tuple_from_array(lend(as_tuple(code->consts)->items), (size_t)tuple_size(code->consts));
    replace_slot(&as_tuple(consts)->items[index_in_parent], constant);
    fields.consts = consts;
    Value made = code_new(&fields);
    as_code(made)->compiled = code->compiled;
    drop(consts);
    return made;
}

static Value whole_program(const Program *program, int index, ValueRef changed)
{
    Value code = retain(changed);
    for (; index > 0; index = program->parent[index])
        code = with_constant(as_code(program->codes[program->parent[index]]),
                             program->index_in_parent[index], code);
    return code;
}

static void show(ValueRef code)
{
    Value listing = disassemble(code, false);
    fprintf(stderr, "%s", listing ? str_utf8(listing, NULL) : "?");
    drop(listing);
}

static void run_case(bool shown)
{
    random_state = current * 0x2545F4914F6CDD1D;
    const Program *program = &programs[random_below((uint32_t)program_count)];
    int index = (int)random_below((uint32_t)program->count);
    Value changed = changed_code(as_code(program->codes[index]));
    if (!changed) {
        counts.unmade++;
        return;
    }
    if (shown) show(changed);
    if (!code_verify(as_code(changed))) {
        if (!error_is(SystemError)) fuzz_fail("refused by something else than SystemError");
        error_clear();
        drop(changed);
        counts.refused++;
        return;
    }
    counts.accepted++;
    Value whole = whole_program(program, index, changed);
    uint64_t before = random_state;
    bool limited = fuzz_run_observed(whole, changed, -1);
    counts.limited += limited;
    fuzz_run_observed(whole, changed, FUZZ_STEPS - (long)random_below(200));
    random_state = before; // the same calls as in the first run, which came to an end
    if (!limited) fuzz_run(whole, changed);
    if (fuzz_timed_out()) {
        counts.timeouts++;
        fprintf(stderr, "fuzz_bytecode: case %lu runs out of time\n", current);
    }
    drop(whole);
    drop(changed);
}

// ---- making the machine ready

static void start(void)
{
    fuzz_start();
    signal(SIGABRT, on_abort);
    add_programs();
    check_coverage();
    fuzz_confine();
}

static int finish(void)
{
    for (int i = 0; i < program_count; i++)
        for (int k = 0; k < programs[i].count; k++) drop(programs[i].codes[k]);
    return vm_finish(0);
}

int main(int argc, char **argv)
{
    unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    start();
    time_t began = time(NULL);
    for (current = first; current < first + count; current++) {
        run_case(count == 1);
        if (current % CASES_BETWEEN_CHECKS == CASES_BETWEEN_CHECKS - 1) fuzz_check_memory();
    }
    fuzz_check_memory();
    double seconds = difftime(time(NULL), began);
    printf("%lu cases: %lu not made, %lu refused, %lu accepted and run (%lu out of instructions, "
           "%lu out of time); %.0f a second\n",
           count, counts.unmade, counts.refused, counts.accepted, counts.limited, counts.timeouts,
           (double)count / (seconds > 0 ? seconds : 1));
    return finish();
}
