// The loop.
//
//     ip     the instruction that runs; the next one is ip + 1 slot, or more after a fused one
//     sp     the first free slot of the value stack
//     frame  its localsplus holds everything else
//
// These three are in registers. SAVE stores `frame->ip` before anything that can look at the frame
// or raise, and `error` stores it as well; `frame->sp` is stored when the loop leaves the frame. A
// handler that fails goes to `error` with every value on the stack still owned.
//
// A call of a function written in script does not recurse in C: the loop continues in the new
// frame, and RETURN_VALUE continues in frame->previous, at the instruction after its ip. Resuming a
// generator by `for`, `yield from` or `await` does not recurse either: its caller's frame waits at
// FOR_ITER or YIELD_FROM. A frame marked FRAME_ENTRY was begun by a call from C; when it ends, the
// loop returns to C.
//
// This file has the handlers of CPython's instructions; those that enter and leave frames are in
// vm/eval_frames.h. Those of quick instructions, which exist in the loop only, are in
// vm/eval_quick.h. This file includes both among its own.
//
// vm/eval_observed.c includes this file once more with OBSERVED set. That second loop announces
// events and counts ticks (frames/observe.h); the plain loop does neither. No loop tests a flag at
// each instruction. Instead each has a jump table from opcodes to handlers, and LOOP_DIVERT
// overwrites the table so that every opcode leads to the label `diversion`; LOOP_RESTORE puts the
// handlers back:
//
//                    no observer           ticks are counted      every instruction is observed
//     run_plain      op -> its handler     all -> diversion       all -> diversion
//     run_observed   op -> its handler     op -> its handler      all -> diversion
//
// The diversion of the plain loop hands the running frame, and its callers up to the FRAME_ENTRY,
// over to the observed loop. The diversion of the observed loop calls the observers, then executes
// one instruction. That instruction is not fused with its neighbours, but it uses the same caches
// and makes the same allocations as at full speed.
#include "vm/eval.h"

#ifndef OBSERVED
#define OBSERVED 0
#define RUN run_plain
#endif

#include "vm/loop.h"

