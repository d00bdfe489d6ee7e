// Inline caches for names and attributes. Here are the general paths of the instructions that look
// them up. A general path also fills the instruction's cache, which the loop uses the next time:
//
//     LOAD_GLOBAL x        key = version of the dict's keys, slot = number of the entry
//     ..._BUILTIN          key, slot = versions of both dicts' keys, index = number of the entry
//     LOAD_ATTR_SLOT       key = version of the type, slot = number of the value in the instance
//     LOAD_ATTR_MEMBER     key = version of the type, slot = offset of a value named in __slots__
//     LOAD_ATTR_CLASS      version of the type, value = what the class has
//     LOAD_METHOD_...      version of the type, value = the function
//
// The value in a cache is borrowed from the type or the dict, and valid as long as the version is
// the same. After a miss the cache is filled again.
#pragma once

#include "frames/frame.h"
#include "vm/quicken.h"

#include "objects/function.h"

// namespace[name]; the namespace may be any object. ABSENT if it has no such key.
Value namespace_get(ValueRef namespace, ValueRef name);
Value load_global(Frame *frame, Instruction *ip);
Value load_name(Frame *frame, Instruction *ip);
bool store_global(Frame *frame, Instruction *ip, ValueRef value);
bool store_name(Frame *frame, Instruction *ip, ValueRef value);
Value load_attr(Frame *frame, Instruction *ip, ValueRef owner);
bool store_attr(Frame *frame, Instruction *ip, ValueRef owner, ValueRef value);
// As object_get_method(), but for a super object `self` is the object that it was made with.
Value load_method(Frame *frame, Instruction *ip, Value *owner, bool *bound);
// For a call of a class: its __init__ (borrowed), if that is a script function and the class has
// the default __new__; else NULL. CALL_FUNCTION becomes CALL_CLASS, whose cache has the function.
const Function *cache_class_call(Instruction *ip, Type *type);
