// The built-in names for interactive use: exit, quit, copyright, credits, license, help.
#pragma once

#include "objects/object.h"

// Adds them to the module builtins. False with an exception pending.
bool site_builtins_add(ValueRef module);
