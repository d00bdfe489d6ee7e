// The opcode table: do its columns agree with each other, and with what verify_recipes.def knows
// from CPython's loop?
//
// A picture is read as a student reads it: how many values stand on its left, how many on its
// right. "a + b" is one value, "..." any number; "[a]" is there with the operands of the recipes.
#include "tests/unit/unit.h"

#include "compiler/opcode.h"

#include <stdio.h>
#include <string.h>

typedef struct Recipe {
    int opcode, operand, looks, takes, gives;
} Recipe;

static const Recipe recipes[] = {
#define RECIPE(opcode, operand, looks, takes, gives, rule, flow)                                   \
    {opcode, operand, looks, takes, gives},
#include "tests/unit/verify_recipes.def"
#undef RECIPE
};

typedef struct Side {
    int values;
    bool any; // has a "..."
} Side;

static bool is_operator(const char *word)
{
    return strcmp(word, "not") == 0 || strspn(word, "+-*/%@&|^<>=") == strlen(word);
}

// An operator makes one value of its neighbours; a lone "-" is no value.
static Side read_side(const char *text, const char *end)
{
    Side side = {0};
    char copy[100], *rest = NULL;
    snprintf(copy, sizeof copy, "%.*s", (int)(end - text), text);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (strcmp(word, "...") == 0)
            side.any = true;
        else if (strcmp(word, "not") == 0 || !is_operator(word))
            side.values++;
        else if (strcmp(word, "-") != 0 || side.values)
            side.values--;
        if (strcmp(word, "not") == 0) strtok_r(NULL, " ", &rest);
    }
    return side;
}

// `depth`: how many values there are where the instruction has found so many.
static void check_right(const Recipe *recipe, Side left, Side right, int depth)
{
    int values = right.values;
    if (left.any && right.any) values += recipe->looks - left.values; // the same ones
    bool agrees = right.any && !left.any ? values <= depth : values == depth;
    ck_assert_msg(agrees, "%s leaves %d values, not %d", opcode_name(recipe->opcode), depth,
                  values);
}

// The values on the right are what is left of those that it looks at, and what it pushes. The
// alternative is what it leaves where it jumps on, or where it does not.
static void check_picture(const Recipe *recipe)
{
    int opcode = recipe->opcode, operand = recipe->operand;
    const char *picture = opcode_rows[opcode].picture, *arrow = strstr(picture, "->");
    ck_assert_msg(arrow, "%s", opcode_name(opcode));
    Side left = read_side(picture, arrow);
    bool agrees = left.any ? left.values <= recipe->looks : left.values == recipe->looks;
    ck_assert_msg(agrees, "%s looks at %d values, not %d", opcode_name(opcode), recipe->looks,
                  left.values);
    int through = recipe->looks + opcode_stack_effect(opcode, operand, false);
    int jumped = recipe->looks + opcode_stack_effect(opcode, operand, true);
    const char *right = arrow + 2, *end = right + strlen(right), *other = strstr(right, " or ");
    check_right(recipe, left, read_side(right, other ? other : end), other ? jumped : through);
    if (other) check_right(recipe, left, read_side(other + 4, end), through);
}

START_TEST(pictures)
{
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) check_picture(&recipes[i]);
}
END_TEST

START_TEST(numbers)
{
    int count = 0;
    for (int opcode = 0; opcode < 256; opcode++) count += opcode_name(opcode) != NULL;
    ck_assert_int_eq(count, 119);
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        const Recipe *recipe = &recipes[i];
        ck_assert_int_eq(opcode_looks(recipe->opcode, recipe->operand), recipe->looks);
        ck_assert_int_eq(opcode_takes(recipe->opcode, recipe->operand), recipe->takes);
        ck_assert_int_eq(opcode_stack_effect(recipe->opcode, recipe->operand, false),
                         recipe->gives - recipe->takes);
    }
}
END_TEST

// Its last 32 bits, of as many EXTENDED_ARGs as there are.
START_TEST(extended_operands)
{
    static const uint8_t bytes[] = {
        LOAD_CONST,   1, EXTENDED_ARG, 2, EXTENDED_ARG, 3, LOAD_CONST, 4, EXTENDED_ARG, 5,
        EXTENDED_ARG, 6, EXTENDED_ARG, 7, EXTENDED_ARG, 8, LOAD_CONST, 9, LOAD_CONST,   10};
    static const uint32_t operands[] = {1,     2,       0x203,     0x20304,   5,
                                        0x506, 0x50607, 0x5060708, 0x6070809, 10};
    for (int i = 0; i < 10; i++) ck_assert_uint_eq(opcode_operand_at(bytes, i), operands[i]);
}
END_TEST

Suite *opcode_suite(void)
{
    Suite *suite = suite_create("opcode");
    TCase *tests = bare_case(suite, "opcode");
    tcase_add_test(tests, numbers);
    tcase_add_test(tests, pictures);
    tcase_add_test(tests, extended_operands);
    return suite;
}
