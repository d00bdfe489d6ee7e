#!/bin/sh
# Checks that the C files are as clang-format 18 writes them by .clang-format (.clang-format-ignore: tables are not); by
# default those that main does not have like this, with --all every one, with --write they are written so. Skipped with a
# sentence where there is no clang-format 18 (CLANG_FORMAT names it): other releases write some lines otherwise.
cd "$(dirname "$0")/../.." || exit 2
format=${CLANG_FORMAT:-clang-format}
case $("$format" --version 2> /dev/null) in
*' version 18.'*) ;;
*)
    echo "format: there is no clang-format 18 (CLANG_FORMAT names it): the layout of C files is not checked"
    exit 0
    ;;
esac
case $1 in
--write) action=-i ;;
*) action='--dry-run -Werror' ;;
esac
if [ "$1" != --all ] && git rev-parse --verify --quiet main > /dev/null; then
    git diff --name-only --diff-filter=d main -- '*.c' '*.h'
    git ls-files --others --exclude-standard -- '*.c' '*.h'
else
    find objects compiler frames vm tests lessons -path lessons/work -prune -o -name '*.[ch]' -print
fi | xargs -r "$format" $action
