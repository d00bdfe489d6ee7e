#!/bin/sh
# Runs the shell programs tests/commands/*.sh, in which "$PYTHON" is the minivm of the first argument, each in a new
# folder, and compares what they write and their exit status with the .expected beside them, where the folder is FOLDER.
#
#     tests/house/commands.sh ./minivm               compare; exit status 1 where something differs
#     tests/house/commands.sh -w python3.9 [NAME]    write the answers of CPython 3.9, of the programs NAME only
cd "$(dirname "$0")/../commands" || exit 2
write=false
[ "$1" = -w ] && { write=true; shift; }
PYTHON=$(cd "$OLDPWD" && command -v "${1:-./minivm}") || exit 2
case $PYTHON in /*) ;; *) PYTHON=$OLDPWD/$PYTHON ;; esac
programs=$PWD only=$2
set_up="PATH=$PATH PYTHON=$PYTHON PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8"
failed=0
out=$(mktemp) && err=$(mktemp) && all=$(mktemp) || exit 2
folder=$(cd "$(mktemp -d)" && pwd -P) || exit 2
trap 'rm -rf "$out" "$err" "$all" "$folder"' EXIT
for program in *.sh; do
    name=${program%.sh}
    [ -z "$only" ] || [ "$only" = "$name" ] || continue
    $write && head -n 1 "$program" | grep -q '^# By hand' && continue
    mkdir "$folder/$name"
    (cd "$folder/$name" && exec env -i $set_up sh "$programs/$program") > "$out" 2> "$err" < /dev/null
    status=$?
    { cat "$out"; echo "[stderr]"; cat "$err"; echo "[exit status $status]"; } |
        sed -e "s#$folder/$name#FOLDER#g" -e "s#$PYTHON#PYTHON#g" -e "s#\`\(python\|minivm\) -h'#\`PYTHON -h'#" -e 's#usage: minivm #usage: PYTHON #' > "$all"
    if $write; then
        cp "$all" "$name.expected"
    elif ! diff "$name.expected" "$all"; then
        echo "commands: $program differs"
        failed=1
    fi
done
exit $failed
