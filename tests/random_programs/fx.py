"""Graphs of torch.fx: a function is traced, then its graph is rewritten, printed and run."""

imports = ["torch", "torch.fx"]

HEAD = '''import operator
import torch
import torch.fx as fx


class Inner(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.tensor([2., 3.]))

    def forward(self, x):
        return x * self.scale


class Module(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.register_buffer("shift", torch.tensor([1., -1.]))

    def forward(self, x, y=2, *, flag=True):
        a = self.inner(x) + self.shift
        b = torch.relu(a) if flag is not None else a
        c = b.sum(-1, keepdim=True).expand(-1, 2)
        return {"all": (c, b.neg(), x[0]), "y": y * a}


traced = fx.symbolic_trace(Module())
graph = traced.graph


def node(i):
    return list(graph.nodes)[i % len(graph.nodes)]


def before(i):
    return graph.inserting_before(node(i))


def put(i, make):
    with before(i):
        return make()


def run():
    traced.recompile()
    result = traced(torch.tensor([[1., -2.], [0.5, 4.]]), 3)
    return fx.node.map_aggregate(result, lambda e: e.tolist() if isinstance(e, torch.Tensor) else e)


def step(name, function):
    try:
        value = function()
        print(name, repr(value).replace("\\n", "~"))
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\\n")[0][:150])


def double(x):
    return x + x


def pattern(x):
    return torch.relu(x)


def replacement(x):
    return torch.sigmoid(x) * x
'''


def rewriting(r):
    a, b = r.randrange(40), r.randrange(40)
    name, target = r.choice(["a", "relu", "x"]), r.choice(["relu", "add", "neg"])
    return r.choice([
        f"graph.erase_node(node({a}))", f"node({a}).replace_all_uses_with(node({b}))",
        f"put({a}, lambda: graph.call_function(torch.add, (node({b}), 1)))",
        f"put({a}, lambda: graph.call_method('sin', (node({b}),)))",
        f"put({a}, lambda: graph.call_function(operator.getitem, (node({b}), 0)))",
        f"put({a}, lambda: graph.get_attr('inner.scale'))", f"put({a}, lambda: graph.get_attr('missing'))",
        f"put({a}, lambda: graph.placeholder('extra', default_value={r.randrange(3)}))",
        f"put({a}, lambda: graph.call_module('inner', (node({b}),)))", f"put({a}, lambda: graph.node_copy(node({b})))",
        f"put({a}, lambda: graph.create_node('call_function', double, (node({b}),), name='{name}'))",
        f"node({a}).replace_input_with(node({b}), node({r.randrange(40)}))", f"node({a}).update_arg(0, node({b}))",
        f"setattr(node({a}), 'args', (node({b}),))",
        f"setattr(node({a}), 'target', torch.neg)", "graph.eliminate_dead_code()", "graph.lint()", "str(graph)",
        "traced.code", f"sorted(n.name for n in node({a}).users)", f"node({a}).all_input_nodes",
        f"node({a}).format_node()", "run()", "run()",
        "[m.nodes_map and len(m.nodes_map) for m in fx.replace_pattern(traced, pattern, replacement)]",
        "[(n.op, str(n.target), n.name) for n in graph.nodes]", f"node({a}).next.prev is node({a})",
        f"graph.find_nodes(op='call_function', target=torch.{target})",
        "len(fx.Graph().graph_copy(graph, {}) or ())", f"put({a}, lambda: graph.output(node({b})))",
        f"[str(e) for e in fx.Interpreter(traced).module.graph.nodes][{a} % 5]",
        "fx.Transformer(traced).transform().code", f"node({a}).is_impure()", "traced.delete_all_unused_submodules()",
    ])


def program(r):
    return HEAD, [f"step({i}, lambda: {rewriting(r)})\n" for i in range(r.randrange(6, 20))]
