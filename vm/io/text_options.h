// What a TextIOWrapper is made with: the options of its __init__(), and what its buffer can do.
#pragma once

#include "objects/value.h"

typedef enum Newlines { UNIVERSAL, KEEP_ALL, ONLY_LF, ONLY_CR, ONLY_CRLF } Newlines;

bool text_newline(const char *newline, Newlines *kind);
// A str or None; 0 or None = *text stays as it is.
bool text_option(ValueRef value, const char *name, const char **text);
// CPython takes it as a C int. 0 = *flag stays as it is.
bool text_flag(ValueRef value, bool *flag);

// Attributes of the buffer. If its position is not 0, no byte order mark is written.
typedef struct TextAbilities {
    bool readable, writable, has_read1, has_mark, telling;
} TextAbilities;
bool text_ask_buffer(ValueRef buffer, const char *encoding, bool has_codec, TextAbilities *found);
