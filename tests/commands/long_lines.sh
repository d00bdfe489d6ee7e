# The tokens of lines with 200,000 terms. A tokenizer that counts columns from the beginning of the line for each token takes
# minutes for one of them.
here=$(mktemp -d) && cd "$here" || exit 1
"$PYTHON" -c '
with open("sum", "w") as file: print("x =", " + ".join(["é"] * 200000), file=file)
with open("brackets", "w") as file: print("x = (", " +\n".join(["(1)"] * 200000), ")", file=file)
with open("text", "w") as file: print("x =", "\"\"\"é\"\"\" " * 200000, file=file)
with open("backslashes", "w") as file: print("x =", "1 + \\\n" * 200000 + "1", file=file)'
for name in *; do
    echo "$name"
    timeout 60 "$PYTHON" -m tokenize "$name" | cksum
done
rm -r "$here"
