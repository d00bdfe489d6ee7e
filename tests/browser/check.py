#!/usr/bin/env python3
"""Opens pages of --trace-html in a headless Chromium and Firefox, clicks, types, and checks what they show.

    tests/browser/check.py MINIVM                    the checks; skipped where there is no such browser
    tests/browser/check.py MINIVM --picture FILE     instead: the picture of the page for the README

CHROMIUM and FIREFOX name the browsers where they have other names than the usual ones. The expected stacks of the walk
are what seed 001 says of its function_2, with the names and values of tests/trace/001_walk.mpy.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

import chromium
import firefox

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST_BYTES, STEPS = 8 * 1000 * 1000, 100000  # a page of so many steps
WALK = os.path.join(ROOT, "tests/trace/001_walk.mpy")
CACHE = os.path.join(ROOT, "tests/cache/028_trace_native_guards.mpy")
TENSORS = os.path.join(ROOT, "tests/trace/003_tensors.mpy")
HOSTILE = os.path.join(ROOT, "tests/browser/hostile.mpy")
KINDS = os.path.join(ROOT, "tests/trace/kinds.mpy")
MIDDLE = 20  # the first step in the code of `middle`

# After each of the first nine instructions of function_2: how many values are on the stack, and which.
NINE = [["cell"], ["(<cell: empty>,)"], ["(<cell: empty>,)", "<code object inner>"],
        ["(<cell: empty>,)", "<code object inner>", "'outer.<locals>.middle.<locals>.inner'"], ["<function inner>"], [],
        ["'a'"], ["'a'", "'b'"], ["'ab'"]]


def record(minivm, program, page, *options):
    subprocess.run([minivm, "--trace-html", page, *options, program], stdout=subprocess.DEVNULL, check=True,
                   cwd=os.path.dirname(program))


def stack(page):
    """The texts on the value stack of the frame that runs; a cell's is "cell"."""
    texts = page.value("[...document.querySelectorAll('.frame.running .stack-value')].map(e => e.innerText.trim())")
    return ["cell" if text.startswith("cell ") else text for text in texts]


def step(page):
    return int(page.value("document.body.dataset.step"))


def go(page, number):
    page.value(f"go({number})")


def count(page, selector):
    return page.value(f"document.querySelectorAll({selector!r}).length")


def text(page, selector):
    return page.value(f"document.querySelector({selector!r}).innerText")


def equal(have, expected, what):
    if have != expected:
        raise AssertionError(f"{what}: expected {expected!r}, have {have!r}")


# ---- the checks: each gets a page of the walk at its first step

def check_walk(page):
    page.key("ArrowRight", MIDDLE)
    equal(text(page, ".frame.running h3").split()[1], "middle", "the frame that runs")
    for number, expected in enumerate(NINE, 1):
        page.key("ArrowRight")
        equal(stack(page), expected, f"the stack after instruction {number}")
    page.key("ArrowLeft")
    equal(stack(page), NINE[7], "one back")


def check_place(page):
    go(page, MIDDLE + 8)
    equal(text(page, "#source-lines .now .mark"), "\u25b6", "its mark")
    equal(text(page, "#source-lines .now .count"), "9", "the line")
    equal(text(page, "#source-lines .expression"), "first + second", "the expression")
    equal(text(page, "#rows tr.now").split(), ["\u25b6", "16", "BINARY_ADD"], "the next instruction")
    equal(text(page, "#rows tr.before").split()[:3], ["\u25b7", "14", "LOAD_FAST"], "the last one")
    equal(page.value("[...document.querySelectorAll('.frame.running .kind')].map(e => e.innerText)"),
          ["fast", "fast", "fast", "cell", "free"], "localsplus")


def check_cells(page):
    go(page, MIDDLE + 12)
    equal(count(page, ".cell-box"), 2, "cells: shared, first")
    equal(count(page, "#paths path.owner"), 3, "arrows from the slots of middle: inner, shared, first")
    equal(count(page, "#paths path.closure"), 1, "arrows from the closure of inner")
    page.key("ArrowRight", 6)
    equal(text(page, ".frame.running h3").split()[1], "inner", "the frame that runs")
    equal(count(page, ".cell-box"), 2, "each cell is drawn once")
    equal(count(page, "#paths path.owner"), 4, "and from the free variable of inner")


def check_search(page):
    page.key("/")
    page.type("binary_add")
    page.key("Enter")
    first = step(page)
    equal(first, MIDDLE + 8, "the first BINARY_ADD")
    page.key("Escape")
    page.key("n")
    equal(step(page), MIDDLE + 12, "the next")
    page.key("N")
    equal(step(page), first, "the one before")
    page.key("/")
    page.type("ab!c")
    page.key("Enter")
    assert "'ab!c'" in stack(page), "a value that is searched for"


def check_writes(page):
    go(page, MIDDLE + 12)
    page.click("[...document.querySelectorAll('.frame.running .variable')].find(e => e.innerText === 'shared')")
    page.key("]")
    equal(step(page), MIDDLE + 14, "shared is written by STORE_DEREF at 26")
    equal(text(page, "#rows tr.before").split()[1:3], ["26", "STORE_DEREF"], "by which instruction")
    page.click("[...document.querySelectorAll('.frame.running .variable')].find(e => e.innerText === 'local')")
    page.key("p")
    equal(step(page), MIDDLE + 10, "local is written by STORE_FAST at 18")
    page.key("P")
    equal(step(page), MIDDLE + 10, "there is no later write")
    assert "none later" in text(page, "#write-place")


