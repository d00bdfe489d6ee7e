// The types that instructions rely on, one by one.
#include "vm/checks.h"

#include "objects/cell.h"
#include "objects/containers/list.h"
#include "objects/containers/set.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"

static bool check_type(int opcode, ValueRef value, const Type *type, const char *what)
{
    return is_exactly(value, type) ||
           raise_error(SystemError, "%s needs %s, not '%.200T'", opcode_name(opcode), what, value);
}

static bool check_iterator(ValueRef value)
{
    return object_is_iterator(value) ||
           raise_error(TypeError, "'%.200T' object is not an iterator", value);
}

static bool check_keywords(ValueRef names, uint32_t arguments)
{
    if (!check_type(CALL_FUNCTION_KW, names, &tuple_type, "a tuple of names")) return false;
    if (tuple_size(names) > (ssize_t)arguments)
        return raise_error(SystemError, "CALL_FUNCTION_KW has %zd names for %u arguments",
                           tuple_size(names), arguments);
    for (ssize_t i = 0; i < tuple_size(names); i++)
        if (!check_type(CALL_FUNCTION_KW, tuple_at(names, i), &str_type, "names that are strs"))
            return false;
    return true;
}

// A cell for each free variable.
static bool check_closure(ValueRef closure, const Code *code)
{
    ssize_t count = closure ? tuple_size(closure) : 0;
    if (count != code_free_count(code))
        return raise_error(SystemError,
                           "MAKE_FUNCTION has %zd cells for %d free variables of '%.200S'", count,
                           code_free_count(code), code->name);
    for (ssize_t i = 0; i < count; i++)
        if (!check_type(MAKE_FUNCTION, tuple_at(closure, i), &cell_type, "a closure of cells"))
            return false;
    return true;
}

static bool check_function(const Value *sp, uint32_t flags)
{
    static const struct {
        const Type *type;
        const char *what;
    } parts[] = {{&tuple_type, "a tuple of default values"},
                 {&dict_type, "a dict of keywords' default values"},
                 {&dict_type, "a dict of annotations"},
                 {&tuple_type, "a tuple as closure"}};
    const Value *part = sp - 2 - __builtin_popcount(flags);
    for (int i = 0; i < 4; i++)
        if ((flags & 1u << i) && !check_type(MAKE_FUNCTION, *part++, parts[i].type, parts[i].what))
            return false;
    return check_type(MAKE_FUNCTION, sp[-2], &code_type, "a code object") &&
           check_type(MAKE_FUNCTION, sp[-1], &str_type, "a name") &&
           check_closure(flags & MAKE_FUNCTION_CLOSURE ? sp[-3] : VALUE_ERROR, as_code(sp[-2]));
}

// The deepest value that an instruction looks at is what it works on.
static bool check_deepest(int opcode, ValueRef value)
{
    if (opcode_is(opcode, NEEDS_ITERATOR)) return check_iterator(value);
    if (opcode_is(opcode, NEEDS_LIST)) return check_type(opcode, value, &list_type, "a list");
    if (opcode_is(opcode, NEEDS_SET)) return check_type(opcode, value, &set_type, "a set");
    return check_type(opcode, value, &dict_type, "a dict");
}

bool check_operands(const Frame *frame, const Instruction *ip, const Value *sp)
{
    int opcode = ip->index;
    switch (opcode) { // NEEDS_MORE, and what the compiler's own code needs
    case LOAD_FAST: { // what a comprehension goes over
        ValueRef argument = frame->localsplus[ip->arg];
        return !argument || check_iterator(argument);
    }
    case DICT_MERGE: return check_type(opcode, sp[-1 - (ssize_t)ip->arg], &dict_type, "a dict");
    case CALL_FUNCTION_KW: return check_keywords(sp[-1], ip->arg);
    case MAKE_FUNCTION: return check_function(sp, ip->arg);
    default: return check_deepest(opcode, sp[-opcode_looks(opcode, (int)ip->arg)]);
    }
}
