// Plugins: shared libraries that install a frame evaluator (--eval-frame). They include
// minivm_plugin.h and no other header of minivm.
#pragma once

#include <stdbool.h>

#define MAX_PLUGINS 16

// Loads a library and calls its init(), after vm_init(). False after a message on stderr.
bool plugin_load(const char *path);
// Removes all hooks and calls each finish(), the last plugin's first.
void plugins_finish(void);
