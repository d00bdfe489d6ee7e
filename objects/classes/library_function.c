// See library_function.h.
#include "objects/classes/library_function.h"

#include "objects/classes/method.h"
#include "objects/function.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"

static Value call_function(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    const LibraryFunction *called = (const LibraryFunction *)object_of(self);
    return object_call(called->function, args, nargs, kwnames);
}

// The texts stay where they are as long as the strs do.
static bool fill_def(LibraryFunction *self)
{
    self->def = (MethodDef){NULL, call_function, KEYWORD_ARGS, NULL};
    self->def.name = str_utf8(self->name, NULL);
    if (self->def.name && self->doc) self->def.doc = str_utf8(self->doc, NULL);
    return self->def.name && (self->def.doc || !self->doc);
}

Value library_function_new(ValueRef function, ValueRef home, ValueRef module)
{
    LibraryFunction *self = object_alloc(&library_function_type, 0);
    if (!self) return VALUE_ERROR;
    Value holder = own(self), builtin = VALUE_ERROR;
    self->function = retain(function);
    self->home = retain(home);
    self->name = retain(as_function(function)->name);
    if (str_check(as_function(function)->doc)) self->doc = retain(as_function(function)->doc);
    if (fill_def(self)) builtin = builtin_new(&self->def, holder, module);
    drop(holder);
    return builtin;
}

static const LibraryFunction *library_function_of(ValueRef builtin)
{
    if (!is_exactly(builtin, &builtin_type)) return NULL;
    ValueRef self = as_builtin(builtin)->self;
    if (!self || !is_exactly(self, &library_function_type)) return NULL;
    return (const LibraryFunction *)object_of(self);
}

ValueRef library_function_home(ValueRef builtin)
{
    const LibraryFunction *self = library_function_of(builtin);
    return self ? self->home : VALUE_ERROR;
}

ValueRef library_function_behind(ValueRef builtin)
{
    const LibraryFunction *self = library_function_of(builtin);
    return self ? self->function : VALUE_ERROR;
}

static void library_function_traverse(Object *object, VisitFn visit, void *arg)
{
    const LibraryFunction *self = (const LibraryFunction *)object;
    visit_item(self->function, visit, arg);
    visit_item(self->home, visit, arg);
}

static void library_function_release(Object *object)
{
    LibraryFunction *self = (LibraryFunction *)object;
    drop(self->function);
    drop(self->home);
    drop(self->name);
    drop(self->doc);
}

Type library_function_type = {
    STATIC_TYPE("library_function", sizeof(LibraryFunction)),
    .flags = TYPE_GC,
    .traverse = library_function_traverse,
    .release = library_function_release,
};
