from glom import (
    A,
    Assign,
    Check,
    CheckError,
    Coalesce,
    Delete,
    Flatten,
    Fold,
    GlomError,
    Iter,
    Literal,
    M,
    Match,
    Merge,
    Path,
    PathAccessError,
    S,
    SKIP,
    Spec,
    Sum,
    T,
    assign,
    delete,
    glom,
    Invoke,
    Switch,
)

data = {
    "system": {
        "planets": [
            {"name": "earth", "moons": [{"n": "luna"}]},
            {"name": "mars", "moons": [{"n": "phobos"}, {"n": "deimos"}]},
        ]
    },
    "a.b": 1,
}
print(
    glom(data, "system.planets.0.name"),
    glom(data, ("system.planets", [{"name": "name", "moons": ("moons", ["n"])}])),
    glom(data, Path("a.b")),
    glom(data, T["system"]["planets"][-1]["name"].upper()),
)
print(
    glom(data, Coalesce("nope", "system.x", default="none")),
    glom([1, 2, 3, 4], Iter().filter(lambda n: n % 2).map(lambda n: n * 10).all()),
    glom([[1], [2, 3]], Flatten()),
    glom([1, 2], Sum()),
    glom([{"a": 1}, {"b": 2}], Merge()),
    glom(range(5), Fold(T, init=int)),
)
print(
    glom({"x": 5}, Match({"x": int})),
    glom(3, (M > 2)),
    glom(data, (S(v="system.planets.0.name"), {"v": S["v"]})),
    glom([1, None, 2], [Coalesce(Check(type=int), default=SKIP)]),
    glom(5, Spec(lambda t: t + 1)),
    glom({"k": [1]}, Invoke(sorted).specs("k")),
)
target = {"a": {"b": [1, 2]}}
print(
    assign(target, "a.c", 9),
    delete(target, "a.b.0"),
    glom(target, Assign("a.z", Spec("a.c"))),
    glom(target, Delete("a.q", ignore_missing=True)),
)
for spec in "system.planets.9", "system.sun.x", Check("a.b", type=str), Match({"q": int}):
    try:
        glom(data, spec)
    except GlomError as error:
        print(type(error).__name__, str(error).splitlines()[-1])
