// The command line of `minivm -m pdb`, which is that of `python3 -m pdb`:
//
//     [-c command] ... [-m module | pyfile] [arg] ...
#pragma once

#include <stdbool.h>

#define MAX_FIRST_COMMANDS 32

typedef struct PdbLine {
    const char *commands[MAX_FIRST_COMMANDS + 1]; // of -c; ends with NULL
    bool is_module;
    int program; // the number of the word that names it; its arguments follow
} PdbLine;

extern const char pdb_usage[]; // without a newline at its end
// -1, or the exit status if it has printed something instead (help, an error).
int pdb_line_parse(const char *const *words, int count, PdbLine *line);
