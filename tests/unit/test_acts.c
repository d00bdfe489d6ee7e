// What scripts may do to a caller that waits for them, done by functions of C. A program of
// tests/hostile has the scripts, and does what every Python survives; a test here runs it, and then
// gives its functions one act more, which a program of the tree could not hold: it would be an
// input that brings another Python down.
//
//     begin("700_half_made_objects") -> run(text that calls the functions of acts[]) -> end()
#include "tests/unit/unit.h"

#include "vm/builtins/builtins.h"
#include "vm/import/import.h"
#include "vm/run.h"
#include "vm/vm.h"

#include "objects/bytes/bytes.h"
#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <stdio.h>
#include <string.h>

#define SECONDS 240 // of all acts under a sanitizer, on a busy machine

// ---- asking objects; what fails leaves nothing but 0

static Value attribute(ValueRef object, const char *name)
{
    Value text = str_intern(name), found = object_get(object, text);
    drop(text);
    return found;
}

static bool set_attribute(ValueRef object, const char *name, Value value) // steals
{
    Value text = str_intern(name);
    bool done = object_set(object, text, value);
    drop(text);
    drop(value);
    return done;
}

static Value call(ValueRef object, const char *method, size_t nargs, const ValueRef *args)
{
    Value function = attribute(object, method);
    Value result = function ? object_call(function, args, nargs, VALUE_ERROR) : VALUE_ERROR;
    drop(function);
    return result;
}

// An act comes back to its caller, whatever came of it.
static Value whatever(Value result)
{
    drop(result);
    error_clear();
    return NONE;
}

// A variable of the program: owned, NONE = there is none (any more): finalizers run at the end too.
static Value variable(const char *name)
{
    ValueRef globals = import_main_globals();
    Value text = str_intern(name), found = globals ? dict_get(globals, text) : ABSENT;
    drop(text);
    error_clear();
    return found && found != ABSENT ? found : NONE;
}

static uint32_t random_below(uint32_t bound)
{
    static uint32_t state = 7;
    state = state * 1664525 + 1013904223;
    return (state >> 8) % bound;
}

// ---- objects that are half made, or made of themselves

// half(kind, *arguments): as kind.__new__ makes it
static Value act_half(FUNCTION_ARGS)
{
    return call(args[0], "__new__", nargs, args);
}

// initialise(made, *arguments)
static Value act_initialise(FUNCTION_ARGS)
{
    whatever(call(args[0], "__init__", nargs - 1, args + 1));
    return retain(args[0]);
}

static Value act_repeat(FUNCTION_ARGS)
{
    Value many = int_new(INT64_MAX);
    whatever(call(args[0], "__imul__", 1, (const ValueRef[]){many}));
    return whatever(many);
}

// ---- raw streams

static Value act_lie(FUNCTION_ARGS)
{
    static const int64_t answers[] = {(int64_t)1 << 31, (int64_t)1 << 32, INT32_MAX, 1 << 20};
    ck_assert(set_attribute(args[0], "answer", int_new(answers[small_value(args[1])])));
    return NONE;
}

// What is lent is kept.
static Value act_keep(FUNCTION_ARGS)
{
    Value kept = variable("kept");
    ck_assert(list_append(kept, args[0]));
    drop(kept);
    return NONE;
}

// The stream that waits is used, and begins anew.
static Value act_use_above(FUNCTION_ARGS)
{
    Value ask = variable("ask"), above = variable("above"), raw = variable("raw");
    Value questions = variable("QUESTIONS");
    for (ssize_t i = 0; i < list_size(questions); i++) {
        Value spread = tuple_pack(1, (ValueRef)above);
        replace_slot(&spread, object_binary(spread, list_at(questions, i), OP_ADD));
        whatever(object_call_spread(ask, spread, VALUE_ERROR));
        drop(spread);
    }
    whatever(call(above, "__init__", 1, (const ValueRef[]){raw}));
    drop(questions);
    drop(raw);
    drop(above);
    drop(ask);
    return NONE;
}

// ---- iterators

