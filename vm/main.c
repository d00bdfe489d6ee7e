// The command line: the options of python3, and those that print a stage of the compiler.
#include "vm/check_heap.h"
#include "vm/crash.h"
#include "vm/import/import.h"
#include "vm/io/stream.h"
#include "vm/jit/jit.h"
#include "vm/limits.h"
#include "vm/outside/outside.h"
#include "vm/outside/sandbox.h"
#include "vm/plugin.h"
#include "vm/run.h"
#include "vm/sys/sys.h"
#include "vm/tools.h"
#include "vm/vm.h"

#include "objects/error.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINIVM_VERSION "0.1"
#define MAX_WARNINGS 32

static const char usage[] = "usage: minivm [option] ... [-c cmd | -m mod | file | -] [arg] ...\n";

static const char options_help[] =
    "A file is a program in Python 3.9 (.mpy, .py) or what CPython 3.9 compiled\n"
    "(.pyc); without one, minivm reads a program from a pipe or talks at a terminal.\n"
    "\n"
    "-c cmd     : program passed in as string (ends the options)\n"
    "-m mod     : run a library module as a script (ends the options)\n"
    "-          : program read from standard input\n"
    "-i         : go on interactively after the program; prompt even where input is\n"
    "             a pipe\n"
    "-q         : no version message at the start of a dialogue\n"
    "-u         : unbuffered standard output and error\n"
    "-W arg     : what to do with warnings: action:message:category:module:line\n"
    "             (repeatable)\n"
    "-V         : print the version and exit (also --version)\n"
    "-h         : print this help and exit (also --help)\n"
    "-O         : leave assert out, and what depends on __debug__; -OO: docstrings\n"
    "             too\n"
    "-E         : look at no variable PYTHON...\n"
    "-I         : the same, and the program's folder is not on sys.path\n"
    "-X dev     : show all warnings, and make asyncio's loops debug\n"
    "-b -B -d -R -s -S -v, other -X opt: accepted, as there is nothing here that\n"
    "             they change\n"
    "\n"
    "Stages of the compiler, shown instead of run, for a file or -c cmd:\n"
    "--tokens   : the tokens, as `python -m tokenize` prints them\n"
    "--ast      : the tree, as ast.dump() prints it\n"
    "--symtable : the scopes, and what each name is in them\n"
    "--dis      : the bytecode, as dis.dis() prints it\n"
    "--decompile: source text that gives this bytecode again, made from nothing else\n"
    "--verify   : how many code objects there are, or what is wrong with one (of a\n"
    "             .pyc)\n"
    "\n"
    "--eval-frame lib.so : load a plugin that evaluates frames (may be repeated:\n"
    "             they chain)\n"
    "\n"
    "--no-jit   : no machine code of loops and functions that run often; without this\n"
    "             there is, on Linux with an x86-64 or aarch64 processor (--jit)\n"
    "--jit-after N : those that have run N times (default: 200)\n"
    "--jit-fail N  : a test of the JIT itself: the N-th guard always fails\n"
    "--trace-jit   : say on standard error what is compiled, why not, and how it ends\n"
    "\n"
    "--debug    : stop before the first line, at a prompt with the commands of pdb,\n"
    "             forwards and backwards; h lists them\n"
    "--debug=tui : the same on a full screen, with the source, bytecode, frames, cells\n"
    "             and value stack; the key h shows the keys\n"
    "--dap[=PORT] : the debugger for editors, which start the program themselves: the\n"
    "             Debug Adapter Protocol over standard input and output, or on a port\n"
    "             of the loopback address (ends the options)\n"
    "\n"
    "Seen while it runs, on standard error:\n"
    "--trace       : each instruction of the program and what it makes of the value\n"
    "                stack; but not those of the library's modules\n"
    "--trace-cache : each decision of the guarded code cache\n"
    "--trace-compile : each frame that torch.compile meets, what it decides and why\n"
    "\n"
    "--trace-html FILE : write a page that plays the run, instruction by instruction\n"
    "--trace-steps N   : of so many instructions (default: 1000000)\n"
    "--compile-html FILE : write a page that says what torch.compile did: graphs,\n"
    "                guards, what missed, where and why graphs break\n"
    "\n"
    "Limits, for programs by strangers. One that reaches a limit ends with a message\n"
    "and an exit status of its own, and cannot prevent it:\n"
    "--max-steps N     : instructions; exact, the same on every machine (status 122)\n"
    "--max-output SIZE : bytes written, such as 100K; 256 for a new file, folder or\n"
    "                    link (status 123)\n"
    "--max-time N      : seconds by the clock, such as 2.5 (status 124)\n"
    "--max-memory SIZE : bytes of memory, such as 64M (status 125)\n"
    "--sandbox         : no files outside of the program's folder, no processes, no\n"
    "                    native code: PermissionError\n"
    "\n"
    "Environment:\n"
    "MINIVMPATH : folders, separated by ':', in which import looks after the library\n"
    "PYTHONPATH : folders in which it looks before the library\n"
    "NO_COLOR   : no colours at a terminal: in tracebacks, --dis, --trace, the debugger\n"
    "PYTHONBREAKPOINT, PYTHONDEVMODE, PYTHONHASHSEED, PYTHONINSPECT, PYTHONIOENCODING,\n"
    "PYTHONOPTIMIZE, PYTHONSTARTUP, PYTHONUNBUFFERED, PYTHONWARNINGS: as in CPython.\n"
    "The other variables PYTHON... change nothing. Without a number in\n"
    "PYTHONHASHSEED strings hash as under 0, never at random.\n";

