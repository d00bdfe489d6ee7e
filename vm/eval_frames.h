// A part of the loop: handlers that enter and leave frames. Only vm/eval.c includes this file, in
// the middle of its function, whose labels and variables these handlers use.
//
//     CALL_...       -> function_bound -> link_frame -> enter       a call of a function in script
//     SETUP_WITH     -> frame_entered ... return_special -> with_entered   of __enter__
//                    -> called                                      of anything else
//     RETURN_VALUE   -> leave -> return_special -> return_generator
//     YIELD_VALUE    -> yield -> yield_on                           the caller waits at YIELD_FROM
//     YIELD_FROM, FOR_ITER -> resume -> enter
//
// `callee` points to the callable on the caller's stack: there its result goes.

// ---- calls

TARGET(CALL_FUNCTION)
{
    callee = sp - ip->arg - 1;
    goto call;
}
TARGET(CALL_METHOD)
{
    callee = sp - ip->arg - 2;
    if (*callee) goto call; // what follows is self
    for (Value *slot = callee; slot < sp - 1; slot++) *slot = slot[1];
    sp--;
}
LABEL(call)
{
    size_t nargs = (size_t)(sp - callee) - 1;
    if (unlikely(!is_object(*callee))) goto call_anything;
    Type *type = object_of(*callee)->type;
    if (likely(type == &function_type)) {
        if (unlikely(HOOKED)) goto call_anything;
        const Function *function = as_function(*callee);
        const QuickCode *quick = quick_of(as_code(function->code));
        ssize_t missing = 0;
        if (unlikely(!quick)) goto call_function;
        if (unlikely(quick->simple_argcount != (int32_t)nargs)) {
            missing = positional_missing(quick, function, nargs);
            if (missing < 0) goto call_function;
        }
        if (unlikely(thread_state.top + quick->frame_words > thread_state.limit ||
                     recursion_depth >= recursion_bound))
            goto call_function;
        next = frame_begin_exact(quick, frame, function, *callee, 0);
        recursion_depth++;
        Value *slot = next->localsplus;
        for (size_t i = 0; likely(i < nargs); i++) slot[i] = callee[i + 1];
        slot += nargs;
        for (; unlikely(missing > 0); missing--) {
            const Tuple *defaults = as_tuple(function->defaults);
            *slot++ = retained(defaults->items[defaults->size - missing]);
        }
        SAVE();
        frame->sp = callee;
        sp = next->localsplus + quick->slots;
        while (slot < sp) *slot++ = VALUE_ERROR;
        ip = (Instruction *)quick->instructions;
        if (likely(!quick->cells_and_frees)) goto frame_entered;
        if (unlikely(quick->cells || !function->closure)) goto link_frame;
        slot = sp;
        for (size_t i = quick->cells_and_frees; i-- > 0;)
            *--slot = retained(as_tuple(function->closure)->items[i]);
        goto frame_entered;
    }
#if OBSERVED
    if (unlikely(trace_wants_c_calls) && trace_is_c_call(*callee, nargs)) {
        SAVE();
        result = trace_c_call(*callee, lend(callee + 1), nargs, VALUE_ERROR);
        goto called;
    }
#endif
    if (type == &builtin_type) {
        const Builtin *builtin = as_builtin(*callee);
        if (unlikely(!accepts(builtin->def, nargs) || recursion_depth >= recursion_bound))
            goto call_anything;
        SAVE();
        recursion_depth++;
        result = builtin->def->function(builtin->self, lend(callee + 1), nargs, VALUE_ERROR);
        recursion_depth--;
        goto called;
    }
    if (type == &method_descriptor_type) {
        const MethodDescriptor *method = as_method_descriptor(*callee);
        if (unlikely(nargs == 0 || type_of(callee[1]) != method->owner ||
                     !accepts(method->def, nargs - 1) || recursion_depth >= recursion_bound))
            goto call_anything;
        SAVE();
        recursion_depth++;
        result = method->def->function(callee[1], lend(callee + 2), nargs - 1, VALUE_ERROR);
        recursion_depth--;
        goto called;
    }
    if (type == &method_type) {
        SAVE();
        unbind_method(callee, sp++);
        if (function_check(*callee) && !HOOKED) goto call;
        goto call_anything;
    }
    if (*callee == ref_of(&type_type) && nargs == 1 && recursion_depth < recursion_bound &&
        likely(!(type_of(callee[1])->flags & TYPE_STAND_IN))) {
        result = retain(ref_of(type_of(callee[1])));
        goto called;
    }
    if (*callee == ref_of(&super_type) && nargs == 0 && recursion_depth < recursion_bound) {
        SAVE();
#if !OBSERVED
        if (ip->op == CALL_FUNCTION && ip[1].op == LOAD_METHOD && !DEBUG_NO_QUICKEN) {
            ValueRef self;
            made = super_method_of_frame(tuple_at(as_code(frame->code)->names, ip[1].arg), &self);
            if (likely(made)) { // without the super object
                replace_slot(callee, made);
                PUSH(retain(self));
                NEXT(2);
            }
        }
#endif
        result = super_of_frame();
        goto called;
    }
    if (type == &type_type && likely(!HOOKED)) {
        init = cache_class_call(ip, as_type(*callee));
        if (init) goto instantiate;
    }
}
LABEL(call_anything)
{
    SAVE();
    result = object_call(*callee, lend(callee + 1), (size_t)(sp - callee) - 1, VALUE_ERROR);
}
LABEL(called)
{
    if (unlikely(!result)) goto error;
    invariant(result != ABSENT, "a call gives a value");
    while (sp > callee) drop(POP());
    PUSH(result);
    NEXT(1);
}
// Not only positional arguments of the right number, or no room: by the general path.
LABEL(call_function)
{
    SAVE();
    next = function_frame(as_function(*callee), lend(callee + 1), (size_t)(sp - callee) - 1,
                          VALUE_ERROR, &made);
}
LABEL(function_bound)
{
    if (!next) {
        result = made;
        goto called;
    }
    while (sp > callee) drop(POP());
    frame->sp = sp;
    if (unlikely(++recursion_depth > recursion_bound)) {
        stack_overflow("");
        frame_pop(next);
        goto error;
    }
    next->previous = frame;
}
LABEL(enter)
{
    invariant(next->previous == frame, "who is called knows its caller");
    ip = next->ip + 1;
    sp = next->sp;
}
LABEL(frame_entered)
{
    invariant(next->previous == frame, "who is called knows its caller");
    invariant(sp >= next->localsplus + quick_of(as_code(next->code))->slots,
              "all variables of a new frame are set or empty");
    MOVE(frame->ip + 1, ip);
    frame = next;
    thread_state.frame = frame;
#if OBSERVED
    if (unlikely(!EVENT_AT(ip - 1, EVENT_CALL, NONE))) {
        ip--;
        goto refused;
    }
#endif
    COME_BACK();
    if (likely(!eval_breaker.any)) ARRIVE(0);
    frame->ip = ip - 1;
    frame->sp = sp;
    if (eval_poll()) ARRIVE(0);
    ip--;
    goto error;
}
LABEL(link_frame)
{
    next->ip = ip - 1;
    next->sp = sp;
    ip = frame->ip;
    sp = frame->sp;
    if (likely(bind_closure(next, as_function(next->globals_owner)))) goto enter;
    recursion_depth -= next->flags & FRAME_INIT ? 2 : 1;
    frame_pop(next);
    goto error;
}
TARGET(CALL_FUNCTION_KW)
{
    uint32_t count = ip->arg;
    callee = sp - count - 2;
    SAVE();
#if OBSERVED
    size_t before_names = count - (size_t)tuple_size(sp[-1]);
    if (unlikely(trace_wants_c_calls) && trace_is_c_call(*callee, before_names)) {
        result = trace_c_call(*callee, lend(callee + 1), before_names, sp[-1]);
        goto called;
    }
#endif
    if (is_exactly(*callee, &method_type)) {
        unbind_method(callee, sp++);
        count++;
    }
    if (function_check(*callee) && !HOOKED) {
        size_t positional = count - (size_t)tuple_size(sp[-1]);
        next = function_frame(as_function(*callee), lend(callee + 1), positional, sp[-1], &made);
        goto function_bound;
    }
    result = call_with_keywords(callee, count, sp[-1]);
    goto called;
}
TARGET(CALL_FUNCTION_EX)
{
    bool has_keywords = ip->arg & 1;
    Value *kwargs = has_keywords ? sp - 1 : NULL, *args = has_keywords ? sp - 2 : sp - 1;
    callee = args - 1;
    SAVE();
    if (unlikely(!spread_arguments(*callee, args, kwargs))) goto error;
    ValueRef keywords = kwargs ? *kwargs : VALUE_ERROR, self = VALUE_ERROR;
    ValueRef function = *callee;
#if OBSERVED
    if (unlikely(trace_wants_c_calls) && trace_is_c_call(function, (size_t)tuple_size(*args))) {
        result = trace_c_call_spread(function, *args, keywords);
        goto called;
    }
#endif
    if (is_exactly(function, &method_type)) {
        self = as_method(function)->self;
        function = as_method(function)->function;
    }
    if (function_check(function) && !HOOKED) {
        next = function_frame_spread(as_function(function), self, *args, keywords, &made);
        goto function_bound;
    }
    result = object_call_spread(*callee, *args, keywords);
    goto called;
}

