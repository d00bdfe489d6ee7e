// Lesson 17: the student's stencils are called as functions of C, and what is patched is run.
//
//     type list tuple         check_type: the type in WORD, and what is in the slot
//     range 0 10 3 2          new_range: start, stop and step, and how many iterators are ready
//     code                    stencils of the machine, one a line, put together and run:
//     constant_i0 word 5          with what goes into its holes
//     spill_i0 number 16
#include "lessons/harness.h"

#include "lessons/program.h"
#include "objects/bytes/bytes.h"
#include "objects/containers/list.h"
#include "objects/containers/range.h"
#include "objects/containers/tuple.h"
#include "objects/numbers/float.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/jit/emit.h"
#include "vm/jit/jit.h"
#include "vm/jit/walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 16
#define NUMBER 24 // where the slot is: the fourth word of the frame
__asm__(".globl NUMBER_\n.set NUMBER_, 24");

#define PARAMETERS                                                                                 \
    char *frame, int64_t i0, int64_t i1, int64_t i2, int64_t i3, int64_t i4, double d0, double d1, \
        double d2, double d3, double d4, double d5, double d6, double d7
typedef int64_t Next(PARAMETERS);
Next NEXT_, TAKEN_, EXIT_, GOTO_, check_type, new_range;
uint64_t WORD_;
double REAL_;

static uint64_t slots[SLOTS], before[SLOTS];

// ---- a stencil as a function: it is called, and calls the next one

static int gone_on;
static const char *way;

static int64_t go(const char *where, PARAMETERS)
{
    bool same = frame == (char *)slots && i0 == 10 && i1 == 11 && i2 == 12 && i3 == 13 && i4 == 14;
    same = same && d0 == 0.5 && d1 == 1.5 && d2 == 2.5 && d3 == 3.5 && d4 == 4.5 && d5 == 5.5;
    way = same && d6 == 6.5 && d7 == 7.5 ? where : "another register";
    gone_on++;
    return 0;
}
#define WAY(name, where)                                                                           \
    int64_t name(PARAMETERS)                                                                       \
    {                                                                                              \
        return go(where, frame, i0, i1, i2, i3, i4, d0, d1, d2, d3, d4, d5, d6, d7);               \
    }
WAY(NEXT_, "next")
WAY(TAKEN_, "taken")
WAY(EXIT_, "exit")
WAY(GOTO_, "jump")

static void call_stencil(Next *stencil)
{
    for (int i = 0; i < SLOTS; i++)
        if (i * 8 != NUMBER) slots[i] = INT_TAG + (uint64_t)i;
    memcpy(before, slots, sizeof slots);
    way = "it returns", gone_on = 0;
    stencil((char *)slots, 10, 11, 12, 13, 14, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5);
    answer("%s", way);
    if (gone_on > 1) answer(", %d times", gone_on);
    for (int i = 0; i < SLOTS; i++)
        if (i * 8 != NUMBER && slots[i] != before[i]) answer(", slot %d is changed", i);
}

// ---- check_type

static const struct {
    const char *name;
    Type *type;
} types[] = {
    {"list", &list_type}, {"tuple", &tuple_type}, {"str", &str_type}, {"bytes", &bytes_type}};
#define TYPES (sizeof types / sizeof *types)

static void refuse(void)
{
    answer("an input is one of these:\n"
           "type TYPE VALUE                 TYPE: list, tuple, str, bytes; VALUE: that, a number\n"
           "range START STOP STEP READY     READY: 0 to 3\n"
           "code, and in the next lines NAME, NAME word N, NAME number N or NAME real R\n");
}

// Owned.
static Value value_of(const char *name)
{
    if (strcmp(name, "list") == 0) return list_new(0);
    if (strcmp(name, "tuple") == 0) return tuple_new(2);
    if (strcmp(name, "str") == 0) return str_new("a text");
    if (strcmp(name, "bytes") == 0) return bytes_new("some", 4);
    if (strcmp(name, "None") == 0) return NONE;
    if (strcmp(name, "True") == 0) return TRUE;
    if (strcmp(name, "nothing") == 0) return VALUE_ERROR;
    return strchr(name, '.') ? from_double(atof(name)) : from_small(atoi(name));
}

static void answer_type(const char *text)
{
    char type[20] = "", name[20] = "";
    if (sscanf(text, "type %19s %19s", type, name) < 2) {
        refuse();
        return;
    }
    WORD_ = 0;
    for (size_t i = 0; i < TYPES; i++)
        if (strcmp(types[i].name, type) == 0) WORD_ = (uint64_t)(uintptr_t)types[i].type;
    if (!WORD_) {
        refuse();
        return;
    }
    Value value = value_of(name);
    slots[NUMBER / 8] = bits_of(value);
    ssize_t count = is_object(value) ? object_of(value)->refcount : 0;
    call_stencil(check_type);
    if (slots[NUMBER / 8] != bits_of(value)) answer(", the slot is changed");
    if (is_object(value) && object_of(value)->refcount != count) answer(", owners are changed");
    answer("\n");
    drop(value);
}

