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
// A GuardManager names a value by the way that leads to it (its accessor), and holds what must be
// true of it (its guards). A script builds the tree by the methods of mod_guards.c and gives the
// root to a GuardedCode as its check_fn; called with a dict f_locals, the root does the same.
//
// Deciding never runs script code: where only a property, __eq__, __getattr__ or the like could
// tell, the guard fails and says so. LAMBDA_GUARD alone calls a script's function; those come last,
// when everything else has held.
#pragma once

#include "frames/frame.h"

extern Type guard_manager_type, root_guard_manager_type, guard_debug_info_type;

static inline bool guard_manager_check(ValueRef value)
{
    return is_exactly(value, &root_guard_manager_type);
}
// Do all guards hold for the frame? 1, 0, or -1 with an exception pending (a LAMBDA_GUARD raised,
// or MemoryError). The caller holds the guard. A part that fails moves to the front, so that it is
// looked at early the next time.
int guard_manager_holds(ValueRef guard, Frame *frame);
// What fails, and what was found there: "L['x'] is an int: found a str", a str. Decides the guards
// again to find out, LAMBDA_GUARDs as well.
Value guard_manager_failure(ValueRef guard, Frame *frame);

// The values of two GuardManagers of a tree must be one object, `x is y`; `parts` is a list of str,
// what to say where they are not, or 0. None. TypeError or ValueError where they are unfit.
Value guard_manager_relate(ValueRef x, ValueRef y, ValueRef parts);
