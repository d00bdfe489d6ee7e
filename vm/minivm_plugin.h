// What a plugin needs of minivm: the only header that it includes.
//
// A plugin is a shared library that is loaded before the script and installs a frame evaluator of
// its own (PEP 523):
//
//     #include "minivm_plugin.h"
//
//     static const PluginApi *api;
//     static EvalFrameFn next;
//
//     static Value mine(ThreadState *thread, Frame *frame, int throwflag)
//     {
//         ... look at the frame ...
//         return next(thread, frame, throwflag);
//     }
//
//     static bool init(const PluginApi *given)
//     {
//         api = given;
//         next = api->eval_frame_get();
//         api->eval_frame_set(mine);
//         return true;
//     }
//
//     MINIVM_PLUGIN(init, NULL);
//
//     cc -shared -fPIC -I PREFIX/include/minivm mine.c -o mine.so
//     minivm --eval-frame mine.so script.mpy
//
// The option may be given several times: a plugin finds the one before it in eval_frame_get().
//
// Nothing is linked: all calls go through the table that init() gets. Its functions run in the one
// thread that minivm has, between init() and finish(); free functions of co_extra may be called
// even after finish(), as long as there are code objects.
#ifndef MINIVM_PLUGIN_H
#define MINIVM_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An object of the language. A Value is an owned reference: drop it or pass it on. A ValueRef is
// borrowed: valid as long as its owner exists, which may end whenever script code runs. As a
// result, 0 means that an exception is pending.
#if UINTPTR_MAX > UINT32_MAX
typedef struct ValueBits *Value;
typedef const struct ValueBits *ValueRef;
#else
typedef uint64_t Value, ValueRef;
#endif

typedef struct ThreadState ThreadState;
typedef struct Frame Frame; // a code object in progress; gone when its evaluation returns
typedef struct Code Code;

// Evaluates a frame, or does not and returns a value of its own (0 with an exception pending). It
// is called for a generator's frame at every resumption; with `throwflag` the pending exception
// must be raised at the instruction at which the generator waits. A value returned without running
// a generator's frame counts as yielded.
typedef Value (*EvalFrameFn)(ThreadState *thread, Frame *frame, int throwflag);

// localsplus: nlocals fast variables, the arguments first, then ncells cells, then nfrees cells of
// the functions around this one.
typedef struct CodeInfo {
    const char *name, *filename; // UTF-8, good while the code is
    int firstlineno, flags, argcount, posonlyargcount, kwonlyargcount;
    int nlocals, ncells, nfrees, stacksize;
} CodeInfo;

typedef void (*VisitFn)(ValueRef child, void *arg);
typedef void (*ExtraFreeFn)(void *extra);
typedef void (*ExtraTraverseFn)(void *extra, VisitFn visit, void *arg);

// Runs the instructions of a frame, by the functions of "evaluating" below: its result, or 0 with
// an exception pending. `arg` is what run_frame() got.
typedef Value (*FrameRunFn)(Frame *frame, void *arg);

typedef enum PluginSingleton { PLUGIN_NONE, PLUGIN_FALSE, PLUGIN_TRUE } PluginSingleton;

#define PLUGIN_VERSION 2 // a plugin of an older version works as it did

