import jsonpatch
import jsonpointer

doc = {"foo": ["bar", {"a": 1}], "x/y": 2, "m~n": 3}
patch = jsonpatch.JsonPatch(
    [
        {"op": "add", "path": "/baz", "value": "qux"},
        {"op": "remove", "path": "/foo/0"},
        {"op": "replace", "path": "/foo/0/a", "value": [1]},
        {"op": "move", "from": "/x~1y", "path": "/moved"},
        {"op": "copy", "from": "/baz", "path": "/foo/-"},
        {"op": "test", "path": "/m~0n", "value": 3},
    ]
)
print(patch.apply(doc), doc)
made = jsonpatch.make_patch({"a": [1, 2, 3], "b": {"c": 1}}, {"a": [1, 3], "b": {"c": 2, "d": None}})
print(
    sorted(map(str, made)),
    made.apply({"a": [1, 2, 3], "b": {"c": 1}}),
    jsonpatch.JsonPatch.from_string('[{"op": "add", "path": "/q", "value": 1}]').to_string(),
)
for path in "/foo/1/a", "", "/x~1y", "/foo/9", "/nope":
    try:
        print(jsonpointer.resolve_pointer(doc, path))
    except jsonpointer.JsonPointerException as error:
        print(type(error).__name__, error)
p = jsonpointer.JsonPointer("/a/b~1c")
print(
    p.parts,
    p.path,
    jsonpointer.JsonPointer.from_parts(["x~", 1]).path,
    jsonpointer.set_pointer({"a": [1]}, "/a/0", 9, inplace=False),
    p.contains(jsonpointer.JsonPointer("/a")),
)
for ops in [{"op": "test", "path": "/foo/0", "value": "no"}], [{"op": "fly", "path": ""}], [{"path": "/a"}]:
    try:
        jsonpatch.apply_patch(doc, ops)
    except jsonpatch.JsonPatchException as error:
        print(type(error).__name__, error)
