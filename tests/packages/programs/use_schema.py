from schema import And, Forbidden, Optional, Or, Regex, Schema, SchemaError, Use, Const

s = Schema(
    [
        {
            "name": And(str, len),
            "age": And(Use(int), lambda n: 18 <= n <= 99),
            Optional("sex", default="?"): And(str, Use(str.lower), lambda s: s in ("m", "f", "?")),
        }
    ]
)
print(s.validate([{"name": "Sue", "age": "28", "sex": "F"}, {"name": "Sam", "age": 42}]))
for data in (
    [{"name": "", "age": 20}],
    [{"name": "x", "age": 3}],
    [{"age": 20}],
    [{"name": "x", "age": 20, "extra": 1}],
    "x",
):
    try:
        s.validate(data)
    except SchemaError as error:
        print(error.code)
print(
    Schema(Or(int, None)).is_valid("x"),
    Schema(Regex(r"^a+$")).validate("aaa"),
    Schema({str: int}, ignore_extra_keys=True).validate({"a": 1, 2: 3}),
)
print(Schema({"a": int, Optional("b"): [str]}, name="N").json_schema("id"))
