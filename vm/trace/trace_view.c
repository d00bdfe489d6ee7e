// Short texts for code and frames, for the traces.
#include "vm/trace/trace_view.h"

#include "compiler/opcode.h"
#include "compiler/verify/disassemble.h"
#include "vm/import/library.h"

#include "objects/looking/show.h"
#include "objects/text/str.h"

#include <stdio.h>

#define STACK_SHOWN 8 // values on top

// ---- code

bool trace_is_own(const Code *code)
{
    return !is_library_file(code->filename);
}

TraceInstruction trace_instruction(const Code *code, int offset)
{
    const uint8_t *bytes = (const uint8_t *)as_bytes(code->code)->data;
    return (TraceInstruction){bytes[offset], (int)opcode_operand_at(bytes, offset / 2)};
}

const char *trace_opcode_name(int opcode)
{
    const char *name = opcode_name(opcode);
    return name ? name : "?";
}

size_t trace_operand(char *text, size_t size, const Code *code, int offset)
{
    TraceInstruction at = trace_instruction(code, offset);
    ValueRef item = operand_item(code, at.opcode, at.operand);
    if (item && opcode_operand(at.opcode) == OPERAND_CONST)
        return show_value(text, size, item, NULL);
    if (item) return show_text(text, size, item);
    return (size_t)operand_words(text, size, offset, at.opcode, at.operand);
}

// ---- frames

size_t trace_location(char *text, size_t size, Frame *frame)
{
    char name[100], file[100];
    const Code *code = as_code(frame->code);
    show_text(name, sizeof name, code->name);
    show_file_name(file, sizeof file, code->filename);
    return (size_t)snprintf(text, size, "%s (%s:%d)", name, file, frame_line(frame));
}

size_t trace_stack(char *text, size_t size, Frame *frame)
{
    const Value *bottom = frame_stack(frame);
    ssize_t depth = frame->sp - bottom, first = depth > STACK_SHOWN ? depth - STACK_SHOWN : 0;
    size_t length = (size_t)snprintf(text, size, first ? "%zd [..., " : "%zd [", depth);
    for (ssize_t i = first; i < depth; i++) {
        size_t room = length < size ? size - length : 0;
        length += show_value(room ? text + length : NULL, room, bottom[i], NULL);
        room = length < size ? size - length : 0;
        length += (size_t)snprintf(room ? text + length : NULL, room, i + 1 < depth ? ", " : "");
    }
    size_t room = length < size ? size - length : 0;
    return length + (size_t)snprintf(room ? text + length : NULL, room, "]");
}

char trace_slot(const Code *code, int slot, ValueRef *name)
{
    int cells = code_cell_count(code), cell = slot - code->nlocals;
    if (cell < 0) return *name = tuple_at(code->varnames, slot), 'l';
    if (cell < cells) return *name = tuple_at(code->cellvars, cell), 'c';
    return *name = tuple_at(code->freevars, cell - cells), 'f';
}
