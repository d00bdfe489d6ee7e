// --compile-html: a page that says what torch.compile did. The C side remembers what the guarded
// cache decided; vm/lib/torch/_dynamo/compile_page.mpy listens to the compiler and writes the page.
#pragma once

#include <stdbool.h>

// The program is about to run: makes the file. False with an exception pending.
bool compile_page_begin(const char *path);
// The program has ended: writes the page. False with an exception pending.
bool compile_page_end(void);
