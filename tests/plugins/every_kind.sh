"$MINIVM" --eval-frame "$PLUGINS/log_frames.so" every_kind.mpy
