// The module pyexpat, with its submodules errors and model. See xml_parser.h.
#include "objects/containers/list.h"
#include "objects/dict.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/import/import.h"
#include "vm/modules/xml/pyexpat.h"

typedef struct NamedError {
    const char *name, *message;
} NamedError;

static const NamedError all_errors[XML_ERROR_COUNT] = {
    {NULL, NULL},
#define ERROR(name, message) {"XML_ERROR_" #name, message},
#include "vm/modules/xml/errors.def"
#undef ERROR
};

#define LAST_NAMED_ERROR XML_SUSPEND_PE

// ---- ExpatError

static bool set_number(ValueRef error, const char *name, int64_t number)
{
    Value key = str_intern(name), value = key ? int_new(number) : VALUE_ERROR;
    bool done = value && object_set(error, key, value);
    drop(value);
    drop(key);
    return done;
}

void pyexpat_raise(XmlError code, int64_t line, int64_t column)
{
    Value module = upcalls.import("pyexpat");
    Value name = module ? str_intern("ExpatError") : VALUE_ERROR;
    Value class = name ? object_get(module, name) : VALUE_ERROR, error = VALUE_ERROR;
    Value text = class ? format_text("%s: line %lld, column %lld", all_errors[code].message,
                                     (long long)line, (long long)column)
                       : VALUE_ERROR;
    if (text) error = object_call_one(class, text);
    if (error && set_number(error, "code", code) && set_number(error, "offset", column) &&
        set_number(error, "lineno", line))
        raise_value(error);
    drop(error);
    drop(text);
    drop(class);
    drop(name);
    drop(module);
}

// ---- functions

static bool check_text(ValueRef value, const char *name)
{
    if (!value || value == NONE || str_check(value)) return true;
    return raise_error(TypeError, "ParserCreate() argument '%s' must be str or None, not %.50G",
                       name, value);
}

static Value parser_create(FUNCTION_ARGS)
{
    static const char *const names[] = {"encoding", "namespace_separator", "intern", NULL};
    static const Signature signature = {"ParserCreate", names, 0, 3};
    ValueRef given[3];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    ValueRef encoding = given[0], separator = given[1], intern = given[2];
    if (!check_text(encoding, names[0]) || !check_text(separator, names[1])) return VALUE_ERROR;
    if (separator && separator != NONE && str_length(separator) > 1)
        return raise_error(
            ValueError, "namespace_separator must be at most one character, omitted, or None");
    if (intern && intern != NONE && !dict_check(intern))
        return raise_error(TypeError, "intern must be a dictionary");
    return xmlparser_create(encoding, separator, intern);
}

static Value error_string(FUNCTION_ARGS)
{
    int64_t code;
    if (!int_check(args[0])) {
        int number;
        if (!argument_int(args[0], &number)) return VALUE_ERROR;
        code = number;
    } else if (!int_as_int64(args[0], &code)) {
        return VALUE_ERROR;
    }
    return code > 0 && code < XML_ERROR_COUNT ? str_new(all_errors[code].message) : NONE;
}

static const MethodDef functions[] = {
    {"ParserCreate", parser_create, KEYWORD_ARGS,
     "ParserCreate($module, /, encoding=None, namespace_separator=None,\n"
     "             intern=<unrepresentable>)\n--\n\nA new XML parser."},
    {"ErrorString", error_string, ONE_ARG,
     "ErrorString($module, code, /)\n--\n\nWhat an error of this number is called."},
    {0},
};

// ---- submodules: pyexpat.errors, pyexpat.model

static Value add_submodule(ValueRef module, const char *name, const char *full_name,
                           const char *doc)
{
    Value text = str_intern(full_name), made = text ? module_new(text) : VALUE_ERROR;
    bool ok = made && module_add_owned(made, "__doc__", str_new(doc)) &&
              dict_set(import_modules(), text, made) && module_add(module, name, made);
    drop(text);
    if (ok) return made;
    drop(made);
    return VALUE_ERROR;
}

static bool add_error(ValueRef errors, ValueRef codes, ValueRef messages, int code)
{
    Value message = str_intern(all_errors[code].message), number = from_small(code);
    bool ok = message && module_add(errors, all_errors[code].name, message) &&
              dict_set(codes, message, number) && dict_set(messages, number, message);
    drop(message);
    return ok;
}

