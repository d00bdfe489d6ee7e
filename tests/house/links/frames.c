// objects/ and frames/: PEP 523's pointer, with an evaluator of our own and none of the loop.
#include "frames/hook.h"
#include "objects/init.h"

#include <stdio.h>

static Value answer(ThreadState *thread, Frame *frame, int throwflag)
{
    (void)thread, (void)frame;
    return from_small(throwflag ? 0 : 42);
}

static Value twice(ThreadState *thread, Frame *frame, int throwflag)
{
    return from_small(2 * small_value(eval_frame_get_default()(thread, frame, throwflag)));
}

int main(void)
{
    if (!objects_init() || !frame_types_init()) return 1;
    Frame frame = {0};
    hook_init(answer, answer);
    printf("%lld", (long long)small_value(eval_frame(&frame, 0)));
    eval_frame_set(twice);
    printf(" %lld\n", (long long)small_value(eval_frame(&frame, 0)));
    eval_frame_set(NULL);
    objects_finish();
    return 0;
}
