// __build_class__, which a `class` statement calls. It determines, in this order:
//
//     bases       (A, B[int])     -> __mro_entries__ -> (A, B)     kept as __orig_bases__
//     metaclass   metaclass= or that of the first base, then the most derived one
//     namespace   metaclass.__prepare__(name, bases, **keywords), or {}
//     body        runs with the namespace as its locals; returns the cell of __class__, or None
//     class       metaclass(name, bases, namespace, **keywords), which fills the cell
#include "vm/build_class.h"

#include "vm/function_call.h"

#include "objects/call.h"
#include "objects/cell.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"

// All owned but `function` and `name`.
typedef struct ClassStatement {
    const Function *function;
    ValueRef name;
    Value original_bases, bases, keywords, metaclass, namespace, cell;
} ClassStatement;

// ---- bases

// The bases up to `count` as they are, in a list.
static Value first_bases(ValueRef bases, ssize_t count)
{
    return list_from_array(lend(as_tuple(bases)->items), (size_t)count);
}

// What a base that is no class stands for: a tuple, or ABSENT for itself.
static Value mro_entries(ValueRef base, ValueRef bases)
{
    if (type_check(base)) return ABSENT;
    Value method = object_get_optional(base, NAME(__mro_entries__));
    if (!method || method == ABSENT) return method;
    Value entries = object_call_one(method, bases);
    drop(method);
    if (!entries || tuple_check(entries)) return entries;
    drop(entries);
    return raise_error(TypeError, "__mro_entries__ must return a tuple");
}

// Adds one base to the list, which is made when the first base is replaced.
static bool add_base(Value *list, ValueRef bases, ssize_t index)
{
    ValueRef base = tuple_at(bases, index);
    Value entries = mro_entries(base, bases);
    if (!entries) return false;
    if (entries == ABSENT) return !*list || list_append(*list, base);
    if (!*list) *list = first_bases(bases, index);
    bool done = *list && list_extend(*list, entries);
    drop(entries);
    return done;
}

static Value resolve_bases(ValueRef bases)
{
    Value list = VALUE_ERROR;
    for (ssize_t i = 0; i < tuple_size(bases); i++)
        if (!add_base(&list, bases, i)) {
            drop(list);
            return VALUE_ERROR;
        }
    if (!list) return retain(bases);
    Value resolved = list_to_tuple(list);
    drop(list);
    return resolved;
}

// ---- metaclass and namespace

static bool choose_metaclass(ClassStatement *statement)
{
    Value given = dict_pop(statement->keywords, NAME(metaclass));
    if (!given) return false;
    if (given == ABSENT) {
        bool has_base = tuple_size(statement->bases) > 0;
        given = retain(ref_of(has_base ? type_of(tuple_at(statement->bases, 0)) : &type_type));
    }
    statement->metaclass = given;
    if (!type_check(given)) return true;
    Type *winner = type_metatype(as_type(given), statement->bases);
    if (!winner) return false;
    replace_slot(&statement->metaclass, retain(ref_of(winner)));
    return true;
}

static Value call_prepare(const ClassStatement *statement, ValueRef prepare)
{
    Value args = tuple_pack(2, statement->name, (ValueRef)statement->bases);
    if (!args) return VALUE_ERROR;
    Value namespace = object_call_spread(prepare, args, statement->keywords);
    drop(args);
    return namespace;
}

static bool prepare_namespace(ClassStatement *statement)
{
    Value prepare = object_get_optional(statement->metaclass, NAME(__prepare__));
    if (!prepare) return false;
    if (prepare == ABSENT) {
        statement->namespace = dict_new();
        return statement->namespace != VALUE_ERROR;
    }
    statement->namespace = call_prepare(statement, prepare);
    drop(prepare);
    if (!statement->namespace) return false;
    if (mapping_check(statement->namespace)) return true;
    if (type_check(statement->metaclass))
        return raise_error(TypeError, "%.200N.__prepare__() must return a mapping, not %.200T",
                           as_type(statement->metaclass), (ValueRef)statement->namespace);
    return raise_error(TypeError, "<metaclass>.__prepare__() must return a mapping, not %.200T",
                       (ValueRef)statement->namespace);
}

// ---- the class

static Value call_metaclass(const ClassStatement *statement)
{
    if (statement->bases != statement->original_bases &&
        !object_set_subscript(statement->namespace, NAME(__orig_bases__),
                              statement->original_bases))
        return VALUE_ERROR;
    Value args =
        tuple_pack(3, statement->name, (ValueRef)statement->bases, (ValueRef)statement->namespace);
    if (!args) return VALUE_ERROR;
    Value class = object_call_spread(statement->metaclass, args, statement->keywords);
    drop(args);
    return class;
}

// type.__new__ has to have put the class into its __class__ cell.
static bool check_cell(const ClassStatement *statement, ValueRef class)
{
    if (!type_check(class) || !is_exactly(statement->cell, &cell_type)) return true;
    ValueRef found = as_cell(statement->cell)->contents;
    if (found == class) return true;
    if (!found)
        return raise_error(RuntimeError,
                           "__class__ not set defining %.200R as %.200R. Was __classcell__ "
                           "propagated to type.__new__?",
                           statement->name, class);
    return raise_error(TypeError, "__class__ set to %.200R defining %.200R as %.200R", found,
                       statement->name, class);
}

static Value run_statement(ClassStatement *statement)
{
    statement->bases = resolve_bases(statement->original_bases);
    if (!statement->bases || !choose_metaclass(statement) || !prepare_namespace(statement))
        return VALUE_ERROR;
    const Function *function = statement->function;
    statement->cell =
        code_run(as_code(function->code), function->globals, statement->namespace, function);
    if (!statement->cell) return VALUE_ERROR;
    Value class = call_metaclass(statement);
    if (!class || check_cell(statement, class)) return class;
    drop(class);
    return VALUE_ERROR;
}

Value build_class(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)self;
    if (nargs < 2) return raise_error(TypeError, "__build_class__: not enough arguments");
    if (!function_check(args[0]))
        return raise_error(TypeError, "__build_class__: func must be a function");
    if (!str_check(args[1])) return raise_error(TypeError, "__build_class__: name is not a string");
    ClassStatement statement = {.function = as_function(args[0]), .name = args[1]};
    statement.original_bases = tuple_from_array(args + 2, nargs - 2);
    statement.keywords = args_keywords(args, nargs, kwnames);
    Value class = VALUE_ERROR;
    if (statement.original_bases && statement.keywords) class = run_statement(&statement);
    drop(statement.original_bases);
    drop(statement.bases);
    drop(statement.keywords);
    drop(statement.metaclass);
    drop(statement.namespace);
    drop(statement.cell);
    return class;
}
