from sympy import (
    Matrix,
    Symbol,
    cos,
    diff,
    expand,
    factor,
    integrate,
    limit,
    oo,
    pi,
    pretty,
    series,
    simplify,
    sin,
    solve,
    sqrt,
    symbols,
    latex,
    Rational,
    factorint,
    summation,
    Eq,
    dsolve,
    Function,
    primerange,
)

x, y = symbols("x y")
print(expand((x + y) ** 4), factor(x**3 - 1), simplify(sin(x) ** 2 + cos(x) ** 2), diff(sin(x) * x**2, x))
print(
    integrate(x * sin(x), x), integrate(1 / (1 + x**2), (x, -oo, oo)), limit(sin(x) / x, x, 0), series(cos(x), x, 0, 6)
)
print(
    solve(x**2 - 2, x),
    solve([x + y - 3, x - y - 1], [x, y]),
    Matrix([[1, 2], [3, 4]]).eigenvals(),
    Matrix([[2, 1], [1, 2]]).inv(),
)
print(latex(sqrt(x) / (1 + y)), factorint(360360), summation(x, (x, 1, 10)), Rational(1, 3) + Rational(1, 6), sqrt(8))
f = Function("f")
print(dsolve(Eq(f(x).diff(x), f(x)), f(x)), list(primerange(20, 40)), pi.evalf(30))
print(pretty(integrate(sqrt(1 + x), x), use_unicode=False))
