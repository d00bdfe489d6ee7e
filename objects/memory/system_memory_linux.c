// See system_memory.h: Linux.
#include "objects/memory/system_memory.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

#define STACK_BYTES_MOST ((size_t)1 << 30) // taken if the system sets no limit
#define STACK_BYTES_UNLIMITED ((size_t)64 << 20)

extern char **environ;

static size_t most; // what the machine has, in bytes; 0 = not known

static size_t find_most(void)
{
    struct sysinfo info;
    if (sysinfo(&info) != 0 || info.totalram > SIZE_MAX - info.totalswap) return 0;
    return info.totalram + info.totalswap > SIZE_MAX / info.mem_unit
               ? 0
               : (info.totalram + info.totalswap) * info.mem_unit;
}

char *system_reserve(size_t bytes)
{
    most = find_most();
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    char *start = mmap(NULL, bytes, PROT_NONE, flags, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

// The system sets nothing aside, and would end the process when it uses what is not there.
bool system_commit(char *start, size_t bytes)
{
    if (most && bytes > most) return false;
    return mprotect(start, bytes, PROT_READ | PROT_WRITE) == 0;
}

void system_relieve(char *start, size_t bytes)
{
    madvise(start, bytes, MADV_DONTNEED);
}

void system_release(char *reserved, size_t bytes)
{
    munmap(reserved, bytes);
}

void *system_share(size_t size)
{
    int flags = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE;
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    return block == MAP_FAILED ? NULL : block;
}

void system_unshare(void *block, size_t size)
{
    munmap(block, size);
}

// ---- the C stack

// The environment is above the first frame and is part of the size that the limit bounds.
static char *find_top(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), top = here;
    for (char **variable = environ; variable && *variable; variable++) {
        uintptr_t end = (uintptr_t)*variable + strlen(*variable);
        if (end > top && end - here < STACK_BYTES_UNLIMITED) top = end;
    }
    return (char *)top;
}

static size_t stack_bytes(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return STACK_BYTES_UNLIMITED;
    return limit.rlim_cur < STACK_BYTES_MOST ? (size_t)limit.rlim_cur : STACK_BYTES_MOST;
}

char *system_stack(size_t *bytes)
{
    *bytes = stack_bytes();
    return find_top();
}
