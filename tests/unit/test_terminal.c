// The prompts at a terminal: a pseudo-terminal that a small shell has as its own, with minivm as a
// job in the foreground. Keys are sent; what comes back is drawn on a screen of so many columns, as
// a terminal draws it, and its rows are compared.
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define SECONDS 60
#define ANSWER_MS 20000
#define QUIET_MS 60
#define ROWS 400
#define CELLS 200
#define CELL 16 // bytes of a character with its marks

static int master, from_shell, to_shell;
static pid_t shell;
static const char *home_folder = "/nonexistent"; // where the history would be
static const char *no_colours = "1";
static bool has_answered;   // minivm has written something since the last keys
static tcflag_t line_modes; // of the terminal before anybody changes them

// ---- the screen: as much of a terminal as the line editor and the full screen need

static struct {
    char cells[ROWS][CELLS][CELL];
    int columns, row, column;
    char pending[64]; // an escape sequence or a character that is not whole
    size_t size;
    char all[1 << 18]; // all that came
    size_t all_size;
} screen;

static void screen_clear(int columns)
{
    memset(&screen, 0, sizeof screen);
    screen.columns = columns;
}

static void new_row(void)
{
    ck_assert_msg(++screen.row < ROWS, "the screen is full");
}

static void erase_rest_of_row(void)
{
    for (int column = screen.column; column < CELLS; column++)
        screen.cells[screen.row][column][0] = 0;
}

static void screen_escape(const char *sequence)
{
    char last = sequence[strlen(sequence) - 1];
    int count = atoi(sequence + 2);
    if (last == 'K') erase_rest_of_row();
    if (last == 'H') {
        screen.row = count ? count - 1 : 0;
        screen.column = 0;
    }
    if (last == 'J' && count == 2) memset(screen.cells, 0, sizeof screen.cells);
    if (last == 'A') screen.row = screen.row > count ? screen.row - count : 0;
    if (last == 'C') screen.column += count;
    if (last != 'J' || count) return;
    for (int row = screen.row; row < ROWS; row++)
        for (int column = row == screen.row ? screen.column : 0; column < CELLS; column++)
            screen.cells[row][column][0] = 0;
}

static bool has_no_width(const char *text)
{
    return (unsigned char)text[0] == 0xCC || (text[0] == '\xCD' && (unsigned char)text[1] < 0xB0);
}

static void screen_character(const char *text)
{
    bool wide = (unsigned char)text[0] >= 0xE4 && (unsigned char)text[0] <= 0xE9;
    if (has_no_width(text) && screen.column > 0) {
        char *cell = screen.cells[screen.row][screen.column - 1];
        size_t used = strlen(cell);
        snprintf(cell + used, CELL - used, "%s", text);
        return;
    }
    if (screen.column + 1 + wide > screen.columns) {
        new_row();
        screen.column = 0;
    }
    strcpy(screen.cells[screen.row][screen.column], text);
    if (wide) strcpy(screen.cells[screen.row][screen.column + 1], "\x7f");
    screen.column += 1 + wide;
}

static bool is_whole(const char *text, size_t size)
{
    unsigned char first = (unsigned char)text[0], last = (unsigned char)text[size - 1];
    if (first == 27)
        return size > 2 && ((last >= 'A' && last <= 'Z') || (last >= 'a' && last <= 'z'));
    return size >= (first < 0xC0 ? 1u : first < 0xE0 ? 2u : first < 0xF0 ? 3u : 4u);
}

static void screen_byte(char byte)
{
    screen.pending[screen.size++] = byte;
    screen.pending[screen.size] = 0;
    if (!is_whole(screen.pending, screen.size)) return;
    screen.size = 0;
    switch (screen.pending[0]) {
    case '\r': screen.column = 0; break;
    case '\n': new_row(); break;
    case '\a': break;
    case 27: screen_escape(screen.pending); break;
    default: screen_character(screen.pending);
    }
}

static const char *screen_row(int row)
{
    static char text[CELLS * CELL];
    int end = CELLS;
    while (end > 0 && (!screen.cells[row][end - 1][0] || screen.cells[row][end - 1][0] == ' '))
        end--;
    text[0] = 0;
    for (int column = 0; column < end; column++) {
        const char *cell = screen.cells[row][column];
        if (*cell != 0x7f) strcat(text, *cell ? cell : " ");
    }
    return text;
}

// ---- the shell

static _Noreturn void exec_minivm(const char *const words[])
{
    const char *given = getenv("MINIVM");
    setpgid(0, 0);
    signal(SIGTTOU, SIG_IGN);
    tcsetpgrp(0, getpgrp());
    signal(SIGTTOU, SIG_DFL);
    execv(given ? given : "./minivm", (char *const *)(uintptr_t)words);
    _exit(127);
}

