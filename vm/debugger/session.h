// The block of memory that all processes of the debugger share, and the tree of these processes.
//
//     root                the process that the shell waits for: sleeps, and gives the exit status
//       main line         the program itself, run and stopped by debugger.c
//         snapshots       copies of the main line, asleep where they were made (snapshots.c)
//           main line     a copy of a woken snapshot, which takes the place of the main line
//           searcher      a copy of a woken snapshot, which answers a question (searcher.h)
//         prompt          a copy made at every stop, which reads commands (vm/lib/debugger/)
//           evaluation    a copy made to look at something
//
// Every step to the right is a fork. debugger.h draws the sequence of a step back.
//
// Only the main line must be deterministic: when it runs again from a snapshot, it must allocate
// every object at the same address as before. So the debugger allocates nothing in the main line;
// it keeps its state in this shared block. The other copies may allocate, and end soon. Frame
// addresses in the block are valid in all processes, because all are forks of one.
#pragma once

#include "frames/frame.h"
#include "vm/outside/outside.h"

#define MAX_SNAPSHOTS 48
#define MAX_BREAKPOINTS 64
#define MAX_WATCHES 16
#define MAX_WATCH_STEPS 8
#define MAX_STATEMENTS 256
#define MAX_VISITED 256
#define MAX_CHAIN 64
#define SESSION_TEXT 512              // a condition, a path, a note
#define SESSION_WATCHES 2048          // what the watches say at a stop
#define SESSION_STATEMENT_BYTES 65536 // the texts of all statements
#define SESSION_STATE_BYTES (1 << 20)

// A moment of the run: `tick` instructions have begun, and `event` other events (calls, returns,
// exceptions) have happened. Events between two instructions come before AT_INSTRUCTION, the
// beginning of the next one.
typedef struct Moment {
    int64_t tick, event;
} Moment;
#define AT_INSTRUCTION INT64_MAX

static inline int moment_compare(Moment a, Moment b)
{
    if (a.tick != b.tick) return a.tick < b.tick ? -1 : 1;
    return (a.event > b.event) - (a.event < b.event);
}

typedef enum StopReason {
    STOP_LINE,
    STOP_CALL,
    STOP_RETURN,
    STOP_EXCEPTION,
    STOP_INSTRUCTION,
    STOP_END,         // the program has ended
    STOP_POST_MORTEM, // an exception has ended it
    STOP_TRACEBACK,   // pdb.post_mortem(): it goes on afterwards
} StopReason;

typedef struct Stop {
    StopReason reason;
    Moment moment;
    int breakpoint;                // the number of the one that stopped it, or 0
    bool again;                    // the last command has not moved the program
    char note[SESSION_TEXT];       // shown at the stop, or ""
    char watches[SESSION_WATCHES]; // a line for each watch that has stopped it: number, change
} Stop;

typedef enum StepKind {
    STEP_INTO,
    STEP_NEXT,
    STEP_RETURN,
    STEP_UNTIL,
    STEP_CONTINUE,
    STEP_INSTRUCTION,
    STEP_NEXT_INSTRUCTION,
    STEP_EXPRESSION,
    STEP_TO, // a moment
    STEP_BACK_STEP,
    STEP_BACK_NEXT,
    STEP_BACK_RETURN,
    STEP_BACK_CONTINUE,
    STEP_BACK_INSTRUCTION,
    STEP_BACK_NEXT_INSTRUCTION,
    STEP_BACK_WRITE, // to the last change of a watch
    STEP_BACK_BIRTH, // to the call that a cell was made for: a search only
    STEP_BACK_RAISE, // to where an exception was raised: a search only
    STEP_UNDO,       // to the stop before
    STEP_NOWHERE,    // the state's number is put into the note (state_hash.h)
    STEP_QUIT,
} StepKind;

typedef struct StepCommand {
    StepKind kind;
    Frame *frame;  // of STEP_NEXT and its like; it may have ended
    int line;      // of STEP_UNTIL; of STEP_BACK_WRITE, the watch's number
    Moment moment; // of STEP_TO
} StepCommand;

// The bytecode of a condition, if it is small enough: see condition.h.
#define CONDITION_BYTES 128
#define CONDITION_OPERANDS 8
#define CONDITION_TEXT 32
typedef struct ConditionConstant {
    bool is_text;
    uint64_t bits; // of a value that is no object
    char text[CONDITION_TEXT];
} ConditionConstant;
typedef struct SimpleCondition {
    int size; // of `code`; 0 = it is not here
    uint8_t code[CONDITION_BYTES];
    char names[CONDITION_OPERANDS][CONDITION_TEXT];
    ConditionConstant constants[CONDITION_OPERANDS];
} SimpleCondition;

