// Edits: the statements and jumps that the user has made a part of the run (Session.edits).
//
// The prompt does them where the user sees it, and the main line does them again whenever it comes
// by; both have to do exactly the same, output included, which the journal (journal.h) then lets
// out once. As in pdb a statement prints to the debugger's output, wherever the program's goes, and
// the value of an expression is shown without becoming `_`.
#pragma once

#include "vm/debugger/session.h"

// In the frame edit->depth above `stopped_in`. False with an exception pending.
bool statement_replay(const ReplayedStatement *statement, Frame *stopped_in);
