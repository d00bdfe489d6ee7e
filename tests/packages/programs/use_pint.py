import pint

u = pint.UnitRegistry()
q = 3 * u.meter / u.second
print(
    q.to("km/h"),
    q.dimensionality,
    (5 * u.inch).to(u.cm),
    u("2 kg * m / s**2").to_base_units(),
    u.Quantity(20, u.degC).to("degF"),
)
print(
    f"{q:~P}",
    f"{(1e6 * u.byte).to_compact():.2f}",
    q.magnitude,
    q.units,
    (3 * u.m + 20 * u.cm),
    u.parse_expression("4.5 joule").to("cal"),
    (2 * u.m) ** 3,
)
for f in lambda: 3 * u.m + 2 * u.s, lambda: u("3 nosuch"), lambda: (1 * u.m).to("kg"):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, error)
u.define("smoot = 1.7018 * meter = sm")
print(
    (1 * u.smoot).to("m"),
    len(u.get_compatible_units("[time]")) > 5,
    (1 * u.m == 100 * u.cm),
    sorted([2 * u.km, 3 * u.m])[0],
)
