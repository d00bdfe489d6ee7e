#!/bin/sh
# Installs the test library Check where it is missing: through the system's package manager, with sudo where we are not
# root. Prints the command and fails where that is not possible.
found() { echo '#include <check.h>' | ${CC:-cc} -E - >/dev/null 2>&1; }
found && exit 0
[ "$(id -u)" -eq 0 ] && run="" || run="sudo"
if command -v apt-get >/dev/null; then install="apt-get install -y check pkg-config"
elif command -v dnf >/dev/null; then install="dnf install -y check-devel pkgconf"
elif command -v pacman >/dev/null; then install="pacman -S --noconfirm check pkgconf"
elif command -v apk >/dev/null; then install="apk add check-dev pkgconf"
elif command -v zypper >/dev/null; then install="zypper --non-interactive install check-devel pkgconf"
elif command -v brew >/dev/null; then install="brew install check pkg-config"; run=""
else
    echo "The tests need the library Check (https://libcheck.github.io/check/): install it and try again." >&2
    exit 1
fi
if [ -z "$run" ] || command -v sudo >/dev/null; then
    case "$install" in apt-get*) $run apt-get update >/dev/null ;; esac
    $run $install && found && exit 0
fi
echo "The tests need the library Check. To install it: $run $install" >&2
exit 1
