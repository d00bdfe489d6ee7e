#!/bin/sh
# real_client.sh MINIVM: installs the client of real_client.js in a folder of its own and runs it. Needs node, npm and the
# network.
for tool in node npm; do
    command -v $tool > /dev/null || { echo "check-dap: $tool is missing"; exit 1; }
done
folder=${TMPDIR:-/tmp}/minivm-check-dap
mkdir -p "$folder" && (cd "$folder" && npm install --silent --no-audit --no-fund @vscode/debugadapter-testsupport@1.68.0) || exit 1
minivm=$(realpath "$1")
exec node "$(dirname "$0")/real_client.js" "$minivm" "$folder"
