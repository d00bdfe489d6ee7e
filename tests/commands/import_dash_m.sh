# python -m: what is found, what it is told, and what is wrong with a name.
mkdir -p pkg space/sub deep/inner app
echo 'import sys; print(__name__, repr(__package__), __spec__.name, repr(__spec__.parent), sys.argv, sys.path[0], __file__)' > plain.py
cp plain.py deep/__main__.py; cp plain.py deep/leaf.py; cp plain.py space/__main__.py; cp plain.py space/leaf.py; cp plain.py app/__main__.py
echo 'print("deep", __name__)' > deep/__init__.py
: > pkg/__init__.py
echo 'import argparse; argparse.ArgumentParser().parse_args()' > tool.py
echo 'raise ImportError("inside")' > bad.py
mkdir worse; echo 'import nosuch_inside' > worse/__init__.py; : > worse/leaf.py
for words in '-m plain a -b' -mplain '-m deep x' '-m deep.leaf' '-m deep.__main__' '-m deep.__init__' '-m space x' '-m space.leaf' 'app x' \
    '-m tool x' '-m pkg' '-m space.sub' '-m tool.sub' '-m tool.py' '-m nosuch' '-m nosuch.sub' '-m deep.nosuch' \
    '-m deep.' '-m .rel' '-m sys' '-m math' '-m bad' '-m worse.leaf' '-m worse' pkg; do
    echo "\$ $words"
    "$PYTHON" $words > out 2>&1
    status=$?
    cat out | tail -n 2 | sed 's,^[^ ]*\(python3.9\|minivm\): ,,'; echo "status $status"
done
mv plain.py calendar.py; "$PYTHON" -m calendar x; mv calendar.py plain.py

# Modules of the library as programs.
for module in dis tokenize inspect ast json.tool; do
    "$PYTHON" -m $module -h | sed 's/^ *\[/[/'
done
"$PYTHON" -m inspect nosuch; "$PYTHON" -m inspect sys; "$PYTHON" -m inspect bad; echo "x = 1" > small.py; "$PYTHON" -m inspect small
echo '{"b": [1, 2.50, "\u00e9"], "a": {}}' > data.json
for words in '' --sort-keys --compact '--indent 1' --tab --no-indent --no-ensure-ascii; do "$PYTHON" -m json.tool $words data.json; done
printf '1\n[2]\n' | "$PYTHON" -m json.tool --json-lines --compact
"$PYTHON" -m json.tool data.json out.json && cat out.json
echo '{1: 2}' | "$PYTHON" -m json.tool; echo "status $?"
