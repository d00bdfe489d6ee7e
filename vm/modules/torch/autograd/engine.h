// The engine: from the gradients of some results to those of the leaves.
//
//     roots        y.grad_fn with its first gradient
//     count        each task that can be reached waits for as many gradients as edges lead to it
//     run          a queue: leaves first, then the node made last. A node that runs hands a
//                  gradient along each edge; gradients that meet are added
//
// No step recurses: a graph may be a million nodes deep. A derivative is a function in mini-Python
// (formula.h); it runs with gradients off, or with `create_graph` on, and then what it computes has
// a graph of its own.
//
// (PyTorch: torch/csrc/autograd/engine.cpp)
#pragma once

#include "vm/modules/torch/autograd/grad_node.h"

typedef struct BackwardOptions {
    bool keep_graph;   // saved values stay: another backward may follow
    bool create_graph; // record what is computed
    bool accumulate;   // add to `.grad` of the leaves; else the gradients of `inputs` are returned
    bool allow_unused; // an input that was not reached is None, not an error
} BackwardOptions;

// Runs from `tensors` with `grads` (tuples of one length; a gradient may be None). `inputs` is a
// tuple: the tensors whose gradients are wanted; empty = all leaves. The result is a tuple of their
// gradients, or None where they are accumulated. VALUE_ERROR with an exception pending.
Value backward_run(ValueRef tensors, ValueRef grads, ValueRef inputs,
                   const BackwardOptions *options);

void backward_init(void); // each thread has runs of its own
// Do all runs that go on go to all leaves?
bool backward_accumulates(void);
// The number of the innermost run that goes on, counted from 0; -1 = there is none.
int64_t backward_id(void);
// The node that this run is calling, borrowed; NULL = none.
GradNode *backward_node(void);
// Will this run call the node, or has it done so? False with RuntimeError pending where there is no
// run, and for a leaf where leaves do not accumulate.
bool backward_will_run(const GradNode *node, bool *answer);

// apply.c: calls one node with a tuple of gradients (None = zero). results[] has room for one
// gradient an edge and is all VALUE_ERROR: what stays so is zero. Its items are owned by the
// caller, in failure too.
bool grad_node_run(GradNode *node, ValueRef grads, Value *results);
