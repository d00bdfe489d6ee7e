// What a script reads, writes and closes by a descriptor, whether in a file or the module posix.
//
// Before a read other threads run until there is something. A socket in memory is no business of
// the system: `_sockets` is asked. Failed: -1 with errno set, or with an exception pending.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

ssize_t descriptor_read(int descriptor, void *bytes, size_t size);
ssize_t descriptor_write(int descriptor, const void *bytes, size_t size);
int descriptor_close(int descriptor);
bool descriptor_close_range(int first, int end); // without errors of the system
// dup(2) and dup2(2): `wanted` < 0 = the least free one.
int descriptor_duplicate(int descriptor, int wanted, bool inheritable);
