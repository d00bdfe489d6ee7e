// The module `_termios`: the modes of a terminal, for vm/lib/termios.mpy.
//
//     modes(fd) -> (iflag, oflag, cflag, lflag, ispeed, ospeed, cc)
//     set_modes(fd, when, modes)
//     request(fd, which, number)       tcdrain, tcflush, tcflow, tcsendbreak: 0 to 3
//
// cc is bytes, one for each of the indices VINTR, VQUIT …
// All are numbers of C's headers. OSError where the descriptor is no terminal.
#include "objects/bytes/bytes.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/protocols/items.h"
#include "vm/outside/files.h"

#include <errno.h>
#include <string.h>
#include <termios.h>

#define MODES 7

static Value done(bool succeeded)
{
    return succeeded ? NONE : raise_os_error(errno, VALUE_ERROR);
}

static Value get_modes(FUNCTION_ARGS)
{
    int descriptor;
    struct termios modes;
    if (!argument_int(args[0], &descriptor)) return VALUE_ERROR;
    if (!outside_terminal_modes(descriptor, &modes)) return done(false);
    Value parts[MODES] = {
        int_new(modes.c_iflag),
        int_new(modes.c_oflag),
        int_new(modes.c_cflag),
        int_new(modes.c_lflag),
        int_new(cfgetispeed(&modes)),
        int_new(cfgetospeed(&modes)),
        bytes_new((const char *)modes.c_cc, NCCS),
    };
    return tuple_from_owned(parts, MODES);
}

// Of the tuple's numbers the lower 32 bits count, as C takes a long for a tcflag_t.
static bool read_modes(ValueRef tuple, struct termios *modes)
{
    int64_t numbers[MODES - 1];
    ValueRef characters = tuple_check(tuple) && tuple_size(tuple) == MODES ? tuple_at(tuple, 6) : 0;
    if (!characters || !bytes_check(characters) || as_bytes(characters)->size != NCCS)
        return raise_error(TypeError, "modes are six numbers and %d bytes", NCCS);
    for (int i = 0; i < MODES - 1; i++) {
        ValueRef number = tuple_at(tuple, i);
        if (!int_check(number)) return raise_error(TypeError, "modes are numbers, not %T", number);
        if (!int_as_int64(number, &numbers[i])) return false;
    }
    modes->c_iflag = (tcflag_t)numbers[0];
    modes->c_oflag = (tcflag_t)numbers[1];
    modes->c_cflag = (tcflag_t)numbers[2];
    modes->c_lflag = (tcflag_t)numbers[3];
    memcpy(modes->c_cc, as_bytes(characters)->data, NCCS);
    if (cfsetispeed(modes, (speed_t)numbers[4]) == 0 &&
        cfsetospeed(modes, (speed_t)numbers[5]) == 0)
        return true;
    done(false);
    return false;
}

static Value set_modes(FUNCTION_ARGS)
{
    int descriptor, when;
    struct termios modes;
    if (!argument_int(args[0], &descriptor) || !argument_int(args[1], &when)) return VALUE_ERROR;
    // What has no place in the tuple stays as it is.
    if (!outside_terminal_modes(descriptor, &modes)) return done(false);
    if (!read_modes(args[2], &modes)) return VALUE_ERROR;
    return done(outside_set_terminal_modes(descriptor, when, &modes));
}

static Value make_request(FUNCTION_ARGS)
{
    int descriptor, which, number;
    if (!argument_int(args[0], &descriptor) || !argument_int(args[1], &which) ||
        !argument_int(args[2], &number))
        return VALUE_ERROR;
    return done(outside_terminal_request(descriptor, (TerminalRequest)which, number));
}

static const MethodDef functions[] = {
    {"modes", get_modes, ONE_ARG, NULL},
    {"set_modes", set_modes, ARGS(3, 3), NULL},
    {"request", make_request, ARGS(3, 3), NULL},
    {0},
};

const ModuleDef _termios_module = {.name = "_termios", .functions = functions};
