from uncertainties import correlation_matrix, covariance_matrix, ufloat, ufloat_fromstr, umath

x, y = ufloat(2.0, 0.1), ufloat(3.0, 0.2, tag="y")
z = x * y + umath.sin(x)
print(x + y, x - x, z, z.derivatives[x], z.error_components(), (x**y).s, f"{z:.3uL}", f"{x:.2f}", f"{z:P}")
print(
    ufloat_fromstr("1.23(4)e-3"),
    ufloat_fromstr("3.5+/-0.2"),
    z.nominal_value,
    x.std_score(2.5),
    x == ufloat(2.0, 0.1),
    x > 1,
)
print(umath.log(y), umath.hypot(x, y), umath.exp(-x), abs(-x), 1 / y, x % 3, repr(z))
for text in "a", "1+/-", "":
    try:
        ufloat_fromstr(text)
    except ValueError as error:
        print(error)
