// Anomaly mode: a node remembers where it was made, and backward() says so where it fails; a NaN
// among gradients is such a failure. What is printed is in torch/autograd/anomaly_mode.mpy.
#pragma once

#include "vm/modules/torch/autograd/grad_node.h"

typedef struct AnomalyState {
    bool enabled;
    bool check_nan;
} AnomalyState;
extern AnomalyState anomaly_state;

// Both are for when the mode is on. False with an exception pending.
bool anomaly_node_made(GradNode *node);
// RuntimeError for a NaN among the gradients that the node has given.
bool anomaly_check(GradNode *node, const Value *results);
// Warns of the exception that is pending: the node has failed.
void anomaly_report(GradNode *node);

extern const MethodDef anomaly_functions[];
