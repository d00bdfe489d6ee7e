// Writes the file of --trace-html: the page, then its data as JSON, one element per record.
//
//     trace_page.html and its scripts, as they are
//     <script type="application/json">{"source":0, ...}</script>     a file of the program
//     <script type="application/json">{"code":0, ...}</script>       a code object
//     <script type="application/json">{"wholes":0, ...}</script>     values of many items
//     <script type="application/json">{"first":0, "steps":[[...], ...], ...}</script>   a chunk
//     ...
//     <script type="application/json">{"end":...}</script>
//
// The steps are written in chunks. A chunk is self-contained: it begins with a full state, that of
// the last step of the chunk before, and has its own table of texts, to which the numbers in its
// steps refer. So only one chunk at a time is in memory, and the page can reach any step from the
// start of its chunk.
//
// All buffers are static, or set aside before the machine starts. The heap is left to the program,
// so that its objects have the same addresses as in a run with -u and without a trace (a traced
// program's output is not buffered). A text that does not fit into a chunk becomes number 0, "...".
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
void page_put(const char *json);                   // unchanged
void page_put_number(int64_t number);              // after another value, with a comma in front
void page_put_text(const char *utf8, size_t size); // what stands in quotes; cannot end the element
void page_put_string(const char *utf8);            // in quotes
void page_begin_record(void);
void page_end_record(void);
// Here begins the whole value with this number: page_whole.h. They stand in one record until
// another one begins.
void page_begin_whole(int number);

// ---- the chunk
bool chunk_set_aside(void); // memory_set_aside(); false with errno set
// The number of a text. Texts that are the same have the same number.
int chunk_text(const char *utf8, size_t size);
void chunk_number(int64_t number); // the next number of the step at hand
void chunk_end_step(void);
// Adds numbers to the next step: the events before it. False = there is no room left.
bool chunk_note(const int64_t *numbers, size_t count);
// Is the chunk to be written now? If not, there is room enough for any single step.
bool chunk_is_full(void);
// Writes the chunk as a record.
void chunk_write(void);
// Begins a new chunk, whose first step has this number.
void chunk_begin(int64_t first);
