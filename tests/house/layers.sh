#!/bin/sh
# Checks that includes go one way only: objects <- compiler, frames <- vm (design rule 1), and that compiler and frames do
# not know each other. In vm/ the rooms modules/, trace/ and debugger/ stand above the rest, in this order: what is below
# does not include them, but for the files of ASSEMBLY, where the machine and its library are put together. Comments name a
# file without its folder, so no two have the same name. In Dynamo an import inside a function says why it is not at the
# top. Prints each line that breaks a rule; exit status 1 where there is one.
cd "$(dirname "$0")/../.." || exit 2
ASSEMBLY='vm/vm\.c|vm/tools\.c|vm/import/embed\.c'
failed=0

# Includes of the pattern's folders in the files of a folder, but for those that a second pattern names.
refuse()
{
    find "$1" -name '*.[ch]' | grep -vE "^(${3:-none})" | xargs grep -nE "^#include \"($2)/" && failed=1
}

refuse objects 'compiler|frames|vm|tests|lessons|findings'
refuse compiler 'frames|vm|tests|lessons|findings'
refuse frames 'compiler|vm|tests|lessons|findings'
refuse vm 'tests|lessons|findings'
refuse vm 'vm/modules' "$ASSEMBLY|vm/modules/|vm/trace/|vm/debugger/"
refuse vm 'vm/trace' "$ASSEMBLY|vm/trace/|vm/debugger/"
refuse vm 'vm/debugger' "$ASSEMBLY|vm/debugger/"
find objects compiler frames vm -name '*.[ch]' | sed 's#.*/##' | sort | uniq -d | grep . && failed=1
grep -rnE '^ +(from [a-zA-Z_.]+ )?import ' vm/lib/torch/_dynamo | grep -v '#' && failed=1
[ $failed -eq 0 ] || echo "layers: an include goes the wrong way, a name is used twice, or an import has no reason"
exit $failed
