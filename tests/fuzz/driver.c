// Looks for an input that a target falls over (driver.h, targets.def).
//
//     fuzz                                   the names of the targets
//     fuzz TARGET [minutes=1] [runs=0] [seed=1] [corpus=FOLDER] [map=FILE]
//     fuzz TARGET file=FILE                  that input alone, such as one that a fault has left
//
// Inputs are drawn from those that are known, changed, and given to the target, for so many minutes
// or until so many have run. One that takes a new way through the program is kept (coverage.h), and
// written to the corpus. Memory and time of an input are limited. After it the machine must be as
// before, and what is kept may hold no more memory when it runs again and again. What a fault has
// been found with is left in build/fault-TARGET, the last one that took too long in
// build/slow-TARGET. Seconds that are printed are the processor's.
//
// With clang's -fsanitize=fuzzer another main() drives (make fuzz-clang); FUZZ_TARGET names the target.
#include "tests/fuzz/driver.h"

#include "frames/frame.h"
#include "objects/bytes/bytes.h"
#include "objects/containers/list.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "tests/fuzz/coverage.h"
#include "tests/fuzz/fuzzing.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/script.h"
#include "vm/outside/outside.h"
#include "vm/vm.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MEMORY (64 << 20)
#define MAX_INPUTS 20000
#define FEW_RUNS 2
#define SAME_RUNS 10
#define SLOW 0.5 // seconds of the processor

static const FuzzTarget targets[] = {
#define TARGET(name, rooms, seeds, seed) {#name, rooms, seeds, fuzz_##name, seed},
#define SCRIPT(name, rooms) {#name, rooms, "", NULL, NULL},
#include "tests/fuzz/targets.def"
};
#define TARGETS (sizeof targets / sizeof *targets)

static const FuzzTarget *target;
static Input inputs[MAX_INPUTS], words[1000];
static size_t input_count, word_count;
static Input current; // what runs
static const char *corpus;
static unsigned long slow; // inputs that took so long

// ---- inputs

static void keep(Input *list, size_t *count, size_t most, const void *bytes, size_t size)
{
    if (*count == most || size > FUZZ_INPUT) return;
    uint8_t *copy = malloc(size + 1);
    if (!copy) fuzz_fail("no memory for an input");
    memcpy(copy, bytes, size);
    list[(*count)++] = (Input){size, copy, 0};
}

static void add_input(const void *bytes, size_t size)
{
    keep(inputs, &input_count, MAX_INPUTS, bytes, size);
}

static void keep_all(Input *list, size_t *count, size_t most, Value values)
{
    error_clear();
    for (ssize_t i = 0; values && i < list_size(values); i++) {
        ValueRef value = list_at(values, i);
        size_t size;
        const char *text = bytes_check(value) ? as_bytes(value)->data : str_utf8(value, &size);
        if (bytes_check(value)) size = (size_t)as_bytes(value)->size;
        keep(list, count, most, text, size);
    }
    drop(values);
}

static size_t read_file(const char *path, uint8_t *bytes, size_t room)
{
    int descriptor = open(path, O_RDONLY);
    ssize_t size = descriptor < 0 ? -1 : read(descriptor, bytes, room);
    if (descriptor >= 0) close(descriptor);
    return size < 0 ? 0 : (size_t)size;
}

static void add_files(const char *pattern, Value (*seed)(const char *text, size_t size))
{
    static uint8_t text[1 << 16];
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0) return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        size_t size = read_file(found.gl_pathv[i], text, sizeof text);
        Value made = seed ? seed((char *)text, size) : VALUE_ERROR;
        error_clear();
        if (made) add_input(as_bytes(made)->data, (size_t)as_bytes(made)->size);
        if (!seed) add_input(text, size);
        drop(made);
    }
    globfree(&found);
}

static void write_input(const char *path, const Input *input)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (descriptor < 0 || write(descriptor, input->bytes, input->size) < 0) perror(path);
    if (descriptor >= 0) close(descriptor);
}

static void keep_in_corpus(const Input *input)
{
    char path[300];
    size_t place = input_count;
    add_input(input->bytes, input->size);
    if (input_count == place) return; // there are too many
    inputs[place].seconds = input->seconds;
    snprintf(path, sizeof path, "%s/%016" PRIx64, corpus ? corpus : "",
             (uint64_t)hash_bytes(input->bytes, input->size));
    if (corpus) write_input(path, input);
}

static void write_current(const char *what)
{
    char path[100];
    snprintf(path, sizeof path, "build/%s-%s", what, target->name);
    write_input(path, &current);
    if (*what == 'f') fprintf(stderr, "fuzz: %s: the input is in %s\n", target->name, path);
}

static void on_crash(const char *name)
{
    (void)name;
    write_current("fault");
}

// ---- the target

static void start(const char *name)
{
    for (target = targets; target < targets + TARGETS; target++)
        if (strcmp(target->name, name) == 0) break;
    if (target == targets + TARGETS) fuzz_fail("there is no such target");
    fuzz_start();
    if (target->one) {
        add_files(target->seeds, target->seed);
    } else {
        script_start(name);
        keep_all(inputs, &input_count, MAX_INPUTS, script_list("seeds"));
        keep_all(words, &word_count, sizeof words / sizeof *words, script_list("words"));
    }
    outside_report_crashes(on_crash);
    add_input("", 0);
}

