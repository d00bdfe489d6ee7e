"""PyTorch's own sample inputs of its operators, with what PyTorch answers: samples.py FILE, run by PyTorch 2.5.1.

The operator database (`op_db`) stays where PyTorch is installed. Each line of FILE is one call as JSON: the function's
name, its arguments, the result, and the gradient that the first argument gets from the first result. Where most digits
of that gradient cancel, so that PyTorch's own one differs from what it gives in double precision, that one is there
as well. A value that JSON has is itself; any other one is a list that begins with its kind, as coded() below writes it
and judge.mpy reads it.
"""
import json
import math
import sys
import warnings

import torch
import torch.fft
import torch.nn.functional
from torch.testing._internal.common_methods_invocations import op_db

PER_OPERATOR = 12  # samples, of each dtype
MOST_GIVEN, MOST_ANSWERED, MOST_STORED = 400, 3000, 4000  # elements of a tensor
BY_CHANCE = "rand", "empty", "dropout", "bernoulli", "multinomial", "normal"
DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64, torch.complex128,
          torch.float64)  # float64 only where there is no float32
HOLDERS = {"torch": torch, "torch.nn.functional": torch.nn.functional, "torch.linalg": torch.linalg,
           "torch.special": torch.special, "torch.fft": torch.fft, "torch.Tensor": torch.Tensor}
DOUBLE = {torch.float32: torch.float64, torch.complex64: torch.complex128}
TOLERANCE = 2e-4  # of float32 and complex64, in judge.mpy


class LeftOut(Exception):
    """A value that is too large, or of a kind that is not compared."""


# ---- values as JSON

def number(x):
    return x if not isinstance(x, float) or math.isfinite(x) else repr(x)


def numbers(tensor):
    """The elements; of complex numbers both parts."""
    if tensor.is_complex():
        return [[number(part) for part in pair] for pair in torch.view_as_real(tensor.to(torch.complex128)).tolist()]
    return [number(x) for x in (tensor.double() if tensor.is_floating_point() else tensor).tolist()]


def coded_tensor(tensor, most):
    tensor = tensor.detach().resolve_conj()
    if tensor.numel() > most or tensor.layout != torch.strided or tensor.is_quantized or tensor.is_neg():
        raise LeftOut
    if tensor.untyped_storage().nbytes() // tensor.element_size() > MOST_STORED:
        tensor = tensor.contiguous()
    stored = tensor.untyped_storage().nbytes() // tensor.element_size()
    elements = torch.as_strided(tensor, (stored,), (1,), 0)
    return ["tensor", str(tensor.dtype)[len("torch."):], list(tensor.shape), list(tensor.stride()),
            tensor.storage_offset(), numbers(elements)]


def coded(value, most=MOST_GIVEN):
    if isinstance(value, torch.Tensor):
        return coded_tensor(value, most)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else ["float", repr(value)]
    if isinstance(value, complex):
        return ["complex", value.real, value.imag]
    if isinstance(value, (torch.dtype, torch.memory_format)):
        return ["torch", str(value)[len("torch."):]]
    if isinstance(value, torch.device):
        return ["device", str(value)]
    if isinstance(value, slice):
        return ["slice", *(coded(part) for part in (value.start, value.stop, value.step))]
    if value is Ellipsis:
        return ["ellipsis"]
    for kind in torch.Size, tuple, list:
        if isinstance(value, kind):
            return [kind.__name__, *(coded(item, most) for item in value)]
    if isinstance(value, dict):
        return ["dict", *([key, coded(item, most)] for key, item in value.items())]
    raise LeftOut


# ---- functions by their public names

def public_names():
    names = {}
    for prefix, holder in HOLDERS.items():
        for name in dir(holder):
            function = None if name.startswith("__") else getattr(holder, name, None)
            if callable(function) and not isinstance(function, type):
                names.setdefault(function, f"{prefix}.{name}")
    return names


# ---- a sample

def gradient(function, sample):
    """What the first argument gets, where the i-th element of the first result counts i times, its imaginary part twice
    that; None = no gradient."""
    leaf = sample.input.detach().clone().requires_grad_()
    result = function(leaf, *sample.args, **sample.kwargs)
    result = result[0] if isinstance(result, tuple) else result
    if not isinstance(result, torch.Tensor) or not result.requires_grad:
        return None
    weights = torch.arange(1, result.numel() + 1).to(result.dtype).view(result.shape)
    loss = (result * weights).sum()
    (loss.real + 2 * loss.imag if loss.is_complex() else loss).backward()
    return leaf.grad


def widened(value):
    if isinstance(value, torch.Tensor) and value.dtype in DOUBLE:
        return value.to(DOUBLE[value.dtype])
    return DOUBLE.get(value, value) if isinstance(value, torch.dtype) else value


def double_gradient(function, sample, single):
    """The gradient in double precision, where the single one is not near it; None = it is."""
    if single is None or single.dtype not in DOUBLE:
        return None
    double = gradient(function, sample.transform(widened))
    near = torch.allclose(widened(single), double, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
    return None if near else coded(double, MOST_ANSWERED)


def coded_gradients(op, function, sample, dtype):
    """The gradient, and the one in double precision: each of them may be None."""
    differentiable = op.supports_autograd and isinstance(sample.input, torch.Tensor)
    if dtype not in (torch.float32, torch.complex64, torch.complex128) or not differentiable:
        return None, None
    try:
        single = gradient(function, sample)
        answer = None if single is None else coded(single, MOST_ANSWERED)
    except Exception:
        return None, None
    try:
        return answer, double_gradient(function, sample, single)
    except Exception:
        return answer, None


def answered(op, name, sample, dtype):
    """The sample with PyTorch's answer. LeftOut, or what PyTorch raises."""
    arguments = [coded(value) for value in (sample.input, *sample.args)]
    keywords = {key: coded(value) for key, value in sample.kwargs.items()}
    result = op.op(sample.input, *sample.args, **sample.kwargs)
    result = coded(tuple(result) if isinstance(result, tuple) else result, MOST_ANSWERED)
    single, double = coded_gradients(op, op.op, sample, dtype)
    return {"operator": ".".join(filter(None, (op.name, op.variant_test_name))), "function": name,
            "dtype": str(dtype)[len("torch."):], "arguments": arguments, "keywords": keywords, "result": result,
            "gradient": single, "gradient in double": double}


def samples_of(op, dtype):
    try:
        return list(op.sample_inputs("cpu", dtype, requires_grad=False))
    except Exception:
        return []


def wanted_dtypes(op):
    return [dtype for dtype in DTYPES
            if dtype in op.dtypes and not (dtype is torch.float64 and torch.float32 in op.dtypes)]


def write_samples(op, name, lines):
    """Adds the operator's lines."""
    for dtype in wanted_dtypes(op):
        taken = 0
        for sample in samples_of(op, dtype):
            if taken == PER_OPERATOR:
                break
            try:
                lines.append(answered(op, name, sample, dtype))
                taken += 1
            except Exception:
                pass  # PyTorch refuses it, or it is too large


def main(path):
    warnings.simplefilter("ignore")
    names = public_names()
    judged = [(op, names[op.op]) for op in op_db
              if op.op in names and not any(word in names[op.op] for word in BY_CHANCE)]
    lines = []
    for op, name in judged:
        write_samples(op, name, lines)
    with open(path, "w") as file:
        for line in lines:
            file.write(json.dumps(line) + "\n")


main(sys.argv[1])
