// SHA-1 and SHA-2 against the examples of FIPS 180-4's validation, and the instructions of a
// processor against the plain functions, for texts of all lengths up to three blocks.
#include "tests/unit/unit.h"

#include "vm/modules/hashes/hash.h"
#include "vm/modules/hashes/sha_x86.h"

#include <stdio.h>

static const char *hexadecimal(const HashKind *kind, const void *text, size_t size)
{
    static char digits[2][2 * HASH_LONGEST_DIGEST + 1];
    static int turn;
    uint8_t digest[HASH_LONGEST_DIGEST];
    char *into = digits[turn ^= 1];
    hash_whole(kind, text, size, digest);
    for (int i = 0; i < kind->digest_size; i++) sprintf(into + 2 * i, "%02x", digest[i]);
    return into;
}

static void check_examples(void)
{
    const char *text = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    ck_assert_str_eq(hexadecimal(&hash_sha1, text, 56), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    ck_assert_str_eq(hexadecimal(&hash_sha224, text, 56),
                     "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525");
    ck_assert_str_eq(hexadecimal(&hash_sha256, text, 56),
                     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

START_TEST(test_examples)
{
    check_examples();
#if SHA_X86
    sha_x86 = SHA_X86_NOT_USED;
    check_examples();
#endif
}
END_TEST

START_TEST(test_instructions_and_plain_functions)
{
#if SHA_X86
    uint8_t text[192];
    if (!sha_x86_used()) return;
    for (size_t i = 0; i < sizeof text; i++) text[i] = (uint8_t)(i * i * 37 + i / 7);
    for (size_t size = 0; size <= sizeof text; size++) {
        const HashKind *kinds[] = {&hash_sha1, &hash_sha256};
        for (int i = 0; i < 2; i++) {
            sha_x86 = SHA_X86_USED;
            const char *answer = hexadecimal(kinds[i], text, size);
            sha_x86 = SHA_X86_NOT_USED;
            ck_assert_str_eq(answer, hexadecimal(kinds[i], text, size));
        }
    }
#endif
}
END_TEST

Suite *hashes_suite(void)
{
    Suite *suite = suite_create("hashes");
    TCase *tests = bare_case(suite, "sha");
    tcase_add_test(tests, test_examples);
    tcase_add_test(tests, test_instructions_and_plain_functions);
    return suite;
}
