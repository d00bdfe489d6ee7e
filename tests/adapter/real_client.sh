#!/bin/sh
# real_client.sh MINIVM: minivm --dap under real clients; what is missing is named. The client that VS Code's adapters are
# tested with is installed in a folder of its own: that needs node, npm and the network. NVIM_DAP names a checkout of
# nvim-dap, for Neovim.
cd "$(dirname "$0")" || exit 2
minivm=$(cd "$OLDPWD" && realpath "$1") failed=0

has() { command -v "$1" > /dev/null || { echo "check-dap: $1 is missing"; return 1; }; }

if has node && has npm; then
    folder=${TMPDIR:-/tmp}/minivm-check-dap
    mkdir -p "$folder"
    (cd "$folder" && npm install --silent --no-audit --no-fund @vscode/debugadapter-testsupport@1.68.0) &&
        node real_client.js "$minivm" "$folder" || failed=1
fi
if has nvim && [ -d "$NVIM_DAP" ]; then
    wanted='breakpoint add:5|step add:6|step add:5|step sums:14|breakpoint add:5|terminated|'
    stops=$(MINIVM=$minivm PROGRAM=$PWD/programs/sums.py timeout 90 nvim --headless -u NONE -c 'luafile real_client.lua' |
        tr '\n' '|')
    [ "$stops" = "$wanted" ] && echo "check-dap: nvim-dap passes" || { echo "check-dap: nvim-dap stops at $stops"; failed=1; }
else
    echo "check-dap: there is no checkout of nvim-dap (NVIM_DAP names it)"
fi
exit $failed
