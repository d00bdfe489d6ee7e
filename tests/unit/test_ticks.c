// Ticks: a program is at the same instruction after so many of them, whether it ran fast or was
// stopped before every instruction on the way there. (The debugger goes back in time by that.)
//
// Each program runs in processes forked from one machine: once fast, once with every instruction
// recorded, and once fast up to ticks chosen at random, where it is looked at. Frame, instruction,
// allocations and the collector's counter must be those recorded.
#include "tests/unit/unit.h"

#include "frames/hook.h"
#include "frames/observe.h"
#include "vm/eval.h"
#include "vm/outside/outside.h"
#include "vm/run.h"
#include "vm/vm.h"

#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/upcalls.h"

#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- the programs

static const char *const programs[] = {
    // fused arithmetic, comparisons and loops
    "def f(n):\n"
    "    a, b, c = 0, 1.5, [1, 2, 3]\n"
    "    for i in range(n):\n"
    "        a = a + i; b = b * 1.01; a -= 2\n"
    "        if i % 3 == 1 and a > i: c[i % 3] = a\n"
    "        if not a: a = a | 5\n"
    "    while n:\n"
    "        n -= 1\n"
    "        if c is None: break\n"
    "    return a\n"
    "print(f(100), f(7))\n",
    // calls, methods, attributes, classes
    "class P:\n"
    "    def __init__(self, x, y=2): self.x = x; self.y = y\n"
    "    def sum(self): return self.x + self.y\n"
    "class Q(P):\n"
    "    __slots__ = 'z',\n"
    "    def sum(self): self.z = 1; return super().sum() + self.z\n"
    "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
    "def many(*a, k=3, **d): return len(a) + k + len(d)\n"
    "total = 0\n"
    "for i in range(20):\n"
    "    p = P(i) if i % 2 else Q(i, y=i)\n"
    "    total += p.sum() + many(1, 2, k=i, z=1) + many(*[1, 2], **{'k': 4})\n"
    "print(total, fib(9))\n",
    // exceptions: in the frame, through frames, from C, else, finally, with
    "class C:\n"
    "    def __enter__(self): return self\n"
    "    def __exit__(self, *a): return a[0] is KeyError\n"
    "def thrower(i):\n"
    "    if i % 3 == 0: raise KeyError(i)\n"
    "    if i % 3 == 1: return [][i]\n"
    "    return undefined\n"
    "for i in range(12):\n"
    "    with C():\n"
    "        try: thrower(i)\n"
    "        except IndexError as e: print(e)\n"
    "        except NameError: pass\n"
    "        finally: x = i\n"
    "try:\n"
    "    sorted([1, 2], key=lambda k: k // 0)\n"
    "except ZeroDivisionError: print('zero')\n"
    "def loop():\n"
    "    for i in range(3):\n"
    "        try: continue\n"
    "        finally: print(i)\n"
    "loop()\n"
    "raise ValueError('end')\n",
    // generators: in the loop, from C, yield from, send, throw, close
    "def g(n):\n"
    "    try:\n"
    "        for i in range(n):\n"
    "            got = yield i\n"
    "            if got: print(got)\n"
    "    except KeyError: yield 'caught'\n"
    "    finally: print('closed')\n"
    "    return n\n"
    "def h(n):\n"
    "    x = yield from g(n)\n"
    "    y = yield from iter([1, 2])\n"
    "    return x\n"
    "for v in h(3): print(v)\n"
    "print(list(h(2)), sum(i * i for i in range(9)), {k: v for k, v in {1: 2}.items()})\n"
    "it = h(4); next(it); it.send('sent'); print(it.throw(KeyError))\n"
    "it = h(4); next(it); it.close()\n"
    "it = h(4); next(it); del it\n"
    "def deep(n):\n"
    "    if n: yield from deep(n - 1)\n"
    "    yield n\n"
    "print(list(deep(5)))\n",
    // coroutines and async generators
    "class A:\n"
    "    def __await__(self): got = yield 1; return got\n"
    "async def agen():\n"
    "    for i in range(3): await A(); yield i\n"
    "async def main():\n"
    "    total = 0\n"
    "    async for v in agen(): total += v\n"
    "    return total + len([v async for v in agen()])\n"
    "c = main()\n"
    "try:\n"
    "    while True: c.send(None)\n"
    "except StopIteration as e: print(e.value)\n",
    // destructors that look where they are, in fused stores too, and from frames that end
    "import sys\n"
    "class D:\n"
    "    def __init__(self, n): self.n = n\n"
    "    def __del__(self):\n" // which takes as many ticks as what it sees
    "        for i in range(sys.getrefcount(cell)): pass\n"
    "        for i in range(sys._getframe(1).f_lasti if self.n else 0): pass\n"
    "cell = [0]\n"
    "def g():\n"
    "    x = D(0); keep = cell\n"
    "    return keep\n"
    "def f(c):\n"
    "    x = D(1); y = 3; z = D(2); keep = cell\n"
    "    x = y + 4\n"
    "    for z in range(2): pass\n"
    "    x = D(3); i = 0\n"
    "    c[i] = D(4)\n"
    "    c[i] = y\n"
    "    w = D(5); x = y; v = D(6)\n"
    "    if D(7) is w: pass\n"
    "    del w\n"
    "    return keep\n"
    "f(cell); f([0]); g()\n"
    "try: f(None)\n"
    "except TypeError: print('no')\n",
    // callbacks: sort keys, comparison, __getattr__, map, import, classes, properties
    "import functools\n"
    "class K:\n"
    "    def __init__(self, n): self.n = n\n"
    "    def __lt__(self, other): return self.n < other.n\n"
    "    def __hash__(self): return self.n\n"
    "    def __eq__(self, other): return self.n == other.n\n"
    "    def __getattr__(self, name): return name\n"
    "    @property\n"
    "    def p(self): return [x for x in range(self.n)]\n"
    "print(len(sorted([K(i * 7 % 5) for i in range(9)])), K(1).missing, K(3).p)\n"
    "print(sorted(range(9), key=lambda i: (i % 3, -i)), {K(1): 2}[K(1)])\n"
    "print(list(map(lambda a, b: a + b, [1, 2], [3, 4])), functools.reduce(lambda a, b: a * b, [2, "
    "3]))\n"
    "s = ''\n"
    "def build(s):\n"
    "    for i in range(30): s = s + str(i); s += 'x'\n"
    "    return s\n"
    "print(build(s), 2 ** 100, 10 ** 20 // 3, 1 << 70, float('inf') - float('inf'))\n"
    "for i, (a, b) in enumerate(zip('ab', 'cd')): print(i, a, b)\n"
    "for k, v in {'a': 1, 'b': 2}.items(): print(k, v)\n",
    // texts that grow in every kind of variable
    "s = t = ''\n"
    "for i in range(40): s += str(i); t = (\n  t\n  + 'a long text, and more'\n)\n"
    "def f():\n"
    "    global s\n"
    "    u = 'u'\n"
    "    def g():\n"
    "        nonlocal u\n"
    "        for i in range(40): u += str(i)\n"
    "    for i in range(40): s = s + str(i)\n"
    "    g()\n"
    "    return u\n"
    "print(s, t, f())\n",
    // cycles, for the collector's counters
    "import gc\n"
    "class N: pass\n"
    "def f():\n"
    "    for i in range(400):\n"
    "        a = N(); b = N(); a.b = b; b.a = a; c = [a]; c.append(c)\n"
    "f(); print(gc.collect() >= 0)\n",
    // operands beyond one byte
    "exec('\\n'.join('v%d = %d.5' % (i, i) for i in range(300)) + '''\n"
    "def f(n):\n"
    "    for i in range(n):\n"
    "        if i % 2: x = v299\n"
    "        else: x = v298\n"
    "''' + ''.join('        x = x + v%d\\n' % (i % 300) for i in range(200)) + '''\n"
    "    return x\n"
    "print(f(4))\n"
    "while v1 < 300: v1 += v290\n"
    "''')\n",
    // no jump for long, but calls from C in between
    "exec('def f(k):\\n' + '  x = k\\n' * 2000 + '  return x\\n' + 'def g():\\n'\n"
    "     '  x = sorted([1], key=f)\\n' + '  x = f\\n' * 2000 + '  return x\\ng()')\n",
    // recursion to its end
    "import sys\n"
    "sys.setrecursionlimit(60)\n"
    "def r(n): return r(n + 1)\n"
    "try: r(0)\n"
    "except RecursionError as e: print(e)\n"
    "class R:\n"
    "    def __repr__(self): return repr([self])\n"
    "try: repr(R())\n"
    "except RecursionError as e: print(e)\n",
    // a trace function that jumps, forwards and backwards
    "import sys\n"
    "def trace(frame, event, arg):\n"
    "    global jumps\n"
    "    if event == 'line' and frame.f_lineno in jumps:\n"
    "        frame.f_lineno = jumps.pop(frame.f_lineno)\n"
    "    return trace\n"
    "def f(l):\n"
    "    l.append(1)\n"
    "    l.append(2)\n"
    "    for x in l: l[0] += x\n"
    "    l.append(3)\n"
    "    return l\n"
    "jumps = {9: 11, 12: 8}\n"
    "sys.settrace(trace)\n"
    "print(f([]))\n"
    "sys.settrace(None)\n"
    "print([x for x in range(9)])\n",
    // code that is not the compiler's
    "def f(l):\n"
    "    return [x + 1 for x in l], {x: 1 for x in l}, {x for x in l}, f'{l!r}'\n"
    "f.__code__ = f.__code__.replace(co_name='g')\n"
    "print(f([1, 2, 3]), f('') if 0 else f(()))\n",
};
#define PROGRAMS (int)(sizeof programs / sizeof *programs)

