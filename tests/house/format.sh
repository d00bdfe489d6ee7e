#!/bin/sh
# Checks that a body of one statement has no braces (but for one that holds a comment, or whose `else` would then belong
# to another `if`), and that the C files are as clang-format 18 writes them by .clang-format (.clang-format-ignore: tables
# are not); by default those that main does not have like this, with --all every one, with --write they are written so.
# The second is skipped with a sentence where there is no clang-format 18 (CLANG_FORMAT names it): other releases write
# some lines otherwise.
cd "$(dirname "$0")/../.." || exit 2
failed=0

# shellcheck disable=SC2046 # none of these names has a blank
[ "$1" = --write ] || awk '
    # Of each indentation that a body in braces is open at: lines[], its statements as far as they begin lines.
    function indent_of(line) { match(line, /^ */); return RLENGTH }
    FNR == 1 { split("", lines); off = 0 }
    /clang-format off/ { off = 1 }
    /clang-format on/ { off = 0 }
    off || /^ *$/ || /^#/ || /\\$/ { next }
    {
        indent = indent_of($0)
        if (/^ *}/ && indent in lines) {
            single[indent] = single[indent] && lines[indent] == 1
            if (/^ *}$/ && single[indent]) { print FILENAME ":" began[indent] ": braces around one statement"; bad = 1 }
            delete lines[indent]
        }
        if (indent - 4 in lines) lines[indent - 4] += /\/\// ? 2 : 1
        if (/^ *(if|for|while) / && indent - 4 in lines) holds_if[indent - 4] = 1
        if (/^ *(if|for|while) .*\{$/) { lines[indent] = holds_if[indent] = 0; single[indent] = 1; began[indent] = FNR }
        if (/^ *} else.*\{$/) { lines[indent] = 0; if (holds_if[indent]) single[indent] = 0 }
    }
    END { exit bad }' $(tests/house/changed.sh --all | grep '\.[ch]$') || failed=1

format=${CLANG_FORMAT:-clang-format}
case $("$format" --version 2> /dev/null) in
*' version 18.'*) ;;
*)
    echo "format: there is no clang-format 18 (CLANG_FORMAT names it): the layout of C files is not checked"
    exit $failed
    ;;
esac
case $1 in
--write) action=-i ;;
*) action='--dry-run -Werror' ;;
esac
tests/house/changed.sh "$1" | grep '\.[ch]$' | xargs -r "$format" $action || failed=1
exit $failed