// The tool that waits for the step is asked for the next one, or for all that are left.
static Value act_next(FUNCTION_ARGS)
{
    Value tool = variable("tool");
    if (tool != NONE) whatever(object_next(tool));
    return whatever(tool);
}

static Value act_walk(FUNCTION_ARGS)
{
    Value tool = variable("tool");
    if (tool != NONE) whatever(sequence_list(tool));
    return whatever(tool);
}

// believe(object, state)
static Value act_believe(FUNCTION_ARGS)
{
    return whatever(call(args[0], "__setstate__", 1, args + 1));
}

// ---- what is being written, or pickled

static Value act_empty(FUNCTION_ARGS)
{
    return whatever(call(args[0], "clear", 0, NULL));
}

static Value begin_again(ValueRef object, const char *content)
{
    Value make = variable("BytesIO"), data = bytes_new(content, strlen(content));
    Value file = object_call_one(make, data);
    Value result = call(object, "__init__", 1, (const ValueRef[]){file});
    drop(file);
    drop(data);
    drop(make);
    return result;
}

// disturb_reader(unpickler, kind)
static Value act_disturb_reader(FUNCTION_ARGS)
{
    Value memo = VALUE_ERROR;
    switch (small_value(args[1])) {
    case 0: return call(args[0], "load", 0, NULL);
    case 1: return begin_again(args[0], "(lp0\nI1\na.");
    case 2:
        memo = attribute(args[0], "memo");
        whatever(call(memo, "clear", 0, NULL));
        return whatever(memo);
    case 3:
        memo = dict_new();
        ck_assert(dict_set(memo, from_small(0), args[0]) && dict_set(memo, from_small(5), NONE));
        return set_attribute(args[0], "memo", memo) ? NONE : VALUE_ERROR;
    }
    return NONE;
}

// disturb_pickler(pickler, the dict that is pickled, kind)
static Value act_disturb_pickler(FUNCTION_ARGS)
{
    switch (small_value(args[2])) {
    case 0: return call(args[0], "clear_memo", 0, NULL);
    case 1: return call(args[1], "clear", 0, NULL);
    case 2: return call(args[0], "dump", 1, args + 1);
    case 3: return begin_again(args[0], "");
    case 4: ck_assert(dict_set(args[1], from_small(random_below(1000)), args[1]));
    }
    return NONE;
}

// ---- numbers

static Value act_power(FUNCTION_ARGS)
{
    return object_power(args[0], args[1], args[2]);
}

// call_method(object, name, *arguments)
static Value act_call_method(FUNCTION_ARGS)
{
    Value method = object_get(args[0], args[1]);
    Value result = method ? object_call(method, args + 2, nargs - 2, VALUE_ERROR) : VALUE_ERROR;
    drop(method);
    return result;
}

// ---- codecs

// begin_anew(stream, encoding)
static Value act_begin_anew(FUNCTION_ARGS)
{
    Value make = variable("other"), file = object_call_none(make);
    whatever(call(args[0], "__init__", 2, (const ValueRef[]){file, args[1]}));
    drop(file);
    return whatever(make);
}

static Value act_detach(FUNCTION_ARGS)
{
    return whatever(call(args[0], "detach", 0, NULL));
}

// ---- nests

// nest(type, innermost, *others): a million objects of the type, one in the other
static Value act_nest(FUNCTION_ARGS)
{
    Value nest = retain(args[1]);
    for (int i = 0; nest && i < 1000000; i++) {
        const ValueRef inner[] = {nest, nargs > 2 ? args[2] : NONE};
        replace_slot(&nest, object_call(args[0], inner, nargs - 1, VALUE_ERROR));
    }
    return nest;
}

// ---- finalizers, and f_lineno

static void assert_item(ValueRef owner, int64_t wanted)
{
    Value look = variable("look"), found = object_call_one(look, owner);
    Value same = attribute(owner, "a");
    ck_assert(found == from_small(wanted) && same == from_small(wanted));
    drop(look);
}

