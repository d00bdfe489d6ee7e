from wcwidth import wcswidth, wcwidth, list_versions

for text in "abc", "コンニチハ", "e\u0301", "\U0001f468\u200d\U0001f469", "한국", "\x1b", "\u00ad", "ﾊﾟ":
    print(ascii(text), [wcwidth(c) for c in text], wcswidth(text))
print(
    sum(wcwidth(chr(n)) == 2 for n in range(0x3000, 0x3400)),
    len(list_versions()) > 5,
    wcwidth("\u231a", unicode_version="5.0"),
    wcwidth("\u231a", unicode_version="9.0"),
)
