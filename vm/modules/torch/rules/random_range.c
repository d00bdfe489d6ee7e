// See random_range.h.
#include "vm/modules/torch/rules/random_range.h"

#include "objects/error.h"
#include "objects/tensor/element.h"
#include "objects/upcalls.h"
#include "vm/modules/torch/rules/rule_build.h"

Generator *random_of_call(const OpCall *call)
{
    int index = call_param(call, "generator");
    return index < 0 ? random_default() : random_of(call->slots[index]);
}

int random_digits(Dtype dtype)
{
    switch (dtype) {
    case DTYPE_float16: return 11;
    case DTYPE_bfloat16: return 8;
    case DTYPE_float32: return 24;
    case DTYPE_float64: return 53;
    default: return 0;
    }
}

// The name of the dtype in C++, which the messages have.
static const char *cpp_name(Dtype dtype)
{
    switch (dtype) {
    case DTYPE_bool: return "bool";
    case DTYPE_uint8: return "unsigned char";
    case DTYPE_int8: return "signed char";
    case DTYPE_int16: return "short int";
    case DTYPE_int32: return "int";
    case DTYPE_int64: return "long int";
    case DTYPE_float16: return "c10::Half";
    case DTYPE_bfloat16: return "c10::BFloat16";
    case DTYPE_float32: return "float";
    default: return "double";
    }
}

// The least and the largest integer of a dtype. Those of wide floating dtypes are int64's.
static void dtype_ends(Dtype dtype, int64_t *least, int64_t *largest)
{
    int bits = 8 * (int)dtype_size(dtype);
    bool is_signed = dtype != DTYPE_uint8 && dtype != DTYPE_bool;
    *least = INT64_MIN;
    *largest = INT64_MAX;
    if (dtype == DTYPE_float16) {
        *least = -65504;
        *largest = 65504;
    } else if (!dtype_is_floating(dtype) && bits < 64) {
        *largest = dtype == DTYPE_bool ? 1 : ((int64_t)1 << (bits - is_signed)) - 1;
        *least = is_signed ? -*largest - 1 : 0;
    }
}

// `line` is where PyTorch's source has the warning.
static bool check_end(const OpCall *call, int64_t end, const char *name, Dtype dtype, int line)
{
    int64_t least, largest;
    int digits = random_digits(dtype);
    dtype_ends(dtype, &least, &largest);
    if (end < least || end > largest)
        return raise_error(RuntimeError, "%s is out of bounds for %s", name, cpp_name(dtype));
    if (!digits || (end >= -((int64_t)1 << digits) && end <= (int64_t)1 << digits)) return true;
    return call_warn(
        call,
        "%s is out of bounds [-(2^%d), 2^%d]. Due to precision limitations %s can support discrete "
        "uniform distribution only within this range. This warning will become an error in version "
        "1.7 release, please fix the code in advance (Triggered internally at "
        "../aten/src/ATen/native/DistributionTemplates.h:%d.)",
        name, digits, digits, cpp_name(dtype), line);
}

// An integer as an element of a floating dtype, and back.
static int64_t as_stored(int64_t number, Dtype dtype)
{
    if (dtype == DTYPE_float64) return double_to_int64((double)number);
    return double_to_int64((double)float_as_stored((float)number, dtype));
}

// The distance between two neighbours of the dtype near `number`.
static int64_t gap(int64_t number, int digits)
{
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    int bits = size ? 63 - __builtin_clzll(size) : 0;
    return (int64_t)1 << (bits - digits + 1);
}

static void move_inwards(RandomRange *range, Dtype dtype)
{
    int digits = random_digits(dtype);
    int64_t above = as_stored(range->from + 1, dtype), below = as_stored(range->to - 1, dtype);
    if (above < range->from) range->from = above + gap(range->from + 1, digits);
    if (!range->endless && below >= range->to) range->to = below - gap(range->to - 1, digits);
}

static bool check_endless(const OpCall *call, RandomRange *range, Dtype dtype)
{
    int64_t least, last;
    int digits = random_digits(dtype);
    dtype_ends(dtype, &least, &last);
    if (digits) last = (int64_t)1 << digits;
    if (range->from > last && digits && dtype != DTYPE_float16)
        return raise_error(RuntimeError,
                           "random_ expects 'from' casted to dtype to be less than or equal to "
                           "'to_inc' casted to dtype, but got from=%lld > to_inc=%lld",
                           (long long)range->from, (long long)last);
    range->count = (uint64_t)last - (uint64_t)range->from + 1;
    return check_end(call, range->from, "from", dtype, 111);
}

static bool check_ends(const OpCall *call, RandomRange *range, Dtype dtype)
{
    if (random_digits(dtype) && range->from >= range->to)
        return raise_error(RuntimeError,
                           "random_ expects 'from' casted to dtype to be less than 'to' casted to "
                           "dtype, but got from=%lld >= to=%lld",
                           (long long)range->from, (long long)range->to);
    range->count = (uint64_t)range->to - (uint64_t)range->from;
    return check_end(call, range->from, "from", dtype, 111) &&
           check_end(call, range->to - 1, "to - 1", dtype, 112);
}

bool random_range_check(const OpCall *call, RandomRange *range, Dtype dtype)
{
    bool takes_64 = dtype == DTYPE_int64 || (random_digits(dtype) && dtype != DTYPE_float16);
    if (range->endless && range->from == INT64_MIN) {
        range->from = 0; // 64 bits as they are
        range->count = 0;
        range->wide = true;
        return takes_64 ||
               raise_error(RuntimeError,
                           dtype == DTYPE_bool || dtype == DTYPE_float16
                               ? "\"random_full_64_bits_range_kernel_cpu\" not implemented for '%s'"
                               : "random_full_64_bits_range_kernel_cpu handles only int64, double, "
                                 "float and bfloat16",
                           dtype_table[dtype].scalar);
    }
    if (random_digits(dtype)) move_inwards(range, dtype);
    if (!(range->endless ? check_endless(call, range, dtype) : check_ends(call, range, dtype)))
        return false;
    range->wide = takes_64 && range->count > UINT32_MAX;
    return true;
}
