// A hash of the program's state: equal states have equal hashes.
//
// It covers every frame that is under way (its position in the code, variables, value stack and
// blocks); the address, references and reference count of every object that the collector tracks;
// the shapes and elements of tensors; and the contents of objects that it does not track (numbers,
// strings). It leaves out what only makes the loop faster: inline caches, version numbers, cached
// hashes.
//
// Nothing is allocated, no reference counted, no script code run.
#pragma once

#include "frames/frame.h"

uint64_t state_hash(const Frame *frame); // the innermost frame; NULL = none runs
