// What a text stream must know about an encoding: the mark that its files begin with, and whether
// bytes end in the middle of a character.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// The size of the byte order mark that the encoding writes and reads at the beginning of a file; 0
// where it has none.
size_t mark_size(const char *encoding);
// The encoding of what follows the mark.
const char *encoding_after_mark(size_t size, const char *mark);
// How many bytes at the end begin a character that they do not finish.
size_t cut_character(const char *encoding, const char *bytes, size_t size);
// Does what becomes of a wrong byte depend on what stands around it only?
bool errors_are_local(const char *errors);
