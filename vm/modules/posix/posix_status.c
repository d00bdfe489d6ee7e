// stat_result, and the functions that give one: stat(), lstat(), fstat(). statvfs_result.
#include "vm/modules/posix/posix.h"

#include "objects/classes/struct_sequence.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "vm/outside/files.h"

#include <sys/sysmacros.h>

// The times are there three times: items 7 to 9 in whole seconds; hidden, as floats and in
// nanoseconds. The names of the former two are the same, and an attribute is the float.
static const MemberDef fields[] = {
    STRUCT_FIELD("st_mode", 0),      STRUCT_FIELD("st_ino", 1),
    STRUCT_FIELD("st_dev", 2),       STRUCT_FIELD("st_nlink", 3),
    STRUCT_FIELD("st_uid", 4),       STRUCT_FIELD("st_gid", 5),
    STRUCT_FIELD("st_size", 6),      STRUCT_FIELD("st_atime", 10),
    STRUCT_FIELD("st_mtime", 11),    STRUCT_FIELD("st_ctime", 12),
    STRUCT_FIELD("st_atime", 7),     STRUCT_FIELD("st_mtime", 8),
    STRUCT_FIELD("st_ctime", 9),     STRUCT_FIELD("st_atime_ns", 13),
    STRUCT_FIELD("st_mtime_ns", 14), STRUCT_FIELD("st_ctime_ns", 15),
    STRUCT_FIELD("st_blksize", 16),  STRUCT_FIELD("st_blocks", 17),
    STRUCT_FIELD("st_rdev", 18),     {0},
};
static StructType stat_result_type = STRUCT_SEQUENCE("os.stat_result", fields, 10);

#define BILLION 1000000000

static int64_t whole_seconds(int64_t nanoseconds)
{
    return nanoseconds / BILLION - (nanoseconds % BILLION < 0);
}

static Value from_status(const FileStatus *status)
{
    const int64_t times[] = {status->accessed, status->modified, status->changed};
    Value items[19] = {
        int_new(status->mode),  int_new(status->inode), int_new(status->device),
        int_new(status->links), int_new(status->user),  int_new(status->group),
        int_new(status->size),
    };
    for (int i = 0; i < 3; i++) {
        items[7 + i] = int_new(whole_seconds(times[i]));
        items[10 + i] = float_new((double)whole_seconds(times[i]) +
                                  1e-9 * (double)(times[i] - whole_seconds(times[i]) * BILLION));
        items[13 + i] = int_new(times[i]);
    }
    items[16] = int_new(status->block_size);
    items[17] = int_new(status->blocks);
    items[18] = int_new(status->special_device);
    return struct_sequence_from_owned(&stat_result_type, items);
}

static Value status_of(const char *function, ValueRef value, PathKinds kinds, int folder,
                       bool follow)
{
    PathArgument path;
    FileStatus status;
    if (!path_begin_in(&path, value, function, "path", kinds, folder)) return VALUE_ERROR;
    if (!path.name && !follow)
        raise_error(ValueError, "%s: cannot use fd and follow_symlinks together", function);
    if (error_pending() || !refuse_folder_of(function, &path, folder))
        return path_end(&path), VALUE_ERROR;
    bool found = !path.name ? outside_descriptor_status(path.descriptor, &status)
                            : path_is_found(&path) && outside_status(path.name, follow, &status);
    Value result = found ? from_status(&status) : raise_posix_path(&path);
    path_end(&path);
    return result;
}

Value posix_status(FUNCTION_ARGS)
{
    int folder;
    bool follow;
    BIND("stat", 1, 1, "path", "dir_fd", "follow_symlinks");
    if (!folder_argument(given[1], &folder) || !truth_argument(given[2], true, &follow))
        return VALUE_ERROR;
    return status_of("stat", given[0], PATH_OR_DESCRIPTOR, folder, follow);
}

