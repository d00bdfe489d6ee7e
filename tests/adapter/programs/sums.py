import sys


def add(a, b):
    total = a + b
    return total


def sums(n):
    def shifted(k):
        return k + n
    found = []
    for i in range(3):
        found.append(add(i, shifted(i)))
    return found


print("begin", sys.argv[1:])
table = {"one": 1, "list": [1, 2]}
print(sums(10))
print("end", file=sys.stderr)
sys.exit(3)