typedef struct Breakpoint {
    int number, line; // line 0: on an event of the guarded cache, whose name is `function`, or on
                      // an exception: "raise", "raise TYPE" or "uncaught"
    int offset;       // of an instruction of the code that is called `function`; -1 = none
    bool enabled, temporary;
    int64_t ignore, hits;
    int first_line;              // of `function`: where its body begins; 0 = not known yet
    char file[SESSION_TEXT];     // the code's filename
    char function[SESSION_TEXT]; // set by name; or ""
    char condition[SESSION_TEXT];
    SimpleCondition program; // of `condition`
} Breakpoint;

// An expression to watch: a variable, then attributes and items. The variable belongs to one call
// of a function, to one cell (which several functions may share), or to a module.
typedef enum WatchRoot { WATCH_SLOT, WATCH_NAME, WATCH_CELL, WATCH_GLOBAL } WatchRoot;
typedef struct WatchStep {
    enum { PATH_ATTRIBUTE, PATH_KEY, PATH_INDEX } kind;
    int64_t index;
    char name[64];
} WatchStep;
typedef struct Watch {
    int number;
    WatchRoot root;
    int64_t born;     // the number of its frame, or of the frame that the cell was made for
    int slot;         // WATCH_SLOT
    ValueRef cell;    // WATCH_CELL: its address, even before it exists and after it is freed
    Moment died;      // the moment at which the cell was freed; INT64_MAX = not known
    bool in_globals;  // WATCH_NAME: a key in the frame's globals, not in its locals
    ValueRef globals; // WATCH_GLOBAL: the address of the module's dict,
    char module[64];  // its name, and the variable's
    char name[64];
    int step_count;
    WatchStep steps[MAX_WATCH_STEPS];
} Watch;

// A statement or a jump that the user has made a part of the run.
typedef struct ReplayedStatement {
    Moment moment;
    int depth;          // how far up from the frame stopped in
    int line;           // a jump there; 0 = the statement
    int text, text_end; // where it begins in statement_text, and where the next one does
} ReplayedStatement;

typedef enum Task { TASK_TRAVEL, TASK_SEARCH } Task;
typedef struct Snapshot {
    int process; // 0 = none
    int copy;    // the process that it has forked for its task; 0 = not yet
    int64_t tick;
    int64_t touched; // pages that the program had at that tick
    int64_t pages;   // copied since the snapshot before: that one alone keeps the old contents
    Task task;
    Wakeup wakeup;
} Snapshot;

// What a searcher looks for: the last moment before `until` that the step command accepts.
typedef struct HistorySearch {
    StepCommand command;
    Moment until;
    int64_t from;             // the tick at which the searcher begins to look
    int64_t chain[MAX_CHAIN]; // numbers of the frames to look in, the innermost first
    int chain_length;
    bool has_ended;  // the innermost of them: look in it alone, except for STEP_BACK_RETURN
    ValueRef object; // the cell of STEP_BACK_BIRTH, the exception of STEP_BACK_RAISE
    bool found;
    bool is_cut; // a watched value is larger than what is compared (contents.h)
    bool began;  // the call of the innermost frame is in this stretch, or after it
    Moment moment;
    int breakpoint;
    char note[SESSION_TEXT], watches[SESSION_WATCHES];
    int process; // the searcher's
} HistorySearch;

typedef struct Session {
    int root, main_line; // processes
    int status;          // the exit status
    bool over;
    Wakeup ended;    // for the root: look at `over`, and reap
    Wakeup answered; // for the main line that gave a snapshot a task
    Wakeup taken;    // for the copy that has answered: the main line has seen the answer
    Stop stop;       // what session_renew() forgets begins here
    StepCommand command;
    bool has_command; // the prompt has chosen one
    Moment frontier;  // the latest moment that the run has reached
    Moment raised;    // where the exception was raised that has ended the run; tick 0 = not known
    Moment visited[MAX_VISITED];
    int visited_count; // of the stops, the newest last
    Breakpoint breakpoints[MAX_BREAKPOINTS];
    int breakpoint_count;
    Watch watches[MAX_WATCHES];
    int watch_count;
    ReplayedStatement statements[MAX_STATEMENTS];
    int statement_count;
    char statement_text[SESSION_STATEMENT_BYTES];
    Snapshot snapshots[MAX_SNAPSHOTS];
    bool is_short;    // of processes: one could not be forked
    int64_t distance; // of ticks, from one snapshot to the next; 0 = not known yet
    HistorySearch search;
    size_t state_size;
    char state[SESSION_STATE_BYTES]; // the prompt's own, from one stop to the next
} Session;

extern Session *session; // NULL = no debugger runs

// Makes the block and forks: the parent is the root, and the child is the main line. Returns in the
// main line only; the root ends with the program's status. False with errno set if there is no
// memory or no process.
bool session_open(void);
// For a new recording, after the user has left the last one: forgets what is of that one.
void session_renew(void);
// Calls outside_fork(). After a failure the session counts as short of processes.
int session_fork(void);
// The main line has ended with a status; the root gives it to the shell. Does not return.
_Noreturn void session_close(int status);
