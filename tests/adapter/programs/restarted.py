def one_less(n):
    return n - 1


def down(n):
    if n:
        return down(one_less(n))
    return sorted([3, 1, 2], key=by_key)


def by_key(key):
    sign = -1
    return sign * key


def more(n):
    return one_less(n) + 2


print(down(more(1)))
