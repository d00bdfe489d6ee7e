#!/bin/sh
# Pony ORM asks SQL for other rows than a query's Python condition selects: `(p.a and p.b) == p.c`.
#
# Pony 0.7.20 turns the bytecode of a generator expression or lambda into SQL. An `and` that is an
# operand of `==`, and a conditional expression after `and`, become other conditions, without an
# error: the SQL of the generator below says (a = 0 OR b) = c. The lambda with the same condition
# selects yet other rows. Pony has an error for what it cannot decompile ("Expression is too complex
# to decompile"), but this is taken for something simpler.
#
# Seen with CPython 3.11.7, 3.12.1, 3.13.0 (and 3.9.18, with Pony 0.7.19). There is one row for each
# value of a, b and c; those are named that a condition selects:
#
# | (p.a and p.b) == p.c
# |   Python:    000 010 100 111
# |   generator: 001 011 100 111
# |   lambda:    100 111
# | p.c and (p.a if p.b else not p.a)
# |   Python:    001 111
# |   generator: 000 001 010 111
python=${PYTHON312:-python3.12}
packages='pony==0.7.20'

folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT HUP INT TERM

cat > "$folder/program.py" << 'END'
from pony.orm import Database, Required, db_session, select

db = Database("sqlite", ":memory:")

class P(db.Entity):
    a = Required(bool)
    b = Required(bool)
    c = Required(bool)

def rows(found):
    return " ".join(sorted(f"{p.a:d}{p.b:d}{p.c:d}" for p in found))

db.generate_mapping(create_tables=True)
with db_session:
    everything = [P(a=n & 4, b=n & 2, c=n & 1) for n in range(8)]
    print("(p.a and p.b) == p.c")
    print("  Python:   ", rows(p for p in everything if (p.a and p.b) == p.c))
    print("  generator:", rows(select(p for p in P if (p.a and p.b) == p.c)))
    print("  lambda:   ", rows(P.select(lambda p: (p.a and p.b) == p.c)))
    print("p.c and (p.a if p.b else not p.a)")
    print("  Python:   ", rows(p for p in everything if p.c and (p.a if p.b else not p.a)))
    print("  generator:", rows(select(p for p in P if p.c and (p.a if p.b else not p.a))))
END

# The same in every finding: a new environment, and whether the output is the one stated above.
"$python" -m venv "$folder/env" > "$folder/log" 2>&1 || {
    echo "$0: cannot run: $python makes no virtual environment"
    exit 2
}
"$folder/env/bin/pip" install -q $packages > "$folder/log" 2>&1 || {
    echo "$0: cannot run: pip cannot install $packages"
    exit 2
}
(cd "$folder" && env/bin/python program.py) | tee "$folder/seen"
sed -n 's/^# | //p' "$0" | cmp -s - "$folder/seen" || {
    echo "$0: has changed: its first lines state another output"
    exit 1
}