// ---- new_range

#define READY 3

static void answer_range(const char *text)
{
    static RangeIterator ready[READY];
    int count = 0;
    if (sscanf(text, "range %" SCNd64 " %" SCNd64 " %" SCNd64 " %d", &jit_saved.start,
               &jit_saved.stop, &jit_saved.step, &count) < 4 ||
        count < 0 || count > READY) {
        refuse();
        return;
    }
    jit_saved.spare = NULL;
    for (int i = 0; i < count; i++) {
        ready[i] = (RangeIterator){
            {1, &range_iterator_type}, (int64_t)(uintptr_t)jit_saved.spare, -7, -8, -9};
        jit_saved.spare = &ready[i];
    }
    slots[NUMBER / 8] = INT_TAG;
    call_stencil(new_range);
    const RangeIterator *made = (const RangeIterator *)(uintptr_t)slots[NUMBER / 8];
    if (slots[NUMBER / 8] == INT_TAG)
        answer(", nothing in the slot");
    else if (made < ready || made >= ready + READY)
        answer(", the slot has something else");
    else
        answer(", iterator %d: start %" PRId64 ", next %" PRId64 ", step %" PRId64
               ", left %" PRId64,
               (int)(made - ready), made->start, made->next, made->step, made->left);
    answer(", ready: %d\n", jit_saved.spare ? (int)(jit_saved.spare - ready) + 1 : 0);
    jit_saved.spare = NULL; // no memory of the machine's
}

// ---- code

enum { TAKEN_LABEL, EXIT_LABEL, SAVE_LABEL, LABELS };

static const char *const ends[] = {"went on", "branched", "left by a guard"};

// Reads "NAME [word W] [number N] [real R]", moves to the next line, appends.
static bool append_line(const char **line)
{
    char name[40] = "", kind[20] = "", value[40] = "";
    Patch patch = {.target = TAKEN_LABEL, .exit = EXIT_LABEL};
    int fields = sscanf(*line, "%39[a-z_0-9]%*[ ]%19[a-z] %39[^\n]", name, kind, value);
    *line += strcspn(*line, "\n");
    *line += **line == '\n';
    if (fields == 3 && strcmp(kind, "number") == 0) patch.number = (uint32_t)atoi(value);
    if (fields == 3 && strcmp(kind, "word") == 0) patch.word = strtoull(value, NULL, 0);
    double real = atof(value);
    if (fields == 3 && strcmp(kind, "real") == 0) memcpy(&patch.word, &real, sizeof real);
    if (emit_stencil(name, &patch)) return true;
    answer("%s: %s\n", name, jit_problem);
    return false;
}

static void leave(int end)
{
    Patch patch = {.word = (uintptr_t)ends[end], .target = SAVE_LABEL};
    emit_stencil("leave", &patch);
}

static void run(void *entry)
{
    Next *code = (Next *)(uintptr_t)entry;
    jit_saved.turns = 0;
    code((char *)slots, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    answer("%s, turns %u\ni", (const char *)jit_saved.exit, jit_saved.turns);
    for (int i = 0; i < INT_REGISTERS; i++) answer(" %" PRId64, jit_saved.ints[i] >> 15);
    answer("\nd");
    for (int i = 0; i < FLOAT_REGISTERS; i++) answer(" %g", jit_saved.floats[i]);
    answer("\nslots");
    for (int i = 0; i < 8; i++) answer(" %" PRIx64, slots[i]);
    answer("\n");
}

static void answer_code(const char *text)
{
    const char *line = strchr(text, '\n');
    if (!line++ || !*line) {
        refuse();
        return;
    }
    CodeBlock block;
    void *entry;
    memset(slots, 0, sizeof slots);
    slots[7] = INT_TAG + 77;
    emit_begin(LABELS);
    while (*line)
        if (!append_line(&line)) return;
    leave(0);
    emit_bind(TAKEN_LABEL);
    leave(1);
    emit_bind(EXIT_LABEL);
    leave(2);
    emit_bind(SAVE_LABEL);
    emit_stencil("save", &(Patch){0});
    if (!emit_finish(&block, &entry)) {
        answer("%s\n", jit_problem);
        return;
    }
    run(entry);
    code_memory_give_back(&block);
}

void probe_begin(void)
{
    machine_begin();
}

void probe(const char *text, size_t size)
{
    (void)size;
    if (strncmp(text, "type", 4) == 0)
        answer_type(text);
    else if (strncmp(text, "range", 5) == 0)
        answer_range(text);
    else
        answer_code(text);
}
