import textdistance as td

pairs = ("martha", "marhta"), ("kitten", "sitting"), ("", "abc"), ("same", "same"), ("flaw", "lawn")
for (
    name
) in "hamming levenshtein damerau_levenshtein jaro jaro_winkler jaccard sorensen overlap cosine tversky bag lcsseq lcsstr ratcliff_obershelp mlipns strcmp95 mra editex prefix postfix length identity monge_elkan tanimoto".split():
    algorithm = getattr(td, name)
    print(
        name,
        [algorithm.distance(*p) if name not in ("lcsseq", "lcsstr") else algorithm(*p) for p in pairs],
        [round(algorithm.normalized_similarity(*p), 6) for p in pairs],
    )
print(
    td.Levenshtein(external=False)("a b c".split(), "a c".split()),
    td.Jaccard(qval=2)("night", "nacht"),
    td.Hamming(test_func=lambda a, b: a.lower() == b.lower())("AbC", "abd"),
    td.hamming("abc", "abd", "xbd"),
)
for name in "rle_ncd bwtrle_ncd sqrt_ncd entropy_ncd arith_ncd".split():
    print(name, [round(getattr(td, name)(*p), 6) for p in pairs[:2]])
