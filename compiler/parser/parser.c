// The core of the parser: tokens, identifiers, memos, lists, and parse_source().
//
// parse_source() opens the source and parses it. If that fails, it parses again with the invalid_*
// rules, one of which may raise an error that names the mistake. Otherwise the error is "invalid
// syntax" at the last token fetched.
#include "compiler/parser/parser.h"

#include "objects/exceptions/exception.h"
#include "objects/text/str.h"
#include "objects/text/unicode.h"

// ---- tokens

static void grow_tokens(Parser *p)
{
    int capacity = p->capacity * 2;
    Token *tokens = arena_alloc(p->arena, (size_t)capacity * sizeof *tokens);
    memcpy(tokens, p->tokens, (size_t)p->fill * sizeof *tokens);
    p->tokens = tokens;
    p->capacity = capacity;
}

// At the end of interactive input: an extra NEWLINE, and the DEDENTs that are still missing.
static void end_interactive_input(Parser *p)
{
    Tokenizer *tokenizer = p->tokenizer;
    p->parsing_started = false;
    if (tokenizer->indent && !(p->options->flags & PyCF_DONT_IMPLY_DEDENT)) {
        tokenizer->pending = -tokenizer->indent;
        tokenizer->indent = 0;
    }
}

static void locate_token(Parser *p, Token *token, const Span *span)
{
    const Tokenizer *tokenizer = p->tokenizer;
    bool is_string = token->type == TOKEN_STRING;
    const char *line_start = is_string ? tokenizer->multi_line_start : tokenizer->line_start;
    int shift = tokenizer->line == 1 ? p->starting_column : 0;
    bool has_text = span->start != NULL;
    token->position = (Position){
        .line = p->starting_line + (is_string ? tokenizer->first_line : tokenizer->line),
        .column = shift + (has_text ? (int)(span->start - line_start) : -1),
        .end_line = p->starting_line + tokenizer->line,
        .end_column = shift + (has_text ? (int)(span->end - tokenizer->line_start) : -1),
    };
}

static ValueRef text_of(Parser *p, const char *start, const char *end)
{
    return arena_hold(p->arena, str_from_utf8(start, (size_t)(end - start)));
}

// A "# type: ignore" goes to the module and is no token of the grammar.
static void add_ignore(Parser *p, const Span *span)
{
    TypeIgnore *ignore = arena_alloc(p->arena, sizeof *ignore);
    *ignore = (TypeIgnore){NULL, p->tokenizer->line, text_of(p, span->start, span->end)};
    *(p->ignores ? p->last_ignore : &p->ignores) = ignore;
    p->last_ignore = &ignore->next;
}

void fill_token(Parser *p)
{
    Span span;
    TokenType type;
    while ((type = tokenizer_next(p->tokenizer, &span)) == TOKEN_TYPE_IGNORE) add_ignore(p, &span);
    if (type == TOKEN_ENDMARKER && p->start_rule == START_SINGLE && p->parsing_started) {
        type = TOKEN_NEWLINE;
        end_interactive_input(p);
    } else {
        p->parsing_started = true;
    }
    if (p->fill == p->capacity) grow_tokens(p);
    Token *token = &p->tokens[p->fill];
    token->text = span.start;
    token->size = (int)(span.end - span.start);
    token->type = type == TOKEN_NAME ? keyword_type(span.start, (size_t)token->size) : type;
    token->memo = NULL;
    locate_token(p, token, &span);
    p->fill++;
    if (p->options->grammar_age) classify_in_older_grammar(p, token);
    if (type == TOKEN_ERRORTOKEN) raise_tokenizer_error(p);
}

Position position_from(Parser *p, int start)
{
    int last = p->mark - 1;
    while (last > 0) {
        TokenType type = p->tokens[last].type;
        if (type != TOKEN_ENDMARKER && (type < TOKEN_NEWLINE || type > TOKEN_DEDENT)) break;
        last--;
    }
    const Position *from = &p->tokens[start].position, *to = &p->tokens[last].position;
    return (Position){from->line, from->column, to->end_line, to->end_column};
}

void parser_too_deep(Parser *p)
{
    raise_memory_error();
    arena_fail(p->arena);
}

// ---- memos

void memo_insert(Parser *p, int mark, MemoRule rule, void *result)
{
    Memo *memo = arena_alloc(p->arena, sizeof *memo);
    memo->next = p->tokens[mark].memo;
    memo->result = result;
    memo->mark = p->mark;
    memo->rule = rule;
    p->tokens[mark].memo = memo;
}

