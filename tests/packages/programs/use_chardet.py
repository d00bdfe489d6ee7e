import chardet
from chardet.universaldetector import UniversalDetector

texts = {
    "utf-8": "Größe und Länge, naïve café — ünïcödé",
    "windows-1251": "Привет, как дела? Это проверка кодировки текста.",
    "shift_jis": "これは日本語のテキストです。文字コードの判定。",
    "euc-kr": "안녕하세요 세계 한국어 문장입니다",
    "utf-16": "plain",
    "big5": "這是一個繁體中文的句子，用來測試編碼",
    "iso-8859-7": "Καλημέρα κόσμε, τι κάνετε σήμερα;",
}
for encoding, text in texts.items():
    try:
        data = text.encode(encoding)
    except (LookupError, UnicodeError) as error:
        print(encoding, type(error).__name__)
        continue
    print(encoding, chardet.detect(data))
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
