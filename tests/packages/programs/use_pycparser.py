from pycparser import c_ast, c_generator, c_parser

source = r"""
typedef struct node { int value; struct node *next; } Node;
static const char *names[3] = {"a", "b"};
int sum(Node *list, int (*f)(int)) {
    int total = 0;
    for (Node *n = list; n != 0; n = n->next) { if (n->value % 2) continue; total += f(n->value) << 1; }
    do { total--; } while (total > 100 && !names[0]);
    switch (total) { case 1: return 'x'; default: break; }
    return total ? sizeof(Node) : ~total;
}
"""
tree = c_parser.CParser().parse(source, "x.c")
tree.show(attrnames=True, nodenames=True, showcoord=False)


class Calls(c_ast.NodeVisitor):
    def visit_FuncCall(self, node):
        print("call", node.name.name, node.coord.line)

    def visit_FuncDef(self, node):
        print("def", node.decl.name)
        self.generic_visit(node)


Calls().visit(tree)
print(c_generator.CGenerator().visit(tree))
try:
    c_parser.CParser().parse("int x = ;", "bad.c")
except Exception as error:
    print(type(error).__name__, error)