bool memo_find(Parser *p, MemoRule rule, void *result)
{
    if (p->mark == p->fill) fill_token(p);
    for (const Memo *memo = p->tokens[p->mark].memo; memo; memo = memo->next) {
        if (memo->rule != rule) continue;
        p->mark = memo->mark;
        *(void **)result = memo->result;
        return true;
    }
    return false;
}

// ---- lists

void stack_push(Parser *p, Node *node)
{
    if (p->stack_size == p->stack_capacity) {
        int capacity = p->stack_capacity ? p->stack_capacity * 2 : 64;
        Node **stack = arena_alloc(p->arena, (size_t)capacity * sizeof *stack);
        if (p->stack_size) memcpy(stack, p->stack, (size_t)p->stack_size * sizeof *stack);
        p->stack = stack;
        p->stack_capacity = capacity;
    }
    p->stack[p->stack_size++] = node;
}

NodeList stack_take(Parser *p, int base)
{
    NodeList list = {.count = p->stack_size - base};
    if (list.count > 0) {
        size_t size = (size_t)list.count * sizeof *list.items;
        list.items = arena_alloc(p->arena, size);
        memcpy(list.items, p->stack + base, size);
    }
    p->stack_size = base;
    return list;
}

NodeList list_of(Parser *p, Node *item)
{
    NodeList list = {1, arena_alloc(p->arena, sizeof *list.items)};
    list.items[0] = item;
    return list;
}

NodeList list_join(Parser *p, NodeList first, NodeList second)
{
    if (first.count == 0) return second;
    if (second.count == 0) return first;
    int base = p->stack_size;
    for (int i = 0; i < first.count; i++) stack_push(p, first.items[i]);
    for (int i = 0; i < second.count; i++) stack_push(p, second.items[i]);
    return stack_take(p, base);
}

// ---- identifiers

typedef struct Identifier {
    const char *text; // NULL = a free slot
    int size;
    uint32_t hash;
    ValueRef value;
} Identifier;

// Every name of the source once, so that most occurrences cost no search among all interned strs.
struct Identifiers {
    Identifier *table;
    uint32_t capacity, count; // capacity is a power of 2
};

static Identifiers *new_identifiers(Arena *arena)
{
    Identifiers *identifiers = arena_alloc(arena, sizeof *identifiers);
    identifiers->capacity = 128;
    identifiers->table = arena_alloc(arena, identifiers->capacity * sizeof *identifiers->table);
    return identifiers;
}

