// Lesson 17: of the stencils only those that are no repetition for other registers are compiled.
#pragma once

#define LONE_STENCILS
// libc has a function of this name.
#define poll stencil_poll
