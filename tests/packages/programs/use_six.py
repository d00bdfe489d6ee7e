import six
from six.moves import range as r, reduce, urllib, StringIO
from six.moves.urllib.parse import urlparse

print(
    six.PY3,
    list(r(3)),
    reduce(lambda a, b: a + b, [1, 2]),
    six.text_type,
    six.string_types,
    urlparse("http://a/b?c").path,
)


class Meta(type):
    pass


class K(six.with_metaclass(Meta, object)):
    pass


@six.add_metaclass(Meta)
class L(object):
    __slots__ = ("a",)


print(
    type(K),
    type(L),
    six.ensure_binary("é"),
    six.ensure_str(b"x"),
    six.b("\xff"),
    six.int2byte(65),
    sorted(six.iterkeys({1: 2})),
)
try:
    six.reraise(ValueError, ValueError("again"))
except ValueError as error:
    print(error)
print(six.get_unbound_function(K.__init__), six.moves.builtins.len([1]), StringIO("q").read())
