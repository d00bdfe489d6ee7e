// The rest of the loop: handlers of the quick instructions (vm/quick.def). Only vm/eval.c includes
// this file, in the middle of its function, whose labels and variables these handlers use.
//
// A quick instruction does the work of one bytecode, or of several in a row, in a common case. Its
// handler first tests for that case, by a cache or by the operands' types. If the test fails,
// nothing has been changed yet, and the handler jumps to that of the bytecode (of several: the
// first).

// ---- variables

TARGET(LOAD_FAST_LOAD_FAST)
{
    Value first = LOCAL(ip[0].arg), second = LOCAL(ip[1].arg);
    if (unlikely(!first || !second)) goto TARGET_LOAD_FAST;
    sp[0] = retained(first);
    sp[1] = retained(second);
    sp += 2;
    NEXT(2);
}
TARGET(LOAD_FAST_LOAD_CONST)
{
    Value first = LOCAL(ip[0].arg);
    if (unlikely(!first)) goto TARGET_LOAD_FAST;
    sp[0] = retained(first);
    sp[1] = retain(ip[1].value);
    sp += 2;
    NEXT(2);
}
TARGET(STORE_FAST_LOAD_FAST)
{
    Value old = LOCAL(ip[0].arg);
    LOCAL(ip[0].arg) = POP();
    DROP(old);
    ip++;
    goto TARGET_LOAD_FAST;
}

// ---- names

TARGET(LOAD_GLOBAL_MODULE)
{
    const Dict *globals = as_dict(frame->globals);
    if (unlikely(globals->keys_version != ip->key)) goto TARGET_LOAD_GLOBAL;
    invariant((ssize_t)ip->slot < globals->filled && globals->entries[ip->slot].key,
              "while the version of the keys is the same, the entry is the name's");
    PUSH(retain(globals->entries[ip->slot].value));
    NEXT(1);
}
TARGET(LOAD_GLOBAL_BUILTIN)
{
    const Dict *builtins = as_dict(thread_state.builtin_names);
    if (unlikely(as_dict(frame->globals)->keys_version != ip->key ||
                 builtins->keys_version != ip->slot))
        goto TARGET_LOAD_GLOBAL;
    PUSH(retain(builtins->entries[ip->index].value));
    NEXT(1);
}
TARGET(STORE_GLOBAL_MODULE)
{
    Dict *globals = (Dict *)object_of(frame->globals);
    if (unlikely(globals->keys_version != ip->key)) goto TARGET_STORE_GLOBAL;
    SAVE();
    dict_modified(frame->globals);
    replace_slot(&globals->entries[ip->slot].value, POP());
    NEXT(1);
}
TARGET(LOAD_NAME_MODULE)
{
    if (unlikely(frame->locals != frame->globals)) goto TARGET_LOAD_NAME;
    const Dict *globals = as_dict(frame->globals);
    if (unlikely(globals->keys_version != ip->key)) goto TARGET_LOAD_NAME;
    PUSH(retain(globals->entries[ip->slot].value));
    NEXT(1);
}
TARGET(LOAD_NAME_BUILTIN)
{
    const Dict *builtins = as_dict(thread_state.builtin_names);
    if (unlikely(frame->locals != frame->globals ||
                 as_dict(frame->globals)->keys_version != ip->key ||
                 builtins->keys_version != ip->slot))
        goto TARGET_LOAD_NAME;
    PUSH(retain(builtins->entries[ip->index].value));
    NEXT(1);
}
TARGET(STORE_NAME_MODULE)
{
    Dict *globals = (Dict *)object_of(frame->globals);
    if (unlikely(frame->locals != frame->globals || globals->keys_version != ip->key))
        goto TARGET_STORE_NAME;
    SAVE();
    dict_modified(frame->globals);
    replace_slot(&globals->entries[ip->slot].value, POP());
    NEXT(1);
}

// ---- attributes

