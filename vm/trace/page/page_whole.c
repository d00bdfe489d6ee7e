// Which whole values are in the page, and what is new in one.
//
// A container is known by its address; `marks` has a mark of each of its items as they were when
// it was looked at last. Where its items outgrow their room, they move to the end; where there is
// no room, all is forgotten, and versions are written without the ones before.
#include "vm/trace/page/page_whole.h"

#include "vm/modules/collections/collections.h"
#include "vm/trace/page/page_out.h"

#include "objects/bytes/bytes.h"
#include "objects/containers/list.h"
#include "objects/containers/set.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/looking/show.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "objects/type.h"

#define LOOKS 16000000 // that a program begins with, and has at most
#define LOOKS_EARNED 64
#define OBJECT_LOOKS 16 // as long as it takes to show an item that is an object
#define BYTE_LOOKS 4    // a byte in the page costs
#define MAX_LARGE 256
#define MAX_KNOWN 4096 // a power of two
#define MAX_MARKS (2 * WHOLE_ITEMS)
#define TEXT_BYTES 1000000
#define ITEM_BYTES 1000
#define DIGEST_START 14695981039346656037ull // of FNV-1a

static const ShowLimits whole_limits = {.depth = 1, .text = TEXT_BYTES};
static const ShowLimits item_limits = {.depth = 2, .items = 8, .text = 160};

typedef struct Large {
    const void *key;
    const Type *type;
    int number;       // of the version that is known; -1 = none
    int64_t cost;     // of the last look
    int64_t walk;     // in which it was reached last
    bool is_touched;  // since the last look
    bool holds;       // objects that may change, whose texts are its items
    bool is_lost;     // it was out of sight since then: another one may stand there now
    int start, count; // its marks
    int room;
} Large;

static struct Wholes {
    Large larges[MAX_LARGE];
    int large_count;
    uint64_t marks[MAX_MARKS];
    int mark_count;
    int count; // of all versions so far
    int64_t walk;
    size_t bytes;
    struct { // texts by their digests
        uint64_t digest;
        int number;
    } known[MAX_KNOWN];
    int known_count;
    ValueRef last_value; // the text that was looked at last
    uint32_t last_print;
    int last_found;
    uint64_t last_digest; // of the text that was written last
    size_t last_size;
    int last_number;
    char text[TEXT_BYTES];
} *wholes;

static int64_t looks_left = LOOKS;

bool wholes_set_aside(void)
{
    return (wholes = memory_set_aside(sizeof *wholes));
}

void whole_begin_step(bool is_quiet, bool others_ran)
{
    wholes->walk += !is_quiet;
    if (looks_left < LOOKS) looks_left += LOOKS_EARNED;
    bool any = others_ran || looks_left >= LOOKS;
    for (int i = 0; i < wholes->large_count; i++)
        wholes->larges[i].is_touched |= any || (!is_quiet && wholes->larges[i].holds);
}

void whole_touch(const void *key)
{
    for (int i = 0; i < wholes->large_count; i++)
        if (wholes->larges[i].key == key) wholes->larges[i].is_touched = true;
}

static int begin_version(int base)
{
    page_begin_whole(wholes->count);
    page_put("[");
    page_put_number(base);
    return wholes->count++;
}

static void end_version(size_t bytes)
{
    page_put("]");
    wholes->bytes += bytes + 16;
    looks_left -= (int64_t)bytes * BYTE_LOOKS;
}

// ---- texts

static uint64_t digest_bytes(uint64_t digest, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) digest = (digest ^ (uint8_t)bytes[i]) * 1099511628211ull;
    return digest;
}

