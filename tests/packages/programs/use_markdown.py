import markdown

text = """# Title {#top}

A *paragraph* with **bold**, `code`, [a link](http://example.org "t") and <b>html</b>.

1. one
2. two
    * nested

> quote

| a | b |
|---|---|
| 1 | 2 |

```python
x = 1 < 2
```

Term
:   meaning

Note[^1].

[^1]: The foot.
"""
print(markdown.markdown(text))
md = markdown.Markdown(extensions=["tables", "fenced_code", "toc", "footnotes", "def_list", "attr_list", "meta"])
print(md.convert("Author: me\n\n" + text))
print(md.Meta, md.toc_tokens, md.toc)