TARGET(LOAD_ATTR_SLOT)
{
    Value owner = sp[-1];
    if (!is_object(owner) || object_of(owner)->type->version != ip->key) goto TARGET_LOAD_ATTR;
    const Instance *instance = as_instance(owner);
    if (unlikely(ip->slot >= instance->count)) goto TARGET_LOAD_ATTR;
    invariant(!instance->dict, "attributes are in the instance until there is a dict");
    sp[-1] = retained(instance->values[ip->slot]);
    DROP(owner);
    NEXT(1);
}
TARGET(LOAD_FAST_ATTR_SLOT)
{
    Value owner = LOCAL(ip->arg);
    if (!is_object(owner) || object_of(owner)->type->version != ip[1].key) goto TARGET_LOAD_FAST;
    const Instance *instance = as_instance(owner);
    if (unlikely(ip[1].slot >= instance->count)) goto TARGET_LOAD_FAST;
    PUSH(retained(instance->values[ip[1].slot]));
    NEXT(2);
}
TARGET(LOAD_ATTR_MEMBER)
{
    Value owner = sp[-1];
    if (!is_object(owner) || object_of(owner)->type->version != ip->key) goto TARGET_LOAD_ATTR;
    Value value = MEMBER(owner, ip->slot);
    if (unlikely(!value)) goto TARGET_LOAD_ATTR;
    sp[-1] = retained(value);
    DROP(owner);
    NEXT(1);
}
TARGET(LOAD_FAST_ATTR_MEMBER)
{
    Value owner = LOCAL(ip->arg);
    if (!is_object(owner) || object_of(owner)->type->version != ip[1].key) goto TARGET_LOAD_FAST;
    Value value = MEMBER(owner, ip[1].slot);
    if (unlikely(!value)) goto TARGET_LOAD_FAST;
    PUSH(retained(value));
    NEXT(2);
}
TARGET(LOAD_ATTR_CLASS)
{
    Value owner = sp[-1];
    if (!is_object(owner) || object_of(owner)->type->version != ip->version ||
        as_instance(owner)->dict)
        goto TARGET_LOAD_ATTR;
    sp[-1] = retain(ip->value);
    DROP(owner);
    NEXT(1);
}
TARGET(LOAD_ATTR_MODULE)
{
    Value owner = sp[-1];
    if (!is_exactly(owner, &module_type)) goto TARGET_LOAD_ATTR;
    const Dict *names = as_dict(as_module(owner)->dict);
    if (names->keys_version != ip->key) goto TARGET_LOAD_ATTR;
    sp[-1] = retained(names->entries[ip->slot].value);
    DROP(owner);
    NEXT(1);
}
TARGET(STORE_ATTR_SLOT)
{
    Value owner = sp[-1], old = VALUE_ERROR;
    if (!is_object(owner) || object_of(owner)->type->version != ip->key) goto TARGET_STORE_ATTR;
    Instance *instance = as_instance(owner);
    if (ip->slot < instance->count)
        old = instance->values[ip->slot];
    else if (ip->slot == instance->count && ip->slot < instance->capacity && !instance->dict)
        instance->count++;
    else
        goto TARGET_STORE_ATTR;
    instance->values[ip->slot] = sp[-2];
    sp -= 2;
    DROP(old);
    DROP(owner);
    NEXT(1);
}
TARGET(STORE_ATTR_MEMBER)
{
    Value owner = sp[-1];
    if (!is_object(owner) || object_of(owner)->type->version != ip->key) goto TARGET_STORE_ATTR;
    Value old = MEMBER(owner, ip->slot);
    MEMBER(owner, ip->slot) = sp[-2];
    sp -= 2;
    DROP(old);
    DROP(owner);
    NEXT(1);
}
TARGET(LOAD_METHOD_INSTANCE)
{
    Value owner = sp[-1];
    if (!is_object(owner) || object_of(owner)->type->version != ip->version ||
        as_instance(owner)->dict)
        goto TARGET_LOAD_METHOD;
    sp[-1] = retain(ip->value);
    PUSH(owner);
    NEXT(1);
}
TARGET(LOAD_FAST_METHOD_INSTANCE)
{
    Value owner = LOCAL(ip->arg);
    if (!is_object(owner) || object_of(owner)->type->version != ip[1].version ||
        as_instance(owner)->dict)
        goto TARGET_LOAD_FAST;
    sp[0] = retain(ip[1].value);
    sp[1] = retained(owner);
    sp += 2;
    NEXT(2);
}
TARGET(LOAD_METHOD_TYPE)
{
    Value owner = sp[-1];
    if (!is_object(owner) || object_of(owner)->type->version != ip->version)
        goto TARGET_LOAD_METHOD;
    sp[-1] = retain(ip->value);
    PUSH(owner);
    NEXT(1);
}
TARGET(LOAD_METHOD_MODULE)
{
    Value owner = sp[-1];
    if (!is_exactly(owner, &module_type)) goto TARGET_LOAD_METHOD;
    const Dict *names = as_dict(as_module(owner)->dict);
    if (names->keys_version != ip->key) goto TARGET_LOAD_METHOD;
    sp[-1] = VALUE_ERROR;
    PUSH(retained(names->entries[ip->slot].value));
    DROP(owner);
    NEXT(1);
}

