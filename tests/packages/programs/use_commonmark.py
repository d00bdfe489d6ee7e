import commonmark
from commonmark.dump import dumpAST
from commonmark.render.rst import ReStructuredTextRenderer

text = "Title\n=====\n\n* a\n* b `c`\n\n  para\n\n> quote *e* **s**\n\n    code <x>\n\n[l](/u \"t\") ![i](s) <http://a.b> [r]\n\n```py\nx = 1\n```\n\n1) one\n2) two\n\n***\n<b>raw</b> &amp; &eacute; \\*\\\nend\n\n[r]: /ref 'T'\n"
print(commonmark.commonmark(text))
parser = commonmark.Parser()
tree = parser.parse(text)
for node, entering in tree.walker():
    print(node.t, entering, node.sourcepos, repr(node.literal))
print(commonmark.HtmlRenderer({"safe": True, "sourcepos": True, "softbreak": "<br>"}).render(tree))
print(ReStructuredTextRenderer().render(parser.parse("# H\n\n- *x*\n\n`c`\n")))
dumpAST(parser.parse("a\n\nb"))
print(commonmark.commonmark("**a*b**c*", format="json")[:100])
