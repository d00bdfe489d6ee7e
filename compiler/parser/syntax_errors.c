// The SyntaxError of the parser: its position, the line that it shows, and 3.9's words.
//
// 3.9 reads the text of the line from the file named by the source's filename. If that fails (a
// name like "<string>"), it shows what its tokenizer has: the lines from the start of the current
// token to the current line. The column counts characters if the source declares its encoding,
// otherwise bytes. Both are kept, since users see them.
#include "compiler/parser/parser.h"

#include "objects/bytes/codecs.h"
#include "objects/exceptions/exception.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

// ---- the text of the line

static Value error_line(const Parser *p, int line)
{
    const Tokenizer *tokenizer = p->tokenizer;
    if (p->start_rule == START_FILE) {
        Value text = program_line(p->options->filename, line);
        if (text != ABSENT) return text;
    }
    if (tokenizer->file_ended) return str_new("");
    size_t size = (size_t)(tokenizer->line_end - tokenizer->buffer);
    return text_decode(tokenizer->buffer, size, "utf-8", "replace");
}

// ---- the position

// How many characters the first `offset` bytes of the line are; one for each byte after its end.
static int character_offset(ValueRef line, int offset)
{
    size_t size;
    const char *utf8 = str_utf8(line, &size);
    if (!utf8 || offset < 0) return 0;
    int after_end = (size_t)offset > size ? offset - (int)size : 0;
    Value text = text_decode(utf8, (size_t)(offset - after_end), "utf-8", "replace");
    if (text == VALUE_ERROR) return 0;
    int count = (int)str_length(text) + after_end;
    drop(text);
    return count;
}

// `offset` counts from 1. Inside an f-string the columns of the expression alone are given.
static _Noreturn void raise_placed(Parser *p, Type *type, int line, int offset, const char *format,
                                   va_list arguments)
{
    Value message = format_text_v(format, arguments);
    ValueRef held = arena_hold(p->arena, message);
    if (p->start_rule == START_FSTRING) {
        held = arena_hold(p->arena, format_text("f-string: %S", held));
        offset -= p->starting_column;
    }
    ValueRef text = arena_hold(p->arena, error_line(p, line));
    if (p->tokenizer->source->has_encoding) offset = character_offset(text, offset);
    const char *words = str_utf8(held, NULL);
    if (words) raise_syntax_error(type, words, p->options->filename, line, offset, text);
    arena_fail(p->arena);
}

void raise_at(Parser *p, Type *type, int line, int column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    raise_placed(p, type, line, column + 1, format, arguments);
}

void raise_at_last_token(Parser *p, Type *type, const char *format, ...)
{
    const Token *token = p->known_error_token;
    if (!token) token = &p->tokens[p->fill - 1];
    int offset = token->position.column + 1;
    if (token->position.column == -1) offset = (int)(p->tokenizer->cur - p->tokenizer->buffer);
    va_list arguments;
    va_start(arguments, format);
    raise_placed(p, type, token->position.line, offset, format, arguments);
}

// ---- kinds of errors

void raise_tokenizer_error(Parser *p)
{
    const Tokenizer *tokenizer = p->tokenizer;
    switch (tokenizer->done) {
    case DONE_EXCEPTION: arena_fail(p->arena);
    case DONE_DECODE: raise_decode_failure(p);
    case DONE_IN_TRIPLE_QUOTED: raise_syntax(p, "EOF while scanning triple-quoted string literal");
    case DONE_IN_STRING: raise_syntax(p, "EOL while scanning string literal");
    case DONE_DEDENT:
        raise_at_last_token(p, IndentationError,
                            "unindent does not match any outer indentation level");
    case DONE_TABS:
        raise_at(p, TabError, tokenizer->line, 0,
                 "inconsistent use of tabs and spaces in indentation");
    case DONE_TOO_DEEP:
        raise_at(p, IndentationError, tokenizer->line, 0, "too many levels of indentation");
    case DONE_CONTINUATION:
        raise_at(p, SyntaxError, tokenizer->line, (int)(tokenizer->cur - tokenizer->buffer) - 1,
                 "unexpected character after line continuation character");
    case DONE_NOT:
    case DONE_END: break;
    }
    raise_syntax(p, "unexpected EOF while parsing");
}

