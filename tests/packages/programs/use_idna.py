import idna

for name in (
    "ドメイン.テスト",
    "faß.de",
    "Königsgäßchen.example",
    "xn--zckzah",
    "☃.net",
    "-a.com",
    "a" * 70 + ".com",
    "日本語。ＪＰ",
):
    for f in lambda n: idna.encode(n, uts46=True), lambda n: idna.decode(n), idna.encode:
        try:
            print(f(name))
        except (idna.IDNAError, UnicodeError) as error:
            print(type(error).__name__, ascii(str(error)))
print(
    idna.alabel("測試"),
    idna.ulabel("xn--g6w251d"),
    ascii(idna.uts46_remap("ÖBB.at")),
    idna.check_nfc("é"),
    idna.intranges.intranges_contain(5, idna.intranges.intranges_from_list([4, 5, 6])),
)
