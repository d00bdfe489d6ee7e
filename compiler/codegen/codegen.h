// Private to the code generator: the unit being compiled, and the functions that its files share.
//
//     codegen.c              scopes entered and left, names, constants, blocks, the tree's top
//     codegen_expr.c         expressions           codegen_stmt.c   statements
//     codegen_call.c         calls, displays       codegen_try.c    loops, try, with: frame blocks
//     codegen_function.c     functions, classes    codegen_comprehension.c
//     codegen_check.c        SyntaxWarnings
//     assemble.c, lnotab.c, stack_depth.c, peephole.c    from blocks to a Code: unit_to_code()
//
// The pass follows CPython 3.9's compile.c and makes the same instructions for the same tree. A
// unit is a code object in the making. One array has the instructions of all units; those of an
// inner unit come after those of the unit around it:
//
//     code   [ module ...   [ f ...    [ lambda in f ...
//             ^ base        ^ base     ^ base
//
// A block is a range of a unit's instructions. Invariant: a block is begun once, and the blocks
// stand in the order in which they were begun. So control falls from one block into the next, and
// `first` is all that a jump needs.
#pragma once

#include "compiler/codegen/constants.h"
#include "compiler/opcode.h"
#include "compiler/tree/symtable.h"

#include "objects/config.h"

typedef struct BasicBlock {
    struct BasicBlock *next;      // the block begun after it
    struct BasicBlock *next_work; // stack_depth.c: the next block in the work list
    int first;                    // index of its first instruction, -1 = not begun
    int depth;                    // of the stack at its start, -1 = not known
    int offset;                   // assemble.c: in instructions
    bool returns;                 // has a RETURN_VALUE
    bool waiting;                 // stack_depth.c: is in that list
} BasicBlock;

typedef struct BlockInstruction {
    uint8_t opcode;
    int line;
    int operand;
    BasicBlock *target; // of a jump
    const Position *position;
} BlockInstruction;

// A statement around the current one, which `return`, `break` and `continue` must leave.
typedef enum FrameBlockType {
    WHILE_LOOP,
    FOR_LOOP,
    EXCEPT_BLOCK,
    FINALLY_TRY,
    FINALLY_END,
    EXCEPTION_HANDLER,
    WITH_BLOCK,
    ASYNC_WITH_BLOCK,
    HANDLER_CLEANUP,
    POP_VALUE
} FrameBlockType;

typedef struct FrameBlock {
    FrameBlockType type;
    BasicBlock *block, *exit;
    const NodeList *finally_body; // FINALLY_TRY
    ValueRef name;                // HANDLER_CLEANUP: of the exception, or 0
} FrameBlock;

typedef enum UnitKind {
    MODULE_UNIT,
    CLASS_UNIT,
    FUNCTION_UNIT,
    ASYNC_FUNCTION_UNIT,
    LAMBDA_UNIT,
    COMPREHENSION_UNIT
} UnitKind;

// The source position of the next instruction: line and column as CPython keeps them (0 at first),
// and the whole position, which only minivm keeps.
typedef struct Location {
    int line, column;
    const Position *position;
} Location;

// One code object in the making.
typedef struct Unit {
    struct Unit *outer;
    Scope *scope;
    UnitKind kind;
    ValueRef name, qualname;
    ValueRef private_name; // of the class around, for mangling, or 0
    PointerMap constants, names, varnames, cellvars, freevars;
    int argcount, posonlyargcount, kwonlyargcount;
    int base; // of its instructions
    BasicBlock *first_block, *block;
    FrameBlock frame_blocks[MAX_BLOCKS];
    int frame_block_count;
    int first_line;
    Location location; // of the node being compiled
} Unit;

typedef struct CodeGenerator {
    Compilation *c;
    Arena *arena;
    SymbolTable *symbols;
    ConstantTable constants; // equal constants of the whole tree are one
    Unit *unit;
    int unit_depth;
    BlockInstruction *code;
    int count, capacity;
    int silent;       // > 0: dead code, which is visited only for its errors
    bool interactive; // print the values of expression statements
} CodeGenerator;

// Sets the unit's location to a node's. Returns the location before, which the caller restores.
static inline Location go_to(CodeGenerator *g, const Node *node)
{
    Location before = g->unit->location;
    const Position *position = &node->position;
    g->unit->location = (Location){position->line, position->column, position};
    return before;
}

// ---- codegen.c
ValueRef generate(SymbolTable *symbols, Node *tree); // the module's Code, held by the arena
void enter_unit(CodeGenerator *g, UnitKind kind, ValueRef name, const Node *node, int first_line);
void leave_unit(CodeGenerator *g); // and drops its instructions
_Noreturn void codegen_error(CodeGenerator *g, const char *format, ...);
void name_op(CodeGenerator *g, ValueRef name, expr_context ctx);
void check_store_name(CodeGenerator *g, ValueRef name); // `__debug__` cannot be assigned to
bool is_top_level_await(const CodeGenerator *g);
// The index of a CELL or FREE variable for LOAD_DEREF, LOAD_CLOSURE and so on.
int closure_index(CodeGenerator *g, ValueRef name, NameScope kind);
int add_constant(CodeGenerator *g, ValueRef value);
void visit_body(CodeGenerator *g, const NodeList *body); // of a module or class, with its docstring

