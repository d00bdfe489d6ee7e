import inflect

p = inflect.engine()
for word in (
    "cat",
    "child",
    "ox",
    "knife",
    "octopus",
    "datum",
    "mother-in-law",
    "criterion",
    "sheep",
    "quiz",
    "person",
    "matrix",
):
    print(p.plural(word), p.singular_noun(p.plural(word)), p.a(word))
print(
    p.number_to_words(1234567.89),
    p.number_to_words(42, andword=""),
    p.ordinal(103),
    p.number_to_words(p.ordinal(21)),
    p.number_to_words(999, group=1),
)
print(
    p.join(["a", "b", "c"]),
    p.join(["x", "y"], conj="or"),
    p.no("error", 0),
    p.plural_verb("runs", 2),
    p.plural_adj("my"),
    p.present_participle("hit"),
    p.compare("index", "indices"),
)
p.classical(all=True)
print(p.plural("formula"), p.plural("brother"), p.inflect("There plural_verb('was', 2) num(2) plural('box')"))
