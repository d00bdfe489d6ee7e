from traitlets import (
    Any,
    Bool,
    Dict,
    Enum,
    Float,
    HasTraits,
    Instance,
    Int,
    List,
    TraitError,
    Unicode,
    Union,
    default,
    link,
    observe,
    validate,
    CaselessStrEnum,
    Tuple,
)
from traitlets.config import Config, Configurable


class Person(HasTraits):
    name = Unicode("ann", help="The name.")
    age = Int(min=0)
    tags = List(Unicode())
    kind = Enum(["a", "b"], default_value="a")
    either = Union([Int(), Unicode()])
    pair = Tuple(Int(), Float(), default_value=(0, 0.5))

    @default("age")
    def _age(self):
        return 30

    @validate("name")
    def _name(self, proposal):
        if not proposal["value"]:
            raise TraitError("no name")
        return proposal["value"].title()

    @observe("name", "age")
    def _changed(self, change):
        print(change["name"], change["old"], change["new"])


p = Person()
p.name = "bob smith"
p.age += 1
for name, value in ("age", -1), ("age", "x"), ("name", ""), ("kind", "c"), ("tags", [1]), ("pair", (1, "x")):
    try:
        setattr(p, name, value)
    except TraitError as error:
        print(error)
print(sorted(p.trait_names()), p.trait_values()["tags"], Person.class_traits()["name"].help)
q = Person(name="carl", either="s")
l = link((p, "age"), (q, "age"))
p.age = 50
print(q.age, q.has_trait("kind"))


class App(Configurable):
    level = Int(1).tag(config=True)
    opts = Dict().tag(config=True)


c = Config({"App": {"level": 7}})
c.App.opts = {"k": 1}
print(App(config=c).level, App(config=c).opts, App.class_get_help().splitlines()[0], c)
with p.hold_trait_notifications():
    p.age = 1
    p.age = 2
