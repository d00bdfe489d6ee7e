// Functions of the module posix on terminals.
#include "vm/modules/posix/posix.h"

#include "objects/classes/struct_sequence.h"
#include "objects/containers/tuple.h"
#include "objects/text/str.h"
#include "vm/io/path.h"
#include "vm/outside/files.h"

#include <limits.h>

static Value is_terminal(FUNCTION_ARGS)
{
    int descriptor;
    if (!posix_int(args[0], 0, &descriptor)) return VALUE_ERROR;
    return from_bool(outside_is_terminal(descriptor));
}

static const MemberDef size_fields[] = {STRUCT_FIELD("columns", 0), STRUCT_FIELD("lines", 1), {0}};
static StructType terminal_size_type = STRUCT_SEQUENCE("os.terminal_size", size_fields, 2);

static Value terminal_size(FUNCTION_ARGS)
{
    int descriptor, size[2];
    if (!posix_descriptor(nargs ? args[0] : 0, 1, &descriptor)) return VALUE_ERROR;
    if (!outside_terminal_size(descriptor, size)) return raise_posix();
    Value items[] = {from_small(size[0]), from_small(size[1])};
    return struct_sequence_from_owned(&terminal_size_type, items);
}

bool posix_add_terminal_size(ValueRef module)
{
    return struct_sequence_ready(&terminal_size_type) &&
           module_add_type(module, &terminal_size_type.type);
}

static Value name_of_terminal(FUNCTION_ARGS)
{
    int descriptor;
    char name[PATH_MAX];
    if (!posix_descriptor(args[0], 0, &descriptor)) return VALUE_ERROR;
    int64_t size = outside_call(SYSTEM_TERMINAL_NAME, (int64_t[4]){descriptor},
                                (CallBytes){.answer = name, .room = sizeof name});
    return size < 0 ? raise_posix() : path_from_system(name, (size_t)size);
}

static Value name_of_own_terminal(FUNCTION_ARGS)
{
    return str_new("/dev/tty");
}

static Value group_in_front(FUNCTION_ARGS)
{
    int descriptor;
    if (!posix_descriptor(args[0], 0, &descriptor)) return VALUE_ERROR;
    return posix_number(SYSTEM_TERMINAL_GROUP, descriptor);
}

static Value set_group_in_front(FUNCTION_ARGS)
{
    int descriptor, group;
    if (!posix_descriptor(args[0], 0, &descriptor) || !posix_int(args[1], 0, &group))
        return VALUE_ERROR;
    return posix_does(SYSTEM_SET_TERMINAL_GROUP, descriptor, group);
}

static Value make_terminal(FUNCTION_ARGS)
{
    int ends[2];
    int64_t size = outside_call(SYSTEM_NEW_TERMINAL, (int64_t[4]){0},
                                (CallBytes){.answer = ends, .room = sizeof ends});
    return size < 0 ? raise_posix() : tuple_pack(2, from_small(ends[0]), from_small(ends[1]));
}

// A new session, whose terminal and standard streams it is. os.forkpty() is made of it.
static Value take_terminal(FUNCTION_ARGS)
{
    int descriptor;
    if (!posix_descriptor(args[0], 0, &descriptor)) return VALUE_ERROR;
    return posix_does(SYSTEM_TAKE_TERMINAL, descriptor);
}

const MethodDef posix_terminal_functions[] = {
    {"isatty", is_terminal, ONE_ARG, NULL},
    {"get_terminal_size", terminal_size, ARGS(0, 1), NULL},
    {"ttyname", name_of_terminal, ONE_ARG, NULL},
    {"ctermid", name_of_own_terminal, NO_ARGS, NULL},
    {"tcgetpgrp", group_in_front, ONE_ARG, NULL},
    {"tcsetpgrp", set_group_in_front, ARGS(2, 2), NULL},
    {"openpty", make_terminal, NO_ARGS, NULL},
    {"_take_terminal", take_terminal, ONE_ARG, NULL},
    {0},
};
