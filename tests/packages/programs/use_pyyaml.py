import datetime
import yaml

text = """
a: &anchor [1, 0x1F, 0o17, 1_000, 3.5, .inf, 1e3, yes, null, ~]
b: *anchor
c: {x: 2024-01-02, y: 2024-01-02T03:04:05Z, "q": !!str 5}
d: |
  keep
    lines
e: >-
  fold
  these
<<: {merged: true}
? complex
: !!set {p, q}
"""
data = yaml.safe_load(text)
print(data, data["a"] is data["b"])
print(
    yaml.safe_dump(
        {"z": [1, {"k": None}], "a": "multi\nline", "u": "é", "t": "yes", "n": -0.5, "d": datetime.date(2024, 1, 2)},
        allow_unicode=True,
        sort_keys=False,
    )
)
print(yaml.dump([data["a"], data["a"]], default_flow_style=True), list(yaml.safe_load_all("--- 1\n--- [2]\n...\n")))
for event in yaml.parse("a: [b, 'c']"):
    print(event)
for bad in "a: [1", "a: b: c", "\t- x", "*unknown", "!!python/object:os.system x":
    try:
        yaml.safe_load(bad)
    except yaml.YAMLError as error:
        print(type(error).__name__, str(error).splitlines()[0])


class Point(yaml.YAMLObject):
    yaml_tag, yaml_loader = "!p", yaml.SafeLoader

    def __init__(self, x):
        self.x = x


print(yaml.safe_load("!p {x: 3}").x, yaml.dump(Point(4)), [type(t).__name__ for t in yaml.scan("- a\n- {b: c}")])
