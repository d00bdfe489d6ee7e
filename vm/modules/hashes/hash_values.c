#include "vm/modules/hashes/hash_values.h"

#include "objects/error.h"
#include "objects/memory.h"
#include "objects/text/str.h"

bool hash_data(ValueRef data, Buffer *buffer)
{
    if (str_check(data)) return raise_error(TypeError, "Strings must be encoded before hashing");
    if (!buffer_check(data))
        return raise_error(TypeError, "object supporting the buffer API required");
    return buffer_get(data, buffer, false);
}

Value hash_hexadecimal(const uint8_t *digest, size_t size)
{
    char *text = memory_alloc(2 * size + 1);
    if (!text) return raise_memory_error();
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    Value result = str_from_ascii(text, 2 * size);
    memory_free(text);
    return result;
}
