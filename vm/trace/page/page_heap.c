// The walk over the objects of a step, and what was written of each.
//
// `table` finds an object by its address. Its values, as they were written last, are in `pool`;
// where they outgrow their room there, they move to its end. All tables begin anew with a chunk.
#include "vm/trace/page/page_heap.h"

#include "vm/modules/collections/collections.h"
#include "vm/trace/page/page_out.h"
#include "vm/trace/page/page_whole.h"

#include "objects/bytes/bytes.h"
#include "objects/cell.h"
#include "objects/classes/descriptor.h"
#include "objects/code.h"
#include "objects/containers/list.h"
#include "objects/containers/set.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/function.h"
#include "objects/instance.h"
#include "objects/looking/show.h"
#include "objects/looking/show_tensor.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "objects/type.h"

#include <stdio.h>

#define WALK_OBJECTS 400
#define MOST_REACHED 512 // by the walk and the quiet steps after it
#define WALK_WORDS 8192
#define MOST_WORDS 2048
#define FEW_WORDS 64  // of an object with more
#define LAST_WORDS 16 // where the walk has used up its words
#define MAX_OBJECTS 2048
#define POOL_SIZE 90000
#define MOST_POOL 22500 // of a step: half more than WALK_WORDS, and LAST_WORDS of each object
#define VALUE_TEXT 1000
#define NAME (-3)
#define TEXT (-4)

static const ShowLimits limits = {.depth = 2, .items = 8, .text = 160};

typedef struct ShownObject {
    const void *key; // its address
    ValueRef value;  // VALUE_ERROR of a storage
    const Type *type;
    int64_t walk;    // in which it was reached last
    TensorMark mark; // of a tensor
    enum Form form;
    bool is_new;
    bool has_class;   // of the program
    uint64_t version; // of a class's dict
    int head, cls, attributes;
    ssize_t size;
    Whole whole;            // of its items; as in (Whole){-1, false} where they are all recorded
    int start, count, room; // of its values in the pool
} ShownObject;

// The values of an object as they are now.
typedef struct Part {
    ValueRef value;
    int number; // UNKNOWN = that of the value; NAME, TEXT = of its text, which stays the same
} Part;

static struct Heap {
    int64_t walk;
    bool is_quiet;
    const Type *instances; // that form_of() met last in this walk; no later: a type may be freed
    ShownObject objects[MAX_OBJECTS];
    int object_count;
    uint16_t table[4 * MAX_OBJECTS]; // number + 1
    Shown pool[POOL_SIZE];
    int pool_count;
    int reached[MOST_REACHED], reached_count, done_count;
    int words; // that the walk may still write
} *heap;

static struct {
    Part values[MOST_WORDS];
    Shown shown[MOST_WORDS];
    int count, most;
} parts;

bool heap_set_aside(void)
{
    return wholes_set_aside() && (heap = memory_set_aside(sizeof *heap));
}

void heap_begin_chunk(void)
{
    memset(heap->table, 0, sizeof heap->table);
    heap->object_count = heap->pool_count = 0;
    heap->is_quiet = false;
}

bool heap_is_full(void)
{
    return heap->object_count > MAX_OBJECTS - 2 * MOST_REACHED ||
           heap->pool_count > POOL_SIZE - MOST_POOL;
}

bool heap_has_room(void)
{
    return heap->reached_count < MOST_REACHED;
}

void heap_begin_step(bool is_quiet, bool others_ran)
{
    whole_begin_step(is_quiet, others_ran);
    heap->is_quiet = is_quiet;
    if (is_quiet) return;
    heap->walk++;
    heap->instances = NULL;
    heap->reached_count = heap->done_count = 0;
    heap->words = WALK_WORDS;
}

// ---- texts

// Eight bytes at a time: with many texts at hand this is most of a step.
static uint64_t mix(uint64_t print, const char *bytes, size_t size)
{
    for (; size >= 8; size -= 8, bytes += 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        print = (print ^ word) * 0x9E3779B97F4A7C15u;
        print ^= print >> 29;
    }
    for (; size > 0; size--) print = (print ^ (uint8_t)*bytes++) * 1099511628211ull;
    return print;
}

// Of the characters that a text shows, and the length.
static uint32_t print_of(const Str *str)
{
    size_t bytes = (size_t)str->length * str->kind, most = (size_t)limits.text * str->kind;
    uint64_t print =
        mix((uint64_t)str->length + 2166136261u, str->data, bytes < most ? bytes : most);
    if (bytes > most) print = mix(print, str->data + bytes - most, most);
    return (uint32_t)(print ^ print >> 32);
}

