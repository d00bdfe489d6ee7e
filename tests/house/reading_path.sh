#!/bin/sh
# Checks the way through the source in MAP.md: every room has its row, and the files that the section "The core, in
# reading order" names with their folder exist and have together as many lines as it says, give or take 50.
cd "$(dirname "$0")/../.." || exit 2
for room in $(find objects compiler frames vm -path 'vm/lib/*' -prune -o -type d -print); do
    grep -q "^| .*\`$room/\`" MAP.md || { echo "reading_path: $room/ has no row in MAP.md"; exit 1; }
done
section=$(awk '/^##/ { inside = /The core, in reading order/ } inside' MAP.md)
stated=$(echo "$section" | grep -oE '[0-9]+,[0-9]{3} lines' | head -n 1 | tr -dc 0-9)
files=$(echo "$section" | grep -oE '`[^` ]+/[^` ]+`' | tr -d '`')
[ -n "$stated" ] && [ -n "$files" ] || { echo "reading_path: MAP.md names no files, or no number of lines"; exit 1; }
for file in $files; do # a pattern, x.[ch], has become its files
    [ -f "$file" ] || { echo "reading_path: there is no $file"; exit 1; }
done
lines=$(cat $files | wc -l)
difference=$((lines - stated))
[ ${difference#-} -le 50 ] || { echo "reading_path: the files have $lines lines, MAP.md says $stated"; exit 1; }