// Functions that say "runs script code" may end any borrowed value, and call the evaluator again.
typedef struct PluginApi {
    uint32_t version; // PLUGIN_VERSION
    uint32_t size;    // of this table: what is added later comes at its end

    // ---- the evaluator
    EvalFrameFn (*eval_frame_get)(void);
    void (*eval_frame_set)(EvalFrameFn function); // NULL = the default
    // Runs other code on the frame's variables, by `next`, with throwflag 0: localsplus is taken
    // over by index. The frame itself may not be evaluated afterwards. 0 with ValueError pending
    // where the code does not keep all variables of the frame's own in their order, or the frame is
    // a generator's.
    Value (*eval_custom_code)(ThreadState *thread, Frame *frame, Code *code, EvalFrameFn next);

    // ---- a frame
    Code *(*frame_code)(Frame *frame);
    Frame *(*frame_back)(Frame *frame); // the caller; NULL = none
    int (*frame_lasti)(Frame *frame);   // offset of the last instruction begun; -1 = none
    int (*frame_line)(Frame *frame);
    // 0 in it = unbound. The value of an argument that is a cell has moved to its cell.
    const ValueRef *(*frame_localsplus)(Frame *frame);
    ValueRef (*frame_globals)(Frame *frame); // a dict
    ValueRef (*frame_locals)(Frame *frame);  // f_locals, brought up to date; may run script code

    // ---- a code object
    CodeInfo (*code_info)(const Code *code);
    const char *(*code_variable)(const Code *code, int index); // the name of a slot of localsplus
    // co_extra: a new index for the caller, -1 = there are too many. `release` is called with an
    // extra that is replaced, and when its code is freed; also with NULL. `traverse` visits the
    // values that an extra owns, for the cycle collector. Either may be NULL.
    int (*extra_request_index)(ExtraFreeFn release, ExtraTraverseFn traverse);
    void *(*code_get_extra)(const Code *code, int index);       // NULL = nothing
    bool (*code_set_extra)(Code *code, int index, void *extra); // false = exception pending

    // ---- values
    Value (*retain)(ValueRef value);
    void (*drop)(Value value);
    ValueRef (*cell_contents)(ValueRef cell);              // 0 = empty, or no cell
    ValueRef (*dict_peek)(ValueRef dict, const char *key); // 0 = not in it, or no dict
    Code *(*code_of)(
        ValueRef value); // of a code object or of a function written in script, or NULL
    // repr() of a value, cut to `size` with its NUL; "?" where it raises. Runs script code.
    const char *(*repr)(ValueRef value, char *buffer, size_t size);
    // Raises RuntimeError; returns 0, for an evaluator to return.
    Value (*raise)(const char *message);
    bool (*error_pending)(void);

    // ---- evaluating, since version 2. What is wrong with an argument is raised where it shows.
    // Calls run(frame, arg) instead of next(thread, frame, 0): the frame is the one that runs
    // meanwhile, and is in the traceback of what is raised; sys.settrace and the debugger do not
    // see its lines. Not for a generator's frame, nor with throwflag. A frame runs once.
    Value (*run_frame)(ThreadState *thread, Frame *frame, FrameRunFn run, void *arg);
    // To be called at each instruction: f_lineno follows it, and Ctrl-C and the garbage collector
    // get their turn. False = exception pending. Runs script code.
    bool (*frame_at)(Frame *frame, int offset);
    bool (*frame_set_local)(Frame *frame, int index, Value value); // steals; 0 = unbinds
    Value (*find_global)(Frame *frame, ValueRef name);             // or a builtin; NameError
    // 2 bytes an instruction: opcode, operand. An EXTENDED_ARG gives the next operand's upper bits.
    const unsigned char *(*code_bytecode)(const Code *code, size_t *size);
    ValueRef (*code_constant)(const Code *code, int index); // of co_consts
    ValueRef (*code_name)(const Code *code, int index);     // of co_names: a str
    Value (*singleton)(PluginSingleton which);
    Value (*int_new)(int64_t number);
    bool (*int_of)(ValueRef value, int64_t *number); // OverflowError beyond 64 bits
    Value (*text_new)(const char *utf8);
    bool (*truth)(ValueRef value, bool *truth); // the following run script code
    // What a UNARY_*, BINARY_*, INPLACE_* or GET_ITER instruction computes; `right` 0 = none.
    Value (*operate)(int opcode, ValueRef left, ValueRef right);
    // As COMPARE_OP: 0 is <, then <= == != > >=.
    Value (*compare)(ValueRef left, ValueRef right, int op);
    Value (*get_attribute)(ValueRef value, ValueRef name);
    Value (*call)(ValueRef callable, const ValueRef *args, size_t nargs);
    Value (*next)(ValueRef iterator, bool *ended); // 0 with *ended: no exception is pending
    // Is the value an int of at most 64 bits, and of no subclass? Nothing is pending if not.
    bool (*plain_int)(ValueRef value, int64_t *number);
} PluginApi;

// What a plugin exports, under the name minivm_plugin.
typedef struct Plugin {
    uint32_t version, size;             // of the PluginApi that it was compiled with
    bool (*init)(const PluginApi *api); // false = it cannot work; minivm ends
    void (*finish)(void);               // after the script, when no evaluator is called any more
} Plugin;

#define MINIVM_PLUGIN(init, finish)                                                                \
    const Plugin minivm_plugin = {PLUGIN_VERSION, sizeof(PluginApi), init, finish}

#endif
