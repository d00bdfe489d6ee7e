from cerberus import Validator

schema = {
    "name": {"type": "string", "required": True, "minlength": 2},
    "age": {"type": "integer", "min": 0, "coerce": int, "default": 7},
    "tags": {"type": "list", "schema": {"type": "string", "allowed": ["a", "b"]}},
    "sub": {"type": "dict", "schema": {"x": {"anyof": [{"type": "integer"}, {"type": "float", "max": 1.0}]}}},
    "dep": {"dependencies": "name"},
    "old": {"rename": "new"},
    "new": {},
}
v = Validator(schema)
for data in (
    {"name": "Bo", "age": "3"},
    {"age": -1},
    {"name": "x", "tags": ["c", 1]},
    {"name": "Al", "sub": {"x": 2.5}},
    {"name": "Al", "zz": 1},
    {"dep": 1, "name": "Cy"},
):
    print(v.validate(data), v.errors, v.document)
print(
    v.normalized({"name": "Di", "old": 5}), Validator({"a": {"type": "string", "regex": "^x+$"}}).validate({"a": "xxy"})
)


class Odd(Validator):
    def _validate_isodd(self, isodd, field, value):
        """The rule's arguments are validated against this schema: {'type': 'boolean'}"""
        if isodd and not value & 1:
            self._error(field, "Must be an odd number")


o = Odd({"n": {"isodd": True, "type": "integer"}})
print(o.validate({"n": 10}), o.errors, o.validate({"n": 9}))
try:
    Validator({"a": {"no_such_rule": 1}})
except Exception as error:
    print(type(error).__name__, error)