// Sites that see too many types for a cache of their own ask the table of all lookups
// (objects/type.h).
TARGET(LOAD_ATTR_MANY)
{
    Value owner = sp[-1];
    if (!is_object(owner)) goto TARGET_LOAD_ATTR;
    const Lookup *known = lookup_entry(object_of(owner)->type->version, ip->value);
    if (unlikely(!is_field(known, owner, ip->value))) goto TARGET_LOAD_ATTR;
    const Instance *instance = as_instance(owner);
    if (unlikely((uint32_t)known->key >= instance->count)) goto TARGET_LOAD_ATTR;
    sp[-1] = retained(instance->values[known->key]);
    DROP(owner);
    NEXT(1);
}
TARGET(STORE_ATTR_MANY)
{
    Value owner = sp[-1], old = VALUE_ERROR;
    if (!is_object(owner)) goto TARGET_STORE_ATTR;
    const Lookup *known = lookup_entry(object_of(owner)->type->version, ip->value);
    if (unlikely(!is_field(known, owner, ip->value))) goto TARGET_STORE_ATTR;
    Instance *instance = as_instance(owner);
    uint32_t at = (uint32_t)known->key;
    if (at < instance->count)
        old = instance->values[at];
    else if (at == instance->count && at < instance->capacity && !instance->dict)
        instance->count++;
    else
        goto TARGET_STORE_ATTR;
    instance->values[at] = sp[-2];
    sp -= 2;
    DROP(old);
    DROP(owner);
    NEXT(1);
}
TARGET(LOAD_METHOD_MANY)
{
    Value owner = sp[-1];
    if (!is_object(owner)) goto TARGET_LOAD_METHOD;
    const Lookup *known = lookup_entry(object_of(owner)->type->version, ip->value);
    if (unlikely(!is_method(known, owner, ip->value))) goto TARGET_LOAD_METHOD;
    sp[-1] = retain(known->found);
    PUSH(owner);
    NEXT(1);
}

// ---- operators

// Each operator, fused with every form of the loads of its operands, and once more with a
// STORE_FAST after it. If `function` cannot do the operands, only the first load is executed.
#define NUMBER(op, base, function, left, right, taken, loads)                                      \
    TARGET(op)                                                                                     \
    {                                                                                              \
        Value number;                                                                              \
        if (!function(left, right, &number)) goto TARGET_##base;                                   \
        sp[-taken] = number;                                                                       \
        sp += 1 - taken;                                                                           \
        NEXT(loads + 1);                                                                           \
    }
