#!/bin/sh
# Whether PyTorch prints what the programs of lessons/SURPRISES.md say of it: surprises.sh TORCH_PYTHON
cd "$(dirname "$0")/../../lessons/examples" || exit 2
said=$(mktemp) && printed=$(mktemp) || exit 2
trap 'rm -f "$said" "$printed"' EXIT
status=0
for program in surprise_*.mpy; do
    sed -n 's/^# | //p' "$program" > "$said"
    "$1" "$program" > "$printed" || status=1
    diff "$said" "$printed" || { echo "surprises: $program: PyTorch prints something else"; status=1; }
done
exit $status
