#include "objects/numbers/float_formats.h"

#include "objects/error.h"
#include "objects/text/str.h"

#include <math.h>

#define UNKNOWN "unknown"
#define BIG_END_FIRST "IEEE, big-endian"
#define LITTLE_END_FIRST "IEEE, little-endian"

typedef struct Format {
    const char *name;
    bool is_unknown;
} Format;

static Format double_format = {"double", false}, single_format = {"float", false};

static const char *machine_format(void)
{
    const uint16_t probe = 1;
    return *(const uint8_t *)&probe ? LITTLE_END_FIRST : BIG_END_FIRST;
}

// NULL with ValueError pending where it is neither's name.
static Format *format_of(ValueRef name, const char *method)
{
    if (str_equal_ascii(name, double_format.name)) return &double_format;
    if (str_equal_ascii(name, single_format.name)) return &single_format;
    raise_error(ValueError, "%s() argument 1 must be 'double' or 'float'", method);
    return NULL;
}

Value float_getformat(FUNCTION_ARGS)
{
    if (!str_check(args[0]))
        return raise_error(TypeError, "__getformat__() argument must be str, not %G", args[0]);
    const Format *format = format_of(args[0], "__getformat__");
    if (!format) return VALUE_ERROR;
    return str_new(format->is_unknown ? UNKNOWN : machine_format());
}

static bool set_format(Format *format, ValueRef wanted)
{
    format->is_unknown = str_equal_ascii(wanted, UNKNOWN);
    if (format->is_unknown || str_equal_ascii(wanted, machine_format())) return true;
    if (str_equal_ascii(wanted, BIG_END_FIRST) || str_equal_ascii(wanted, LITTLE_END_FIRST))
        return raise_error(ValueError,
                           "can only set %s format to '" UNKNOWN "' or the detected platform value",
                           format->name);
    return raise_error(ValueError, "__setformat__() argument 2 must be '" UNKNOWN
                                   "', '" LITTLE_END_FIRST "' or '" BIG_END_FIRST "'");
}

Value float_setformat(FUNCTION_ARGS)
{
    for (int i = 0; i < 2; i++)
        if (!str_check(args[i]))
            return raise_error(TypeError, "__setformat__() argument %d must be str, not %G", i + 1,
                               args[i]);
    Format *format = format_of(args[0], "__setformat__");
    return format && set_format(format, args[1]) ? NONE : VALUE_ERROR;
}

static bool is_unknown(ssize_t size)
{
    return size == sizeof(double)  ? double_format.is_unknown
           : size == sizeof(float) ? single_format.is_unknown
                                   : false;
}

bool float_may_be_read(double number, ssize_t size)
{
    if (!is_unknown(size) || isfinite(number)) return true;
    return raise_error(ValueError, "can't unpack IEEE 754 special value on non-IEEE platform");
}

bool float_may_be_written(double *number, ssize_t size)
{
    if (!is_unknown(size)) return true;
    if (!isfinite(*number)) return raise_error(SystemError, "frexp() result out of range");
    *number += 0.0; // no sign of zero
    return true;
}