// ---- one run, in a process of its own

#define MAX_TICKS (1 << 20)
#define LOOKS 12

typedef struct Moment {
    const Frame *frame;
    const Instruction *ip;
    int64_t events;
    size_t allocations;
    int collectable;
} Moment;

// What a run leaves to the others.
typedef struct Run {
    int64_t ticks;
    Moment end;
    int count, looks; // so many are wanted, so many there were
    int64_t wanted[LOOKS];
    Moment found[LOOKS];
    Moment moments[MAX_TICKS];
} Run;

typedef enum Manner { FAST, STEPPING, LOOKING } Manner;

static Run *runs; // one of each manner
static Run *run;
static int64_t begun;

static Moment here(const Frame *frame)
{
    return (Moment){frame, frame ? frame->ip : NULL, tick_counter.events,
                    memory_counts().allocations, gc_generations[0].count};
}

static void assert_same(const char *text, const Moment *left, const Moment *right, int64_t tick)
{
    ck_assert_msg(left->frame == right->frame && left->ip == right->ip,
                  "%.60s: other instruction at tick %ld", text, (long)tick);
    ck_assert_msg(left->allocations == right->allocations,
                  "%.60s: %zu, %zu allocations at tick %ld", text, left->allocations,
                  right->allocations, (long)tick);
    ck_assert_int_eq(left->events, right->events);
    ck_assert_int_eq(left->collectable, right->collectable);
}

