// Import through the finders of sys.meta_path, written in mini-Python (vm/lib/_frozen_importlib*).
//
//     sys.meta_path            the finders, asked in this order for every module
//     sys.path_hooks           what makes a finder for an entry of sys.path: PathFinder asks them
//     sys.path_importer_cache  and keeps their answers here
//
// Most programs never look at the three, and then import.c does by itself what the standard finders
// would do. So sys has the three only from the time when a program first reads one of them: until
// then it has the functions __getattr__ and __dir__ of PEP 562, which fill them in. From then on
// each import of the program asks the finders.
#include "frames/traceback.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "vm/import/find_module.h"
#include "vm/import/import.h"
#include "vm/import/library.h"
#include "vm/import/module_spec.h"
#include "vm/sys/sys.h"

static Value call_machinery(Machinery which, const char *name, ValueRef first, ValueRef second)
{
    Value module = import_machinery(which);
    Value key = module ? str_intern(name) : VALUE_ERROR;
    Value function = key ? object_get(module, key) : VALUE_ERROR;
    Value result = function ? object_call_two(function, first, second) : VALUE_ERROR;
    drop(function);
    drop(key);
    drop(module);
    return result;
}

// ---- sys.meta_path, path_hooks, path_importer_cache

static const char *const lists[] = {"meta_path", "path_hooks", "path_importer_cache"};

// The two functions go first: what fills the lists in may look at sys itself.
static bool fill_lists(void)
{
    ValueRef dict = as_module(sys_module())->dict;
    Value get = dict_pop(dict, NAME(__getattr__)), names = dict_pop(dict, NAME(__dir__));
    Value done = call_machinery(MACHINERY_FILES, "_fill_sys", dict, NONE);
    if (!done) { // without memory, say: the next one who asks tries again
        Value error = error_take();
        bool kept = get == ABSENT || dict_set(dict, NAME(__getattr__), get);
        if (kept && names != ABSENT) dict_set(dict, NAME(__dir__), names);
        error_clear();
        error_restore(error);
    }
    drop(get);
    drop(names);
    drop(done);
    return done != VALUE_ERROR;
}

static Value sys_getattr(FUNCTION_ARGS)
{
    bool is_list = false;
    for (size_t i = 0; str_check(args[0]) && i < sizeof lists / sizeof *lists; i++)
        is_list = is_list || str_equal_ascii(args[0], lists[i]);
    if (!is_list) return raise_error(AttributeError, "module 'sys' has no attribute '%S'", args[0]);
    return fill_lists() ? object_get(sys_module(), args[0]) : VALUE_ERROR;
}

static Value sys_dir(FUNCTION_ARGS)
{
    (void)args;
    return fill_lists() ? dict_keys(as_module(sys_module())->dict) : VALUE_ERROR;
}

bool finders_offer(ValueRef sys)
{
    static const MethodDef functions[] = {
        {"__getattr__", sys_getattr, ONE_ARG, "What is made when it is first asked for."},
        {"__dir__", sys_dir, NO_ARGS, "All names, these included."},
        {0},
    };
    return module_add_functions(sys, functions);
}

bool finders_are_used(void)
{
    return sys_get("meta_path") != 0;
}

// ---- loading

static bool is_of_machinery(ValueRef traceback)
{
    static const char start[] = LIBRARY_ENTRY "/_frozen_importlib";
    const Frame *frame = as_frame_object(as_traceback(traceback)->frame)->frame;
    const char *file = str_utf8(as_code(frame->code)->filename, NULL);
    if (!file) error_clear();
    return file && strncmp(file, start, sizeof start - 1) == 0;
}

// After the last frames of the machinery, is the error that of a function it has called for the
// program: compile(), say?
static bool ends_in_call(ValueRef last)
{
    const Frame *frame = as_frame_object(as_traceback(last)->frame)->frame;
    return str_equal_ascii(as_code(frame->code)->name, "_call_with_frames_removed");
}

// The pending error's traceback shows no frame of the machinery between those of the program, and
// none at the end but for errors of its own.
static void hide_machinery(void)
{
    Value error = error_take();
    Value *link = &as_exception(error)->traceback;
    bool is_import_error = type_is_subtype(type_of(error), ImportError);
    while (*link) {
        ValueRef end = *link, last = 0;
        for (; end && is_of_machinery(end); end = as_traceback(end)->next) last = end;
        bool hide = last && (end || is_import_error || ends_in_call(last));
        if (hide) replace_slot(link, retain(end));
        if (!end) break;
        link = &as_traceback(*link)->next;
    }
    error_restore(error);
}

Value finders_load(ValueRef name, ValueRef path)
{
    Value module = call_machinery(MACHINERY_SPECS, "_find_and_load_unlocked", name, path);
    if (!module) hide_machinery();
    return module == NONE ? ABSENT : module;
}

Value load_namespace(ValueRef name, ValueRef portions)
{
    return call_machinery(MACHINERY_FILES, "_load_namespace", name, portions);
}
