# -h of modules of the library as programs, and what they say of a wrong option.
for words in 'doctest -h' 'base64 -h' 'base64 -t' 'base64 -x'; do
    echo "\$ $words"
    "$PYTHON" -m $words > out 2>&1; status=$?
    sed 's,[^ ]*/base64.py,base64.py,' out; echo "status $status"
done
printf 'some text\n' | "$PYTHON" -m base64 -e
echo c29tZSB0ZXh0Cg== > coded; "$PYTHON" -m base64 -d coded; "$PYTHON" -m base64 -u - < coded