static bool add_errors(ValueRef module)
{
    Value errors = add_submodule(module, "errors", "pyexpat.errors",
                                 "Constants used to describe error conditions.");
    Value codes = errors ? dict_new() : VALUE_ERROR, messages = codes ? dict_new() : VALUE_ERROR;
    bool ok = messages;
    for (int code = 1; ok && code <= LAST_NAMED_ERROR; code++)
        ok = add_error(errors, codes, messages, code);
    ok = ok && module_add(errors, "codes", codes) && module_add(errors, "messages", messages);
    drop(messages);
    drop(codes);
    drop(errors);
    return ok;
}

typedef struct Constant {
    const char *name;
    int number;
} Constant;

static bool add_constants(ValueRef module, const Constant *constants)
{
    for (; constants->name; constants++)
        if (!module_add(module, constants->name, from_small(constants->number))) return false;
    return true;
}

static bool add_model(ValueRef module)
{
    static const Constant constants[] = {
        {"XML_CTYPE_EMPTY", 1}, {"XML_CTYPE_ANY", 2},    {"XML_CTYPE_MIXED", 3},
        {"XML_CTYPE_NAME", 4},  {"XML_CTYPE_CHOICE", 5}, {"XML_CTYPE_SEQ", 6},
        {"XML_CQUANT_NONE", 0}, {"XML_CQUANT_OPT", 1},   {"XML_CQUANT_REP", 2},
        {"XML_CQUANT_PLUS", 3}, {0},
    };
    Value model = add_submodule(module, "model", "pyexpat.model",
                                "Constants used to interpret content model information.");
    bool ok = model && add_constants(model, constants);
    drop(model);
    return ok;
}

// ---- the module

// What the parser can, and its limits: pairs.
static bool add_features(ValueRef module)
{
    static const Constant constants[] = {
        {"sizeof(XML_Char)", 1},  {"sizeof(XML_LChar)", 1},  {"XML_DTD", 0},
        {"XML_CONTEXT_BYTES", 1024}, {"XML_NS", 0},          {"XML_BLAP_MAX_AMP", 100},
        {"XML_BLAP_ACT_THRES", 8388608}, {0},
    };
    Value features = list_new(0);
    for (const Constant *constant = constants; features && constant->name; constant++) {
        Value pair[] = {str_new(constant->name), from_small(constant->number)};
        Value item = pair[0] ? tuple_from_owned(pair, 2) : VALUE_ERROR;
        if (!list_append_owned(features, item)) replace_slot(&features, VALUE_ERROR);
    }
    return module_add_owned(module, "features", features);
}

static bool add_exceptions(ValueRef module)
{
    if (!module_add_exception(module, "xml.parsers.expat", "ExpatError", Exception)) return false;
    ValueRef error = dict_peek_ascii(as_module(module)->dict, "ExpatError");
    return module_add(module, "error", error);
}

static bool fill(ValueRef module)
{
    static const Constant constants[] = {{"XML_PARAM_ENTITY_PARSING_NEVER", PARSE_NEVER},
                                         {"XML_PARAM_ENTITY_PARSING_UNLESS_STANDALONE",
                                          PARSE_UNLESS_STANDALONE},
                                         {"XML_PARAM_ENTITY_PARSING_ALWAYS", PARSE_ALWAYS},
                                         {0}};
    Value version[] = {from_small(2), from_small(5), from_small(0)};
    return type_ready(&dtd_type) && type_ready(&xmlparser_type) &&
           module_add(module, "XMLParserType", ref_of(&xmlparser_type)) && add_exceptions(module) &&
           module_add_owned(module, "EXPAT_VERSION", str_new("expat_2.5.0")) &&
           module_add_owned(module, "version_info", tuple_from_owned(version, 3)) &&
           module_add_owned(module, "native_encoding", str_new("UTF-8")) &&
           add_constants(module, constants) && add_features(module) && add_errors(module) &&
           add_model(module);
}

const ModuleDef pyexpat_module = {
    .name = "pyexpat",
    .doc = "Python wrapper for Expat parser.",
    .functions = functions,
    .fill = fill,
};