// The finalizer of an instance of a class that the collector takes: it changes a base of the class.
static Value act_die(FUNCTION_ARGS)
{
    Value class = retain(ref_of(type_of(args[0])));
    ValueRef base = ref_of(type_of(args[0])->base_type);
    for (int i = 1; i < 4; i++) {
        assert_item(args[0], i);
        assert_item(class, i);
        ck_assert(set_attribute(base, "a", from_small(i + 1)));
        ck_assert(set_attribute(base, "b", from_small(i)));
        Value b = attribute(args[0], "b");
        ck_assert(b == from_small(i));
    }
    Value died = variable("died");
    ck_assert(list_append(died, args[0]));
    drop(died);
    drop(class);
    return NONE;
}

// Its variable `a` becomes an object whose finalizer does more to the frame.
static Value plant(ValueRef frame)
{
    Value locals = attribute(frame, "f_locals"), dies = variable("Dies");
    replace_slot(&dies, object_call_one(dies, frame));
    bool done = dies && dict_set_ascii(locals, "a", dies);
    drop(dies);
    drop(locals);
    return done ? NONE : VALUE_ERROR;
}

static Value close_first_running(void)
{
    Value running = variable("running");
    Value result = list_check(running) && list_size(running)
                       ? call(list_at(running, 0), "close", 0, NULL)
                       : NONE;
    drop(running);
    return result;
}

// What a trace function does to the frame that it is told of.
static Value act_trace(FUNCTION_ARGS)
{
    switch (random_below(8)) {
    case 0: return call(args[0], "clear", 0, NULL);
    case 1: return close_first_running();
    case 2: return plant(args[0]);
    }
    Value code = attribute(args[0], "f_code"), first = attribute(code, "co_firstlineno");
    drop(code);
    Value line = from_small(small_value(first) - 1 + random_below(26));
    return set_attribute(args[0], "f_lineno", line) ? NONE : VALUE_ERROR;
}

// A trace function that jumps to any line of code whose every instruction begins one.
static Value act_anywhere(FUNCTION_ARGS)
{
    Value wanted = variable("follows"), follows = object_call_one(wanted, args[0]);
    drop(wanted);
    if (!follows) return VALUE_ERROR;
    if (follows == NONE) return NONE;
    Value anywhere = variable("tracer");
    ck_assert(set_attribute(args[0], "f_trace_opcodes", from_bool(random_below(2))));
    if (random_below(2)) {
        Value refused = variable("refused");
        int64_t line = small_value(follows) - 200 + random_below(200);
        if (!set_attribute(args[0], "f_lineno", from_small(line))) {
            Value error = error_take();
            whatever(object_call_one(refused, error));
            drop(error);
        }
        drop(refused);
    }
    return anywhere;
}

// jump(frame, line): as a trace function may; is it done?
static Value act_jump(FUNCTION_ARGS)
{
    ck_assert(set_attribute(args[0], "f_lineno", retain(args[1])) || error_is(ValueError));
    return error_pending() ? VALUE_ERROR : NONE;
}

// ---- doors

// draw(function): calls with 0 to 7 of the program's VALUES; how many came back without an error
static Value act_draw(FUNCTION_ARGS)
{
    Value values = variable("VALUES");
    int64_t passed = 0;
    for (int number = 0; number < 40; number++) {
        ValueRef given[8];
        for (int i = 0; i < number % 8; i++)
            given[i] = list_at(values, random_below((uint32_t)list_size(values)));
        Value result = object_call(args[0], given, number % 8, VALUE_ERROR);
        passed += result != VALUE_ERROR;
        whatever(result);
    }
    drop(values);
    return from_small(passed);
}

// beyond_memory(function, object): as many of it as no memory holds are refused before one is made.
static Value act_beyond_memory(FUNCTION_ARGS)
{
    static const int64_t counts[] = {(int64_t)1 << 40, (int64_t)1 << 62, INT64_MAX};
    for (int i = 0; i < 3; i++) {
        Value many = int_new(counts[i]);
        Value result = object_call(args[0], (const ValueRef[]){args[1], many}, 2, VALUE_ERROR);
        ck_assert(!result && (error_is(MemoryError) || error_is(OverflowError) ||
                              error_is(RuntimeError))); // OverflowError: on 32 bits
        whatever(many);
    }
    return NONE;
}

