// What the files of `code` share: code.c, code_make.c, code_compare.c. Private to them.
#pragma once

#include "objects/code.h"

// ---- code_make.c
Value code_make(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value code_replace(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);

// ---- code_compare.c
Value code_compare(ValueRef left, ValueRef right, CompareOp op);
bool code_hash(ValueRef self, int64_t *hash);
