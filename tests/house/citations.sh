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
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
find . \( -name .git -o -path ./build \) -prune -o -print | sed 's#^\./##' > "$folder/names"
cat Makefile lessons/lessons.mk | sed -n 's/^\([a-z-]*\):.*/\1/p' > "$folder/targets"

# The whole history of this folder, where it is here.
: > "$folder/commits"
if [ "$(git rev-parse --show-toplevel 2> /dev/null)" = "$(pwd -P)" ]; then
    [ "$(git rev-parse --is-shallow-repository)" = false ] && git rev-list HEAD > "$folder/commits"
fi

# What may be cited, by its form; other words in backticks are commands, options, names of C.
FOLDER='[a-zA-Z0-9_./*-]+/[][a-zA-Z0-9_./*-]*'
FILE='[][a-zA-Z0-9_*-]+\.([ch]|\[ch\]|def|mpy|sh|py|txt|html|md)'
FUNCTION='[^ ]+\.([ch]|mpy):[a-zA-Z_0-9]+'
for page in README.md MAP.md CONTRIBUTING.md vm/README.md tests/README.md findings/README.md lessons/README.md lessons/NUMBERS.md lessons/SURPRISES.md lessons/LEAVING.md lessons/TEACHING.md lessons/*/lesson.md; do
    awk -F '`' -v page="$page" '{
        for (i = 1; i <= NF; i++) {
            if (i > 1) inside = !inside
            if (inside) text = text (i > 1 ? "" : " ") $i # it may go on in the next line
            else if (text != "") { print page, FNR, text; text = "" }
        }
    } END { if (inside) print page, FNR, "an/odd/backtick" }' "$page"
done | grep -E "^[^ ]+ [0-9]+ (make [a-z-]+( .*)?|$FOLDER|$FILE|$FUNCTION|[0-9a-f]{7,40})\$" > "$folder/citations"
[ -s "$folder/citations" ] || { echo "citations: the pages cite nothing"; exit 1; }

awk -v folder="$folder" '
    # A file or folder of the tree: all of its name, or what follows a "/" in it where the citation names no folder.
    function exists(page, path,    own, key, name, pattern, before) {
        sub(/\/$/, "", path)
        own = page ~ /\// ? page : ""
        sub(/[^\/]*$/, "", own)
        if (path in names || (own path) in names || path !~ /\// && path in last) return 1
        key = own path
        if (key in known) return known[key]
        pattern = path
        gsub(/NNN*/, "[0-9]+", pattern)
        gsub(/NAME/, "name", pattern)
        gsub(/ROOM/, "[a-z]+", pattern)
        while (match(pattern, /(^|[\/_])name(_|\.|$)/)) {
            name = substr(pattern, RSTART, RLENGTH)
            sub(/name/, "*", name)
            pattern = substr(pattern, 1, RSTART - 1) name substr(pattern, RSTART + RLENGTH)
        }
        if (pattern == path && path !~ /\*/) return known[key] = 0
        gsub(/\./, "\\.", pattern)
        gsub(/\*/, "[^/]*", pattern)
        before = path !~ /\// ? "(.*/)?" : own != "" ? "(" own ")?" : ""
        pattern = "^" before pattern "$"
        for (name in names) if (name ~ pattern) return known[key] = 1
        return known[key] = 0
    }
    # The functions, handlers and labels that a file defines.
    function read_file(file,    line, name) {
        is_read[file] = 1
        while ((getline line < file) > 0) {
            if (line ~ /^ *(TARGET|LABEL)\(/) { sub(/^[^(]*\(/, "", line); sub(/\).*/, "", line); defined[file, line] = 1 }
            else if (line ~ /^ *(async )?def /) { sub(/^ *(async )?def /, "", line); sub(/\(.*/, "", line); defined[file, line] = 1 }
            else if (line ~ /^[A-Za-z]/)
                while (match(line, /[ *][A-Za-z_0-9]+\(/)) {
                    name = substr(line, RSTART + 1, RLENGTH - 2)
                    defined[file, name] = 1
                    line = substr(line, RSTART + RLENGTH)
                }
        }
        close(file)
    }
    function defines(file, name) {
        if (!(file in names)) file = file in last ? last[file] : ""
        if (file == "") return 0
        if (!(file in is_read)) read_file(file)
        return (file, name) in defined
    }
    function is_commit(text,    commit) {
        if (!has_history) return 1
        if (text in commits) return 1
        for (commit in commits) if (index(commit, text) == 1) return 1
        return 0
    }
    function holds(page, text,    colon) {
        if (text ~ /^make /) { sub(/^make /, "", text); sub(/ .*/, "", text); return text in targets }
        if (match(text, /\.([ch]|mpy):/)) {
            colon = index(text, ":")
            return defines(substr(text, 1, colon - 1), substr(text, colon + 1))
        }
        if (text ~ /\.\[ch\]$/) {
            sub(/\.\[ch\]$/, "", text)
            return exists(page, text ".c") && exists(page, text ".h")
        }
        return text ~ /[^0-9a-f]/ ? exists(page, text) : is_commit(text)
    }
    BEGIN {
        while ((getline line < (folder "/names")) > 0) {
            names[line] = 1
            path = line
            sub(/.*\//, "", line)
            if (!(line in last)) last[line] = path
        }
        while ((getline line < (folder "/targets")) > 0) targets[line] = 1
        while ((getline line < (folder "/commits")) > 0) commits[line] = has_history = 1
    }
    {
        page = $1
        line = $2
        text = substr($0, length(page) + length(line) + 3)
        # Not of the tree: paths of a user, the work of a student, what is built, files of CPython.
        if (text ~ /^(\/|\.\/|build\/|lessons\/work|(Parser|Python|Objects|Lib)\/)/ || holds(page, text)) next
        print page ":" line ": `" text "` is cited and is not there"
        bad = 1
    }
    END { exit bad }' "$folder/citations"
