// Adjacent strings are one expression: a Constant, or a JoinedStr if one of them is an f-string.
//
//     "a" f"b{c}d" "e"   ->   pieces "a" "b" | c | pieces "d" "e"
//
// The text between two expressions is collected as pieces, which become one Constant at the next
// expression or the end. All nodes have the position of the whole row of strings.
#include "compiler/parser/parser.h"

#include "objects/bytes/bytes.h"
#include "objects/text/str.h"

void row_add(Parser *p, StringRow *row, ValueRef piece)
{
    if (!row->is_bytes && str_length(piece) == 0) return;
    if (row->count == row->capacity) {
        int capacity = row->capacity ? row->capacity * 2 : 4;
        ValueRef *pieces = arena_alloc(p->arena, (size_t)capacity * sizeof *pieces);
        if (row->count) memcpy(pieces, row->pieces, (size_t)row->count * sizeof *pieces);
        row->pieces = pieces;
        row->capacity = capacity;
    }
    row->pieces[row->count++] = piece;
}

static Value join_bytes(const StringRow *row)
{
    size_t size = 0;
    for (int i = 0; i < row->count; i++) size += (size_t)as_bytes(row->pieces[i])->size;
    Value joined = bytes_new(NULL, size);
    if (joined == VALUE_ERROR) return joined;
    char *to = as_bytes(joined)->data;
    for (int i = 0; i < row->count; i++) {
        const Bytes *bytes = as_bytes(row->pieces[i]);
        memcpy(to, bytes->data, (size_t)bytes->size);
        to += bytes->size;
    }
    return joined;
}

static Value join_text(const StringRow *row)
{
    Value empty = str_new("");
    if (empty == VALUE_ERROR || row->count == 0) return empty;
    Value joined = str_join_array(empty, row->pieces, (size_t)row->count);
    drop(empty);
    return joined;
}

static ValueRef join(Parser *p, const StringRow *row)
{
    if (row->count == 1) return row->pieces[0];
    return arena_hold(p->arena, row->is_bytes ? join_bytes(row) : join_text(row));
}

static Position row_position(const Token *first, const Token *last)
{
    return (Position){first->position.line, first->position.column, last->position.end_line,
                      last->position.end_column};
}

static Node *row_constant(Parser *p, StringRow *row, const Token *first, const Token *last)
{
    Node *node = node_new(p->arena, Constant_kind, row_position(first, last));
    node->Constant.value = join(p, row);
    if (first->text[0] == 'u') node->Constant.kind = new_identifier(p, "u", 1);
    row->count = 0;
    return node;
}

void row_flush(Parser *p, StringRow *row, const Token *first, const Token *last)
{
    if (row->count > 0) stack_push(p, row_constant(p, row, first, last));
}

typedef struct StringSpelling {
    const char *text, *end; // between the quotes
    bool is_bytes, is_raw, is_format;
} StringSpelling;

static StringSpelling spelling_of(const Token *token)
{
    StringSpelling spelling = {.text = token->text, .end = token->text + token->size};
    for (; *spelling.text != '\'' && *spelling.text != '"'; spelling.text++) {
        char lower = *spelling.text | 0x20;
        spelling.is_bytes |= lower == 'b';
        spelling.is_raw |= lower == 'r';
        spelling.is_format |= lower == 'f';
    }
    const char *quote = spelling.text;
    bool is_triple = spelling.end - quote >= 6 && quote[1] == *quote && quote[2] == *quote;
    spelling.text += is_triple ? 3 : 1;
    spelling.end -= is_triple ? 3 : 1;
    return spelling;
}

static void add_string(Parser *p, StringRow *row, const Token *token)
{
    StringSpelling s = spelling_of(token);
    if (s.is_format) require_version(p, 6, "Format strings are");
    ValueRef piece = VALUE_ERROR;
    if (s.is_bytes)
        piece = decode_bytes(p, s.text, s.end, s.is_raw, token);
    else if (!s.is_format)
        piece = decode_text(p, s.text, s.end, s.is_raw, token);
    if (token != row->first && row->is_bytes != s.is_bytes)
        raise_syntax(p, "cannot mix bytes and nonbytes literals");
    row->is_bytes = s.is_bytes;
    if (piece) {
        row_add(p, row, piece);
        return;
    }
    row->is_format = true;
    row_add_fstring(p, row, s.text, s.end, s.is_raw, token);
}

static Node *row_node(Parser *p, StringRow *row, int base)
{
    if (!row->is_format) return row_constant(p, row, row->first, row->last);
    row_flush(p, row, row->first, row->last);
    Node *node = node_new(p->arena, JoinedStr_kind, row_position(row->first, row->last));
    node->JoinedStr.values = stack_take(p, base);
    return node;
}

// strings: STRING+
Node *strings_rule(Parser *p)
{
    Node *node;
    if (memo_find(p, MEMO_strings, &node)) return node;
    int start = p->mark, base = p->stack_size;
    while (expect(p, TOKEN_STRING)) {
    }
    StringRow row = {.first = &p->tokens[start], .last = &p->tokens[p->mark - 1]};
    for (const Token *token = row.first; token <= row.last; token++) add_string(p, &row, token);
    node = row_node(p, &row, base);
    memo_insert(p, start, MEMO_strings, node);
    return node;
}
