// Start-up and shutdown of the machine, in order, and the upcalls that it fills for the lower
// folders.
//
// Shutdown frees the modules first, as CPython does (finalize_modules): it clears the attributes of
// sys that a script may have set, empties sys.modules, and clears the dicts of `__main__` and of
// other modules that are still referenced, names with one underscore first. So a __del__ finds the
// modules' names as long as possible. Then sys and builtins are freed, and the remaining objects.
#include "vm/vm.h"

#include "frames/cache/cache.h"
#include "frames/generators/generator.h"
#include "frames/hook.h"
#include "frames/traceback.h"
#include "objects/classes/weakref.h"
#include "objects/code.h"
#include "objects/containers/list.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/function.h"
#include "objects/gc.h"
#include "objects/init.h"
#include "objects/memory/reference_audit.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/ast/ast_objects.h"
#include "vm/builtins/builtins.h"
#include "vm/builtins/frame_builtins.h"
#include "vm/builtins/warn.h"
#include "vm/check_heap.h"
#include "vm/eval.h"
#include "vm/function_call.h"
#include "vm/import/import.h"
#include "vm/io/stream.h"
#include "vm/limits.h"
#include "vm/modules/atexit.h"
#include "vm/modules/signals.h"
#include "vm/modules/strands.h"
#include "vm/outside/files.h"
#include "vm/plugin.h"
#include "vm/prompt/line_editor.h"
#include "vm/prompt/source_lines.h"
#include "vm/quicken.h"
#include "vm/quiet.h"
#include "vm/settrace/jump.h"
#include "vm/settrace/trace.h"

#include <signal.h>

#define STATUS_LOST 120
#define STATUS_BROKEN_PIPE (128 + SIGPIPE) // as of a program that the signal has ended

static bool interrupt_check(void)
{
    if (quiet_now) return true;
    limits_check_time();
    outside_take_interrupt();
    return signals_run();
}

static bool make_runnable(Code *code)
{
    return quicken(code) != NULL;
}

static ValueRef current_globals(void)
{
    return thread_state.frame ? thread_state.frame->globals : 0;
}

static void fill_upcalls(void)
{
    upcalls.warn = warn_from_frame;
    upcalls.warn_explicit = warn_at_line;
    upcalls.warn_unawaited = warn_unawaited_coroutine;
    upcalls.program_line = source_program_line;
    upcalls.source_line = source_line;
    upcalls.import = import_module;
    upcalls.current_globals = current_globals;
    upcalls.builtins = builtins_dict;
    upcalls.bind_super = super_bind_from_frame;
    upcalls.make_runnable = make_runnable;
    upcalls.release_quickened = quicken_release;
    upcalls.release_extra = code_release_extra;
    upcalls.traverse_extra = code_traverse_extra;
    upcalls.report_unraisable = sys_report_unraisable;
    upcalls.signal_check = interrupt_check;
    upcalls.jump = frame_set_lineno;
    upcalls.trace_stop_iteration = trace_stop_iteration;
    upcalls.name_of = generator_or_frame_name;
    upcalls.traceback_type = &traceback_type;
}

bool vm_init(const SysOptions *options)
{
    outside_signals_init();
    if (!objects_init()) return false;
    fill_upcalls();
    if (!eval_init()) return false;
    check_heap_start_by_environment();
    bool done = import_init() && builtins_init() && streams_init() && sys_init(options);
    gc_settle();
    return done;
}

// ---- the end

// The status that flushing gives: 0, or 120 if output was lost. A pipe that no process reads any
// more is no reason to complain: that is how `minivm script | head` ends.
static int flush_stream(const char *name)
{
    ValueRef stream = sys_get(name);
    if (!stream || stream == NONE) return 0;
    Value held = retain(stream);
    int status = 0;
    if (!stream_flush(held)) {
        bool broken_pipe = error_is(BrokenPipeError);
        status = broken_pipe ? STATUS_BROKEN_PIPE : STATUS_LOST;
        if (error_is(ValueError)) status = 0; // closed by the script: nothing is lost
        if (status == STATUS_LOST)
            report_unraisable(held, "Exception ignored in");
        else
            error_clear();
    }
    drop(held);
    return status;
}

// Modules that something outside sys.modules still holds, found again through weak references.
static Value weak_list(void)
{
    Value list = list_new(8);
    ssize_t position = 0;
    ValueRef name, module;
    while (list && dict_next(import_modules(), &position, &name, &module)) {
        if (!module_check(module)) continue;
        if (!list_append_owned(list, weakref_new(module, 0))) drop_slot(&list);
    }
    return list;
}

static void forget_names(ValueRef dict, bool with_underscore)
{
    ssize_t position = 0;
    ValueRef key, value;
    while (dict_next(dict, &position, &key, &value)) {
        if (value == NONE || !str_check(key)) continue;
        const Str *name = as_str(key);
        ssize_t length = str_length(key);
        bool hidden = length && str_at(name, 0) == '_' && (length == 1 || str_at(name, 1) != '_');
        if (hidden != with_underscore || str_equal_ascii(key, "__builtins__")) continue;
        Value held = retain(key);
        if (!dict_set(dict, held, NONE)) error_clear();
        drop(held);
    }
}

// As _PyModule_Clear: the values become None, those of hidden names first.
static void empty_module(ValueRef module)
{
    Value dict = retain(as_module(module)->dict);
    forget_names(dict, true);
    forget_names(dict, false);
    drop(dict);
}

static void forget_sys_values(void)
{
    static const char *const names[] = {
        "path",       "argv",           "ps1",        "ps2",      "last_type",
        "last_value", "last_traceback", "path_hooks", "meta_path"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (sys_get(names[i]) && !sys_set(names[i], NONE)) error_clear();
    static const char *const streams[][2] = {
        {"stdin", "__stdin__"}, {"stdout", "__stdout__"}, {"stderr", "__stderr__"}};
    for (int i = 0; i < 3; i++) {
        ValueRef first = sys_get(streams[i][1]);
        if (!sys_set(streams[i][0], first ? first : NONE)) error_clear();
    }
}

static void finish_modules(void)
{
    cache_finish();
    forget_sys_values();
    Value modules = weak_list();
    import_clear();
    gc_release_kept();
    gc_collect(2);
    drop_slot(&gc_callbacks); // CPython calls them no more from here on, either
    for (ssize_t i = 0; modules && i < list_size(modules); i++) {
        ValueRef target = weakref_target(list_at(modules, i));
        if (!target) continue;
        Value module = retain(target);
        if (as_module(module)->dict != builtins_dict() && !sys_is_module(module))
            empty_module(module);
        drop(module);
    }
    drop(modules);
    error_clear();
}

int vm_finish(int status)
{
    strands_shutdown();
    atexit_run();
    strands_finish();
    int flushed = flush_stream("stdout");
    flush_stream("stderr");
    finish_modules();
    ast_classes_finish();
    gc_collect(2);
    if (!flushed) flushed = flush_stream("stdout");
    if (flushed) status = flushed;
    import_finish_modules();
    strands_forget();
    plugins_finish();
    line_editor_finish();
    sys_finish();
    streams_finish();
    builtins_finish();
    import_finish();
    source_lines_finish();
    cache_finish(); // once more, for a __del__ that has set a callback
    eval_finish();
    outside_environment_finish();
    invariant(references_are_sound(), "what is left at the end is the machine's own");
    objects_finish();
    return status;
}