typedef enum ProgramSource {
    SOURCE_INPUT,
    SOURCE_FILE,
    SOURCE_COMMAND,
    SOURCE_MODULE
} ProgramSource;

typedef struct CommandLine {
    SysOptions sys;
    ProgramSource source;
    CompileStage stage;
    const char *program; // file, text or module
    int version, help;
    ToolOptions tools;
    JitOptions jit;
    Limits limits;
    int64_t check_heap; // after so many instructions; 0 = never
    bool sandbox;
    const char *plugins[MAX_PLUGINS];
    int plugin_count;
    const char *warnings[MAX_WARNINGS + 1]; // ends with NULL
    int warning_count;
    const char *x_options[MAX_WARNINGS + 1];
    int x_option_count;
} CommandLine;

static const struct {
    const char *name;
    CompileStage stage;
} stages[] = {{"--tokens", STAGE_TOKENS},       {"--ast", STAGE_AST},
              {"--symtable", STAGE_SYMTABLE},   {"--dis", STAGE_DIS},
              {"--decompile", STAGE_DECOMPILE}, {"--verify", STAGE_VERIFY}};

// The exit status: what cannot be written is not lost in silence.
static int say(const char *text)
{
    if (outside_write_all(1, text, strlen(text))) return 0;
    fprintf(stderr, "minivm: %s\n", strerror(errno));
    return 1;
}

static int usage_error(const char *problem, const char *what)
{
    fprintf(stderr, "%s%s\n%sTry `minivm -h' for more information.\n", problem, what, usage);
    return 2;
}

// A word of letters such as -iq. False: a letter takes the next word (`*takes`), or is unknown (0).
static bool parse_letters(const char *letters, CommandLine *line, char *stopped)
{
    for (; *letters; letters++) {
        switch (*letters) {
        case 'i': line->sys.inspect = line->sys.interactive = true; break;
        case 'q': line->sys.quiet = true; break;
        case 'u': line->sys.unbuffered = true; break;
        case 'V': line->version++; break;
        case 'h': line->help++; break;
        case 'O': line->sys.optimize += line->sys.optimize < 2; break;
        case 'b': line->sys.bytes_warning++; break;
        case 'd': line->sys.debug++; break;
        case 'I':
            line->sys.isolated = line->sys.no_user_site = line->sys.ignore_environment = true;
            break;
        case 'E': line->sys.ignore_environment = true; break;
        case 's': line->sys.no_user_site = true; break;
        case 'S': line->sys.no_site = true; break;
        case 'v': line->sys.verbose++; break;
        case 'B':
        case 'R': break;
        default: *stopped = *letters; return false;
        }
    }
    return true;
}

