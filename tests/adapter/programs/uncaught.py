def use_up(count):
    left = count
    while left:
        left -= 1
    raise ValueError(count)


def work():
    for count in 1, 2:
        try:
            use_up(count)
        except ValueError:
            if count > 1:
                raise
        finally:
            total = sum(range(1000))


work()
