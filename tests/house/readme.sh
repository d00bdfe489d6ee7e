#!/bin/sh
# Runs the commands that pages show and that a test can run: those that call ./minivm, and what prepares them. Each must
# succeed, and print the lines that are shown below it, where a line "…" stands for lines left out; a line at the prompt
# "(Pdb) " is typed in. As `make` is what runs this, a line with it is only asked what it would do (-n), and left out
# before `&&`. The arguments are the minivm to call, beside which are its plugins, and pages; else these are README.md,
# vm/README.md and those of the lessons, but for LEAVING.md, which trains for seconds (lessons/lessons.mk).
cd "$(dirname "$0")/../.." || exit 2
minivm=${1:-./minivm}
[ $# -eq 0 ] || shift
build=$(dirname "$minivm")
failed=0 command=
output=$(mktemp) && typed=$(mktemp) && lines=$(mktemp) || exit 2
trap 'rm -f "$output" "$typed" "$lines"' EXIT

# Are the lines of the first file those of the second, but for what "…" leaves out there?
is_excerpt()
{
    awk '
        NR == FNR { shown[++count] = $0; next }
        { printed[++size] = $0 }
        function fits(i, k, end) {
            if (i > count) return k > size
            if (shown[i] == "…") {
                for (end = k + 1; end <= size + 1; end++) if (fits(i + 1, end)) return 1
                return 0
            }
            return k <= size && shown[i] == printed[k] && fits(i + 1, k + 1)
        }
        END { exit !fits(1, 1) }' "$1" "$2"
}

# A command has its lines in $lines, and what is typed in $typed. Folders are left out of the locations of a dialogue.
run()
{
    [ -n "$command" ] || return
    ran=$((ran + 1))
    if ! sh -c "$command" > "$output" 2>&1 < "$typed"; then
        echo "readme: $page: failed: $command"
        failed=1
    fi
    sed -i -E -e 's/^(\(Pdb\) )*//' -e 's#^> .*/#> #' "$output"
    if [ -s "$lines" ] && ! is_excerpt "$lines" "$output"; then
        echo "readme: $page: $command prints something else:"
        cat "$output"
        failed=1
    fi
    command=
}

begin()
{
    run
    command=$(printf '%s\n' "${1##*make* && }" |
        sed "s#^make #make -n #; s#\./minivm#$minivm#g; s#build/release/#$build/#g")
    : > "$typed" > "$lines"
}

# The commands of one page
run_page()
{
    page=$1 ran=0
    while IFS= read -r line; do
        case $line in
        '    ./minivm '* | '    make '* | '    echo '* | '    printf '*) begin "${line#    }" ;;
        '    (Pdb) '*) printf '%s\n' "${line#    (Pdb) }" >> "$typed" ;;
        '    '*) printf '%s\n' "${line#    }" >> "$lines" ;;
        *) run ;;
        esac
    done < "$page"
    run
    [ $ran -gt 0 ] || { echo "readme: $page shows no command"; failed=1; }
}

[ $# -gt 0 ] || set -- README.md vm/README.md lessons/README.md lessons/NUMBERS.md lessons/SURPRISES.md lessons/*/lesson.md
for page; do run_page "$page"; done
exit $failed
