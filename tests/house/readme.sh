#!/bin/sh
# Runs the commands that README.md shows and that a test can run: those that call ./minivm, and what prepares them. Each
# must succeed. `make` and `make check` are what runs this, and so are left out. The argument is the minivm to call.
cd "$(dirname "$0")/../.." || exit 2
minivm=${1:-./minivm}
failed=0
commands=$(mktemp) || exit 2
trap 'rm -f "$commands"' EXIT
sed -n 's/^    \(make && \)\{0,1\}\(\.\/minivm .*\|echo .*\)$/\2/p' README.md > "$commands"
[ -s "$commands" ] || { echo "readme: README.md shows no command"; exit 1; }
while read -r command; do
    command=$(echo "$command" | sed "s#\./minivm#$minivm#g")
    sh -c "$command" > /dev/null 2>&1 < /dev/null && continue
    echo "readme: failed: $command"
    failed=1
done < "$commands"
exit $failed
