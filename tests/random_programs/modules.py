"""Modules in training: a random forward(), and a random life of it, in which steps of an optimizer stand between eval(),
train(), hooks, frozen parameters, other sizes and loaded states. The life is lived eagerly, then compiled by backends.

Lines: `E` the eager life; `N` that a step gave a graph to a backend that records them, and `G` its text; `C` and `A` what
differs from the eager life with that backend, and with aot_eager (one seed in three)."""

imports = ["torch", "warm"]
kinds = {"E": "eager", "N": "number of graphs", "G": "text of graphs", "C": "compiled, not eager's",
         "A": "aot_eager, not eager's"}

HEAD = '''import torch
from torch import nn
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)


class Scale(nn.Module):
    def __init__(self, by=2.0):
        super().__init__()
        self.weight = nn.Parameter(torch.full((4,), by))
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("seen", torch.tensor(0))
        self.calls = 0

    def forward(self, x, shift=0):
        self.calls += 1
        if self.training:
            self.seen += 1
            with torch.no_grad():
                self.mean.mul_(0.5).add_(x.mean(0), alpha=0.5)
        return x * self.weight + shift


class Running(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.zeros(4), persistent=False)

    def forward(self, x):
        y = x - self.last
        if self.training:
            self.last = x.detach().mean(0)
        return y


class Residual(nn.Sequential):
    def forward(self, x, times=1):
        for _ in range(times):
            x = x + super().forward(x)
        return x


class Switch(nn.Module):
    unit = 2

    def __init__(self, inner):
        super().__init__()
        self.inner, self.on, self.trace = inner, True, []

    @property
    def factor(self):
        return self.unit if self.on else 1

    @staticmethod
    def half(x):
        return x * 0.5

    def noted(self, x):
        self.trace.append(len(self.trace))
        return self.half(x)

    def forward(self, x):
        x = self.inner(x) * self.factor
        return self.noted(x) if self.on else x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.plain = nn.Linear(4, 4, bias=False)
        self.bn = nn.BatchNorm1d(4)
        self.norm = nn.LayerNorm(4)
        self.drop = nn.Dropout(0.5)
        self.emb = nn.Embedding(5, 4)
        self.scale = Scale()
        self.running = Running()
        self.switch = Switch(nn.Linear(4, 4))
        self.seq = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.BatchNorm1d(4))
        self.res = Residual(nn.Linear(4, 4), nn.Tanh())
        self.layers = nn.ModuleList([nn.Linear(4, 4), Scale(0.5), nn.Identity()])
        self.table = nn.ModuleDict({"a": nn.Linear(4, 4), "b": nn.ReLU6()})
        self.weights = nn.ParameterList([nn.Parameter(torch.ones(4)), nn.Parameter(torch.ones(1))])
        self.tied = nn.Linear(4, 4)
        self.tied.weight = self.fc.weight
        self.free = nn.Parameter(torch.ones(4))
        self.register_buffer("total", torch.zeros(()))
        self.k, self.flag, self.items, self.note = 1, True, [], {}

    def twice(self, layer, x):
        return layer(layer(x))

    def stream(self, x):
        for layer in self.layers:
            x = layer(x)
            yield x

    def forward(self, x):
'''

LIFE = '''        return x


def count(module, args, *out):
    module.hooked = getattr(module, "hooked", 0) + 1


def doubled(module, args, out):
    return out * 2


def shifted(module, args):
    return (args[0] + 1,)


def life(w):
'''

TAIL = '''

def rounded(values):
    return " ".join("%.4g" % (round(float(v), 3) + 0.0) for v in values)


class World:
    def __init__(self, compiled, graphs):
        torch._dynamo.reset()
        torch.manual_seed(3)
        self.model, self.graphs, self.lines, self.n = Net(), graphs, [], 0
        with torch.no_grad():
            for i, p in enumerate(self.model.parameters()):
                p.copy_((torch.arange(p.numel()).view(p.shape) * (i + 3) % 5 - 2) / 4)
        self.run, self.opt = compiled(self.model), OPTIMIZER(self.model.parameters())
        self.x = torch.tensor([[1., -2., 3., 0.], [0.5, 4., -1., 2.], [2., 1., 0., -1.]])
        self.saved = self.handle = None

    def step(self, train=True):
        model, before = self.model, len(self.graphs)
        said = []
        try:
            out = self.run(self.x)
            loss = (out - 1).square().mean()
            said.append("loss " + rounded([loss]))
            if train and loss.requires_grad:
                self.opt.zero_grad()
                loss.backward()
                grads = ["-" if p.grad is None else rounded([p.grad.sum()]) for p in model.parameters()]
                said.append("grads " + " ".join(grads))
                self.opt.step()
        except Exception as error:
            said.append(type(error).__name__)
        said.append("parameters " + rounded(p.sum() for p in model.parameters()))
        said.append("buffers " + rounded(b.double().sum() for b in model.buffers()))
        hooked = sum(getattr(m, "hooked", 0) for m in model.modules())
        said.append(f"state {model.k} {model.flag} {len(model.items)} {list(model.note)} {model.scale.calls} "
                    f"{model.layers[1].calls} {model.switch.trace} {hooked} {model.training}")
        self.lines += [f"{self.n} {line}" for line in said]
        for graph in self.graphs[before:]:
            print("N", self.n)
            print("G", graph.replace("\\n", "\\nG "))
        self.n += 1


def lived(compiled, graphs=()):
    w = World(compiled, graphs)
    life(w)
    return w.lines


def record(gm, inputs):
    graphs.append(gm.code.strip())
    return gm.forward


graphs = []
want = lived(lambda model: model)
for line in want:
    print("E", line)
for letter, backend in BACKENDS:
    have = lived(lambda model: COMPILED, graphs if letter == "C" else ())
    for here, there in zip(have, want):
        if here != there:
            print(letter, here)
'''

