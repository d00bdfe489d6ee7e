# The tokens of lines with 70,000 terms. A tokenizer that counts columns from the beginning of the line for each token takes
# 20 seconds of the processor for one of them, and is stopped.
here=$(mktemp -d) && cd "$here" || exit 1
"$PYTHON" -c '
with open("sum", "w") as file: print("x =", " + ".join(["é"] * 70000), file=file)
with open("brackets", "w") as file: print("x = (", " +\n".join(["(1)"] * 70000), ")", file=file)
with open("text", "w") as file: print("x =", "\"\"\"é\"\"\" " * 70000, file=file)
with open("backslashes", "w") as file: print("x =", "1 + \\\n" * 70000 + "1", file=file)'
ulimit -t 10
for name in *; do
    "$PYTHON" -c '
import sys, tokenize, zlib
name = sys.argv[1]
with open(name, "rb") as file:
    tokens = [tuple(token)[:4] for token in tokenize.tokenize(file.readline)]
print(name, len(tokens), zlib.crc32(repr(tokens).encode()))' "$name"
done
rm -r "$here"