static bool record(Frame *frame, FrameEvent event, ValueRef value)
{
    (void)value;
    if (event != EVENT_OPCODE) return true;
    if (ticks_now(frame) != begun) _exit(70);
    if (begun == MAX_TICKS) _exit(72);
    run->moments[begun++] = here(frame);
    return true;
}

static void come_near(void);

static bool look(Frame *frame, FrameEvent event, ValueRef value)
{
    (void)value;
    if (event != EVENT_OPCODE || ticks_now(frame) < run->wanted[run->looks]) return true;
    run->found[run->looks++] = here(frame);
    observer_set(OBSERVER_DEBUGGER, NULL);
    if (run->looks < run->count) ticks_set_alarm(run->wanted[run->looks], come_near);
    return true;
}

static void come_near(void)
{
    int64_t now = ticks_now(thread_state.frame), wanted = run->wanted[run->looks];
    if (now > wanted) _exit(71);
    observer_set(OBSERVER_DEBUGGER, look);
}

static void never(void)
{
    _exit(73);
}

static Value pass_on(ThreadState *thread, Frame *frame, int throwflag)
{
    return eval_frame_default(thread, frame, throwflag);
}

// A clock that goes on by what is asked of it: time and chance are the same in every manner. Who
// waits for descriptors gets what is ready at once, or waits in vain.
static bool answer_alike(OutsideCall *call)
{
    static int64_t now = 1000000000000;
    switch (call->kind) {
    case CALL_CLOCK: call->result = now += 1000; return true;
    case CALL_SYSTEM_CLOCK:
        now += 1000;
        memcpy(call->answer, &now, sizeof now);
        call->result = sizeof now;
        return true;
    case CALL_SLEEP:
        now += call->numbers[0];
        call->result = true;
        return true;
    case CALL_RANDOM:
        memset(call->answer, 7, call->room);
        call->result = (int64_t)call->room;
        return true;
    case CALL_POLL:
        if (call->numbers[0] < 0) return false;
        memcpy(call->answer, call->asked, call->asked_size);
        call->result = poll(call->answer, call->asked_size / sizeof(struct pollfd), 0);
        if (call->result == 0) now += call->numbers[0] * 1000000;
        return true;
    default: return false;
    }
}

static int64_t keep_result(const OutsideCall *call, int64_t result)
{
    (void)call;
    return result;
}

static void run_here(Manner manner, const char *text, bool hooked)
{
    int nothing = open("/dev/null", O_RDWR);
    for (int descriptor = 0; descriptor < 3; descriptor++) dup2(nothing, descriptor);
    static RecordedInput input;
    static const Recorder alike = {true, answer_alike, keep_result, &input};
    outside_keep_positions();
    upcalls.recorder = &alike;
    run = &runs[manner];
    run->looks = 0;
    begun = 0;
    if (hooked) eval_frame_set(pass_on);
    ticks_start();
    if (manner == FAST) ticks_set_alarm(INT64_MAX - 1, never);
    if (manner == STEPPING) observer_set(OBSERVER_DEBUGGER, record);
    if (manner == LOOKING) ticks_set_alarm(run->wanted[0], come_near);
    size_t size = strlen(text);
    if (size > 4 && !strcmp(text + size - 4, ".mpy"))
        run_file(text);
    else
        run_command(text);
    run->ticks = ticks_now(NULL);
    run->end = here(NULL);
    _exit(0);
}

