// What no other Python survives: addresses that a program makes up, given to ctypes.
#include "tests/unit/unit.h"

#include "vm/run.h"
#include "vm/vm.h"

static const char *const program =
    "import _code_extra, ctypes\n"
    "from ctypes import *\n"
    "numbers = (c_int * 4)(1, 2, 3, 4)\n"
    "class Pair(Structure): _fields_ = ('a', c_char_p), ('b', POINTER(c_int))\n"
    "near, gone = cast(numbers, POINTER(c_int)), addressof(create_string_buffer(8))\n"
    "for function in (\n"
    "        lambda: string_at(1), lambda: wstring_at(-1, 5),\n"
    "        lambda: string_at(numbers, 1 << 70),\n"
    "        lambda: near[4], lambda: near[-1], lambda: near[1 << 61], lambda: near[2:6],\n"
    "        lambda: near.__setitem__(100, 1), lambda: memset(addressof(numbers), 1, 17),\n"
    "        lambda: memmove(numbers, numbers, 20), lambda: memmove(numbers, 64, 4),\n"
    "        lambda: string_at(gone, 1), lambda: c_int.from_address(id(numbers)),\n"
    "        lambda: Pair.from_buffer_copy(b'1' * 16).a,\n"
    "        lambda: py_object.from_buffer(bytearray(b'1' * 8)).value,\n"
    "        lambda: Pair.from_buffer_copy(b'1' * 16).b.contents,\n"
    "        lambda: CFUNCTYPE(None)(4096)(),\n"
    "        lambda: cast(numbers, CFUNCTYPE(None))(), lambda: cast(5, c_char_p).value,\n"
    "        lambda: pythonapi.Py_Exit(3), lambda: pythonapi[5](), lambda: CDLL(None).abort()):\n"
    "    try: print(function())\n"
    "    except OSError as error: assert 'minivm' in str(error), error\n"
    "    else: raise AssertionError(function.__code__.co_consts)\n"
    "code = (lambda: 1).__code__\n"
    "for index in -1, 0, 1, 5, 254, 255, 1 << 40:\n"
    "    assert _code_extra.get(code, index) == 0\n"
    "    try: _code_extra.set(code, index, 1)\n"
    "    except SystemError: pass\n"
    "    else: raise AssertionError(index)\n";

START_TEST(addresses_that_are_made_up)
{
    const char *argv[] = {"test", NULL};
    ck_assert(vm_init(&(SysOptions){.argc = 1, .argv = argv, .executable = "minivm"}));
    int status = run_command(program);
    ck_assert_int_eq(vm_finish(status), 0);
}
END_TEST

Suite *ctypes_suite(void)
{
    Suite *suite = suite_create("ctypes");
    TCase *tests = bare_case(suite, "ctypes");
    tcase_add_test(tests, addresses_that_are_made_up);
    return suite;
}
