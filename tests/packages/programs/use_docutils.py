from docutils.core import publish_doctree, publish_string
from docutils.utils import column_width
from docutils.statemachine import string2lines

text = """
Title
=====

Para with *emph*, **strong**, ``code`` and a link_.

- one
- two

  1. nested

:field: value

.. note:: Look out.

.. _link: http://example.org

===== =====
a     b
===== =====
1     2
===== =====

::

    literal
"""
options = {"output_encoding": "unicode", "stylesheet_path": "", "embed_stylesheet": False, "_disable_config": True}
print(publish_string(text, writer_name="pseudoxml", settings_overrides=options))
html = publish_string(text, writer_name="html5", settings_overrides=options)
print(html[html.index("<body") :])
tree = publish_doctree("A\n=\n\nB\n-\n\nx\n", settings_overrides=options)
print(tree.pformat(), [n.tagname for n in tree.traverse()], column_width("日本"), string2lines("a\tb\nc", 4))