Value RUN(Frame *frame, LoopEntry entry)
{
#if COMPUTED_GOTO
    static const void *const handlers[QUICK_END] = {
#define OPCODE(name, ...) [name] = &&TARGET_##name,
#include "compiler/opcodes.def"
#define QUICK(op, base) [op] = &&TARGET_##op,
#include "vm/quick.def"
    };
    static const void *targets[QUICK_END];
    if (unlikely(entry >= LOOP_DIVERT)) {
        for (int i = 0; i < QUICK_END; i++)
            targets[i] = DIVERTS && entry == LOOP_DIVERT ? &&diversion : handlers[i];
        return NONE;
    }
#else
    static bool diverted;
    int op;
    if (unlikely(entry >= LOOP_DIVERT)) {
        diverted = entry == LOOP_DIVERT;
        return NONE;
    }
#endif
    Instruction *ip = frame->ip;
    Value *sp = frame->sp;
    Value result;         // what a frame returns or yields
    Value *callee;        // of a call: the callable, then its arguments; where the result goes
    Value made;           // what a call gives that needs no frame
    const Function *init; // of a class that is called: its __init__
    Frame *next;          // about to be entered
#if OBSERVED
    if (entry <= LOOP_THROW && !EVENT(EVENT_CALL, NONE)) goto refused;
#endif
    if (entry == LOOP_THROW || entry == LOOP_GO_ON_RAISING) goto error;
    ARRIVE(1);

diversion:
#if OBSERVED
    COME_BACK();
    if (DEBUG_TRACE) eval_trace(frame, ip, sp);
    SAVE();
    if (tick_counter.near) ticks_ring();
    bool going_on = EVENT(EVENT_OPCODE, NONE);
    line_event_passed(frame);
    ip = frame->ip; // an observer may have jumped
    sp = frame->sp;
    if (!going_on) goto error;
    BEGINS();
    if (ip->op == RETURN_VALUE) {
        result = POP();
        goto leave_seen;
    }
    GO(quick_base(ip->op));
#else
    ticks_move(frame->ip + 1, ip);
    frame->ip = ip - 1;
    frame->sp = sp;
    return run_observed(frame, LOOP_GO_ON);
#endif

#if !COMPUTED_GOTO
dispatch:
    if (unlikely(diverted)) goto diversion;
    op = ip->op;
execute:
    switch (op) {
#endif

        // ---- the stack

        TARGET(NOP)
        TARGET(EXTENDED_ARG)
        {
            NEXT(1);
        }
        //> lesson 6: stack
        TARGET(POP_TOP)
        {
            DROP(POP());
            NEXT(1);
        }
        TARGET(ROT_TWO)
        {
            Value top = sp[-1];
            sp[-1] = sp[-2];
            sp[-2] = top;
            NEXT(1);
        }
        TARGET(ROT_THREE)
        {
            Value top = sp[-1];
            sp[-1] = sp[-2];
            sp[-2] = sp[-3];
            sp[-3] = top;
            NEXT(1);
        }
        TARGET(ROT_FOUR)
        {
            Value top = sp[-1];
            sp[-1] = sp[-2];
            sp[-2] = sp[-3];
            sp[-3] = sp[-4];
            sp[-4] = top;
            NEXT(1);
        }
        TARGET(DUP_TOP)
        {
            Value top = retained(sp[-1]);
            PUSH(top);
            NEXT(1);
        }
        TARGET(DUP_TOP_TWO)
        {
            sp[0] = retained(sp[-2]);
            sp[1] = retained(sp[-1]);
            sp += 2;
            NEXT(1);
        }
        TARGET(LOAD_CONST)
        {
            PUSH(retain(ip->value));
            NEXT(1);
        }
        //< lesson 6

        // ---- local variables

        //> lesson 6: variables
        TARGET(LOAD_FAST)
        {
            Value value = LOCAL(ip->arg);
            if (is_object(value))
                object_of(value)->refcount++;
            else if (unlikely(!value))
                goto unbound_local;
            PUSH(value);
            NEXT(1);
        }
        TARGET(STORE_FAST)
        {
            Value old = LOCAL(ip->arg);
            LOCAL(ip->arg) = POP();
            DROP(old);
            NEXT(1);
        }
        TARGET(DELETE_FAST)
        {
            Value old = LOCAL(ip->arg);
            if (!old) goto unbound_local;
            LOCAL(ip->arg) = VALUE_ERROR;
            DROP(old);
            NEXT(1);
        }
        //< lesson 6

        // ---- cells

        //> lesson 8: cells
        TARGET(LOAD_CLOSURE)
        {
            Value cell = retained(LOCAL(ip->slot));
            invariant(as_cell(cell), "a closure is made of cells");
            PUSH(cell);
            NEXT(1);
        }
        TARGET(LOAD_DEREF)
        {
            Value cell = LOCAL(ip->slot);
            if (unlikely(!cell || !as_cell(cell)->contents)) goto unbound_cell;
            Value value = retained(as_cell(cell)->contents);
            PUSH(value);
            NEXT(1);
        }
        TARGET(STORE_DEREF)
        {
            Value cell = LOCAL(ip->slot);
            if (unlikely(!cell)) goto unbound_cell;
            Value old = as_cell(cell)->contents;
            as_cell(cell)->contents = POP();
            DROP(old);
            NEXT(1);
        }
        TARGET(DELETE_DEREF)
        {
            Value cell = LOCAL(ip->slot);
            if (!cell || !as_cell(cell)->contents) goto unbound_cell;
            SAVE();
            drop_slot(&as_cell(cell)->contents);
            NEXT(1);
        }
        //< lesson 8
        TARGET(LOAD_CLASSDEREF) REPLACE(0, load_classderef(frame, ip->arg));

        // ---- names

        TARGET(LOAD_GLOBAL) REPLACE(0, load_global(frame, ip));
        TARGET(STORE_GLOBAL) DO(1, store_global(frame, ip, sp[-1]));
        TARGET(DELETE_GLOBAL)
        DO(0, delete_global(frame, tuple_at(as_code(frame->code)->names, ip->arg)));
        TARGET(LOAD_NAME) REPLACE(0, load_name(frame, ip));
        TARGET(STORE_NAME) DO(1, store_name(frame, ip, sp[-1]));
        TARGET(DELETE_NAME)
        DO(0, delete_name(frame, tuple_at(as_code(frame->code)->names, ip->arg)));
        TARGET(LOAD_BUILD_CLASS) REPLACE(0, load_build_class(frame));
        TARGET(SETUP_ANNOTATIONS) DO(0, setup_annotations(frame));

        // ---- attributes

        TARGET(LOAD_ATTR) REPLACE(1, load_attr(frame, ip, sp[-1]));
        TARGET(STORE_ATTR) DO(2, store_attr(frame, ip, sp[-1], sp[-2]));
        TARGET(DELETE_ATTR)
        DO(1, object_delete(sp[-1], tuple_at(as_code(frame->code)->names, ip->arg)));
        TARGET(LOAD_METHOD)
        {
            bool bound;
            SAVE();
            Value method = load_method(frame, ip, &sp[-1], &bound), owner = sp[-1];
            if (unlikely(!method)) goto error;
            sp[-1] = bound ? VALUE_ERROR : method;
            PUSH(bound ? method : owner);
            if (bound) DROP(owner);
            NEXT(1);
        }

        // ---- operators

#define BINARY(name, attempt, otherwise)                                                           \
    TARGET(name)                                                                                   \
    {                                                                                              \
        Value number;                                                                              \
        if (likely(attempt(sp[-2], sp[-1], &number))) {                                            \
            sp--;                                                                                  \
            sp[-1] = number;                                                                       \
            NEXT(1);                                                                               \
        }                                                                                          \
        goto otherwise;                                                                            \
    }
        BINARY(BINARY_SUBTRACT, number_subtract, mixed_numbers)
        BINARY(BINARY_MULTIPLY, number_multiply, mixed_numbers)
        BINARY(BINARY_MODULO, number_remainder, binary_operation)
        BINARY(BINARY_FLOOR_DIVIDE, number_floor_divide, binary_operation)
        BINARY(BINARY_TRUE_DIVIDE, number_true_divide, mixed_numbers)
        BINARY(BINARY_AND, number_and, binary_operation)
        BINARY(BINARY_OR, number_or, binary_operation)
        BINARY(BINARY_XOR, number_xor, binary_operation)
        BINARY(BINARY_LSHIFT, number_lshift, binary_operation)
        BINARY(BINARY_RSHIFT, number_rshift, binary_operation)
        BINARY(INPLACE_SUBTRACT, number_subtract, mixed_numbers)
        BINARY(INPLACE_MULTIPLY, number_multiply, mixed_numbers)
        BINARY(INPLACE_MODULO, number_remainder, binary_operation)
        BINARY(INPLACE_FLOOR_DIVIDE, number_floor_divide, binary_operation)
        BINARY(INPLACE_TRUE_DIVIDE, number_true_divide, mixed_numbers)
        BINARY(INPLACE_AND, number_and, binary_operation)
        BINARY(INPLACE_OR, number_or, binary_operation)
        BINARY(INPLACE_XOR, number_xor, binary_operation)
        BINARY(INPLACE_LSHIFT, number_lshift, binary_operation)
        BINARY(INPLACE_RSHIFT, number_rshift, binary_operation)
#undef BINARY
        //> lesson 6: operators
        TARGET(BINARY_ADD)
        TARGET(INPLACE_ADD)
        {
            Value number;
            if (likely(number_add(sp[-2], sp[-1], &number))) {
                sp--;
                sp[-1] = number;
                NEXT(1);
            }
            if (str_check_exact(sp[-2]) && str_check_exact(sp[-1])) goto concatenate;
            goto mixed_numbers;
        }
        TARGET(BINARY_POWER)
        TARGET(BINARY_MATRIX_MULTIPLY)
        TARGET(INPLACE_POWER)
        TARGET(INPLACE_MATRIX_MULTIPLY)
        LABEL(binary_operation)
        {
            SAVE();
            result =
                binary_operation(quick_opcode(quick_of(as_code(frame->code)), ip), sp[-2], sp[-1]);
            if (unlikely(!result)) goto error;
            Value right = sp[-1], left = sp[-2];
            sp[-2] = result;
            sp--;
            drop(right);
            drop(left);
            NEXT(1);
        }
        //< lesson 6
        LABEL(mixed_numbers)
        {
            Value number;
            if (!number_mixed(ip->op, sp[-2], sp[-1], &number)) goto binary_operation;
            sp--;
            sp[-1] = number;
            NEXT(1);
        }
        LABEL(concatenate)
        {
            SAVE();
            Value right = sp[-1];
            sp -= 2;
            result = add_texts(frame, sp[0], right);
            drop(right);
            if (unlikely(!result)) goto error;
            PUSH(result);
            NEXT(1);
        }

        TARGET(COMPARE_OP)
        {
            int truth = compare_numbers(sp[-2], sp[-1], ip->arg);
            if (truth >= 0) {
                sp--;
                sp[-1] = from_bool(truth);
                NEXT(1);
            }
            REPLACE(2, compare_operation(sp[-2], sp[-1], ip->arg));
        }
        TARGET(IS_OP)
        {
            Value right = sp[-1], left = sp[-2];
            sp--;
            sp[-1] = from_bool((left == right) ^ (ip->arg & 1));
            DROP(right);
            DROP(left);
            NEXT(1);
        }
        TARGET(CONTAINS_OP)
        {
            bool found;
            SAVE();
            bool known = is_exactly(sp[-1], &dict_type) ? dict_contains(sp[-1], sp[-2], &found)
                                                        : object_contains(sp[-1], sp[-2], &found);
            if (unlikely(!known)) goto error;
            Value right = sp[-1], left = sp[-2];
            sp--;
            sp[-1] = from_bool(found ^ (ip->arg & 1));
            drop(right);
            drop(left);
            NEXT(1);
        }
        TARGET(UNARY_POSITIVE) REPLACE(1, object_positive(sp[-1]));
        TARGET(UNARY_NEGATIVE)
        {
            Value number;
            if (is_small(sp[-1]) && number_subtract(from_small(0), sp[-1], &number)) {
                sp[-1] = number;
                NEXT(1);
            }
            REPLACE(1, object_negative(sp[-1]));
        }
        TARGET(UNARY_INVERT) REPLACE(1, object_invert(sp[-1]));
        TARGET(UNARY_NOT) REPLACE(1, object_not(sp[-1]));

        // ---- subscripts

        TARGET(BINARY_SUBSCR)
        {
            Value key = sp[-1], container = sp[-2];
            ValueRef found = VALUE_ERROR;
            if (is_small(key)) {
                if (is_exactly(container, &list_type))
                    found = item_at(as_list(container)->items, list_size(container), key);
                else if (is_exactly(container, &tuple_type))
                    found = item_at(as_tuple(container)->items, tuple_size(container), key);
                else if (is_exactly(container, &str_type))
                    found = str_shared_at(container, small_value(key));
            }
            if (likely(found)) {
                sp[-2] = retain(found);
                sp--;
                DROP(container);
                NEXT(1);
            }
            if (is_exactly(container, &dict_type)) {
                SAVE();
                Value item = dict_get(container, key);
                if (likely(item && item != ABSENT)) {
                    sp[-2] = item;
                    sp--;
                    DROP(key);
                    DROP(container);
                    NEXT(1);
                }
                if (item) raise_key_error(key);
                goto error;
            }
            REPLACE(2, object_subscript(container, key));
        }
        TARGET(STORE_SUBSCR)
        {
            Value key = sp[-1], container = sp[-2], value = sp[-3];
            if (is_small(key) && is_exactly(container, &list_type)) {
                int64_t at = small_value(key);
                if ((uint64_t)at < (uint64_t)list_size(container)) {
                    Value old = as_list(container)->items[at];
                    as_list(container)->items[at] = value;
                    sp -= 3;
                    DROP(old);
                    DROP(container);
                    NEXT(1);
                }
            }
            if (is_exactly(container, &dict_type)) DO(3, dict_set(container, key, value));
            DO(3, object_set_subscript(container, key, value));
        }
        TARGET(DELETE_SUBSCR) DO(2, object_delete_subscript(sp[-2], sp[-1]));

        // ---- jumps

        TARGET(JUMP_FORWARD)
        {
            JUMP(ip);
        }
        TARGET(JUMP_ABSOLUTE)
        {
            POLL();
            JUMP(ip);
        }
#define POP_JUMP(name, wanted)                                                                     \
    TARGET(name)                                                                                   \
    {                                                                                              \
        Value value = POP();                                                                       \
        int truth = quick_truth(value);                                                            \
        if (unlikely(truth < 0)) {                                                                 \
            bool found;                                                                            \
            SAVE();                                                                                \
            bool known = object_truth(value, &found);                                              \
            drop(value);                                                                           \
            if (unlikely(!known)) goto error;                                                      \
            truth = found;                                                                         \
        }                                                                                          \
        if (truth == wanted) JUMP(ip);                                                             \
        NEXT(1);                                                                                   \
    }
        POP_JUMP(POP_JUMP_IF_FALSE, false)
        POP_JUMP(POP_JUMP_IF_TRUE, true)
#undef POP_JUMP
#define JUMP_OR_POP(name, wanted)                                                                  \
    TARGET(name)                                                                                   \
    {                                                                                              \
        bool truth;                                                                                \
        SAVE();                                                                                    \
        if (unlikely(!object_truth(sp[-1], &truth))) goto error;                                   \
        if (truth == wanted) JUMP(ip);                                                             \
        DROP(POP());                                                                               \
        NEXT(1);                                                                                   \
    }
        JUMP_OR_POP(JUMP_IF_FALSE_OR_POP, false)
        JUMP_OR_POP(JUMP_IF_TRUE_OR_POP, true)
#undef JUMP_OR_POP

        // ---- iteration

        TARGET(GET_ITER) REPLACE(1, object_iter(sp[-1]));
        TARGET(FOR_ITER)
        {
            POLL();
            Value item = next_item(object_of(sp[-1]));
            if (likely(item && item != ABSENT)) {
                PUSH(item);
                NEXT(1);
            }
            if (!item) goto for_end;
        }
        LABEL(for_other)
        {
            Object *iterator = object_of(sp[-1]);
            if (likely(iterator->type == &generator_type)) {
                if (!DEBUG_NO_QUICKEN && (ip->op == FOR_ITER || ip->op == FOR_ITER_STORE_FAST))
                    ip->op = FOR_ITER_GENERATOR;
                Generator *generator = (Generator *)iterator;
                if (likely(generator->state == GENERATOR_SUSPENDED)) {
                    *generator->frame.sp++ = NONE;
                    goto resume;
                }
                if (generator->state == GENERATOR_CREATED) goto resume;
            }
            SAVE();
            Value item = iterator_next(ref_of(iterator));
            if (likely(item && item != ABSENT)) {
                PUSH(item);
                NEXT(1);
            }
            if (item) goto for_end;
        }
        LABEL(for_failed)
        {
            if (!error_is(StopIteration)) goto error;
#if OBSERVED
            trace_stop_iteration(frame);
#endif
            error_clear();
        }
        LABEL(for_end)
        {
            DROP(POP());
            JUMP(ip);
        }
        TARGET(GET_YIELD_FROM_ITER) REPLACE(1, get_yield_from_iter(frame, sp[-1]));
        TARGET(UNPACK_SEQUENCE)
        {
            Value sequence = sp[-1];
            uint32_t count = ip->arg;
            const Value *items = NULL;
            if (is_exactly(sequence, &tuple_type) && tuple_size(sequence) == (ssize_t)count)
                items = as_tuple(sequence)->items;
            else if (is_exactly(sequence, &list_type) && list_size(sequence) == (ssize_t)count)
                items = as_list(sequence)->items;
            sp--;
            if (likely(items)) {
                while (count-- > 0) PUSH(retained(items[count]));
                DROP(sequence);
                NEXT(1);
            }
            SAVE();
            bool done = unpack_sequence(sequence, count, sp);
            if (done) sp += count;
            drop(sequence);
            if (!done) goto error;
            NEXT(1);
        }
        TARGET(UNPACK_EX)
        {
            Value sequence = POP();
            uint32_t before = ip->arg & 0xFF, after = ip->arg >> 8;
            SAVE();
            bool done = unpack_ex(sequence, before, after, sp);
            if (done) sp += before + 1 + after;
            drop(sequence);
            if (!done) goto error;
            NEXT(1);
        }

        // ---- building

        TARGET(BUILD_TUPLE) REPLACE_STOLEN(ip->arg, tuple_from_owned(sp, ip->arg));
        TARGET(BUILD_LIST) REPLACE_STOLEN(ip->arg, build_list(sp, ip->arg));
        TARGET(BUILD_SET) REPLACE(ip->arg, build_set(sp - ip->arg, ip->arg));
        TARGET(BUILD_MAP) REPLACE(2 * ip->arg, build_map(sp - 2 * ip->arg, ip->arg));
        TARGET(BUILD_CONST_KEY_MAP)
        REPLACE(ip->arg + 1, build_const_key_map(sp - 1 - ip->arg, ip->arg, sp[-1]));
        TARGET(BUILD_STRING) REPLACE(ip->arg, build_string(sp - ip->arg, ip->arg));
        TARGET(BUILD_SLICE)
        {
            if (ip->arg == 3) REPLACE(3, slice_new(sp[-3], sp[-2], sp[-1]));
#if !OBSERVED
            if (ip[1].op == BINARY_SUBSCR) { // x[a:b], mostly, needs no slice
                SAVE();
                result = subscript_span(sp[-3], sp[-2], sp[-1]);
                if (likely(result != ABSENT)) {
                    ip++;
                    if (unlikely(!result)) goto error;
                    Value container = sp[-3];
                    sp -= 2;
                    sp[-1] = result;
                    DROP(container);
                    NEXT(1);
                }
            }
#endif
            REPLACE(2, slice_new(sp[-2], sp[-1], NONE));
        }
        TARGET(FORMAT_VALUE)
        {
            if (ip->arg & 4) REPLACE(2, format_value(sp[-2], sp[-1], ip->arg));
            REPLACE(1, format_value(sp[-1], VALUE_ERROR, ip->arg));
        }
        TARGET(LIST_TO_TUPLE) REPLACE(1, list_to_tuple(sp[-1]));
        TARGET(LIST_APPEND)
        {
            Value item = POP();
            List *list = as_list(sp[-(ssize_t)ip->arg]);
            invariant(list_check(ref_of(list)), "a comprehension appends to its list");
            if (likely(list->size < list->capacity)) {
                list->items[list->size++] = item;
                NEXT(1);
            }
            SAVE();
            if (unlikely(!list_append_owned(ref_of(list), item))) goto error;
            NEXT(1);
        }
        TARGET(SET_ADD) DO(1, set_add(*(sp - 1 - ip->arg), sp[-1]));
        TARGET(MAP_ADD) DO(2, dict_set(*(sp - 2 - ip->arg), sp[-2], sp[-1]));
        TARGET(LIST_EXTEND) DO(1, list_extend_by(*(sp - 1 - ip->arg), sp[-1]));
        TARGET(SET_UPDATE) DO(1, set_update(*(sp - 1 - ip->arg), sp[-1]));
        TARGET(DICT_UPDATE) DO(1, dict_update_by(*(sp - 1 - ip->arg), sp[-1]));
        TARGET(DICT_MERGE)
        DO(1, dict_merge_keywords(*(sp - 1 - ip->arg), sp[-1], *(sp - 3 - ip->arg)));
        TARGET(MAKE_FUNCTION)
        {
            uint32_t count = 2 + (uint32_t)function_extras(ip->arg);
            REPLACE(count, make_function(frame, sp - count, ip->arg));
        }
        TARGET(LOAD_ASSERTION_ERROR)
        {
            PUSH(retain(ref_of(AssertionError)));
            NEXT(1);
        }
        TARGET(PRINT_EXPR)
        {
            SAVE();
            result = print_expression(sp[-1]);
            if (!result) goto error;
            drop(result);
            DROP(POP());
            NEXT(1);
        }

        // ---- calls, returning and yielding

#include "vm/eval_frames.h"

        // ---- await and async for

        TARGET(GET_AWAITABLE) REPLACE(1, get_awaitable(sp[-1], frame, ip));
        TARGET(GET_AITER) REPLACE(1, get_aiter(sp[-1]));
        TARGET(GET_ANEXT) REPLACE(0, get_anext(sp[-1]));
        TARGET(END_ASYNC_FOR) // the iterator, three of the handler, traceback, exception, type
        {
            if (!exception_type_check(sp[-1]) ||
                !type_is_subtype(as_type(sp[-1]), StopAsyncIteration))
                goto TARGET_RERAISE;
            SAVE();
            for (int i = 0; i < 3; i++) drop(POP());
            handler_leave(frame, sp - 1);
            sp -= 3;
            DROP(POP());
            NEXT(1);
        }

        // ---- exceptions and with

        TARGET(SETUP_FINALLY)
        {
            if (unlikely(!block_push(frame, ip, sp))) goto error;
            NEXT(1);
        }
        TARGET(SETUP_ASYNC_WITH)
        {
            if (unlikely(!block_push(frame, ip, sp - 1))) goto error;
            NEXT(1);
        }
        TARGET(BEFORE_ASYNC_WITH)
        {
            SAVE();
            Value self = VALUE_ERROR;
            Value enter = find_with(&sp[-1], NAME(__aenter__), NAME(__aexit__), &self);
            REPLACE(0, enter ? call_enter(enter, self) : VALUE_ERROR);
        }
        TARGET(POP_BLOCK)
        {
            invariant(frame->block_count > 0, "a block that ends was begun");
            frame->block_count--;
            NEXT(1);
        }
        TARGET(POP_EXCEPT)
        {
            SAVE();
            handler_leave(frame, sp - 1);
            sp -= 3;
            NEXT(1);
        }
        TARGET(JUMP_IF_NOT_EXC_MATCH)
        {
            bool matches;
            SAVE();
            bool known = exception_matches(sp[-2], sp[-1], &matches);
            drop(POP());
            drop(POP());
            if (unlikely(!known)) goto error;
            if (!matches) JUMP(ip);
            NEXT(1);
        }
        TARGET(RAISE_VARARGS)
        {
            bool again;
            SAVE();
            uint32_t count = ip->arg;
            raise_varargs(sp - count, count, &again);
            while (count-- > 0) drop(POP());
            if (again) goto unwind;
            goto error;
        }
        TARGET(RERAISE)
        {
            SAVE();
            sp -= 3;
            reraise(sp[2], sp[1], sp[0]);
            goto unwind;
        }

        // ---- import

        TARGET(IMPORT_NAME)
        REPLACE(2,
                import_name(frame, tuple_at(as_code(frame->code)->names, ip->arg), sp[-1], sp[-2]));
        TARGET(IMPORT_FROM)
        REPLACE(0, import_from(sp[-1], tuple_at(as_code(frame->code)->names, ip->arg)));
        TARGET(IMPORT_STAR) DO(1, import_star(frame, sp[-1]));

        // ---- what only the loop knows

#include "vm/eval_quick.h"
#if !COMPUTED_GOTO
    }
#endif
unbound_local:
    SAVE();
    raise_unbound_local(frame, ip->arg);
    goto error;
unbound_cell:
    SAVE();
    raise_unbound_cell(frame, ip->arg);
    goto error;

error:
    invariant(error_pending(), "who goes here has raised an exception");
    invariant(thread_state.frame == frame, "it is raised in the frame that runs");
    invariant(sp >= frame_stack(frame), "what is left on the stack is above the variables");
    SAVE();
    frame->sp = sp;
#if !OBSERVED
    if (DIVERTS && unlikely(thread_state.observed)) return run_observed(frame, LOOP_GO_ON_RAISING);
#endif
    traceback_here(frame);
#if OBSERVED
    (void)EVENT(EVENT_EXCEPTION, error_peek());
#endif
unwind:
    invariant(error_pending(), "what is unwound is an exception");
    frame->sp = sp;
    if (unlikely(thread_state.ends)) frame_forget_handlers(frame);
    ip = frame_unwind(frame);
    sp = frame->sp;
    if (ip) {
#if OBSERVED
        line_event_handler(frame);
#endif
        MOVE(frame->ip + 1, ip);
        ARRIVE(0);
    }
#if OBSERVED
    ip = frame->ip;
    (void)EVENT(EVENT_UNWIND, error_peek());
leave_raising:
#endif
    if (frame->flags & FRAME_ENTRY) return VALUE_ERROR;
    MOVE(frame->ip, frame->previous->ip);
    frame = frame_leave_raising(frame);
    ip = frame->ip;
    sp = frame->sp;
    goto error;

#if OBSERVED
refused: // an observer raised at the frame's call or return: its handlers are not asked
    SAVE();
    frame_drop_stack(frame, sp, frame_stack(frame));
    goto leave_raising;
#endif
}
