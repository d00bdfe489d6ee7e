// Lesson 6: the input is a call and a program that defines f; the answer is what f did.
//
//     call: int str list          kinds of arguments, which are made here
//     def f(a, b, c): ...
//
//     0 LOAD_FAST        0        each instruction, and how many values the stack has before it
//     2 LOAD_FAST        1
//     4 ROT_TWO          2
//     6 STORE_FAST       2: 'b' 'a'       after one that moves values: those on the stack, too
//     ...
//
// Where the stack has not as many values as the code was made for, the answer ends: what follows
// would take what is not there. Instructions are not fused here, so each goes to its own handler.
#include "lessons/06_machine/probe.h"

#include "compiler/compile.h"
#include "lessons/harness.h"
#include "objects/init.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "vm/function_call.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#define MOST 16
#define MOST_STEPS 2000

static Value no_builtins;
static int steps;
static jmp_buf wrong_height;

static ValueRef builtins(void)
{
    return no_builtins;
}

void probe_begin(void)
{
    objects_init();
    no_builtins = dict_new();
    upcalls.builtins = builtins;
    eval_init();
}

// ---- each step

static bool is_students(int opcode)
{
    switch (opcode) {
    case POP_TOP:
    case ROT_TWO:
    case ROT_THREE:
    case ROT_FOUR:
    case DUP_TOP:
    case DUP_TOP_TWO:
    case LOAD_CONST:
    case LOAD_FAST:
    case STORE_FAST:
    case DELETE_FAST:
    case BINARY_ADD:
    case INPLACE_ADD:
    case BINARY_POWER: return true;
    default: return false;
    }
}

static bool moves_values(int opcode)
{
    return opcode >= ROT_TWO && opcode <= ROT_FOUR;
}

// An iterator's text would have its address.
static void answer_kind_of(ValueRef value)
{
    if (str_check(value) || list_check(value) || tuple_check(value) || !is_object(value)) {
        Value text = object_repr(value);
        answer(" %s", text ? str_utf8(text, NULL) : "?");
        drop(text);
    } else {
        answer(" <%s>", type_of(value)->name);
    }
}

static void answer_stack(Frame *frame, const Value *sp)
{
    answer(":");
    for (const Value *value = frame_stack(frame); value < sp; value++) answer_kind_of(*value);
}

void probe_step(Frame *frame, const Instruction *ip, const Value *sp)
{
    const QuickCode *quick = quick_of(as_code(frame->code));
    int at = (int)(ip - quick->instructions), opcode = quick_opcode(quick, ip);
    int height = stack_height(frame, sp);
    if (is_students(opcode)) count_call();
    answer("%3d %-20s %d", 2 * at, opcode_name(opcode), height);
    bool is_right = height == stack_height_wanted(frame, ip);
    if (is_right && at > 0 && moves_values(quick_opcode(quick, ip - 1))) answer_stack(frame, sp);
    answer("\n");
    if (!is_right || ++steps > MOST_STEPS) longjmp(wrong_height, 1);
}

// ---- what is called

static Value make_argument(const char *kind, int number)
{
    if (strcmp(kind, "int") == 0) return from_small(10 + number);
    Value text = format_text("%s %d", kind, number), made = VALUE_ERROR;
    if (strcmp(kind, "str") == 0) return text;
    ValueRef item[] = {text};
    made = strcmp(kind, "list") == 0 ? list_from_array(item, 1) : tuple_from_array(item, 1);
    drop(text);
    return made;
}

// The arguments that the first line names; their count.
static int read_arguments(const char *line, Value *arguments)
{
    char kind[16];
    int count = 0, size = 0;
    line += strlen("call:");
    while (count < MOST && *line == ' ' && sscanf(line + 1, "%15[a-z]%n", kind, &size) == 1) {
        arguments[count] = make_argument(kind, count);
        count++;
        line += 1 + size;
    }
    return count;
}

static Value code_of_f(ValueRef module)
{
    ValueRef consts = as_code(module)->consts;
    for (ssize_t i = 0; i < tuple_size(consts); i++)
        if (code_check(tuple_at(consts, i))) return retain(tuple_at(consts, i));
    return VALUE_ERROR;
}

static Value compile_f(const char *program)
{
    Value filename = str_new("<lesson>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename, .is_utf8 = true};
    Value module = compile_source(program, strlen(program), &options);
    Value code = module ? code_of_f(module) : VALUE_ERROR;
    drop(module);
    drop(filename);
    return code;
}

static void answer_result(Value result)
{
    if (!result) {
        result = error_take();
        answer("raises %s: ", type_of(result)->name);
    }
    Value text = exception_check(result) ? object_str(result) : object_repr(result);
    answer("%s\n", text ? str_utf8(text, NULL) : "?");
    drop(text);
    drop(result);
}

static void answer_arguments(const Value *arguments, int count)
{
    for (int i = 0; i < count; i++) {
        if (!is_object(arguments[i])) continue;
        Value text = object_repr(arguments[i]);
        answer("%s: %d owner(s)\n", str_utf8(text, NULL), (int)object_of(arguments[i])->refcount);
        drop(text);
    }
}

static void call(ValueRef function, const Value *arguments, int count)
{
    steps = 0;
    if (setjmp(wrong_height)) {
        answer("the value stack has not what this instruction needs\n");
        return;
    }
    size_t blocks = memory_counts().blocks;
    answer_result(object_call(function, lend(arguments), (size_t)count, VALUE_ERROR));
    answer_arguments(arguments, count);
    answer("objects left over: %d\n", (int)(memory_counts().blocks - blocks));
}

void probe(const char *text, size_t size)
{
    (void)size;
    Value arguments[MOST];
    int count = read_arguments(text, arguments);
    Value code = compile_f(strchr(text, '\n') + 1), globals = dict_new();
    Value function = function_new(code, globals, VALUE_ERROR);
    QuickCode *quick = quicken(as_code(code));
    for (uint32_t i = 0; i < quick->count; i++)
        quick->instructions[i].op = (uint16_t)quick_base(quick->instructions[i].op);
    call(function, arguments, count);
    for (int i = 0; i < count; i++) drop(arguments[i]);
    drop(function);
    drop(globals);
    drop(code);
}
