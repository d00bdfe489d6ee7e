T="${TMPDIR:-/tmp}/small_jit.$$"
"$MINIVM" small_jit.mpy > "$T" 2>&1
"$MINIVM" -u --eval-frame "$PLUGINS/small_jit.so" small_jit.mpy 2> "$T.end" | diff "$T" - && echo 'the same as without'
case $(uname -m) in
x86_64) said='5 functions translated; 19 calls by machine code, 11 given up' ;;
*) said='0 functions translated; 0 calls by machine code, 0 given up' ;; # stencils are for one processor
esac
echo "small_jit: $said" | diff - "$T.end" && echo 'and by machine code where it can'
rm -f "$T" "$T.end"
