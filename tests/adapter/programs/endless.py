i = 0
while i < 10 ** 12:
    i += 1