// ---- with

TARGET(SETUP_WITH)
{
    SAVE();
    Value self = VALUE_ERROR;
    Value enter = find_with(&sp[-1], NAME(__enter__), NAME(__exit__), &self);
    if (unlikely(!enter)) goto error;
    const QuickCode *quick = self && !HOOKED ? enterable(as_function(enter), 1) : NULL;
    if (likely(quick)) {
        next = frame_begin_exact(quick, frame, as_function(enter), enter, FRAME_WITH);
        next->localsplus[0] = self;
        recursion_depth++;
        ENTER_FILLED(quick, 1, sp);
    }
    result = call_enter(enter, self);
    if (unlikely(!result)) goto error;
}
LABEL(with_entered)
{
    if (unlikely(!block_push(frame, ip, sp))) {
        drop(result);
        goto error;
    }
    PUSH(result);
    ARRIVE(1);
}
TARGET(WITH_EXCEPT_START) // stack: exit method, three of the handler, traceback, exception, type
{
    SAVE();
    Value exit = sp[-7];
    const QuickCode *quick = NULL;
    if (method_check(exit) && function_check(as_method(exit)->function) && !HOOKED)
        quick = enterable(as_function(as_method(exit)->function), 4);
    if (unlikely(!quick)) REPLACE(0, call_exit(sp - 1));
    const Method *method = as_method(exit);
    next = frame_begin_exact(quick, frame, as_function(method->function),
                             retained(method->function), 0);
    next->localsplus[0] = retained(method->self);
    for (int i = 1; i <= 3; i++) next->localsplus[i] = retained(sp[-i]);
    recursion_depth++;
    ENTER_FILLED(quick, 4, sp);
}

