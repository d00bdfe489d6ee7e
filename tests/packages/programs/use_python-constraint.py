from constraint import (
    AllDifferentConstraint,
    BacktrackingSolver,
    ExactSumConstraint,
    InSetConstraint,
    MaxSumConstraint,
    MinConflictsSolver,
    Problem,
    RecursiveBacktrackingSolver,
)

p = Problem()
p.addVariables(["a", "b"], [1, 2, 3])
p.addConstraint(lambda a, b: b == a + 1, ["a", "b"])
print(sorted(sorted(s.items()) for s in p.getSolutions()))
queens = Problem(BacktrackingSolver())
columns = range(6)
queens.addVariables(columns, range(6))
for a in columns:
    for b in columns:
        if a < b:
            queens.addConstraint(lambda x, y, a=a, b=b: abs(x - y) != b - a and x != y, (a, b))
print(len(queens.getSolutions()), sorted(map(sorted, (s.items() for s in queens.getSolutions())))[0])
magic = Problem(RecursiveBacktrackingSolver())
magic.addVariables(range(9), range(1, 10))
magic.addConstraint(AllDifferentConstraint(), range(9))
for line in (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6):
    magic.addConstraint(ExactSumConstraint(15), line)
s = magic.getSolution()
print(s[4], sum(s[i] for i in (0, 4, 8)))
q = Problem()
q.addVariables("xy", range(5))
q.addConstraint(MaxSumConstraint(3))
q.addConstraint(InSetConstraint([0, 2]), ["x"])
print(len(q.getSolutions()), q.getSolutionIter() is not None)
try:
    q.addVariable("x", [1])
except ValueError as error:
    print(error)
