// Cells. Two cells compare by their contents; an empty cell is less than all others.
#include "objects/cell.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/object_parts.h"
#include "objects/error.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"

Value cell_new(ValueRef contents)
{
    Cell *self = object_alloc_unfilled(&cell_type, sizeof(Cell));
    if (!self) return VALUE_ERROR;
    invariant(contents != ABSENT, "a cell holds a value or nothing");
    self->contents = retain(contents);
    return own(self);
}

static Value cell_make(Type *type, METHOD_ARGS)
{
    (void)type;
    if (!args_no_keywords("cell", kwnames) || !args_check("cell", nargs, VALUE_ERROR, 0, 1))
        return VALUE_ERROR;
    return cell_new(nargs ? args[0] : VALUE_ERROR);
}

static void cell_traverse(Object *object, VisitFn visit, void *arg)
{
    invariant(!is_object(((const Cell *)object)->contents) ||
                  is_alive(object_of(((const Cell *)object)->contents)),
              "a cell owns what it holds");
    visit_item(((const Cell *)object)->contents, visit, arg);
}

static void cell_clear(Object *object)
{
    drop_slot(&((Cell *)object)->contents);
}

static void cell_release(Object *object)
{
    invariant(object->type == &cell_type, "a cell is exactly a cell: no class derives from it");
    drop(((const Cell *)object)->contents);
}

static Value cell_repr(ValueRef self)
{
    ValueRef contents = as_cell(self)->contents;
    int64_t id = value_id(self);
    if (!contents) return format_text("<cell at 0x%llx: empty>", id);
    return format_text("<cell at 0x%llx: %.80T object at 0x%llx>", id, contents,
                       value_id(contents));
}

static Value cell_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (!is_exactly(left, &cell_type) || !is_exactly(right, &cell_type)) return NOT_IMPLEMENTED;
    if (!as_cell(left)->contents || !as_cell(right)->contents)
        return compare_sizes(as_cell(left)->contents != VALUE_ERROR,
                             as_cell(right)->contents != VALUE_ERROR, op);
    Value a = retain(as_cell(left)->contents), b = retain(as_cell(right)->contents);
    Value result = object_compare(a, b, op);
    drop(a);
    drop(b);
    return result;
}

static Value get_contents(ValueRef self)
{
    ValueRef contents = as_cell(self)->contents;
    return contents ? retain(contents) : raise_error(ValueError, "Cell is empty");
}

static bool set_contents(ValueRef self, ValueRef value)
{
    replace_slot(&as_cell(self)->contents, retain(value));
    return true;
}

static const GetSetDef getset[] = {{"cell_contents", get_contents, set_contents, NULL}, {0}};

Type cell_type = {
    STATIC_TYPE("cell", sizeof(Cell)),
    .flags = TYPE_GC,
    .doc = "cell([contents])\n--\n\n"
           "Create a new cell object.\n\n"
           "  contents\n"
           "    the contents of the cell. If not specified, the cell will be empty,\n"
           "    and \n"
           " further attempts to access its cell_contents attribute will\n"
           "    raise a ValueError.",
    .getset = getset,
    .new_ = cell_make,
    .release = cell_release,
    .traverse = cell_traverse,
    .clear = cell_clear,
    .repr = cell_repr,
    .compare = cell_compare,
    .getattribute = object_generic_get,
};
