"""The time of an operation: the best of several runs of a loop that does nothing else, without the loop's own."""
import time

ROUNDS = 5
SECONDS = 0.0015  # of a round, about


def seconds_of(loop, times):
    start = time.perf_counter()
    loop(times)
    return time.perf_counter() - start


def loop_of(operation, names):
    """A function that does it so many times."""
    made = {}
    exec("def loop(times):\n for _ in range(times): %s\n" % operation, names, made)
    return made["loop"]


def nanoseconds(operation, names):
    loop, empty = loop_of(operation, names), loop_of("pass", names)
    once = min(seconds_of(loop, 3) / 3 for _ in range(3))
    times = max(1, int(SECONDS / max(once, 1e-8)))
    whole, around = [min(seconds_of(either, times) for _ in range(ROUNDS)) for either in (loop, empty)]
    return 1e9 * (whole - around) / times
