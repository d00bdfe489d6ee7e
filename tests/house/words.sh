#!/bin/sh
# Refuses words that were this project's own where the field has one: "what: say ..." for each line that has one again.
# (A list "lies" nowhere and an index is no "place", so that a reader who searches for the field's word finds it.)
cd "$(dirname "$0")/../.." || exit 2
# The tests' own programs may say what they like, and so may the names of code points.
find objects compiler frames vm lessons MAP.md README.md CONTRIBUTING.md tests/README.md \
    -path lessons/work -prune -o -name '*unicode_tables*' -o -type f -name '*.[ch]' -print -o -name '*.def' -print \
    -o -name '*.mpy' -print -o -name '*.md' -print |
    xargs awk '
    function refuse(word, instead) { print FILENAME ":" FNR ": \"" word "\": say " instead; bad = 1 }
    { line = tolower($0) }
    line !~ /lie|behind|place/ { next }
    line ~ /(^|[^a-z_])lies? (in|at|on|inside|below|above|beside|next|outside|under|before|after|there|beyond|together|where)[^a-z]/ {
        refuse("lie", "is, are, is stored") }
    line ~ /(^|[^a-z_-])behind (the|a|an|it|this|that|all|each) / && line !~ /left behind|wall|behind the *$|back/ {
        refuse("behind", "after") }
    line ~ /(^|[^a-z_])in the places? of / { refuse("in the place of", "instead of") }
    line ~ /share a place|places down|free place|place in (memory|the (list|stack|storage|row))|places of objects/ {
        refuse("place", "index, slot, offset, address, location") }
    END { exit bad }'
