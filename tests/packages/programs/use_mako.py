from mako.lookup import TemplateLookup
from mako.template import Template

lookup = TemplateLookup()
lookup.put_string("base.html", "<h>${self.title()}</h>${next.body()}<%def name='title()'>none</%def>")
lookup.put_string(
    "page.html",
    "<%inherit file='base.html'/><%def name='title()'>Page</%def>\n% for i in range(n):\n${i}${',' if not loop.last else '.'}\\\n% endfor\n",
)
print(lookup.get_template("page.html").render(n=4))
t = Template(
    """<%! import math %><%def name="sq(x)">${x * x}</%def>
% if a > 1:
big ${sq(a)} ${math.floor(2.7)} ${'<b>' | h} ${' x ' | trim}
% else:
small
% endif
<%text>${raw}</%text> ## not a comment
## comment
<% y = a + 1 %>${y}"""
)
print(t.render(a=3), t.render(a=0), t.get_def("sq").render(x=5))
try:
    Template("% for x in y:\n${x}\n")
except Exception as error:
    print(type(error).__name__, error)
