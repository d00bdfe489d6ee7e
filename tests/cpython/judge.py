#!/usr/bin/env python3.9
"""CPython's own tests of its core, unmodified, as the judge: judge.py MINIVM [MODULE ...], run by CPython 3.9.

Each of the files below is read where this CPython is installed, and run by it and by minivm, which has nothing of CPython
but MINIVMPATH. A test counts if CPython passes it; then minivm passes it too, or is listed with its reason. Where
a process ends or takes too long, another one goes on behind the test that it was in. Doctests are counted apart.
Without a MODULE it runs them all and puts the figures into README.md. Exit status 1: minivm was ended by a signal, or
did not end.
"""
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import judging  # noqa: E402

LIB = os.path.dirname(os.__file__)
MODULES = """
grammar syntax scope dis peepholer code frame funcattrs keywordonlyarg positional_only_arg extcall call class descr
metaclass super property decorators subclassinit isinstance generators genexps listcomps dictcomps setcomps yield_from
coroutines asyncgen exceptions exception_variations raise with contextlib unpack unpack_ex named_expressions fstring
string_literals format int long float complex bool int_literal numeric_tower unicode bytes list tuple dict dictviews set
slice range iter enumerate sort builtin compare richcmp opcodes binop augassign global compile ast symtable types typing
dataclasses enum functools itertools collections operator heapq bisect copy random math json re textwrap string
traceback weakref gc inspect sys_settrace marshal threading subprocess posix os pty fcntl cprofile profile pdb decimal
xml_etree minidom sax pyexpat pulldom xml_dom_minicompat hashlib shutil asyncio.test_base_events
asyncio.test_buffered_proto asyncio.test_context asyncio.test_events asyncio.test_futures asyncio.test_futures2
asyncio.test_locks asyncio.test_pep492 asyncio.test_protocols asyncio.test_queues asyncio.test_runners
asyncio.test_selector_events asyncio.test_server asyncio.test_sock_lowlevel asyncio.test_streams
asyncio.test_subprocess asyncio.test_tasks asyncio.test_threads asyncio.test_transports asyncio.test_unix_events
asyncio.test_waitfor
""".split()
COLUMNS = "file", "tests that CPython passes", "minivm passes", "doctests", "minivm's"
# Why a test fails (judging.py: group).
CAUSES = [
    ("CPython's C interface (`_testcapi`, `ctypes`, `xxsubtype`)",
     r"_testcapi|_ctypes|calls no foreign functions|xxsubtype|ContainerNoGC|TestCallingConventions|CoExtra|Subinterp"
     # What they need it for runs in a process of its own.
     r"|recursion_normalizing|PyErr_PrintEx|garbage_at_shutdown"),
    ("`_asyncio`: futures and tasks are in mini-Python", r"requires the C _asyncio|_ctask_|_asyncio module|TestCGetEventLoop"),
    ("threads are one to the system (`differences/threads_are_one_to_the_system.mpy`)", r"test_various_ops"),
    ("sockets are in memory of this process: no network, no TLS",
     r"no network|no TLS|stdlib ssl|attribute 'ssl'|IPv6|SmallPtyTests|connect_racing"),
    ("the debugger has recorded the program: it goes back instead of starting it again", r"test_pdb\."),
    ("the test puts functions of its own under names of os.py's", r"test_os\.ExecTests"),
    ("another process, a fork, a terminal", r"starts no processes|fork\(\)|PtyTests|has no semaphores"),
    ("threads", r"start new thread|faulthandler"),
    ("text of CPython's own: docstrings, words of messages, examples in them",
     r"test_dis\.|^builtins\.|^json|_doc \||descrdoc|builtin_update|getcallargs|GetcallargsF|GetcallargsM|GetcallargsU"),
    ("the test takes the module `heapq` from sys.modules, where in CPython unittest (by asyncio) has put it", r"^merge"),
    ("an instance's dict has its own keys (`differences/a_dict_has_its_own_keys.mpy`)", r"splittable|SharedKeyTests"),
    ("the test skips itself, as the conversion is too fast to be timed", r"conversion took only"),
    ("modules in C are part of the program, not files", r"not an external binary module"),
    ("hashlib's modules in C have other names", r"test_hashlib.*(_sha3|_md5|_hashlib|OpenSSL)"),
    ("bz2, lzma and the codecs of East Asia are not there", r"requires (bz2|lzma)|unknown encoding: GBK"),
    ("functions in C have no entry in a traceback", r"HandlerExceptionTest"),
    ("`shutil` copies in one way: by reading and writing", r"_fastcopy|ZeroCopySendfile"),
    ("numbers have no identity", r"InstancingTestCase\.test(Float|Int)"),
    ("the library is in the binary, not in files", r"test_stdlib_validates|test_fstring\.TestCase\.test_global"),
    ("the engine of `re` is another one: so are its programs, and what re.DEBUG could print", r"test_re\."),
    ("codecs `utf_7` and `idna`", r"test_codecs"),
    ("`_decimal`", r"requires _decimal"),
    ("names of modules that are left out", r"pydoc|get_inheritable"),
    ("the parser takes NFKC from its own tables, not from the module `unicodedata`", r"test_issue31592"),
    ("a key of a class's dict that is no string is not asked while an attribute is looked up", r"test_type_lookup_mro_reference"),
]


def main(minivm, *names):
    environment = {**os.environ, "PYTHONHASHSEED": "0", "MINIVMPATH": f"{LIB}:{HERE}"}
    programs = sys.executable, os.path.abspath(minivm)

    def outcomes_of(module):
        return [judging.Outcomes().run(program, module, environment) for program in programs]

    modules = names or ["test_" + name for name in MODULES]
    sys.exit(judging.judge(modules, outcomes_of, COLUMNS, CAUSES, None if names else HERE / "README.md"))


main(*sys.argv[1:])
