import chardet
from chardet.universaldetector import UniversalDetector

texts = {
    "utf-8": "Größe und Länge, naïve café — ünïcödé",
    "windows-1251": "Привет, как дела? Это проверка кодировки текста.",
    "utf-16": "plain",
    "iso-8859-7": "Καλημέρα κόσμε, τι κάνετε σήμερα;",
}
for encoding, text in texts.items():
    print(encoding, chardet.detect(text.encode(encoding)))
for data in (
    "82b182ea82cd93fa967b8cea82cc8365834c8358836782c582b7814295b68e9a8352815b836882cc94bb92e88142",
    "bec8b3e7c7cfbcbcbfe420bcbcb0e820c7d1b1b9beee20b9aec0e5c0d4b4cfb4d9",
    "b36fac4fa440add3c163c5e9a4a4a4e5aabaa579a46ca141a5cea8d3b4fab8d5bd73bd58",
):
    print(chardet.detect(bytes.fromhex(data)))
d = UniversalDetector()
for line in [b"abc\n", "é à ü ".encode(), b"more"]:
    d.feed(line)
    if d.done:
        break
print(
    d.close(),
    chardet.detect(b""),
    chardet.detect(b"\xef\xbb\xbfabc"),
    chardet.detect_all("Привет, мир".encode("koi8-r"))[:1],
)