// starve(function, object): calls it until no allocation is left to fail, where the n-th fails, in
// every third call with all after it; how many calls ended by MemoryError. None ends otherwise.
static Value act_starve(FUNCTION_ARGS)
{
    int64_t failed = 0;
    for (size_t n = 1;; n++) {
        size_t before = memory_counts().allocations;
        memory_fail_at(n, n % 3 == 0);
        Value result = object_call_one(args[0], args[1]);
        memory_fail_at(0, false);
        if (!result && !error_is(MemoryError)) return VALUE_ERROR;
        failed += !result;
        whatever(result);
        if (memory_counts().allocations - before < n) return from_small(failed);
    }
}

// ---- the machine, and the table of acts

static const MethodDef acts[] = {
    {"half", act_half, ARGS(1, 9), NULL},
    {"initialise", act_initialise, ARGS(1, 9), NULL},
    {"repeat", act_repeat, ONE_ARG, NULL},
    {"lie", act_lie, ARGS(2, 2), NULL},
    {"keep", act_keep, ONE_ARG, NULL},
    {"use_above", act_use_above, ONE_ARG, NULL},
    {"next_of_tool", act_next, NO_ARGS, NULL},
    {"walk_tool", act_walk, NO_ARGS, NULL},
    {"believe", act_believe, ARGS(2, 2), NULL},
    {"empty", act_empty, ONE_ARG, NULL},
    {"disturb_reader", act_disturb_reader, ARGS(2, 2), NULL},
    {"disturb_pickler", act_disturb_pickler, ARGS(3, 3), NULL},
    {"power", act_power, ARGS(3, 3), NULL},
    {"call_method", act_call_method, ARGS(2, 6), NULL},
    {"begin_anew", act_begin_anew, ARGS(2, 2), NULL},
    {"detach", act_detach, ONE_ARG, NULL},
    {"nest", act_nest, ARGS(2, 3), NULL},
    {"die", act_die, ONE_ARG, NULL},
    {"trace", act_trace, ONE_ARG, NULL},
    {"anywhere", act_anywhere, ARGS(3, 3), NULL},
    {"jump", act_jump, ARGS(2, 2), NULL},
    {"draw", act_draw, ONE_ARG, NULL},
    {"beyond_memory", act_beyond_memory, ARGS(2, 2), NULL},
    {"starve", act_starve, ARGS(2, 2), NULL},
    {0},
};

static void run(const char *text)
{
    ck_assert_int_eq(run_command(text), 0);
}

static void begin_file(const char *path, const char *argument) // NULL = none
{
    const char *argv[] = {"test", argument, NULL};
    SysOptions options = {.argc = argument ? 2 : 1, .argv = argv, .executable = "minivm"};
    ck_assert(vm_init(&options));
    ck_assert(module_add_functions(builtins_module(), acts));
    ck_assert_int_eq(run_file(path), 0);
}

static void begin(const char *program)
{
    char path[100];
    snprintf(path, sizeof path, "tests/hostile/%s.mpy", program);
    begin_file(path, NULL);
}

static void end(void)
{
    ck_assert_int_eq(vm_finish(0), 0);
}

START_TEST(half_made_objects)
{
    begin("700_half_made_objects");
    run("def halves(kind):\n"
        "    for args in (), (3,), ('x',), ([],), (print, 3), (str, 3), ('x', (), {}):\n"
        "        made = attempt(half, kind, *args)\n"
        "        if made is None: continue\n"
        "        yield made\n"
        "        again = half(kind, *args)\n"
        "        yield attempt(initialise, again, again)\n"
        "        failed = half(kind, *args)\n"
        "        yield attempt(initialise, failed, Agreeable(failed), 5, 5)\n"
        "        break\n"
        "sys.stdout = sys.stderr = io.StringIO()\n"
        "try:\n"
        "    everywhere = [set(), set(), set()]\n"
        "    for kind in all_types():\n"
        "        for made, used in zip(halves(kind), everywhere): use(made, arguments, used)\n"
        "finally: sys.stdout, sys.stderr = standard\n"
        "assert len(everywhere[0]) > 1000, len(everywhere[0])\n"
        "for data in bytearray(), bytearray(b'ab'):\n"
        "    before = bytes(data)\n"
        "    repeat(data)\n"
        "    assert data == before\n");
    end();
}
END_TEST