static void run(const uint8_t *bytes, size_t size)
{
    const Value *top = thread_state.top;
    fuzz_limits(MEMORY);
    (target->one ? target->one : script_one)(bytes, size);
    error_clear();
    fuzz_limits(0);
    fuzz_check_machine(top);
}

static size_t blocks_after(const Input *input, int runs)
{
    while (runs--) run(input->bytes, input->size);
    gc_collect(2);
    return memory_counts().blocks;
}

// A cache grows when an input comes for the first time; what grows each time is a leak.
static void check_memory(const Input *input)
{
    size_t before = blocks_after(input, FEW_RUNS), after = blocks_after(input, FEW_RUNS);
    if (after < before + FEW_RUNS) return;
    before = after, after = blocks_after(input, SAME_RUNS);
    if (after < before + SAME_RUNS) return;
    if (blocks_after(input, SAME_RUNS) >= after + SAME_RUNS) fuzz_fail("an input loses memory");
}

static int finish(void)
{
    script_finish();
    while (input_count) free(inputs[--input_count].bytes);
    while (word_count) free(words[--word_count].bytes);
    return vm_finish(0);
}

// ---- the campaign

typedef struct Options {
    double minutes;
    unsigned long runs, seed;
    const char *file, *map; // the linker's map
} Options;

static bool option(const char *word, const char *name, const char **value)
{
    size_t size = strlen(name);
    if (strncmp(word, name, size) != 0 || word[size] != '=') return false;
    *value = word + size + 1;
    return true;
}

static Options options_of(int argc, char **argv)
{
    Options options = {.minutes = 1, .seed = 1, .map = ""};
    for (int i = 2; i < argc; i++) {
        const char *value;
        if (option(argv[i], "minutes", &value))
            options.minutes = strtod(value, NULL);
        else if (option(argv[i], "runs", &value))
            options.runs = strtoul(value, NULL, 10);
        else if (option(argv[i], "seed", &value))
            options.seed = strtoul(value, NULL, 10);
        else if (!option(argv[i], "corpus", &corpus) && !option(argv[i], "file", &options.file) &&
                 !option(argv[i], "map", &options.map))
            fuzz_fail(argv[i]);
    }
    return options;
}

static double seconds_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// True if `current` took a new way.
static bool run_current(void)
{
    double began = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    coverage_begin();
    run(current.bytes, current.size);
    bool is_new = coverage_end();
    current.seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - began;
    if (current.seconds > SLOW) write_current("slow");
    slow += current.seconds > SLOW;
    return is_new;
}

static void run_known(Input *input)
{
    current.size = input->size;
    memcpy(current.bytes, input->bytes, input->size);
    run_current();
    input->seconds = current.seconds;
}

// One of all, or, mostly, the quickest of four: a corpus has few that last long, and they would take
// nearly all of the time.
static const Input *draw_input(void)
{
    const Input *drawn = &inputs[random_below((uint32_t)input_count)];
    for (int more = random_below(8) ? 3 : 0; more; more--) {
        const Input *other = &inputs[random_below((uint32_t)input_count)];
        if (other->seconds < drawn->seconds) drawn = other;
    }
    return drawn;
}

static void run_changed(void)
{
    const Input *from = draw_input();
    memcpy(current.bytes, from->bytes, from->size);
    current.size = mutate(current.bytes, from->size, words, word_count, inputs, input_count);
    if (!run_current()) return;
    keep_in_corpus(&current);
    if (current.seconds <= SLOW) check_memory(&current);
}

static unsigned long campaign(const Options *options)
{
    double end = seconds_of(CLOCK_MONOTONIC) + options->minutes * 60;
    unsigned long runs = 0;
    random_state = options->seed;
    for (size_t known = input_count; runs < known; runs++) run_known(&inputs[runs]);
    gc_freeze(); // a collection looks at what inputs leave, not at the library each time
    for (; options->runs ? runs < options->runs : seconds_of(CLOCK_MONOTONIC) < end; runs++)
        run_changed();
    return runs;
}

static void report(const char *map, unsigned long runs, double seconds)
{
    Blocks blocks = coverage_blocks(map, target->rooms);
    printf("%-12s %9lu runs %5.0f s %6zu inputs  %zu of %zu blocks", target->name, runs, seconds,
           input_count, blocks.reached, blocks.all);
    if (slow) printf(", %lu slow", slow);
    if (coverage_lines()) printf(", %zu instructions of mini-Python", coverage_lines());
    puts("");
}

int main(int argc, char **argv)
{
    static uint8_t room[1 << 16];
    char pattern[300];
    current.bytes = room;
    for (size_t i = 0; argc < 2 && i < TARGETS; i++)
        printf("%s %s\n", targets[i].name, targets[i].rooms);
    if (argc < 2) return 0;
    Options options = options_of(argc, argv);
    start(argv[1]);
    if (options.file) {
        current.size = read_file(options.file, room, sizeof room);
        run_current();
        check_memory(&current);
        return finish();
    }
    snprintf(pattern, sizeof pattern, "%s/*", corpus ? corpus : "");
    if (corpus) add_files(pattern, NULL);
    if (!target->one) coverage_watch_lines();
    double began = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    unsigned long runs = campaign(&options);
    report(options.map, runs, seconds_of(CLOCK_PROCESS_CPUTIME_ID) - began);
    return finish();
}

// For clang's library, which drives.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *name = getenv("FUZZ_TARGET");
    if (!target) start(name ? name : "");
    run(bytes, size);
    return 0;
}
