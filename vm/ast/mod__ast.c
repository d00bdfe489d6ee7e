// The module _ast: the classes of the trees, and the flags of compile() that ask for a tree.
#include "objects/dict.h"
#include "objects/module.h"
#include "vm/ast/ast_objects.h"

static bool fill(ValueRef module)
{
    const AstClasses *classes = ast_classes();
    return classes && dict_update(as_module(module)->dict, classes->all) &&
           module_add(module, "PyCF_ONLY_AST", from_small(PyCF_ONLY_AST)) &&
           module_add(module, "PyCF_TYPE_COMMENTS", from_small(PyCF_TYPE_COMMENTS)) &&
           module_add(module, "PyCF_ALLOW_TOP_LEVEL_AWAIT", from_small(PyCF_ALLOW_TOP_LEVEL_AWAIT));
}

const ModuleDef _ast_module = {.name = "_ast", .fill = fill};
