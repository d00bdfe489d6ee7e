def found(queens, row):
    return [column for column in range(4)
            if all(column != other and abs(column - other) != row - i for i, other in enumerate(queens))]


def solve(queens):
    row = len(queens)
    if row == 4:
        return queens
    for column in found(queens, row):
        answer = solve(queens + [column])
        if answer:
            return answer
    return None


def numbers(most):
    a, b = 0, 1
    while a < most:
        yield a
        a, b = b, a + b


answer = solve([])
squares = []
for number in numbers(20):
    squares.append(number * number)
text = "".join(str(number) for number in answer)
print(text, squares)
