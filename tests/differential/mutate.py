"""Broken sources: mutate.py SEED COUNT FILE... prints variants of the files' statements, each after a line "#### N".

A variant has one token dropped, doubled, swapped with the next one, or replaced by one from elsewhere. Most are no
programs any more.
"""
import ast
import io
import random
import sys
import tokenize

LONGEST = 30  # lines of a statement


def statements(paths):
    """The texts of the statements at the top of the files, those that are not too long."""
    found = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for node in ast.parse(text).body:
            piece = ast.get_source_segment(text, node, padded=True)
            if piece.count("\n") < LONGEST:
                found.append(piece + "\n")
    return found


def tokens(text):
    """(start, end) of each token that has a text, as indices into the text."""
    starts = [0]
    for line in text.splitlines(True):
        starts.append(starts[-1] + len(line))
    found = tokenize.generate_tokens(io.StringIO(text).readline)
    return [(starts[token.start[0] - 1] + token.start[1], starts[token.end[0] - 1] + token.end[1])
            for token in found if token.string.strip()]


def mutate(text, generator, others):
    spans = tokens(text)
    index = generator.randrange(len(spans))
    start, end = spans[index]
    kind = generator.randrange(4)
    if kind == 0:
        return text[:start] + text[end:]
    if kind == 1:
        return text[:end] + " " + text[start:end] + text[end:]
    if kind == 2 and index + 1 < len(spans):
        second, after = spans[index + 1]
        return text[:start] + text[second:after] + text[end:second] + text[start:end] + text[after:]
    other = generator.choice(others)
    return text[:start] + other + text[end:]


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    generator = random.Random(seed)
    sources = statements(sys.argv[3:])
    others = [text[start:end] for text in generator.sample(sources, 200) for start, end in tokens(text)]
    for number in range(count):
        print(f"#### {number}\n{mutate(generator.choice(sources), generator, others)}", end="")


if __name__ == "__main__":
    main()
