from mpmath import (
    mp,
    mpf,
    mpc,
    sin,
    pi,
    exp,
    quad,
    findroot,
    matrix,
    zeta,
    gamma,
    lu_solve,
    nsum,
    inf,
    diff,
    taylor,
    polyroots,
    nstr,
    e,
    besselj,
    hyp2f1,
    identify,
)

mp.dps = 40
print(pi, e, sin(1), exp(mpf("0.1")), mpc(1, 2) ** 3)
print(quad(lambda x: exp(-x * x), [-inf, inf]), findroot(lambda x: x**3 - 2, 1), nsum(lambda n: 1 / n**2, [1, inf]))
mp.dps = 20
A = matrix([[2, 1], [1, 3]])
print(lu_solve(A, matrix([1, 2])), zeta(3), gamma("0.5"), diff(sin, 0), [nstr(c, 6) for c in taylor(exp, 0, 4)])
print(
    [nstr(r, 12) for r in polyroots([1, 0, -2])],
    besselj(0, 1),
    hyp2f1(1, 2, 3, 0.5),
    mpf(2) ** 1000,
    identify(mpf("0.5")),
)
