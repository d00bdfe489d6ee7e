// The program of a regular expression while it is compiled: words in an arena, to which
// regex_compile.c and regex_set.c append. Without memory they leave by arena_fail().
#include "objects/memory.h"
#include "vm/modules/re/regex_tree.h"

size_t regex_emit(RegexCode *code, uint32_t word)
{
    if (code->size == code->capacity) {
        size_t capacity = code->capacity ? code->capacity * 2 : 64;
        uint32_t *words = arena_alloc(code->arena, capacity * sizeof *words);
        if (code->size) memcpy(words, code->words, code->size * sizeof *words);
        code->words = words;
        code->capacity = capacity;
    }
    code->words[code->size] = word;
    return code->size++;
}
