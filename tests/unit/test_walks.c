// Walks forwards and backwards through scripts: what `make walks` does at random and at length
// (tests/debugger/walks.py), here a dozen fixed ones.
//
// After every command `info state` gives the tick and event and a number made of all frames and
// objects (state_hash.h). A moment has the same number however it was reached, in every walk of a
// script; and at its end the program has printed what it prints in a plain run, once, and has the
// same exit status. walked.mpy has the program print to descriptor 2, the debugger writes to
// descriptor 1.
#include "tests/unit/unit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 120
#define MAX_STATES 500
#define WALKS 2

static const struct {
    const char *script;       // ROOM/NAME
    const char *walks[WALKS]; // commands, each followed by a blank
} scripts[] = {
    {"frames/008_closures",
     {"goto 300 s s n si so r rs rs rn rsi rni rr undo goto 300 s s n goto 299 si ",
      "goto 330 rs rs rs rsi rsi n n rn undo undo c undo goto 300 rni until rs "}},
    {"frames/011_generators",
     {"goto 500 s s s s r n rs rs rs rs rn rr goto 480 ni ni ni rni rni rni n ",
      "c rs rs rn goto 510 rs rs rsi rsi si si s goto 500 s s s undo rs n "}},
    {"frames/010_exceptions",
     {"goto 1500 n n n rn rn rn s s s s rs rs rs rs c rs rn goto 1500 ",
      "goto 1560 rs rs rs rs rs rs rs n s undo r rr goto 1500 n n n "}},
    {"vm/017_del_and_gc",
     {"goto 9000 n s s n rn rs rs rn goto 9100 goto 9000 rr s r rs c rs ",
      "goto 9100 rs rs rs rs rs goto 16000 goto 9000 n s s n undo undo "}},
    {"objects/039_weakref_and_gc",
     {"goto 150000 n n s rs rn rn goto 100000 goto 150000 n n s ",
      "goto 200000 rs rs goto 150010 rsi rsi rsi rs n n s goto 100000 "}},
    {"vm/403_settrace_in_the_middle",
     {"goto 900 s s n si rsi rs rs rs c rs rs goto 900 s s n ",
      "c rs goto 1000 rs rn rr goto 910 rs rs rs s s s n "}},
};

typedef struct State {
    long long tick, event;
    char number[17];
    int walk;
} State;
static State states[MAX_STATES];
static int state_count;

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    char *text = calloc(1, 1 << 20);
    ck_assert(fread(text, 1, (1 << 20) - 1, file) < (1 << 20) - 1);
    fclose(file);
    return text;
}

// Runs a script with a file of commands, or without the debugger; its exit status.
static int run(const char *script, const char *commands, const char *out, const char *err)
{
    const char *named = getenv("MINIVM");
    const char *name = strchr(script, '/') + 1;
    char binary[PATH_MAX], line[3 * PATH_MAX];
    ck_assert(realpath(named ? named : "minivm", binary) != NULL);
    snprintf(line, sizeof line,
             "cd tests/scripts/%.*s && exec %s %s ../../debugger/walked.mpy %s.mpy < %s > %s 2> %s",
             (int)(name - 1 - script), script, binary, commands ? "--debug" : "", name,
             commands ? commands : "/dev/null", out, err);
    int status = system(line);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

// How many moments will be reported.
static int write_commands(const char *path, const char *walk)
{
    FILE *file = fopen(path, "w");
    int count = 1;
    ck_assert(file != NULL);
    for (; *walk; count++) {
        size_t size = strcspn(walk, " ");
        size += strncmp(walk, "goto", 4) ? 0 : 1 + strcspn(walk + size + 1, " ");
        fprintf(file, "%.*s\ninfo state\n", (int)size, walk);
        walk += size + 1;
    }
    fputs("goto 1000000000000\ninfo state\nq\n", file);
    fclose(file);
    return count;
}

static void see(const char *script, const State *seen)
{
    for (const State *state = states; state < states + state_count; state++) {
        if (state->tick != seen->tick || state->event != seen->event) continue;
        ck_assert_msg(strcmp(state->number, seen->number) == 0,
                      "%s, tick %lld, event %lld: state %s in walk %d, %s in walk %d", script,
                      seen->tick, seen->event, state->number, state->walk, seen->number,
                      seen->walk);
        return;
    }
    ck_assert(state_count < MAX_STATES);
    states[state_count++] = *seen;
}

// How many there are.
static int look_at_states(const char *script, int walk, const char *text)
{
    int count = 0;
    for (; (text = strstr(text, "tick ")); text++) {
        State seen = {.walk = walk};
        const char *form = "tick %lld, event %lld: state %16[0-9a-f]";
        if (sscanf(text, form, &seen.tick, &seen.event, seen.number) != 3) continue;
        count++;
        see(script, &seen);
    }
    return count;
}

// 0x7f0000064650 -> 0x: objects have other addresses without the debugger.
static void hide_addresses(char *text)
{
    for (char *at = text; (at = strstr(at, "0x7f")); at += 2)
        memmove(at + 2, at + 14, strlen(at + 14) + 1);
}

static void check_walk(const char *script, int walk, const char *commands)
{
    char in[64], out[64], err[64], plain[64];
    snprintf(in, sizeof in, "/tmp/minivm-walk-%d.in", (int)getpid());
    snprintf(out, sizeof out, "/tmp/minivm-walk-%d.out", (int)getpid());
    snprintf(err, sizeof err, "/tmp/minivm-walk-%d.err", (int)getpid());
    snprintf(plain, sizeof plain, "/tmp/minivm-walk-%d.plain", (int)getpid());
    int count = write_commands(in, commands);
    ck_assert_int_eq(run(script, in, out, err), run(script, NULL, "/dev/null", plain));
    char *told = read_all(out), *printed = read_all(err), *expected = read_all(plain);
    hide_addresses(printed);
    hide_addresses(expected);
    ck_assert_msg(!strstr(expected, "/walked.mpy\", line"), "%s was not launched:\n%s", script,
                  expected);
    ck_assert_str_eq(printed, expected);
    ck_assert_int_eq(look_at_states(script, walk, told), count);
    free(told);
    free(printed);
    free(expected);
    unlink(in);
    unlink(out);
    unlink(err);
    unlink(plain);
}

START_TEST(walks)
{
    for (int walk = 0; walk < WALKS; walk++)
        check_walk(scripts[_i].script, walk + 1, scripts[_i].walks[walk]);
}
END_TEST

Suite *walks_suite(void)
{
    Suite *suite = suite_create("walks");
    TCase *tests = bare_case(suite, "walks");
    tcase_set_timeout(tests, SECONDS);
    tcase_add_loop_test(tests, walks, 0, sizeof scripts / sizeof *scripts);
    return suite;
}
