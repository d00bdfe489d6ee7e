// The module _pickle: objects as bytes and back. A pickle is a program for a machine with a stack
// and a memo; opcodes.def lists its instructions, and pickletools.dis() shows one.
//
//     Pickler.dump()    pickler.c    save()  save.c -> save_atoms.c, save_containers.c,
//                                            save_global.c, save_reduce.c
//                                    bytes   output.c
//     Unpickler.load()  unpickler.c  bytes   input.c
//                                    load_...  load_atoms.c, load_containers.c, load_stack.c,
//                                              load_objects.c
//
// Both run script code in nearly every step (__reduce__, persistent_id, find_class, read, write),
// and that code may call the same pickler again. So all that a step needs later is in the Pickler
// or Unpickler, as an index and not as an address, or is held by the step itself.
#pragma once

#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes_out.h"
#include "objects/call.h"
#include "objects/error.h"
#include "objects/type.h"

#define HIGHEST_PROTOCOL 5
#define DEFAULT_PROTOCOL 4
#define BATCH_SIZE 1000 // items that one APPENDS, SETITEMS or ADDITEMS takes

typedef enum PickleOpcode {
#define PICKLE_OPCODE(name, byte) PICKLE_##name = byte,
#include "vm/modules/pickle/opcodes.def"
#undef PICKLE_OPCODE
    PICKLE_STOP = '.'
} PickleOpcode;

// ---- memo_table.c: what was saved or loaded already, by a key that is never 0

typedef struct MemoEntry {
    uint64_t key; // 0 = free
    Value object;
    ssize_t index;
} MemoEntry;

typedef struct Memo {
    MemoEntry *entries; // open addressing; NULL = empty
    size_t mask;
    ssize_t count;
} Memo;

const MemoEntry *memo_table_find(const Memo *memo, uint64_t key); // NULL = not there
bool memo_table_put(Memo *memo, uint64_t key, ValueRef object, ssize_t index);
bool memo_table_copy(Memo *to, const Memo *from); // replaces what is in `to`
void memo_table_clear(Memo *memo);                // may run script code
void memo_table_visit(const Memo *memo, VisitFn visit, void *arg);
// The next entry; *position starts at 0. NULL = there are no more.
const MemoEntry *memo_table_next(const Memo *memo, size_t *position);

// The attribute `memo` of both types: an object with clear(), copy() and __reduce__().
Value memo_proxy_new(Type *type, ValueRef owner);
ValueRef memo_proxy_owner(ValueRef proxy);
extern Type pickler_memo_type, unpickler_memo_type;

// ---- output.c: the bytes, and from protocol 4 on the frames that they stand in

#define FRAME_HEADER 9 // FRAME and the size of the frame

typedef struct PickleOutput {
    BytesOut bytes;      // not written yet
    Value write;         // of the file; 0 = all bytes are kept
    ssize_t frame_start; // where the header of the open frame will be, -1 = no frame is open
    bool framing;
} PickleOutput;

void output_clear(PickleOutput *output);
void output_add(PickleOutput *output, const void *bytes, size_t size);
void output_op(PickleOutput *output, PickleOpcode op);
void output_op_number(PickleOutput *output, PickleOpcode op, uint64_t number, int size);
void output_text(PickleOutput *output, const char *text);
void output_line(PickleOutput *output, PickleOpcode op, const char *text); // op, text, newline
// To be called between two instructions: ends a frame that is large enough.
bool output_boundary(PickleOutput *output);
// An instruction, and many bytes that it is about: large ones go to the file as they are.
bool output_payload(PickleOutput *output, const void *head, size_t head_size, const void *bytes,
                    size_t size);
bool output_end(PickleOutput *output); // the last frame, and the file
Value output_take(PickleOutput *output);

// ---- the two types

// A method that a subclass or a script may have given: persistent_id, persistent_load.
typedef struct Hook {
    Value function; // 0 = none
    bool bound;     // `function` is called with the pickler in front, which refers not to itself
} Hook;

bool hook_find(Hook *hook, ValueRef self, const char *name);
Value hook_call(const Hook *hook, ValueRef self, ValueRef argument);
Value hook_get(const Hook *hook, ValueRef self, const char *name);
bool hook_set(Hook *hook, ValueRef value, const char *name);

typedef struct Pickler {
    Object base;
    PickleOutput output;
    Memo memo;
    Hook persistent_id;
    Value dispatch_table;   // 0 = that of copyreg
    Value reducer_override; // while dump() runs; 0 = none
    Value buffer_callback;  // 0 = none
    Value copyreg_table;    // copyreg.dispatch_table, when it has been asked for
    Value fast_open;        // a dict of the containers that are being saved in fast mode
    int protocol, binary, fast, fast_depth;
    bool fix_imports;
} Pickler;

typedef struct PickleInput {
    Buffer buffer; // what is read now
    ssize_t at;    // the next byte
    ssize_t taken; // the bytes before it have left the file; the others were only peeked
    Value read, readline, readinto, peek; // of the file; `read` is 0 where the buffer is all
} PickleInput;

typedef struct Unpickler {
    Object base;
    PickleInput input;
    Memo memo; // the key is index + 1
    Hook persistent_load;
    Value *stack;
    ssize_t size, capacity;
    ssize_t *marks; // sizes of the stack
    ssize_t mark_count, mark_capacity;
    ssize_t fence; // the last mark, 0 = there is none: an instruction takes nothing below it
    Value buffers; // an iterator, or 0
    Value encoding, errors; // strs
    int protocol;
    bool fix_imports;
} Unpickler;