LAYERS = ["self.fc", "self.fc", "self.plain", "self.bn", "self.norm", "self.drop", "self.scale", "self.scale", "self.running",
          "self.switch", "self.seq", "self.seq", "self.res", "self.layers[0]", "self.layers[1]", "self.layers[-1]",
          "self.seq[0]", "self.seq[:2]", "self.table['a']", "self.tied", "self.switch.inner", "getattr(self, 'fc')",
          "self.table[self.note.get('which', 'b')]"]


def condition(r):
    return r.choice(["self.training", "self.training", "not self.training", "self.flag", "self.k > 1", "self.note", "self.items",
                     "len(self.layers) > 2", "self.fc.weight.requires_grad", "self.scale.calls < 2", "x.size(0) > 2",
                     "self.fc.bias is not None", "isinstance(self.layers[0], nn.Linear)", "self.drop.p > 0.2",
                     "'which' in self.note", "hasattr(self, 'hooked')", "torch.is_grad_enabled()", "self.total > 3",
                     "x.sum() > 0", "self.scale.seen < 2", "self.switch.on"])


def expression(r, depth=0):
    layer = r.choice(LAYERS)
    if depth > 1 or r.random() < 0.3:
        return "x" if r.random() < 0.5 else f"{layer}(x)"
    a, b = expression(r, depth + 1), expression(r, depth + 1)
    return r.choice([
        f"{layer}({a})", f"{layer}({a})", f"{a} + {b}", f"({a}) * {b}", f"self.twice({layer}, {a})", f"F.relu({a})",
        f"({a}) * self.{r.choice(['free', 'k', 'weights[0]', 'scale.weight', 'switch.factor', 'layers[1].weight'])}",
        f"F.linear({a}, self.{r.choice(['fc', 'plain', 'tied'])}.weight)", f"({a}) - self.{r.choice(['total', 'scale.mean', 'bn.running_mean'])}",
        f"self.scale({a}, {r.choice(['1', 'shift=self.k', 'shift=x.mean()'])})", f"self.res({a}, {r.choice(['2', 'times=self.k'])})",
        f"F.dropout({a}, 0.5, self.training)", f"self.bn({a}).clamp(-2, 2)", f"F.batch_norm({a}, self.bn.running_mean, self.bn.running_var, training=self.training)",
        f"({a}).detach() + {b}", f"torch.where(({a}) > 0, {b}, x)", f"self.emb(({a}).argmax(-1))", f"self.switch.half({a})",
        f"({a} if {condition(r)} else {b})", f"F.layer_norm({a}, (4,))", f"torch.cat([{a}, {b}], -1)[:, ::2]", f"({a}).tanh()",
        f"sum([{a}, {b}])", f"({a}).softmax(-1)", f"list(self.stream({a}))[{r.choice(['0', '-1'])}]", f"nn.functional.gelu({a})",
    ])


def simple(r):
    a = expression(r)
    return r.choice([
        f"x = {a}", f"x = {a}", f"x = {a}", f"x = {a}", "self.k += 1", "self.flag = not self.flag", f"self.total += {r.choice(['1', 'x.detach().sum().sign()'])}",
        "self.total = self.total + 1", "self.items.append(x.shape[0])", f"self.note['{r.choice(['which', 'n'])}'] = {r.choice(['1', 'self.k'])}",
        "self.scale.mean.copy_(x.detach().mean(0))", "self.scale.calls += 1", "torch._dynamo.graph_break()", f"y = {a}", "self.last = x.detach()",
        f"x = x + sum({r.choice(['p.sum() for p in self.fc.parameters()', 'b.double().sum() for b in self.scale.buffers()'])})",
        f"self.{r.choice(['seq', 'bn', 'drop'])}.{r.choice(['eval()', 'train()'])}", "self.bn.momentum = 0.5", "self.note.clear()",
        "x = x.clone(); x += 1", "with torch.no_grad():\n    self.free.mul_(0.5)", f"with torch.no_grad():\n    y = {a}\nx = x + y",
    ]).split("\n")


