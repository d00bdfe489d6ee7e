// Private to the parser: its state, and the rules that its files share.
//
// The grammar is CPython 3.9's Grammar/python.gram, a PEG: alternatives are tried in order, and a
// rule that fails resets `mark`. Each rule is a function of the same name, with the rule as its
// comment; two rules that begin alike may share one function. The result is a node, or NULL; a rule
// that makes a list returns bool. Errors are raised by raise_..._at().
//
//     tokens  [ name ][ =  ][ 1 ][ NEWLINE ]
//                       ^mark              ^fill     tokens are fetched one at a time
//
// Invariant: a rule fetches exactly the tokens that CPython's rule fetches. If parsing fails, 3.9's
// error is at the last token fetched, so `fill` is part of the behaviour. After a failure the text
// is parsed again with the invalid_* rules, which detect known mistakes (`call_invalid_rules`).
#pragma once

#include "compiler/tokens/tokenizer.h"

#include "objects/error.h"
#include "objects/stack.h"

typedef enum StartRule {
    START_FILE,
    START_EVAL,
    START_SINGLE,
    START_FUNC_TYPE,
    START_FSTRING
} StartRule;

typedef enum MemoRule {
    MEMO_expression,
    MEMO_disjunction,
    MEMO_strings,
    MEMO_atom, // only those in brackets
    MEMO_t_primary,
    MEMO_target_with_star_atom,
    MEMO_del_target,
    MEMO_arguments,
    MEMO_block,
} MemoRule;

// The result of a rule at a token, NULL if it failed; `mark` is the index of the token after it.
typedef struct Memo {
    struct Memo *next;
    void *result;
    int mark;
    MemoRule rule;
} Memo;

typedef struct Token {
    const char *text;
    int size;
    TokenType type;
    Position position; // column -1 where the token has no text
    Memo *memo;
} Token;

typedef struct Identifiers Identifiers;

// A comment "# type: ignore".
typedef struct TypeIgnore {
    struct TypeIgnore *next;
    int line;
    ValueRef tag;
} TypeIgnore;

typedef struct Parser {
    Arena *arena;
    Tokenizer *tokenizer;
    const CompileOptions *options;
    StartRule start_rule;
    Token *tokens;
    int mark, fill, capacity;
    int level; // how many nested rules CPython would be in
    bool call_invalid_rules;
    bool parsing_started;
    int starting_line, starting_column; // of an f-string's expression in its file
    const Token *known_error_token;     // the error is here, instead of at the last token
    Node **stack;                       // the items of unfinished lists
    int stack_size, stack_capacity;
    TypeIgnore *ignores, **last_ignore;
    Identifiers *identifiers;            // shared with the parsers of f-string expressions
    bool in_async_def, after_async_head; // older_grammars.c
    int async_def_indent;
} Parser;

// ---- parser.c: tokens, memory, the start
void fill_token(Parser *p);
void parser_too_deep(Parser *p) __attribute__((noreturn));
ValueRef new_identifier(Parser *p, const char *text, int size);
ValueRef type_comment_rule(Parser *p); // [TYPE_COMMENT]: its text, or 0
Node *parse_fstring_expression(Parser *outer, const char *text, size_t size, int line, int column);
void memo_insert(Parser *p, int mark, MemoRule rule, void *result);
bool memo_find(Parser *p, MemoRule rule, void *result); // moves `mark` after it; fetches a token
void stack_push(Parser *p, Node *node);
NodeList stack_take(Parser *p, int base); // a list of the items from `base` on
NodeList list_of(Parser *p, Node *item);
NodeList list_join(Parser *p, NodeList first, NodeList second);

static inline int peek(Parser *p)
{
    if (p->mark == p->fill) fill_token(p);
    return p->tokens[p->mark].type;
}

static inline bool expect(Parser *p, int type)
{
    if (peek(p) != type) return false;
    p->mark++;
    return true;
}

#define MAX_LEVEL 6000 // as in CPython

// Counts `levels` of CPython's rules, whose nesting 3.9 limits. The C stack is measured as well, by
// address alone: what a level takes of a stack without addresses (STACK_WEIGHT), the limit bounds.
static inline void descend(Parser *p, int levels)
{
    p->level += levels;
    bool is_full = (char *)__builtin_frame_address(0) <= stack_floor;
    if (p->level > MAX_LEVEL || is_full) parser_too_deep(p);
}

// From the token at `start` to the last one before `mark` that is not white space.
Position position_from(Parser *p, int start);
static inline Node *new_node(Parser *p, NodeKind kind, int start)
{
    return node_new(p->arena, kind, position_from(p, start));
}

