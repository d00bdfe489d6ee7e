import html5lib
from html5lib import serializer, treewalkers
from html5lib.filters import alphabeticalattributes

doc = html5lib.parse(
    "<!doctype html><p>One<p class=b id=a>Two &amp; <b>bold<i>both</b>only</i><table><tr><td>x<svg><circle/></svg></table>&nbsp;&copy;",
    treebuilder="etree",
    namespaceHTMLElements=False,
)
walker = treewalkers.getTreeWalker("etree")
s = serializer.HTMLSerializer(omit_optional_tags=False, quote_attr_values="always", alphabetical_attributes=True)
print(s.render(walker(doc)))
print([e.tag for e in doc.iter() if isinstance(e.tag, str)], doc.find(".//b").text)
p = html5lib.HTMLParser(strict=False)
p.parse("<div><span></div></p><a href='x'href='y'>")
print([code for _, code, _ in p.errors])
f = html5lib.parseFragment("<li>a<li>b", treebuilder="dom")
print([child.toxml() for child in f.childNodes], html5lib.serialize(doc, tree="etree")[:80])
for token in list(walker(doc))[:5]:
    print(token["type"], token.get("name"))
