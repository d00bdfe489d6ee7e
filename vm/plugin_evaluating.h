// What version 2 of minivm_plugin.h adds: reading bytecode, running a frame, and what instructions
// do with values. A wrong argument raises an exception (SystemError, IndexError) where that can be
// told: a plugin is C, and gives pointers.
#pragma once

#include "frames/frame.h"
#include "vm/minivm_plugin.h"

Value plugin_run_frame(ThreadState *thread, Frame *frame, FrameRunFn run, void *arg);
bool plugin_frame_at(Frame *frame, int offset);
bool plugin_set_local(Frame *frame, int index, Value value);
Value plugin_find_global(Frame *frame, ValueRef name);

const unsigned char *plugin_bytecode(const Code *code, size_t *size);
ValueRef plugin_constant(const Code *code, int index);
ValueRef plugin_name(const Code *code, int index);

Value plugin_singleton(PluginSingleton which);
bool plugin_int_of(ValueRef value, int64_t *number);
bool plugin_plain_int(ValueRef value, int64_t *number);
Value plugin_text(const char *text);
Value plugin_operate(int opcode, ValueRef left, ValueRef right);
Value plugin_compare(ValueRef left, ValueRef right, int op);
Value plugin_call(ValueRef callable, const ValueRef *args, size_t nargs);
Value plugin_next(ValueRef iterator, bool *ended);
