import tatsu
from tatsu.exceptions import FailedParse
from tatsu.walkers import NodeWalker

GRAMMAR = r"""
    @@grammar::CALC
    start = expression $ ;
    expression = addition | subtraction | term ;
    addition::Add = left:term op:'+' ~ right:expression ;
    subtraction::Sub = left:term op:'-' ~ right:expression ;
    term = multiplication | factor ;
    multiplication::Mul = left:factor op:'*' ~ right:term ;
    factor = '(' ~ @:expression ')' | number ;
    number::Number = value:/\d+/ ;
"""
model = tatsu.compile(GRAMMAR, asmodel=True)


class Calculate(NodeWalker):
    def walk_Number(self, node):
        return int(node.value)

    def walk_Add(self, node):
        return self.walk(node.left) + self.walk(node.right)

    def walk_Sub(self, node):
        return self.walk(node.left) - self.walk(node.right)

    def walk_Mul(self, node):
        return self.walk(node.left) * self.walk(node.right)


for text in "3 + 5 * ( 10 - 20 )", "7":
    print(Calculate().walk(model.parse(text)))
print(
    tatsu.parse("start = {word}+ $ ; word = /[a-z]+/ ;", "ab cd"),
    tatsu.compile("start = ','.{/\\d/} $ ;").parse("1,2,3"),
)
try:
    model.parse("3 + )")
except FailedParse as error:
    print(type(error).__name__, str(error).splitlines()[0])
print(tatsu.to_python_sourcecode("start = 'a' | 'b' ;", name="X").count("def "))