void raise_decode_failure(Parser *p)
{
    const char *kind = error_is(UnicodeError) ? "unicode error"
                       : error_is(ValueError) ? "value error"
                                              : NULL;
    if (!kind) arena_fail(p->arena);
    ValueRef exception = arena_hold(p->arena, error_take());
    raise_syntax(p, "(%s) %S", kind, exception);
}

void raise_no_rule_matches(Parser *p)
{
    if (p->tokenizer->done == DONE_END) raise_syntax(p, "unexpected EOF while parsing");
    TokenType type = p->tokens[p->fill - 1].type;
    if (type == TOKEN_INDENT) raise_at_last_token(p, IndentationError, "unexpected indent");
    if (type == TOKEN_DEDENT) raise_at_last_token(p, IndentationError, "unexpected unindent");
    raise_syntax(p, "invalid syntax");
}

// ---- targets

static const char *constant_name(ValueRef value)
{
    if (value == NONE) return "None";
    if (value == FALSE) return "False";
    if (value == TRUE) return "True";
    if (value == ELLIPSIS) return "Ellipsis";
    return "literal";
}

const char *expression_name(const Node *node)
{
    switch (node->kind) {
    case Attribute_kind: return "attribute";
    case Subscript_kind: return "subscript";
    case Starred_kind: return "starred";
    case Name_kind: return "name";
    case List_kind: return "list";
    case Tuple_kind: return "tuple";
    case Lambda_kind: return "lambda";
    case Call_kind: return "function call";
    case BoolOp_kind:
    case BinOp_kind:
    case UnaryOp_kind: return "operator";
    case GeneratorExp_kind: return "generator expression";
    case Yield_kind:
    case YieldFrom_kind: return "yield expression";
    case Await_kind: return "await expression";
    case ListComp_kind: return "list comprehension";
    case SetComp_kind: return "set comprehension";
    case DictComp_kind: return "dict comprehension";
    case Dict_kind: return "dict display";
    case Set_kind: return "set display";
    case JoinedStr_kind:
    case FormattedValue_kind: return "f-string expression";
    case Constant_kind: return constant_name(node->Constant.value);
    case Compare_kind: return "comparison";
    case IfExp_kind: return "conditional expression";
    default: return "named expression";
    }
}

static const Node *find_invalid_target(const Node *node, TargetKind kind);

static const Node *find_invalid_item(NodeList items, TargetKind kind)
{
    for (int i = 0; i < items.count; i++) {
        const Node *invalid = find_invalid_target(items.items[i], kind);
        if (invalid) return invalid;
    }
    return NULL;
}

// The first part of an expression that cannot be assigned to or deleted, or NULL. `a in b` is what
// the target of `for a in b` looks like when it is read as an expression.
static const Node *find_invalid_target(const Node *node, TargetKind kind)
{
    switch (node->kind) {
    case Name_kind:
    case Subscript_kind:
    case Attribute_kind: return NULL;
    case List_kind: return find_invalid_item(node->List.elts, kind);
    case Tuple_kind: return find_invalid_item(node->Tuple.elts, kind);
    case Starred_kind:
        if (kind == DEL_TARGETS) return node;
        return find_invalid_target(node->Starred.value, kind);
    case Compare_kind:
        if (kind != FOR_TARGETS) return node;
        if (node->Compare.ops.items[0] != In_op) return NULL;
        return find_invalid_target(node->Compare.left, kind);
    default: return node;
    }
}

void raise_invalid_target(Parser *p, TargetKind kind, Node *node)
{
    const Node *invalid = find_invalid_target(node, kind);
    if (!invalid) raise_syntax(p, "invalid syntax");
    const char *verb = kind == DEL_TARGETS ? "delete" : "assign to";
    raise_at_node(p, invalid, "cannot %s %s", verb, expression_name(invalid));
}
