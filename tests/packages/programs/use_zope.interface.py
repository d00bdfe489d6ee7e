from zope.interface import (
    Attribute,
    Interface,
    alsoProvides,
    classImplements,
    directlyProvides,
    implementedBy,
    implementer,
    invariant,
    Invalid,
    providedBy,
    taggedValue,
)
from zope.interface.adapter import AdapterRegistry
from zope.interface.exceptions import BrokenImplementation, DoesNotImplement
from zope.interface.registry import Components
from zope.interface.verify import verifyClass, verifyObject


class IShape(Interface):
    """A shape."""

    sides = Attribute("how many")
    taggedValue("t", 1)

    def area(scale, extra=2):
        "its area"

    @invariant
    def some(shape):
        if shape.sides < 0:
            raise Invalid("negative")


class ISquare(IShape):
    pass


@implementer(ISquare)
class Square:
    sides = 4

    def area(self, scale, extra=2):
        return scale


@implementer(IShape)
class Bad:
    def area(self):
        pass


s = Square()
print(
    IShape.providedBy(s),
    ISquare.implementedBy(Square),
    list(providedBy(s)),
    sorted(IShape.names()),
    IShape["area"].getSignatureString(),
    IShape.getTaggedValue("t"),
    ISquare.extends(IShape),
    verifyObject(ISquare, s),
    list(implementedBy(Square).__iro__)[:2],
)
for f in lambda: verifyClass(IShape, Bad), lambda: verifyObject(IShape, 3):
    try:
        f()
    except Exception as error:
        print(type(error).__name__, str(error).replace("\n", " ")[:160])
s.sides = -1
try:
    IShape.validateInvariants(s)
except Invalid as error:
    print(error)
r = AdapterRegistry()
r.register([IShape], Interface, "", "for shapes")
r.register([ISquare], Interface, "named", "square")
print(
    r.lookup([providedBy(s)], Interface),
    r.lookup1(ISquare, Interface, "named"),
    r.lookup([Interface], Interface, default="no"),
)
c = Components("c")
c.registerUtility(s, ISquare, "u")
c.registerAdapter(lambda x: ("adapted", x.sides), [IShape], Interface)
print(
    c.getUtility(IShape, "u") is s,
    c.queryAdapter(s, Interface) is not None,
    len(list(c.registeredAdapters())),
    ISquare(5, "default"),
)
alsoProvides(c, IShape)
print(IShape.providedBy(c), ISquare.__name__, repr(IShape))
