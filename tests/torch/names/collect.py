"""Writes what dir() of PyTorch's modules and classes has: `python collect.py > names.txt`, by PyTorch 2.5.1.

A line is a module or class, a colon and its names. A name of another library (typing, the standard library), which the
module has imported for itself, is left out, as are names with two underscores at both ends.
"""
import importlib
import sys
import types

PLACES = """
torch torch.Tensor torch.nn torch.nn.functional torch.nn.init torch.nn.parameter torch.nn.modules torch.nn.Module torch.nn.utils
torch.nn.utils.rnn torch.nn.utils.parametrize torch.nn.utils.parametrizations torch.nn.utils.prune torch.nn.utils.stateless
torch.optim torch.optim.lr_scheduler torch.optim.swa_utils torch.fx torch.fx.passes torch.fx.experimental torch.linalg
torch.special torch.autograd torch.autograd.functional torch.autograd.graph torch.autograd.forward_ad torch._dynamo torch.utils
torch.utils.data torch.utils.checkpoint torch.utils.hooks torch.utils.dlpack torch.jit torch.amp torch.fft torch.func
torch.distributions torch.testing torch.random torch.backends torch.compiler torch.overrides torch.storage
torch.return_types torch.version torch.types torch.library torch.export torch.signal.windows torch.profiler torch.cpu
""".split()


def find(path):
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        owner, _, name = path.rpartition(".")
        return getattr(importlib.import_module(owner), name)


def is_of_another_library(value):
    if isinstance(value, types.ModuleType):
        return not value.__name__.startswith("torch")
    module = getattr(value, "__module__", None)
    return isinstance(module, str) and not module.startswith("torch") and not isinstance(value, types.MethodType)


def names(path):
    owner = find(path)
    for name in dir(owner):
        if name.startswith("__") and name.endswith("__"):
            continue
        try:
            value = getattr(owner, name)
        except Exception:       # an attribute that an instance has
            value = None
        if isinstance(owner, type) or not is_of_another_library(value):
            yield name


for path in PLACES:
    print(f"{path}: {' '.join(names(path))}")