// Is it a text of which only the ends are shown?
static bool is_long(ValueRef value)
{
    if (!is_object(value)) return false;
    if (str_check(value)) return str_length(value) > limits.text;
    return bytes_check_exact(value) && as_bytes(value)->size > limits.text;
}

static int long_text(ValueRef value)
{
    return whole_text(value, str_check(value) ? print_of(as_str(value)) : 0);
}

int value_text(ValueRef value)
{
    char text[VALUE_TEXT];
    size_t size = show_value(text, sizeof text - 16, value, &limits);
    if (size >= sizeof text - 16) size = strlen(text);
    if (is_long(value)) size += (size_t)sprintf(text + size, "\x01%d", long_text(value));
    return chunk_text(text, size);
}

int plain_text(const char *text)
{
    return chunk_text(text, strlen(text));
}

static int name_text(ValueRef name)
{
    char text[200];
    show_text(text, sizeof text, name);
    return plain_text(text);
}

static int class_text(const Type *type)
{
    const char *dot = type->flags & TYPE_HEAP ? NULL : strrchr(type->name, '.');
    if (type->flags & TYPE_HEAP && type->heap_name) return name_text(type->heap_name);
    return plain_text(dot ? dot + 1 : type->name);
}

// ---- what an object is

static bool is_instance(const Type *type)
{
    const uint32_t others =
        TYPE_TYPE | TYPE_EXCEPTION | TYPE_INT | TYPE_STR | TYPE_BYTES | TYPE_FLOAT;
    if (!(type->flags & TYPE_HEAP) || type->flags & others) return false;
    return type->dict_offset || type->members;
}

// Names that begin with two underscores are not the program's.
static bool is_own_name(ValueRef name)
{
    const Str *str = as_str(name);
    return str->length < 2 || str_at(str, 0) != '_' || str_at(str, 1) != '_';
}

// The next name that the program gave to a class.
static bool next_shared(ValueRef cls, ssize_t *position, ValueRef *name, ValueRef *value)
{
    while (dict_next(as_type(cls)->dict, position, name, value))
        if (str_check(*name) && (is_own_name(*name) || function_check(*value))) return true;
    return false;
}

static bool is_class(ValueRef value)
{
    if (!type_check(value) || !(as_type(value)->flags & TYPE_HEAP)) return false;
    ValueRef module = dict_peek_ascii(as_type(value)->dict, "__module__");
    return module && str_check(module) && str_equal_ascii(module, "__main__");
}

// False = a text. Most objects of a large structure are instances of one class.
static bool form_of(ValueRef value, enum Form *form)
{
    if (type_of(value) == heap->instances)
        *form = FORM_INSTANCE;
    else if (is_exactly(value, &cell_type))
        *form = FORM_CELL;
    else if (function_check(value))
        *form = FORM_FUNCTION;
    else if (list_check(value) || deque_check(value) || (tuple_check(value) && tuple_size(value)))
        *form = FORM_SEQUENCE;
    else if (dict_check(value))
        *form = FORM_DICT;
    else if (set_check(value))
        *form = FORM_SET;
    else if (tensor_check(value))
        *form = FORM_TENSOR;
    else if (is_instance(type_of(value)))
        *form = FORM_INSTANCE;
    else if (is_class(value))
        *form = FORM_CLASS;
    else
        return false;
    if (*form == FORM_INSTANCE && !tuple_check(value)) heap->instances = type_of(value);
    return *form != FORM_FUNCTION || as_function(value)->closure;
}

// ---- the objects that were reached

static uint16_t *entry_of(const void *key)
{
    const size_t size = sizeof heap->table / sizeof *heap->table;
    size_t slot = ((uintptr_t)key >> 4) * 2654435761u % size;
    while (heap->table[slot] && heap->objects[heap->table[slot] - 1].key != key)
        slot = (slot + 1) % size;
    return &heap->table[slot];
}

// Is what was reached at this address still there?
static bool is_same(const ShownObject *object, const Type *type, enum Form form)
{
    return object->form == form && object->type == type &&
           object->walk >= heap->walk - !heap->is_quiet;
}

