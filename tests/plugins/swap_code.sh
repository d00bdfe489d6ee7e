echo '-- fast instead of slow, and whoever was installed before sees it'
SWAP=slow:fast "$MINIVM" -u --eval-frame "$PLUGINS/show_localsplus.so" --eval-frame "$PLUGINS/swap_code.so" \
    programs.mpy 2>&1 | tail -6
echo '-- installed first, it swaps after the other has looked'
SWAP=slow:fast "$MINIVM" -u --eval-frame "$PLUGINS/swap_code.so" --eval-frame "$PLUGINS/show_localsplus.so" \
    programs.mpy 2>&1 | tail -6
echo '-- other variables'
SWAP=slow:misfit "$MINIVM" -u --eval-frame "$PLUGINS/swap_code.so" programs.mpy 2>&1 | tail -3
echo '-- a generator'
SWAP=count_up:fib "$MINIVM" -u --eval-frame "$PLUGINS/swap_code.so" programs.mpy 2>&1 | tail -3
echo '-- nobody of that name'
SWAP=slow:nobody "$MINIVM" -u --eval-frame "$PLUGINS/swap_code.so" programs.mpy 2>&1 | tail -1
