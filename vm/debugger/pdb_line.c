// See pdb_line.h. The printed texts are CPython's. Files named .pdbrc are not read.
#include "vm/debugger/pdb_line.h"

#include "vm/outside/outside.h"

#include <stdio.h>
#include <string.h>

const char pdb_usage[] = "usage: pdb.py [-c command] ... [-m module | pyfile] [arg] ...\n"
                         "\n"
                         "Debug the Python program given by pyfile. Alternatively,\n"
                         "an executable module or package to debug can be specified using\n"
                         "the -m switch.\n"
                         "\n"
                         "To let the script run until an exception occurs, use \"-c continue\".\n"
                         "To let the script run up to a given line X in the debugged file, use\n"
                         "\"-c 'until X'\".";

static int refuse(const char *what, const char *option)
{
    fprintf(stderr, "getopt.GetoptError: option %s %s\n", option, what);
    return 1;
}

static int add_command(PdbLine *line, const char *command)
{
    int count = 0;
    while (line->commands[count]) count++;
    if (!command) return refuse("requires argument", "-c");
    if (count == MAX_FIRST_COMMANDS) return refuse("is there too often", "-c");
    line->commands[count] = command;
    return -1;
}

// Reads a word of short options such as -mc; advances *index to the last word used.
static int parse_letters(const char *const *words, int count, int *index, PdbLine *line, bool *help)
{
    for (const char *letter = words[*index] + 1; *letter; letter++) {
        char option[] = {'-', *letter, 0};
        if (*letter == 'c' && letter[1]) return add_command(line, letter + 1);
        if (*letter == 'c') return add_command(line, ++*index < count ? words[*index] : NULL);
        if (*letter == 'm')
            line->is_module = true;
        else if (*letter == 'h')
            *help = true;
        else
            return refuse("not recognized", option);
    }
    return -1;
}

static int parse_word(const char *const *words, int count, int *index, PdbLine *line, bool *help)
{
    static const char command[] = "--command";
    const char *word = words[*index];
    if (word[1] != '-') return parse_letters(words, count, index, line, help);
    if (strcmp(word, "--help") == 0) return *help = true, -1;
    if (strcmp(word, command) == 0)
        return add_command(line, ++*index < count ? words[*index] : NULL);
    size_t size = sizeof command - 1;
    if (strncmp(word, command, size) == 0 && word[size] == '=')
        return add_command(line, word + size + 1);
    return refuse("not recognized", word);
}

int pdb_line_parse(const char *const *words, int count, PdbLine *line)
{
    int index = 0;
    bool help = false;
    for (; index < count && words[index][0] == '-' && words[index][1]; index++) {
        bool is_last = strcmp(words[index], "--") == 0;
        if (is_last && ++index) break;
        int status = parse_word(words, count, &index, line, &help);
        if (status >= 0) return status;
    }
    if (index >= count || help) return puts(pdb_usage), index >= count ? 2 : 0;
    line->program = index;
    FileKind kind = outside_file_kind(words[index]);
    if (line->is_module || (kind != FILE_MISSING && kind != FILE_INSIDE_FILE)) return -1;
    printf("Error: %s does not exist\n", words[index]);
    return 1;
}