static void run_apart(Manner manner, const char *text, bool hooked)
{
    pid_t child = fork();
    ck_assert(child >= 0);
    if (child == 0) run_here(manner, text, hooked);
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(status == 0, "status %x in manner %d: %.60s", status, manner, text);
}

static int by_number(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

// Different ones, in order; fewer where there are not so many.
static void choose_ticks(Run *looking, int64_t length, int count)
{
    looking->count = count;
    for (int i = 0; i < count; i++) looking->wanted[i] = 1 + random() % (length - 1);
    qsort(looking->wanted, (size_t)count, sizeof(int64_t), by_number);
    for (int i = 1; i < count; i++)
        if (looking->wanted[i] <= looking->wanted[i - 1])
            looking->wanted[i] = looking->wanted[i - 1] + 1;
}

static void same_in_every_manner(const char *text, bool hooked, int rounds)
{
    run_apart(FAST, text, hooked);
    if (runs[FAST].ticks > MAX_TICKS) return;
    if (CORE && runs[FAST].ticks <= LOOKS) return; // it ends at the import of what the core has not
    run_apart(STEPPING, text, hooked);
    const Run *stepping = &runs[STEPPING];
    ck_assert_msg(runs[FAST].ticks == stepping->ticks, "%.60s: %ld ticks, observed %ld", text,
                  (long)runs[FAST].ticks, (long)stepping->ticks);
    assert_same(text, &runs[FAST].end, &stepping->end, stepping->ticks);
    ck_assert_msg(stepping->ticks > LOOKS, "%.60s: %ld ticks", text, (long)stepping->ticks);
    Run *looking = &runs[LOOKING];
    while (rounds-- > 0) {
        choose_ticks(looking, stepping->ticks, rounds % 2 ? LOOKS : 1);
        run_apart(LOOKING, text, hooked);
        ck_assert_int_eq(looking->ticks, stepping->ticks);
        for (int i = 0; i < looking->looks; i++)
            assert_same(text, &looking->found[i], &stepping->moments[looking->wanted[i]],
                        looking->wanted[i]);
        ck_assert(looking->looks == looking->count ||
                  looking->wanted[looking->looks] >= looking->ticks);
    }
}

static void start(void)
{
    const char *argv[] = {"test", NULL};
    SysOptions options = {.argc = 1, .argv = argv, .executable = "minivm"};
    ck_assert(vm_init(&options));
    runs = memory_share(3 * sizeof(Run));
    ck_assert_ptr_nonnull(runs);
}

static void stop(void)
{
    memory_unshare(runs, 3 * sizeof(Run));
    ck_assert_int_eq(vm_finish(0), 0);
}

START_TEST(same_place_after_as_many_ticks)
{
    srandom((unsigned)_i);
    same_in_every_manner(programs[_i], false, 8);
}
END_TEST

// Is the module named in a line of the text, after `import`?
static bool imports(const char *text, const char *module)
{
    size_t size = strlen(module);
    for (const char *at = text; (at = strstr(at, "import ")); at++) {
        const char *end = at + strcspn(at, "\n");
        for (const char *name = at; (name = strstr(name, module)) && name < end; name++)
            if (strchr(" ,", name[-1]) && strchr(" ,;\n", name[size])) return true;
    }
    return false;
}

// What a program gets from outside is not the same every time, but for time and chance; one that
// debugs itself counts ticks of its own.
static bool is_unfit(const char *path)
{
    static const char *const outside[] = {"os", "tempfile", "pdb", "subprocess"};
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        if (imports(text, outside[i])) return true;
    return lacks_modules(path);
}

// A third of the test scripts, for their variety.
START_TEST(same_place_in_scripts)
{
    glob_t found;
    ck_assert_int_eq(glob("tests/scripts/*/*.mpy", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i += 3)
        if (!is_unfit(found.gl_pathv[i])) same_in_every_manner(found.gl_pathv[i], false, 1);
    globfree(&found);
}
END_TEST

START_TEST(same_place_under_a_hook)
{
    srandom((unsigned)_i);
    same_in_every_manner(programs[_i], true, 2);
}
END_TEST

Suite *ticks_suite(void)
{
    Suite *suite = suite_create("ticks");
    TCase *tests = bare_case(suite, "ticks");
    tcase_add_checked_fixture(tests, start, stop);
    tcase_add_loop_test(tests, same_place_after_as_many_ticks, 0, PROGRAMS);
    tcase_add_test(tests, same_place_in_scripts);
    tcase_add_loop_test(tests, same_place_under_a_hook, 0, PROGRAMS);
    return suite;
}