static uint32_t hash_text(const char *text, int size)
{
    uint32_t hash = 2166136261u;
    for (int i = 0; i < size; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static Identifier *find_identifier(const Identifiers *identifiers, const char *text, int size,
                                   uint32_t hash)
{
    uint32_t mask = identifiers->capacity - 1;
    for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
        Identifier *entry = &identifiers->table[i];
        if (!entry->text) return entry;
        if (entry->hash != hash || entry->size != size) continue;
        if (!memcmp(entry->text, text, (size_t)size)) return entry;
    }
}

static void grow_identifiers(Parser *p)
{
    Identifiers *old = p->identifiers, grown = {.capacity = old->capacity * 4, .count = old->count};
    grown.table = arena_alloc(p->arena, grown.capacity * sizeof *grown.table);
    for (uint32_t i = 0; i < old->capacity; i++) {
        const Identifier *entry = &old->table[i];
        if (!entry->text) continue;
        *find_identifier(&grown, entry->text, entry->size, entry->hash) = *entry;
    }
    *old = grown;
}

// Beyond ASCII a name is taken in its NFKC form.
static Value normalized(Parser *p, ValueRef name)
{
    size_t count = (size_t)str_length(name), room = count * 18 + 1;
    uint32_t *points = arena_alloc(p->arena, (count + room) * sizeof *points);
    for (size_t i = 0; i < count; i++) points[i] = str_at(as_str(name), (ssize_t)i);
    size_t length = unicode_normalize(UNICODE_NFKC, points, count, points + count, room);
    return str_from_code_points(points + count, length);
}

static ValueRef intern(Parser *p, const char *text, int size)
{
    Value name = str_from_utf8(text, (size_t)size);
    if (name == VALUE_ERROR) arena_fail(p->arena);
    if (!as_str(name)->ascii) {
        ValueRef written = arena_hold(p->arena, name);
        name = normalized(p, written);
        if (name == VALUE_ERROR) arena_fail(p->arena);
    }
    str_intern_in_place(&name);
    return arena_hold(p->arena, name);
}

ValueRef new_identifier(Parser *p, const char *text, int size)
{
    uint32_t hash = hash_text(text, size);
    Identifier *entry = find_identifier(p->identifiers, text, size, hash);
    if (entry->text) return entry->value;
    if (p->identifiers->count * 2 >= p->identifiers->capacity) {
        grow_identifiers(p);
        entry = find_identifier(p->identifiers, text, size, hash);
    }
    *entry = (Identifier){text, size, hash, intern(p, text, size)};
    p->identifiers->count++;
    return entry->value;
}

// ---- start rules

// NEWLINE* ENDMARKER
static bool newlines_and_end(Parser *p)
{
    while (expect(p, TOKEN_NEWLINE)) {
    }
    return expect(p, TOKEN_ENDMARKER);
}

ValueRef type_comment_rule(Parser *p)
{
    if (!expect(p, TOKEN_TYPE_COMMENT)) return 0;
    const Token *token = &p->tokens[p->mark - 1];
    return text_of(p, token->text, token->text + token->size);
}

static NodeList type_ignores(Parser *p)
{
    int base = p->stack_size;
    for (const TypeIgnore *ignore = p->ignores; ignore; ignore = ignore->next) {
        Node *node = node_new(p->arena, TypeIgnore_kind, (Position){0});
        node->TypeIgnore.lineno = ignore->line;
        node->TypeIgnore.tag = ignore->tag;
        stack_push(p, node);
    }
    return stack_take(p, base);
}

// file: [statements] ENDMARKER
static Node *file_rule(Parser *p)
{
    NodeList body = {0};
    descend(p, 3);
    statements_rule(p, &body);
    p->level -= 3;
    if (!expect(p, TOKEN_ENDMARKER)) return NULL;
    Node *module = node_new(p->arena, Module_kind, (Position){0});
    module->Module.body = body;
    module->Module.type_ignores = type_ignores(p);
    return module;
}

// statement_newline:
//     | compound_stmt NEWLINE
//     | simple_stmt
//     | NEWLINE
//     | ENDMARKER
static bool statement_newline_rule(Parser *p, NodeList *body)
{
    int start = p->mark, base = p->stack_size;
    Node *statement = compound_stmt_rule(p);
    if (statement) {
        *body = list_of(p, statement);
        if (expect(p, TOKEN_NEWLINE)) return true;
        p->mark = start;
    }
    if (simple_stmt_rule(p)) {
        *body = stack_take(p, base);
        return true;
    }
    if (!expect(p, TOKEN_NEWLINE)) return false;
    *body = list_of(p, new_node(p, Pass_kind, start));
    return true;
}

// interactive: statement_newline
static Node *interactive_rule(Parser *p)
{
    NodeList body;
    if (!statement_newline_rule(p, &body)) return NULL;
    Node *module = node_new(p->arena, Interactive_kind, (Position){0});
    module->Interactive.body = body;
    return module;
}

// eval: expressions NEWLINE* ENDMARKER
static Node *eval_rule(Parser *p)
{
    descend(p, 2);
    Node *body = expressions_rule(p);
    p->level -= 2;
    if (!body || !newlines_and_end(p)) return NULL;
    Node *module = node_new(p->arena, Expression_kind, (Position){0});
    module->Expression.body = body;
    return module;
}

// The expression after ',' and `type` ('*' or '**'), pushed; else `mark` stays.
static bool type_star(Parser *p, int type, bool after_comma)
{
    int mark = p->mark;
    if ((!after_comma || expect(p, TOKEN_COMMA)) && expect(p, type)) {
        Node *node = expression_rule(p);
        if (node) {
            stack_push(p, node);
            return true;
        }
    }
    p->mark = mark;
    return false;
}

// type_expressions:
//     | ','.expression+ [',' '*' expression] [',' '**' expression]
//     | '*' expression [',' '**' expression]
//     | '**' expression
static NodeList type_expressions_rule(Parser *p)
{
    int base = p->stack_size;
    Node *node = expression_rule(p);
    bool any = node != NULL;
    while (node) {
        stack_push(p, node);
        int mark = p->mark;
        node = expect(p, TOKEN_COMMA) ? expression_rule(p) : NULL;
        if (!node) p->mark = mark;
    }
    any |= type_star(p, TOKEN_STAR, any);
    type_star(p, TOKEN_DOUBLESTAR, any);
    return stack_take(p, base);
}

// func_type: '(' [type_expressions] ')' '->' expression NEWLINE* ENDMARKER
static Node *func_type_rule(Parser *p)
{
    if (!expect(p, TOKEN_LPAR)) return NULL;
    NodeList argtypes = type_expressions_rule(p);
    if (!expect(p, TOKEN_RPAR) || !expect(p, TOKEN_RARROW)) return NULL;
    Node *returns = expression_rule(p);
    if (!returns || !newlines_and_end(p)) return NULL;
    Node *module = node_new(p->arena, FunctionType_kind, (Position){0});
    module->FunctionType.argtypes = argtypes;
    module->FunctionType.returns = returns;
    return module;
}

static Node *start(Parser *p)
{
    switch (p->start_rule) {
    case START_FILE: return file_rule(p);
    case START_SINGLE: return interactive_rule(p);
    case START_EVAL: return eval_rule(p);
    case START_FUNC_TYPE: return func_type_rule(p);
    case START_FSTRING: break;
    }
    return star_expressions_rule(p); // fstring: star_expressions
}

// ---- the run

static Node *run(Parser *p)
{
    Node *tree = start(p);
    if (tree) return tree;
    for (int i = 0; i < p->fill; i++) p->tokens[i].memo = NULL;
    p->mark = p->level = p->stack_size = 0;
    p->call_invalid_rules = true;
    start(p);
    raise_no_rule_matches(p);
}

static void begin(Parser *p, Tokenizer *tokenizer, const Source *source, ValueRef filename)
{
    size_t size = (size_t)(source->end - source->text);
    tokenizer_begin(tokenizer, p->arena, source, filename);
    p->tokenizer = tokenizer;
    tokenizer->type_comments = p->options->flags & PyCF_TYPE_COMMENTS;
    p->capacity = (int)(size / 6) + 16;
    p->tokens = arena_alloc(p->arena, (size_t)p->capacity * sizeof *p->tokens);
}

// Whether text is left after the one statement of interactive input: 3.9 looks at the last line it
// read.
static bool bad_single_statement(const Parser *p)
{
    const char *text = p->tokenizer->buffer, *cur = strchr(text, '\n');
    if (!cur || (cur != text && cur[-1] == '\\')) return false;
    for (const char *c = cur; c >= text; c--)
        if (*c == '\'' || *c == '"') return false;
    for (;;) {
        while (*cur == ' ' || *cur == '\t' || *cur == '\n' || *cur == '\f') cur++;
        if (*cur != '#') return *cur != 0;
        while (*cur && *cur != '\n') cur++;
    }
}

static StartRule start_rule(CompileMode mode)
{
    switch (mode) {
    case MODE_EXEC: return START_FILE;
    case MODE_EVAL: return START_EVAL;
    case MODE_SINGLE: return START_SINGLE;
    case MODE_FUNC_TYPE: break;
    }
    return START_FUNC_TYPE;
}

Node *parse_source(Arena *arena, const char *text, size_t size, const CompileOptions *options)
{
    Source *source = arena_alloc(arena, sizeof *source);
    Tokenizer *tokenizer = arena_alloc(arena, sizeof *tokenizer);
    source_open(arena, source, text, size, options);
    Parser p = {.arena = arena,
                .options = options,
                .start_rule = start_rule(options->mode),
                .identifiers = new_identifiers(arena)};
    begin(&p, tokenizer, source, options->filename);
    Node *tree = run(&p);
    if (p.start_rule == START_SINGLE && bad_single_statement(&p))
        raise_syntax(&p, "multiple statements found while compiling a single statement");
    return tree;
}

Node *parse_fstring_expression(Parser *outer, const char *text, size_t size, int line, int column)
{
    Source *source = arena_alloc(outer->arena, sizeof *source);
    Tokenizer *tokenizer = arena_alloc(outer->arena, sizeof *tokenizer);
    *source = (Source){.text = text, .end = text + size};
    Parser p = {.arena = outer->arena,
                .options = outer->options,
                .start_rule = START_FSTRING,
                .starting_line = line,
                .starting_column = column,
                .identifiers = outer->identifiers};
    begin(&p, tokenizer, source, outer->options->filename);
    return run(&p);
}