START_TEST(raw_streams)
{
    begin("1100_raw_streams_that_lie");
    run("KINDS = io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.BufferedRWPair\n"
        "for kind in KINDS:\n"
        "    for number in range(4):\n"
        "        for question in QUESTIONS:\n"
        "            raw = Raw()\n"
        "            stream = make(kind, raw)\n"
        "            lie(raw, number)\n"
        "            result = ask(stream, *question)\n"
        "            if isinstance(result, bytes): assert not result.strip(b'A'), question\n"
        "            raw.answer = 0\n"
        "for act in keep, use_above:\n"
        "    for kind in KINDS:\n"
        "        for question in QUESTIONS:\n"
        "            kept, raw = [], Raw()\n"
        "            above = make(kind, raw)\n"
        "            raw.answer, raw.act = 16, act\n"
        "            result = ask(above, *question)\n"
        "            if isinstance(result, bytes): assert not result.strip(b'A'), question\n"
        "            for lent in kept:\n"
        "                bytes(lent)\n"
        "                if isinstance(lent, memoryview): lent[:] = bytes(len(lent))\n"
        "            raw.act = None\n");
    end();
}
END_TEST

START_TEST(iterators)
{
    begin("1101_iterators_that_act");
    // The innermost step finds nothing left, so that no step that waited for it has an item. A
    // generator and tee() refuse to be asked again, and go through all six.
    run("for make in TOOLS:\n"
        "    for act in next_of_tool, walk_tool:\n"
        "        step = Step(act)\n"
        "        tool = make(step)\n"
        "        given = any_end(list, itertools.islice(tool, 20))\n"
        "        assert given in ([], [(None, None)], [5, 4, 3, 2, 1, 0]), given\n"
        "        assert (len(given) == 6) == (step.left == -1), given\n"
        "for make in STATED:\n"
        "    tool = make([1, 2, 3])\n"
        "    believe(tool, (1, 2))\n"
        "    given = any_end(list, itertools.islice(tool, 20))\n"
        "    usual = list(itertools.islice(make([1, 2, 3]), 20))\n"
        "    assert isinstance(given, TypeError) or len(given) <= max(len(usual), 3), given\n"
        "    any_end(tool.__reduce__)\n");
    end();
}
END_TEST

START_TEST(states)
{
    begin("1102_states_that_lie");
    run("for last in PARTS:\n"
        "    for state in (abs, (), {}, last), (abs, (1,), None, last):\n"
        "        partial = functools.partial(max, 1, key=abs)\n"
        "        believe(partial, state)\n"
        "        look_at(partial)\n"
        "        if isinstance(last, dict): assert partial.func is abs\n");
    end();
}
END_TEST

START_TEST(pairs_taken_away)
{
    begin("1110_json_pairs_taken_away");
    run("act = empty\n"
        "text = written()\n"
        "assert text == \"{'key':['value']}\" and not given, text\n");
    end();
}
END_TEST

START_TEST(profilers)
{
    begin("1510_profilers_that_act");
    run("for act in (_lsprof.Profiler.clear, _lsprof.Profiler.disable, _lsprof.Profiler.__init__,\n"
        "            lambda profiler: profiler.enable(False, False), lambda profiler: work(40)):\n"
        "    rounds()\n"
        "class Everywhere(_lsprof.Profiler):\n"
        "    pass\n"
        "profiler = Everywhere()\n"
        "profiler.enable()\n"
        "profiler.__init__(profiler)\n"
        "work(3)\n"
        "profiler.disable()\n");
    end();
}
END_TEST

