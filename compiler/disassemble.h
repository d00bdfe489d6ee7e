// Code as text, as CPython's dis prints it, for --dis. (The `dis` module is vm/lib/dis.mpy.)
#pragma once

#include "objects/code.h"
#include "objects/str.h"

// The whole listing, nested code objects after their outer one, as dis.dis(): an owned str.
Value disassemble(ValueRef code, bool recursive);
