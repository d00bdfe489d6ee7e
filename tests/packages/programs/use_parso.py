import parso

module = parso.parse("def f(a, *b):\n    x = [i for i in a]\n    return x  # c\nclass K(object): pass\n")
f = module.children[0]
print(
    f.name.value, [p.name.value for p in f.get_params()], f.start_pos, f.end_pos, module.get_code() == module.get_code()
)
leaf = module.get_first_leaf()
while leaf:
    print(leaf.type, repr(leaf.value), leaf.start_pos, repr(leaf.prefix))
    leaf = leaf.get_next_leaf()
grammar = parso.load_grammar(version="3.9")
for error in grammar.iter_errors(grammar.parse("x = (1\ny = 2 +\ndef")):
    print(error.message, error.start_pos)
print([c.name.value for c in module.iter_classdefs()], module.dump())
