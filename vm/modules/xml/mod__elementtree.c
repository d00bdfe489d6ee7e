// The module _elementtree: what xml.etree has in C. See etree.h.
#include "objects/module.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "vm/modules/xml/etree.h"
#include "vm/modules/xml/pyexpat.h"

// _create_parser(encoding): one of pyexpat whose names are as in xml.etree: {namespace}local.
static Value create_parser(FUNCTION_ARGS)
{
    if (args[0] != NONE && !str_check(args[0]))
        return raise_error(TypeError, "encoding must be str or None, not %.50G", args[0]);
    Value separator = str_new("}");
    Value parser = separator ? xmlparser_create(args[0], separator, 0) : VALUE_ERROR;
    drop(separator);
    if (parser) as_parser(parser)->has_braces = true;
    return parser;
}

static const MethodDef functions[] = {
    {"SubElement", element_sub, KEYWORD_ARGS, "A new element, added to its parent."},
    {"_set_factories", tree_builder_set_factories, ARGS(2, 2),
     "What makes comments and processing instructions from now on; the ones until now."},
    {"_create_parser", create_parser, ONE_ARG, NULL},
    {0},
};

static bool fill(ValueRef module)
{
    return type_ready(&element_type) && type_ready(&element_iterator_type) &&
           type_ready(&tree_builder_type) && type_ready(&dtd_type) && type_ready(&xmlparser_type) &&
           module_add_type(module, &element_type) && module_add_type(module, &tree_builder_type);
}

const ModuleDef _elementtree_module = {
    .name = "_elementtree",
    .doc = "Elements and trees of them, for xml.etree.",
    .functions = functions,
    .fill = fill,
    .finish = tree_builder_finish,
};
