#!/bin/sh
# install.sh MINIVM: the manual's page has no fault that groff sees, each shell that is here completes every long option
# of --help, and `make uninstall` removes all that `make install` has written.
minivm=$1 here=$(mktemp -d) failed=0
trap 'rm -rf "$here"' EXIT
fail() { echo "install: $*"; failed=1; }
has() { command -v "$1" > /dev/null; }

mkdir "$here/pages" && "$minivm" vm/manual.mpy "$here/pages" || exit 1
wanted=$("$minivm" --help | sed -n 's/^\(--[a-z-]*\(=[a-z]*\)*\).*/\1/p; s/.*(also \(--[a-z]*\)).*/\1/p' | sort)
[ "$(echo "$wanted" | wc -l)" -gt 20 ] || fail "--help has lost its options"

said=$(has groff && groff -man -ww -Tutf8 "$here/pages/minivm.1" 2>&1 > /dev/null)
[ -z "$said" ] || fail "minivm.1: $said"
for name in $wanted; do
    grep -q "^\.B.*$(echo "$name" | sed 's/-/\\\\-/g')\|also.*$(echo "$name" | sed 's/-/\\\\-/g')" "$here/pages/minivm.1" ||
        fail "minivm.1 does not have $name"
done

complete() { # SHELL, and a command of it that prints the completions of `minivm --`
    has "$1" || return
    [ "$("$@" | sed 's/\t.*//' | grep '^--' | sort)" = "$wanted" ] || fail "$1 completes other options than --help has"
}
complete bash -c ". $here/pages/minivm.bash; COMP_WORDS=(minivm --) COMP_CWORD=1; _minivm; printf '%s\n' \"\${COMPREPLY[@]}\""
after() { # the words after minivm, and what bash offers for the last one in a folder with `a b.mpy`
    has bash || return
    offered=$(cd "$here/files" && bash -c ". $here/pages/minivm.bash; COMP_WORDS=(minivm $1)
        COMP_CWORD=\$((\${#COMP_WORDS[@]} - 1)); _minivm; IFS=,; echo \"\${COMPREPLY[*]}\"")
    [ "$offered" = "$2" ] || fail "bash offers '$offered' after 'minivm $1', not '$2'"
}
mkdir "$here/files" && touch "$here/files/a b.mpy"
after a 'a b.mpy'
after '--debug = t' tui
after '--debug = tui a' 'a b.mpy'
after 'a.mpy --d' ''
after '-c x --d' ''
after '--trace-html --d' ''
after '--trace-html o --dap' --dap
after '--max-steps a' ''
complete fish -N -c "source $here/pages/minivm.fish; complete -C 'minivm --'"
if has zsh; then
    zsh -n "$here/pages/_minivm" || fail "_minivm is no zsh"
fi

make -s install DESTDIR="$here/root" PREFIX=/p > "$here/log" 2>&1 || { fail "make install fails"; cat "$here/log"; }
for file in bin/minivm include/minivm/minivm_plugin.h share/man/man1/minivm.1 share/bash-completion/completions/minivm \
    share/zsh/site-functions/_minivm share/fish/vendor_completions.d/minivm.fish; do
    [ -f "$here/root/p/$file" ] || fail "make install has not written $file"
done
[ "$("$here/root/p/bin/minivm" -c 'print(6 * 7)')" = 42 ] || fail "what is installed does not run"
make -s uninstall DESTDIR="$here/root" PREFIX=/p > "$here/log" 2>&1 || fail "make uninstall fails"
left=$(find "$here/root" -type f)
[ -z "$left" ] || fail "make uninstall leaves $left"
exit $failed
