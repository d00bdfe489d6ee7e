// SyntaxWarnings: expressions that are legal but most likely mistakes.
//
// The words and the conditions are 3.9's: `[1, 2] (3)` most likely lacks a comma, `x is 1` most
// likely means ==.
#include "compiler/codegen/codegen.h"

#include "objects/bytes/bytes.h"
#include "objects/containers/set.h"
#include "objects/containers/slice.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/function.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/text/str.h"

void codegen_warning(CodeGenerator *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    ValueRef message = arena_hold(g->arena, format_text_v(format, arguments));
    va_end(arguments);
    compile_warning(g->c, g->unit->location.line, g->unit->location.column + 1, "%S", message);
}

// The name of the type that an expression surely has, or NULL.
static const char *type_name_of(const Node *node)
{
    switch (node->kind) {
    case Tuple_kind: return "tuple";
    case List_kind:
    case ListComp_kind: return "list";
    case Dict_kind:
    case DictComp_kind: return "dict";
    case Set_kind:
    case SetComp_kind: return "set";
    case GeneratorExp_kind: return "generator";
    case Lambda_kind: return "function";
    case JoinedStr_kind:
    case FormattedValue_kind: return "str";
    case Constant_kind: return type_of(node->Constant.value)->name;
    default: return NULL;
    }
}

void check_caller(CodeGenerator *g, const Node *function)
{
    switch (function->kind) {
    case Constant_kind:
    case Tuple_kind:
    case List_kind:
    case ListComp_kind:
    case Dict_kind:
    case DictComp_kind:
    case Set_kind:
    case SetComp_kind:
    case GeneratorExp_kind:
    case JoinedStr_kind:
    case FormattedValue_kind:
        codegen_warning(g, "'%.200s' object is not callable; perhaps you missed a comma?",
                        type_name_of(function));
        break;
    default: break;
    }
}

static bool is_subscriptable(ValueRef constant)
{
    return str_check(constant) || bytes_check(constant) || tuple_check(constant);
}

void check_subscripter(CodeGenerator *g, const Node *value)
{
    switch (value->kind) {
    case Constant_kind:
        if (is_subscriptable(value->Constant.value)) return;
        break;
    case Set_kind:
    case SetComp_kind:
    case GeneratorExp_kind:
    case Lambda_kind: break;
    default: return;
    }
    codegen_warning(g, "'%.200s' object is not subscriptable; perhaps you missed a comma?",
                    type_name_of(value));
}

void check_index(CodeGenerator *g, const Node *value, const Node *index)
{
    const char *index_type = type_name_of(index);
    if (!index_type) return;
    if (index->kind == Constant_kind && int_check(index->Constant.value)) return;
    switch (value->kind) {
    case Constant_kind:
        if (!is_subscriptable(value->Constant.value)) return;
        break;
    case Tuple_kind:
    case List_kind:
    case ListComp_kind:
    case JoinedStr_kind:
    case FormattedValue_kind: break;
    default: return;
    }
    codegen_warning(g,
                    "%.200s indices must be integers or slices, not %.200s; "
                    "perhaps you missed a comma?",
                    type_name_of(value), index_type);
}

// None, True, False and ... may be compared by identity; so may all that is no literal.
static bool may_be_identity(const Node *node)
{
    if (node->kind != Constant_kind) return true;
    ValueRef value = node->Constant.value;
    return value == NONE || value == TRUE || value == FALSE || value == ELLIPSIS;
}

void check_compare(CodeGenerator *g, const Node *compare)
{
    const NodeList *others = &compare->Compare.comparators;
    bool left = may_be_identity(compare->Compare.left);
    for (int i = 0; i < others->count; i++) {
        uint8_t op = compare->Compare.ops.items[i];
        bool right = may_be_identity(others->items[i]);
        if ((op == Is_op || op == IsNot_op) && !(left && right)) {
            codegen_warning(g, op == Is_op ? "\"is\" with a literal. Did you mean \"==\"?"
                                           : "\"is not\" with a literal. Did you mean \"!=\"?");
            return;
        }
        left = right;
    }
}
