import snowballstemmer

words = {
    "english": "running generously happily nationality ponies flies relational skies dying",
    "german": "aufeinander häuser kategorischen größte läuft",
    "french": "continuellement majestueusement chevaux nationalité",
    "spanish": "chicas torneándose cantaríamos",
    "russian": "важнейшими вавиловка красоты",
    "finnish": "edeltäjistään rakkaimmille",
    "porter": "caresses ponies conflated hopping",
}
for language, text in words.items():
    stemmer = snowballstemmer.stemmer(language)
    print(language, stemmer.stemWords(text.split()))
print(len(snowballstemmer.algorithms()) > 15, snowballstemmer.stemmer("english").stemWord("cats"))
try:
    snowballstemmer.stemmer("klingon")
except KeyError as error:
    print(error)
