// The debugger and the traces, as the machine reaches them: by one table. The core (make core) is
// built without them: there `tools` is NULL, and main.c refuses the options.
//
//     open      before the machine starts          complete  a limit is about to end the process
//     start     the machine has started            finish    the machine has ended
//     begin     the program is about to run        close     the process is about to end
//     end       the program has ended
//
// Which of them do something depends on the options.
#pragma once

#include "objects/config.h"
#include "objects/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ToolOptions {
    bool debug, trace, trace_cache, trace_compile;
    const char *channel; // of --debug=FACE,IN,OUT (vm/lib/debugger/apart.mpy)
    const char *page;    // of --trace-html
    int64_t page_steps;
    const char *compile_page; // of --compile-html
} ToolOptions;

// `minivm -m pdb` with its arguments: see pdb_line.h.
typedef struct PdbProgram {
    bool is_module;
    int word; // the number of the argument that names it
} PdbProgram;

typedef struct Tools {
    // -1, or the exit status if it has printed something instead.
    int (*parse_pdb)(const char *const *words, int count, PdbProgram *program);
    bool (*open)(const ToolOptions *options);  // false after a message on stderr
    bool (*start)(const ToolOptions *options); // false with errno set: the page cannot be written
    bool (*begin)(const ToolOptions *options); // false after a message on stderr
    // The text of a program that is in no file, for the debugger to show.
    void (*keep_source)(const char *text, size_t size);
    // An uncaught exception is about to be printed, or SystemExit ends the program.
    void (*uncaught)(ValueRef exception);
    // Has the user quit a program that --debug has begun? Then clears its exception.
    bool (*was_left)(void);
    void (*end)(int status);
    void (*complete)(void);
    bool (*finish)(void); // false with errno set: a write of the page has failed
    void (*close)(int status);
} Tools;

#if CORE
static const Tools *const tools = NULL;
#else
extern const Tools *const tools;
#endif
