#!/bin/sh
# Checks that a new opcode needs a row of compiler/opcodes.def, an emit() in the code generator and a handler in the loop,
# and nothing else. Adds two of later CPythons to a scratch copy in these files: COPY n (3.11) instead of the DUP_TOP of
# x = y = 1, and RETURN_CONST (3.12) at the end of a function. Then checks the answers of all readers of the table, and
# that Dynamo and the decompiler know them once they have handlers. The argument is the folder of a build: objects that
# do not depend on the table are not compiled again.
cd "$(dirname "$0")/../.." || exit 2
build=${1:-build/release}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
failed=0
mkdir -p "$scratch/$build" && cp -a Makefile compiler frames objects vm tests lessons "$scratch" || exit 2
if [ -d "$build" ]; then cp -a "$build/." "$scratch/$build"; fi
cd "$scratch" || exit 2

# edit FILES PATTERN REPLACEMENT: of the only line of a file in which the pattern is
edit()
{
    [ "$(cat $1 | grep -c -- "$2")" = 1 ] || { echo "new_opcode: no line, or several: $2"; exit 2; }
    lines=$(printf '%s' "$3" | sed 's/$/\\/; $s/\\$//') # a line goes on in the next one
    sed -i "s#$2#$lines#" "$(grep -l -- "$2" $1)"
}

edit compiler/opcodes.def '^OPCODE(JUMP_IF_NOT_EXC_MATCH' \
    'OPCODE(RETURN_CONST, 119, OPERAND_CONST, STACK(0, 0), ENDS_FLOW | LEAVES_FRAME, "->",
       "Ends the frame; co_consts[n] is what the call gives.")
OPCODE(COPY, 120, OPERAND_DEPTH, LOOKS(n, 0, 1), COMPUTES, "a ... -> a ... a",
       "Pushes the value n slots down once more.")
&'
generator=$(find compiler -name '*.c')
edit "$generator" 'if (i + 1 < targets->count) emit(g, DUP_TOP);' 'if (i + 1 < targets->count) emit_operand(g, COPY, 1);'
edit "$generator" 'if (returns_none) emit_constant(g, NONE);' \
    'if (returns_none) emit_operand(g, RETURN_CONST, add_constant(g, NONE));
    else'
edit vm/eval.c '^        TARGET(LOAD_CONST)' \
    '        TARGET(COPY)
        {
            Value value = retained(sp[-(ssize_t)ip->arg]);
            PUSH(value);
            NEXT(1);
        }
&'
edit vm/eval_frames.h '^TARGET(RETURN_VALUE)' \
    'TARGET(RETURN_CONST)
{
    result = retain(ip->value);
    goto leave;
}
&'
make -s BUILD="$build" "$build/minivm" > make.log 2>&1 || { tail make.log; exit 1; }

# check NAME: what stands on standard input, against the file of that name
check()
{
    cat > "$1.got"
    diff "$1" "$1.got" || { echo "new_opcode: $1"; failed=1; }
}

cat > program.mpy << 'END'
import dis


def f(a):
    x = y = [a]
    y.append(a)
    for a in x:
        z = w = a
        if z != w:
            return 1


def run(numbers, stacksize=9):
    """A function's code of these bytes: what it gives, or what the verifier says."""
    code = f.__code__.replace(co_code=bytes(numbers), co_stacksize=stacksize, co_consts=("first", "second"))
    try:
        return eval(code.replace(co_argcount=0, co_flags=0, co_nlocals=0, co_varnames=()))
    except SystemError as error:
        return str(error).partition(": ")[2]


print(f(1), f.__code__.co_stacksize)
print([instruction.opname for instruction in dis.get_instructions(f) if instruction.opname in ("COPY", "RETURN_CONST")])
COPY, RETURN_CONST, LOAD_CONST, RETURN_VALUE, LOAD_METHOD, SETUP_FINALLY, RERAISE = (
    dis.opmap[name] for name in "COPY RETURN_CONST LOAD_CONST RETURN_VALUE LOAD_METHOD SETUP_FINALLY RERAISE".split())