def check_keys(page):
    page.key("End")
    last = step(page)
    equal(str(last), text(page, "#total"), "End")
    equal(text(page, "#output").strip(), "ab!ab!c", "the output")
    page.key("PageUp")
    equal(step(page), 0, "Page Up")
    page.key("ArrowDown")
    equal(text(page, "#source-lines .now .count"), "15", "the next line")
    page.key("ArrowUp")
    equal(text(page, "#source-lines .now .count"), "5", "back to its line")
    go(page, MIDDLE + 17)
    page.key("o")
    equal((step(page), text(page, ".frame.running h3").split()[1]), (MIDDLE + 22, "middle"), "over a call")
    page.key("Home")
    page.key(" ")
    page.wait("Number(document.body.dataset.step) > 1")
    page.key(" ")
    equal(page.value("document.getElementById('play').getAttribute('aria-pressed')"), "false", "paused")
    page.key("?")
    assert page.value("document.getElementById('keys').open"), "help"
    page.key("Escape")
    assert not page.value("document.getElementById('keys').open"), "help is closed"


def check_slider(page):
    page.click("document.getElementById('slider')")
    assert 0 < step(page) < 48, "a click on the slider"
    page.click("document.getElementById('number')")
    page.value("document.getElementById('number').select()")
    page.type("7")
    page.key("Enter")
    equal(step(page), 7, "a number that is typed")


def check_every_control_by_keyboard(page):
    wanted = set(page.value("[...document.querySelectorAll('button, input, select')].filter(e => e.offsetParent && "
                            "!e.disabled).map((e, i) => e.dataset.number = String(i))"))
    reached = set()
    for _ in range(3 * len(wanted)):
        page.key("Tab")
        reached.add(page.value("document.activeElement.dataset.number"))
    equal(wanted - reached, set(), "controls that Tab does not reach")
    unnamed = page.value("[...document.querySelectorAll('button, input, select')].filter(e => !(e.innerText || e.ariaLabel || "
                         "(e.labels && e.labels.length))).map(e => e.id)")
    equal(unnamed, [], "controls without a name")


def check_scrolling(page):
    page.click("document.getElementById('rows')")
    page.key("ArrowDown")
    page.key("ArrowDown")
    stepped = step(page)
    assert stepped > 0, "after a click in a box the arrows step"
    page.value("document.activeElement.blur()")
    while page.value("document.activeElement.id") != "source-lines":
        page.key("Tab")
    page.key("ArrowDown")
    equal(step(page), stepped, "in a box that was reached by Tab they scroll")


def check_dark(page):
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.value(colour)
    page.key("t")
    assert page.value(colour) != light, "t changes the colours"
    page.key("t")
    equal(page.value(colour), light, "and back")
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    page.wait("document.documentElement.dataset.theme === 'dark'")


def check_print(page):
    page.call("Emulation.setEmulatedMedia", media="print")
    equal(page.value("getComputedStyle(document.querySelector('.bar')).display"), "none", "controls are not printed")


WALK_CHECKS = [check_walk, check_place, check_cells, check_search, check_writes, check_keys, check_slider,
               check_every_control_by_keyboard, check_scrolling, check_dark, check_print]


# ---- other pages

def check_cache(browser, minivm, folder):
    path = os.path.join(folder, "cache.html")
    record(minivm, CACHE, path)
    page = browser.open("file://" + path)
    page.key("End")
    shown = text(page, "#cache")
    for words in "f: 3 entries", "TYPE_MATCH", "hits 1", "failed last:":
        assert words in shown, words + " is not in " + shown
    quiet(page)


def check_tensors(browser, minivm, folder):
    """Tensors are boxes; views share the box of a storage; what is written in place is marked, and is a write."""
    path = os.path.join(folder, "tensors.html")
    record(minivm, TENSORS, path)
    page = browser.open("file://" + path)
    go(page, page.value("depthOfStep.indexOf(2)"))
    page.key("ArrowRight", 4)  # y = x.t()
    boxes = "[...document.querySelectorAll('.tensor-box')].map(e => e.innerText.replace(/\\nstorage\\s*$/, ''))"
    equal(page.value(boxes), ["Tensor float32[2, 2]\n0., 1., 2., 3.", "Tensor float32[2, 2]\n0., 2., 1., 3."], "x and y")
    equal(text(page, ".storage-box"), "storage\n16 bytes, version 0", "their storage")
    equal(count(page, "#paths path.storage"), 2, "arrows to the storage")
    equal(count(page, "#paths path.owner"), 3, "arrows from x, y and the x of the module")
    page.click("[...document.querySelectorAll('.frame.running .variable')].find(e => e.innerText === 'y')")
    page.key("P")  # x.mul_(3)
    equal(text(page, "#rows tr.before").split()[1:3], ["14", "CALL_METHOD"], "y is written through x")
    equal(page.value(boxes), ["Tensor float32[2, 2]\n0., 3., 6., 9.", "Tensor float32[2, 2]\n0., 6., 3., 9."], "tripled")
    equal(count(page, ".tensor-box .changed, .storage-box .changed"), 3, "all three are marked")
    equal(text(page, ".storage-box"), "storage\n16 bytes, version 1", "their storage")
    page.key("p")
    equal(page.value(boxes)[1], "Tensor float32[2, 2]\n0., 2., 1., 3.", "back to the first write")
    page.key("End")
    quiet(page)