def statement(r, depth=0):
    if depth > 1 or r.random() < 0.6:
        return simple(r)
    lines = []
    for _ in range(r.randrange(1, 3)):
        lines += ["    " + line for line in statement(r, depth + 1)]
    head = r.choice([
        f"if {condition(r)}:", f"if {condition(r)}:", f"if {condition(r)}:", "for layer in self.layers:\n    x = layer(x)",
        "for i, layer in enumerate(self.layers):\n    x = layer(x) + i", "for name, layer in self.table.items():\n    x = layer(x) * len(name)",
        "for layer in [self.fc, self.scale]:\n    x = layer(x)", "for layer in reversed(self.layers):\n    x = layer(x)",
        "for layer in self.layers[1:]:\n    x = layer(x)", "for e in self.stream(x):\n    x = x + e",
        "for name, layer in self.named_children():\n    if name in ('fc', 'bn'):\n        x = layer(x)",
        "for layer in self.modules():\n    if isinstance(layer, Scale):\n        x = x * layer.weight",
        "for w in self.weights:\n    x = x * w", "for j in range(2):", "for layer, w in zip(self.layers, self.weights):\n    x = layer(x) * w",
        f"try:\n    x = self.layers[{r.choice(['1', '7'])}](x)\nexcept IndexError:",
    ]).split("\n")
    return head + lines


def event(r):
    part = r.choice(["fc", "bn", "scale", "seq", "drop", "layers[0]", "switch", "running", "seq[0]"])
    return r.choice([
        "w.step()", "w.step()", "w.step()", "w.step()", "w.step(train=False)", "w.model.eval()", "w.model.train()", "w.model.train()",
        f"w.model.{part}.{r.choice(['eval()', 'train()', 'requires_grad_(False)', 'requires_grad_(True)'])}",
        f"w.handle = w.model.{part}.register_forward_hook({r.choice(['count', 'doubled'])})", "w.handle and w.handle.remove()",
        f"w.handle = w.model.{part}.register_forward_pre_hook({r.choice(['count', 'shifted'])})",
        "w.model.flag = not w.model.flag", "w.model.k += 1", "w.model.switch.on = not w.model.switch.on", "w.model.note['which'] = 'a'",
        "w.model.layers.append(nn.Linear(4, 4, bias=False).requires_grad_(False))", "w.model.fc.weight.data.mul_(0.5)",
        "w.opt.param_groups[0]['lr'] *= 0.5", "w.x = w.x[:2]", "w.x = torch.cat([w.x, w.x + 1])", "w.x = w.x.clone().requires_grad_()",
        "w.saved = {k: v.clone() for k, v in w.model.state_dict().items()}", "w.saved and w.model.load_state_dict(w.saved, strict=False)",
        "with torch.no_grad():\n        w.step()", "w.model.scale = Scale(0.5)", "w.model.total.zero_()", "w.model.drop.p = 0.1",
        "w.model.table['b'] = nn.Tanh()", "w.model.seq.add_module('more', nn.Sigmoid())", "w.model.bn.track_running_stats = False",
        "nn.utils.clip_grad_norm_(w.model.parameters(), 1.0)", "w.model.fc.bias = None",
    ])


def program(r):
    optimizer = r.choice(["lambda p: torch.optim.SGD(p, lr=0.1)", "lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.1)",
                          "lambda p: torch.optim.Adam(p, lr=0.01)", "lambda p: torch.optim.AdamW(p, lr=0.01, foreach=False)",
                          "lambda p: torch.optim.RMSprop(p, lr=0.01)"])
    compiled = r.choice(["torch.compile(model, backend=backend)"] * 3 + [
        "torch.compile(model.forward, backend=backend)", "(model.compile(backend=backend), model)[1]",
        "torch.compile(lambda x: model(x) * 2, backend=backend)"])
    backends = '[("C", record)' + r.choice([', ("A", "aot_eager")]', "]", "]"])
    forward = [statement(r) for _ in range(r.randrange(1, 5))]
    statements = ["".join(f"        {line}\n" for line in lines) for lines in forward] + [LIFE]
    statements += [f"    {line}\n" for line in ["w.step()", *(event(r) for _ in range(r.randrange(2, 7))), "w.step()"]]
    return HEAD, statements + [TAIL.replace("OPTIMIZER", f"({optimizer})").replace("COMPILED", compiled).replace("BACKENDS", backends)]
