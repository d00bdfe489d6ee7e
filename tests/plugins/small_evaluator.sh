echo '-- the same as without, but for the message of a variable that is not set'
"$MINIVM" small.mpy > "${TMPDIR:-/tmp}/small.$$" 2>&1
"$MINIVM" -u --eval-frame "$PLUGINS/small_evaluator.so" small.mpy 2>&1 | diff "${TMPDIR:-/tmp}/small.$$" -
rm -f "${TMPDIR:-/tmp}/small.$$"
echo '-- every wrong call is refused'
"$MINIVM" -u --eval-frame "$PLUGINS/misuse.so" misuse.mpy
echo '-- a plugin of the version before'
"$MINIVM" -u --eval-frame "$PLUGINS/version_one.so" -c 'print(1)'
