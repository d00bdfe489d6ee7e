import jmespath
from jmespath import exceptions, functions

data = {
    "people": [
        {"n": "b", "age": 30, "tags": ["x", "y"]},
        {"n": "a", "age": 20, "tags": []},
        {"n": "c", "age": 50, "tags": ["z"]},
    ],
    "deep": {"a": {"b": [0, [1, 2], 3]}},
}
for text in (
    "people[?age > `25`].n",
    "people[*].tags[]",
    "sort_by(people, &age)[0].n",
    "people[-1:].{name: n, first: tags[0]}",
    "length(people)",
    "max_by(people, &age).n",
    "deep.a.b[] | [1]",
    "people[].[n, age]",
    "join(', ', people[].n)",
    "keys(deep)",
    "people[?contains(tags, 'x')] | [0].age",
    "@.deep.*.b[::2]",
    "to_string(deep)",
    "not_null(nope, `7`)",
):
    print(text, jmespath.search(text, data))
for bad in "a[", "foo(", "length(`3`)", "people[?", "nofunc(@)":
    try:
        jmespath.search(bad, data)
    except (exceptions.JMESPathError, exceptions.LexerError) as error:
        print(type(error).__name__, str(error).splitlines()[0])


class Mine(functions.Functions):
    @functions.signature({"types": ["string"]})
    def _func_twice(self, text):
        return text * 2


print(
    jmespath.search("twice('ab')", {}, jmespath.Options(custom_functions=Mine())), jmespath.compile("a.b | c[0]").parsed
)
