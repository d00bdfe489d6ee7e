from bytecode import Bytecode, ConcreteBytecode, ControlFlowGraph, Instr, Label, dump_bytecode

end = Label()
code = Bytecode(
    [
        Instr("LOAD_NAME", "x"),
        Instr("POP_JUMP_IF_FALSE", end),
        Instr("LOAD_CONST", "yes"),
        Instr("RETURN_VALUE"),
        end,
        Instr("LOAD_CONST", "no"),
        Instr("RETURN_VALUE"),
    ]
)
print([str(i) for i in code.to_concrete_bytecode()], code.compute_stacksize())


def f(a, b=2):
    for i in range(a):
        if i > b:
            return i
    return -1


b = Bytecode.from_code(f.__code__)
dump_bytecode(b)
cfg = ControlFlowGraph.from_bytecode(b)
print(len(cfg), [len(block) for block in cfg])
for instr in b:
    if isinstance(instr, Instr) and instr.name == "LOAD_CONST" and instr.arg == -1:
        instr.arg = 99
f.__code__ = b.to_code()
print(f(2), f(9), ConcreteBytecode.from_code(f.__code__).argcount)
