import jsonschema
from jsonschema import Draft4Validator, Draft7Validator, FormatChecker, RefResolver

schema = {
    "type": "object",
    "properties": {
        "n": {"type": "integer", "minimum": 3, "multipleOf": 2},
        "s": {"type": "string", "pattern": "^a", "maxLength": 3},
        "l": {"type": "array", "items": {"$ref": "#/definitions/item"}, "uniqueItems": True},
    },
    "required": ["n"],
    "additionalProperties": False,
    "definitions": {"item": {"enum": [1, "x", None]}},
}
v = Draft7Validator(schema)
for data in {"n": 4}, {"n": 1}, {"s": "bcde", "n": 4}, {"n": 4, "l": [1, 2, 1]}, {"n": "4", "zz": 1}, []:
    print([(list(e.path), e.validator, e.message) for e in sorted(v.iter_errors(data), key=str)])
try:
    jsonschema.validate({"n": 5}, schema)
except jsonschema.ValidationError as error:
    print(error)
try:
    Draft4Validator.check_schema({"type": "nothing"})
except jsonschema.SchemaError as error:
    print(error.message)
print(
    Draft7Validator({"format": "ipv4"}, format_checker=FormatChecker()).is_valid("1.2.3"),
    Draft7Validator({"oneOf": [{"type": "integer"}, {"minimum": 2}]}).is_valid(3),
    Draft7Validator({"if": {"const": 1}, "then": False}).is_valid(1),
)
print(
    jsonschema.exceptions.best_match(v.iter_errors({"n": "x", "s": 3})).message,
    RefResolver.from_schema(schema).resolve("#/definitions/item")[1],
)
