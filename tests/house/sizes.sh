#!/bin/sh
# Checks sizes (design rule 5): no line over 100 columns (120 in the library and in the checks of the house), no file over
# 1,200 lines but the generated tables, no function over 60 but the loop and a switch over a table. A function that holds
# others has the lines that are not theirs. The marks of the lessons' holes (//> and //<) are no lines of a file. What a
# student writes is not looked at.
cd "$(dirname "$0")/../.." || exit 2
{
    find objects compiler frames vm tests/unit -name '*.[ch]'
    find findings -name '*.sh'
    find vm/lib tests/house -name '*.mpy'
    find lessons -path lessons/work -prune -o -name '*.mpy' -print
} | xargs awk '
    function refuse(line, what) { print FILENAME ":" line ": " what; bad = 1 }
    function is_long_by_nature() {
        return FILENAME ~ /^vm\/eval(_[a-z]+)?\.[ch]$/ || FILENAME == "compiler/tree/fold.c" && name == "fold_expression"
    }
    # The functions of mini-Python that a line of this indentation ends.
    function end_functions(indent) {
        for (; depth > 0 && indent <= indents[depth]; depth--)
            if (counts[depth] > 60) refuse(begins[depth], "function of " counts[depth] " lines")
    }
    FNR == 1 {
        depth = lines = 0
        is_python = FILENAME ~ /\.mpy$/
        most = FILENAME ~ /^(vm\/lib|tests\/house)\// ? 120 : 100
    }
    length > most { refuse(FNR, "line of " length " columns") }
    !/^ *\/\/[<>] lesson [0-9]/ { lines++ }
    lines == 1201 && FILENAME !~ /unicode_tables/ { refuse(FNR, "over 1,200 lines"); lines++ }
    is_python && /[^ ]/ {
        match($0, /^ */)
        if (depth > 0 && RLENGTH <= indents[depth] && $1 !~ /^[])}]/) end_functions(RLENGTH)
        if ($1 == "def" || $1 == "async" && $2 == "def") { indents[++depth] = RLENGTH; begins[depth] = FNR; counts[depth] = 0 }
        if (depth > 0) counts[depth]++
    }
    is_python { next }
    /^[a-zA-Z].*\(/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
    /^\{/ { begin = FNR }
    /^}/ && begin { if (FNR - begin > 61 && !is_long_by_nature()) refuse(begin, "function of " FNR - begin - 1 " lines"); begin = 0 }
    END { exit bad }'
