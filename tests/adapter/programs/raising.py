class Account:
    def __init__(self, balance):
        self.balance = balance

    def __repr__(self):
        while True:
            pass


def divide(a, b):
    return a / b


def careful(b):
    try:
        return divide(1, b)
    except ZeroDivisionError:
        return None


account = Account(5)
for i in 1, 0, 2:
    account.balance += i
    careful(i)
[].pop()
