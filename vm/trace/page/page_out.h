// The file of --trace-html: the page, then what it shows as JSON, one element for each record.
//
//     trace_page.html, as it is
//     <script type="application/json">{"source":0, ...}</script>     a file of the program
//     <script type="application/json">{"code":0, ...}</script>       a code object
//     <script type="application/json">{"first":0, "steps":[[...], ...], ...}</script>   a chunk
//     ...
//     <script type="application/json">{"end":...}</script>
//
// The steps are written a chunk at a time. A chunk stands for itself: it begins with the last step
// of the chunk before once more, as a full state, and has its own table of texts, to which the
// numbers in its steps refer. So no more than one chunk is ever in memory, and the page can go to
// any step from the start of its chunk.
//
// The room for all this is static: the heap is the program's alone, and its objects lie where they
// lie without a trace (under -u, for the program's output is not buffered). A text that finds no
// room in a chunk is number 0, "...".
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Begins the file with the page. False with errno set.
bool page_open(const char *path);
// Ends it. 0, or the errno of the first write that failed: nothing was written after it.
int page_close(void);
bool page_failed(void);

// ---- a record
void page_put(const char *json);                   // as it is
void page_put_number(int64_t number);              // with a comma in front, behind another value
void page_put_text(const char *utf8, size_t size); // what stands in quotes; cannot end the element
void page_put_string(const char *utf8);            // in quotes
void page_begin_record(void);
void page_end_record(void);

// ---- the chunk
// The number of a text. Texts that are the same have the same number.
int chunk_text(const char *utf8, size_t size);
void chunk_number(int64_t number); // the next number of the step at hand
void chunk_end_step(void);
// Numbers that will belong to the next step: the events before it. False = there is no room left.
bool chunk_note(const int64_t *numbers, size_t count);
// Is it time to write the chunk? A single step never needs more room than is left then.
bool chunk_is_full(void);
// Writes it as a record: `places` are what id() is of the cells in it.
void chunk_write(const int64_t *places, size_t count);
// A new one, whose first step has this number.
void chunk_begin(int64_t first);
