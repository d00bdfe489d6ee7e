// A number for the state of the program: the same state, the same number.
//
// It takes in every frame that is under way (the place in its code, its variables, its value stack
// and its blocks), every object that the collector knows, where it lies, what it refers to and how
// many refer to it, and what those that it does not know (numbers, texts) hold. It leaves out what
// only makes the loop faster: inline caches, versions, hashes that were computed once.
//
// Nothing is allocated, counted or run.
#pragma once

#include "frames/frame.h"

uint64_t state_hash(const Frame *frame); // the innermost frame; NULL = none runs
