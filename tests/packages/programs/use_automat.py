from automat import MethodicalMachine
from automat import NoTransition


class Coffee:
    machine = MethodicalMachine()

    @machine.state(initial=True)
    def empty(self):
        "No beans."

    @machine.state(terminal=True)
    def full(self):
        "Beans."

    @machine.input()
    def put(self, beans):
        "Beans are put in."

    @machine.input()
    def brew(self):
        "The button."

    @machine.output()
    def _save(self, beans):
        self.beans = beans
        return "saved"

    @machine.output()
    def _make(self):
        return "coffee of " + self.beans

    @machine.serializer()
    def save(self, state):
        return state

    empty.upon(put, enter=full, outputs=[_save], collector=list)
    full.upon(brew, enter=empty, outputs=[_make], collector=lambda results: next(iter(results)))


c = Coffee()
print(c.put("arabica"), c.save(), c.brew(), c.save())
try:
    c.brew()
except NoTransition as error:
    print(error.state.method.__name__, error.symbol.method.__name__)
print(
    len(list(Coffee.machine._automaton.allTransitions())),
    sorted(s.method.__name__ for s in Coffee.machine._automaton.states()),
)
