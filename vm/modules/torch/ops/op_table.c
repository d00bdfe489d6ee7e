// The operator table as an array.
#include "vm/modules/torch/ops/op_table.h"

#include "vm/modules/torch/rules/rules.h"

#define POINTWISE_ROW(name, overload, schema, kinds, promotion, operands, text, derivative,        \
                      decomposition, doc)                                                          \
    {#name,                                                                                        \
     #overload,                                                                                    \
     schema,                                                                                       \
     (kinds) | POINTWISE,                                                                          \
     PROMOTE_##promotion,                                                                          \
     operands,                                                                                     \
     text,                                                                                         \
     rule_pointwise,                                                                               \
     "rule_pointwise",                                                                             \
     "",                                                                                           \
     derivative,                                                                                   \
     decomposition,                                                                                \
     doc,                                                                                          \
     NULL},

const OpDef op_table[OP_COUNT] = {
#define UNARY(name, schema, kinds, promotion, expression, derivative, decomposition, doc)          \
    POINTWISE_ROW(name, , schema, kinds, promotion, 1, #expression, derivative, decomposition, doc)
#define BINARY(name, overload, schema, kinds, promotion, expression, derivative, decomposition,    \
               doc)                                                                                \
    POINTWISE_ROW(name, overload, schema, kinds, promotion, 2, #expression, derivative,            \
                  decomposition, doc)
#define UNARY_WITH(name, overload, schema, kinds, promotion, expression, derivative,               \
                   decomposition, doc)                                                             \
    POINTWISE_ROW(name, overload, schema, kinds, promotion, 1, #expression, derivative,            \
                  decomposition, doc)
#define TERNARY(name, overload, schema, kinds, promotion, expression, derivative, decomposition,   \
                doc)                                                                               \
    POINTWISE_ROW(name, overload, schema, kinds, promotion, 3, #expression, derivative,            \
                  decomposition, doc)
#define OP(name, overload, schema, kinds, promotion, rule, kernel, derivative, decomposition, doc) \
    {#name, #overload, schema,  kinds,      PROMOTE_##promotion, 0,   "",                          \
     rule,  #rule,     #kernel, derivative, decomposition,       doc, NULL},
#define VIEW(name, overload, schema, kinds, rule, derivative, decomposition, doc)                  \
    {#name, #overload, schema, (kinds) | VIEWS, PROMOTE_NONE,  0,   "",                            \
     rule,  #rule,     "",     derivative,      decomposition, doc, NULL},
#define DATA(name, overload, schema, kinds, kernel, derivative, decomposition, doc)                \
    {#name,        #overload, schema,     (kinds) | DATA_DEPENDENT,                                \
     PROMOTE_NONE, 0,         "",         NULL,                                                    \
     "",           #kernel,   derivative, decomposition,                                           \
     doc,          NULL},
#define COMPOSITE(name, overload, schema, kinds, decomposition, doc)                               \
    {#name, #overload, schema, (kinds) | COMPOSED, PROMOTE_NONE, 0,   "", NULL,                    \
     "",    "",        "",     decomposition,      doc,          NULL},
#define ALIAS(name, overload, schema, kinds, row)                                                  \
    {#name, #overload, schema, kinds, PROMOTE_NONE, 0,    "",                                      \
     NULL,  "",        "",     "",    "",           NULL, &op_table[OP_##row]},
#define NODE(name, overload, schema, kinds, derivative, decomposition, doc)                        \
    {#name, #overload, schema, (kinds) | COMPOSED, PROMOTE_NONE,  0,   "",                         \
     NULL,  "",        "",     derivative,         decomposition, doc, NULL},
#include "vm/modules/torch/ops/ops.def"
};
