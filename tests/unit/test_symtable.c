// The symbol table: the flags of every name in every scope, as CPython 3.9's symtable has them
// (compile_goldens.def), and the listing for learners.
#include "tests/unit/unit.h"

#include "compiler/tree/symtable.h"
#include "objects/error.h"
#include "objects/text/str.h"

#include <stdlib.h>

typedef struct Golden {
    const char *source, *answer;
} Golden;

static const Golden goldens[] = {
#define COMPILE_ERROR(source, answer)
#define LISTING(source, answer)
#define SYMBOLS(source, answer) {source, answer},
#include "tests/unit/compile_goldens.def"
};

static int compare_entries(const void *a, const void *b)
{
    return str_compare(((const MapEntry *)a)->key, ((const MapEntry *)b)->key);
}

static void add(StrBuilder *builder, Value text)
{
    ck_assert(text && builder_str(builder, text));
    drop(text);
}

static void add_scope(StrBuilder *builder, const Scope *scope)
{
    add(builder, format_text("%S %d:", scope->name, scope->line));
    qsort(scope->symbols.entries, (size_t)scope->symbols.count, sizeof(MapEntry), compare_entries);
    for (int i = 0; i < scope->symbols.count; i++) {
        const MapEntry *entry = &scope->symbols.entries[i];
        add(builder, format_text(" %S=%d", (ValueRef)entry->key, entry->number));
    }
    add(builder, str_new(scope->symbols.count ? "\n" : " \n"));
    for (const Scope *inner = scope->first_inner; inner; inner = inner->next)
        add_scope(builder, inner);
}

START_TEST(symbols)
{
    Arena arena;
    const char *source = goldens[_i].source;
    Value filename = str_new("<s>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename, .is_utf8 = true};
    arena_begin(&arena);
    ck_assert(!setjmp(arena.failure));
    Compilation *c = arena_alloc(&arena, sizeof *c);
    *c = (Compilation){.arena = &arena, .options = &options};
    const Node *tree = parse_source(&arena, source, strlen(source), &options);
    const SymbolTable *table = symbols_make(c, tree);
    StrBuilder builder;
    builder_begin(&builder);
    add_scope(&builder, table->top);
    Value text = builder_finish(&builder);
    ck_assert_str_eq(str_utf8(text, NULL), goldens[_i].answer);
    drop(text);
    arena_end(&arena);
    drop(filename);
}
END_TEST

START_TEST(dumped)
{
    static const char source[] = "x = 1\n"
                                 "def f(n):\n"
                                 "    total = 0\n"
                                 "    def add():\n"
                                 "        nonlocal total\n"
                                 "        total += n\n"
                                 "    return [add for i in x]\n";
    static const char expected[] = "module\n"
                                   "    x: global (assigned)\n"
                                   "    f: global (assigned)\n"
                                   "    function f, line 2\n"
                                   "        n: cell (parameter)\n"
                                   "        total: cell (assigned)\n"
                                   "        add: cell (assigned)\n"
                                   "        x: global (read)\n"
                                   "        function add, line 4\n"
                                   "            total: free (nonlocal, assigned)\n"
                                   "            n: free (read)\n"
                                   "        comprehension listcomp, line 7\n"
                                   "            .0: local (parameter)\n"
                                   "            i: local (iteration variable, assigned)\n"
                                   "            add: free (read)\n";
    Value filename = str_new("<s>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename, .is_utf8 = true};
    Value text = symtable_dump(source, strlen(source), &options);
    assert_no_error();
    ck_assert_str_eq(str_utf8(text, NULL), expected);
    drop(text);
    drop(filename);
}
END_TEST

Suite *symtable_suite(void)
{
    Suite *suite = suite_create("symtable");
    TCase *tests = live_case(suite, "symtable");
    tcase_add_loop_test(tests, symbols, 0, sizeof goldens / sizeof *goldens);
    tcase_add_test(tests, dumped);
    return suite;
}
