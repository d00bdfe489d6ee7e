#!/bin/sh
# Checks what the pages below (README.md, MAP.md, the lessons and others) cite in backticks:
#
#     vm/eval.c, guard_*.c        a file or folder that is there: from the top, from the page's own folder or, where no
#                                 folder is named, anywhere. x.[ch] is two files; NNN, ROOM, NAME, name: as the reader chooses
#     frames/bind.c:bind_closure  the file defines this function, handler (TARGET) or label
#     make golden                 the Makefile (or lessons/lessons.mk) has this target
#     208342b                     a commit of the history; not asked where that is not here (a shallow clone, no git)
#
# Prints each citation that is wrong, with page and line; exit status 1 where there is one.
cd "$(dirname "$0")/../.." || exit 2
ELSEWHERE='^(/|\./|build/|lessons/work|(Parser|Python|Objects|Lib)/)' # not of the tree: a user's paths, a student's work, what is built, CPython's
failed=0
names=$(mktemp) && citations=$(mktemp) || exit 2
trap 'rm -f "$names" "$citations"' EXIT
find . \( -name .git -o -path ./build \) -prune -o -print | sed 's#^\./##' > "$names"

# Is the whole history of this folder here?
history=false
if [ "$(git rev-parse --show-toplevel 2> /dev/null)" = "$(pwd -P)" ]; then
    [ "$(git rev-parse --is-shallow-repository)" = false ] && history=true
fi

exists() # page, path
{
    folder=$(dirname "$1")/
    pattern=$(echo "${2%/}" | sed -e 's#NNN*#[0-9]+#g' -e 's#NAME#name#g' -e 's#ROOM#[a-z]+#g' -e 's#\(^\|[/_]\)name\(_\|\.\|$\)#\1*\2#g' \
        -e 's#\.#\\.#g' -e 's#\*#[^/]*#g')
    case $2 in
    */*) grep -qE "^(|${folder#./})$pattern\$" "$names" ;;
    *) grep -qE "^(.*/)?$pattern\$" "$names" ;;
    esac
}

defines() # file, function
{
    file=$(grep -E "^(.*/)?$1\$" "$names" | head -n 1)
    [ -n "$file" ] && grep -qE "^[A-Za-z].*[ *]$2\(|^ *(TARGET|LABEL)\($2\)|^ *def $2\(" "$file"
}

holds() # page, citation
{
    case $2 in
    make\ *) target=${2#make } && grep -q "^${target%% *}:" Makefile lessons/lessons.mk ;;
    *.[ch]:* | *.mpy:*) defines "${2%%:*}" "${2#*:}" ;;
    *'.[ch]') exists "$1" "${2%??ch?}.c" && exists "$1" "${2%??ch?}.h" ;;
    *[!0-9a-f]*) exists "$1" "$2" ;;
    *) ! $history || git merge-base --is-ancestor "$2" HEAD 2> /dev/null ;;
    esac
}

# What may be cited, by its form; other words in backticks are commands, options, names of C.
FOLDER='[a-zA-Z0-9_./*-]+/[][a-zA-Z0-9_./*-]*'
FILE='[][a-zA-Z0-9_*-]+\.([ch]|\[ch\]|def|mpy|sh|py|txt|html|md)'
FUNCTION='[^ ]+\.([ch]|mpy):[a-zA-Z_0-9]+'
for page in README.md MAP.md CONTRIBUTING.md vm/README.md tests/README.md findings/README.md lessons/README.md lessons/TEACHING.md lessons/*/lesson.md; do
    awk -F '`' -v page="$page" '{
        for (i = 1; i <= NF; i++) {
            if (i > 1) inside = !inside
            if (inside) text = text (i > 1 ? "" : " ") $i # it may go on in the next line
            else if (text != "") { print page, FNR, text; text = "" }
        }
    } END { if (inside) print page, FNR, "an/odd/backtick" }' "$page" |
        grep -E "^[^ ]+ [0-9]+ (make [a-z-]+( .*)?|$FOLDER|$FILE|$FUNCTION|[0-9a-f]{7,40})\$"
done > "$citations"
while read -r page line citation; do
    echo "$citation" | grep -qE "$ELSEWHERE" || holds "$page" "$citation" && continue
    echo "$page:$line: \`$citation\` is cited and is not there"
    failed=1
done < "$citations"
[ -s "$citations" ] || { echo "citations: the pages cite nothing"; exit 1; }
exit $failed