// Says 's' where the job was stopped, with the local modes that the terminal has then; 'e' and the
// status at its end. A byte lets a stopped job go on.
static _Noreturn void run_shell(int in, int out, const char *const words[])
{
    pid_t job = fork();
    if (job == 0) exec_minivm(words);
    signal(SIGTTOU, SIG_IGN);
    int status;
    struct termios mode;
    char byte;
    while (waitpid(job, &status, WUNTRACED) == job && WIFSTOPPED(status)) {
        tcsetpgrp(0, getpgrp());
        tcgetattr(0, &mode);
        dprintf(out, "s%u\n", (unsigned)mode.c_lflag);
        if (read(in, &byte, 1) != 1) break;
        tcsetpgrp(0, job);
        kill(-job, SIGCONT);
    }
    dprintf(out, "e%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    _exit(0);
}

static tcflag_t local_modes(void)
{
    struct termios mode;
    ck_assert(tcgetattr(master, &mode) == 0);
    return mode.c_lflag;
}

static void set_columns(int columns)
{
    struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
    screen.columns = columns;
    has_answered = false;
    ck_assert(ioctl(master, TIOCSWINSZ, &size) == 0);
}

static void start(int columns, const char *const words[])
{
    int in[2], out[2];
    screen_clear(columns);
    master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ck_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    set_columns(columns);
    line_modes = local_modes();
    ck_assert(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
    setenv("TERM", "xterm", 1);
    setenv("NO_COLOR", no_colours, 1);
    setenv("HOME", home_folder, 1);
    shell = fork();
    ck_assert(shell >= 0);
    if (shell == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that fails leaves no processes
        setsid();
        int slave = open(ptsname(master), O_RDWR);
        for (int i = 0; i < 3; i++) dup2(slave, i);
        run_shell(in[0], out[1], words);
    }
    to_shell = in[1];
    from_shell = out[0];
}

static void start_prompt(int columns)
{
    start(columns, (const char *const[]){"minivm", "-q", NULL});
}

static void start_with_home(const char *home)
{
    home_folder = home;
    start_prompt(80);
}

static void start_debugger(const char *program)
{
    start(80, (const char *const[]){"minivm", "--debug", "-c", program, NULL});
}

// What the shell says next: "s..." or "e...".
static const char *shell_says(void)
{
    static char text[32];
    struct pollfd ready = {.fd = from_shell, .events = POLLIN};
    ck_assert_msg(poll(&ready, 1, ANSWER_MS) > 0, "the job was neither stopped nor has it ended");
    ssize_t count = read(from_shell, text, sizeof text - 1);
    ck_assert(count > 0);
    text[count] = 0;
    return text;
}

static void go_on(void)
{
    ck_assert(write(to_shell, "g", 1) == 1);
}

// ---- the dialogue

static bool read_for(int milliseconds)
{
    char bytes[4096];
    struct pollfd ready = {.fd = master, .events = POLLIN};
    if (poll(&ready, 1, milliseconds) <= 0) return false;
    ssize_t count = read(master, bytes, sizeof bytes);
    for (ssize_t i = 0; i < count; i++) {
        screen_byte(bytes[i]);
        if (screen.all_size < sizeof screen.all - 1) screen.all[screen.all_size++] = bytes[i];
    }
    screen.all[screen.all_size] = 0;
    has_answered = has_answered || count > 0;
    return count > 0;
}

static void send_bytes(const char *bytes, size_t size)
{
    has_answered = false;
    while (size > 0) {
        size_t step = size < 1024 ? size : 1024; // it answers meanwhile
        ck_assert(write(master, bytes, step) == (ssize_t)step);
        bytes += step;
        size -= step;
        read_for(0);
    }
}

static void keys(const char *text)
{
    send_bytes(text, strlen(text));
}

// The row of the cursor, and `count - 1` above it.
static const char *last_rows(int count)
{
    static char shown[ROWS * 40];
    int first = screen.row - count + 1;
    shown[0] = 0;
    for (int row = first < 0 ? 0 : first; row <= screen.row; row++) {
        strcat(shown, screen_row(row));
        if (row < screen.row) strcat(shown, "\n");
    }
    return shown;
}

// Waits until the row of the cursor, and those above it, are these. What the keys leave as it is
// may come without an answer: then it is quiet for a while.
static void expect(const char *rows)
{
    int count = 1;
    bool quiet = false;
    for (const char *at = rows; *at; at++) count += *at == '\n';
    for (int waited = 0; waited < ANSWER_MS; waited += quiet ? QUIET_MS : 0) {
        while (read_for(0)) continue;
        if ((has_answered || quiet) && strcmp(last_rows(count), rows) == 0) return;
        quiet = !read_for(QUIET_MS);
    }
    ck_assert_str_eq(last_rows(count), rows);
}

// What has been written since `from`, read on until `text` is in it; NULL = it does not come.
static const char *read_until(const char *from, const char *text)
{
    for (int quiet = 0; quiet < ANSWER_MS; quiet += QUIET_MS) {
        const char *begin = strstr(screen.all, from), *found = begin ? strstr(begin, text) : NULL;
        if (found) return found;
        read_for(QUIET_MS);
    }
    return NULL;
}

static void expect_cursor(int column)
{
    for (int waited = 0; waited < ANSWER_MS && screen.column != column; waited += QUIET_MS)
        while (read_for(QUIET_MS)) continue;
    ck_assert_int_eq(screen.column, column);
}

static void end_with(const char *text, const char *said)
{
    keys(text);
    ck_assert_str_eq(shell_says(), said);
    ck_assert(waitpid(shell, NULL, 0) == shell);
    ck_assert_int_eq(local_modes(), line_modes);
    close(master);
    close(to_shell);
    close(from_shell);
}

static void end_prompt(void)
{
    end_with("\003\004", "e0\n");
}

// ---- Tab

START_TEST(tab_names)
{
    start_prompt(80);
    expect(">>>");
    keys("'rlcompleter' in __import__('sys').modules\r");
    expect("False\n>>>");
    keys("imp\t");
    expect(">>> import");
    expect_cursor(11);
    keys("\003alphabet = alphabeta = 5\r");
    expect(">>>");
    keys("alph\t");
    expect(">>> alphabet");
    keys("\t");
    expect("alphabet   alphabeta\n>>> alphabet");
    keys(" + alphabeta\tZ\b\r"); // one match
    expect("10\n>>>");
    keys("isinst\t");
    expect(">>> isinstance(");
    keys("\003nosuch\t\tname");
    expect(">>> nosuchname");
    keys("\003if 1:\r\t");
    expect(">>> if 1:\n...");
    expect_cursor(8);
    keys("alphabet\r\t\x15\r");
    expect("5\n>>>");
    keys("'rlcompleter' in __import__('sys').modules\r");
    expect("True\n>>>");
    end_prompt();
}
END_TEST

START_TEST(tab_attributes)
{
    start_prompt(80);
    expect(">>>");
    keys("\x1b[200~class C:\n    @property\n    def prop(self): print('called')\n\n    def "
         "method(self): "
         "print('called')\n    value = 1\nc = C()\n\x1b[201~");
    expect("... c = C()\n>>>");
    keys("c.\t\t");
    expect("c.method(  c.prop     c.value\n>>> c.");
    keys("me\t)\r");
    expect("called\n>>>");
    keys("c.method().\t\tx");
    expect(">>> c.method().x");
    keys("\003c.v\t.real.imag\r");
    expect("0\n>>>");
    ck_assert_ptr_eq(strstr(strstr(screen.all, "called\r\n") + 1, "called\r\n"), NULL);
    end_prompt();
}
END_TEST

START_TEST(tab_columns)
{
    start_prompt(40);
    expect(">>>");
    keys("class K: pass\r\rfor i in range(9): setattr(K, 'attr%d' % i, i)\r\r");
    expect("...\n>>>");
    keys("K.a\t");
    expect(">>> K.attr");
    keys("\t");
    expect("K.attr0  K.attr3  K.attr6\nK.attr1  K.attr4  K.attr7\nK.attr2  K.attr5  K.attr8\n"
           ">>> K.attr");
    set_columns(16);
    keys("\t");
    expect(">>> K.attr\nK.attr0\nK.attr1\nK.attr2\nK.attr3\nK.attr4\nK.attr5\nK.attr6\nK.attr7\n"
           "K.attr8\n>>> K.attr");
    end_prompt();
}
END_TEST

static void make_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

// A folder with a module, a package and a program in it is the working folder from now on.
static void make_folder(char folder[32])
{
    strcpy(folder, "/tmp/minivm_tab_XXXXXX");
    static char binary[4096];
    const char *given = getenv("MINIVM");
    ck_assert(realpath(given ? given : "./minivm", binary) != NULL);
    setenv("MINIVM", binary, 1);
    ck_assert(mkdtemp(folder) != NULL && chdir(folder) == 0);
    make_file("beside_it.mpy", "print('it runs')\n");
    make_file("prog.mpy", "import sys\n\ndef function(argument):\n    return argument\n\n\n"
                          "other = function(1)\n");
    ck_assert(mkdir("packed", 0700) == 0 && mkdir("no_package", 0700) == 0);
    make_file("packed/__init__.py", "");
    make_file("packed/inner.py", "");
}

static void remove_folder(const char *folder)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert(chdir("/") == 0 && system(command) == 0);
}

START_TEST(tab_modules)
{
    char folder[32];
    make_folder(folder);
    start_prompt(80);
    expect(">>>");
    keys("import itert\t, besi\t");
    expect(">>> import itertools, beside_it");
    keys("\aimport pac\t.\t");
    expect(">>> import packed.inner");
    keys("\ano_pa\tX");
    expect(">>> no_paX");
    keys("\aimport torch._dyn\tX");
    expect(">>> import torch._dynamoX");
    keys("\afrom math imp\tisq\t, cei\t\r");
    expect(">>> from math import isqrt, ceil\n>>>");
    keys("from beside_it import \tx, y");
    expect(">>> from beside_it import x, y");
    keys("\afrom packed import i\t\r");
    expect(">>> from packed import inner\n>>>");
    end_prompt();
    remove_folder(folder);
}
END_TEST

START_TEST(tab_interrupted)
{
    start_prompt(80);
    expect(">>>");
    keys("class Endless:\r def __dir__(self):\r  while True: pass\r\re = Endless()\r");
    expect(">>> class Endless:\n...  def __dir__(self):\n...   while True: pass\n...\n"
           ">>> e = Endless()\n>>>");
    keys("e.\t");
    read_for(300);
    keys("\003");
    read_for(300);
    keys("\a6 * 7\r");
    expect("42\n>>>");
    end_prompt();
}
END_TEST

START_TEST(tab_in_debugger)
{
    char folder[32];
    make_folder(folder);
    start(80, (const char *const[]){"minivm", "--debug", "prog.mpy", NULL});
    expect("-> import sys\n(Pdb)");
    keys("unw\t");
    expect("(Pdb) unwatch");
    keys("\ab fun\t\r");
    read_for(500);
    keys("tbreak pro\t\t\t");
    expect("prog.mpy:1  prog.mpy:3  prog.mpy:4  prog.mpy:7\n(Pdb) tbreak prog.mpy:");
    keys("\ac\r");
    expect("-> return argument\n(Pdb)");
    keys("p argu\t.re\t\r");
    expect("1\n(Pdb)");
    keys("disable \t\r");
    read_for(300);
    keys("catch guard_f\tX");
    expect("(Pdb) catch guard_failedX");
    keys("\ainfo tic\tX");
    expect("(Pdb) info ticksX");
    keys("\a?load_\t\aalias zebra p 5\rzeb\t\r");
    expect("5\n(Pdb)");
    keys("!import besi\tX");
    expect("(Pdb) !import beside_itX");
    keys("\acl prog.mpy:\t\r");
    expect("(Pdb)");
    ck_assert_ptr_ne(strstr(screen.all, "Deleted breakpoint 1"), NULL);
    end_with("q\r", "e0\n");
    remove_folder(folder);
}
END_TEST

// What the debugger says has colours, what the program prints and a value's text have none.
START_TEST(debugger_in_colours)
{
    no_colours = "";
    start_debugger("x = '*** one'\nprint('-> two')\n");
    expect("-> x = '*** one'\n(Pdb)");
    keys("n\rp x\rn\rp y\r");
    ck_assert(read_until("(Pdb) ", "NameError"));
    ck_assert(strstr(screen.all, "\033[1;32m>\033[0m \033[35m<string>\033[0m(\033[35m2\033[0m)"));
    ck_assert(strstr(screen.all, "\033[1;32m->\033[0m \033[1mprint('-> two')\033[0m\r\n"));
    ck_assert(strstr(screen.all, "\033[1;32m(Pdb) \033[0m") &&
              strstr(screen.all, "\033[?2004l-> two\r\n"));
    ck_assert(strstr(screen.all, "l'*** one'\r\n"));
    ck_assert(strstr(screen.all, "\033[31m*** NameError: name 'y' is not defined\033[0m\r\n"));
    end_with("q\r", "e0\n");
}
END_TEST

START_TEST(debugger_shows_controls)
{
    start_debugger("class C: __repr__ = lambda self: '\\x1b[2J'\n"
                   "C.__name__ = C.__qualname__ = 'na\\x1b[2Jme'\n"
                   "def f(x): raise ValueError('\\x1b]0;title\\x07')\n"
                   "f(C())\n");
    expect("-> class C: __repr__ = lambda self: '\\x1b[2J'\n(Pdb)");
    keys("b f\rc\rp x\rdisplay x\rp C\rn\rp 6 * 7\r");
    ck_assert(read_until("title", "42\r\n"));
    ck_assert(!strstr(screen.all, "\033[2J") && !strstr(screen.all, "\033]0"));
    ck_assert(strstr(screen.all, "l\\x1b[2J\r\n") && strstr(screen.all, "display x: \\x1b[2J\r\n"));
    ck_assert(strstr(screen.all, "<class '__main__.na\\x1b[2Jme'>"));
    ck_assert(strstr(screen.all, "ValueError: \\x1b]0;title\\x07\r\n"));
    end_with("q\r", "e0\n");
}
END_TEST

// What the program's code does for Tab, it does in a copy.
START_TEST(tab_changes_nothing)
{
    start_debugger("n = 0\nclass C:\n    def __dir__(self):\n        global n\n        n += 1\n"
                   "        return ['first', 'second']\nc = C()\npass\n");
    expect("(Pdb)");
    keys("tbreak 8\rc\rp 40 + 2\r");
    expect("42\n(Pdb)");
    keys("c.fir\t\a"
         "c.\t\t");
    read_for(300);
    keys("\ap n\r");
    expect("0\n(Pdb)");
    end_with("q\r", "e0\n");
}
END_TEST

// ---- Ctrl-Z

static void suspend_and_go_on(const char *row)
{
    tcflag_t raw = local_modes();
    ck_assert(!(raw & ICANON));
    keys("\032");
    ck_assert_int_eq((tcflag_t)atoi(shell_says() + 1), line_modes);
    ck_assert_ptr_ne(read_until("^Z", "\x1b[?2004l"), NULL);
    screen.all_size = 0;
    go_on();
    expect(row);
    ck_assert_int_eq(local_modes(), raw);
    ck_assert_ptr_ne(strstr(screen.all, "\x1b[?2004h"), NULL);
}

START_TEST(suspended_prompt)
{
    start_prompt(80);
    expect(">>>");
    keys("x = 1 + 3\x02");
    expect(">>> x = 1 + 3");
    suspend_and_go_on(">>> x = 1 + 3");
    expect_cursor(12);
    keys("2\rx\r");
    expect("24\n>>>");
    suspend_and_go_on(">>>");
    keys("\x12x =");
    suspend_and_go_on(">>> x = 1 + 23"); // in a search
    end_prompt();
}
END_TEST

START_TEST(suspended_debugger)
{
    start_debugger("x = 1\nx = 2\nx = 3\nx = 4\n");
    expect("(Pdb)");
    keys("n\rn\rrs\rp x");
    expect("(Pdb) p x");
    suspend_and_go_on("(Pdb) p x");
    keys("\r");
    expect("1\n(Pdb)");
    keys("n\r");
    expect("(Pdb)");
    suspend_and_go_on("(Pdb)");
    end_with("rs\rq\r", "e0\n");
}
END_TEST

// The program's own reading is recorded: it does not stop again when it is run again.
START_TEST(suspended_input)
{
    start_debugger("x = input('? ')\ny = 1\nz = 2\n");
    expect("(Pdb)");
    keys("n\r");
    expect("?");
    keys("answ");
    suspend_and_go_on("? answ");
    keys("er\rn\rrs\rrs\rn\rp x\r");
    expect("'answer'\n(Pdb)");
    end_with("q\r", "e0\n");
}
END_TEST

// Stopped by somebody else, and sent on: the terminal may have any mode then.
START_TEST(stopped_from_outside)
{
    start_prompt(80);
    expect(">>>");
    keys("6 * 7");
    expect(">>> 6 * 7");
    tcflag_t raw = local_modes();
    pid_t job = tcgetpgrp(master);
    ck_assert(kill(-job, SIGSTOP) == 0);
    ck_assert(shell_says()[0] == 's');
    struct termios mode;
    ck_assert(tcgetattr(master, &mode) == 0);
    mode.c_lflag = line_modes;
    ck_assert(tcsetattr(master, TCSANOW, &mode) == 0);
    go_on();
    expect(">>> 6 * 7");
    for (int i = 0; i < 100 && local_modes() != raw; i++) read_for(20);
    ck_assert_int_eq(local_modes(), raw);
    keys("\r");
    expect("42\n>>>");
    end_prompt();
}
END_TEST

// ---- termios: a program sets the modes, in a recording too

START_TEST(modes_set_by_a_program)
{
    start_debugger("import sys, termios\n"
                   "old = termios.tcgetattr(0)\n"
                   "new = termios.tcgetattr(sys.stdin)\n"
                   "new[3] &= ~termios.ECHO\n"
                   "new[6][termios.VINTR] = b'\\x07'\n"
                   "termios.tcsetattr(0, termios.TCSADRAIN, new)\n"
                   "same, other = old == new, termios.tcgetattr(0) == new\n"
                   "line = sys.stdin.readline()\n"
                   "termios.tcsetattr(0, termios.TCSAFLUSH, old)\n"
                   "back = termios.tcgetattr(0) == old\n"
                   "end = 1\n");
    expect("(Pdb)");
    keys("tbreak 9\rc\r");
    for (int i = 0; i < 100 && local_modes() != (line_modes & ~(tcflag_t)ECHO); i++) read_for(20);
    ck_assert_int_eq(local_modes(), line_modes & ~(tcflag_t)ECHO);
    keys("secret\r");
    expect("-> termios.tcsetattr(0, termios.TCSAFLUSH, old)\n(Pdb)");
    keys("tbreak 11\rc\rp same, other, line, back\r");
    expect("(False, True, 'secret\\n', True)\n(Pdb)");
    keys("rn\rrn\rrn\rn\rp line\r"); // a part of the run again: the terminal is not asked
    expect("'secret\\n'\n(Pdb)");
    end_with("q\r", "e0\n");
}
END_TEST

// ---- cutting, and the other keys of readline

static void prompt_shows(const char *typed, const char *shown)
{
    keys(typed);
    expect(shown);
    keys("\003");
    expect(">>>");
}

START_TEST(cut_and_yank)
{
    start_prompt(80);
    expect(">>>");
    prompt_shows("one two\x15<\x19>\x19", ">>> <one two>one two");      // Ctrl-U, Ctrl-Y twice
    prompt_shows("one two\x01\x06\x06\x06\x0b<\x19>", ">>> one< two>"); // Ctrl-K
    prompt_shows("x = f(a.b)\x17<\x19>", ">>> x = <f(a.b)>"); // Ctrl-W: to the blank before
    prompt_shows("a b c\x17\x17<\x19>", ">>> a <b c>");       // one after the other is one text
    prompt_shows("a b c\x17\x02\x17\x05<\x19>", ">>> a  <b>");
    prompt_shows("one two\x01\x0b\x15<\x19>", ">>> <one two>");
    prompt_shows("f(a.b)\x1b\x7f<\x19>", ">>> f(a.<b)>"); // Alt-Backspace: a word
    prompt_shows("one two\x01\x1b"
                 "d<\x19>",
                 ">>> <one> two");   // Alt-D
    prompt_shows("\x19", ">>> one"); // in the next line as well
    end_prompt();
}
END_TEST

START_TEST(abandoned)
{
    start_prompt(80);
    expect(">>>");
    keys("garbage(\a6 * 7\r");
    expect("42\n>>>");
    keys("if 1:\r    garbage(\a    'in'\r\r");
    expect("'in'\n>>>");
    keys("draft\x12"
         "6 *");
    expect("(reverse-i-search)`6 *': 6 * 7");
    keys("\a");
    expect(">>> draft");
    keys("\a");
    expect(">>>");
    end_prompt();
}
END_TEST

START_TEST(other_keys)
{
    start_prompt(80);
    expect(">>>");
    prompt_shows("abc\x14", ">>> acb");                           // Ctrl-T
    prompt_shows("0123456789abcdefghijklmnopq\u65e5e\u0301\x14|", // as long as there is room for
                 ">>> 0123456789abcdefghijklmnopqe\u0301\u65e5|");
    prompt_shows("abc\x02\x02\x14|", ">>> ba|c");
    prompt_shows("abc\x14\x14\x01\x14", ">>> abc");
    prompt_shows("a\x16\tb", ">>> a   b"); // Ctrl-V: a tab stop
    prompt_shows("a\x16\x01"
                 "b",
                 ">>> a^Ab");
    prompt_shows("abc\x1b[D\x1b[D\x1b[3~|\x1b[H<\x1b[F>", ">>> <a|c>");
    prompt_shows("one two\x1b"
                 "b|\x1b"
                 "b|\x1b"
                 "f|",
                 ">>> |one| |two");
    prompt_shows("one\x02\x04|\x01\x06!", ">>> o!n|");
    keys("'first'\r'second'\r'third'\r");
    expect("'third'\n>>>");
    prompt_shows("\x1b<", ">>> 'first'"); // Alt-<
    prompt_shows("draft\x1b[A\x1b[A\x1b>", ">>> draft");
    prompt_shows("\x10\x10\x0e", ">>> 'third'");
    keys("\x12i");
    expect("(reverse-i-search)`i': 'third'");
    keys("\x12");
    expect("(reverse-i-search)`i': 'first'");
    keys("\x13");
    expect("(i-search)`i': 'third'");
    keys("zz");
    expect("(failed i-search)`izz': 'third'");
    keys("\x7f\x7f\x7f"
         "seco\x12\r");
    expect("'second'\n>>>");
    keys("left over\x0c");
    expect(">>> left over");
    end_prompt();
}
END_TEST

// ---- paste

#define PASTE(text) "\x1b[200~" text "\x1b[201~"

START_TEST(pasted_class)
{
    start_prompt(80);
    expect(">>>");
    keys(PASTE("class A:\r    x = 1\r\r    def f(self):\r        return\t'f'\r\r    y = 2\r"));
    expect(
        ">>> class A:\n...     x = 1\n...\n...     def f(self):\n...         return      'f'\n...\n"
        "...     y = 2\n>>>");
    keys("A.x, A.y, A().f()\r");
    expect("(1, 2, 'f')\n>>>");
    keys(PASTE("if A.x:\n    5\n\nelse:\n    6\n# no more\n7\n")); // its expressions are shown
    expect("... 7\n5\n7\n>>>");
    keys(PASTE("def g():\n    a = 3\n\n    return a") "\r"); // without a newline at its end
    expect("...     return a\n>>>");
    keys("\x1b[A"); // it is one entry of the history
    expect(">>> def g():\n...     a = 3\n...\n...     return a");
    keys("\x15g()\r");
    expect("3\n>>>");
    keys(PASTE("print(1)\nprint(2") "+ 3)\r"); // and can be edited
    expect("... print(2+ 3)\n1\n5\n>>>");
    keys(PASTE("class B:\n    x = (1,\n") "2)\r");
    expect("... 2)\n>>>");
    keys("B.x\r");
    expect("(1, 2)\n>>>");
    end_prompt();
}
END_TEST

START_TEST(pasted_without_end)
{
    start_prompt(80);
    expect(">>>");
    keys("\x1b[200~lost\r\x1b[A\r\003");
    expect(">>>");
    keys("\x1b[200~'esc\x1b\x1b[201~ape'\r");
    expect("'escape'\n>>>");
    end_prompt();
}
END_TEST

START_TEST(pasted_into_history)
{
    char folder[32];
    make_folder(folder);
    start_with_home(folder);
    keys(PASTE("if 1:\n    'first'\n\n    'second'\n") "'third'\r");
    expect("'third'\n>>>");
    end_prompt();
    start_with_home(folder);
    keys("\x1b[A\x1b[A");
    expect(">>> if 1:\n...     'first'\n...\n...     'second'");
    keys("\r");
    expect("'first'\n'second'\n>>>");
    end_prompt();
    remove_folder(folder);
}
END_TEST

START_TEST(pasted_errors)
{
    start_prompt(80);
    expect(">>>");
    keys(PASTE("x = 1\n\nx = )\n"));
    expect("SyntaxError: unmatched ')'\n>>>");
    keys("x\r"); // the block is one: nothing of it was run
    expect("NameError: name 'x' is not defined\n>>>");
    keys(PASTE("x = 2\n1 / 0\nx = 3\n"));
    expect("ZeroDivisionError: division by zero\n>>>");
    keys("x\r");
    expect("2\n>>>");
    keys(PASTE("'one line'\n"));
    expect("'one line'\n>>>");
    keys(PASTE("# only a comment\n\n"));
    expect(">>> # only a comment\n>>>");
    end_prompt();
}
END_TEST

// The commands of a debugger are read one by one, by several processes.
START_TEST(pasted_commands)
{
    start_debugger("x = 1\nx = 2\nx = 3\n");
    expect("(Pdb)");
    keys(PASTE("n\nn\np\tx + 40\np\t'end'\n"));
    expect("'end'\n(Pdb)");
    ck_assert_ptr_ne(strstr(screen.all, "42\r\n"), NULL);
    keys("unw\t");
    expect("(Pdb) unwatch");
    end_with("\aq\r", "e0\n");
}
END_TEST

START_TEST(pasted_megabyte)
{
    static char text[1 << 20];
    start_prompt(80);
    expect(">>>");
    memset(text, 'a', sizeof text - 1);
    keys("s = '"
         "\x1b[200~");
    send_bytes(text, sizeof text - 1);
    screen_clear(80); // what was drawn is as long
    keys("\x1b[201~\a'small'\r");
    while (read_for(500)) screen_clear(80);
    keys("5 + 5\r");
    expect("10\n>>>");
    end_prompt();
}
END_TEST

// ---- drawing

START_TEST(long_lines)
{
    start_prompt(20);
    expect(">>>");
    keys("'0123456789abcde"); // up to the last column
    expect(">>> '0123456789abcde\n");
    keys("fghij'");
    expect(">>> '0123456789abcde\nfghij'");
    keys("\x01\x06|");
    expect(">>> '|0123456789abcd");
    keys("\x05");
    expect(">>> '|0123456789abcd\nefghij'");
    expect_cursor(7);
    keys("\x15"
         "5\r");
    expect("5\n>>>");
    end_prompt();
}
END_TEST

START_TEST(wide_characters)
{
    start_prompt(20);
    expect(">>>");
    prompt_shows("'\u65e5\u672c\u8a9e'\x02\x02|", ">>> '\u65e5\u672c|\u8a9e'");
    keys("'\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e\u65e5\u672c"); // the last one does not fit into the
                                                               // row
    expect(">>> '\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e\u65e5\n\u672c");
    expect_cursor(2);
    keys("\x02\x02");
    expect(">>> '\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e\u65e5");
    expect_cursor(17);
    keys("\003");
    expect(">>>");
    keys("'e\u0301x"); // a mark over the e
    expect(">>> 'e\u0301x");
    expect_cursor(7);
    keys("\x7f\x7f'\r"); // goes together with it
    expect("''\n>>>");
    keys("import sys; sys.ps1 = '\\x1b[1m\\u65e5\\x01\\x1b[0m\\x02> '\r");
    expect("\u65e5>");
    keys("5");
    expect("\u65e5> 5");
    expect_cursor(5);
    end_prompt();
}
END_TEST

START_TEST(split_characters)
{
    start_prompt(80);
    expect(">>>");
    const char text[] = "len('\u65e5\U0001F600')\r";
    for (const char *byte = text; *byte; byte++) {
        send_bytes(byte, 1);
        read_for(20);
        ck_assert_ptr_eq(strstr(screen.all, "\xe6\x1b"), NULL);
        ck_assert_ptr_eq(strstr(screen.all, "\xe6\r"), NULL);
    }
    expect("2\n>>>");
    keys("'\xff\x7f'\r"); // no UTF-8
    expect("''\n>>>");
    end_prompt();
}
END_TEST

START_TEST(resized)
{
    start_prompt(40);
    expect(">>>");
    keys("'0123456789012345678901234567890'");
    expect(">>> '0123456789012345678901234567890'");
    screen_clear(20); // and the terminal wraps what it shows
    const char *wrapped = ">>> '012345678901234\r\n5678901234567890'";
    for (const char *at = wrapped; *at; at++) screen_byte(*at);
    set_columns(20);
    expect(">>> '012345678901234\n5678901234567890'");
    ck_assert_int_eq(screen.row, 1);
    keys("\x02!");
    expect(">>> '012345678901234\n5678901234567890!'");
    ck_assert_int_eq(screen.row, 1);
    keys("\r");
    expect(">>>");
    set_columns(70);
    keys("\x12"
         "12");
    expect("(reverse-i-search)`12': '0123456789012345678901234567890!'");
    set_columns(90);
    keys("34\x1b"); // and in the middle of a key
    read_for(100);
    set_columns(91);
    read_for(100);
    keys("\x12");
    expect(">>> '0123456789012345678901234567890!'");
    keys("\a7\r");
    expect("7\n>>>");
    end_prompt();
}
END_TEST

// ---- the debugger on a full screen

static void start_screen(const char *program)
{
    start(80, (const char *const[]){"minivm", "--debug=tui", "-c", program, NULL});
}

// Waits until this is in a row of the screen.
static void expect_row(int row, const char *text)
{
    for (int waited = 0; waited < ANSWER_MS && !strstr(screen_row(row), text); waited += QUIET_MS)
        while (read_for(QUIET_MS)) continue;
    ck_assert_msg(strstr(screen_row(row), text), "row %d is \"%s\", without \"%s\"", row,
                  screen_row(row), text);
}

static const char assignments[] = "x = 1\ny = 'two'\nx = [x, y]\nx.append(3)\n";
#define FIRST_BAR " <string>(1)<module>()   before this line   tick 0 of 0"
#define THIRD_BAR " <string>(3)<module>()   before this line   tick 4 of 4"

START_TEST(screen_steps)
{
    start_screen(assignments);
    expect_row(0, FIRST_BAR);
    expect_row(2, "  1  -> x = 1                                  > <module>  <string>(1)");
    expect_row(23, "s n r c i forwards, S N R C I back   z undo   : command   h help   q quit");
    keys("ss");
    expect_row(0, THIRD_BAR);
    expect_row(4, "  3  -> x = [x, y]");
    expect_row(6, "                                               y 'two'");
    expect_row(7, "                                               x 1");
    keys("ii");
    expect_row(0, " <string>(3)<module>()   before this instruction   tick 6 of 6");
    expect_row(14, "     -->   12 BUILD_LIST 2        ");
    expect_row(17, "takes 2, leaves 1   ... -> list");
    keys("S\x1b[D"); // and back to the line's beginning, and one more
    expect_row(0, " <string>(2)<module>()   before this line   tick 2 of 6");
    end_with("qq", "e0\n");
}
END_TEST

START_TEST(screen_commands)
{
    start_screen(assignments);
    expect_row(0, FIRST_BAR);
    keys(":p 40 + 2\r");
    expect_row(19, "42");
    keys("h");
    expect_row(1, "  key  back");
    keys("\x1b"); // alone: it is a key by itself
    expect_row(0, FIRST_BAR);
    keys(":tbreak 3\rc");
    expect_row(0, THIRD_BAR);
    keys(":cl\r");
    expect_row(23, "Clear all breaks?");
    keys("\x03:nosuch\r");
    expect_row(19, "NameError");
    end_with(":q\r", "e0\n");
}
END_TEST

START_TEST(screen_changes)
{
    start_screen(assignments);
    expect_row(0, FIRST_BAR);
    set_columns(60);
    expect_row(0, "minivm: the screen needs 80 columns and 24 rows; this termi");
    set_columns(80);
    expect_row(0, FIRST_BAR);
    tcflag_t raw = local_modes();
    keys("ss\032");
    ck_assert_int_eq((tcflag_t)atoi(shell_says() + 1), line_modes);
    screen_clear(80);
    go_on();
    expect_row(0, THIRD_BAR);
    ck_assert_int_eq(local_modes(), raw);
    end_with("qq", "e0\n");
}
END_TEST

// The same in the middle of a line.
START_TEST(screen_changes_in_line)
{
    start_screen(assignments);
    expect_row(0, FIRST_BAR);
    keys("ss:p x");
    expect_row(23, "(Pdb) p x");
    keys("\032");
    ck_assert(shell_says()[0] == 's');
    screen_clear(80);
    go_on();
    expect_row(0, THIRD_BAR);
    expect_row(23, "(Pdb) p x");
    set_columns(60);
    expect_row(0, "minivm: the screen needs 80 columns");
    expect_row(23, "(Pdb) p x");
    set_columns(80);
    expect_row(0, THIRD_BAR);
    expect_row(23, "(Pdb) p x");
    keys(" + 41\r");
    expect_row(19, "42");
    end_with("qq", "e0\n");
}
END_TEST

START_TEST(screen_output)
{
    start_screen("print('\\x1b[2J', input('? '))\nwhile True: pass\n");
    expect_row(0, " <string>(1)<module>()   before this line   tick 0 of 0");
    keys("n");
    expect_row(23, "it runs: ^C stops it, < is a line for its input, other keys wait");
    keys("<Ann\r");
    expect_row(19, "? Ann");
    expect_row(20, "^[[2J Ann");
    keys("c");
    expect_row(23, "it runs: ^C stops it, < is a line for its input, other keys wait");
    keys("\003");
    expect_row(23, "s n r c i forwards, S N R C I back   z undo   : command   h help   q quit");
    end_with("qq", "e0\n");
}
END_TEST

START_TEST(screen_needs_a_terminal)
{
    start(80, (const char *const[]){
                  "minivm", "-c",
                  "import subprocess, sys\n"
                  "for words in [], ['x.mpy']:\n"
                  "    end = subprocess.run([sys.executable, '--debug=tui', *words],\n"
                  "                         stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)\n"
                  "    print(end.stderr.decode()[:44].strip(), end.returncode)\n",
                  NULL});
    ck_assert_str_eq(shell_says(), "e0\n");
    expect("minivm: --debug=tui needs a program 2\n"
           "minivm: --debug=tui needs a terminal on stan 2\n");
    waitpid(shell, NULL, 0);
}
END_TEST

// ---- the debugger's help

START_TEST(help_fits)
{
    start(80,
          (const char *const[]){
              "minivm", "-c",
              "from debugger import helping, registry, words\n"
              "class Page:\n"
              "    def write(self, text): lines.extend(text.split('\\n'))\n"
              "    error = write\n"
              "lines = []\n"
              "for word in '', '!', *registry.commands, *words.OPCODES, *words.FIELDS:\n"
              "    helping.help_(Page(), word)\n"
              "print(len(lines) > 300, [line for line in lines if len('(Pdb) ' + line) > 80])\n",
              NULL});
    ck_assert_str_eq(shell_says(), "e0\n");
    expect("True []\n");
    waitpid(shell, NULL, 0);
}
END_TEST

Suite *terminal_suite(void)
{
    Suite *suite = suite_create("terminal");
    TCase *tests = bare_case(suite, "terminal");
    tcase_set_timeout(tests, SECONDS);
    tcase_add_test(tests, tab_names);
    tcase_add_test(tests, tab_attributes);
    tcase_add_test(tests, tab_columns);
    tcase_add_test(tests, tab_modules);
    tcase_add_test(tests, tab_interrupted);
    tcase_add_test(tests, tab_in_debugger);
    tcase_add_test(tests, debugger_in_colours);
    tcase_add_test(tests, debugger_shows_controls);
    tcase_add_test(tests, tab_changes_nothing);
    tcase_add_test(tests, suspended_prompt);
    tcase_add_test(tests, suspended_debugger);
    tcase_add_test(tests, suspended_input);
    tcase_add_test(tests, stopped_from_outside);
    tcase_add_test(tests, modes_set_by_a_program);
    tcase_add_test(tests, cut_and_yank);
    tcase_add_test(tests, abandoned);
    tcase_add_test(tests, other_keys);
    tcase_add_test(tests, pasted_class);
    tcase_add_test(tests, pasted_without_end);
    tcase_add_test(tests, pasted_into_history);
    tcase_add_test(tests, pasted_errors);
    tcase_add_test(tests, pasted_commands);
    tcase_add_test(tests, pasted_megabyte);
    tcase_add_test(tests, long_lines);
    tcase_add_test(tests, wide_characters);
    tcase_add_test(tests, split_characters);
    tcase_add_test(tests, resized);
    tcase_add_test(tests, screen_steps);
    tcase_add_test(tests, screen_commands);
    tcase_add_test(tests, screen_changes);
    tcase_add_test(tests, screen_changes_in_line);
    tcase_add_test(tests, screen_output);
    tcase_add_test(tests, screen_needs_a_terminal);
    tcase_add_test(tests, help_fits);
    return suite;
}