// ---- blocks.c
BasicBlock *new_block(CodeGenerator *g);
void use_block(CodeGenerator *g, BasicBlock *block); // what follows is emitted into it
void next_block(CodeGenerator *g);
void emit(CodeGenerator *g, Opcode opcode);
void emit_operand(CodeGenerator *g, Opcode opcode, int operand);
void emit_jump(CodeGenerator *g, Opcode opcode, BasicBlock *target);
void emit_constant(CodeGenerator *g, ValueRef value);
void emit_new_constant(CodeGenerator *g, Value value);          // owned
void emit_name(CodeGenerator *g, Opcode opcode, ValueRef name); // of co_names, mangled
void emit_plain_name(CodeGenerator *g, Opcode opcode, ValueRef name);

// ---- codegen_expr.c
void visit_expr(CodeGenerator *g, const Node *node);
void visit_exprs(CodeGenerator *g, const NodeList *list);
void jump_if(CodeGenerator *g, const Node *test, BasicBlock *target, bool condition);
Opcode inplace_opcode(operator op);
void emit_await(CodeGenerator *g); // what is on the stack: GET_AWAITABLE and so on

// ---- codegen_call.c
void call_expression(CodeGenerator *g, const Node *node);
// The arguments of a call, `pushed` of which are on the stack already, and the call itself.
void call_arguments(CodeGenerator *g, int pushed, const NodeList *args, const NodeList *keywords);
typedef enum Display { LIST_DISPLAY, SET_DISPLAY, TUPLE_DISPLAY } Display;
void display_expression(CodeGenerator *g, const NodeList *items, Display display);
void dict_expression(CodeGenerator *g, const Node *node);

// ---- codegen_stmt.c, codegen_try.c
void visit_statements(CodeGenerator *g, const NodeList *list);
void visit_statement(CodeGenerator *g, const Node *node);
int constant_truth(CodeGenerator *g, const Node *node); // 0, 1, -1 = not a constant
void for_statement(CodeGenerator *g, const Node *node);
void async_for_statement(CodeGenerator *g, const Node *node);
void while_statement(CodeGenerator *g, const Node *node);
void return_statement(CodeGenerator *g, const Node *node);
void break_statement(CodeGenerator *g);
void continue_statement(CodeGenerator *g);
void try_statement(CodeGenerator *g, const Node *node);
void with_statement(CodeGenerator *g, const Node *node, int item);
void async_with_statement(CodeGenerator *g, const Node *node, int item);

// ---- codegen_function.c
void function_statement(CodeGenerator *g, const Node *node);
void class_statement(CodeGenerator *g, const Node *node);
void lambda_expression(CodeGenerator *g, const Node *node);
void annotation(CodeGenerator *g, const Node *node); // as a value, or as text
void make_closure(CodeGenerator *g, ValueRef code, int flags, ValueRef qualname);

// ---- codegen_comprehension.c
void comprehension_expression(CodeGenerator *g, const Node *node);

// ---- codegen_check.c: SyntaxWarnings for what is most likely a mistake
void check_caller(CodeGenerator *g, const Node *function);
void check_compare(CodeGenerator *g, const Node *compare);
void check_subscripter(CodeGenerator *g, const Node *value);
void check_index(CodeGenerator *g, const Node *value, const Node *index);
void codegen_warning(CodeGenerator *g, const char *format, ...);

// ---- assemble.c
// The Code of the unit, whose body has been visited: held by the arena. Where control can reach the
// end of the body, the unit returns None (`returns_none`) or the value on the stack.
ValueRef unit_to_code(CodeGenerator *g, bool returns_none);
int stack_depth(CodeGenerator *g); // stack_depth.c

// The index after a block's last instruction.
int block_end(const CodeGenerator *g, const BasicBlock *block);

// The bytes of a unit on their way from the assembler through the peephole pass into a Code.
typedef struct Bytecode {
    uint8_t *bytes; // two for each instruction
    int size;       // of instructions
    Position *positions;
    uint8_t *lnotab;
    int lnotab_size, lnotab_capacity;
} Bytecode;
// The size of an instruction in units of two bytes, with its EXTENDED_ARGs.
int instruction_size(unsigned operand);
void write_instruction(uint8_t *bytes, int at, int opcode, unsigned operand, int size);

// ---- lnotab.c
typedef struct LineTable {
    int line, start; // of the last entry
} LineTable;
// The instructions from `start` on are on this line.
void lnotab_add(Arena *arena, Bytecode *bytecode, LineTable *table, int start, int line);
// ---- peephole.c: may append to the constants
void peephole(CodeGenerator *g, Bytecode *code);