// The number of the object, which belongs to the walk from now on; -1 = there is no more room. Most
// often it has the number that stood here `before`: then the table need not be asked.
static int reach(const void *key, ValueRef value, enum Form form, int before)
{
    const Type *type = value ? type_of(value) : NULL;
    bool is_known = before >= 0 && before < heap->object_count &&
                    heap->objects[before].key == key && is_same(&heap->objects[before], type, form);
    int number = is_known ? before : *entry_of(key) - 1;
    is_known = is_known || (number >= 0 && is_same(&heap->objects[number], type, form));
    if (is_known && heap->objects[number].walk == heap->walk) return number;
    if (heap->reached_count == (heap->is_quiet ? MOST_REACHED : WALK_OBJECTS)) return -1;
    if (!is_known) {
        if (heap->object_count == MAX_OBJECTS) return -1;
        number = heap->object_count++;
        *entry_of(key) = (uint16_t)(number + 1);
        heap->objects[number] = (ShownObject){.key = key,
                                              .value = value,
                                              .type = type,
                                              .form = form,
                                              .is_new = true,
                                              .has_class = type && is_class(ref_of(type)),
                                              .whole = {-1, false}};
    }
    heap->objects[number].walk = heap->walk;
    heap->reached[heap->reached_count++] = number;
    return number;
}

static int number_of(ValueRef value, int before)
{
    enum Form form;
    if (is_object(value) && form_of(value, &form)) {
        int number = reach(object_of(value), value, form, before / 2);
        if (number >= 0) return 2 * number + 1;
    }
    return 2 * value_text(value);
}

// Is it certain, without a look at the object, that its number is still the same?
static bool is_untouched(const Shown *shown, ValueRef value)
{
    return shown->number != UNKNOWN && shown->value == value &&
           (!is_object(value) || heap->is_quiet);
}

bool value_changes(Shown *shown, ValueRef value)
{
    if (is_untouched(shown, value)) return false;
    bool is_str = is_object(value) && str_check_exact(value);
    uint32_t print = is_str ? print_of(as_str(value)) : 0;
    if (is_str && shown->value == value && shown->number >= 0 && shown->print == print)
        return false;
    int before = shown->number, number = number_of(value, before);
    *shown = (Shown){value, number, print};
    return number != before;
}

// ---- the values of an object

static void add(ValueRef value, int number)
{
    if (parts.count < MOST_WORDS) parts.values[parts.count++] = (Part){value, number};
}

static void add_attribute(ValueRef name, int number, ValueRef value)
{
    if (parts.count + 2 > parts.most) return;
    add(name, number);
    add(value, UNKNOWN);
}

static void add_slots(ValueRef value, const Type *type)
{
    if (!type || !(type->flags & TYPE_HEAP)) return;
    add_slots(value, type->base_type);
    for (const MemberDef *member = type->members; member && member->name; member++) {
        Value held = *(Value *)(void *)((char *)object_of(value) + member->offset);
        if (held) add_attribute(0, 2 * plain_text(member->name), held);
    }
}

static void add_names(ValueRef dict)
{
    ssize_t position = 0;
    ValueRef name, value;
    while (dict_next(dict, &position, &name, &value))
        if (str_check(name)) add_attribute(name, NAME, value);
}

static void add_attributes(ValueRef value)
{
    const Type *type = type_of(value);
    ValueRef dict = 0;
    add_slots(value, type);
    if (type->flags & TYPE_INLINE) {
        const Instance *self = as_instance(value);
        for (uint32_t i = 0; !self->dict && i < self->count; i++)
            if (self->values[i]) add_attribute(type->keys->names[i], NAME, self->values[i]);
        dict = self->dict;
    } else if (type->flags & TYPE_HEAP && type->dict_offset) {
        dict = *(Value *)(void *)((char *)object_of(value) + type->dict_offset);
    }
    if (dict) add_names(dict);
}

// Functions and what else is asked by its type (a property, a slot) are texts.
static void add_shared(ValueRef cls)
{
    ssize_t position = 0;
    ValueRef name, value, bases = as_type(cls)->bases;
    for (ssize_t i = 0; i < tuple_size(bases); i++)
        if (is_class(tuple_at(bases, i)))
            add_attribute(0, 2 * plain_text("__bases__"), tuple_at(bases, i));
    while (next_shared(cls, &position, &name, &value)) {
        if (parts.count + 2 > parts.most) return;
        add(name, NAME);
        add(value, is_object(value) && type_of(value)->get ? TEXT : UNKNOWN);
    }
}