static bool parse_long(const char *word, CommandLine *line)
{
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        if (strcmp(word, stages[i].name) != 0) continue;
        line->stage = stages[i].stage;
        return true;
    }
    if (strncmp(word, "--check-heap=", 13) == 0)
        return limits_parse_count(word + 13, &line->check_heap);
    bool has_channel = strncmp(word, "--debug=", 8) == 0;
    if (has_channel) line->tools.channel = word + 8;
    if (has_channel || strcmp(word, "--debug") == 0)
        return line->tools.debug = line->sys.unbuffered = true;
    if (strcmp(word, "--trace") == 0) return line->tools.trace = true;
    if (strcmp(word, "--trace-cache") == 0) return line->tools.trace_cache = true;
    if (strcmp(word, "--jit") == 0) return line->jit.threshold = JIT_THRESHOLD_DEFAULT, true;
    if (strcmp(word, "--no-jit") == 0) return line->jit.threshold = 0, true;
    if (strcmp(word, "--trace-jit") == 0) return line->jit.trace = true;
    if (strcmp(word, "--sandbox") == 0) return line->sandbox = true;
    if (strcmp(word, "--trace-compile") == 0) return line->tools.trace_compile = true;
    if (strcmp(word, "--version") == 0) return line->version++, true;
    if (strcmp(word, "--help") == 0) return line->help++, true;
    return false;
}

static int parse_plugin(const char *path, CommandLine *line)
{
    if (line->plugin_count == MAX_PLUGINS) return usage_error("Too many plugins: ", path);
    line->plugins[line->plugin_count++] = path;
    return -1;
}

// What is printed has to come to the page when it is printed.
static int parse_page(const char *path, CommandLine *line)
{
    line->tools.page = path;
    line->sys.unbuffered = true;
    return -1;
}

static int parse_compile_page(const char *path, CommandLine *line)
{
    line->tools.compile_page = path;
    return -1;
}

static int parse_page_steps(const char *digits, CommandLine *line)
{
    bool is_number = limits_parse_count(digits, &line->tools.page_steps);
    return is_number ? -1 : usage_error("Not a number of steps: ", digits);
}

static int parse_max_steps(const char *digits, CommandLine *line)
{
    bool is_number = limits_parse_count(digits, &line->limits.steps);
    return is_number ? -1 : usage_error("Not a number of steps: ", digits);
}

static int parse_jit_after(const char *digits, CommandLine *line)
{
    int64_t count;
    bool fits = limits_parse_count(digits, &count) && count <= JIT_THRESHOLD_MAX;
    if (fits) line->jit.threshold = (uint32_t)count;
    return fits ? -1 : usage_error("Not a number of turns up to 65535: ", digits);
}

static int parse_jit_fail(const char *digits, CommandLine *line)
{
    bool is_number = limits_parse_count(digits, &line->jit.fail);
    return is_number ? -1 : usage_error("Not a number of a guard: ", digits);
}

static int parse_max_time(const char *seconds, CommandLine *line)
{
    bool is_time = limits_parse_time(seconds, &line->limits.time);
    return is_time ? -1 : usage_error("Not a number of seconds: ", seconds);
}

static int parse_max_memory(const char *size, CommandLine *line)
{
    bool is_size = limits_parse_size(size, &line->limits.memory);
    return is_size ? -1 : usage_error("Not a size, such as 64M: ", size);
}

static int parse_max_output(const char *size, CommandLine *line)
{
    bool is_size = limits_parse_size(size, &line->limits.output);
    return is_size ? -1 : usage_error("Not a size, such as 100K: ", size);
}

// The options whose argument is the next word. They return the exit status of a usage error, or -1.
static const struct {
    const char *name;
    int (*parse)(const char *argument, CommandLine *line);
} long_options[] = {{"--eval-frame", parse_plugin},         {"--trace-html", parse_page},
                    {"--compile-html", parse_compile_page}, {"--trace-steps", parse_page_steps},
                    {"--max-steps", parse_max_steps},       {"--max-time", parse_max_time},
                    {"--max-memory", parse_max_memory},     {"--max-output", parse_max_output},
                    {"--jit-after", parse_jit_after},       {"--jit-fail", parse_jit_fail}};

// Its number, -1 where the word is none of them.
static int find_long_option(const char *word)
{
    int number = (int)(sizeof long_options / sizeof *long_options);
    while (--number >= 0 && strcmp(word, long_options[number].name) != 0) continue;
    return number;
}

static int parse_long_option(int number, const char *argument, CommandLine *line)
{
    char problem[80];
    if (argument) return long_options[number].parse(argument, line);
    snprintf(problem, sizeof problem, "Argument expected for the %s option",
             long_options[number].name);
    return usage_error(problem, "");
}

