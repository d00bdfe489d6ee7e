// Builtins that use the caller's frame.
#include "vm/builtins/frame_builtins.h"

#include "frames/frame.h"
#include "vm/function_call.h"

#include "objects/cell.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/list.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/type.h"
#include "objects/upcalls.h"

// ---- scopes

// The variables of the running frame: a borrowed dict (mapping); 0 with an exception pending
// (SystemError where no frame runs).
static ValueRef current_locals(void)
{
    if (!thread_state.frame) return raise_error(SystemError, "frame does not exist");
    return frame_locals(thread_state.frame);
}

Value builtin_globals(ValueRef self, METHOD_ARGS)
{
    (void)self;
    return thread_state.frame ? retain(thread_state.frame->globals) : NONE;
}

Value builtin_locals(ValueRef self, METHOD_ARGS)
{
    (void)self;
    ValueRef locals = current_locals();
    return locals ? retain(locals) : VALUE_ERROR;
}

Value builtin_vars(ValueRef self, METHOD_ARGS)
{
    if (nargs == 0) return builtin_locals(self, args, nargs, kwnames);
    Value dict = object_get_optional(args[0], NAME(__dict__));
    if (dict != ABSENT) return dict;
    return raise_error(TypeError, "vars() argument must have __dict__ attribute");
}

Value builtin_dir(ValueRef self, METHOD_ARGS)
{
    (void)self;
    if (nargs) return object_dir(args[0]);
    ValueRef locals = current_locals();
    Value names = locals ? mapping_keys(locals) : VALUE_ERROR;
    if (names && !list_sort(names, VALUE_ERROR, false)) {
        drop(names);
        return VALUE_ERROR;
    }
    return names;
}

// ---- sys

Value sys_getframe(ValueRef self, METHOD_ARGS)
{
    (void)self;
    int depth = 0;
    if (nargs && !argument_int(args[0], &depth)) return VALUE_ERROR;
    Frame *frame = thread_state.frame;
    for (; depth > 0 && frame; depth--) frame = frame->previous;
    if (!frame) return raise_error(ValueError, "call stack is not deep enough");
    ValueRef object = frame_object(frame);
    return object ? retain(object) : VALUE_ERROR;
}

Value sys_exc_info(ValueRef self, METHOD_ARGS)
{
    (void)self;
    ValueRef exception = handled_exception();
    if (!exception) return tuple_pack(3, (ValueRef)NONE, (ValueRef)NONE, (ValueRef)NONE);
    Value traceback = as_exception(exception)->traceback;
    return tuple_pack(3, ref_of(type_of(exception)), exception,
                      (ValueRef)(traceback ? traceback : NONE));
}

// ---- super()

// The first argument of the running function, which may be in a cell: borrowed.
static ValueRef first_argument(const Frame *frame)
{
    const Code *code = as_code(frame->code);
    ValueRef first = frame->localsplus[0];
    for (int i = 0; !first && code->cell2arg && i < code_cell_count(code); i++)
        if (code->cell2arg[i] == 0) return as_cell(frame->localsplus[code->nlocals + i])->contents;
    return first;
}

// The cell __class__; NULL = the code has none.
static const Value *class_cell(const Frame *frame)
{
    const Code *code = as_code(frame->code);
    const Value *cells = frame->localsplus + code->nlocals + code_cell_count(code);
    invariant(cells + code_free_count(code) == frame->localsplus + quick_of(code)->slots,
              "the free variables are the last ones before the value stack");
    for (int i = 0; i < code_free_count(code); i++)
        if (tuple_at(code->freevars, i) == NAME(__class__)) return &cells[i];
    return NULL;
}

// What the cell __class__ holds: borrowed.
static ValueRef defining_class(const Frame *frame)
{
    const Value *cell = class_cell(frame);
    if (!cell) return raise_error(RuntimeError, "super(): __class__ cell not found");
    if (!is_exactly(*cell, &cell_type))
        return raise_error(RuntimeError, "super(): bad __class__ cell");
    ValueRef type = as_cell(*cell)->contents;
    if (!type) return raise_error(RuntimeError, "super(): empty __class__ cell");
    if (!type_check(type))
        return raise_error(RuntimeError, "super(): __class__ is not a type (%T)", type);
    return type;
}

bool super_bind_from_frame(ValueRef self)
{
    const Frame *frame = thread_state.frame;
    if (!frame) return raise_error(RuntimeError, "super(): no current frame");
    if (as_code(frame->code)->argcount == 0)
        return raise_error(RuntimeError, "super(): no arguments");
    ValueRef object = first_argument(frame);
    if (!object) return raise_error(RuntimeError, "super(): arg[0] deleted");
    ValueRef type = defining_class(frame);
    return type && super_bind(self, type, object);
}

Value super_of_frame(void)
{
    Value made = own(object_alloc(&super_type, 0));
    if (made && !super_bind_from_frame(made)) drop_slot(&made);
    return made;
}

Value super_method_of_frame(ValueRef name, ValueRef *self)
{
    const Frame *frame = thread_state.frame;
    const Value *cell = class_cell(frame);
    *self = as_code(frame->code)->argcount ? first_argument(frame) : VALUE_ERROR;
    if (!*self || !cell || !is_exactly(*cell, &cell_type)) return VALUE_ERROR;
    ValueRef type = as_cell(*cell)->contents;
    return type && type_check(type) ? super_method(type, *self, name) : VALUE_ERROR;
}

// ---- exec and eval

static bool is_given(ValueRef value)
{
    return value && value != NONE;
}

static bool check_scopes(const char *function, ValueRef globals, ValueRef locals)
{
    bool is_eval = function[1] == 'v';
    if (is_eval && is_given(locals) && !mapping_check(locals))
        return raise_error(TypeError, "locals must be a mapping");
    if (is_given(globals) && !dict_check(globals)) {
        if (!is_eval)
            return raise_error(TypeError, "exec() globals must be a dict, not %.100T", globals);
        return raise_error(TypeError, mapping_check(globals)
                                          ? "globals must be a real dict; try eval(expr, {}, "
                                            "mapping)"
                                          : "globals must be a dict");
    }
    if (is_given(locals) && !mapping_check(locals))
        return raise_error(TypeError, "locals must be a mapping or None, not %.100T", locals);
    return true;
}

static bool add_builtins(ValueRef globals)
{
    if (dict_peek(globals, NAME(__builtins__))) return true;
    ValueRef builtins =
        thread_state.frame ? globals_builtins(thread_state.frame->globals) : upcalls.builtins();
    return dict_set(globals, NAME(__builtins__), builtins);
}

bool run_scopes(const char *function, ValueRef *globals, ValueRef *locals)
{
    if (!check_scopes(function, *globals, *locals)) return false;
    bool has_globals = is_given(*globals);
    if (!has_globals && !thread_state.frame)
        return raise_error(SystemError, "globals and locals cannot be NULL");
    if (!is_given(*locals)) *locals = has_globals ? *globals : current_locals();
    if (!has_globals) *globals = thread_state.frame->globals;
    return *locals && add_builtins(*globals);
}

Value run_code(const char *function, ValueRef code, ValueRef globals, ValueRef locals)
{
    if (!run_scopes(function, &globals, &locals)) return VALUE_ERROR;
    if (code_free_count(as_code(code)) > 0)
        return raise_error(TypeError, "code object passed to %s() may not contain free variables",
                           function);
    Value held_code = retain(code), held_globals = retain(globals), held_locals = retain(locals);
    Value result = code_run(as_code(held_code), held_globals, held_locals, NULL);
    drop(held_locals);
    drop(held_globals);
    drop(held_code);
    return result;
}
