// Lesson 11: the input is a program with hooks, or commands about co_extra.
//
//     hooks: count skip             the hooks that are set, one after the other
//     def f(): ...                  and the program; the answer is what hooks and program say
//
//     extra                         commands: `code` makes a code object, `set 1 7` stores 7 for
//     set 1 7                       user 1, `get 1` reads it, `free` frees the code
#include "lessons/harness.h"

#include "compiler/compile.h"
#include "frames/hook.h"
#include "lessons/program.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/text/str.h"

#include <stdio.h>
#include <string.h>

#define USERS 4

static EvalFrameFn before[8];
static int users[USERS];
static int hook_extra; // the index of the hook `times`, which is the last one that was requested
static Value returned; // what the hook `wrong` returns with an exception

// ---- hooks: each is called `mine`, and chains to the one that was set before it

static const char *name_of(const Frame *frame)
{
    return str_utf8(as_code(frame->code)->name, NULL);
}

#define HOOK(number, name) static Value name(ThreadState *thread, Frame *frame, int throwflag)
#define CHAIN(number) before[number](thread, frame, throwflag)

HOOK(0, count)
{
    answer("count: %s%s%s\n", name_of(frame), throwflag ? ", thrown into" : "",
           frame->previous == thread->frame ? "" : ", without its caller");
    return CHAIN(0);
}

HOOK(1, skip)
{
    if (strncmp(name_of(frame), "skipped", 7) != 0) return CHAIN(1);
    answer("skip: %s\n", name_of(frame));
    return from_small(42);
}

HOOK(2, wrong)
{
    if (strcmp(name_of(frame), "nothing") == 0) return VALUE_ERROR;
    if (strcmp(name_of(frame), "both") != 0) return CHAIN(2);
    raise_error(ValueError, "an error as well");
    return retain(returned);
}

HOOK(3, times)
{
    Code *code = as_code(frame->code);
    uintptr_t calls = (uintptr_t)code_get_extra(code, hook_extra) + 1;
    answer("times: %s %zu\n", name_of(frame), (size_t)calls);
    if (!code_set_extra(code, hook_extra, (void *)calls)) return VALUE_ERROR;
    return CHAIN(3);
}

static const struct {
    const char *name;
    EvalFrameFn hook;
} hooks[] = {{"count", count}, {"skip", skip}, {"wrong", wrong}, {"times", times}};
#define HOOKS (sizeof hooks / sizeof *hooks)

static const char *set_hooks(const char *text)
{
    size_t end = strcspn(text, "\n");
    for (size_t i = 0; i < HOOKS; i++) {
        const char *found = strstr(text, hooks[i].name);
        if (!found || found >= text + end) continue;
        before[i] = eval_frame_get();
        eval_frame_set(hooks[i].hook);
        answer("%s is installed: %s\n", hooks[i].name,
               eval_frame_get() == hooks[i].hook ? "yes" : "no");
    }
    return text + end;
}

static void answer_hooks(const char *text)
{
    const char *program = set_hooks(text);
    answer_program(program, strlen(program));
    eval_frame_set(NULL);
    answer("owners of what a hook returned: %d\n", (int)object_of(returned)->refcount);
    answer("the default is back: %s\n",
           eval_frame_get() == eval_frame_get_default() ? "yes" : "no");
    answer_program("def f():\n    return 'plain'\nprint(f())\n", 38);
}

// ---- co_extra

static const Code *released_from; // the code of the commands; NULL = there are none

// What is there by now shows which was first: the new pointer, or the release of the old one.
static void release_of(int user, void *extra)
{
    const void *there = released_from ? code_get_extra(released_from, users[user]) : NULL;
    answer("release %zu, %zu is there\n", (size_t)(uintptr_t)extra, (size_t)(uintptr_t)there);
}

static void release_first(void *extra)
{
    release_of(0, extra);
}

static void release_second(void *extra)
{
    release_of(1, extra);
}

static Code *new_code(void)
{
    static const char text[] = "pass\n";
    Value filename = str_new("<lesson>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename, .is_utf8 = true};
    Value code = compile_source(text, sizeof text - 1, &options);
    drop(filename);
    return as_code(code);
}

// USERS stands for the first index that nobody has requested, what is no user's for itself.
static int index_of(int user)
{
    if (user == USERS) return hook_extra + 1;
    return user >= 0 && user < USERS ? users[user] : user;
}

static size_t row_size(void)
{
    return (size_t)(hook_extra + 1) * sizeof(void *);
}

// The next row is made where something else was.
static void leave_traces(void)
{
    void *block = memory_resize(NULL, row_size());
    if (block) memset(block, 0x5a, row_size());
    memory_free(block);
}

static void set(Code *code, int index, int value)
{
    leave_traces();
    bool is_first = !code->extra;
    size_t bytes = memory_counts().bytes;
    bool done = code_set_extra(code, index, (void *)(uintptr_t)value);
    if (is_first && code->extra && memory_counts().bytes - bytes < row_size())
        answer("the row is too small\n");
    answer("set: %s, %s\n", done ? "true" : "false", error_pending() ? "an error" : "no error");
    error_clear();
}

static void command(Code **code, const char *line)
{
    int user = 0, value = 0;
    released_from = *code;
    if (strncmp(line, "code", 4) == 0) {
        drop(own(*code));
        *code = new_code();
    } else if (strncmp(line, "free", 4) == 0) {
        code_release_extra(*code);
        answer("freed\n");
    } else if (sscanf(line, "set %d %d", &user, &value) == 2) {
        set(*code, index_of(user), value);
    } else if (sscanf(line, "get %d", &user) == 1) {
        void *extra = code_get_extra(*code, index_of(user));
        answer("get: %zu\n", (size_t)(uintptr_t)extra);
    }
}

static void answer_commands(const char *text)
{
    size_t blocks = memory_counts().blocks;
    Code *code = new_code();
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        command(&code, line);
    released_from = code;
    drop(own(code));
    released_from = NULL;
    answer("objects left over: %d\n", (int)(memory_counts().blocks - blocks));
}

void probe_begin(void)
{
    machine_begin();
    static const ExtraFreeFn release[USERS] = {release_first, release_second};
    for (int i = 0; i < USERS; i++) users[i] = extra_request_index(release[i], NULL);
    hook_extra = extra_request_index(NULL, NULL);
    returned = str_new("returned");
    drop(own(new_code())); // what the first one makes is kept: names
}

void probe(const char *text, size_t size)
{
    (void)size;
    if (strncmp(text, "hooks:", 6) == 0)
        answer_hooks(text);
    else
        answer_commands(text);
}