extern Type pickler_type, unpickler_type, pickle_buffer_type;

static inline Pickler *as_pickler(ValueRef value)
{
    return (Pickler *)object_of(value);
}
static inline Unpickler *as_unpickler(ValueRef value)
{
    return (Unpickler *)object_of(value);
}

Value pickler_dump(FUNCTION_ARGS); // the functions of the module
Value pickler_dumps(FUNCTION_ARGS);
Value unpickler_load(FUNCTION_ARGS);
Value unpickler_loads(FUNCTION_ARGS);

Value pickling_error(const char *format, ...);
Value unpickling_error(const char *format, ...);
// value.name, ABSENT if it has none.
Value pickle_attribute(ValueRef value, const char *name);
// An attribute of a module: codecs.encode.
Value pickle_attribute_of(const char *module, const char *name);
// A dict of a module: copyreg.dispatch_table, _compat_pickle.NAME_MAPPING. RuntimeError where a
// script has put something else there.
Value pickle_table(const char *module, const char *name);
// What a table of _compat_pickle has for a module, or for a name in it: owned, ABSENT = nothing.
Value pickle_renamed(const char *table, ValueRef module, ValueRef name);
// The attribute of a dotted path, and in *parent (if not NULL) what has it. ABSENT = there is none.
Value pickle_deep_attribute(ValueRef value, ValueRef path, Value *parent);
// The parts of a dotted name, a tuple. AttributeError for a local object; `owner` may be 0.
Value pickle_path(ValueRef name, ValueRef owner);

// ---- saving: each writes the instructions that make the value again

bool pickle_save(Pickler *self, ValueRef value);
bool pickle_save_id(Pickler *self, ValueRef id); // asks for no persistent id
bool pickle_save_atom(Pickler *self, ValueRef value, bool *done);
bool pickle_save_container(Pickler *self, ValueRef value, bool *done);
bool pickle_save_text(Pickler *self, ValueRef value, bool *done); // bytes and str
bool pickle_save_items(Pickler *self, ValueRef iterator);         // of a list: those of an iterator
bool pickle_save_pairs(Pickler *self, ValueRef iterator);         // of a dict
bool pickle_save_global(Pickler *self, ValueRef value, ValueRef name); // name may be 0
bool pickle_save_type(Pickler *self, ValueRef type);
// By what __reduce__() has returned; `value` 0 = it is not memoized.
bool pickle_save_reduced(Pickler *self, ValueRef reduced, ValueRef value);
bool pickle_save_call(Pickler *self, ValueRef callable, Value arguments, ValueRef value); // steals

static inline const MemoEntry *pickler_known(const Pickler *self, ValueRef value)
{
    return memo_table_find(&self->memo, bits_of(value));
}
bool pickler_get(Pickler *self, const MemoEntry *known);
bool pickler_memoize(Pickler *self, ValueRef value);
// save() for a value that script code may let go of meanwhile.
static inline bool pickle_save_held(Pickler *self, ValueRef value)
{
    Value held = retain(value);
    bool done = pickle_save(self, held);
    drop(held);
    return done;
}

// ---- loading

// The next bytes of the buffer; NULL = it has not so many.
static inline const char *input_taken(PickleInput *input, ssize_t size)
{
    if (size > input->buffer.size - input->at) return NULL;
    input->at += size;
    return input->buffer.bytes + input->at - size;
}
const char *input_fetch(PickleInput *input, ssize_t size); // from the file
// Dead at the next call; NULL = failed.
static inline const char *input_read(PickleInput *input, ssize_t size)
{
    const char *bytes = input_taken(input, size);
    return bytes ? bytes : input_fetch(input, size);
}
const char *input_opcode(PickleInput *input);              // EOFError where the input has ended
const char *input_line(PickleInput *input, ssize_t *size); // with its newline, dead likewise
Value input_bytes(PickleInput *input, ssize_t size);       // bytes
Value input_bytearray(PickleInput *input, ssize_t size);
bool input_from_file(PickleInput *input, ValueRef file);
bool input_from_bytes(PickleInput *input, ValueRef bytes);
void input_visit(const PickleInput *input, VisitFn visit, void *arg);
bool input_skip(PickleInput *input); // takes from the file what was peeked and used
void input_clear(PickleInput *input);
Value pickle_truncated(void);

bool unpickler_push(Unpickler *self, Value value); // steals; VALUE_ERROR is refused
Value unpickler_pop(Unpickler *self);
ValueRef unpickler_top(Unpickler *self);                   // borrowed
Value unpickler_pop_tuple(Unpickler *self, ssize_t start); // the values from this index on
bool unpickler_cut(Unpickler *self, ssize_t start);
bool unpickler_mark(Unpickler *self, ssize_t *mark); // takes the last mark
void unpickler_unmark(Unpickler *self);
Value unpickler_underflow(const Unpickler *self);
// An unsigned little-endian number that is an operand; false = failed.
static inline bool unpickler_operand(Unpickler *self, int size, uint64_t *number)
{
    const char *bytes = input_read(&self->input, size);
    if (!bytes) return false;
    *number = 0;
    for (int i = size; i-- > 0;) *number = *number << 8 | (unsigned char)bytes[i];
    return true;
}
// The same as a size: OverflowError or UnpicklingError "WHAT exceeds system's maximum ...".
bool unpickler_size(Unpickler *self, int size, const char *what, ssize_t *number);

#define PICKLE_OPCODE(name, byte) bool load_##name(Unpickler *self);
#include "vm/modules/pickle/opcodes.def"
#undef PICKLE_OPCODE
