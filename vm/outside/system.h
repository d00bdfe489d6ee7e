// What one system does unlike another, behind outside.h: the terminal, signals, processes,
// wake-ups, and the numbers of errors.
//
// system_linux.c has it for Linux, system_wasm.c for WebAssembly under node and in a browser; the
// build takes one of them (MODE=wasm in the Makefile). Each also defines the functions of outside.h
// from "what a system may not have" to its wake-ups. A new function that only Linux can answer gets
// its refusal in system_wasm.c: -1 or false, with errno ENOSYS.
#pragma once

#include "vm/outside/outside.h"

#include <limits.h>
#include <time.h>

// Linux's number of an error that a call of the C library has left in errno.
int system_error(int number);
// The way back, for an error of minivm's own where the C library's are expected: -1, with errno set
// so that system_error() gives Linux's number.
int system_refuse(int linux_number);
// Fills a part of the bytes, at least one: how many, or -1 with errno set.
ssize_t system_random(void *bytes, size_t size);
// The C library's number of a clock.
clockid_t system_clock_id(Clock clock);

// A new file that has no name, for reading and writing: its descriptor, -1 with errno set.
int system_memory_file(void);

// A path that leads to the folder of a descriptor, whatever its name is now. False with errno set:
// it is none.
bool system_folder_path(int folder, char path[PATH_MAX]);

// preadv2(2), pwritev2(2) of one buffer, openat(2), symlinkat(2), mknodat(2), poll(2), and what
// TerminalRequest asks of a terminal, for those where they are otherwise.
ssize_t system_read_at(int descriptor, void *bytes, size_t size, int64_t position, int flags);
ssize_t system_write_at(int descriptor, const void *bytes, size_t size, int64_t position,
                        int flags);
int system_open(int folder, const char *name, int flags, int mode);
int system_symlink(const char *text, int folder, const char *name);
int system_make_node(int folder, const char *name, mode_t mode, dev_t device);
struct pollfd;
int system_poll(struct pollfd *polled, size_t count, int milliseconds);
int system_terminal_request(int descriptor, int request, int number);

// Does a limit of time have the timer and its signal? Ctrl-C is noted again, after SIG_IGN.
bool system_has_deadline(void);
bool system_catch_interrupt(void);

// What outside_terminal_mode(), outside_terminal_width() and outside_suspend() do when no recording
// answers.
bool system_terminal_mode(TerminalMode mode);
int system_terminal_width(int descriptor);
int system_suspend(void);
// Before a read of standard input. False: the read is to fail now, because the terminal's size has
// changed or this process was stopped; once for each. (A page waits here until a line is there.)
bool system_await_input(void);
