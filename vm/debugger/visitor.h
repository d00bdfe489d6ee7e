// Visitors: copies of the program's process that run code of their own, to look at the program
// without changing it. The prompt is one; a condition that has to run code is evaluated in another.
#pragma once

#include "frames/frame.h"
#include "frames/hook.h"

extern bool is_visitor;               // of this process
extern EvalFrameFn visited_evaluator; // the program's own evaluator: a visitor runs without it
extern bool (*visitor_signals)(void); // upcalls.signal_check as it was before the debugger's

// Makes this process, a fork, a visitor: nothing observes it, and nothing that it does is recorded.
void visitor_become(void);
// Until it heeds them, Ctrl-C does nothing in this visitor: then there is somebody to catch it.
void visitor_heed_interrupts(bool heeds);

typedef enum VisitorAnswer { ANSWER_YES, ANSWER_NO, ANSWER_ERROR } VisitorAnswer;
// Is an expression true in a frame? Forks a visitor, which evaluates it, and waits for the answer.
VisitorAnswer visitor_ask(Frame *frame, const char *text);
