// Lesson 6: its hole is in the loop.
#pragma once

#include "lessons/handlers.h"
