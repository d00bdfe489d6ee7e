# By hand, as CPython has no lessons: what a student's C may do on the machine that checks it (lessons/confine.c), and
# what has no place in a hole (lessons/languages.mpy). All attempts are harmless: a marker in a folder of its own. The
# walls are those of Linux 5.13 or later on x86-64, with Landlock.
root=${0%/tests/commands/*}
cc -std=c11 -D_GNU_SOURCE -I"$root" -o confine "$root/lessons/confine.c"
cat > attempts.c << 'END'
#include <stddef.h>
#include <sys/syscall.h>

static long call(long number, long first, long second, long third)
{
    long result;
    register long fourth __asm__("r10") = 0;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(second), "d"(third), "r"(fourth)
                     : "rcx", "r11", "memory");
    return result;
}

static void say(const char *text)
{
    size_t size = 0;
    while (text[size]) size++;
    call(SYS_write, 1, (long)text, size);
}

static char *command[] = {"touch", "marker", NULL};

static void attempt(const char *when)
{
    static const struct {
        const char *name;
        long number, first, second, third;
    } calls[] = {{"create", SYS_openat, -100, (long)"marker", 0101},
                 {"write", SYS_openat, -100, (long)"secret.txt", 01},
                 {"read", SYS_openat, -100, (long)"secret.txt", 0},
                 {"list", SYS_openat, -100, (long)".", 0200000},
                 {"remove", SYS_unlink, (long)"secret.txt", 0, 0},
                 {"rename", SYS_rename, (long)"secret.txt", (long)"marker", 0},
                 {"folder", SYS_mkdir, (long)"marker", 0700, 0},
                 {"link", SYS_symlink, (long)"secret.txt", (long)"marker", 0},
                 {"go away", SYS_chdir, (long)"/", 0, 0},
                 {"run", SYS_execve, (long)"/bin/touch", (long)command, 0},
                 {"fork", SYS_fork, 0, 0, 0},
                 {"vfork", SYS_clone, 0x4000, 0, 0},
                 {"socket", SYS_socket, 1, 1, 0},
                 {"signal to all", SYS_kill, -1, 0, 0},
                 {"signal to init", SYS_tgkill, 1, 1, 0},
                 {"limits of init", SYS_prlimit64, 1, 0, 0},
                 {"session", SYS_setsid, 0, 0, 0},
                 {"descriptor of the caller", SYS_fcntl, 7, 1, 0}};
    say(when);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (call(calls[i].number, calls[i].first, calls[i].second, calls[i].third) < 0) continue;
        say(" ");
        say(calls[i].name);
    }
    say(".\n");
}

static int seven(void)
{
    return 7;
}

static int (*resolve(void))(void)
{
    attempt("Where the linker asks which function is meant, it could:");
    return seven;
}

int resolved(void) __attribute__((ifunc("resolve")));
int (*const table[])(void) = {resolved};

#ifdef SANITIZED
const char *__asan_default_options(void)
{
    attempt("Where a sanitizer asks for its options, it could:");
    return "detect_leaks=0";
}
#endif

int prctl(int option, ...)
{
    return option & 0;
}

static void first(void)
{
    attempt("Before the constructors it could:");
}
__attribute__((section(".preinit_array"), used)) static void (*const entry)(void) = first;

__attribute__((constructor)) static void begin(void)
{
    attempt("Before main() it could:");
}

int main(void)
{
    attempt("In main() it could:");
    return table[0]();
}
END
echo "a secret" > secret.txt
cc -w -O1 -fno-builtin -fno-stack-protector -c attempts.c && cc attempts.o -o plain
cc -w -O1 -fno-builtin -fno-stack-protector -DSANITIZED -c attempts.c && cc -fsanitize=address,undefined attempts.o -o sanitized
for program in plain sanitized; do
    echo "# $program"
    ./confine program ./$program 7< secret.txt > out
    echo "status $?, $(cat secret.txt), $(ls | grep -c marker) markers"
    uniq out # a linker may ask more than once
done
echo "# without walls it could do something"
mkdir free && (cd free && echo "a secret" > secret.txt && ../plain | grep -c create)
echo "# the compiler"
mkdir build
printf '__asm__(".incbin \\"/etc/passwd\\"");\n' > build/reads.c
printf 'int f(void) { return 1; }\n' > build/plain.c
compiles() { ./confine compiler build cc "$@" > messages 2>&1 && echo "made" || echo "refused"; }
compiles -c build/plain.c -o build/plain.o
compiles -g -O1 -fsanitize=address,undefined build/plain.c -shared -fPIC -o build/plain.so
compiles -c build/reads.c -o build/reads.o
compiles -c build/plain.c -o plain.o
inside() { ./confine compiler build sh -c "$1" 2> /dev/null || echo "refused"; }
inside 'echo x > build/here; cat build/here'
inside 'echo x > marker'
inside 'rm secret.txt'
inside 'cat /etc/passwd'
inside 'echo $TMPDIR'
inside 'ulimit -v'
inside 'kill -0 1'
ls | grep marker
echo "# what it does not start"
./confine program ./missing
echo "status $?"
./confine
echo "status $?"
echo "# what is plain C"
cat > plain.py << 'END'
import sys
sys.path.insert(0, sys.argv[1])
from languages import C
for text in [
    "int f(void) { return 1 ? a[b[0]] : 2; } // asm", "#define F(x) (x)\n#if F(1)\n#endif", 'char *s = "#include <x>";',
    "/* #include <x> */ int x;", "a = b[ c[0]];", "# define X 1",
    "#include <x>", "%:include <x>", "??=include <x>", "#\\\ninclude <x>", "#inc\\\nlude <x>", "#\\ \ninclude <x>", "#\\\t\v\f\ninclude <x>",
    "#inc\\ \nlude <x>", "#inc??/ \nlude <x>", "#\\\r\ninclude <x>", "\0#include <x>", "#\0include <x>", "/**/#/**/include/**/<x>", "# 1 \"x\"",
    "as\\\nm(\"\");", "as\\ \nm(\"\");", "__as\\ \t\nm__(\"\");", "as??/ \nm(\"\");", "_Prag\\ \nma(\"\")", "a #\\ \n# b", "a %:\\ \n%: b",
    'int x __attribute__((section("a\\n.incbin \\"x\\"\\n")));', 'int x __attribute((section("a")));', '[[gnu::section("a")]] int x;',
    '[ [gnu::section("a")]] int x;', '<:<:gnu::section("a"):>:> int x;', '??(??(gnu::section("a")]] int x;', "[/**/[x]]", "#if __has_include(<x>)\n#endif",
    "int f(void) __attribute__((ifunc(\"g\")));", "__attri\\ \nbute__((constructor)) void f(void);",
    "#if 0\ndon't /*\n#endif\n#include <x>\n/* */", '#if 0\nsay " /*\n#endif\nasm("");/* */', "#define A ' /*\n#include <x> */", "int x; /*", "// /*\nint x;",
    "c = '/*'; d = 'asm';",
]:
    print(C.refused(text), end=" ")
print()
END
"$PYTHON" plain.py "$root/lessons"
