// What the parts of the walk (walk.h) share: the loop, the walk's stack, and the stencils.
//
//     walk.c            statements, entering and leaving
//     walk_entries.c    emitting; the walk's stack, and how its entries get into registers
//     walk_numbers.c    operators, comparisons, jumps
//     walk_objects.c    lists, names, attributes
//     walk_variables.c  variables, and the items of `for`
//     walk_calls.c      calls of functions that have machine code, and returns
//     walk_quiet.c      calls of functions in C
//
// Each function that returns a bool may refuse (emit.h). An entry that is IN_FRAME is on the
// interpreter's stack as well; if it is an object it is borrowed. A statement begins where all
// entries are there, each at its own position: then the interpreter can go on from it. After a call
// a statement begins as well, with the result in a register.
#pragma once

#include "compiler/opcode.h"
#include "objects/object.h"
#include "vm/jit/emit.h"
#include "vm/jit/walk.h"
#include "vm/quicken.h"
#include "vm/quiet.h"

#define MAX_LENGTH 2000 // of a loop, in instructions
#define MAX_DEPTH 16
#define MAX_EXITS 500
#define MAX_SITES 32

typedef struct Entry {
    Where where;
    ValueKind kind;
    int number;      // of the variable's slot, the register, or the slot of the value stack
    ValueRef sample; // the constant; of an object: a value such as is to be expected there
    bool may_be_nan; // a result: it is tested before it is stored
    bool fixed;      // it was IN_CONSTANT, and was stored in the frame
    int born;        // counts what is pushed
} Entry;

// An instruction where a statement begins, or to which a branch leads.
typedef struct Label {
    bool known;
    uint64_t shape; // of the walk's stack there: four bits for each entry, its kind + 1
    int born;       // the last entry that was pushed before a branch to it
} Label;

// The loop that is compiled. There is one at a time, and no script code runs meanwhile.
typedef struct Walk {
    const Frame *frame;
    const QuickCode *quick;
    int head, end;
    int base;      // the slot of the walk's first entry
    int arguments; // of the function that is compiled; of a loop: -1
    Loop *loop;
    int inner; // label of Machine.inner
    Entry stack[MAX_DEPTH];
    int depth, born;
    int next;                 // the instruction after the one that is walked
    int statement;            // the instruction at which it begins
    uint64_t statement_shape; // the stack there
    int statement_depth;
    Entry result; // what is in a register on that stack: of the call before
    int result_slot;
    ExitKind exit_kind; // of the guards
    bool changed;       // the statement has changed something: no guard may follow
    bool reachable, closed;
    bool makes;         // what has to be let go before the next turn
    bool may_try_again; // with fewer homes
    EmitMark mark;      // of the statement
    Label labels[MAX_LENGTH];
    Top *tops;
    CallSite *sites;
    int site_count, statement_sites; // now, and where the statement begins
    struct {
        Exit exit;
        int label;
    } exits[MAX_EXITS];
    uint32_t exit_count;
    int64_t guards_left; // until the one that --jit-fail names
} Walk;

#define WALK(opcode, function) bool function(int index);
#include "vm/jit/walk.def"
extern Walk walk;
extern const char walk_no_register[], walk_no_callee[];

static inline const Instruction *instruction_at(int index)
{
    return &walk.quick->instructions[index];
}
static inline int opcode_at(int index)
{
    return quick_opcode(walk.quick, instruction_at(index));
}
// Not Instruction.arg, where CALL_CLASS has a version.
static inline int operand_at(int index)
{
    return (int)quick_operand(walk.quick, instruction_at(index));
}
static inline int target_of(int index)
{
    return quick_jump_target(walk.quick, instruction_at(index));
}
// Has the variable its type from the beginning? A function's own variables are unbound there.
static inline bool walk_is_typed(int slot)
{
    return walk.arguments < 0 || slot < walk.arguments;
}

// ---- walk_entries.c

int walk_exit(ExitKind kind, int instruction, uint64_t shape, const char *guard);
// Appends a stencil: operation_i1, operation_d1_i2. If it is a guard, it exits to the statement.
bool walk_stencil(const char *name, Patch patch);
void walk_begin_statement(int index); // its stack is as it is now
bool walk_stencil_1(const char *operation, ValueKind kind, int a, Patch patch);
bool walk_stencil_2(const char *operation, ValueKind left, int a, ValueKind right, int b,
                    Patch patch);
uint32_t walk_slot_offset(int slot);

bool entry_push(Entry entry);
Entry entry_pop(void);
void entry_free(const Entry *entry);
bool entry_is_number(const Entry *entry);
// What the entry stands for, if that is this very value each time; else the sample is no more than
// a value of the type.
ValueRef entry_always(const Entry *entry);
bool entry_is_plain(const Entry *entry);       // it can be stored
bool entry_take(Entry *entry, ValueKind kind); // a register for a new value
uint64_t walk_constant_bits(ValueRef value, ValueKind kind);
bool entry_own_register(Entry *entry, ValueKind kind);
// Into any register, such as the home of a variable, to be read: its number, or NO_REGISTER.
int entry_register(Entry *entry, ValueKind kind);
// Appends operation_i1, which reads the entry.
bool entry_stencil(const char *operation, Entry *entry, Patch patch);
bool entry_test(Entry *entry); // that a result is no NaN
// Before the first change: what is stored later in the statement is tested now.
bool walk_begin_changes(Entry *stored);
bool entry_store(int slot, Entry *entry); // a number or a bool, into a slot of the frame
bool walk_is_settled(void);               // all entries are in the frame
bool walk_settle(void);                   // brings them there: a new statement begins
bool walk_settle_from(int first);         // those from this position on
uint64_t walk_shape(void);
void walk_note(Label *label); // with the stack as it is
bool walk_has_shape(uint64_t shape);
void walk_restore(const Label *label);

// ---- walk.c

// Tests all that the code relies on where it is entered: the types of variables and of the stack.
bool walk_enter(void);
bool walk_check_variable(int slot);                  // that it has its type
bool walk_homes(const char *operation, bool stored); // from the frame, or into it

// ---- walk_calls.c

bool walk_function_call(int index, int count);

// ---- walk_quiet.c

// Takes `count` entries from the stack, and pushes what the function gives for them.
bool walk_quiet(QuietFn *function, int count, size_t operand);
bool walk_quiet_call(int count, ValueRef function); // a function, or a method and its object

// ---- walk_numbers.c

typedef struct Operator Operator;
const Operator *walk_operator_of(int opcode); // NULL = it is none
bool walk_binary(const Operator *operator, int opcode);
bool walk_label(int target, int *label); // a branch leads there with the stack as it is

// ---- walk_objects.c

bool entry_is(const Entry *entry, const Type *type); // an object of exactly this type
bool entry_is_character(const Entry *entry);         // a str of one, below 256
bool entry_ord(Entry *entry);                        // of a character
bool walk_length(void);                              // of a list
ValueRef walk_sample_item(ValueRef list);            // 0 = it is empty
bool entry_unbox(Entry *entry, ValueRef sample);     // a Value that was read into a register
// The stencil that tests a type; the word is that of an object, or the version of its class. NULL =
// there is none.
const char *walk_type_test(ValueKind kind, ValueRef sample, uint64_t *word);
bool walk_enter_names(void); // tests at the entry the names of functions and builtins

// ---- walk_variables.c

bool walk_new_range(int count); // an iterator, from the arguments on the walk's stack
