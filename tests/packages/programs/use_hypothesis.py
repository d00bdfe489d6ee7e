from hypothesis import HealthCheck, Phase, find, given, settings, strategies as st, assume, example, reject
from hypothesis.errors import InvalidArgument
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test, invariant

quiet = settings(
    database=None, derandomize=True, max_examples=60, deadline=None, suppress_health_check=list(HealthCheck)
)


@quiet
@given(st.lists(st.integers()), st.text())
@example([1], "x")
def reversing(xs, text):
    assert list(reversed(list(reversed(xs)))) == xs and text[::-1][::-1] == text


reversing()


@quiet
@given(st.lists(st.integers(-1000, 1000)))
def wrong(xs):
    assert sum(xs) < 100


try:
    wrong()
except AssertionError as error:
    print("falsified")
print(
    find(st.integers(0, 10**6), lambda n: n > 777, settings=quiet),
    find(st.lists(st.booleans()), lambda l: sum(l) >= 2, settings=quiet),
    find(st.text("ab"), lambda s: len(s) > 2, settings=quiet),
    find(st.dictionaries(st.integers(0, 9), st.none()), lambda d: len(d) > 1, settings=quiet),
)


class Stack(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.items = []

    @rule(n=st.integers())
    def push(self, n):
        self.items.append(n)

    @rule()
    def pop(self):
        if self.items:
            self.items.pop()

    @invariant()
    def short(self):
        assert len(self.items) < 10000


run_state_machine_as_test(Stack, settings=quiet)
print(
    st.integers(1, 5),
    st.one_of(st.none(), st.text()).map(len),
    st.builds(complex, st.floats(0, 1)),
    st.from_regex(r"\A[ab]+\Z").filter(bool),
)
try:
    st.integers(5, 1).example.__self__.validate()
except InvalidArgument as error:
    print(error)
