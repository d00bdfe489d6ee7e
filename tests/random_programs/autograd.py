"""Histories: leaves, views, in-place operations, hooks, several backward(), gradients of gradients, Functions."""

imports = ["torch"]

HEAD = '''import torch
V = []


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * 3 * x * x


class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Marked(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def show(value):
    if isinstance(value, torch.Tensor):
        numbers = ["%.5g" % e for e in value.detach().clone().reshape(-1).tolist()]
        node = type(value.grad_fn).__name__
        return f"{numbers} {list(value.shape)} {value.requires_grad} {value.is_leaf} {node} {value._version}"
    if isinstance(value, (tuple, list)):
        return "; ".join(map(show, value))
    return repr(value)


def step(name, function):
    try:
        value = function()
        print(name, show(value))
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\\n")[0][:120])
        return
    V.extend(e for e in (value if isinstance(value, (tuple, list)) else [value]) if isinstance(e, torch.Tensor))


def v(i):
    return V[i % len(V)]


def quiet(function):
    with torch.no_grad():
        return function()


V.append(torch.tensor([[1., -2., 3.], [0.5, 4., -1.]], requires_grad=True))
V.append(torch.tensor([2., 1., -1.], requires_grad=True))
'''


def expression(r):
    a, b = (f"v({r.randrange(60)})" for _ in "ab")
    return r.choice([
        f"{a} {r.choice('+-*')} {b}", f"{a} * {r.choice('2 -1 0.5'.split())}", f"{a}.sin()", f"{a}.exp()", f"{a} ** 2",
        f"{a}.sum({r.choice(['', '0', '-1, keepdim=True'])})", f"{a}.mean()", f"{a}.max(-1)", f"{a}.relu()",
        f"{a}.t()", f"{a}[0]", f"{a}[..., 1:]", f"{a}.view(-1)", f"{a}.expand(2, 3)", f"{a}.unbind(0)",
        f"{a}.split(1)", f"{a}.detach()", f"{a}.clone()", f"{a}.unsqueeze(0)", f"{a}.diagonal()",
        f"{a}.narrow(0, 0, 1)", f"quiet(lambda: {a}[:1])", f"quiet(lambda: {a} * 2)", f"torch.cat([{a}, {b}])",
        f"torch.where({a} > 0, {a}, {b})",
        f"{a}.add_({b})", f"{a}.mul_(2)", f"{a}[:1].mul_({b})", f"{a}.zero_()", f"{a}.copy_({b})", f"{a}.relu_()",
        f"quiet(lambda: {a}.add_(1))", f"{a}.data.mul_(2)", f"{a}.detach().add_(1)", f"{a}.requires_grad_()",
        f"{a}.detach_()", f"{a}.squeeze_()", f"{a}.t_()", f"{a}.retain_grad()", f"{a}.grad", f"{a}._base",
        f"{a}.sum().backward()", f"{a}.sum().backward(retain_graph=True)", f"{a}.backward(torch.ones_like({a}))",
        f"torch.autograd.grad({a}.sum(), {b}, allow_unused=True)", f"torch.autograd.grad({a}.sum(), [{b}])",
        f"torch.autograd.grad({a}.sum(), {b}, create_graph=True)", f"torch.autograd.grad([{a}.sum(), {b}.sum()], {b})",
        f"torch.autograd.grad(({a} * {a}).sum(), {a}, retain_graph=True)",
        f"{a}.register_hook(lambda grad: grad * 2) and None", f"Cube.apply({a})",
        f"Same.apply({a})", f"Same.apply({a}).mul_(2)", f"Marked.apply({a} * 1)",
        f"[type(n).__name__ for n, _ in {a}.grad_fn.next_functions]",
    ])


def program(r):
    return HEAD, [f"step({i}, lambda: {expression(r)})\n" for i in range(r.randrange(8, 24))]
