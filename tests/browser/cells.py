#!/usr/bin/env python3
"""Opens a page with code cells (vm/playground/embed.js) from its file in Chromium and Firefox, and uses them.

    tests/browser/cells.py MINIVM minivm-cell.js [CHECK ...]

A browser that is missing is named and skipped.
"""
import html
import json
import os
import subprocess
import sys
import tempfile

from playground import equal, has, in_each_browser, passes

PAGE = """<!doctype html><meta charset="utf-8"><title>A lesson</title><style>pre, button {{ display: none }}</style>
<body><script src="{script}" defer></script><p>The text of the lesson.</p>{cells}
<script>addEventListener("DOMContentLoaded", () => setTimeout(() => {{ document.body.dataset.ready = "1"; }}));
addEventListener("keydown", () => {{ document.title = "a key for the page"; }});</script>"""
CELLS = [
    ({}, "print('hello <b>')\n"),
    ({"data-name": "area.mpy", "data-files": '{"shapes.mpy": "side = 3\\n"}'}, "from shapes import side\nprint(side * side, __file__)\n"),
    ({"data-options": "--dis"}, "x = 1\n"),
    ({}, "print(input('name? '))\n"),
    ({}, "while True:\n    pass\n"),
]
LESSON = """import json, sys
sys.path.insert(0, "lessons")
from course import Lesson
from in_page import exercise_data
lesson = Lesson("13_rewriting")
print(json.dumps([exercise_data(lesson), lesson.starters(), lesson.solutions()]))
"""


def page_with(cells, script):
    """The page's text; a cell is a dictionary of attributes and the text of the program."""
    elements = [f"<pre class='minivm' {' '.join(f'{name}={html.escape(value).join(2 * [chr(34)])}' for name, value in attributes.items())}>"
                f"{html.escape(program)}</pre>" for attributes, program in cells]
    return PAGE.format(script=script, cells="\n".join(elements))


def exercise(minivm):
    """The exercise of lesson 13: its data as an element, its cells, and the text of each one's solution."""
    text = subprocess.run([minivm, "-c", LESSON], capture_output=True, check=True, text=True).stdout
    data, starters, solutions = json.loads(text)
    cells = [({"data-exercise": "13", "data-name": path}, text) for path, text in starters.values()]
    return f"<script type='application/json' id='exercise-13'>{data}</script>", cells, [text for _, text in solutions.values()]


# ---- what a reader does

def cell(index):
    return f"document.querySelectorAll('.minivm-cell')[{index}].cell"


def press(page, index, label):
    page.click(f"[...{cell(index)}.bar.children].find(e => e.innerText === '{label}')")


def wait_for_end(page, index):
    page.wait(cell(index) + ".place.dataset.state === 'idle'")


def output(page, index):
    return page.value(cell(index) + ".output.textContent")


def run(page, index):
    press(page, index, "Run")
    wait_for_end(page, index)
    return output(page, index)


# ---- the checks: each gets a page that was just opened

def check_run(page, minivm):
    equal(page.value("document.body.dataset.cells"), str(len(CELLS) + len(exercise(minivm)[1])), "cells")
    equal(run(page, 0), "hello <b>\n", "a cell")
    equal(run(page, 1), "9 /program/area.mpy\n", "a cell with another file")
    has(run(page, 2), "STORE_NAME", "a cell with an option")
    equal(output(page, 0), "hello <b>\n", "the first one's output stays")
    for part in cell(0) + ".editor.shown", cell(0) + ".stopButton":
        assert page.value(part + ".getBoundingClientRect().height") > 0, "the page's styles do not reach in"


def check_stop(page, _):
    press(page, 4, "Run")
    page.wait(cell(4) + ".place.dataset.state === 'running'")
    press(page, 4, "Stop")
    wait_for_end(page, 4)
    has(page.value(cell(4) + ".status.textContent"), "Stopped", "the status")


def check_input_and_keys(page, _):
    page.value(cell(3) + ".editor.focus()")
    page.key("Enter", held=["Control"])
    page.wait(f"{cell(3)}.place.getRootNode().activeElement.className === 'answer'")
    page.type("Ann")
    page.key("Enter")
    wait_for_end(page, 3)
    equal(output(page, 3), "name? Ann\nAnn\n", "a line for the program")
    equal(page.value("document.title"), "A lesson", "keys stay in the cell")


def check_edit_and_reset(page, _):
    page.value(cell(0) + ".editor.focus()")
    page.type("x")
    has(run(page, 0), "NameError: name 'x' is not defined", "what was typed")
    equal(page.value(cell(0) + ".editor.marked"), 2, "the marked line")
    press(page, 0, "Reset")
    equal(run(page, 0), "hello <b>\n", "the page's text")


def check_step_through(page, _):
    press(page, 1, "Step through")
    inner = cell(1) + ".player.querySelector('.trace').contentDocument"
    page.wait(f"{cell(1)}.player.querySelector('.trace') && {inner}.body && {inner}.body.dataset.ready")
    equal(output(page, 1), "9 /program/area.mpy\n", "the output")


def write(page, index, text):
    page.value(f"(({cell(index)}).editor.area.value = {json.dumps(text)}, {cell(index)}.editor.changed())")


def check(page, index):
    press(page, index, "Check")
    wait_for_end(page, index)
    return output(page, index)


def failure_below_top(page, index):
    """By how many pixels the first failure of a report is below the upper edge of its box."""
    return page.value("(output => { const texts = document.createTreeWalker(output, NodeFilter.SHOW_TEXT), place = new Range(); "
                      "while (texts.nextNode() && !/^FAIL/m.test(texts.currentNode.data)); "
                      "place.setStart(texts.currentNode, texts.currentNode.data.search(/^FAIL/m)); "
                      "return place.getBoundingClientRect().top - output.getBoundingClientRect().top; })(%s.output)" % cell(index))


def check_exercise(page, minivm):
    _, cells, solutions = exercise(minivm)
    first, last = len(CELLS), len(CELLS) + len(cells) - 1
    page.value(cell(first) + ".output.style.maxHeight = '5em'")
    text = check(page, first)
    has(text, "FAIL  unchanged: ", "the starter")
    assert 0 <= failure_below_top(page, first) < 60, "the first failure is in sight"
    for index, text in enumerate(solutions, first):
        write(page, index, text)
    text = check(page, last)
    equal([line for line in text.splitlines() if not line.startswith("ok ")], ["11 of 11 points"], "the solution")
    has(page.value(cell(last) + ".status.textContent"), "Solved.", "the status")
    write(page, first, "def (\n")
    has(check(page, first), "It does not build:\nlessons/work/13/numbers.mpy:1: SyntaxError", "a file that is none")
    write(page, first, solutions[0].replace("\n    ", "\n    while True: pass\n    ", 1))
    press(page, first, "Check")
    page.wait(cell(first) + ".status.textContent.startsWith('Checking')")
    press(page, first, "Stop")
    wait_for_end(page, first)
    page.reload()
    has(page.value(cell(first) + ".files[0].text"), "while True: pass", "what was typed")


CHECKS = [value for name, value in list(globals().items()) if name.startswith("check_")]


def check_browser(browser, name, minivm, script, wanted):
    data, cells, _ = exercise(minivm)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        with open(path, "w") as file:
            file.write(page_with(CELLS + cells, "file://" + script) + data)
        return [passes(browser, f"{name}: cells: {check.__name__}", check, path, minivm)
                for check in CHECKS if not wanted or check.__name__ in wanted]


if __name__ == "__main__":
    sys.exit(in_each_browser("code cells", check_browser))
