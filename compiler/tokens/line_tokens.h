// The tokens of the module `tokenize`, line by line: a line goes in, and its tokens come out.
//
//     line_tokens_begin(&state);
//     while (!state.ended) line_tokens_feed(&state, line, tokens);
//     line_tokens_finish(&state);
//
// An empty line is the end of the text.
//
// That is not what the parser sees. The module is a tokenizer of its own, made of regular
// expressions: it keeps comments (COMMENT), line ends that end no statement (NL) and what it does
// not know (ERRORTOKEN), calls every operator OP, and accepts texts that the parser refuses. With
// the parser's it shares the table tokens.def: kinds, numbers, the spelling of operators.
//
// A token is a tuple (type, text, (line, column), (line, column), line). Columns count characters,
// so a line is a str and an index into it is a column.
#pragma once

#include "objects/object.h"

typedef struct TextPosition {
    ssize_t line, column; // from 1, from 0
} TextPosition;

typedef struct LineTokens {
    ssize_t number;  // of the current line
    ssize_t nesting; // brackets that are open; below 0 where more were closed
    bool continued;  // the line before has ended in a backslash
    bool ended;      // no more tokens come, of whatever line

    const char *failure; // why the text has ended early, or NULL
    TextPosition failure_position;

    Value last_line; // the one before the current line; owned, VALUE_ERROR = none yet

    Value open; // the lines so far of a string that goes on; owned, VALUE_ERROR = there is none
    TextPosition open_position;
    uint32_t quote; // of that string
    bool is_triple;
    bool needs_backslash; // it goes on only after a backslash

    ssize_t *indents; // columns, increasing
    size_t indent_count, indent_capacity;
} LineTokens;

void line_tokens_begin(LineTokens *state);
// Appends the tokens of the next line, a str, to a list. False only with MemoryError pending: what
// is wrong with the text is said by `failure`.
bool line_tokens_feed(LineTokens *state, ValueRef line, ValueRef tokens);
void line_tokens_finish(LineTokens *state);