// Where the number of the text with this digest stands, or is to stand.
static int *entry_of(uint64_t digest)
{
    if (wholes->known_count > MAX_KNOWN / 2) {
        memset(wholes->known, 0, sizeof wholes->known);
        wholes->known_count = 0;
    }
    digest += !digest;
    uint32_t slot = digest % MAX_KNOWN;
    while (wholes->known[slot].digest && wholes->known[slot].digest != digest)
        slot = (slot + 1) % MAX_KNOWN;
    if (!wholes->known[slot].digest) {
        wholes->known_count++;
        wholes->known[slot].digest = digest;
        wholes->known[slot].number = -1;
    }
    return &wholes->known[slot].number;
}

static int put_text(const char *bytes, size_t size, uint64_t digest, bool goes_on)
{
    size_t from = goes_on ? wholes->last_size : 0;
    int number = begin_version(goes_on ? wholes->last_number : -1);
    page_put(",\"");
    page_put_text(bytes + from, size - from);
    page_put("\"");
    end_version(size - from);
    wholes->last_digest = digest;
    wholes->last_size = size;
    wholes->last_number = number;
    return number;
}

static int find_text(ValueRef value)
{
    if (looks_left < 0 || wholes->bytes >= WHOLE_BYTES) return -1;
    size_t size = show_value(wholes->text, TEXT_BYTES, value, &whole_limits);
    looks_left -= (int64_t)(size < TEXT_BYTES ? size : TEXT_BYTES);
    if (size >= TEXT_BYTES) return -1;
    size_t start = strcspn(wholes->text, "'\"") + 1, last = size - 1; // of what is in quotes
    while (last > start && wholes->text[last] != wholes->text[start - 1]) last--;
    size_t count = last - start;
    size_t part = wholes->last_size && wholes->last_size < count ? wholes->last_size : 0;
    uint64_t before = digest_bytes(DIGEST_START, wholes->text + start, part);
    uint64_t digest = digest_bytes(before, wholes->text + start + part, count - part);
    bool goes_on = part && before == wholes->last_digest;
    int *number = entry_of(digest);
    if (*number < 0) *number = put_text(wholes->text + start, count, digest, goes_on);
    return *number;
}

int whole_text(ValueRef value, uint32_t print)
{
    if (print && value == wholes->last_value && print == wholes->last_print)
        return wholes->last_found;
    wholes->last_value = value;
    wholes->last_print = print;
    return wholes->last_found = find_text(value);
}

// ---- items

ssize_t sequence_size(ValueRef value)
{
    if (deque_check(value)) return deque_size(value);
    if (tuple_check(value)) return tuple_size(value);
    return as_list(value)->items ? list_size(value) : 0;
}

ValueRef sequence_at(ValueRef value, ssize_t index)
{
    if (deque_check(value)) return deque_at(value, index);
    return tuple_check(value) ? tuple_at(value, index) : list_at(value, index);
}

bool item_next(enum Form form, ValueRef container, ssize_t *position, ValueRef *key, ValueRef *item)
{
    *key = VALUE_ERROR;
    if (form == FORM_DICT) return dict_next(container, position, key, item);
    if (form == FORM_SET) return set_next(container, position, item);
    if (*position >= sequence_size(container)) return false;
    *item = sequence_at(container, (*position)++);
    return true;
}

static uint64_t mark_of(ValueRef value, uint64_t digest)
{
    char text[ITEM_BYTES];
    if (!is_object(value)) return (digest ^ (uint64_t)value) * 1099511628211ull;
    looks_left -= OBJECT_LOOKS;
    size_t size = show_value(text, sizeof text, value, &item_limits);
    return digest_bytes(digest, text, size < sizeof text ? size : strlen(text));
}

static bool may_change(ValueRef value)
{
    return is_object(value) &&
           !(type_of(value)->flags & (TYPE_STR | TYPE_BYTES | TYPE_INT | TYPE_FLOAT));
}

