#!/usr/bin/env python3.9
"""TorchDynamo's first test suite as the judge: dynamo_tests.py MINIVM TORCH_PYTHON FOLDER [FILE ...].

FOLDER is a copy of the repository pytorch/torchdynamo at the parent of its commit 04cf7632. PyTorch 2.5.1 (TORCH_PYTHON)
and minivm run the same temporary copy of its tests, in which the names of the packages are those of today (`modern`); a
test counts if PyTorch passes it. Of Inductor's tests PyTorch writes the answers without compiling
(inductor_equipment.mpy), by its loops for AVX2: those for each kind of processor round in their own way, and with these
the most tests agree with ours (test_round_correctness does not).
Without a FILE, such as `test_misc`, it runs those of FILES and puts the figures into tests/torch/README.md. Exit status
1: minivm was ended by a signal, or did not end.
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))
import judging  # noqa: E402

FILES = "functions misc modules subgraphs repros export global skip_non_tensor python_autograd".split()
SECONDS = 1800      # for a file, of which PyTorch compiles some
INDUCTOR = "test_torchinductor"
COLUMNS = "file", "tests that PyTorch passes", "minivm passes"
# What has changed in the packages since, line by line: their names; a decorator that is gone, for it was about a mode that
# is gone; and modules that a file imports for a few of its tests only: without them the others can still be run.
CHANGES = [
    (r"\btorchdynamo\b(?!/)", "torch._dynamo"),
    (r"\btorchinductor\b(?!/)", "torch._inductor"),
    (r"^from .* import requires_static_shapes$", "requires_static_shapes = lambda test: test"),
    (r"^(?=import (numpy|torch\.onnx)\b|from torch\._dynamo\.mutation_guard )",
     'with __import__("contextlib").suppress(ImportError): '),
]
# Why a test fails (judging.py: group).
CAUSES = [
    ("numpy", r"name 'np' is not defined|Numpy is not available|numpy"),
    ("ONNX", r"onnx"),
    ("TorchScript", r"TorchScript"),
    ("`torch.autocast`", r"autocast"),
    ("`torch._refs`", r"requires recent PT version"),
    ("`arange` with a fractional step in other bits", r"test_round_correctness"),
    ("modules are inlined by PyTorch 2.5's default: none is marked by generations", r"GenerationTracker"),
    ("tensor subclasses with a `__torch_function__` of their own, traced", r"own __torch_function__"),
    ("a dict's subclass with methods of its own, traced", r"ModelOutput"),
]


def modern(text):
    for pattern, replacement in CHANGES:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return text


def common_template(text):
    """Inductor's test file with nothing left but the class CommonTemplate, on its lines, and what runs it here."""
    lines = text.splitlines()
    first = lines.index("class CommonTemplate:")
    last = next(index for index in range(first + 1, len(lines)) if re.match(r"\S", lines[index]))
    kept = [line.replace("torch._inductor.config", "config") for line in lines[first:last]]
    blank = [""] * (first - 1)
    return "\n".join(["from test.inductor.equipment import *", *blank, *kept, "class CpuTests(CommonTests): pass",
                      'CommonTemplate.install(CpuTests, "cpu")', ""])


def copy_tests(folder, target):
    shutil.copytree(pathlib.Path(folder) / "test", target / "test")
    for path in target.rglob("*.py"):
        path.write_text(modern(path.read_text()))
    inductor = target / "test" / "inductor"
    shutil.copy(HERE / "inductor_equipment.mpy", inductor / "equipment.py")
    path = inductor / "test_torchinductor.py"
    path.write_text(common_template(path.read_text()))


def main(minivm, torch_python, folder, *names):
    programs = torch_python, os.path.abspath(minivm)
    with tempfile.TemporaryDirectory() as copy:
        copy_tests(folder, pathlib.Path(copy))
        environment = {**os.environ, "PYTHONHASHSEED": "0", "ATEN_CPU_CAPABILITY": "avx2", "PYTHONPATH": copy,
                       "MINIVMPATH": copy, "JUDGE_ANSWERS": copy}

        def outcomes_of(module):
            folder = "inductor." if module == INDUCTOR else "dynamo."
            return [judging.Outcomes(SECONDS).run(program, folder + module, {**environment, **more})
                    for program, more in zip(programs, ({"JUDGE_WRITES": "1"}, {}))]

        modules = names or ["test_" + name for name in FILES] + [INDUCTOR]
        sys.exit(judging.judge(modules, outcomes_of, COLUMNS, CAUSES, None if names else HERE.parent / "README.md"))


main(*sys.argv[1:])
