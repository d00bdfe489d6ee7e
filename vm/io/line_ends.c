// The kinds of line ends that a stream has seen: its attribute `newlines`.
#include "objects/containers/tuple.h"
#include "objects/text/str.h"
#include "vm/io/io.h"

Value newlines_seen(unsigned seen)
{
    static const char *const ends[] = {"\r", "\n", "\r\n"};
    Value found[3];
    size_t count = 0;
    for (int i = 0; i < 3; i++)
        if (seen & 1u << i) found[count++] = str_new(ends[i]);
    if (count == 0) return NONE;
    return count == 1 ? found[0] : tuple_from_owned(found, count);
}

unsigned line_ends_in(ValueRef decoded, bool ended, unsigned seen)
{
    const Str *str = as_str(decoded);
    ssize_t length = str->length, at = 0;
    ssize_t cr = str_find_char(decoded, '\r', at, length, 1);
    while (cr >= 0 && (cr + 1 < length || ended) && seen != SEEN_ALL) {
        bool pair = cr + 1 < length && str_at(str, cr + 1) == '\n';
        if (!(seen & SEEN_LF) && str_find_char(decoded, '\n', at, cr, 1) >= 0) seen |= SEEN_LF;
        seen |= pair ? SEEN_CRLF : SEEN_CR;
        at = cr + (pair ? 2 : 1);
        cr = str_find_char(decoded, '\r', at, length, 1);
    }
    bool has_lf = seen & SEEN_LF || str_find_char(decoded, '\n', at, length, 1) >= 0;
    return has_lf ? seen | SEEN_LF : seen;
}
