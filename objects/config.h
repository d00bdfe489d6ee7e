// Every limit and every build switch of minivm, each with its reason.
//
// A debug switch is set on the compiler's command line (`make stress` builds the suite once under
// each): nothing else in the tree tests one of these names except the file that the comment names.
#pragma once

// vm/import/modules.def, vm/tools.h: build the core alone, which `make core` does: without torch,
// debugger, traces, and the modules in C that neither start-up nor the lessons need.
#ifndef CORE
#define CORE 0
#endif

// objects/memory.c: count every block, fill freed memory with 0xDD, and assert at exit that no
// block is left.
#ifndef DEBUG_MEMORY
#define DEBUG_MEMORY 0
#endif

// objects/invariant.h: check every invariant() that the sources state.
#ifndef DEBUG_INVARIANTS
#define DEBUG_INVARIANTS DEBUG_MEMORY
#endif

// objects/gc.c: run a full collection at every allocation of a tracked object.
#ifndef DEBUG_GC_STRESS
#define DEBUG_GC_STRESS 0
#endif

// objects/memory.c: MINIVM_FAIL_ALLOC=n makes the n-th allocation fail, MINIVM_FAIL_ALLOC=n+ that
// one and all after.
#ifndef DEBUG_FAIL_ALLOC
#define DEBUG_FAIL_ALLOC 0
#endif

// vm/eval.c: print every instruction with the stack before it runs, on stderr.
#ifndef DEBUG_TRACE
#define DEBUG_TRACE 0
#endif

// vm/quicken.c: leave out inline caches and fused instructions, so that each opcode takes its
// general path.
#ifndef DEBUG_NO_QUICKEN
#define DEBUG_NO_QUICKEN 0
#endif

// vm/loop.h: the loop does not test for a hook, to measure what the test costs (make bench-hook).
#ifndef DEBUG_NO_HOOK
#define DEBUG_NO_HOOK 0
#endif

// vm/eval.c, vm/evaluator.c: the plain loop cannot switch to the observed one, to measure what the
// possibility costs (make bench-observer).
#ifndef DEBUG_NO_OBSERVER
#define DEBUG_NO_OBSERVER 0
#endif

// vm/quicken.c: verify also the code that the compiler of this process made.
#ifndef DEBUG_VERIFY
#define DEBUG_VERIFY DEBUG_MEMORY
#endif

// vm/eval.c: dispatch by a switch statement where the compiler has no computed goto, or where this
// is set.
#ifndef DEBUG_SWITCH
#define DEBUG_SWITCH 0
#endif

// objects/stack.c: how deep C may call itself through script code, in bytes of C stack.
#define C_STACK_RESERVE (256 * 1024)

// objects/stack.h: WebAssembly has two stacks: one with addresses, for what pointers point to, of
// STACK_BYTES (the linker is told the same: Makefile), and the engine's, of about a megabyte in a
// browser. A test for room takes STACK_WEIGHT bytes of the first, so that it is full
// before the second is.
#ifndef STACK_BYTES
#define STACK_BYTES (1536 << 10)
#endif
#ifdef __EMSCRIPTEN__
#define STACK_WEIGHT 1024
#else
#define STACK_WEIGHT 0
#endif

// vm/eval.c: an engine of WebAssembly replaces a function by a faster one at its next call only. So
// the loop returns to its caller, which calls it again, after so many jumps back and calls; 0 =
// never.
#ifdef __EMSCRIPTEN__
#define LOOP_POLLS 20000
#else
#define LOOP_POLLS 0
#endif

// objects/stack.c: no more frames than this, whatever sys.setrecursionlimit() says.
#define MAX_FRAMES 200000

// frames/frame.h: how deep `for`, `try` and `with` may nest in one function, as in CPython
// (CO_MAXBLOCKS).
#define MAX_BLOCKS 20

// verify.c: the largest co_stacksize of code that is made by hand, in values.
#define MAX_STACKSIZE (1 << 24)
