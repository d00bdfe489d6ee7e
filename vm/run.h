// Runs a program as the module __main__; the text may come from a file, an argument or standard
// input. Each function prints an uncaught exception and returns the exit status: 0, 1, the status
// of SystemExit, or RUN_INTERRUPTED for KeyboardInterrupt.
#pragma once

#include "objects/object.h"

#define RUN_INTERRUPTED (-1)
#define RUN_BROKEN_PIPE (-2)

int run_file(const char *path);
int run_command(const char *text); // -c
int run_module(const char *name);  // -m
int run_input(bool interactive);   // standard input: a program, or the REPL
int run_dialogue(void);            // the REPL, after a program (-i)
// Prints the pending exception and returns the exit status for it.
int run_failed(void);

// A stage of the compiler, whose output is printed instead of running the program.
typedef enum CompileStage {
    STAGE_RUN,
    STAGE_TOKENS,
    STAGE_AST,
    STAGE_SYMTABLE,
    STAGE_DIS,
    STAGE_DECOMPILE,
    STAGE_VERIFY
} CompileStage;
int show_stage(CompileStage stage, const char *text, size_t size, const char *filename);
// The text of a program file, allocated by memory_alloc(); NULL after a message on stderr (status
// 2), or with MemoryError pending.
char *read_program(const char *path, size_t *size);
