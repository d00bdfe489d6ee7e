from configobj import ConfigObj, ConfigObjError, flatten_errors
from configobj.validate import Validator

lines = [
    "# top",
    "a = 1",
    "l = x, 'y z', ",
    "[s]",
    "  b = %(q)s2 # why",
    "  q = 4",
    "  [[t]]",
    "  c = '''multi",
    "line'''",
    "[u]",
    "n = 20",
]
c = ConfigObj(lines, interpolation="ConfigParser", list_values=True)
print(c, c["s"]["b"], c["s"]["t"]["c"], c.initial_comment, c["s"].inline_comments, c["s"]["t"].depth)
c["new"] = {"k": "pq", "sub": {"z": "1"}}
c.comments["new"] = ["a comment"]
print("\n".join(c.write()))
spec = ConfigObj(
    [
        "a = integer(0, 10)",
        "l = list",
        "[s]",
        "b = float",
        "[u]",
        "n = integer(max=5)",
        "m = option('x', 'y', default='x')",
    ],
    list_values=False,
    _inspec=True,
)
c = ConfigObj(lines, configspec=spec)
result = c.validate(Validator(), preserve_errors=True)
print(c["a"], c["u"], [(path, key, str(error)) for path, key, error in flatten_errors(c, result)])
for bad in ["[a]", "[a]"], ["x"], ["[[a]]"]:
    try:
        ConfigObj(bad)
    except ConfigObjError as error:
        print(type(error).__name__, error)
