import datetime
from marshmallow import EXCLUDE, Schema, ValidationError, fields, post_load, pre_load, validate, validates_schema


class Author(Schema):
    name = fields.Str(required=True, validate=validate.Length(min=2))
    email = fields.Email()


class Book(Schema):
    title = fields.Str(data_key="Title")
    price = fields.Decimal(places=2, as_string=True)
    day = fields.Date()
    authors = fields.List(fields.Nested(Author))
    kind = fields.Str(validate=validate.OneOf(["a", "b"]), load_default="a")
    extra = fields.Dict(keys=fields.Str(), values=fields.Int())
    long = fields.Function(lambda book: len(book["title"]))

    @validates_schema
    def check(self, data, **kwargs):
        if data.get("title") == data.get("kind"):
            raise ValidationError("the same", "kind")

    @post_load
    def make(self, data, **kwargs):
        return sorted(data.items())


print(
    Book().dump(
        {
            "title": "T",
            "price": "3.456",
            "day": datetime.date(2024, 1, 2),
            "authors": [{"name": "Ann", "email": "a@b.c"}],
        }
    )
)
print(Book(unknown=EXCLUDE).load({"Title": "X", "day": "2024-02-03", "price": "1.5", "extra": {"k": "3"}, "zz": 1}))
for data in {"Title": 3}, {"day": "no", "authors": [{"name": "A"}, {}]}, {"Title": "a"}, {"what": 1}:
    try:
        Book().load(data)
    except ValidationError as error:
        print(error.messages)
print(
    Book(only=("title", "long")).dumps({"title": "abc"}), Book(many=True).dump([{"title": "q"}]), sorted(Book().fields)
)
