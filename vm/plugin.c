// Loading plugins, and the table of functions that they get.
//
// A library stays loaded to the end: co_extra of code objects refers to its free functions.
#include "vm/plugin.h"

#include "frames/cache/custom_code.h"
#include "frames/hook.h"
#include "vm/minivm_plugin.h"
#include "vm/outside/outside.h"
#include "vm/plugin_evaluating.h"
#include "vm/sys/sys.h"

#include "objects/cell.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/function.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

// ---- the table

static Value run_custom_code(ThreadState *thread, Frame *frame, Code *code, EvalFrameFn next)
{
    return code_fits(code, as_code(frame->code)) ? frame_run_code(thread, frame, code, next)
                                                 : VALUE_ERROR;
}

static Code *get_code(Frame *frame)
{
    return as_code(frame->code);
}

static Frame *get_back(Frame *frame)
{
    return frame->previous;
}

static int get_lasti(Frame *frame)
{
    return frame_lasti(frame);
}

static int get_line(Frame *frame)
{
    return frame_line(frame);
}

static const ValueRef *get_localsplus(Frame *frame)
{
    return lend(frame->localsplus);
}

// With throwflag an exception is pending, which the search for names must not end.
static ValueRef get_locals(Frame *frame)
{
    Value pending = error_take();
    ValueRef locals = frame_locals(frame);
    if (locals)
        error_restore(pending);
    else
        drop(pending);
    return locals;
}

static ValueRef get_globals(Frame *frame)
{
    return frame->globals;
}

// Text for C, whatever is pending.
static const char *utf8_or(ValueRef text, const char *otherwise)
{
    Value pending = error_take();
    const char *utf8 = str_utf8(text, NULL);
    error_restore(pending);
    return utf8 ? utf8 : otherwise;
}

static CodeInfo code_info(const Code *code)
{
    return (CodeInfo){
        .name = utf8_or(code->name, "?"),
        .filename = utf8_or(code->filename, "?"),
        .firstlineno = code->firstlineno,
        .flags = code->flags,
        .argcount = code->argcount,
        .posonlyargcount = code->posonlyargcount,
        .kwonlyargcount = code->kwonlyargcount,
        .nlocals = code->nlocals,
        .ncells = code_cell_count(code),
        .nfrees = code_free_count(code),
        .stacksize = code->stacksize,
    };
}

static const char *code_variable(const Code *code, int index)
{
    int cells = code_cell_count(code);
    if (index < code->nlocals) return utf8_or(tuple_at(code->varnames, index), "?");
    index -= code->nlocals;
    ValueRef names = index < cells ? code->cellvars : code->freevars;
    return utf8_or(tuple_at(names, index < cells ? index : index - cells), "?");
}

static ValueRef cell_contents(ValueRef cell)
{
    return is_exactly(cell, &cell_type) ? as_cell(cell)->contents : VALUE_ERROR;
}

static ValueRef peek(ValueRef dict, const char *key)
{
    if (!dict_check(dict)) return VALUE_ERROR;
    Value pending = error_take(), name = str_new(key);
    ValueRef found = name ? dict_peek(dict, name) : VALUE_ERROR;
    drop(name);
    error_restore(pending);
    return found;
}

static Code *code_of(ValueRef value)
{
    if (function_check(value)) value = as_function(value)->code;
    return code_check(value) ? as_code(value) : NULL;
}

// Cuts between characters.
static void copy_text(const char *text, char *buffer, size_t size)
{
    size_t length = strlen(text);
    if (length >= size) length = size - 1;
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) length--;
    memcpy(buffer, text, length);
    buffer[length] = 0;
}

static const char *value_repr(ValueRef value, char *buffer, size_t size)
{
    Value pending = error_take(), held = retain(value), text = object_repr(held);
    if (size > 0) copy_text(text ? utf8_or(text, "?") : "?", buffer, size);
    drop(text);
    drop(held);
    error_restore(pending);
    return buffer;
}

static Value raise_runtime_error(const char *message)
{
    return raise_error(RuntimeError, "%s", message);
}

static Value retain_value(ValueRef value)
{
    return retain(value);
}

static void drop_value(Value value)
{
    drop(value);
}

