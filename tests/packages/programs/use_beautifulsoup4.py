from bs4 import BeautifulSoup, CData, Comment, NavigableString, SoupStrainer, Tag

html = '<html><head><title>T &amp; t</title></head><body><p class="a b" id=x>One <b>two</b><br>three</p><p>four<!-- c --><a href="/u?a=1&amp;b=2">link</a><ul><li>1<li data-n="2">2</ul><script>if (a < b) {}</script></body>'
soup = BeautifulSoup(html, "html.parser")
print(soup.prettify())
print(
    soup.title.string,
    soup.p["class"],
    soup.find_all("p")[1].get_text("|", strip=True),
    soup.select("p.a > b"),
    [t.name for t in soup.body.descendants if isinstance(t, Tag)],
    soup.a.get("href"),
)
print(
    soup.select_one("li[data-n='2']").text,
    soup.select("ul li:nth-of-type(1), a:not(.z)"),
    soup.find(string=lambda s: isinstance(s, Comment)),
    soup.find("b").find_parent("p")["id"],
    soup.find(id="x").find_next_sibling("p").name,
    list(soup.b.next_siblings),
)
soup.b.replace_with("TWO")
soup.a.wrap(soup.new_tag("span", attrs={"k": 'v"w'}))
soup.p.append(NavigableString(" & end"))
soup.ul.decompose()
soup.p.insert(0, soup.new_tag("i"))
print(
    soup.body,
    soup.p.contents,
    soup.find("zz"),
    BeautifulSoup("<a>1</a><b>2</b>", "html.parser", parse_only=SoupStrainer("b")),
    BeautifulSoup("é".encode("latin-1"), "html.parser", from_encoding="latin-1").original_encoding,
    soup.p.decode(formatter="html"),
)
