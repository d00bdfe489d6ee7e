#!/usr/bin/env python3
"""Opens the playground from its file in a headless Chromium and a headless Firefox, writes programs and runs them.

    tests/browser/playground.py MINIVM PLAYGROUND.html [CHECK ...]

MINIVM is the native one: a recorded run must be the same page there. A browser that is missing is named and skipped
(CHROMIUM and FIREFOX name them). The times that are printed are those of this machine; nothing depends on them.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import traceback

import chromium
import firefox

WITHOUT_SUSPENDING = "delete WebAssembly.Suspending;\n"  # at the start of the worker: a browser that has not JSPI
LOOP = "print('begins')\nwhile True:\n    pass\n"


def equal(have, expected, what):
    if have != expected:
        raise AssertionError(f"{what}: expected {expected!r}, have {have!r}")


def has(text, part, what):
    if part not in text:
        raise AssertionError(f"{what}: {part!r} is not in {text[-600:]!r}")


# ---- what a user does

def write(page, program):
    page.value("(() => { const area = document.querySelector('.editor-area'); area.value = %s; "
               "area.dispatchEvent(new Event('input')); })()" % json.dumps(program))


def press(page, label):
    page.click("[...document.querySelectorAll('button')].find(e => e.innerText === %s && e.offsetParent)" % json.dumps(label))


def choose(page, label, option):
    """An entry of one of the two lists."""
    page.value("(() => { const list = document.querySelector('select[aria-label=%s]'); list.selectedIndex = "
               "[...list.options].findIndex(e => e.text.startsWith(%s)); list.dispatchEvent(new Event('change')); })()"
               % (json.dumps(label), json.dumps(option)))


def output(page):
    return page.value("document.querySelector('.output').textContent")


def status(page):
    return page.value("document.querySelector('.status').textContent")


def wait_for_output(page, part):
    page.wait("document.querySelector('.output').textContent.includes(%s)" % json.dumps(part))


def wait_for_end(page):
    page.wait("document.querySelector('.cell').dataset.state === 'idle'")


def answer(page, line):
    page.wait("document.activeElement.className === 'answer' && document.activeElement.offsetParent")
    page.type(line)
    page.key("Enter")


def run(page, program):
    write(page, program)
    press(page, "Run")
    wait_for_end(page)
    return output(page)


# ---- the checks: each gets a page that was just opened

def check_hello(page, _):
    times = []
    for _ in range(10):
        equal(run(page, "print('hello')\n"), "hello\n", "the output")
        times.append(float(status(page).split("(")[1].split()[0]))
    print(f"  ready after {page.value('document.body.dataset.ready')} ms; Run to \"hello\": {statistics.median(times)} s")


def check_output_comes_while_it_runs_and_stop(page, _):
    write(page, LOOP)
    press(page, "Run")
    wait_for_output(page, "begins\n")
    equal(page.value("document.querySelector('.cell').dataset.state"), "running", "the state")
    began = time.monotonic()
    press(page, "Stop")
    wait_for_end(page)
    print(f"  Stop: {(time.monotonic() - began) * 1000:.0f} ms, with the browser's driver")
    has(status(page), "Stopped.", "the status")
    equal(run(page, "print('again')\n"), "again\n", "a run after it")


def check_error(page, _):
    text = run(page, "def f(x):\n    return 1 / x\n\nprint('before')\nf(0)\n")
    has(text, "before\nTraceback (most recent call last):\n  File \"/program/main.mpy\", line 5, in <module>\n", "the output")
    has(text, "ZeroDivisionError: division by zero\n", "the output")
    equal(page.value("document.querySelector('.editor-numbers .marked').innerText"), "2", "the marked line")
    has(page.value("document.querySelector('.output .error').textContent"), "ZeroDivisionError", "what is red")
    has(run(page, "x = 1\nif x\n    pass\n"), "line 2\n    if x\n        ^\n", "the line of a syntax error")
    equal(page.value("document.querySelector('.editor-numbers .marked').innerText"), "2", "and its mark")


QUESTIONS = ("import random, time\nfirst, when = random.random(), time.time()\nprint('begins')\na = input('a? ')\n"
             "assert time.time() >= when\nb = input('b? ')\nprint(int(a) + int(b), first)\n")


def check_input(page, _):
    write(page, QUESTIONS)
    press(page, "Run")
    answer(page, "20")
    answer(page, "22")
    wait_for_end(page)
    text = output(page)
    has(text, "begins\na? 20\nb? 22\n42 0.", "the output")
    equal(text.count("begins"), 1, "what was shown is not shown twice")
    write(page, "print(repr(input()))\nprint(input())\n")
    press(page, "Run")
    answer(page, "x")
    page.wait("document.activeElement.className === 'answer' && document.activeElement.offsetParent")
    press(page, "End of input")
    wait_for_end(page)
    has(output(page), "EOFError\n", "the end of input")


def check_prompt(page, _):
    write(page, "x = 20\n")
    press(page, "Prompt")
    for line in "x + 1", "def f(n):", "    return n * 2", "", "f(21)", "1 +", "1 / 0", "f('ab')":
        answer(page, line)
    wait_for_output(page, "'abab'")
    text = output(page)
    for part in "21\n", "42\n", "SyntaxError: invalid syntax", "ZeroDivisionError: division by zero":
        has(text, part, "the prompt")
    press(page, "Stop")


def check_recursion(page, _):
    deep = ("import sys\ndef f(n):\n    return n and f(n - 1) + 1\nsys.setrecursionlimit(200000)\nprint(f(100000))\n"
            "class A:\n    def __repr__(self):\n        return repr(A())\nclass B:\n    def __eq__(self, other):\n"
            "        return self == other\nlist = []\nfor i in range(100000):\n    list = [list]\n"
            "for test in A().__repr__, lambda: B() == 1, lambda: repr(list), lambda: eval('(' * 90 + '-' * 100000 + '1' + ')' * 90),"
            " lambda: compile('[' * 100000, '', 'eval'):\n    try:\n        test()\n    except (RecursionError, MemoryError, "
            "SyntaxError) as error:\n        print(type(error).__name__)\nlist = None\n")
    text = run(page, deep)
    has(text, "100000\nRecursionError\nRecursionError\n", "recursion")
    equal(len(text.splitlines()), 6, "each of them ends in an exception")


def check_memory(page, _):
    text = run(page, "parts = []\ntry:\n    while True:\n        parts.append(bytearray(50000000))\n"
                     "except MemoryError:\n    print('MemoryError after', len(parts) > 5)\n")
    equal(text, "MemoryError after True\n", "memory to the bound")


def check_endless_output(page, _):
    write(page, "while True:\n    print('x' * 100)\n")
    press(page, "Run")
    wait_for_output(page, "the rest is not shown")
    press(page, "Stop")
    wait_for_end(page)
    equal(run(page, "print('alive')\n"), "alive\n", "the page")


def check_hostile_text(page, _):
    text = run(page, "text = '</script><script>document.title = 1</script><!--'\nprint(text, '\\0', '\\u2028')\n")
    equal(text, "</script><script>document.title = 1</script><!-- \0 \u2028\n", "the output")
    equal(page.value("document.title"), "minivm playground", "nothing of it was run")
    equal(run(page, "print('x') \0 y\n"), "x\n", "NUL in a program, where the line ends as in CPython 3.9")
    equal(run(page, "x = '" + "y" * 10000000 + "'\nprint(len(x))\n"), "10000000\n", "10 MB in one line")


STEPPED = "def f(a):\n    b = a + 'b'\n    return b * 2\n\nprint(f('a'))\n"


def native_page(minivm):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "main.mpy"), "w") as file:
            file.write(STEPPED)
        subprocess.run([minivm, "-u", "--trace-html", "out.html", "main.mpy"], cwd=folder, stdout=subprocess.DEVNULL, check=True)
        with open(os.path.join(folder, "out.html")) as file:
            return file.read()


def check_step_through(page, minivm):
    write(page, STEPPED)
    press(page, "Step through")
    wait_for_end(page)
    inner = "document.querySelector('.trace').contentDocument"
    page.wait(f"document.querySelector('.trace') && {inner}.body && {inner}.body.dataset.ready")
    equal(page.value("document.querySelector('.trace').srcdoc"), native_page(minivm), "the page, and the native one")
    step = f"{inner}.body.dataset.step"
    stack = f"[...{inner}.querySelectorAll('.frame.running .stack-value')].map(e => e.innerText.trim())"
    page.wait("document.activeElement.className === 'trace'")
    page.key("ArrowRight")
    page.wait(f"{step} === '1'")
    while "'ab'" not in page.value(stack):
        page.key("ArrowRight")
    there = page.value(step)
    page.key("ArrowLeft")
    equal(page.value(stack), ["'a'", "'b'"], "one step back")
    page.key("ArrowRight")
    equal((page.value(step), page.value(stack)), (there, ["'ab'"]), "and forward again")
    equal(output(page), "abab\n", "the output")


def check_stages(page, _):
    write(page, "x = 1\nprint(x + 2)\n")
    for stage, part in (("Tokens", "NAME"), ("Tree", "BinOp"), ("Scopes", "print"), ("Decompile", "print(x + 2)"),
                        ("Bytecode", "BINARY_ADD")):
        page.value("document.querySelector('.player').replaceChildren()")
        choose(page, "Stages of the compiler", stage)
        page.wait("document.querySelector('.player .stage')")
        has(page.value("document.querySelector('.player .stage').innerText"), part, stage)
        page.wait(f"document.querySelector('.status').textContent.startsWith('{stage} of main.mpy')")
    rows = page.value("[...document.querySelectorAll('.stage tr')].map(row => [...row.cells].map(cell => cell.innerText))")
    assert any("print(x + 2)" in left and "BINARY_ADD" in right for left, right in rows), f"the line beside its code: {rows}"


def check_hook(page, _):
    choose(page, "Examples", "A hook")
    press(page, "Hook")
    wait_for_end(page)
    shown = page.value("document.querySelector('.hook').innerText")
    for part in "f (main.mpy:", "compiled", "hit":
        has(shown, part, "the decisions")
    equal(output(page).count("\n"), 1, "lines of output: the decisions are not among them")


def check_stages_on_a_phone(page, _):
    page.resize(390, 800)
    write(page, "value = 'a line that is wider than the window of a phone, in which it has to be read'\n")
    for stage in "Tokens", "Tree", "Bytecode", "Decompile":
        page.value("document.querySelector('.player').replaceChildren()")
        choose(page, "Stages of the compiler", stage)
        page.wait("document.querySelector('.player .stage')")
        cut = page.value("(e => e.scrollWidth - e.clientWidth)(document.querySelector('.stage'))")
        equal(cut, 0, "what of " + stage + " is beside the window")


def check_compile_decisions(page, _):
    choose(page, "Examples", "torch.compile")
    choose(page, "Stages of the compiler", "Compile")
    page.wait("document.querySelector('.hook li')")
    wait_for_end(page)
    has(page.value("document.querySelector('.hook li').innerText"), "is compiled\n    compilation 0/0", "a decision")
    equal(page.value("document.querySelectorAll('.output .error').length"), 0, "lines of decisions in the output")


COMPILED = """import torch

