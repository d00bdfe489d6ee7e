// A C function for each row, by which scripts reach it: torch.name, Tensor.name, Tensor.name_,
// torch.name_.
//
// A function knows its row, and nothing else: `function_add_Tensor(self, args, ...)` calls
// op_function(OP_add_Tensor, args, ...), which tries that row and those of the same name after it.
// A name's function is that of its first row that is reached so: of the others none is compiled.
#include "vm/modules/torch/call/functions.h"

#include "objects/classes/descriptor.h"
#include "objects/classes/method.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/text/format.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"
#include "vm/modules/torch/call/op_bind.h"
#include "vm/modules/torch/call/torch_objects.h"

// ---- four functions for each row

#define ROW(row)                                                                                   \
    static Value function_##row(FUNCTION_ARGS)                                                     \
    {                                                                                              \
        return op_function(OP_##row, args, nargs, kwnames);                                        \
    }                                                                                              \
    static Value method_##row(ValueRef self, METHOD_ARGS)                                          \
    {                                                                                              \
        return op_method(OP_##row, self, args, nargs, kwnames);                                    \
    }                                                                                              \
    static Value inplace_##row(ValueRef self, METHOD_ARGS)                                         \
    {                                                                                              \
        return op_inplace(OP_##row, self, args, nargs, kwnames);                                   \
    }                                                                                              \
    static Value inplace_function_##row(FUNCTION_ARGS)                                             \
    {                                                                                              \
        return op_inplace_function(OP_##row, args, nargs, kwnames);                                \
    }
#define UNARY(name, ...) ROW(name##_)
#define OP(name, overload, ...) ROW(name##_##overload)
#define UNARY_WITH OP
#define BINARY OP
#define TERNARY OP
#define VIEW OP
#define DATA OP
#define COMPOSITE OP
#define ALIAS OP
#define NODE OP
#include "vm/modules/torch/ops/ops.def"
#undef ROW

// NULL where the row is not reached so: the compiler then drops the function.
typedef struct Forms {
    CallFn function, method, inplace, inplace_function;
    const char *inplace_name;
} Forms;

#define IF(kinds, function) ((kinds) ? function : NULL)
// The name comes as a text: `bool` is a macro.
#define FORMS(name, row, kinds)                                                                    \
    {IF((kinds) & ANY_FUNCTION, function_##row), IF((kinds) & METHOD, method_##row),               \
     IF((kinds) & INPLACE, inplace_##row),                                                         \
     IF((kinds) & (INPLACE_FUNCTION | NN), inplace_function_##row),                                \
     IF((kinds) & (INPLACE | INPLACE_FUNCTION), name "_")},

static const Forms row_forms[OP_COUNT] = {
#define UNARY(name, schema, kinds, ...) FORMS(#name, name##_, kinds)
#define OP(name, overload, schema, kinds, ...) FORMS(#name, name##_##overload, kinds)
#define UNARY_WITH OP
#define BINARY OP
#define TERNARY OP
#define VIEW OP
#define DATA OP
#define COMPOSITE OP
#define ALIAS OP
#define NODE OP
#include "vm/modules/torch/ops/ops.def"
};

// The forms of the name that begins at `first`: each as in its first row that has it.
static Forms forms_of(OpIndex first)
{
    Forms forms = {0};
    for (OpIndex op = first; op_bind_same_name(op, first); op++) {
        const Forms *row = &row_forms[op];
        if (!forms.function) forms.function = row->function;
        if (!forms.method) forms.method = row->method;
        if (!forms.inplace) forms.inplace = row->inplace;
        if (!forms.inplace_function) forms.inplace_function = row->inplace_function;
        if (!forms.inplace_name) forms.inplace_name = row->inplace_name;
    }
    return forms;
}

// ---- namespaces: two classes and three modules

static Type functions_type = {
    STATIC_TYPE("torch._C._VariableFunctionsClass", sizeof(Object)),
    .doc = "The functions of torch.",
};
static Type internal_type = {
    STATIC_TYPE("torch._C._aten", sizeof(Object)),
    .doc = "The functions that are neither in torch nor methods.",
};

// What the functions of a kind of row are put into.
typedef struct Namespace {
    OpKind kind;
    const char *name; // in torch._C
    Type *type;       // NULL = a module
} Namespace;

static const Namespace namespaces[] = {
    {FUNCTION, "_VariableFunctionsClass", &functions_type},
    {INTERNAL, "_aten", &internal_type},
    {NN, "_nn", NULL},
    {LINALG, "_linalg", NULL},
    {SPECIAL, "_special", NULL},
    {FFT, "_fft", NULL},
};
#define NAMESPACES (sizeof namespaces / sizeof *namespaces)

// A namespace while it is filled.
typedef struct Filling {
    Value owner;       // the class or module: it shows in repr and __qualname__ of the functions
    Value module_name; // their __module__
    Value dict;        // of the owner
} Filling;

// The kinds of all rows of the name that begins at `first`.
static unsigned all_kinds(OpIndex first)
{
    unsigned kinds = 0;
    for (OpIndex op = first; op_bind_same_name(op, first); op++) kinds |= op_table[op].kinds;
    return kinds;
}

Value functions_owner(OpIndex first)
{
    unsigned kinds = all_kinds(first);
    const Namespace *space = namespaces;
    while (!(kinds & space->kind)) space++;
    if (space->type) return retain(ref_of(space->type));
    Value module = upcalls.import("torch._C");
    Value name = module ? str_intern(space->name) : VALUE_ERROR;
    Value owner = name ? object_get(module, name) : VALUE_ERROR;
    drop(module);
    drop(name);
    return owner;
}

// What the functions of the namespaces and the methods are described by, one after the other.
static MethodDef defs[4 * OP_COUNT];
static MethodDef *defs_end;

static const MethodDef *describe(const char *name, CallFn function, const char *doc)
{
    invariant(function, "a row of this kind has such a function");
    invariant(defs_end < defs + 4 * OP_COUNT, "there is room for the functions of all names");
    *defs_end = (MethodDef){name, function, KEYWORD_ARGS, doc};
    return defs_end++;
}

static bool add_function(const Filling *filling, const MethodDef *def)
{
    Value made = builtin_new(def, filling->owner, filling->module_name);
    bool done = made && dict_set_ascii(filling->dict, def->name, made);
    drop(made);
    return done;
}

static bool add_method(const MethodDef *def)
{
    Value made = method_descriptor_new(&tensor_base_type, def);
    bool done = made && dict_set_ascii(tensor_base_type.dict, def->name, made);
    drop(made);
    return done;
}

// torch.name_ of a row of torch, torch._C._nn.name_ of one of NN; the others have Tensor.name_
// only.
static bool is_inplace_function(OpKind space, unsigned kinds)
{
    return (space == FUNCTION && kinds & INPLACE_FUNCTION) ||
           (space == NN && kinds & NN && kinds & INPLACE);
}

// Adds what scripts call to the namespaces that the rows of the name are reached by.
static bool add_name(OpIndex first, const Filling *fillings)
{
    unsigned kinds = all_kinds(first);
    Forms forms = forms_of(first);
    const char *name = op_table[first].name, *doc = op_table[first].doc;
    for (size_t i = 0; i < NAMESPACES; i++) {
        OpKind space = namespaces[i].kind;
        if (kinds & space && !add_function(&fillings[i], describe(name, forms.function, doc)))
            return false;
        if (is_inplace_function(space, kinds) &&
            !add_function(&fillings[i], describe(forms.inplace_name, forms.inplace_function, doc)))
            return false;
    }
    if (kinds & METHOD && !add_method(describe(name, forms.method, doc))) return false;
    return !(kinds & INPLACE) || kinds & NN ||
           add_method(describe(forms.inplace_name, forms.inplace, doc));
}

static bool add_names(const Filling *fillings)
{
    defs_end = defs;
    for (int op = 0; op < OP_COUNT; op++)
        if (op == 0 || !op_bind_same_name((OpIndex)op, (OpIndex)(op - 1)))
            if (!add_name((OpIndex)op, fillings)) return false;
    return true;
}

static bool begin_filling(Filling *filling, const Namespace *space)
{
    if (space->type && !type_ready(space->type)) return false;
    filling->module_name =
        space->type ? str_intern("torch") : format_text("torch._C.%s", space->name);
    if (!filling->module_name) return false;
    filling->owner = space->type ? retain(ref_of(space->type)) : module_new(filling->module_name);
    if (!filling->owner) return false;
    filling->dict = retain(space->type ? space->type->dict : as_module(filling->owner)->dict);
    return true;
}

bool functions_fill(ValueRef module)
{
    Filling fillings[NAMESPACES] = {0};
    bool done = true;
    for (size_t i = 0; done && i < NAMESPACES; i++)
        done = begin_filling(&fillings[i], &namespaces[i]);
    done = done && add_names(fillings);
    for (size_t i = 0; i < NAMESPACES; i++) {
        done = done && module_add(module, namespaces[i].name, fillings[i].owner);
        drop(fillings[i].owner);
        drop(fillings[i].module_name);
        drop(fillings[i].dict);
    }
    type_modified(&tensor_base_type);
    type_modified(&functions_type);
    return done;
}
