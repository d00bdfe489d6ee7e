// Native guards: a tree of conditions on the variables of a frame, decided in C. (PyTorch 2.5's
// torch/csrc/dynamo/guards.cpp.)
//
//     RootGuardManager          the frame
//       GuardManager            L['x']               dict_getitem_manager('x'), in localsplus
//         TYPE_MATCH            L['x'] is a Point
//         GuardManager          L['x'].pos           getattr_manager('pos')
//           EQUALS_MATCH        L['x'].pos == (0, 0)
//       GuardManager            G                    globals_dict_manager(globals())
//
// A GuardManager stands for a value. It has an accessor, which reads the value from the parent's,
// and guards, which are conditions on the value. A script builds the tree with the methods of
// guard_types.c and makes the root the check_fn of a GuardedCode. The root can also be called, with
// a dict f_locals.
//
// Two kinds of condition are about several values: no two are one object (guard_alias.c), and how
// their sizes compare (guard_shape.c). They are decided when all values have been read.
//
// Deciding a guard runs no script code: if only a property, __eq__, __getattr__ or the like could
// tell, the guard fails and says so. Only a LAMBDA_GUARD calls a script's function. LAMBDA_GUARDs
// are decided last, if all other guards hold.
#pragma once

#include "frames/frame.h"

extern Type guard_manager_type, root_guard_manager_type, guard_debug_info_type;

static inline bool guard_manager_check(ValueRef value)
{
    return is_exactly(value, &root_guard_manager_type);
}
// Do all guards hold for the frame? 1, 0, or -1 with an exception pending (a LAMBDA_GUARD raised,
// or MemoryError). The caller holds the guard. A node that fails moves towards the front of its
// siblings, so that it is decided earlier the next time.
int guard_manager_holds(ValueRef guard, Frame *frame);
// A str that says which guard fails and what was found: "L['x'] is an int: found a str". Decides
// all guards again, also LAMBDA_GUARDs.
Value guard_manager_failure(ValueRef guard, Frame *frame);

// Adds the condition that the values of two GuardManagers of a tree are one object, `x is y`.
// `parts` is a list of strs for messages, or 0. Returns None. TypeError or ValueError for wrong
// arguments.
Value guard_manager_relate(ValueRef x, ValueRef y, ValueRef parts);
// Adds the condition that no two of the values of GuardManagers of a tree are one object.
// `managers` and `names` are lists of the same length; `names` and `parts` are for messages.
// Returns None. TypeError or ValueError for wrong arguments.
Value guard_manager_forbid_aliasing(ValueRef managers, ValueRef names, ValueRef parts);

// The state of the machine that operators read, as one word (guard_state.c says which bytes). The
// module torch sets it; a program that has not imported torch has the word 0.
extern uint64_t (*guard_global_state)(void);
// The modes that answer calls of functions of torch (TorchFunctionMode): a list, borrowed, the one
// entered last at the end; VALUE_ERROR = there are none.
extern ValueRef guard_function_modes;
