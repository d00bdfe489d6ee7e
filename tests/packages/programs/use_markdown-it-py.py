from markdown_it import MarkdownIt
from markdown_it.presets import commonmark
from markdown_it.tree import SyntaxTreeNode

text = "# T\n\nA *b* **c** `d` <x@y.z> [l](<u v> 't') ![i](s)\\\nbreak & &copy;\n\n> q\n> 1. a\n>    - b\n\n```py\nx<1\n```\n\n| a | b |\n|--:|---|\n| 1 | ~~2~~ |\n\n<div>raw</div>\n\n[r]: /ref\n[r] *open\n"
md = MarkdownIt()
print(md.render(text), md.get_active_rules()["inline"])
more = MarkdownIt("commonmark", {"html": False, "breaks": True, "typographer": True}).enable(
    ["table", "strikethrough", "replacements", "smartquotes"]
)
print(more.render(text + '\n"quoted" -- (c) ...\nline\n'))
tokens = md.parse("- a\n\n- *b*")
print([(t.type, t.level, t.map, t.markup) for t in tokens], SyntaxTreeNode(tokens).pretty(indent=2))


def shout(self, tokens, idx, options, env):
    return "<EM>"


md.add_render_rule("em_open", shout)
print(
    md.renderInline("*x*"),
    md.disable("emphasis").render("*x*"),
    MarkdownIt("zero").render("# *x*"),
    MarkdownIt("js-default").options["html"],
    commonmark.make()["options"]["maxNesting"],
)
try:
    MarkdownIt("nosuch")
except KeyError as error:
    print(error)
