// Streams: the objects behind sys.stdout and open(), as other C code uses them. The types are in
// vm/io_*.c.
#pragma once

#include "objects/object.h"

// stream.write(text), stream.flush(): with a short way for our own text streams. False = an
// exception is pending.
bool stream_write(ValueRef stream, ValueRef text);
bool stream_flush(ValueRef stream);
// Flushes it; from now on what is written to one of our own text streams goes out at once, as with
// -u.
bool stream_unbuffer(ValueRef stream);
// The standard stream on a descriptor, "<stdin>" and so on: a TextIOWrapper, as sys.stdin is at
// first; None where the descriptor is closed.
Value stream_standard(int descriptor, const char *name, bool writes, bool unbuffered);
// A line from a stream's readline(), with its newline: a str; EOFError at the end.
Value stream_read_line(ValueRef stream);
// The descriptor of a stream, -1 = it has none (nothing is raised).
int stream_descriptor(ValueRef stream);
// Makes the types of the streams ready; sys needs them for its own.
bool streams_init(void);
void streams_finish(void);