// The argument of -c, -m or -W, in the same word or in the next. *index goes to the last word used;
// NULL = missing.
static const char *parse_argument(int argc, char **argv, int *index, char letter)
{
    const char *rest = strchr(argv[*index], letter) + 1;
    if (*rest) return rest;
    return *index + 1 < argc ? argv[++*index] : NULL;
}

// -W with its argument. The exit status of a usage error, or -1.
static int parse_warning(const char *option, CommandLine *line)
{
    if (line->warning_count == MAX_WARNINGS) return usage_error("Too many options -W: ", option);
    line->warnings[line->warning_count++] = option;
    return -1;
}

// -X with its argument, likewise.
static int parse_x_option(const char *option, CommandLine *line)
{
    if (line->x_option_count == MAX_WARNINGS) return usage_error("Too many options -X: ", option);
    line->x_options[line->x_option_count++] = option;
    line->sys.dev_mode |= strcmp(option, "dev") == 0;
    return -1;
}

// Sets sys.argv: the words from `first`, with `name` in front or instead of the first.
static void set_arguments(CommandLine *line, int argc, char **argv, int first, const char *name)
{
    argv[first - 1] = (char *)(uintptr_t)name;
    line->sys.argv = (const char *const *)(argv + first - 1);
    line->sys.argc = argc - first + 1;
}

// -c and -m end the options. The exit status of a usage error, or -1.
static int parse_letter_with_argument(int argc, char **argv, int *index, char letter,
                                      CommandLine *line)
{
    char text[] = {letter, 0};
    if (!strchr("cmWX", letter)) return usage_error("Unknown option: -", text);
    const char *argument = parse_argument(argc, argv, index, letter);
    if (!argument)
        return usage_error("Argument expected for the -",
                           strcat(strcpy((char[32]){0}, text), " option"));
    if (letter == 'W') return parse_warning(argument, line);
    if (letter == 'X') return parse_x_option(argument, line);
    line->program = argument;
    line->source = letter == 'c' ? SOURCE_COMMAND : SOURCE_MODULE;
    set_arguments(line, argc, argv, *index + 1, letter == 'c' ? "-c" : "-m");
    return -1;
}

// --dap and --dap=PORT: the module debugger.dap is the program.
static bool parse_adapter(int argc, char **argv, int index, CommandLine *line)
{
    bool has_port = strncmp(argv[index], "--dap=", 6) == 0;
    if (!has_port && strcmp(argv[index], "--dap") != 0) return false;
    line->program = "debugger.dap";
    line->source = SOURCE_MODULE;
    if (has_port) argv[index] += 6;
    set_arguments(line, argc, argv, has_port ? index : index + 1, "-m");
    return true;
}

// --debug=tui: the module debugger.tui is the program. Its arguments are the other words of this
// command line, also those before the option.
static bool parse_screen(int argc, char **argv, int index, CommandLine *line)
{
    if (strcmp(argv[index], "--debug=tui") != 0) return false;
    const char *executable = line->sys.executable;
    *line = (CommandLine){.sys.executable = executable,
                          .program = "debugger.tui",
                          .source = SOURCE_MODULE,
                          .jit = line->jit};
    memmove(argv + 2, argv + 1, (size_t)(index - 1) * sizeof *argv);
    set_arguments(line, argc, argv, 2, "-m");
    return true;
}

// The exit status of a usage error, or -1.
static int parse(int argc, char **argv, CommandLine *line)
{
    int index = 1;
    for (; index < argc && argv[index][0] == '-' && argv[index][1]; index++) {
        char stopped = 0;
        int number = find_long_option(argv[index]);
        if (number >= 0) {
            int status = parse_long_option(number, argv[++index], line);
            if (status >= 0) return status;
        } else if (parse_adapter(argc, argv, index, line) ||
                   parse_screen(argc, argv, index, line)) {
            return -1;
        } else if (argv[index][1] == '-') {
            if (!parse_long(argv[index], line)) return usage_error("unknown option ", argv[index]);
        } else if (!parse_letters(argv[index] + 1, line, &stopped)) {
            int status = parse_letter_with_argument(argc, argv, &index, stopped, line);
            if (status >= 0 || line->program) return status;
        }
    }
    if (index == argc) {
        set_arguments(line, argc, argv, index, "");
        return -1;
    }
    line->program = argv[index];
    line->source = strcmp(argv[index], "-") ? SOURCE_FILE : SOURCE_INPUT;
    set_arguments(line, argc, argv, index + 1, argv[index]);
    return -1;
}

