// Replayed statements: the statements and jumps that the user has typed. From then on they are a
// part of the run (Session.statements).
//
// The prompt runs a statement where the user sees its output. The main line runs it again each time
// that it reaches the same moment. Both must do exactly the same, output included; the journal
// (journal.h) lets the output through once. As in pdb, a statement prints to the debugger's output
// even if the program has redirected its own, and showing an expression's value does not set `_`.
#pragma once

#include "vm/debugger/session.h"

// Runs it in the frame statement->depth above `stopped_in`. False with an exception pending.
bool statement_replay(const ReplayedStatement *statement, Frame *stopped_in);