// ---- returning and yielding

TARGET(RETURN_VALUE)
{
    result = POP();
#if OBSERVED
    if (unlikely(ip[-1].op == LOAD_FAST_RETURN_VALUE)) goto leave_seen;
#endif
}
LABEL(leave)
{
#if OBSERVED
    if (unlikely(frame->flags)) goto leave_seen;
    tick_counter.events++;
#endif
    if (!OBSERVED && unlikely(frame->flags)) goto return_special;
}
#if OBSERVED
LABEL(leave_plainly)
#endif
{
    recursion_depth--;
    LEAVE_FRAME();
    PUSH(result);
    ARRIVE(1);
}
#if OBSERVED
// An observer still sees the frame's variables at this event; afterwards the frame ends as
// in the plain loop, LOAD_FAST_RETURN_VALUE included.
LABEL(leave_seen)
{
    if (!EVENT(EVENT_RETURN, result)) {
        drop(result);
        goto refused;
    }
    frame->flags &= ~(uint32_t)(FRAME_LINES | FRAME_LINES_SEEN | FRAME_SKIPPED);
    if (ip[-1].op == LOAD_FAST_RETURN_VALUE && LOCAL(ip[-1].arg) == result &&
        !(frame->flags & FRAME_OBJECT))
        drop_slot(&LOCAL(ip[-1].arg));
    if (frame->flags) goto return_special;
    goto leave_plainly;
}
#endif
LABEL(return_special)
{
    if (frame->flags == FRAME_INIT && result == NONE) {
        recursion_depth -= 2;
        LEAVE_FRAME();
        ARRIVE(1);
    }
    if (frame->flags == FRAME_WITH) {
        recursion_depth--;
        LEAVE_FRAME();
        goto with_entered;
    }
    SAVE();
    frame->sp = sp;
    if (frame->flags & FRAME_GENERATOR) goto return_generator;
    if (frame->flags & FRAME_ENTRY) return result;
    bool is_init = frame->flags & FRAME_INIT, is_enter = frame->flags & FRAME_WITH;
    Frame *caller = frame->previous;
    MOVE(ip, caller->ip);
    thread_state.frame = caller;
    frame_pop(frame);
    recursion_depth -= 1 + is_init;
    frame = caller;
    ip = frame->ip;
    sp = frame->sp;
    if (is_enter) goto with_entered;
    if (!is_init) {
        PUSH(result);
        ARRIVE(1);
    }
    if (likely(result == NONE)) ARRIVE(1);
    SAVE();
    raise_error(TypeError, "__init__() should return None, not '%.200T'", (ValueRef)result);
    drop(result);
    goto error;
}
LABEL(return_generator)
{
    Generator *generator = generator_of(frame);
    invariant(generator->state == GENERATOR_RUNNING, "who returns was running");
    invariant(handled_top == &generator->handled, "a generator has its own exc_info");
    generator->state = GENERATOR_FINISHED;
    if (frame->flags & FRAME_ENTRY) return result;
    Frame *caller = frame->previous;
    MOVE(ip, caller->ip);
    thread_state.frame = caller;
    recursion_depth--;
    generator_leave(generator);
    generator_finish(generator);
    frame = caller;
    ip = frame->ip;
    sp = frame->sp;
#if OBSERVED
    if (!trace_stop_value(frame, result)) {
        drop(result);
        if (ip->op == YIELD_FROM) goto error;
        error_clear(); // as FOR_ITER does in CPython
        goto for_end;
    }
#endif
    if (ip->op == YIELD_FROM) {
        drop(sp[-1]);
        sp[-1] = result;
        ARRIVE(1);
    }
    drop(result);
    goto for_end;
}
TARGET(YIELD_VALUE)
{
    result = POP();
    SAVE();
    if (as_code(frame->code)->flags & CO_ASYNC_GENERATOR) {
        result = async_generator_wrap(result);
        if (unlikely(!result)) goto error;
    }
    frame->sp = sp;
}
LABEL(yield)
{
#if OBSERVED
    if (!EVENT(EVENT_RETURN, result)) {
        drop(result);
        goto refused;
    }
#endif
    Generator *generator = generator_of(frame);
    invariant(generator->state == GENERATOR_RUNNING, "who yields was running");
    generator->state = GENERATOR_SUSPENDED;
    if (frame->flags & FRAME_ENTRY) return result;
    Frame *caller = frame->previous;
    MOVE(ip, caller->ip);
    thread_state.frame = caller;
    recursion_depth--;
    generator_leave(generator);
    frame = caller;
    ip = frame->ip;
    sp = frame->sp;
    if (ip->op == YIELD_FROM) goto yield_on;
    PUSH(result);
    ARRIVE(1);
}
// A value that the receiver of `yield from` yields is passed to the frame that resumed this
// one; when this frame is resumed, YIELD_FROM runs again.
LABEL(yield_on)
{
    MOVE(ip, ip - 1);
    ip--;
    SAVE();
    frame->sp = sp;
    frame->flags |= FRAME_DELEGATES;
    goto yield;
}
TARGET(YIELD_FROM)
{
    Value sent = POP();
    SAVE();
    if (generator_check(sp[-1]) && !HOOKED) {
        Generator *generator = as_generator(sp[-1]);
        if (generator->state == GENERATOR_SUSPENDED) {
            *generator->frame.sp++ = sent;
            goto resume;
        }
        if (generator->state == GENERATOR_CREATED && sent == NONE) goto resume;
    }
    Value value, returned;
    value = delegate_step(sp[-1], sent, &returned);
    drop(sent);
    if (unlikely(!value)) goto error;
    if (value == ABSENT) {
        drop(sp[-1]);
        sp[-1] = returned;
        NEXT(1);
    }
    result = value;
    goto yield_on;
}
// Continues in the generator on top of the stack; the value sent is already on the
// generator's own stack.
LABEL(resume)
{
    Generator *generator = as_generator(sp[-1]);
    invariant(generator->state <= GENERATOR_SUSPENDED, "who is resumed was waiting");
    frame->sp = sp;
    SAVE();
    if (unlikely(HOOKED)) goto resume_hooked;
    if (unlikely(++recursion_depth > recursion_bound)) {
        stack_overflow("");
        if (generator->state == GENERATOR_SUSPENDED) drop(*--generator->frame.sp);
        goto error;
    }
    generator_enter(generator);
    next = &generator->frame;
    next->previous = frame;
    goto enter;
}
LABEL(resume_hooked) // FOR_ITER only
{
    Generator *generator = as_generator(sp[-1]);
    if (generator->state == GENERATOR_SUSPENDED) generator->frame.sp--;
    Value item = generator_next(sp[-1]);
    if (likely(item && item != ABSENT)) {
        PUSH(item);
        NEXT(1);
    }
    if (!item) goto for_failed;
#if OBSERVED
    if (!trace_stop_value(frame, NONE)) error_clear();
#endif
    goto for_end;
}