START_TEST(pickles)
{
    begin_file("tests/fuzz/pickles.mpy", "0");
    run("import warnings\n"
        "warnings.simplefilter('ignore')\n"
        "del disturb_reader, disturb_pickler\n"
        "refused = main(20000)\n"
        "assert 15000 < refused < 20000, refused\n");
    end();
}
END_TEST

START_TEST(decimals)
{
    begin("1413_decimals_that_lie");
    run("setcontext(Context())\n"
        "assert power(2, 3, Decimal(5)) == 3\n"
        "alone = half(type(context.flags))\n"
        "assert not any(alone.values()) and alone.copy() == alone\n");
    end();
}
END_TEST

START_TEST(variable_of_contexts)
{
    begin("1413_decimals_that_lie");
    run("import _strands\n"
        "import contextvars\n"
        "variable = next(key for key in contextvars.copy_context() if key.name == "
        "'decimal_context')\n"
        "for wrong in (5, object(), decimal):\n"
        "    call_method(variable, 'set', wrong)\n"
        "    refused(lambda: Decimal(1) + 1, TypeError)\n"
        "    refused(getcontext, TypeError)\n"
        "variable.set(None)\n"
        "assert getcontext().prec == 28\n"
        "setcontext(Context(prec=5))\n"
        "scope = _strands.get_context()\n"
        "for wrong in (7, 'scope', [], {}, decimal):\n"
        "    _strands.set_context(wrong)\n"
        "    refused(lambda: Decimal(1) / 3, AttributeError)\n"
        "    refused(lambda: setcontext(Context()), AttributeError)\n"
        "    _strands.set_context(scope)\n"
        "    assert str(Decimal(1) / 3) == '0.33333'\n"
        "saved = scope._buckets\n"
        "for wrong in (7, [], [7], {}, [[]], decimal):\n"
        "    scope._buckets = wrong\n"
        "    refused(lambda: Decimal(1) / 3, AttributeError, TypeError, KeyError, "
        "ZeroDivisionError)\n"
        "    scope._buckets = saved\n"
        "    assert str(Decimal(1) / 3) == '0.33333'\n"
        "hash_of_it = variable._hash\n"
        "for wrong in (None, '7', 1.5, -1, 2 ** 70):\n"
        "    object.__setattr__(variable, '_hash', wrong)\n"
        "    try:\n"
        "        setcontext(Context(prec=6))\n"
        "        Decimal(1) / 3\n"
        "    except (TypeError, AttributeError):\n"
        "        pass\n"
        "    object.__setattr__(variable, '_hash', hash_of_it)\n"
        "scope._buckets = [{}]\n"
        "assert getcontext().prec == 28\n"
        "others = [contextvars.ContextVar(str(i)) for i in range(100)]\n"
        "setcontext(Context(prec=3))\n"
        "for other in others:\n"
        "    other.set(other)\n"
        "    assert str(Decimal(1) / 3) == '0.333'\n");
    end();
}
END_TEST

