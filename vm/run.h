// Running a program, wherever its text comes from, as the module __main__. Each function returns
// the exit status, after an uncaught exception was shown: 0, 1, or what SystemExit asked for;
// RUN_INTERRUPTED for KeyboardInterrupt.
#pragma once

#include "objects/object.h"

#define RUN_INTERRUPTED (-1)
#define RUN_BROKEN_PIPE (-2)

int run_file(const char *path);
int run_command(const char *text); // -c
int run_module(const char *name);  // -m
int run_input(bool interactive);   // standard input: a program, or the REPL
// The status that the pending exception gives, after showing it.
int run_failed(void);

// A stage of the compiler shown instead of run.
typedef enum CompileStage {
    STAGE_RUN,
    STAGE_TOKENS,
    STAGE_AST,
    STAGE_SYMTABLE,
    STAGE_DIS,
    STAGE_VERIFY
} CompileStage;
int show_stage(CompileStage stage, const char *text, size_t size, const char *filename);
// The text of a program file, allocated by memory_alloc(); NULL after a message on stderr (status
// 2).
char *read_program(const char *path, size_t *size);