// ---- older_grammars.c
// SyntaxError where 3.`minor` is newer than the grammar asked for; `what` ends in "is" or "are".
void require_version(Parser *p, int minor, const char *what);
// The last token fetched, if an older grammar is asked for.
void classify_in_older_grammar(Parser *p, Token *token);

// ---- syntax_errors.c
_Noreturn void raise_at_last_token(Parser *p, Type *type, const char *format, ...);
// `column` counts bytes from 0.
_Noreturn void raise_at(Parser *p, Type *type, int line, int column, const char *format, ...);
#define raise_syntax(p, ...) raise_at_last_token(p, SyntaxError, __VA_ARGS__)
#define raise_at_node(p, node, ...)                                                                \
    raise_at(p, SyntaxError, (node)->position.line, (node)->position.column, __VA_ARGS__)
_Noreturn void raise_tokenizer_error(Parser *p);
_Noreturn void raise_decode_failure(Parser *p); // the pending exception is why text has no value
_Noreturn void raise_no_rule_matches(Parser *p);
typedef enum TargetKind { STAR_TARGETS, DEL_TARGETS, FOR_TARGETS } TargetKind;
// "cannot assign to ...", where a part of the node cannot be a target.
_Noreturn void raise_invalid_target(Parser *p, TargetKind kind, Node *node);
const char *expression_name(const Node *node);

// ---- parse_literal.c: numbers and plain strings
Node *number_token(Parser *p);
// The value of the text between the quotes; leaves where it is wrong.
ValueRef decode_text(Parser *p, const char *text, const char *end, bool is_raw, const Token *token);
ValueRef decode_bytes(Parser *p, const char *text, const char *end, bool is_raw,
                      const Token *token);
void warn_invalid_escape(Parser *p, char c, const Token *token);

// ---- parse_strings.c: rows of strings; fstring.c: the expressions in them
typedef struct StringRow {
    const Token *first, *last; // where its nodes stand
    ValueRef *pieces;          // str or bytes not yet in a node
    int count, capacity;
    bool is_format, is_bytes;
} StringRow;
Node *strings_rule(Parser *p);
void row_add(Parser *p, StringRow *row, ValueRef piece);
// Makes a Constant of the pieces, if there are any, and pushes it.
void row_flush(Parser *p, StringRow *row, const Token *first, const Token *last);
// Reads the text of an f-string; its nodes are pushed. `token` is the string it is in.
void row_add_fstring(Parser *p, StringRow *row, const char *text, const char *end, bool is_raw,
                     const Token *token);

// ---- parse_stmt.c, parse_compound.c, parse_import.c
bool statements_rule(Parser *p, NodeList *body);
bool simple_stmt_rule(Parser *p); // pushes its statements
Node *compound_stmt_rule(Parser *p);
Node *import_stmt_rule(Parser *p);
bool block_rule(Parser *p, NodeList *body);

// ---- parse_expr.c
Node *star_expressions_rule(Parser *p);
Node *star_named_expression_rule(Parser *p);
bool star_named_expressions_rule(Parser *p, NodeList *items);
Node *named_expression_rule(Parser *p);
Node *expressions_rule(Parser *p);
Node *expression_rule(Parser *p);
Node *disjunction_rule(Parser *p);
Node *bitwise_or_rule(Parser *p);
Node *yield_expr_rule(Parser *p);
Node *annotated_rhs_rule(Parser *p); // yield_expr | star_expressions
Node *starred_expression_rule(Parser *p);
Node *trailer(Parser *p, int start, Node *value); // what goes on with a primary

// ---- parse_atom.c
Node *atom_rule(Parser *p);
Node *name_token(Parser *p);
Node *genexp_rule(Parser *p);
Node *list_rule(Parser *p);
Node *tuple_rule(Parser *p);
bool for_if_clauses_rule(Parser *p, NodeList *generators);
void invalid_for_target_rule(Parser *p);
void invalid_comprehension_rule(Parser *p);

// ---- parse_target.c
Node *star_targets_rule(Parser *p);
Node *star_target_rule(Parser *p);
Node *single_target_rule(Parser *p);
Node *single_subscript_attribute_target_rule(Parser *p);
bool del_targets_rule(Parser *p, NodeList *targets);

// ---- parse_args.c
typedef struct CallArguments {
    NodeList args, keywords;
} CallArguments;
CallArguments *arguments_rule(Parser *p);

// ---- parse_params.c
Node *params_rule(Parser *p);
Node *lambda_params_rule(Parser *p);
Node *empty_arguments(Parser *p);
