// Arrays of other machines: __reduce_ex__() writes the bytes of the items and a code for the format
// they have here; _array_reconstructor() reads the items of any format.
//
//     code      0, 1    bytes, unsigned and signed
//               2 .. 13 integers of 2, 4 and 8 bytes: unsigned little-endian, unsigned big-endian,
//                       signed little-endian, signed big-endian
//               14, 15  float     16, 17  double      little-endian, big-endian
//               18, 19  UTF-16    20, 21  UTF-32      little-endian, big-endian
#include "objects/bytes/bytes.h"
#include "objects/bytes/codecs.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "vm/import/import.h"
#include "vm/modules/array/array.h"

typedef struct MachineFormat {
    uint8_t class; // ItemClass
    uint8_t size;  // bytes, of which there is a multiple; CPython counts characters double
    bool big_endian;
} MachineFormat;

#define FORMAT_COUNT 22

static MachineFormat machine_format(int code)
{
    bool big = code & 1;
    if (code < 2) return (MachineFormat){code ? ITEM_SIGNED : ITEM_UNSIGNED, 1, false};
    if (code >= 18) return (MachineFormat){ITEM_CHARACTER, code < 20 ? 4 : 8, big};
    if (code >= 14) return (MachineFormat){ITEM_REAL, code < 16 ? 4 : 8, big};
    uint8_t size = (uint8_t)(2 << (code - 2) / 4);
    return (MachineFormat){(code - 2) / 2 % 2 ? ITEM_SIGNED : ITEM_UNSIGNED, size, big};
}

// ---- writing

// The arguments of the type: (typecode, list).
static Value arguments_to_make(const Array *array, ValueRef typecode)
{
    Value items = array_list(array);
    Value arguments = items ? tuple_pack(2, typecode, (ValueRef)items) : VALUE_ERROR;
    drop(items);
    return arguments;
}

// The arguments of _array_reconstructor(): (type, typecode, code, bytes).
static Value arguments_to_reconstruct(ValueRef self, ValueRef typecode)
{
    Value bytes = array_bytes(as_array(self));
    Value arguments = VALUE_ERROR;
    if (bytes)
        arguments =
            tuple_pack(4, ref_of(type_of(self)), typecode,
                       (ValueRef)from_small(as_array(self)->kind->machine_format), (ValueRef)bytes);
    drop(bytes);
    return arguments;
}

static Value reconstructor(void)
{
    Value module = import_module("array");
    Value name = module ? str_intern("_array_reconstructor") : VALUE_ERROR;
    Value function = name ? object_get(module, name) : VALUE_ERROR;
    drop(name);
    drop(module);
    return function;
}

Value array_reduce_ex(ValueRef self, METHOD_ARGS)
{
    ssize_t protocol;
    if (!int_check(args[0]))
        return raise_error(TypeError, "__reduce_ex__ argument should be an integer");
    if (!int_as_ssize(args[0], &protocol)) return VALUE_ERROR;
    Value dict = object_get_optional(self, NAME(__dict__));
    if (dict == ABSENT) dict = NONE;
    Value typecode = dict ? str_intern(as_array(self)->kind->letter) : VALUE_ERROR;
    Value arguments = !typecode      ? VALUE_ERROR
                      : protocol < 3 ? arguments_to_make(as_array(self), typecode)
                                     : arguments_to_reconstruct(self, typecode);
    Value function = !arguments     ? VALUE_ERROR
                     : protocol < 3 ? retain(ref_of(type_of(self)))
                                    : reconstructor();
    Value reduced = VALUE_ERROR;
    if (function) reduced = tuple_pack(3, (ValueRef)function, (ValueRef)arguments, (ValueRef)dict);
    drop(function);
    drop(arguments);
    drop(typecode);
    drop(dict);
    return reduced;
}

// ---- reading

static Value decode_text(const MachineFormat *format, ValueRef bytes)
{
    static const char *const encodings[] = {"utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"};
    const char *encoding = encodings[(format->size / 4 - 1) * 2 + format->big_endian];
    return text_decode(as_bytes(bytes)->data, (size_t)as_bytes(bytes)->size, encoding, NULL);
}

static Value decode_real(const MachineFormat *format, const char *bytes)
{
    char native[ARRAY_ITEM_MAX];
    for (int i = 0; i < format->size; i++)
        native[i] = bytes[format->big_endian ? format->size - 1 - i : i];
    return item_unpack(item_format(format->size == sizeof(float) ? "f" : "d"), native);
}

static Value decode_item(const MachineFormat *format, const char *bytes)
{
    if (format->class == ITEM_REAL) return decode_real(format, bytes);
    return int_from_bytes((const unsigned char *)bytes, format->size, !format->big_endian,
                          format->class == ITEM_SIGNED);
}

static Value decode_items(const MachineFormat *format, ValueRef bytes)
{
    ssize_t size = as_bytes(bytes)->size;
    if (size % format->size)
        return raise_error(ValueError, "string length not a multiple of item size");
    if (format->class == ITEM_CHARACTER) return decode_text(format, bytes);
    Value list = list_new(size / format->size);
    for (ssize_t at = 0; list && at < size; at += format->size)
        if (!list_append_owned(list, decode_item(format, as_bytes(bytes)->data + at)))
            drop_slot(&list);
    return list;
}

// The typecode of integers of this format, for one that may have another size here.
static uint32_t integer_typecode(const MachineFormat *format, uint32_t typecode)
{
    if (format->class != ITEM_SIGNED && format->class != ITEM_UNSIGNED) return typecode;
    for (const ArrayKind *kind = array_kinds; kind->letter; kind++)
        if (kind->class == format->class && kind->size == format->size)
            typecode = (uint32_t)*kind->letter;
    return typecode;
}

static Value reconstruct(Type *type, const ArrayKind *kind, int code, ValueRef bytes)
{
    MachineFormat format = machine_format(code);
    uint32_t typecode = (uint32_t)*kind->letter;
    if (code == kind->machine_format) return array_make(type, typecode, bytes);
    Value items = decode_items(&format, bytes), made = VALUE_ERROR;
    if (items) made = array_make(type, integer_typecode(&format, typecode), items);
    drop(items);
    return made;
}

Value array_reconstruct(FUNCTION_ARGS)
{
    uint32_t typecode;
    int code;
    if (!typecode_argument(args[1], "_array_reconstructor()", 2, &typecode)) return VALUE_ERROR;
    if (!argument_int(args[2], &code)) return VALUE_ERROR;
    if (!type_check(args[0]))
        return raise_error(TypeError, "first argument must be a type object, not %.200T", args[0]);
    if (!type_is_subtype(as_type(args[0]), &array_type))
        return raise_error(TypeError, "%N is not a subtype of array.array", as_type(args[0]));
    const ArrayKind *kind = array_kind(typecode);
    if (!kind) return raise_error(ValueError, "second argument must be a valid type code");
    if (code < 0 || code >= FORMAT_COUNT)
        return raise_error(ValueError, "third argument must be a valid machine format code.");
    if (!bytes_check(args[3]))
        return raise_error(TypeError, "fourth argument should be bytes, not %.200T", args[3]);
    return reconstruct(as_type(args[0]), kind, code, args[3]);
}
