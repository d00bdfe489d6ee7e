// A C function for each row, by which scripts reach it: torch.name, Tensor.name, Tensor.name_,
// torch.name_.
//
// A function knows its row, and nothing else: `function_add_Tensor(self, args, ...)` calls
// op_function(OP_add_Tensor, args, ...), which tries that row and those of the same name after it.
// Only the function of the first row of a name is put into a namespace.
#include "vm/modules/torch/call/functions.h"

#include "objects/classes/descriptor.h"
#include "objects/classes/method.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/modules/torch/call/op_bind.h"
#include "vm/modules/torch/torch_objects.h"

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
#define UNARY_WITH(name, overload, ...) ROW(name##_##overload)
#define BINARY(name, overload, ...) ROW(name##_##overload)
#define TERNARY(name, overload, ...) ROW(name##_##overload)
#define OP(name, overload, ...) ROW(name##_##overload)
#define VIEW(name, overload, ...) ROW(name##_##overload)
#define DATA(name, overload, ...) ROW(name##_##overload)
#define COMPOSITE(name, overload, ...) ROW(name##_##overload)
#include "vm/modules/torch/ops/ops.def"
#undef ROW

typedef struct RowFunctions {
    MethodDef function, method, inplace, inplace_function;
} RowFunctions;

// The name comes as a text: `bool` is a macro.
#define ROW_FUNCTIONS(name, row, doc)                                                              \
    {{name, function_##row, KEYWORD_ARGS, doc},                                                    \
     {name, method_##row, KEYWORD_ARGS, doc},                                                      \
     {name "_", inplace_##row, KEYWORD_ARGS, doc},                                                 \
     {name "_", inplace_function_##row, KEYWORD_ARGS, doc}},

static const RowFunctions functions[OP_COUNT] = {
#define UNARY(name, schema, kinds, promotion, expression, derivative, decomposition, doc)          \
    ROW_FUNCTIONS(#name, name##_, doc)
#define UNARY_WITH(name, overload, schema, kinds, promotion, expression, derivative,               \
                   decomposition, doc)                                                             \
    ROW_FUNCTIONS(#name, name##_##overload, doc)
#define BINARY(name, overload, schema, kinds, promotion, expression, derivative, decomposition,    \
               doc)                                                                                \
    ROW_FUNCTIONS(#name, name##_##overload, doc)
#define TERNARY(name, overload, schema, kinds, promotion, expression, derivative, decomposition,   \
                doc)                                                                               \
    ROW_FUNCTIONS(#name, name##_##overload, doc)
#define OP(name, overload, schema, kinds, promotion, rule, kernel, derivative, decomposition, doc) \
    ROW_FUNCTIONS(#name, name##_##overload, doc)
#define VIEW(name, overload, schema, kinds, rule, derivative, decomposition, doc)                  \
    ROW_FUNCTIONS(#name, name##_##overload, doc)
#define DATA(name, overload, schema, kinds, kernel, derivative, decomposition, doc)                \
    ROW_FUNCTIONS(#name, name##_##overload, doc)
#define COMPOSITE(name, overload, schema, kinds, decomposition, doc)                               \
    ROW_FUNCTIONS(#name, name##_##overload, doc)
#include "vm/modules/torch/ops/ops.def"
};

#define ALIAS(name, row) ROW_FUNCTIONS(#name, row, NULL)
static const RowFunctions aliases[] = {
#include "vm/modules/torch/ops/aliases.def"
};
#undef ALIAS

static const OpIndex alias_rows[] = {
#define ALIAS(name, row) OP_##row,
#include "vm/modules/torch/ops/aliases.def"
#undef ALIAS
};

// ---- namespaces

static Type functions_type = {
    STATIC_TYPE("torch._C._VariableFunctionsClass", sizeof(Object)),
    .doc = "The functions of torch.",
};
static Type nn_type = {
    STATIC_TYPE("torch._C._nn", sizeof(Object)),
    .doc = "The functions that torch.nn.functional wraps.",
};

static Type linalg_type = {
    STATIC_TYPE("torch._C._linalg", sizeof(Object)),
    .doc = "The functions that torch.linalg wraps: linalg_norm.",
};
static Type special_type = {
    STATIC_TYPE("torch._C._special", sizeof(Object)),
    .doc = "The functions that torch.special wraps: special_expit.",
};
static Type internal_type = {
    STATIC_TYPE("torch._C._aten", sizeof(Object)),
    .doc = "The functions that are neither in torch nor methods.",
};

// The functions of a kind of row lie in a class.
static const struct {
    OpKind kind;
    Type *type;
} namespaces[] = {
    {FUNCTION, &functions_type}, {NN, &nn_type}, {LINALG, &linalg_type}, {SPECIAL, &special_type},
    {INTERNAL, &internal_type},
};
#define NAMESPACES (sizeof namespaces / sizeof *namespaces)

ValueRef torch_functions_class(void)
{
    return ref_of(&functions_type);
}

// The kinds of all rows of the name that begins at `first`.
static unsigned all_kinds(OpIndex first)
{
    unsigned kinds = 0;
    for (OpIndex op = first; op_bind_same_name(op, first); op++) kinds |= op_table[op].kinds;
    return kinds;
}

static bool add_function(Type *type, const MethodDef *def, ValueRef module_name)
{
    Value made = builtin_new(def, ref_of(type), module_name);
    bool done = made && dict_set_ascii(type->dict, def->name, made);
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

// Adds what scripts call to the namespaces that the rows of the name are reached by.
static bool add_row(OpIndex op, const RowFunctions *row, ValueRef module_name)
{
    unsigned kinds = all_kinds(op);
    for (size_t i = 0; i < NAMESPACES; i++)
        if (kinds & namespaces[i].kind &&
            !add_function(namespaces[i].type, &row->function, module_name))
            return false;
    return (!(kinds & METHOD) || add_method(&row->method)) &&
           (!(kinds & INPLACE) || kinds & NN || add_method(&row->inplace)) &&
           (!(kinds & INPLACE) || !(kinds & NN) ||
            add_function(&nn_type, &row->inplace_function, module_name)) &&
           (!(kinds & INPLACE_FUNCTION) ||
            add_function(&functions_type, &row->inplace_function, module_name));
}

bool functions_fill(ValueRef module)
{
    Value name = str_intern("torch");
    bool done = name != VALUE_ERROR;
    for (size_t i = 0; done && i < NAMESPACES; i++) done = type_ready(namespaces[i].type);
    for (int op = 0; done && op < OP_COUNT; op++)
        if (op == 0 || !op_bind_same_name((OpIndex)op, (OpIndex)(op - 1)))
            done = add_row((OpIndex)op, &functions[op], name);
    for (size_t i = 0; done && i < sizeof aliases / sizeof *aliases; i++)
        done = add_row(alias_rows[i], &aliases[i], name);
    drop(name);
    type_modified(&tensor_base_type);
    type_modified(&functions_type);
    for (size_t i = 0; done && i < NAMESPACES; i++)
        done = module_add_type(module, namespaces[i].type);
    return done;
}
