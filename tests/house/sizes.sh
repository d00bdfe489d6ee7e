#!/bin/sh
# Checks sizes (design rule 5): no line over 100 columns, and no file over 1,200 lines but the generated tables. The marks of
# the lessons' holes (//> and //<) are no lines of a file. What a student writes is not looked at.
cd "$(dirname "$0")/../.." || exit 2
{
    find objects compiler frames vm tests/unit -name '*.[ch]'
    find findings -name '*.sh'
    find lessons -path lessons/work -prune -o -name '*.mpy' -print
} | xargs awk '
    length > 100 { print FILENAME ":" FNR ": line of " length " columns"; bad = 1 }
    FNR == 1 { lines = 0 }
    !/^ *\/\/[<>] lesson [0-9]/ { lines++ }
    lines == 1201 && FILENAME !~ /unicode_tables/ { print FILENAME ": over 1,200 lines"; bad = 1; lines++ }
    END { exit bad }'
