#!/bin/sh
# Checks findings/: each script is called by a row of README.md, in the words of the script's second line; it states the
# output that it compares with, pins every package, knows nothing of minivm, and ends like all others. With --write, makes
# the rows of README.md anew. Runs no finding (make findings does). Exit status 1 where something is wrong.
cd "$(dirname "$0")/../../findings" || exit 2
failed=0
table=$(mktemp) && ending=$(mktemp) && endings=$(mktemp) || exit 2
trap 'rm -f "$table" "$ending" "$endings"' EXIT

wrong()
{
    echo "findings: $*"
    failed=1
}

echo '| finding | what surprises |' > "$table"
echo '|---|---|' >> "$table"
for script in *.sh; do
    sed -n "2s/^# \(.*\)\$/| \`$script\` | \1 |/p" "$script" >> "$table"
    [ -x "$script" ] || wrong "$script is not executable"
    grep -q '^# | ' "$script" || wrong "$script states no output"
    grep -q "^packages='[^ =]*==[^ =]*\( [^ =]*==[^ =]*\)*'\$" "$script" || wrong "$script has a package without ==version"
    grep -qi minivm "$script" && wrong "$script names minivm"
    sed -n '/^# The same in every finding/,$p' "$script" > "$ending"
    [ -s "$endings" ] || cp "$ending" "$endings"
    cmp -s "$ending" "$endings" || wrong "$script does not end as the others do"
done

if [ "$1" = --write ]; then
    sed -i '/^|/d' README.md
    cat "$table" >> README.md
fi
grep '^|' README.md | cmp -s - "$table" || wrong "README.md has another table: tests/house/findings.sh --write"
exit $failed
