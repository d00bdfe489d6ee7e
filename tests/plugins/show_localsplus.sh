"$MINIVM" -u --eval-frame "$PLUGINS/show_localsplus.so" programs.mpy
