// The variables that each thread has its own of: see the header.
#include "objects/thread_parts.h"

#include "objects/invariant.h"

#include <string.h>

static ThreadPart *parts, **last = &parts;

void thread_part_add(ThreadPart *part)
{
    if (part->next || last == &part->next) return;
    *last = part;
    last = &part->next;
}

void thread_parts_keep(ThreadParts *kept)
{
    kept->used = 0;
    for (const ThreadPart *part = parts; part; part = part->next) {
        invariant(kept->used + part->size <= sizeof kept->bytes, "there is room for all parts");
        memcpy(kept->bytes + kept->used, part->variables, part->size);
        kept->used += part->size;
    }
}

void thread_parts_use(const ThreadParts *kept)
{
    size_t at = 0;
    for (const ThreadPart *part = parts; part; part = part->next) {
        if (at < kept->used)
            memcpy(part->variables, kept->bytes + at, part->size);
        else if (part->first)
            memcpy(part->variables, part->first, part->size);
        else
            memset(part->variables, 0, part->size);
        at += part->size;
    }
    for (const ThreadPart *part = parts; part; part = part->next)
        if (part->changed) part->changed();
}

void thread_parts_end(void)
{
    for (const ThreadPart *part = parts; part; part = part->next)
        if (part->end) part->end();
}