START_TEST(decimals_beyond_all_memory)
{
    begin("1413_decimals_that_lie");
    run("setcontext(Context(prec=3))\n"
        "huge = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])\n"
        "for name, *arguments in (('divide', 1, 3), ('sqrt', 2), ('exp', 1), ('ln', 2), "
        "('log10', 2), ('power', 2, '0.5'), ('next_plus', 1), ('next_minus', 1),\n"
        "                         ('next_toward', 1, 2), ('logical_invert', 1), ('add', "
        "'1E999999999999999999', 1), ('divide_int', '1E999999999999999998', 3),\n"
        "                         ('remainder', '1E999999999999999998', 3), "
        "('remainder_near', '1E999999999999999998', 3), ('divmod', '1E99999999999999999', "
        "3),\n"
        "                         ('quantize', 1, '1E-999999999999999999'), ('rotate', 1, "
        "5), ('shift', 1, MAX_PREC), ('fma', '1E999999999999999990', 1, 1),\n"
        "                         ('power', 1, '1E-5'), ('power', '1.0', MAX_PREC)):\n"
        "    try:\n"
        "        call_method(huge, name, *map(Decimal, arguments))\n"
        "    except MemoryError:\n"
        "        pass\n"
        "for function in (int, float, hash, str, bool, Decimal.as_tuple, Decimal.normalize, "
        "lambda y: format(y, 'f'), lambda y: y == 0.1, lambda y: y < 10 ** 30):\n"
        "    for text in ('1E999999999999999999', '-9E-1999999999999999997', "
        "'0E-1999999999999999997', 'sNaN' + '9' * 5000):\n"
        "        try:\n"
        "            function(Decimal(text))\n"
        "        except (MemoryError, ArithmeticError, ValueError, TypeError):\n"
        "            pass\n"
        "for spec in ('999999999999999999', '.999999999999999999f', '.999999999999999999e', "
        "'0999999999999999999,', '9' * 40, '.' + '9' * 40, '\\0', '\\0<5', '\\ud800<5'):\n"
        "    try:\n"
        "        call_method(x, '__format__', spec)\n"
        "    except (MemoryError, ValueError):\n"
        "        pass\n"
        "for groups in ('\\0', '\\1', '\\x7f', '\\2\\x7f', '\\1' * 100, [1, 2], [-1], ['x'], "
        "[127], [0], 5, [2 ** 70]):\n"
        "    try:\n"
        "        separators = {'thousands_sep': '.', 'grouping': groups}\n"
        "        call_method(Decimal(123456789), '__format__', '030', separators)\n"
        "    except (ValueError, TypeError):\n"
        "        pass\n"
        "assert str(Decimal(1) / 3) == '0.333'\n");
    end();
}
END_TEST

START_TEST(codecs)
{
    begin("1132_codecs_that_act");
    run("def other(): return io.BytesIO(b'other text\\n' * 9)\n"
        "for encoding in 'acting', 'ascii':\n"
        "    acted.clear()\n"
        "    every(lambda stream: begin_anew(stream, encoding))\n"
        "    assert len(acted) > 100, len(acted)\n"
        "acted.clear()\n"
        "every(detach)\n"
        "assert len(acted) > 100, len(acted)\n"
        "kind = None\n"
        "assert io.TextIOWrapper(io.BytesIO(b'text'), 'acting').read() == 'text'\n"
        "gc.collect()\n");
    end();
}
END_TEST

START_TEST(operations_passed_on)
{
    begin("704_operations_passed_on");
    run("alias, mapping = nest(types.GenericAlias, list, int), nest(types.MappingProxyType, {})\n"
        "use_all(alias, mapping)\n"
        "links = 0\n"
        "while alias is not list: alias, links = alias.__origin__, links + 1\n"
        "assert links == 1000000\n");
    end();
}
END_TEST

START_TEST(finalizers_of_dying_classes)
{
    begin("701_finalizers_of_dying_classes");
    run("died = []\n"
        "def dying(base):\n"
        "    class C(base):\n"
        "        def __del__(self): die(self)\n"
        "    c = C()\n"
        "    c.me = c\n"
        "class P: a = 1\n"
        "dying(P)\n"
        "gc.collect()\n"
        "assert len(died) == 1 and P.a == 4\n"
        "for n in range(5):\n"
        "    P.a = n\n"
        "    assert look(died[0]) == n == type(died[0]).a\n"
        "class Other: a = ['other']\n"
        "type(died[0]).__bases__ = (Other,)\n"
        "assert look(died[0]) == ['other']\n"
        "Other.a = ['changed']\n"
        "assert look(died[0]) == ['changed']\n"
        "died.clear()\n"
        "gc.collect()\n"
        "assert P.__subclasses__() == Other.__subclasses__() == []\n");
    end();
}
END_TEST

