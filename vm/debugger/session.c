// The block that the debugger's processes share, and the process at the root of them.
#include "vm/debugger/session.h"

#include "objects/memory.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

#define ROOT_LOOKS_MS 500
#define ENDING_LOOKS 200
#define ENDING_LOOKS_MS 2

Session *session;

// Another process may have become the main line meanwhile: see snapshots.c.
static bool main_line_lives(void)
{
    outside_reap();
    return outside_process_lives(session->main_line);
}

static void end_snapshots(void)
{
    for (int i = 0; i < MAX_SNAPSHOTS; i++)
        if (session->snapshots[i].process) outside_kill(session->snapshots[i].process, SIGKILL);
    for (int i = 0; i < ENDING_LOOKS && outside_reap(); i++)
        wakeup_wait(&session->ended, ENDING_LOOKS_MS);
}

// Sleeps until the program has ended, in whichever process is the main line then.
static _Noreturn void be_root(void)
{
    outside_ignore_interrupts();
    outside_adopt(); // or else the system's first process reaps them
    bool lives = true;
    while (!session->over && lives) {
        wakeup_wait(&session->ended, ROOT_LOOKS_MS);
        lives = main_line_lives();
    }
    end_snapshots();
    if (!session->over) {
        static const char text[] = "minivm: the debugged program's process is gone\n";
        outside_write_all(2, text, sizeof text - 1);
        session->status = 70;
    }
    outside_end(session->status);
}

bool session_open(void)
{
    session = memory_share(sizeof(Session));
    if (!session) return false;
    session->root = outside_pid();
    outside_keep_children();
    int process =
        wakeup_init(&session->ended) && wakeup_init(&session->answered) ? outside_fork() : -1;
    if (process > 0) {
        session->main_line = process;
        be_root();
    }
    if (process == 0) {
        outside_end_without(session->root);
        session->main_line = outside_pid();
        return true;
    }
    memory_unshare(session, sizeof(Session));
    session = NULL;
    return false;
}

void session_renew(void)
{
    size_t kept = offsetof(Session, stop);
    memset((char *)session + kept, 0, sizeof *session - kept);
}

int session_fork(void)
{
    int process = outside_fork();
    if (process < 0 && session) session->is_short = true;
    return process;
}

_Noreturn void session_close(int status)
{
    session->status = status;
    session->over = true;
    wakeup_post(&session->ended);
    outside_end(status);
}