#define NUMBER_STORE(op, base, function, left, right, taken, loads)                                \
    TARGET(op##_STORE)                                                                             \
    {                                                                                              \
        Value number;                                                                              \
        if (!function(left, right, &number)) goto TARGET_##base;                                   \
        sp -= taken;                                                                               \
        ip += loads + 1;                                                                           \
        Value old = LOCAL(ip->arg);                                                                \
        LOCAL(ip->arg) = number;                                                                   \
        DROP(old);                                                                                 \
        NEXT(1);                                                                                   \
    }
#define ARITHMETIC(name, function, binary, inplace)                                                \
    FORMS(NUMBER, name, function) FORMS(NUMBER_STORE, name, function)

// Each comparison, fused with the jump that is taken if it is false.
#define COMPARE_JUMP(op, base, function, left, right, taken, loads)                                \
    TARGET(op)                                                                                     \
    {                                                                                              \
        int truth = function(left, right);                                                         \
        if (truth < 0) goto compare_texts;                                                         \
        sp -= taken;                                                                               \
        if (!truth) JUMP(ip + loads + 1);                                                          \
        NEXT(loads + 2);                                                                           \
    }
#define COMPARISON(name, function, operator, opposite)                                             \
    COMPARISON_FORMS(COMPARE_JUMP, JUMP_##name, function)
#include "vm/quick.def"
#undef NUMBER
#undef NUMBER_STORE
#undef COMPARE_JUMP

// All of them for two texts, with what each did not test yet: in thirty copies it would cost more
// than it gains.
LABEL(compare_texts)
{
    ValueRef left, right;
    int taken, loads, base, truth;
    uint32_t operator;
    switch (ip->op) {
#define TEXTS(op, base_, operator_, left_, right_, taken_, loads_)                                 \
    case op:                                                                                       \
        left = left_, right = right_, operator= operator_;                                         \
        base = base_, taken = taken_, loads = loads_;                                              \
        break;
#define ARITHMETIC(name, function, binary, inplace)
#define COMPARISON(name, function, operator, opposite)                                             \
    COMPARISON_FORMS(TEXTS, JUMP_##name, operator)
#include "vm/quick.def"
#undef TEXTS
    default: GO(quick_base(ip->op));
    }
    if (!str_check_exact(left) || !str_check_exact(right)) GO(base);
    truth = compare_texts(left, right, operator);
    for (; taken > 0; taken--) DROP(POP());
    if (!truth) JUMP(ip + loads + 1);
    NEXT(loads + 2);
}

TARGET(IS_OP_JUMP)
{
    Value right = sp[-1], left = sp[-2];
    bool truth = (left == right) ^ (ip->arg & 1);
    bool wanted = ip[1].op == POP_JUMP_IF_TRUE;
    sp -= 2;
    DROP(right);
    DROP(left);
    if (truth == wanted) JUMP(ip + 1);
    NEXT(2);
}

TARGET(IS_CONST_JUMP)
{
    Value left = POP();
    bool truth = (left == ip->value) ^ (ip[1].arg & 1);
    ip++;
    DROP(left);
    if (truth == (ip[1].op == POP_JUMP_IF_TRUE)) JUMP(ip + 1);
    NEXT(2);
}
TARGET(IS_FAST_CONST_JUMP)
{
    Value left = LOCAL(ip->arg);
    if (unlikely(!left)) goto unbound_local;
    bool truth = (left == ip[1].value) ^ (ip[2].arg & 1);
    if (truth == (ip[3].op == POP_JUMP_IF_TRUE)) JUMP(ip + 3);
    NEXT(4);
}

// ---- subscripts

#define SUBSCR(name, index)                                                                        \
    TARGET(name)                                                                                   \
    {                                                                                              \
        Value container = LOCAL(ip[0].arg);                                                        \
        ValueRef key = (index), found = VALUE_ERROR;                                               \
        if (!is_object(container) || !is_small(key)) goto TARGET_LOAD_FAST;                        \
        if (object_of(container)->type == &list_type)                                              \
            found = item_at(as_list(container)->items, list_size(container), key);                 \
        else if (object_of(container)->type == &tuple_type)                                        \
            found = item_at(as_tuple(container)->items, tuple_size(container), key);               \
        else if (object_of(container)->type == &str_type)                                          \
            found = str_shared_at(container, small_value(key));                                    \
        if (unlikely(!found)) goto TARGET_LOAD_FAST;                                               \
        PUSH(retain(found));                                                                       \
        NEXT(3);                                                                                   \
    }
SUBSCR(SUBSCR_FAST_FAST, LOCAL(ip[1].arg))
SUBSCR(SUBSCR_FAST_CONST, ip[1].value)
#undef SUBSCR
TARGET(STORE_SUBSCR_FAST_FAST)
{
    Value container = LOCAL(ip[0].arg), key = LOCAL(ip[1].arg);
    if (!is_exactly(container, &list_type) || !is_small(key)) goto TARGET_LOAD_FAST;
    uint64_t at = (uint64_t)small_value(key);
    if (unlikely(at >= (uint64_t)list_size(container))) goto TARGET_LOAD_FAST;
    Value old = as_list(container)->items[at];
    if (OBSERVED && is_object(old)) goto TARGET_LOAD_FAST; // it may see reference counts
    as_list(container)->items[at] = POP();
    ip += 2;
    DROP(old);
    NEXT(1);
}

// ---- jumps and iteration

TARGET(JUMP_FOR_ITER) // which polls
{
    JUMP(ip);
}
#if JIT && !OBSERVED
TARGET(JUMP_WARM) // counts, for the JIT (vm/jit/jit.h)
{
    POLL();
    if (unlikely(++ip->index >= jit_options.threshold)) {
        SAVE();
        frame->sp = sp;
        jit_compile(frame, ip);
    }
    JUMP(ip);
}
TARGET(FOR_ITER_WARM)
{
    if (likely(++ip->index < jit_options.threshold)) goto TARGET_FOR_ITER;
    SAVE();
    frame->sp = sp;
    jit_compile(frame, ip);
    goto TARGET_FOR_ITER;
}
TARGET(RETURN_WARM)
{
    ip->index += 2; // so that a function is compiled before the loop that calls it
    if (likely(ip->index < jit_options.threshold)) goto TARGET_RETURN_VALUE;
    SAVE();
    frame->sp = sp;
    jit_compile(frame, ip);
    goto TARGET_RETURN_VALUE;
}
TARGET(JUMP_MACHINE)
{
    POLL();
    if (unlikely(thread_state.observed)) JUMP(ip);
    frame->sp = sp;
    ip = jit_run(frame, ip);
    frame = thread_state.frame;
    sp = frame->sp;
    NEXT(0);
}
TARGET(FOR_ITER_MACHINE)
TARGET(ENTER_MACHINE)
{
    frame->sp = sp;
    Instruction *planted = ip;
    ip = jit_run(frame, ip);
    frame = thread_state.frame;
    sp = frame->sp;
    if (ip == planted && ip->op == FOR_ITER_MACHINE) goto TARGET_FOR_ITER;
    if (ip == planted && ip->op == ENTER_MACHINE) GO(jit_first_op(frame));
    NEXT(0);
}
#else
TARGET(JUMP_WARM)
TARGET(JUMP_MACHINE)
{
    goto TARGET_JUMP_ABSOLUTE;
}
TARGET(FOR_ITER_WARM)
TARGET(FOR_ITER_MACHINE)
{
    goto TARGET_FOR_ITER;
}
TARGET(RETURN_WARM)
{
#if OBSERVED
    result = POP();
    goto leave_seen;
#else
    goto TARGET_RETURN_VALUE;
#endif
}
TARGET(ENTER_MACHINE)
{
    GO(quick_base(jit_first_op(frame)));
}
#endif
TARGET(LOAD_FAST_POP_JUMP)
{
    int truth = quick_truth(LOCAL(ip->arg));
    if (truth < 0) goto TARGET_LOAD_FAST;
    if (truth == (ip[1].op == POP_JUMP_IF_TRUE)) JUMP(ip + 1);
    NEXT(2);
}
TARGET(POP_JUMP_BACK_IF_FALSE)
{
    POLL();
    goto TARGET_POP_JUMP_IF_FALSE;
}
TARGET(POP_JUMP_BACK_IF_TRUE)
{
    POLL();
    goto TARGET_POP_JUMP_IF_TRUE;
}
TARGET(FOR_ITER_STORE_FAST)
{
    POLL();
    Value item = next_item(object_of(sp[-1]));
    if (unlikely(!item)) goto for_end;
    if (unlikely(item == ABSENT)) goto for_other;
    Value old = LOCAL(ip[1].arg);
    LOCAL(ip[1].arg) = item;
    ip++;
    DROP(old);
    NEXT(1);
}
TARGET(FOR_ITER_GENERATOR) // one that waits; `resume` is for the others
{
#if OBSERVED
    goto TARGET_FOR_ITER;
#else
    Generator *generator = (Generator *)object_of(sp[-1]);
    if (unlikely(generator->base.type != &generator_type)) {
        ip->op = quick_base(ip[1].op) == STORE_FAST ? FOR_ITER_STORE_FAST : FOR_ITER;
        goto TARGET_FOR_ITER;
    }
    POLL();
    if (unlikely(generator->state != GENERATOR_SUSPENDED || HOOKED ||
                 recursion_depth >= recursion_bound))
        goto for_other;
    SAVE();
    frame->sp = sp;
    recursion_depth++;
    generator_enter(generator);
    next = &generator->frame;
    next->previous = frame;
    frame = thread_state.frame = next;
    ip = next->ip + 1;
    sp = next->sp;
    if (likely(ip->op == POP_TOP)) NEXT(1); // it would drop the None that is sent
    PUSH(NONE);
    NEXT(0);
#endif
}
TARGET(FOR_ITER_UNPACK) // a pair
#if OBSERVED
TARGET(FOR_ITER_UNPACK_STORE)
#endif
{
    PairFn next_pair = iterator_pair_function(object_of(sp[-1]));
    if (unlikely(!next_pair)) goto TARGET_FOR_ITER;
    POLL();
    SAVE();
#if OBSERVED // makes and unpacks the tuple that an observer of each instruction would see
    Value pair = object_of(sp[-1])->type->next(sp[-1]);
    if (likely(pair && pair != ABSENT)) {
        invariant(tuple_check(pair) && tuple_size(pair) == 2, "iterators of pairs give pairs");
        sp[0] = retained(as_tuple(pair)->items[1]);
        sp[1] = retained(as_tuple(pair)->items[0]);
        sp += 2;
        DROP(pair);
        NEXT(2);
    }
    if (!pair) goto for_failed;
    goto for_end;
#else
    Value second, first = next_pair(sp[-1], &second);
    if (likely(first && first != ABSENT)) {
        sp[0] = second;
        sp[1] = first;
        sp += 2;
        NEXT(2);
    }
    if (!first) goto for_failed;
    goto for_end;
#endif
}

#if !OBSERVED
TARGET(FOR_ITER_UNPACK_STORE) // into two variables
{
    PairFn next_pair = iterator_pair_function(object_of(sp[-1]));
    if (unlikely(!next_pair)) goto TARGET_FOR_ITER;
    POLL();
    SAVE();
    Value second, old, first = next_pair(sp[-1], &second);
    if (unlikely(!first)) goto for_failed;
    if (unlikely(first == ABSENT)) goto for_end;
    PUSH(second); // as the first STORE_FAST leaves it
    ip += 2;
    old = LOCAL(ip->arg);
    LOCAL(ip->arg) = first;
    DROP(old);
    ip++;
    old = LOCAL(ip->arg);
    LOCAL(ip->arg) = POP();
    DROP(old);
    NEXT(1);
}
#endif

// ---- calls

TARGET(CALL_CLASS)
{
    callee = sp - ip->index - 1;
    if (!is_exactly(*callee, &type_type) || unlikely(HOOKED)) {
        ip->arg = ip->index;
        ip->op = CALL_FUNCTION;
        goto call;
    }
    if (as_type(*callee)->version != ip->version) goto call;
    init = as_function(ip->value);
}
LABEL(instantiate)
{
    size_t nargs = (size_t)(sp - callee) - 1;
    const QuickCode *quick = quick_of(as_code(init->code));
    if (unlikely(!quick || quick->simple_argcount != (int32_t)nargs + 1 ||
                 recursion_depth + 2 > recursion_bound ||
                 thread_state.top + quick->frame_words > thread_state.limit))
        goto call_anything;
    SAVE();
    Type *class = as_type(*callee);
    Value instance = class->new_(class, lend(callee + 1), nargs, VALUE_ERROR);
    if (unlikely(!instance)) goto error;
    next = frame_begin_exact(quick, frame, init, retain(ref_of(init)), FRAME_INIT);
    recursion_depth += 2; // the class and its __init__
    next->localsplus[0] = retained(instance);
    for (size_t i = 1; i <= nargs; i++) next->localsplus[i] = callee[i];
    drop(*callee); // the instance holds its class
    *callee = instance;
    ENTER_FILLED(quick, nargs + 1, callee + 1);
}
TARGET(LOAD_FAST_RETURN_VALUE) // which takes the value out of the variable
{
    if (OBSERVED && unlikely(frame->flags)) goto TARGET_LOAD_FAST; // RETURN_VALUE takes it out
    result = LOCAL(ip->arg);
    if (unlikely(!result)) goto unbound_local;
    if (unlikely(frame->flags & FRAME_OBJECT))
        retain(result); // f_locals shows the variable still
    else
        LOCAL(ip->arg) = VALUE_ERROR;
    ip++;
    goto leave;
}

// ---- code from elsewhere

TARGET(CHECKED)
{
    if (ip->index == FOR_ITER && is_object(sp[-1]) && object_of(sp[-1])->type->next)
        goto TARGET_FOR_ITER; // in short, for it is in loops
    SAVE();
    if (unlikely(!check_operands(frame, ip, sp))) goto error;
    GO(ip->index);
}
