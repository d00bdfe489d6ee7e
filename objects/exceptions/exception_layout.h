// The fields that kinds of exceptions add to BaseException: one ExceptionLayout for each word in
// the third column of exceptions.def. Private to exception.c and exception_kinds.c.
#pragma once

#include "objects/classes/descriptor.h"
#include "objects/exceptions/exception.h"

typedef struct ExceptionLayout {
    int values;          // how many of `extra` are Values
    bool new_everywhere; // every type of this layout has new_, else only the first
    NewFn new_;          // NULL = inherited
    InitFn init;         // stands in each type
    UnaryFn str;
    const MethodDef *methods;
    const MemberDef *members;
    const GetSetDef *getset;
} ExceptionLayout;

extern const ExceptionLayout layout_plain, layout_stop_iteration, layout_system_exit,
    layout_import_error, layout_os_error, layout_syntax_error, layout_key_error,
    layout_unicode_error;

// BaseException's own functions, which the others call.
Value exception_alloc(Type *type, const ValueRef *args, size_t nargs);
bool exception_init_args(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value exception_str(ValueRef self);
// (type, args) or (type, args, state), as __reduce__ returns it.
Value exception_reduce_with(ValueRef self, ValueRef args, ValueRef state);
