// Functions of the module posix on whom this process belongs to: users and groups.
#include "vm/modules/posix/posix.h"

#include "objects/bytes/bytes.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "vm/io/path.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>

#define MOST_GROUPS 65536
#define LONGEST_NAME 256

// ---- what it is

// A call that answers groups, as a list.
static Value groups_from(SystemCall which, const int64_t numbers[4], const char *user)
{
    size_t room = MOST_GROUPS * sizeof(gid_t);
    gid_t *groups = memory_alloc(room);
    if (!groups) return raise_memory_error();
    CallBytes bytes = {
        .given = user, .given_size = user ? strlen(user) : 0, .answer = groups, .room = room};
    int64_t size = outside_call(which, numbers, bytes);
    Value list = size < 0 ? raise_posix() : list_new(0);
    bool done = list;
    for (size_t i = 0; done && i < (size_t)size / sizeof *groups; i++)
        done = list_append_owned(list, int_new(groups[i]));
    if (list && !done) drop_slot(&list);
    memory_free(groups);
    return list;
}

static Value groups(FUNCTION_ARGS)
{
    return groups_from(SYSTEM_GET_GROUPS, (int64_t[4]){0}, NULL);
}

// The name of a user as bytes, of a str only.
static Value user_name(ValueRef value, const char *function)
{
    if (!str_check(value))
        return raise_error(TypeError, "%s() argument 1 must be str, not %.200T", function, value);
    Value name = path_bytes(value);
    if (!name || strlen(as_bytes(name)->data) == (size_t)as_bytes(name)->size) return name;
    drop(name);
    return raise_error(ValueError, "embedded null character");
}

static Value groups_of_user(FUNCTION_ARGS)
{
    int64_t group;
    Value name = user_name(args[0], "getgrouplist");
    if (!name) return VALUE_ERROR;
    bool taken = posix_owner(args[1], "gid", &group);
    Value result = taken ? groups_from(SYSTEM_GROUPS_OF, (int64_t[4]){group}, as_bytes(name)->data)
                         : VALUE_ERROR;
    drop(name);
    return result;
}

static Value three_of(SystemCall which)
{
    unsigned numbers[3];
    int64_t size = outside_call(which, (int64_t[4]){0},
                                (CallBytes){.answer = numbers, .room = sizeof numbers});
    if (size < 0) return raise_posix();
    Value items[] = {int_new(numbers[0]), int_new(numbers[1]), int_new(numbers[2])};
    return tuple_from_owned(items, 3);
}

static Value all_user_ids(FUNCTION_ARGS)
{
    return three_of(SYSTEM_GET_USERS);
}

static Value all_group_ids(FUNCTION_ARGS)
{
    return three_of(SYSTEM_GET_GROUP_IDS);
}

static Value login_name(FUNCTION_ARGS)
{
    char name[LONGEST_NAME];
    int64_t size = outside_call(SYSTEM_LOGIN_NAME, (int64_t[4]){0},
                                (CallBytes){.answer = name, .room = sizeof name});
    return size < 0 ? raise_posix() : path_from_system(name, (size_t)size);
}

// ---- becoming another one

static Value become_owner(SystemCall which, const char *parameter, const ValueRef *args,
                          size_t count)
{
    int64_t numbers[4] = {0};
    for (size_t i = 0; i < count; i++)
        if (!posix_owner(args[i], parameter, &numbers[i])) return VALUE_ERROR;
    return posix_done(outside_call(which, numbers, NONE_GIVEN));
}

#define OWNER_FUNCTION(name, which, parameter, count)                                              \
    static Value name(FUNCTION_ARGS)                                                               \
    {                                                                                              \
        return become_owner(which, parameter, args, count);                                        \
    }
OWNER_FUNCTION(set_user, SYSTEM_SET_USER, "uid", 1)
OWNER_FUNCTION(set_group, SYSTEM_SET_GROUP, "gid", 1)
OWNER_FUNCTION(set_effective_user, SYSTEM_SET_EFFECTIVE_USER, "uid", 1)
OWNER_FUNCTION(set_effective_group, SYSTEM_SET_EFFECTIVE_GROUP, "gid", 1)
OWNER_FUNCTION(set_users, SYSTEM_SET_USERS, "uid", 2)
OWNER_FUNCTION(set_group_ids, SYSTEM_SET_GROUP_IDS, "gid", 2)
OWNER_FUNCTION(set_all_users, SYSTEM_SET_ALL_USERS, "uid", 3)
OWNER_FUNCTION(set_all_group_ids, SYSTEM_SET_ALL_GROUP_IDS, "gid", 3)

static bool take_groups(ValueRef items, gid_t *groups)
{
    int64_t number;
    for (ssize_t i = 0; i < tuple_size(items); i++) {
        if (!int_check(tuple_at(items, i)))
            return raise_error(TypeError, "groups must be integers");
        if (!posix_owner(tuple_at(items, i), "gid", &number)) return false;
        groups[i] = (gid_t)number;
    }
    return true;
}

static Value set_groups(FUNCTION_ARGS)
{
    gid_t *taken = NULL;
    Value result = VALUE_ERROR;
    if (!sequence_check(args[0]))
        return raise_error(TypeError, "setgroups argument must be a sequence");
    Value items = sequence_tuple(args[0]);
    size_t size = items ? (size_t)tuple_size(items) : 0;
    if (items && size > MOST_GROUPS)
        raise_error(ValueError, "too many groups");
    else if (items && !(taken = memory_alloc((size + 1) * sizeof *taken)))
        raise_memory_error();
    else if (items && take_groups(items, taken))
        result = posix_done(
            outside_call(SYSTEM_SET_GROUPS, (int64_t[4]){0},
                         (CallBytes){.given = taken, .given_size = size * sizeof *taken}));
    memory_free(taken);
    drop(items);
    return result;
}

static Value take_groups_of_user(FUNCTION_ARGS)
{
    int64_t group;
    Value name = path_bytes(args[0]);
    if (!name) return VALUE_ERROR;
    Value result = VALUE_ERROR;
    if (strlen(as_bytes(name)->data) != (size_t)as_bytes(name)->size)
        raise_error(ValueError, "embedded null byte");
    else if (posix_owner(args[1], "gid", &group))
        result = posix_done(outside_call(SYSTEM_TAKE_GROUPS_OF, (int64_t[4]){group},
                                         (CallBytes){.given = as_bytes(name)->data,
                                                     .given_size = (size_t)as_bytes(name)->size}));
    drop(name);
    return result;
}

const MethodDef posix_user_functions[] = {
    {"getgroups", groups, NO_ARGS, NULL},
    {"getgrouplist", groups_of_user, ARGS(2, 2), NULL},
    {"getresuid", all_user_ids, NO_ARGS, NULL},
    {"getresgid", all_group_ids, NO_ARGS, NULL},
    {"getlogin", login_name, NO_ARGS, NULL},
    {"setuid", set_user, ONE_ARG, NULL},
    {"setgid", set_group, ONE_ARG, NULL},
    {"seteuid", set_effective_user, ONE_ARG, NULL},
    {"setegid", set_effective_group, ONE_ARG, NULL},
    {"setreuid", set_users, ARGS(2, 2), NULL},
    {"setregid", set_group_ids, ARGS(2, 2), NULL},
    {"setresuid", set_all_users, ARGS(3, 3), NULL},
    {"setresgid", set_all_group_ids, ARGS(3, 3), NULL},
    {"setgroups", set_groups, ONE_ARG, NULL},
    {"initgroups", take_groups_of_user, ARGS(2, 2), NULL},
    {0},
};