@torch.compile(backend="eager")
def f(x, n):
    y = x * n
    print("<b>in the middle</b>")
    return y.relu()

for n in 2, 2, 3:
    f(torch.ones(3), n)
"""


def check_compile_page(page, _):
    """The page of --compile-html: numbers, the miss with what was there, no text of the program read as HTML."""
    write(page, COMPILED)
    choose(page, "Stages of the compiler", "Page of torch.compile")
    wait_for_end(page)
    inner = "document.querySelector('.trace').contentDocument"
    page.wait(f"document.querySelector('.trace') && {inner}.querySelector('section')")
    equal(page.value(f"[...{inner}.querySelectorAll('table')[0].rows].slice(0, 4).map(row => row.cells[1].innerText)"),
          ["3", "3", "2", "6"], "compilations, graphs, breaks, calls")
    has(page.value(f"{inner}.querySelector('.miss').innerText"), "L['n'] == 2", "the guard that missed")
    equal(page.value(f"[...{inner}.querySelectorAll('h2 code')].map(e => e.innerText)"),
          ["f", "torch_dynamo_resume_in_f_at_6"], "frames, the resume function below its own")
    equal(page.value(f"{inner}.querySelectorAll('b').length"), 0, "elements that a text of the program has made")
    equal(page.value("document.querySelector('.trace').title"), "What torch.compile did", "the title")
    page.value(f"{inner}.querySelector('summary').focus()")
    page.key("Enter")
    equal(page.value(f"{inner}.querySelector('details').open"), False, "a part, closed by a key")
    page.resize(390, 800)
    body = f"{inner}.documentElement"
    equal(page.value(f"{body}.scrollWidth - {body}.clientWidth"), 0, "what is beside the window of a phone")


def check_compile(page, _):
    choose(page, "Examples", "torch.compile")
    press(page, "Run")
    wait_for_end(page)
    for part in "call_function", "a break", "tensor(16.)":
        has(output(page), part, "a compiled function")
    choose(page, "Examples", "The C that")
    press(page, "Run")
    wait_for_end(page)
    for part in "void cpp_fused_add_mul_relu_0(", "graphs run eagerly: no C compiler: other programs cannot be started here\n", "tensor([3., 1., 7.])":
        has(output(page), part, "what inductor writes")
    choose(page, "Examples", "A graph, drawn")
    press(page, "Run")
    wait_for_end(page)
    page.wait("document.querySelector('.file img') && document.querySelector('.file img').complete")
    assert page.value("document.querySelector('.file img').naturalWidth") > 0, "the drawing is shown"


def check_leaving(page, _):
    choose(page, "Examples", "A model leaves")
    press(page, "Run")
    wait_for_end(page)
    for part in ("torch.ops.aten.linear.default(x, ", "executorch_exir_dialects_edge__ops_aten_addmm_default(",
                 "= torch.ops.higher_order.executorch_call_delegate(", "static void DELEGATE(const float *", "the arena has 128 bytes",
                 "int gate(int64_t s0, const float *x, float *y, void *arena)\n"):
        has(output(page), part, "a stage of leaving")
    equal(page.value("document.querySelectorAll('.output .error').length"), 0, "errors")
    files = sorted(page.value("[...document.querySelectorAll('.file')].map(e => e.textContent)"))
    equal([file.split(" ")[0] for file in files], ["gate.c", "gate.h"], "the files below")
    has(files[0], "static void matmul_float(", "the C file")


def check_learning(page, _):
    choose(page, "Examples", "A network learns")
    press(page, "Run")
    wait_for_end(page)
    last = output(page).splitlines()[-1]
    has(last, "step 300: loss 0.0", "what it has learnt")
    choose(page, "Examples", "A small GPT")
    press(page, "Run")
    wait_for_end(page)
    has(output(page), "\nshe sells sea shells she sells", "what it writes")


def check_files(page, _):
    choose(page, "Examples", "Two files")
    equal(page.value("[...document.querySelectorAll('.tabs [role=tab]')].map(e => e.innerText)"), ["main.mpy", "shapes.mpy"], "tabs")
    press(page, "Run")
    wait_for_end(page)
    has(output(page), "Circle(1) has the area 3.14\n", "the output")
    has(page.value("document.querySelector('.file').textContent"), "areas.txt (2 bytes)9", "the file that was written")


def check_refusals(page, _):
    text = run(page, "import pdb\nprint('before')\nbreakpoint()\npdb.set_trace()\nprint('after')\n")
    has(text, "before\n", "a breakpoint")
    has(text, "Step through", "what is said instead")
    has(text, "after\n", "the program goes on")
    has(run(page, "import subprocess\nprint(subprocess.run(['ls']))\n"), "Error", "a process")


def check_link(page, _):
    write(page, "print('by link')\n")
    press(page, "Link")
    page.wait("document.querySelector('input.link')")
    link = page.value("document.querySelector('input.link').value")
    other = page.browser.open(link)
    equal(other.value("document.querySelector('.editor-area').value"), "print('by link')\n", "the program of the link")
    equal(output(other), "", "it does not run by itself")
    press(other, "Run")
    wait_for_end(other)
    equal(output(other), "by link\n", "its output")
    bad = page.browser.open(link.split("=")[0] + "=AAAA")
    has(status(bad), "cannot be read", "a link that is no program")


def check_reload(page, _):
    write(page, "print('kept')\n")
    page.reload()
    equal(page.value("document.querySelector('.editor-area').value"), "print('kept')\n", "what was typed")


def check_keyboard(page, _):
    write(page, "")
    while page.value("document.activeElement.className") != "editor-area":
        page.key("Tab")
    page.type("if 1:")
    page.key("Enter")
    page.type("print(input())")
    page.key("Enter", held=["Control"])
    answer(page, "typed")
    wait_for_end(page)
    equal(output(page), "typed\ntyped\n", "the output")
    wanted = page.value("[...document.querySelectorAll('button, select')].filter(e => e.offsetParent && !e.disabled)"
                        ".map((e, i) => e.dataset.number = String(i))")
    reached = set()
    for _ in range(3 * len(wanted)):
        if page.value("document.activeElement.className") == "editor-area":
            page.key("Escape")
        page.key("Tab")
        reached.add(page.value("document.activeElement.dataset.number"))
    equal(set(wanted) - reached, set(), "controls that Tab does not reach")


def check_phone(page, _):
    page.resize(390, 800)  # Firefox takes 500, its narrowest
    run(page, "print('x' * 300)\n")
    wide = page.value("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1], f"nothing sticks out: {wide}"


CHECKS = [value for name, value in list(globals().items()) if name.startswith("check_")]


# ---- all of them

def no_requests(page):
    """Nothing but the file itself and what it holds was asked for."""
    urls = page.value("performance.getEntriesByType('resource').map(e => e.name.split(':')[0])")
    equal(set(urls) - {"file", "blob", "data"}, set(), "requests")


def without_suspending(path, folder):
    """A copy of the playground for a browser that cannot suspend a call of wasm."""
    with open(path) as file:
        text = file.read()
    begin = '<script type="text/plain" id="worker">'
    copy = os.path.join(folder, "plain.html")
    with open(copy, "w") as file:
        file.write(text.replace(begin, begin + WITHOUT_SUSPENDING))
    return copy


def passes(browser, name, check, path, minivm):
    try:
        page = browser.open("file://" + path)
        check(page, minivm)
        no_requests(page)
    except Exception:
        print(f"{name}: failed")
        traceback.print_exc()
        return False
    print(f"{name}: ok", flush=True)
    return True


def check_browser(browser, name, minivm, path, wanted):
    """Of each check whether it passes."""
    with tempfile.TemporaryDirectory() as folder:
        results = [passes(browser, f"{name}: {check.__name__}", check, path, minivm)
                   for check in CHECKS if not wanted or check.__name__ in wanted]
        if not wanted:
            plain = without_suspending(path, folder)
            results.append(passes(browser, f"{name}: check_input without JSPI", check_input, plain, minivm))
            results.append(passes(browser, f"{name}: check_prompt without JSPI", check_prompt, plain, minivm))
        return results


def in_each_browser(subject, check_browser):
    """The exit status, for the words of the command line."""
    minivm, path, wanted, good = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:], True
    if not os.path.exists(path):
        print(f"check-browser: {subject}: skipped: there is no {path} (make wasm)")
        return 0
    for kind, driver in ("Chromium", chromium), ("Firefox", firefox):
        if not driver.find():
            print(f"check-browser: skipped: no {kind} here")
            continue
        with getattr(driver, kind)(driver.find()) as browser:
            results = check_browser(browser, kind, minivm, path, wanted)
        print(f"{subject} in {kind}: {sum(results)} passed, {len(results) - sum(results)} failed")
        good = good and all(results)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(in_each_browser("the playground", check_browser))
