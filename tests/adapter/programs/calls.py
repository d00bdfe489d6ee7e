class Counter:
    def __init__(self, start):
        self.value = start

    def add(self, number):
        self.value += number
        return self.value


def twice(number):
    return 2 * number


def nested(number):
    return number if number == 0 else twice(nested(number - 1)) + 1


counter = Counter(1)
print(counter.add(twice(3)), len("abc"), twice(number=counter.value), max(*[twice(1), 5]))
print([twice, nested][1](2), twice(1 if counter else 2))
print(nested(3))
