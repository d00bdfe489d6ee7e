# Most calls first, each code object once; resuming a generator is no call.
NO_TIME=1 "$MINIVM" -u --eval-frame "$PLUGINS/count_calls.so" programs.mpy
# With the time there is a column more.
"$MINIVM" -u --eval-frame "$PLUGINS/count_calls.so" -c 'pass' 2>&1 | sed 's/ *[0-9]*\.[0-9]\{3\} / N.NNN /'