static void add_closure(const Function *function)
{
    const Code *code = as_code(function->code);
    for (ssize_t i = 0; i < tuple_size(function->closure); i++)
        add_attribute(tuple_at(code->freevars, i), NAME, tuple_at(function->closure, i));
}

static void add_own(const ShownObject *object)
{
    switch (object->form) {
    case FORM_FUNCTION: add_closure(as_function(object->value)); break;
    case FORM_CLASS: add_shared(object->value); break;
    case FORM_TENSOR:
    case FORM_STORAGE: break;
    default: add_attributes(object->value);
    }
}

static void add_sequence(ValueRef value, ssize_t size)
{
    ssize_t shown = size < parts.most - parts.count ? size : parts.most - parts.count;
    for (ssize_t i = 0; i < shown; i++)
        add(sequence_at(value, shown == size || i < shown - ENDS ? i : size - shown + i), UNKNOWN);
}

static void add_unordered(enum Form form, ValueRef container)
{
    ssize_t position = 0;
    ValueRef key, item;
    while (parts.count + 1 + (form == FORM_DICT) <= parts.most &&
           item_next(form, container, &position, &key, &item)) {
        if (key) add(key, UNKNOWN);
        add(item, UNKNOWN);
    }
}

static ssize_t size_of(const ShownObject *object)
{
    switch (object->form) {
    case FORM_SEQUENCE: return sequence_size(object->value);
    case FORM_DICT: return dict_size(object->value);
    case FORM_SET: return as_set(object->value)->used;
    case FORM_CELL: return as_cell(object->value)->contents != 0;
    case FORM_TENSOR: return as_tensor(object->value)->storage != NULL;
    default: return 0;
    }
}

static bool is_container(enum Form form)
{
    return form == FORM_SEQUENCE || form == FORM_SET || form == FORM_DICT;
}

static void add_items(const ShownObject *object, ssize_t size)
{
    switch (object->form) {
    case FORM_SEQUENCE: add_sequence(object->value, size); break;
    case FORM_DICT:
    case FORM_SET: add_unordered(object->form, object->value); break;
    case FORM_CELL:
        if (size) add(as_cell(object->value)->contents, UNKNOWN);
        break;
    case FORM_TENSOR:
        if (size) {
            int storage = reach(as_tensor(object->value)->storage, 0, FORM_STORAGE, -1);
            add(0, storage < 0 ? 2 * plain_text("a storage") : 2 * storage + 1);
        }
        break;
    default: break;
    }
}

static int storage_text(const Storage *storage)
{
    char text[80];
    snprintf(text, sizeof text, "%zu bytes, version %llu", storage->nbytes,
             (unsigned long long)storage->version);
    return plain_text(text);
}

// A tensor's text is read again only where it may be another.
static int tensor_text(ShownObject *object)
{
    TensorMark mark = tensor_mark(as_tensor(object->value));
    if (!object->is_new && tensor_mark_equal(&mark, &object->mark)) return object->head;
    object->mark = mark;
    return value_text(object->value);
}

static int head_of(ShownObject *object)
{
    switch (object->form) {
    case FORM_TENSOR: return tensor_text(object);
    case FORM_STORAGE: return storage_text(object->key);
    case FORM_FUNCTION:
    case FORM_CLASS: return value_text(object->value);
    default: return object->is_new ? class_text(object->type) : object->head;
    }
}

// ---- what has changed

static bool make_room(ShownObject *object, int count)
{
    if (count <= object->room) return true;
    int room = count < 4 ? 4 : count + count / 2;
    if (room > POOL_SIZE - heap->pool_count) return false;
    for (int i = 0; i < object->count; i++)
        heap->pool[heap->pool_count + i] = heap->pool[object->start + i];
    object->start = heap->pool_count;
    object->room = room;
    heap->pool_count += room;
    return true;
}

// Reads the values into `parts`. Returns whether one was written otherwise before.
static bool read_values(const ShownObject *object)
{
    bool differs = parts.count != object->count;
    for (int i = 0; i < parts.count; i++) {
        const Part *part = &parts.values[i];
        Shown *shown = &parts.shown[i];
        *shown = i < object->count ? heap->pool[object->start + i] : (Shown){0, UNKNOWN, 0};
        if (part->number == UNKNOWN) {
            differs |= value_changes(shown, part->value);
        } else if (part->number >= 0 || shown->value != part->value) {
            int number = part->number >= 0      ? part->number
                         : part->number == NAME ? 2 * name_text(part->value)
                                                : 2 * value_text(part->value);
            differs |= shown->number != number;
            *shown = (Shown){part->value, number, 0};
        }
    }
    return differs;
}

