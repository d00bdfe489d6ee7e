import mistune

text = "# Hi *there*\n\n- a\n- b\n\n    code\n\n1. x\n\n> q\n\n[l](u) ![i](s) ~~no~~ <i>h</i>\n\n---\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n"
print(mistune.html(text))
md = mistune.create_markdown(escape=True, plugins=["strikethrough", "table", "footnotes", "task_lists"])
print(md(text + "\n- [x] done\n\nfoot[^1]\n\n[^1]: note\n"))
tree = mistune.create_markdown(renderer=None)
for node in tree(text):
    print(node["type"], sorted(node))
