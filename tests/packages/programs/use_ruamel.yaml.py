import io
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap

source = "# head\na: 1   # one\nb:\n- x\n- {y: 'q', z: \"w\"}\nc: |\n  text\nd: &id 0x1F\ne: *id\n"
yaml = YAML(pure=True)
data = yaml.load(source)
data["b"].append("new")
data.insert(1, "inserted", 2.50, comment="added")
out = io.StringIO()
yaml.dump(data, out)
print(out.getvalue())
safe = YAML(typ="safe", pure=True)
print(
    safe.load("x: [1, 2.5, true, 2024-01-02]"),
    list(safe.load_all("a\n---\nb\n")),
    data["a"],
    list(data),
    data.lc.line,
    type(data).__name__,
)
yaml.indent(mapping=4, sequence=6, offset=3)
out = io.StringIO()
yaml.dump(CommentedMap([("k", [1, {"m": None}])]), out)
print(out.getvalue())
for bad in "a: 1\na: 2\n", "a: [", "- b\nc":
    try:
        YAML(pure=True).load(bad)
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