Value posix_link_status(FUNCTION_ARGS)
{
    int folder;
    BIND("lstat", 1, 1, "path", "dir_fd");
    if (!folder_argument(given[1], &folder)) return VALUE_ERROR;
    return status_of("lstat", given[0], PATH_NAME, folder, false);
}

Value posix_descriptor_status(FUNCTION_ARGS)
{
    int descriptor;
    FileStatus status;
    BIND("fstat", 1, 1, "fd");
    if (!posix_descriptor(given[0], 0, &descriptor)) return VALUE_ERROR;
    return outside_descriptor_status(descriptor, &status) ? from_status(&status) : raise_posix();
}

// ---- file systems

static const MemberDef space_fields[] = {
    STRUCT_FIELD("f_bsize", 0),   STRUCT_FIELD("f_frsize", 1), STRUCT_FIELD("f_blocks", 2),
    STRUCT_FIELD("f_bfree", 3),   STRUCT_FIELD("f_bavail", 4), STRUCT_FIELD("f_files", 5),
    STRUCT_FIELD("f_ffree", 6),   STRUCT_FIELD("f_favail", 7), STRUCT_FIELD("f_flag", 8),
    STRUCT_FIELD("f_namemax", 9), STRUCT_FIELD("f_fsid", 10),  {0},
};
static StructType space_type = STRUCT_SEQUENCE("os.statvfs_result", space_fields, 10);

static Value from_space(const FileSpace *space)
{
    Value items[] = {int_new(space->block_size),
                     int_new(space->fragment_size),
                     int_new(space->blocks),
                     int_new(space->free_blocks),
                     int_new(space->available_blocks),
                     int_new(space->inodes),
                     int_new(space->free_inodes),
                     int_new(space->available_inodes),
                     int_new(space->flags),
                     int_new(space->longest_name),
                     int_from_uint64((uint64_t)space->number)};
    return struct_sequence_from_owned(&space_type, items);
}

Value posix_space(FUNCTION_ARGS)
{
    PathArgument path;
    FileSpace space;
    BIND("statvfs", 1, 1, "path");
    if (!path_begin(&path, given[0], "statvfs", "path", PATH_OR_DESCRIPTOR)) return VALUE_ERROR;
    bool found = outside_space(path.name, path.descriptor, &space);
    Value result = found ? from_space(&space) : raise_posix_path(&path);
    path_end(&path);
    return result;
}

Value posix_descriptor_space(FUNCTION_ARGS)
{
    int descriptor;
    FileSpace space;
    BIND("fstatvfs", 1, 1, "fd");
    if (!posix_descriptor(given[0], 0, &descriptor)) return VALUE_ERROR;
    return outside_space(NULL, descriptor, &space) ? from_space(&space) : raise_posix();
}

// ---- devices

static Value part_of_device(ValueRef value, bool is_major)
{
    int64_t device;
    if (!posix_device(value, &device)) return VALUE_ERROR;
    return int_new(is_major ? major((dev_t)device) : minor((dev_t)device));
}

Value posix_major(FUNCTION_ARGS)
{
    return part_of_device(args[0], true);
}

Value posix_minor(FUNCTION_ARGS)
{
    return part_of_device(args[0], false);
}

Value posix_make_device(FUNCTION_ARGS)
{
    int numbers[2];
    if (!posix_int(args[0], 0, &numbers[0]) || !posix_int(args[1], 0, &numbers[1]))
        return VALUE_ERROR;
    return int_new((int64_t)makedev((unsigned)numbers[0], (unsigned)numbers[1]));
}

bool posix_add_status(ValueRef module)
{
    return struct_sequence_ready(&space_type) && module_add_type(module, &space_type.type) &&
           struct_sequence_ready(&stat_result_type) &&
           dict_set_ascii(stat_result_type.type.dict, "n_unnamed_fields", from_small(3)) &&
           module_add_type(module, &stat_result_type.type);
}