// Marks the items after the marks that are known. Returns how many there are.
static int mark_items(enum Form form, ValueRef container, ssize_t size, bool *holds)
{
    ssize_t position = 0;
    ValueRef key, item;
    int count = 0;
    *holds = false;
    while (count < size && item_next(form, container, &position, &key, &item)) {
        uint64_t mark = key ? mark_of(key, DIGEST_START) : DIGEST_START;
        wholes->marks[wholes->mark_count + count++] = mark_of(item, mark);
        *holds |= may_change(item);
    }
    looks_left -= count;
    return count;
}

static size_t put_item(ValueRef key, ValueRef item)
{
    char text[2 * ITEM_BYTES + 2];
    size_t size = 0;
    if (key) {
        show_value(text, ITEM_BYTES, key, &item_limits);
        size = strlen(text);
        memcpy(text + size, ": ", 2);
        size += 2;
    }
    show_value(text + size, ITEM_BYTES, item, &item_limits);
    size += strlen(text + size);
    page_put(",\"");
    page_put_text(text, size);
    page_put("\"");
    return size + 3;
}

// Where there is no room for more bytes, the last ones are missing.
static void put_items(enum Form form, ValueRef container, int from, int count)
{
    ssize_t position = form == FORM_SEQUENCE ? from : 0;
    ValueRef key, item;
    size_t bytes = 0;
    for (int i = form == FORM_SEQUENCE ? from : 0; i < from + count; i++) {
        if (!item_next(form, container, &position, &key, &item)) break;
        if (i >= from && wholes->bytes + bytes < WHOLE_BYTES) bytes += put_item(key, item);
    }
    end_version(bytes);
}

// A version of so many items, whose marks are the last ones.
static void put_version(Large *large, enum Form form, ValueRef container, int count)
{
    const uint64_t *old = wholes->marks + large->start, *now = wholes->marks + wholes->mark_count;
    int before = large->number < 0 ? 0 : large->count, from = 0, end = 0;
    int most = before < count ? before : count;
    while (from < most && old[from] == now[from]) from++;
    while (end < most - from && old[before - 1 - end] == now[count - 1 - end]) end++;
    if (large->number >= 0 && from == count && before == count) return;
    int number = begin_version(large->number);
    page_put_number(from);
    page_put_number(before - end - from);
    put_items(form, container, from, count - end - from);
    large->number = number;
}

static void keep_marks(Large *large, int count)
{
    if (count > large->room) {
        large->start = wholes->mark_count;
        large->room = count + count / 4;
        wholes->mark_count += large->room;
    } else {
        memmove(wholes->marks + large->start, wholes->marks + wholes->mark_count,
                (size_t)count * sizeof *wholes->marks);
    }
    large->count = count;
}

static Large *find_large(const void *key, const Type *type)
{
    int index = 0;
    while (index < wholes->large_count && wholes->larges[index].key != key) index++;
    if (index == MAX_LARGE) return NULL;
    Large *large = &wholes->larges[index];
    if (index == wholes->large_count) {
        *large = (Large){.key = key, .number = -1};
        wholes->large_count++;
    }
    large->is_lost |= large->type != type || large->walk < wholes->walk - 1;
    large->type = type;
    large->walk = wholes->walk;
    return large;
}

Whole whole_items(enum Form form, ValueRef container, ssize_t size)
{
    if (size > WHOLE_ITEMS || wholes->bytes >= WHOLE_BYTES) return (Whole){-1, false};
    if (wholes->mark_count > MAX_MARKS - size - size / 4 - 1)
        wholes->large_count = wholes->mark_count = 0;
    Large *large = find_large(object_of(container), type_of(container));
    if (!large) return (Whole){-1, false};
    if (!large->is_touched && !large->is_lost && size == large->count)
        return (Whole){large->number, false};
    if (looks_left < large->cost) return (Whole){large->is_lost ? -1 : large->number, true};
    int64_t before = looks_left;
    int count = mark_items(form, container, size, &large->holds);
    large->cost = before - looks_left;
    put_version(large, form, container, count);
    keep_marks(large, count);
    large->is_touched = large->is_lost = false;
    return (Whole){large->number, false};
}
