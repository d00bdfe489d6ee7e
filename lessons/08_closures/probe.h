// Lesson 8: one of its holes is in the loop.
#pragma once

#include "lessons/handlers.h"
