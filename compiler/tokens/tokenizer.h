// The tokenizer returns the tokens of a source text one at a time, as CPython's does: comments and
// empty lines are skipped, and changes of indentation are the tokens INDENT and DEDENT.
//
//     tokenizer_begin(&tokenizer, arena, &source, filename);
//     do type = tokenizer_next(&tokenizer, &span); while (type != TOKEN_ENDMARKER);
//
// The parser reads the tokenizer's state, since 3.9's error messages and positions depend on it.
#pragma once

#include "compiler/tokens/source.h"

typedef enum TokenType {
#define TOKEN(name, number, text) TOKEN_##name = number,
#define KEYWORD(word)
#include "compiler/tokens/tokens.def"
#undef TOKEN
#undef KEYWORD
    TOKEN_KEYWORDS = 63,
#define TOKEN(name, number, text)
#define KEYWORD(word) TOKEN_##word,
#include "compiler/tokens/tokens.def"
#undef TOKEN
#undef KEYWORD
    TOKEN_TYPE_COUNT
} TokenType;

#define MAX_INDENT 100  // levels of indentation
#define MAX_NESTING 200 // open parentheses
#define TAB_SIZE 8

// Why there is no further token.
typedef enum TokenizerDone {
    DONE_NOT,
    DONE_END,       // the text is used up
    DONE_EXCEPTION, // an exception is pending
    DONE_DECODE,    // likewise, a UnicodeDecodeError
    DONE_IN_TRIPLE_QUOTED,
    DONE_IN_STRING,
    DONE_DEDENT, // an indentation that was not there before
    DONE_TABS,   // tabs and spaces mixed
    DONE_TOO_DEEP,
    DONE_CONTINUATION, // something after a backslash
} TokenizerDone;

typedef struct Tokenizer {
    Arena *arena;
    const Source *source;
    ValueRef filename;
    const char *cur;              // the next character
    const char *line_end;         // after the \n of the current line (CPython: inp)
    const char *line_start;       // of the current line
    const char *buffer;           // start of the text that an error shows (CPython: buf): the line
                                  // where the current token began, or the current line
    const char *start;            // of the current token, NULL between tokens
    const char *multi_line_start; // line_start when the current string began
    int line, first_line;         // the current line; the one where the current string began
    TokenizerDone done;
    bool at_line_start;
    bool type_comments; // "# type: ..." is a token
    bool file_ended; // a script file has ended between two tokens: CPython has lost the last line
    int pending;     // INDENTs (> 0) or DEDENTs (< 0) still to be returned
    int indent;      // the top of the stacks
    int level;       // open parentheses
    int columns[MAX_INDENT], alternate_columns[MAX_INDENT]; // a tab counts up to 8, or 1
    char open[MAX_NESTING];
    int open_lines[MAX_NESTING];
} Tokenizer;

typedef struct Span {
    const char *start, *end; // NULL for tokens that have no text
} Span;

void tokenizer_begin(Tokenizer *tokenizer, Arena *arena, const Source *source, ValueRef filename);
// TOKEN_ERRORTOKEN: see `done`.
TokenType tokenizer_next(Tokenizer *tokenizer, Span *span);
// The keyword that a name is, else TOKEN_NAME.
TokenType keyword_type(const char *name, size_t size);
