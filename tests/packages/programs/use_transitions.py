from transitions import Machine, MachineError, State
from transitions.extensions import HierarchicalMachine


class Matter:
    def melt_check(self, event):
        return event.kwargs.get("heat", 0) > 3

    def note(self, event):
        print("note", event.transition.source, event.transition.dest, event.kwargs)

    def on_enter_gas(self, event):
        print("now gas")


m = Matter()
machine = Machine(
    m,
    states=["solid", State("liquid", on_exit=["note"]), "gas"],
    initial="solid",
    send_event=True,
    transitions=[
        {"trigger": "melt", "source": "solid", "dest": "liquid", "conditions": "melt_check"},
        ["boil", "liquid", "gas"],
        ["freeze", "*", "solid"],
    ],
    after_state_change="note",
)
print(m.melt(heat=1), m.state, m.melt(heat=5), m.state, m.boil(), m.is_gas(), machine.get_triggers("gas"))
try:
    m.boil()
except MachineError as error:
    print(error)
print(m.may_freeze(), m.freeze(), m.state, [t.dest for t in machine.get_transitions("freeze")])
h = HierarchicalMachine(
    states=["off", {"name": "on", "initial": "slow", "children": ["slow", "fast"]}],
    initial="off",
    transitions=[["start", "off", "on"], ["faster", "on_slow", "on_fast"], ["stop", "on", "off"]],
)
print(h.start(), h.state, h.faster(), h.state, h.is_on(allow_substates=True), h.stop(), h.state)
