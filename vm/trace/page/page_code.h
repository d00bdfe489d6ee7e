// The records of --trace-html that describe the program: its files and its code objects.
//
//     {"source":0, "name":"walk.mpy", "text":"..."}           "text" where the file can be read
//     {"code":2, "name":"middle", "source":0, "line":6,       "source" -1: no file
//      "kinds":"lllcf", "names":["second", ...],              localsplus: fast, cell, free
//      "rows":[["LOAD_FAST",0,"second",9,  9,16,9,22], ...]}  an instruction: operand (-1 = none),
//                                                             what it means, line, position
#pragma once

#include "objects/code.h"

// The number of a code object. If the object, or its file, is new, writes its record.
int page_code(const Code *code);
