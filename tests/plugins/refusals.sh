# What cannot be loaded is named, and nothing runs. What dlopen() says to it differs from one C library to another.
loader="s/is expected: .*/is expected: .../"
refused() {
    echo "-- $*" | sed "s#$PLUGINS/##g"
    "$MINIVM" "$@" -c 'print("runs")' 2>&1 | sed "s#$PLUGINS/##g"
    "$MINIVM" "$@" -c 'print("runs")' > /dev/null 2>&1
    echo "status $?"
}
refused --eval-frame nowhere.so
refused --eval-frame / | sed "$loader"
refused --eval-frame programs.mpy | sed "$loader"
refused --eval-frame "$PLUGINS/no_plugin.so"
refused --eval-frame "$PLUGINS/other_version.so" | sed 's/[0-9]* bytes/N bytes/g'
refused --eval-frame "$PLUGINS/larger_table.so" | sed 's/[0-9]* bytes/N bytes/g'
refused --eval-frame "$PLUGINS/failing_init.so"
refused --eval-frame "$PLUGINS/swap_code.so"
refused --eval-frame "$PLUGINS/chain.so" --eval-frame "$PLUGINS/chain.so"
echo '-- the last word'
"$MINIVM" --eval-frame
echo "status $?"
echo '-- too many'
"$MINIVM" $(seq 17 | sed 's/.*/--eval-frame again/') 2>&1 | head -1