START_TEST(trace_functions)
{
    begin("011_trace_functions");
    run("harms = [trace] * 2\n"
        "everything(1500)\n"
        "assert {'KeyError', 'ValueError', 'TypeError', 'RuntimeError'} <= raised, raised\n"
        "for victim in function, generator, drive:\n"
        "    code = victim.__code__\n"
        "    lines = bytes([2, 1]) * (len(code.co_code) // 2)\n"
        "    victim.__code__ = code.replace(co_lnotab=lines)\n"
        "def follows(frame):\n"
        "    global events\n"
        "    events += 1\n"
        "    if frame.f_code.co_name in names and events <= 300:\n"
        "        return frame.f_code.co_firstlineno + 200\n"
        "def refused(error): raised.add(str(error)[:22])\n"
        "tracer = anywhere\n"
        "for i in range(2000):\n"
        "    attempt(function)\n"
        "    attempt(resume)\n"
        "    del running[:]\n"
        "g = generator()\n"
        "for i in range(3000):\n"
        "    if g.gi_frame is None: g = generator()\n"
        "    try:\n"
        "        g.send(None)\n"
        "        g.gi_frame.f_trace = anywhere\n"
        "        jump(g.gi_frame, g.gi_frame.f_code.co_firstlineno + random.randrange(60))\n"
        "    except Exception as error: raised.add(type(error).__name__)\n"
        "g = None\n"
        "gc.collect()\n"
        "assert any(\"can't jump\" in text for text in raised), raised\n");
    end();
}
END_TEST

START_TEST(jumps_of_generators)
{
    begin("012_jumps_of_generators");
    run("for value in None, 5, 'x', (1, 2), [], lines, object(), sys:\n"
        "    for line in range(first, first + 24): sent(lines(1), value, line, jump)\n"
        "    for generator in short(), long(): sent(generator, value, None, jump)\n"
        "assert len(jumped) > 3, jumped\n"
        "assert \"can't jump into the middle of an expression\" in refused, refused\n");
    end();
}
END_TEST

START_TEST(private_doors)
{
    begin("1201_private_doors");
    run("functions = list(doors(torch._C, {id(sys)}))\n"
        "passed = sum(map(draw, functions))\n"
        "states()\n"
        "assert len(functions) > 300 and passed > 200, (len(functions), passed)\n"
        "assert (torch.ones(3) + 1).tolist() == [2, 2, 2]\n");
    end();
}
END_TEST

START_TEST(parts_beyond_memory)
{
    begin("1760_doors_before_their_use");
    run("x = torch.arange(3)\n"
        "for split in torch.tensor_split, torch.Tensor.tensor_split:\n"
        "    assert len(split(x, 1000)) == 1000\n"
        "    beyond_memory(split, x)\n"
        "for indices in torch.triu_indices, torch.tril_indices:\n"
        "    beyond_memory(lambda rows, columns: indices(columns, rows), 4)\n"
        "    beyond_memory(lambda _, columns: indices(columns, columns), None)\n");
    end();
}
END_TEST

// Whichever allocation fails, a program of the core ends by MemoryError, or gets along without.
START_TEST(no_memory_anywhere)
{
    begin("2210_no_memory_anywhere");
    run("for name, text in TEXTS.items():\n"
        "    failed = starve(run, text)\n"
        "    assert failed > 100, (name, failed)\n"
        "    assert run(text) == run(text)\n");
    end();
}
END_TEST

Suite *acts_suite(void)
{
    Suite *suite = suite_create("acts");
    TCase *tests = bare_case(suite, "acts");
    tcase_set_timeout(tests, SECONDS);
    tcase_add_test(tests, half_made_objects);
    tcase_add_test(tests, raw_streams);
    tcase_add_test(tests, iterators);
    tcase_add_test(tests, states);
    tcase_add_test(tests, pairs_taken_away);
    tcase_add_test(tests, profilers);
    tcase_add_test(tests, pickles);
    tcase_add_test(tests, decimals);
    tcase_add_test(tests, variable_of_contexts);
    tcase_add_test(tests, decimals_beyond_all_memory);
    tcase_add_test(tests, codecs);
    tcase_add_test(tests, operations_passed_on);
    tcase_add_test(tests, finalizers_of_dying_classes);
    tcase_add_test(tests, trace_functions);
    tcase_add_test(tests, jumps_of_generators);
    tcase_add_test(tests, private_doors);
    tcase_add_test(tests, parts_beyond_memory);
    tcase_add_test(tests, no_memory_anywhere);
    return suite;
}
