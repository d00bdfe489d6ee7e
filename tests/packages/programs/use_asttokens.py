import ast
import asttokens

source = "def f(x, y=(1, 2)):\n    return [x + y[0] for x in (y)] if x else {'k': -x ** 2}\n"
atok = asttokens.ASTTokens(source, parse=True)
for node in ast.walk(atok.tree):
    if hasattr(node, "lineno"):
        print(type(node).__name__, repr(atok.get_text(node)), atok.get_text_range(node))
print(
    [(t.string, t.line, t.startpos) for t in atok.tokens][:8],
    atok.get_token(2, 4).string,
    asttokens.LineNumbers("a\nbc").offset_to_line(3),
)
