#!/bin/sh
# Checks the subjects of the commits that main does not have yet: at most 72 columns, no "wip". What is in main stays as
# it is. Where there is no git, or no main, there is nothing to check.
cd "$(dirname "$0")/../.." || exit 2
commits=$(git log --no-merges --format='%h %s' main..HEAD 2> /dev/null) || exit 0
[ -z "$commits" ] || echo "$commits" | awk '
    { subject = substr($0, index($0, " ") + 1) }
    length(subject) > 72 { print "subjects: " $1 " has " length(subject) " columns: " subject; bad = 1 }
    tolower(subject) ~ /^(wip|fixup!|squash!)/ { print "subjects: " $0; bad = 1 }
    END { exit bad }'
