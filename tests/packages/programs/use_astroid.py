import astroid
from astroid import MANAGER, extract_node, nodes, parse
from astroid.exceptions import InferenceError, AstroidSyntaxError

module = parse(
    "import os\nclass A:\n    x = 1\n    def m(self, n=3): return [self.x + n, 'a' * 2]\nclass B(A):\n    @property\n    def p(self): return self.m()[0]\ndef gen():\n    for i in range(3):\n        yield i\nvalue = B().p\nd = {'k': (1, 2)}['k'][1]\nf = f'{value!r:>{5}}'\n"
)
print(module.repr_tree()[:400])
print(
    [n.inferred()[0].as_string() for n in (module["value"], module["d"])],
    [a.name for a in module["B"].ancestors()],
    module["B"].mro()[1].qname(),
    module["gen"].is_generator(),
    sorted(module.globals),
)
print(
    module["A"]["m"].args.as_string(),
    module["A"]["m"].as_string(),
    [type(n).__name__ for n in module.nodes_of_class(nodes.BinOp)],
    module["f"].parent.as_string(),
)
node = extract_node("'-'.join(['a', str(1 + 2)]) #@")
print(
    [n.value for n in node.infer()],
    extract_node("len([1, 2, 3])").inferred()[0].value,
    extract_node("(lambda x: x * 2)(4)").inferred()[0].value,
    extract_node("{**{'a': 1}, 'b': 2}").inferred()[0].as_string(),
)
for f in lambda: next(extract_node("undefined_name").infer()), lambda: parse("def ("):
    try:
        f()
    except (InferenceError, AstroidSyntaxError) as error:
        print(type(error).__name__)
