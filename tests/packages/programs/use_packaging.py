from packaging.markers import InvalidMarker, Marker
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version, parse

vs = sorted(map(Version, ["1.0", "1.0.dev1", "1.0a2", "1.0rc1", "1.0.post3", "0.9", "1!0.1", "1.0+local.1"]))
print(vs, vs[-1].epoch, parse("2.3.4b5").pre, Version("1.2").is_prerelease)
s = SpecifierSet(">=1.2,!=1.5.*,<2")
print(
    s,
    [v for v in ("1.1", "1.2", "1.5.3", "1.9", "2.0") if v in s],
    list(SpecifierSet("~=2.2").filter(["2.1", "2.5", "3.0"])),
)
r = Requirement('requests[security,socks] >= 2.8.1, == 2.8.* ; python_version < "2.7" and extra == "x"')
print(
    r.name, sorted(r.extras), r.specifier, r.marker, r.marker.evaluate({"python_version": "2.6", "extra": "x"}), str(r)
)
print(
    canonicalize_name("A.b__C"),
    parse_wheel_filename("pip-18.0-py3-none-any.whl")[:2],
    Marker("os_name == 'nt'").evaluate({"os_name": "nt"}),
)
for f, text in (Version, "a.b"), (Requirement, "x >="), (Marker, "y == 1"):
    try:
        f(text)
    except ValueError as error:
        print(type(error).__name__, error)
