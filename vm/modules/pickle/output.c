// The bytes of a pickle on their way to the file.
//
// From protocol 4 on they stand in frames, so that a reader may fetch many at once:
//
//     FRAME | size, 8 bytes | instructions ...      ended at FRAME_TARGET, or before large bytes
//
// The header is written when the frame ends; until then its room is left free. A frame of less
// than FRAME_MIN bytes gets none.
#include "objects/bytes/bytes.h"
#include "objects/memory.h"
#include "objects/object.h"
#include "vm/modules/pickle/pickle.h"

#define FRAME_MIN 4
#define FRAME_TARGET (64 * 1024)

void output_clear(PickleOutput *output)
{
    bytes_out_free(&output->bytes);
    output->frame_start = -1;
    output->framing = false;
}

static bool has_room(BytesOut *out, size_t size)
{
    return out->capacity - out->size >= size || bytes_out_room(out, size);
}

// Where the next bytes go, so many of them, in a frame that has begun; NULL = no memory.
static uint8_t *place_for(PickleOutput *output, size_t size)
{
    BytesOut *out = &output->bytes;
    if (output->framing && output->frame_start < 0) {
        output->frame_start = (ssize_t)out->size;
        if (!has_room(out, FRAME_HEADER)) return NULL;
        memset(out->bytes + out->size, 0, FRAME_HEADER);
        out->size += FRAME_HEADER;
    }
    if (!has_room(out, size)) return NULL;
    out->size += size;
    return out->bytes + out->size - size;
}

void output_add(PickleOutput *output, const void *bytes, size_t size)
{
    uint8_t *to = place_for(output, size);
    if (to && size) memcpy(to, bytes, size);
}

void output_op(PickleOutput *output, PickleOpcode op)
{
    output_op_number(output, op, 0, 0);
}

void output_op_number(PickleOutput *output, PickleOpcode op, uint64_t number, int size)
{
    uint8_t *to = place_for(output, (size_t)size + 1);
    if (!to) return;
    *to++ = (uint8_t)op;
    for (; size > 0; size--, number >>= 8) *to++ = (uint8_t)number;
}

void output_text(PickleOutput *output, const char *text)
{
    output_add(output, text, strlen(text));
}

void output_line(PickleOutput *output, PickleOpcode op, const char *text)
{
    output_op(output, op);
    output_text(output, text);
    output_text(output, "\n");
}

static bool check_memory(const PickleOutput *output)
{
    return !output->bytes.failed || raise_memory_error();
}

static bool end_frame(PickleOutput *output)
{
    if (!check_memory(output)) return false;
    if (!output->framing || output->frame_start < 0) return true;
    uint8_t *header = output->bytes.bytes + output->frame_start;
    size_t size = output->bytes.size - (size_t)output->frame_start - FRAME_HEADER;
    if (size >= FRAME_MIN) {
        header[0] = PICKLE_FRAME;
        for (int i = 0; i < 8; i++) header[1 + i] = (uint8_t)((uint64_t)size >> 8 * i);
    } else {
        memmove(header, header + FRAME_HEADER, size);
        output->bytes.size -= FRAME_HEADER;
    }
    output->frame_start = -1;
    return true;
}

Value output_take(PickleOutput *output)
{
    if (!check_memory(output)) return VALUE_ERROR;
    BytesOut taken = output->bytes;
    output->bytes = (BytesOut){0};
    output->frame_start = -1;
    Value bytes = bytes_new(taken.size ? taken.bytes : (const void *)"", taken.size);
    bytes_out_free(&taken);
    return bytes;
}

// Steals the bytes.
static bool write_bytes(PickleOutput *output, Value bytes)
{
    Value write = retain(output->write);
    Value result = bytes ? object_call_one(write, bytes) : VALUE_ERROR;
    drop(write);
    drop(bytes);
    drop(result);
    return result;
}

static bool flush(PickleOutput *output)
{
    return !output->write || write_bytes(output, output_take(output));
}

bool output_boundary(PickleOutput *output)
{
    if (!output->framing || output->frame_start < 0) return true;
    size_t size = output->bytes.size - (size_t)output->frame_start - FRAME_HEADER;
    return size < FRAME_TARGET || (end_frame(output) && flush(output));
}

bool output_payload(PickleOutput *output, const void *head, size_t head_size, const void *bytes,
                    size_t size)
{
    bool large = size >= FRAME_TARGET, framing = output->framing;
    if (large && !end_frame(output)) return false;
    output->framing = framing && !large;
    output_add(output, head, head_size);
    bool done = true;
    if (large && output->write) {
        Value copy = bytes_new(bytes, size); // the bytes may die while the file writes
        done = copy && flush(output) && write_bytes(output, retain(copy));
        drop(copy);
    } else {
        output_add(output, bytes, size);
    }
    output->framing = framing;
    return done;
}

bool output_end(PickleOutput *output)
{
    bool done = end_frame(output);
    output->framing = false;
    return done && flush(output);
}