static bool uses_tools(const ToolOptions *options)
{
    return options->debug || options->trace || options->trace_cache || options->trace_compile ||
           options->page || options->compile_page;
}

static int no_tools(void)
{
    return usage_error("This is the core: it has no debugger and no traces", "");
}

// `-m pdb` is the same as --debug. Returns the exit status if there is nothing to run, else -1.
static int parse_pdb(CommandLine *line)
{
    PdbProgram program;
    char **words = (char **)(uintptr_t)(line->sys.argv + 1);
    if (line->source != SOURCE_MODULE || strcmp(line->program, "pdb") != 0) return -1;
    if (!tools) return no_tools();
    int status = tools->parse_pdb(line->sys.argv + 1, line->sys.argc - 1, &program);
    if (status >= 0) return status;
    line->tools.debug = line->sys.unbuffered = true;
    line->program = words[program.word];
    line->source = program.is_module ? SOURCE_MODULE : SOURCE_FILE;
    set_arguments(line, line->sys.argc - 1, words, program.word + 1, line->program);
    return -1;
}

// A program that comes from standard input leaves the commands to the terminal.
static void find_commands(CommandLine *line)
{
    if (!line->tools.debug || line->source != SOURCE_INPUT || line->sys.interactive) return;
    if (outside_is_terminal(0) || outside_commands_from_terminal()) return;
    fprintf(stderr, "minivm: the program comes from standard input, and there is no terminal to "
                    "read commands from: it runs without --debug\n");
    line->tools.debug = false;
}

static int show(const CommandLine *line)
{
    if (line->source == SOURCE_COMMAND)
        return show_stage(line->stage, line->program, strlen(line->program), "<string>");
    if (line->source == SOURCE_MODULE)
        return usage_error("A stage is shown of a file, not of -m ", line->program);
    bool is_file = line->source == SOURCE_FILE;
    size_t size;
    char *text = is_file ? read_program(line->program, &size) : outside_read_all(0, &size);
    if (!text && !is_file) raise_os_error(errno, 0);
    if (!text) return error_pending() ? run_failed() : 2;
    int status = show_stage(line->stage, text, size, is_file ? line->program : "<stdin>");
    memory_free(text);
    return status;
}

// The module warnings says at once which options -W are wrong.
static bool read_warning_options(void)
{
    Value module = import_module("warnings");
    drop(module);
    return module != VALUE_ERROR;
}

static int run_source(const CommandLine *line)
{
    switch (line->source) {
    case SOURCE_FILE: return run_file(line->program);
    case SOURCE_COMMAND: return run_command(line->program);
    case SOURCE_MODULE: return run_module(line->program);
    default: return run_input(line->sys.interactive);
    }
}

// ---- limits

static bool has_limits(const CommandLine *line)
{
    const Limits *limits = &line->limits;
    return limits->steps || limits->time || limits->memory || limits->output;
}

// The debugger's processes would each have the whole of a limit; a plugin has none.
static const char *limits_clash(const CommandLine *line)
{
    if (line->tools.debug && (line->sandbox || has_limits(line)))
        return "--debug does not go with limits and --sandbox: it starts processes";
    if (line->sandbox && line->plugin_count) return "--eval-frame does not go with --sandbox";
    return NULL;
}

static void complete_tools(void)
{
    if (tools) tools->complete();
}

static void complete_streams(void)
{
    static const char *const streams[] = {"stdout", "stderr", "__stdout__"};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        stream_flush_native(sys_get(streams[i]));
}

// The folder that a program in the sandbox sees: the program itself or its folder, or the working
// directory.
static bool enter_sandbox(const CommandLine *line)
{
    const char *program = line->source == SOURCE_FILE ? line->program : "";
    const char *slash = strrchr(program, '/');
    bool is_folder = outside_file_kind(program) == FILE_DIRECTORY;
    size_t size = is_folder ? strlen(program) : slash ? (size_t)(slash - program) + 1 : 0;
    char *folder = memory_alloc(size + sizeof "/.");
    if (!folder) return false;
    memcpy(folder, program, size);
    strcpy(folder + size, is_folder ? "/." : ".");
    bool entered = sandbox_enter(folder);
    memory_free(folder);
    return entered;
}