static void put_values(int from, int count)
{
    chunk_number(count);
    for (int i = from; i < from + count; i++) chunk_number(parts.shown[i].number);
}

static void put_object(const ShownObject *object, int number)
{
    chunk_number(CHANGE_OBJECT);
    chunk_number(number);
    chunk_number(object->form);
    chunk_number(object->value ? (uint32_t)memory_id(object->key) : 0);
    chunk_number(object->head);
    chunk_number(object->cls);
    chunk_number(object->attributes);
    chunk_number(object->size);
    put_values(0, parts.count);
}

// What is the same at the start and at the end stays.
static void put_items(const ShownObject *object, int number)
{
    const Shown *old = &heap->pool[object->start];
    int before = object->count, now = parts.count, from = 0, end = 0;
    int most = before < now ? before : now;
    while (from < most && old[from].number == parts.shown[from].number) from++;
    while (end < most - from && old[before - 1 - end].number == parts.shown[now - 1 - end].number)
        end++;
    chunk_number(CHANGE_ITEMS);
    chunk_number(number);
    chunk_number(object->size);
    chunk_number(from);
    chunk_number(before - end - from);
    put_values(from, now - end - from);
}

// So many values of this object are recorded in this walk.
static int most_words(ssize_t size)
{
    if (heap->words < LAST_WORDS) return LAST_WORDS;
    ssize_t room = heap->words < MOST_WORDS ? heap->words : MOST_WORDS;
    return size <= room ? (int)room : room < FEW_WORDS ? LAST_WORDS : FEW_WORDS;
}

// Where not all items are recorded: which version of the whole is in the page.
static void put_whole(ShownObject *object, int number, int items)
{
    bool is_whole = items >= object->size * (object->form == FORM_DICT ? 2 : 1);
    Whole whole = {-1, false};
    if (!is_whole) whole = whole_items(object->form, object->value, object->size);
    if (whole.number == object->whole.number && whole.is_stale == object->whole.is_stale) return;
    object->whole = whole;
    chunk_number(CHANGE_WHOLE);
    chunk_number(number);
    chunk_number(whole.number);
    chunk_number(whole.is_stale);
}

// EMPTY = it is not the program's, or not in sight.
static int class_of(const ShownObject *object)
{
    if (!object->has_class) return EMPTY;
    int number = reach(object->type, ref_of(object->type), FORM_CLASS, object->cls / 2);
    return number < 0 ? EMPTY : 2 * number + 1;
}

// Does it still say the same, and lead to no object?
static bool is_same_class(ShownObject *object)
{
    if (object->form != FORM_CLASS) return false;
    uint64_t version = as_dict(as_type(object->value)->dict)->version;
    bool is_same = !object->is_new && version == object->version;
    object->version = version;
    for (int i = 0; is_same && i < object->count; i++)
        is_same = !(heap->pool[object->start + i].number & 1);
    return is_same;
}

static void put_reached(int number)
{
    ShownObject *object = &heap->objects[number];
    if (is_same_class(object)) return;
    int head = head_of(object), cls = class_of(object), attributes;
    ssize_t size = size_of(object);
    parts.count = 0;
    parts.most = most_words(object->form == FORM_DICT ? 2 * size : size);
    add_own(object);
    attributes = parts.count / 2;
    add_items(object, size);
    heap->words -= parts.count;
    bool is_other = object->is_new || head != object->head || cls != object->cls ||
                    attributes != object->attributes;
    bool differs = read_values(object) || size != object->size;
    object->head = head;
    object->cls = cls;
    object->attributes = attributes;
    object->size = size;
    if (is_other)
        put_object(object, number);
    else if (differs)
        put_items(object, number);
    if (is_container(object->form)) put_whole(object, number, parts.count - 2 * attributes);
    object->is_new = !make_room(object, parts.count);
    object->count = object->is_new ? 0 : parts.count;
    memcpy(&heap->pool[object->start], parts.shown, (size_t)object->count * sizeof *parts.shown);
}

void heap_put_reached(void)
{
    while (heap->done_count < heap->reached_count) put_reached(heap->reached[heap->done_count++]);
}
