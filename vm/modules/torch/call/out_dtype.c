// Which dtypes out= may have: out_dtypes.def, else those that the result can be cast to.
#include "objects/error.h"
#include "objects/tensor/dtype.h"
#include "objects/text/str.h"
#include "vm/modules/torch/call/call_parts.h"
#include "vm/modules/torch/call/promote.h"

#include <stdio.h>
#include <string.h>

#define ANY_RESULT (-1)
#define LONGEST_MESSAGE 400

#define SEARCHED                                                                                   \
    "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or "          \
    "Long(int64) depending on whether out_int32 flag is True, but we got output tensor's dtype "   \
    "{G} and out_int32 flag is {I}"

typedef enum OutKind { SAME, CASTABLE, AS_NAMED, ANY, NANSUM, TRUTH, REAL, NUMBER } OutKind;

typedef struct OutDtype {
    const char *name;
    int which;
    OutKind kind;
    const char *message;
} OutDtype;

static const OutDtype out_dtypes[] = {
#define OUT_DTYPE(name, which, kind, message) {(name), (which), (kind), (message)},
#include "vm/modules/torch/call/out_dtypes.def"
#undef OUT_DTYPE
    {0}};

static bool is_named(const OpDef *op, const char *text)
{
    size_t size = strlen(op->name);
    if (strncmp(text, op->name, size) != 0) return false;
    return !text[size] || (text[size] == '.' && strcmp(text + size + 1, op->overload) == 0);
}

static const OutDtype *find(const OpCall *call, int which)
{
    const OutDtype *row = out_dtypes;
    while (row->name &&
           !(is_named(call->op, row->name) && (row->which == ANY_RESULT || row->which == which)))
        row++;
    return row;
}

static const char *name_of(char letter, Dtype made, Dtype given)
{
    switch (letter) {
    case 'M': return dtype_table[made].scalar;
    case 'G': return dtype_table[given].scalar;
    case 'I': return made == DTYPE_int32 ? "True" : "False";
    case 'm': return dtype_cpp_name(made);
    default: return dtype_cpp_name(given);
    }
}

static bool refuse(const char *message, Dtype made, Dtype given)
{
    char text[LONGEST_MESSAGE];
    size_t size = 0;
    if (!*message) message = "Expected out tensor to have dtype {m}, but got {g} instead";
    for (const char *at = message; *at && size < sizeof text - 1; at++) {
        bool is_name = *at == '{';
        size += (size_t)snprintf(text + size, sizeof text - size, "%.*s", is_name ? 40 : 1,
                                 is_name ? name_of(at[1], made, given) : at);
        if (is_name) at += 2;
    }
    return raise_error(RuntimeError, "%s", text);
}

static bool has_dtype_argument(const OpCall *call)
{
    for (int i = 0; i < call->schema->count; i++)
        if (str_equal_ascii(call->schema->params[i].name, "dtype"))
            return call->slots[i] && call->slots[i] != NONE;
    return false;
}

// Integers are summed by sum(). What is given without dtype= is what it computes in.
static bool check_nansum(const OpCall *call, const char *message, Dtype made, Dtype given)
{
    bool sums = !dtype_is_inexact(tensor_dtype(call_tensor(call, 0)));
    if (made != given) return refuse(sums ? "" : message, made, given);
    if (sums || (dtype_is_inexact(given) && !dtype_is_complex(given))) return true;
    return refuse("\"nansum_cpu\" not implemented for '{G}'", made, given);
}

static bool allows(const OpCall *call, OutKind kind, Dtype made, Dtype given)
{
    switch (kind) {
    case ANY: return true;
    case SAME: return made == given;
    case NUMBER: return given != DTYPE_bool;
    case REAL: return given != DTYPE_bool && !dtype_is_complex(given);
    case TRUTH: return given == DTYPE_bool || given == DTYPE_uint8;
    case AS_NAMED:
        if (has_dtype_argument(call)) return made == given;
        return dtype_can_cast(made, given);
    default: return dtype_can_cast(made, given);
    }
}

bool call_check_out(const OpCall *call, int which, Dtype made, Dtype given)
{
    const OutDtype *row = call->out ? find(call, which) : NULL;
    if (!row || !row->name) {
        if (dtype_can_cast(made, given)) return true;
        return refuse("result type {M} can't be cast to the desired output type {G}", made, given);
    }
    if (row->kind == NANSUM) return check_nansum(call, row->message, made, given);
    if (allows(call, row->kind, made, given)) return true;
    bool plain = row->kind == AS_NAMED && !has_dtype_argument(call);
    return refuse(plain ? "result type {M} can't be cast to the desired output type {G}"
                        : row->message,
                  made, given);
}