print([dis.stack_effect(COPY, 5, jump=jump) for jump in (None, False, True)], dis.stack_effect(RETURN_CONST, 1))
print(RETURN_CONST in dis.hasconst, COPY in dis.hasconst)
print(run([LOAD_CONST, 0, LOAD_CONST, 1, COPY, 2, RETURN_VALUE, 0]), run([RETURN_CONST, 1]))
print(run([LOAD_CONST, 0, COPY, 2, RETURN_VALUE, 0]))
print(run([LOAD_CONST, 0, COPY, 0, RETURN_VALUE, 0]))
print(run([LOAD_CONST, 0, COPY, 1, RETURN_VALUE, 0], 1))
print(run([LOAD_CONST, 0, LOAD_METHOD, 0, COPY, 2, RETURN_VALUE, 0]))
print(run([RETURN_CONST, 2]))
print(run([SETUP_FINALLY, 2, RETURN_CONST, 1, RERAISE, 0]))
print(run([LOAD_CONST, 0, COPY, 1]))
END
cat > answers << 'END'
None 3
['COPY', 'COPY', 'RETURN_CONST']
[1, 1, 1] 0
True False
first second
offset 2, COPY 2: needs 2 values, but the stack holds 1
offset 2, COPY 0: the operand must be at least 1
offset 2, COPY 1: makes the stack 2 deep, but co_stacksize is 1
offset 4, COPY 2: uses what the LOAD_METHOD at offset 2 left for its CALL_METHOD
offset 0, RETURN_CONST 2: there is no item 2 in co_consts, which has 2
offset 2, RETURN_CONST 1: returns from the block of offset 0
offset 2, COPY 1: runs off the end of the code
END
"$build/minivm" program.mpy 2>&1 | check answers

echo 'x = y = 7' > short.mpy
cat > listing << 'END'
  1           0 LOAD_CONST               0 (7)
              2 COPY                     1
              4 STORE_NAME               0 (x)
              6 STORE_NAME               1 (y)
              8 RETURN_CONST             1 (None)
END
"$build/minivm" --dis short.mpy 2>&1 | check listing
cat > traced << 'END'
           2 COPY                     1                 1 [7] -> 2 [7, 7]
           8 RETURN_CONST             1 (None)          0 [] -> 0 []
END
"$build/minivm" --trace short.mpy 2>&1 | grep 'COPY\|RETURN_CONST' | check traced
cat > described << 'END'
119 RETURN_CONST             ->
    Ends the frame; co_consts[n] is what the call gives.
    n is an index in co_consts.
END
"$build/minivm" -m opcode return_const 2>&1 | check described

# What does not know the opcode says its name: Dynamo breaks there (vm/lib/torch/_dynamo/opcodes.mpy has the handlers),
# the decompiler (vm/lib/depyf/expressions.mpy and statements.mpy) refuses the function.
cat > tools.mpy << 'END'
import depyf
import torch


def f(x):
    y = z = x + 1
    return y * z


print(torch.compile(f, backend="eager")(torch.ones(2)))
torch._dynamo.reset()
try:
    torch.compile(f, backend="eager", fullgraph=True)(torch.ones(2))
except torch._dynamo.exc.Unsupported as error:
    print(str(error).partition("\n")[0])
try:
    depyf.decompile(f)
except depyf.DecompilationError as error:
    print(error)
END
cat > named << 'END'
tensor([4., 4.])
missing: COPY
Failed to decompile f: at 6 COPY: no statement ends here
END
"$build/minivm" tools.mpy 2>&1 | check named

# Their handlers: then one graph is compiled, and the function comes back.
edit vm/lib/torch/_dynamo/opcodes.mpy '^@opcode("DUP_TOP_TWO")' '@opcode("COPY")
def copy(tx, inst):
    tx.push(tx.stack[-inst.arg])


@opcode("RETURN_CONST")
def return_const(tx, inst):
    tx.push(tx.sourceless(inst.argval))
    tx.return_value(inst)


&'
edit vm/lib/depyf/statements.mpy 'while self.items\[j\].name == "DUP_TOP":' 'while self.items[j].name in ("DUP_TOP", "COPY"):'
edit vm/lib/depyf/statements.mpy '"DUP_TOP": Statements.store' '&, "COPY": Statements.store'
make -s BUILD="$build" "$build/minivm" > make.log 2>&1 || { tail make.log; exit 1; }
sed 's/return y \* z/if x is y: return\n    &/; s/print(error)/raise/' tools.mpy > handled.mpy
echo 'print(depyf.decompile(f))' >> handled.mpy
cat > handled << 'END'
tensor([4., 4.])
def f(x):
    y = z = x + 1
    if x is y:
        return
    return y * z

END
"$build/minivm" handled.mpy 2>&1 | check handled

# The debugger: its help, the stack, a step back, and a jump, which follows every path through the code.
cat > dialogue.mpy << 'END'
def f():
    x = y = 1
    for i in (1, 2):
        x = y = i
    print("the end", x)
f()
END
cat > dialogue << 'END'
COPY   a ... -> a ... a
    Pushes the value n slots down once more.
next: 2 COPY 1
      takes 0, leaves 1   a ... -> a ... a
next: 4 STORE_FAST 0 (x)
      takes 1, leaves 0   value ->
next: 2 COPY 1
      takes 0, leaves 1   a ... -> a ... a
the end 1
END
printf '%s\n' 'b 2' c '?COPY' si stack si stack rsi stack n n n 'j 5' n q |
    "$build/minivm" --debug dialogue.mpy 2>&1 | sed 's/^(Pdb) //' |
    grep '^COPY\|slots down\|^next\|takes\|^the end\|\*\*\*' | check dialogue
exit $failed