def check_deep_recursion(browser, minivm, folder):
    path = os.path.join(folder, "kinds.html")
    subprocess.run([minivm, "--trace-html", path, KINDS], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    page = browser.open("file://" + path)
    go(page, page.value("depthOfStep.indexOf(22)"))  # <module>, and 21 of deep()
    equal(count(page, ".frame"), 12, "frames that are drawn")
    assert "10 outer frames are not shown" in text(page, "#frames")
    quiet(page)


LONG = "a_name_that_goes_on_" * 5


def check_long_names(browser, minivm, folder):
    """A long name leaves room for the values, and the guard cache in sight."""
    program, path = os.path.join(folder, "names.mpy"), os.path.join(folder, "names.html")
    with open(program, "w") as file:
        file.write(f"from torch._dynamo.eval_frame import set_eval_frame\n"
                   f"from torch._dynamo.types import GuardedCode\n"
                   f"def f({LONG}):\n    short = 'a value of some length, thirty-six'\n    return {LONG}\n"
                   f"{LONG} = f\n" + "".join(f"v{i} = {i}\n" for i in range(40)) +
                   "set_eval_frame(lambda frame, entry, state: GuardedCode(frame.f_code, lambda L: True)\n"
                   "               if frame.f_code is f.__code__ else None)\nf(1)\nset_eval_frame(None)\n")
    record(minivm, program, path)
    page = browser.open("file://" + path)
    for width in 1400, 1000, 600:
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        go(page, page.value("depthOfStep.lastIndexOf(2)"))
        equal(text(page, ".frame.running h3").split()[1], "f", "the frame that runs")
        value = ("[...document.querySelectorAll('.frame.running .value')].find(e => e.innerText.startsWith(\"'a value\"))"
                 ".getBoundingClientRect()")
        assert page.value(value + ".width") > 150, f"room for the value at {width}: {page.value(value + '.width')}"
        name = "[...document.querySelectorAll('.frame.running .variable')].find(e => e.innerText === 'short')"
        assert page.value(name + ".getBoundingClientRect().height") < 30, "a short name is on one line"
        assert page.value("document.documentElement.scrollWidth") <= width, f"nothing sticks out at {width}"
    page.call("Emulation.setDeviceMetricsOverride", width=1400, height=900, deviceScaleFactor=1, mobile=False)
    page.key("End")
    assert page.value("document.querySelector('#cache h3').getBoundingClientRect().bottom") < 900, "the cache is in sight"
    quiet(page)


CRASHES = [
    ("raise", "class A:\n    def __del__(self):\n        print('gone')\n\ndef f(x):\n    y = A()\n    return 1 / x\n\nf(0)\n", "f", 7,
     "ZeroDivisionError"),
    ("recursion", "def f(n):\n    return f(n + 1) + 1\n\nf(0)\n", "f", 2, "RecursionError"),
    ("exit", "import sys\ndef f(x):\n    sys.exit(x)\n\nf(3)\n", "f", 3, ""),
    ("module", "try:\n    raise KeyError\nexcept KeyError:\n    pass\nx = [][1]\n", "<module>", 5, "IndexError"),
]


def check_crashes(browser, minivm, folder):
    """Behind the end the last frames and the line stay in sight, and the traceback is in the output."""
    for name, source, function, line, error in CRASHES:
        program, path = os.path.join(folder, name + ".mpy"), os.path.join(folder, name + ".html")
        with open(program, "w") as file:
            file.write(source)
        subprocess.run([minivm, "--trace-html", path, program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        page = browser.open("file://" + path)
        page.key("End")
        equal(step(page), int(text(page, "#total")), name + ": the end")
        assert "An exception has ended the program here" in text(page, "#status"), name + ": the status"
        head = text(page, ".frame.running h3")
        assert head.split()[1] == function and "was left by the exception" in head, name + ": " + head
        equal(text(page, "#source-lines .now .count"), str(line), name + ": the line")
        assert error in text(page, "#output"), name + ": the output"
        page.key("ArrowLeft")
        page.key("ArrowRight")
        equal(text(page, ".frame.running h3"), head, name + ": the end again")
        quiet(page)
    program, path = os.path.join(folder, "well.mpy"), os.path.join(folder, "well.html")
    with open(program, "w") as file:
        file.write("def f():\n    raise KeyError\n\ntry:\n    f()\nexcept KeyError:\n    pass\n")
    record(minivm, program, path)
    page = browser.open("file://" + path)
    page.key("End")
    equal(text(page, "#status"), "The program has ended.", "an exception that was handled")
    assert "<module> (well.mpy:7) has returned" in text(page, ".frame.running h3"), "its frame"


WIDE = "first = 1; second = 'a long line of a program, which is wider than a third of a window'; third = 3"
COMPOUND = [ # a statement, and what of it is marked for one of its instructions
    ("def f(a):\n    'what it does'\n    return a\n", "MAKE_FUNCTION", "def f(a):"),
    ("class A:\n    x = 1\n    y = 2\n", "LOAD_BUILD_CLASS", "class A:"),
    ("for i in 1, 2:\n    x = i\n    y = i\n", "FOR_ITER", "for i in 1, 2:"),
    ("with open('/dev/null') as file:\n    x = 1\n    y = 2\n", "SETUP_WITH", "with open('/dev/null') as file:"),
    ("try:\n    x\nexcept NameError:\n    x = 1\n    y = 2\n", "JUMP_IF_NOT_EXC_MATCH", "except NameError:"),
    ("x = (1,\n     [])\n", "BUILD_TUPLE", "(1,[])"),
]


def check_marks(browser, minivm, folder):
    """Of a statement with a body the head is marked; an expression is marked in all its lines."""
    program, path = os.path.join(folder, "marks.mpy"), os.path.join(folder, "marks.html")
    for source, opcode, marked in COMPOUND:
        with open(program, "w") as file:
            file.write(source)
        record(minivm, program, path)
        page = browser.open("file://" + path)
        page.key("/")
        page.type(opcode)
        page.key("Enter")
        assert opcode in text(page, "#rows tr.now"), opcode + " comes next"
        equal(page.value("[...document.querySelectorAll('#source-lines .expression')].map(e => e.innerText).join('')"),
              marked, "what is marked for " + opcode)
        quiet(page)


def check_end(browser, minivm, folder):
    """The last step shows the values that are left."""
    program, path = os.path.join(folder, "end.mpy"), os.path.join(folder, "end.html")
    with open(program, "w") as file:
        file.write("def f():\n    return 5\nx = f()\ny = [x]\n")
    record(minivm, program, path)
    page = browser.open("file://" + path)
    page.key("End")
    slots = "[...document.querySelectorAll('.frame .slot')].map(e => e.innerText.replace(/\\s+/g, ' ').trim())"
    equal(page.value(slots), ["name f <function f>", "name x 5", "name y"], "the variables")
    equal(text(page, ".sequence-box .items").split(), ["0", "5"], "what y refers to")
    page.key("a")
    equal(page.value(slots), ["name f <function f>", "name x 5", "name y [5]"], "the values in line")
    equal(count(page, ".object"), 0, "and no box")
    page.key("a")
    equal(stack(page), [], "the value stack: None was returned")
    equal((count(page, ".now"), text(page, "#rows tr.before").split()[-1]), (0, "RETURN_VALUE"), "nothing comes next")
    page.key("ArrowLeft")
    equal(stack(page), ["None"], "and one step back")
    quiet(page)


def check_wide_lines(browser, minivm, folder):
    """No line is cut: the source takes the room that is there, and goes on in a next line."""
    program, path = os.path.join(folder, "wide.mpy"), os.path.join(folder, "wide.html")
    with open(program, "w") as file:
        file.write(WIDE + "\nprint('x' * 500)\n")
    record(minivm, program, path)
    page = browser.open("file://" + path)
    page.key("End")
    box, line = "document.getElementById('source-lines')", "document.querySelector('#source-lines li').getBoundingClientRect()"
    for width in 2600, 1400, 1240, 1101, 1000, 720, 390:
        page.resize(width, 900)
        equal(page.value(box + ".scrollWidth") - page.value(box + ".clientWidth"), 0, f"what is cut at {width}")
        assert page.value("document.documentElement.scrollWidth") <= width, f"nothing sticks out at {width}"
        if 1200 < width < 1800:
            rows = "document.getElementById('rows')"
            equal(page.value(rows + ".scrollWidth") - page.value(rows + ".clientWidth"), 0, "what is cut of the bytecode")
        if width == 2600:
            assert page.value(line + ".height") < 30, "where there is room the line is one"
    quiet(page)


def check_killed(browser, minivm, folder):
    """Nothing is claimed of a run whose record is not there."""
    program, path = os.path.join(folder, "killed.mpy"), os.path.join(folder, "killed.html")
    with open(program, "w") as file:
        file.write("print('ready')\nfor i in range(30000000):\n    pass\n")
    run = subprocess.Popen([minivm, "--trace-html", path, "--trace-steps", "100", program], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE)
    run.stdout.readline()
    assert b"the record ends here, after 100 instructions" in run.stderr.readline(), "the limit is told at once"
    run.kill()
    run.wait()
    page = browser.open("file://" + path)
    assert "breaks off" in text(page, "#warning"), "that the record breaks off"
    equal(text(page, "#status"), "Nothing was recorded.", "the status")


def check_hostile_text(browser, minivm, folder):
    """Whatever a program's names, texts and files are, the page is only the page: nothing of them is read as HTML."""
    program, path = os.path.join(folder, "<:script><b>.mpy"), os.path.join(folder, "hostile.html")
    shutil.copy(HOSTILE, program)
    record(minivm, program, path)
    page = browser.open("file://" + path)
    elements = "[...document.querySelectorAll('img, b, script[src], iframe, base, link:not([rel=icon])')].length"
    for values in "arrows", "inline":
        page.value(f"(choose('values', {values!r}), allBoxes = true)")
        for at in [*range(0, page.value("total"), 12), page.value("total") - 1]:
            go(page, at)
        equal(page.value(elements), 0, "elements of the program's making")
    page.value("(choose('values', 'arrows'), document.querySelectorAll('.fold').forEach(e => e.click()))")
    assert "onerror" in text(page, ".whole"), "a text that is opened"
    equal(page.value(elements), 0, "elements of the program's making")
    assert text(page, "#output").startswith("</script><img"), "the output"
    assert "</script>" in text(page, "#source-lines"), "the source"
    assert page.value("document.title").startswith("<:script><b>.mpy"), "nothing was run"
    page.key("/")
    page.type("onerror")
    page.key("Enter")
    equal(page.value(elements), 0, "elements of the program's making")
    quiet(page)


def check_odd_files(browser, minivm, folder):
    """Lines that end in other ways, a byte order mark, more variables than are recorded, a record that is cut off."""
    program, path = os.path.join(folder, "odd.mpy"), os.path.join(folder, "odd.html")
    with open(program, "wb") as file:
        file.write(b"\xef\xbb\xbfx = 'first'; y = x\rdef f():\r\n\x0c    " + b"".join(b"v%d = " % i for i in range(70)) +
                   b"1\n    return v69\nz = f()")
    record(minivm, program, path)
    page = browser.open("file://" + path)
    equal(count(page, "#source-lines li"), 5, "lines")
    equal(text(page, "#source-lines .expression"), "'first'", "the marked expression")
    go(page, page.value("depthOfStep.lastIndexOf(2)"))
    equal(count(page, ".frame.running .slot"), 70, "variables")
    values = page.value("[...document.querySelectorAll('.frame.running .slot .value')].map(e => e.innerText)")
    equal(values.count("not recorded"), 6, "those that are not recorded")
    quiet(page)
    with open(path, "rb+") as file:
        file.truncate(os.path.getsize(path) - 200)
    page = browser.open("file://" + path)
    assert "breaks off" in text(page, "#warning"), "that the record breaks off"
    quiet(page)


def check_long_run(browser, minivm, folder):
    program, path = os.path.join(ROOT, "tests/browser/long.mpy"), os.path.join(folder, "long.html")
    record(minivm, program, path, "--trace-steps", str(STEPS))
    page = browser.open("file://" + path)
    size = os.path.getsize(path)
    ready = page.value("document.body.dataset.ready")
    page.key("End")
    equal(step(page), STEPS - 1, "the last step")
    assert "The run goes on" in text(page, "#warning"), "the limit is told"
    moving = page.value("(() => { const start = performance.now(); for (let i = 0; i < 100; i++) go(i * 997); "
                        "return (performance.now() - start) / 100; })()")
    print(f"  {STEPS} steps: {size} bytes ({size / STEPS:.1f} a step), usable after {ready} ms, {moving:.1f} ms to go anywhere")
    assert size <= MOST_BYTES, "too large"
    quiet(page)


ALIASES = "a = [1]\nb = a\nc = a[:]\na.append(2)\n"
# What each name of the frame that runs has an arrow to: the place of a box in the picture, from 0.
ARROWS = ("Object.fromEntries([...document.querySelectorAll('.frame.running .slot')].map(e => [e.querySelector('.variable')"
          ".innerText, [...document.querySelectorAll('.object')].findIndex(box => box.id === e.querySelector('.dot')?.dataset.to)]))")
BOXES = ("[...document.querySelectorAll('.object')].map(e => [e.querySelector('.title').innerText, ...[...e.querySelectorAll("
         "'.item')].map(item => item.innerText.replace(/\\s+/g, ' ').trim())].join(' | '))")


def open_program(browser, minivm, folder, name, text, step=None):
    program, path = os.path.join(folder, name + ".mpy"), os.path.join(folder, name + ".html")
    with open(program, "w") as file:
        file.write(text)
    record(minivm, program, path)
    return browser.open("file://" + path + ("" if step is None else f"#step={step}"))


def check_aliases(browser, minivm, folder):
    """Two names of one list have arrows to one box, its copy is another box; what a step changes is marked, backwards too."""
    page = open_program(browser, minivm, folder, "aliases", ALIASES, 11)  # before a.append(2)
    equal(page.value(ARROWS), {"a": 0, "b": 0, "c": 1}, "who shares what")
    equal(page.value(BOXES), ["list | 0 1", "list | 0 1"], "the lists")
    page.key("ArrowRight", 4)  # CALL_METHOD
    equal(page.value(BOXES), ["list | 0 1 | 1 2", "list | 0 1"], "one has grown")
    equal((count(page, ".touched-box"), text(page, ".item .changed")), (1, "2"), "what is marked")
    page.key("ArrowRight")
    equal(count(page, ".touched-box"), 0, "no longer marked")
    page.key("ArrowLeft", 2)
    equal(page.value(BOXES), ["list | 0 1", "list | 0 1"], "backwards")
    go(page, 2)
    equal(count(page, ".touched-box .changed"), 1, "a new object says so")
    quiet(page)


def check_large_objects(browser, minivm, folder):
    """A box of many items is folded, and opens to all of them; so does a list of 10^5 that shows its ends, as it was at
    the step; a text opens to the whole; a cycle is one box."""
    page = open_program(browser, minivm, folder, "large", "big = list(range(100000))\nmore = list(range(100))\n"
                        "ring = [0]\nring.append(ring)\ntext = 'x' * 150\nbig[50500] = 'middle'\nlong = 'y<b>' * 500\n"
                        "vast = range(1)\nvast = [0] * 400000\n")
    page.key("End")
    titles = "[...document.querySelectorAll('.object .title')].map(e => e.innerText)"
    equal(page.value(titles), ["list of 100000", "list of 100", "list", "list of 400000"], "the boxes")
    items = "[...document.querySelectorAll('.object')][%d].querySelectorAll('.item')"
    equal(page.value(f"[...{items % 1}].map(e => e.innerText.split(/\\s+/)[0])"),
          ["0", "1", "2", "3", "4", "5", "6", "7", "\u2026", "98", "99"], "what is left of 100 items")
    page.click("[...document.querySelectorAll('.object')][1].querySelector('.fold')")
    equal(page.value(items % 1 + ".length"), 100, "all of them")
    page.click("[...document.querySelectorAll('.object')][0].querySelector('.fold')")
    equal(page.value(f"[...{items % 0}].pop().innerText.split(/\\s+/)"), ["99999", "99999"], "the end of 100000")
    page.click("[...document.querySelectorAll('.object')][0].querySelectorAll('.fold')[1]")
    equal(page.value("document.querySelector('.object .whole').innerText.split('\\n').length"), 1000, "a part of the whole")
    page.value("[...Array(50)].forEach(() => document.querySelector('.object [title=\"Items after\"]').click())")
    equal(text(page, ".object .whole").split("\n")[499:502], ["50499: 50499", "50500: 'middle'", "50501: 50501"], "the middle")
    whole = step(page)
    page.key("ArrowLeft", 30)
    assert step(page) < whole and "50500: 50500" in text(page, ".object .whole"), "the whole, backwards"
    page.key("End")
    page.click("document.querySelector('.object .fold')")
    assert "399936 of 400000 are not in the page" in page.value("[...document.querySelectorAll('.object')][3].innerText"), \
        "what the page has not"
    page.click("[...document.querySelectorAll('.frame.running .slot')].find(e => e.innerText.includes('long')).querySelector('.fold')")
    equal(text(page, ".frame.running .whole"), "'" + "y<b>" * 500 + "'", "the whole text")
    equal(page.value("[...document.querySelectorAll('.object')][2].querySelector('.dot').dataset.to === "
                     "[...document.querySelectorAll('.object')][2].id"), True, "the list that holds itself")
    value = "[...document.querySelectorAll('.frame.running .slot')].find(e => e.innerText.includes('text')).querySelector('.value')"
    assert "\u2026" in page.value(value + ".innerText"), "a long text is folded"
    page.click(value + ".querySelector('.fold')")
    assert "x" * 150 in page.value(value + ".innerText"), "and opens"
    quiet(page)


DRAWN = {
    "classes": """\
class Animal:
    legs = 4
    def __init__(self, name):
        self.name, self.friends = name, []
class Dog(Animal):
    def meet(self, other):
        self.friends.append(other)
        other.friends.append(self)
        return super().__init__(self.name + "!")
rex, bob = Dog("Rex"), Dog("Bob")
rex.meet(bob)
bob.meet(rex)
""",
    "tree": """\
class Tree:
    def __init__(self, key): self.key, self.left, self.right = key, None, None
def insert(tree, key):
    if tree is None: return Tree(key)
    if key < tree.key: tree.left = insert(tree.left, key)
    else: tree.right = insert(tree.right, key)
    return tree
root = None
for key in 5, 2, 8, 1, 3, 9: root = insert(root, key)
""",
    "closures": """\
def make(first):
    rows = [[first], {(1, 2): [3], "b": [4]}, [[5], [6]]]
    def add(value): rows[0].append(value); return rows
    return add, lambda: rows
add, get = make(1)
add(get())
add({get: add, (): [()]})
""",
}
# Points of arrows, away from both ends, on which there is text.
CROSSED = """(() => {
    const texts = [], walk = document.createTreeWalker(byId("picture"), NodeFilter.SHOW_TEXT), range = document.createRange();
    while (walk.nextNode()) {
        if (!walk.currentNode.data.trim() || walk.currentNode.parentElement.closest("svg")) continue;
        range.selectNodeContents(walk.currentNode);
        for (const r of range.getClientRects()) texts.push([r, walk.currentNode.data]);
    }
    const crossed = new Set();
    for (const path of document.querySelectorAll("#paths path")) {
        const matrix = path.getScreenCTM(), length = path.getTotalLength();
        for (let at = 6; at < length - 4; at += 3) {
            const p = path.getPointAtLength(at).matrixTransform(matrix);
            for (const [r, text] of texts)
                if (p.x > r.left + 1 && p.x < r.right - 1 && p.y > r.top + 3 && p.y < r.bottom - 3) crossed.add(text);
        }
    }
    return [...crossed];
})()"""
PLACES = ("Object.fromEntries([...document.querySelectorAll('.object')].map(e => [e.id, [e.getBoundingClientRect().left - "
          "byId('picture').getBoundingClientRect().left, e.offsetTop]]))")


def check_drawing(browser, minivm, folder):
    """No arrow crosses a text, at any step; an object leads to its class; a call moves no box."""
    for name, program in DRAWN.items():
        page = open_program(browser, minivm, folder, "drawn_" + name, program)
        places, moved = {}, 0
        for at in range(page.value("total")):
            go(page, at)
            equal(page.value(CROSSED), [], f"{name}, step {at}: texts under an arrow")
            now = page.value(PLACES)
            other = [box for box in now if box in places and now[box] != places[box]]
            if page.value("state.events.some(event => event.text.endsWith('is called'))"):
                equal(other, [], f"{name}, step {at}: boxes that a call moves")
            moved += bool(other)
            places = now
        assert moved < page.value("total") / 10, f"{name}: boxes move in {moved} steps"
        if name == "classes":
            equal(page.value("[...document.querySelectorAll('.instance-box .title .dot')].map(e => byId(e.dataset.to)"
                             ".querySelector('.title').innerText)"), ["<class Dog>"] * 2, "the class of an object")
        quiet(page)


def check_choices(browser, minivm, folder):
    """What was chosen stays: how values are shown, the speed, the widths of the columns; and the address names the step."""
    page = open_program(browser, minivm, folder, "choices", ALIASES, 12)
    width = "document.getElementById('source-lines').getBoundingClientRect().width"
    before = page.value(width)
    page.value("document.querySelector('.handle').focus()")
    page.key("ArrowRight", 3)
    assert page.value(width) > before + 30, "a column is wider"
    page.key("Home", held=("Shift",))
    page.value("document.activeElement.blur()")
    page.key("a")
    page.value("(e => { e.value = 'line'; e.dispatchEvent(new Event('change')); })(document.getElementById('unit'))")
    page.key("ArrowRight", 2)
    wanted, wide = step(page), page.value(width)
    page.wait(f"location.hash === '#step={wanted}'")
    page.reload()
    equal(step(page), wanted, "the step of the address")
    equal(page.value("[byId('values').value, byId('unit').value]"), ["inline", "line"], "the choices")
    equal(page.value(width), wide, "the width")
    equal(count(page, ".object"), 0, "no boxes")
    page.key("a")
    page.value("(choose('unit', 'instruction'), choose('left', ''))")
    quiet(page)


def check_visits(browser, minivm, folder):
    """A click on a line goes to its next visit, and from the last one to the first; play goes on by lines."""
    page = open_program(browser, minivm, folder, "visits", "total = 0\nfor i in range(3):\n    total += i\nprint(total)\n")
    line, seen = "document.querySelectorAll('#source-lines li')[2].querySelector('.text')", []
    for _ in range(4):
        page.click(line)
        equal(text(page, "#source-lines .now .count"), "3", "the line")
        seen.append(step(page))
    assert seen[0] < seen[1] < seen[2] and seen[3] == seen[0], seen
    page.key("V")
    equal(step(page), seen[2], "the visit before")
    page.value("(choose('unit', 'line'), choose('speed', '100'))")
    page.key("Home")
    page.key(" ")
    page.wait("timer === null")
    equal(step(page), int(text(page, "#total")), "played to the end")
    page.value("(choose('unit', 'instruction'), choose('speed', '4'))")
    quiet(page)


# A machine that has run the programs beforehand.
CANNED = """
const RUNS = %s;
class Machine {
    constructor() { this.module = Promise.resolve(); }
    takeLast() {}
    async warmUp() {}
    run({files, words, onOutput}) {
        let resolve;
        const ended = new Promise(done => { resolve = done; });
        setTimeout(() => {
            const {status, output, errors, page} = RUNS[files[0].text];
            if (output) onOutput(output, false);
            if (errors) onOutput(errors, true);
            resolve({status, files: [{name: ".page.html", bytes: new TextEncoder().encode(page)}]});
        }, 20);
        return {ended, stop: () => resolve({status: null})};
    }
}
"""
LIVE = ["a = [1]\n", "a = [1]\nb = c\n", "a = [1]\nb = a\nprint(b)\n", "while True: pass\n"]


def canned(minivm, folder, program):
    with open(os.path.join(folder, "main.mpy"), "w") as file:
        file.write(program)
    done = subprocess.run([minivm, "-u", "--max-steps", "20000", "--trace-html", "live.html", "main.mpy"], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    with open(os.path.join(folder, "live.html"), encoding="utf-8") as file:
        return {"status": done.returncode, "output": done.stdout, "errors": done.stderr.replace(folder, "/program"),
                "page": file.read()}


def playground_of(runs):
    """The playground as vm/playground/assemble.js puts it together, with that machine."""
    def part(match):
        name = match.group(1)
        if name == "machine.js":
            return CANNED % json.dumps(runs).replace("<", "\\u003c")
        if name == "examples":
            return json.dumps([{"title": "x", "files": [{"name": "main.mpy", "text": LIVE[0]}]}])
        return "" if name in ("worker", "module") else read_file("vm/playground/" + name)
    return re.sub(r"\{\{([\w.]+)\}\}", part, read_file("vm/playground/page.html"))


def read_file(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def check_live(browser, minivm, folder):
    """"as you type": the drawing follows the program; where it fails a line is marked, and the last drawing stays."""
    path = os.path.join(folder, "playground.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(playground_of({program: canned(minivm, folder, program) for program in LIVE}))
    page = browser.open("file://" + path)
    # Whoever focuses the editor before the page was drawn once blocks the dialog's autofocus, which the browser reports.
    page.value("(requestAnimationFrame(() => requestAnimationFrame(() => { window.wasDrawn = true; })), 0)")
    page.wait("window.wasDrawn === true")

    def write(program):
        page.value("(area => { area.focus(); area.value = %s; area.dispatchEvent(new Event('input')); })"
                   "(document.querySelector('.editor-area'))" % json.dumps(program))
    inside = "document.querySelector('iframe.trace:not(.coming)')?.contentDocument"
    drawn = f"[...{inside}.querySelectorAll('.frame.running .variable')].map(e => e.innerText).join()"
    write(LIVE[0])
    equal(page.value("document.querySelector('iframe') === null"), True, "nothing is drawn unless it is wanted")
    page.click("document.querySelector('.live input')")
    page.wait(f"{inside}?.querySelector('.frame') && {drawn} === 'a'")
    write(LIVE[1])
    page.wait("document.querySelector('.status').textContent.startsWith('NameError')")
    equal(page.value("[...document.querySelectorAll('.marked')].map(e => e.innerText).join()"), "2", "the line that fails")
    equal(page.value(drawn), "a", "the last drawing")
    write(LIVE[2])
    page.wait(f"{inside}?.querySelector('.frame') && {drawn} === 'a,b'")
    equal(page.value("document.querySelectorAll('.marked').length"), 0, "no mark")
    equal(page.value(f"{inside}.querySelectorAll('.sequence-box').length"), 1, "one list, of two names")
    equal(text(page, ".output").strip(), "[1]", "the output")
    equal(page.value("document.activeElement.className"), "editor-area", "the editor keeps the keys")
    write(LIVE[3])
    page.wait("document.querySelector('.status').textContent.startsWith('more than 20000 instructions')")
    equal(page.value(drawn), "a,b", "the drawing of what came to an end")
    page.click("document.querySelector('.live input')")
    quiet(page)


PAGE_CHECKS = [check_cache, check_long_names, check_marks, check_end, check_wide_lines, check_crashes, check_killed,
               check_deep_recursion, check_tensors, check_aliases, check_large_objects, check_drawing, check_choices,
               check_visits, check_live, check_hostile_text, check_odd_files, check_long_run]


def quiet(page):
    """No request but for the file itself, no error of the script. Firefox's driver hears of neither."""
    if not hasattr(page, "happened"):
        return
    urls = {event["request"]["url"].split(":")[0] for event in page.happened("Network.requestWillBeSent")}
    equal(urls - {"file", "data"}, set(), "requests")
    equal(page.happened("Runtime.exceptionThrown", "Log.entryAdded"), [], "errors of the page")


def run(name, check):
    try:
        check()
    except Exception:
        print(f"{name}: failed")
        traceback.print_exc()
        return False
    print(f"{name}: ok")
    return True


# These need what Firefox's driver has not: a medium, or the width of a telephone.
NOT_IN_FIREFOX = [check_dark, check_print, check_long_names, check_wide_lines]


def check_all(browser, name, minivm, folder):
    path = os.path.join(folder, "walk.html")
    record(minivm, WALK, path)

    def on_walk(check):
        page = browser.open("file://" + path)
        equal(step(page), 0, "the first step")
        check(page)
        quiet(page)

    left_out = NOT_IN_FIREFOX if name == "Firefox" else []
    results = [run(check.__name__, lambda: on_walk(check)) for check in WALK_CHECKS if check not in left_out]
    for check in PAGE_CHECKS:
        if check not in left_out:
            results.append(run(check.__name__, lambda: check(browser, minivm, folder)))
    print(f"check-browser: the page in {name}: {sum(results)} passed, {len(results) - sum(results)} failed")
    return all(results)


def take_picture(browser, minivm, folder, picture):
    path = os.path.join(folder, "walk.html")
    record(minivm, WALK, path)
    page = browser.open("file://" + path + f"#step={MIDDLE + 19}", 1240, 640)
    page.picture(picture)
    print(f"{picture}: {os.path.getsize(picture)} bytes")
    return 0


def main():
    minivm, good = os.path.abspath(sys.argv[1]), True
    for name, driver in ("Chromium", chromium), ("Firefox", firefox):
        path = driver.find()
        if not path:
            print(f"check-browser: skipped: no {name} here")
            continue
        with tempfile.TemporaryDirectory() as folder, getattr(driver, name)(path) as browser:
            if sys.argv[2:3] == ["--picture"]:
                return take_picture(browser, minivm, folder, sys.argv[3])
            good = check_all(browser, name, minivm, folder) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
