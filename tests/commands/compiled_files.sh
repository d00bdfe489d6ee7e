# Programs in .pyc files: a good one, and those that are of another version, empty, cut off, garbage, or a directory. By its
# name a file is compiled code; by its first bytes one with another name is, if they are this version's.
here=$(mktemp -d) && cd "$here" || exit 1
magic='a\r\r\n'
rest='\0\0\0\0\0\0\0\0\0\0\0\0'
: > empty.pyc
printf 'a\r' > half_a_magic.pyc
printf "$magic" > magic.pyc
printf "$magic"'\0\0\0\0\0' > half_a_header.pyc
printf "$magic$rest" > header.pyc
printf "$magic$rest"'N' > none.pyc
printf "$magic$rest"'garbage' > garbage.pyc
printf 'U\r\r\n'"$rest"'N' > version_38.pyc
printf 'o\r\r\n'"$rest"'N' > version_310.pyc
printf 'print("source")\n' > source.pyc
mkdir directory.pyc
"$PYTHON" -c 'import marshal
code = marshal.dumps(compile("print(__name__, __file__[-4:])", "program", "exec"))
for name in "good.pyc", "good.anything":
    with open(name, "wb") as file: file.write(b"a\r\r\n" + bytes(12) + code)
with open("cut.pyc", "wb") as file: file.write(b"a\r\r\n" + bytes(12) + code[:-9])
with open("cut_in_the_middle.pyc", "wb") as file: file.write(b"a\r\r\n" + bytes(12) + code[:len(code) // 2])'
for name in magic half_a_header header none garbage; do cp $name.pyc $name.program; done
printf 'U\r\r\nif 1 else\n' > version_38.program # no compiled code but a program of three lines
for name in *; do
    echo "$name"
    "$PYTHON" "$name" 2>&1
    echo "status $?"
done | sed -e "s#$here#HERE#g" -e "s#^$PYTHON:#minivm:#"
rm -r "$here"