// Where this fails, the program does not run at all.
static bool begin_limits(const CommandLine *line)
{
    static const LimitsComplete complete = {complete_tools, complete_streams};
    if ((!line->sandbox || enter_sandbox(line)) && limits_begin(&line->limits, &complete))
        return true;
    fprintf(stderr, "minivm: the limits cannot be set: %s\n", strerror(errno));
    return false;
}

static int run(const CommandLine *line)
{
    if (line->stage != STAGE_RUN) return show(line);
    if ((line->warning_count || line->sys.dev_mode) && !read_warning_options()) return run_failed();
    if (!begin_limits(line)) return 1;
    if (line->check_heap) check_heap_start(line->check_heap);
    if (tools && !tools->begin(&line->tools)) return 1;
    int status = run_source(line);
    if (tools) tools->end(status);
    bool goes_on = line->sys.inspect && (line->sys.interactive || outside_is_terminal(0));
    return goes_on && line->source != SOURCE_INPUT ? run_dialogue() : status;
}

// Says why the page cannot be written.
static void page_error(const CommandLine *line)
{
    fprintf(stderr, "minivm: can't write '%s': %s\n", line->tools.page, strerror(errno));
}

static int finish(const CommandLine *line, int status)
{
    bool interrupted = status == RUN_INTERRUPTED, broken_pipe = status == RUN_BROKEN_PIPE;
    status = vm_finish(status < 0 ? 1 : status);
    if (broken_pipe) status = 128 + SIGPIPE;
    if (tools && !tools->finish()) {
        page_error(line);
        if (!status) status = 1;
    }
    if (tools) tools->close(interrupted ? 128 + SIGINT : status);
    if (interrupted) outside_die_by_interrupt();
    return status;
}

// The machine is not complete: nothing of it can be taken apart.
static int start_failed(void)
{
    Value error = error_pending() && !error_is(MemoryError) ? error_take() : VALUE_ERROR;
    Value text = error ? object_str(error) : VALUE_ERROR;
    const char *reason = text ? str_utf8(text, NULL) : NULL;
    fprintf(stderr, "minivm: cannot start: %s\n", reason ? reason : "not enough memory");
    if (tools) tools->close(1);
    return 1;
}

static int bad_hash_seed(void)
{
    fputs("minivm: PYTHONHASHSEED must be \"random\" or an integer in range [0; 4294967295]\n",
          stderr);
    return 1;
}

int main(int argc, char **argv)
{
    CommandLine line = {.sys.executable = argv[0],
                        .tools.page_steps = 1000000,
                        .jit.threshold = JIT_THRESHOLD_DEFAULT};
    int status = parse(argc, argv, &line);
    if (status >= 0 || (status = parse_pdb(&line)) >= 0) return status;
    if (line.help) return say(usage) || say(options_help);
    if (line.version) return say("minivm " MINIVM_VERSION " (Python 3.9.18)\n");
    if (!tools && uses_tools(&line.tools)) return no_tools();
    if (line.check_heap && !DEBUG_INVARIANTS)
        return usage_error("--check-heap: this build has no invariants (make MODE=debug)", "");
    if (line.tools.trace_cache && line.tools.trace_compile)
        return usage_error("--trace-compile does not go with --trace-cache", "");
    if (line.tools.page && (line.tools.debug || line.tools.trace))
        return usage_error("--trace-html does not go with --debug or --trace", "");
    if (line.tools.compile_page &&
        (line.tools.debug || line.tools.trace_cache || line.tools.trace_compile))
        return usage_error(
            "--compile-html does not go with --debug, --trace-cache or --trace-compile", "");
    const char *clash = limits_clash(&line);
    if (clash) return usage_error(clash, "");
    line.sys.warnings = line.warnings;
    line.sys.x_options = line.x_options;
    if (!sys_read_environment(&line.sys)) return bad_hash_seed();
    find_commands(&line);
    if (tools && !tools->open(&line.tools)) return 1;
    crash_init();
    if (!vm_init(&line.sys)) return start_failed();
    jit_init(&line.jit);
    if (tools && !tools->start(&line.tools)) {
        page_error(&line);
        return finish(&line, 2);
    }
    for (int i = 0; i < line.plugin_count; i++)
        if (!plugin_load(line.plugins[i])) return finish(&line, 2);
    return finish(&line, run(&line));
}