static bool is_error_pending(void)
{
    return error_pending();
}

static const PluginApi api = {
    .version = PLUGIN_VERSION,
    .size = sizeof(PluginApi),
    .eval_frame_get = eval_frame_get,
    .eval_frame_set = eval_frame_set,
    .eval_custom_code = run_custom_code,
    .frame_code = get_code,
    .frame_back = get_back,
    .frame_lasti = get_lasti,
    .frame_line = get_line,
    .frame_localsplus = get_localsplus,
    .frame_globals = get_globals,
    .frame_locals = get_locals,
    .code_info = code_info,
    .code_variable = code_variable,
    .extra_request_index = extra_request_index,
    .code_get_extra = code_get_extra,
    .code_set_extra = code_set_extra,
    .retain = retain_value,
    .drop = drop_value,
    .cell_contents = cell_contents,
    .dict_peek = peek,
    .code_of = code_of,
    .repr = value_repr,
    .raise = raise_runtime_error,
    .error_pending = is_error_pending,
    .run_frame = plugin_run_frame,
    .frame_at = plugin_frame_at,
    .frame_set_local = plugin_set_local,
    .find_global = plugin_find_global,
    .code_bytecode = plugin_bytecode,
    .code_constant = plugin_constant,
    .code_name = plugin_name,
    .singleton = plugin_singleton,
    .int_new = int_new,
    .int_of = plugin_int_of,
    .text_new = plugin_text,
    .truth = object_truth,
    .operate = plugin_operate,
    .compare = plugin_compare,
    .get_attribute = object_get,
    .call = plugin_call,
    .next = plugin_next,
    .plain_int = plugin_plain_int,
};

// ---- loading

static const Plugin *plugins[MAX_PLUGINS];
static int plugin_count;

static bool refuse(const char *path, const char *why)
{
    fprintf(stderr, "minivm: --eval-frame %s: %s\n", path, why);
    return false;
}

static bool is_loaded(const Plugin *plugin)
{
    for (int i = 0; i < plugin_count; i++)
        if (plugins[i] == plugin) return true;
    return false;
}

static const Plugin *find_plugin(const char *path)
{
    char why[1024];
    char *real = outside_real_path(path);
    void *library = real ? dlopen(real, RTLD_NOW | RTLD_LOCAL) : NULL;
    const Plugin *plugin = library ? dlsym(library, "minivm_plugin") : NULL;
    if (!real)
        refuse(path, strerror(errno));
    else if (!library) {
        snprintf(why, sizeof why, "a shared library is expected: %s", dlerror());
        refuse(path, why);
    } else if (!plugin)
        refuse(path, "the library exports no `minivm_plugin`: a plugin defines it by "
                     "MINIVM_PLUGIN(init, finish) of minivm_plugin.h");
    memory_free(real);
    return plugin;
}

static bool check_version(const char *path, const Plugin *plugin)
{
    char why[200];
    bool is_known = plugin->version >= 1 && plugin->version <= PLUGIN_VERSION;
    if (is_known && plugin->size <= sizeof(PluginApi)) return true;
    snprintf(why, sizeof why,
             "compiled for version %u of minivm_plugin.h with a table of %u bytes; this minivm has "
             "version %u with %zu bytes",
             plugin->version, plugin->size, PLUGIN_VERSION, sizeof(PluginApi));
    return refuse(path, why);
}

bool plugin_load(const char *path)
{
    const char *lack = outside_lacks(FEATURE_LIBRARIES);
    if (lack) return refuse(path, lack);
    const Plugin *plugin = find_plugin(path);
    if (!plugin || !check_version(path, plugin)) return false;
    if (is_loaded(plugin)) return refuse(path, "the plugin is loaded already");
    if (!plugin->init) return refuse(path, "the plugin has no init function");
    if (!plugin->init(&api) || error_pending()) {
        if (error_pending()) sys_print_error();
        return refuse(path, "the plugin's init function failed");
    }
    plugins[plugin_count++] = plugin;
    return true;
}

void plugins_finish(void)
{
    if (plugin_count) eval_frame_set(NULL);
    while (plugin_count > 0) {
        const Plugin *plugin = plugins[--plugin_count];
        if (plugin->finish) plugin->finish();
    }
}
