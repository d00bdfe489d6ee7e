// See text_options.h.
#include "vm/io/text_options.h"

#include "objects/error.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "vm/io/io.h"
#include "vm/io/text_encodings.h"

#include <string.h>

bool text_newline(const char *newline, Newlines *kind)
{
    static const char *const texts[] = {"", "\n", "\r", "\r\n"};
    *kind = UNIVERSAL;
    if (!newline) return true;
    for (int i = 0; i < 4; i++) {
        if (strcmp(newline, texts[i]) != 0) continue;
        *kind = (Newlines)(KEEP_ALL + i);
        return true;
    }
    return raise_error(ValueError, "illegal newline value: %s", newline);
}

bool text_option(ValueRef value, const char *name, const char **text)
{
    if (!value || value == NONE) return true;
    if (!str_check(value))
        return raise_error(TypeError, "TextIOWrapper() argument '%s' must be str or None, not %T",
                           name, value);
    *text = str_utf8(value, NULL);
    return *text != NULL;
}

bool text_flag(ValueRef value, bool *flag)
{
    int number;
    if (!value) return true;
    if (!argument_int(value, &number)) return false;
    *flag = number != 0;
    return true;
}

bool text_ask_buffer(ValueRef buffer, const char *encoding, bool has_codec, TextAbilities *found)
{
    bool seekable = false;
    if (!stream_ask(buffer, "readable", &found->readable) ||
        !stream_ask(buffer, "writable", &found->writable) ||
        (has_codec && !stream_ask(buffer, "seekable", &found->telling)) ||
        !stream_has(buffer, "read1", &found->has_read1))
        return false;
    found->has_mark = mark_size(encoding) == 0;
    if (found->has_mark || !found->writable) return true;
    if (!stream_ask(buffer, "seekable", &seekable)) return false;
    return !seekable || stream_ask(buffer, "tell", &found->has_mark);
}
