# Starts that fail: each says why, and with which status.
echo 'print("ran")' > p.py; mkdir folder; ln -s loop.py loop.py
for words in p.py '' -; do
    timeout 9 "$PYTHON" $words < folder > out 2>&1
    echo "status $?: $(grep -o '<stdin> is a directory.*' out)"
done
"$PYTHON" p.py <&-; "$PYTHON" <&-; echo "status $?"
"$PYTHON" p.py >&-; echo "status $?"
"$PYTHON" p.py 2>&-; echo "status $?"
for words in nosuch.py loop.py p.py/x folder; do
    "$PYTHON" $words 2>&1 | sed 's,^[^ ]*: ,,'
done
"$PYTHON" -c "$(printf 'print("\351")')"; echo "status $?"
"$PYTHON" -m "$(printf 'a\351')" 2>&1 | sed 's,^[^ ]*: ,,'
"$PYTHON" -W "$(printf 'a\351')" -c 'import sys; print(ascii(sys.warnoptions))' 2> /dev/null
for encoding in utf-16 utf_32 utf-8 nosuch; do
    printf '# coding: %s\nprint("x")\n' $encoding > coded.py
    "$PYTHON" coded.py 2>&1 | tail -n 1
done
