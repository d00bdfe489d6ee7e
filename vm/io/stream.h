// Streams (sys.stdout, the files of open()) as other C code uses them. The types are in the io_*.c
// files beside this one.
#pragma once

#include "objects/object.h"

// stream.write(text), stream.flush(), with a fast path for our own text streams. False = an
// exception is pending.
bool stream_write(ValueRef stream, ValueRef text);
bool stream_flush(ValueRef stream);
// Flushes a stream if C code does all of that: our own types down to the file. What fails is
// ignored.
void stream_flush_native(ValueRef stream);
// Flushes a stream. If it is one of our own text streams, every later write goes out at once, as
// with -u.
bool stream_unbuffer(ValueRef stream);
// The encoding of the standard streams, and what to do about errors; stderr does its own. The texts
// are copied.
void stream_choose_text(const char *encoding, const char *errors);
// Makes the standard stream of a descriptor, "<stdin>" and so on: a TextIOWrapper, as sys.stdin is
// at start; None if the descriptor is closed.
Value stream_standard(int descriptor, const char *name, bool writes, bool unbuffered);
// A line from a stream's readline(), with its newline: a str; EOFError at the end.
Value stream_read_line(ValueRef stream);
// The descriptor of a stream, -1 = it has none (nothing is raised).
int stream_descriptor(ValueRef stream);
// Makes the types of the streams ready; sys needs them for its own.
bool streams_init(void);
void streams_finish(void);
