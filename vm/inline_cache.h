// Names and attributes: the general path of each instruction that looks one up, which also fills
// the instruction's cache, so that the loop can do it alone the next time.
//
//     LOAD_GLOBAL x        key = version of the dict's keys, slot = number of the entry
//     ..._BUILTIN          key, slot = versions of both dicts' keys, index = number of the entry
//     LOAD_ATTR_SLOT       key = version of the type, slot = number of the value in the instance
//     LOAD_ATTR_MEMBER     key = version of the type, slot = offset of a value named in __slots__
//     LOAD_ATTR_CLASS      version of the type, value = what the class has
//     LOAD_METHOD_...      version of the type, value = the function
//
// What a cache points to is borrowed from the type or the dict, and good while the version is the
// same. A cache that misses is filled anew with what was found this time.
#pragma once

#include "frames/frame.h"
#include "vm/quicken.h"

#include "objects/function.h"

// namespace[name], where the namespace may be any object: ABSENT where it has no such key.
Value namespace_get(ValueRef namespace, ValueRef name);
Value load_global(Frame *frame, Instruction *ip);
Value load_name(Frame *frame, Instruction *ip);
bool store_global(Frame *frame, Instruction *ip, ValueRef value);
bool store_name(Frame *frame, Instruction *ip, ValueRef value);
Value load_attr(Frame *frame, Instruction *ip, ValueRef owner);
bool store_attr(Frame *frame, Instruction *ip, ValueRef owner, ValueRef value);
// As object_get_method(); in place of a super object comes the object that it is about.
Value load_method(Frame *frame, Instruction *ip, Value *owner, bool *bound);
// A class is called: the function that sets up what it makes (borrowed), where its instances are
// made in the ordinary way; else NULL. CALL_FUNCTION becomes CALL_CLASS, which knows the function.
const Function *cache_class_call(Instruction *ip, Type *type);
