// objects/ alone: a dict is made, filled and shown.
#include "objects/dict.h"
#include "objects/init.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <stdio.h>

int main(void)
{
    if (!objects_init()) return 1;
    Value dict = dict_new();
    if (!dict || !dict_set_ascii(dict, "answer", from_small(42))) return 1;
    Value text = object_repr(dict);
    puts(str_utf8(text, NULL));
    drop(text);
    drop(dict);
    objects_finish();
    return 0;
}
