#!/usr/bin/env python3.9
"""Makes objects/text/unicode_tables.c from the Unicode database of the Python that runs it.

    /path/to/python3.9 objects/text/make_unicode_tables.py > objects/text/unicode_tables.c

Run it with CPython 3.9 (Unicode 13.0.0), nothing else gives 3.9's answers. Properties are asked of
str's own methods, so that the tables say what CPython says. The one thing Python cannot list is the
name aliases; perl knows candidates, and unicodedata confirms each. The header unicode_tables.h
explains the shape of every table.
"""
import re
import subprocess
import sys
import unicodedata
from collections import Counter

assert unicodedata.unidata_version == "13.0.0", "run this with CPython 3.9"

POINTS = range(0x110000)
FLAGS = ["ALPHA", "NUMERIC", "LOWER", "UPPER", "TITLE", "CASED", "IGNORABLE", "SPACE", "BREAK",
         "PRINTABLE", "ID_START", "ID_PART"]
SPECIAL = 1 << 24
COLUMNS = 98


def ends_in_final_sigma(text):
    """Whether a sigma after the text is at the end of a word: str.lower() looks back."""
    return (text + "\u03a3").lower().endswith("\u03c2")


def flags_of(char):
    """The bits of unicode_tables.h, in the order of FLAGS."""
    answers = [
        char.isalpha(),
        char.isnumeric(),
        char.islower(),
        char.isupper(),
        char.istitle() and not char.isupper(),
        (char + "a").title()[-1] == "a",
        not ends_in_final_sigma(char) and ends_in_final_sigma("A" + char),
        char.isspace(),
        len((char + "x").splitlines()) == 2,
        char.isprintable(),
        char.isidentifier(),
        ("a" + char).isidentifier(),
    ]
    return sum(1 << bit for bit, answer in enumerate(answers) if answer)


def write_array(kind, name, numbers):
    print(f"const {kind} {name}[{len(numbers)}] = {{")
    line = "   "
    for number in numbers:
        piece = f" {number},"
        if len(line) + len(piece) > COLUMNS:
            print(line)
            line = "   "
        line += piece
    print(line)
    print("};\n")


def write_text(name, text):
    """A long text as a C string; it holds printable ASCII without quotes and backslashes."""
    print(f"const char {name}[] =")
    step = COLUMNS - 6
    lines = [text[at:at + step] for at in range(0, len(text), step)]
    print("\n".join(f'    "{line}"' for line in lines) + ";")
    print(f"const size_t {name}_size = {len(text)};\n")


def width_of(number):
    return 1 if number < 256 else 2


def two_stage(values, shifts):
    """The smallest tables (shift, blocks, items): items[blocks[p >> shift] << shift | low bits]."""
    best = None
    for shift in shifts:
        seen, blocks, items = {}, [], []
        for start in range(0, len(values), 1 << shift):
            block = tuple(values[start:start + (1 << shift)])
            if block not in seen:
                seen[block] = len(seen)
                items.extend(block)
            blocks.append(seen[block])
        size = len(blocks) * width_of(len(seen) - 1) + len(items) * width_of(max(items))
        if best is None or size < best[0]:
            best = size, shift, blocks, items
    return best[1:]


def write_two_stage(name, values):
    shift, blocks, items = two_stage(values, range(3, 9))
    for part, numbers in (("blocks", blocks), ("items", items)):
        kind = "uint8_t" if max(numbers) < 256 else "uint16_t"
        write_array(kind, f"unicode_{name}_{part}", numbers)
    print(f"const int unicode_{name}_shift = {shift};\n")


def write_kinds():
    flags = [flags_of(chr(point)) for point in POINTS]
    distinct = [value for value, _ in Counter(flags).most_common()]
    number = {value: index for index, value in enumerate(distinct)}
    write_two_stage("kind", [number[value] for value in flags])
    write_array("uint16_t", "unicode_kinds", distinct)


def write_case():
    special, rows, number, values = [], [], {}, []

    def encode(point, mapped):
        if len(mapped) == 1:
            return ord(mapped) - point
        row = [ord(char) for char in mapped] + [0] * (3 - len(mapped))
        if row not in special:
            special.append(row)
        return SPECIAL + special.index(row)

    for point in POINTS:
        char = chr(point)
        row = tuple(encode(point, mapped) for mapped in
                    (char.lower(), char.upper(), char.title(), char.casefold()))
        if row not in number:
            number[row] = len(rows)
            rows.append(row)
        values.append(number[row])
    write_two_stage("case", values)
    write_array("int32_t", "unicode_cases", [value for row in rows for value in row])
    write_array("uint16_t", "unicode_special_cases", [point for row in special for point in row])


def write_digits():
    decimals, digits = [], []
    for point in POINTS:
        decimal = unicodedata.decimal(chr(point), None)
        digit = unicodedata.digit(chr(point), None)
        if decimal == 0:
            decimals.append(point)
        if decimal is not None:
            assert point - decimal == decimals[-1]
        elif digit is not None:
            run = digits[-1] if digits else [0, 0, 0]
            if run[1] == point - 1 and run[2] + point - run[0] == digit:
                run[1] = point
            else:
                digits.append([point, point, digit])
    write_array("uint32_t", "unicode_decimal_zeros", decimals)
    print(f"const size_t unicode_decimal_zeros_count = {len(decimals)};\n")
    write_array("uint32_t", "unicode_digit_runs", [value for run in digits for value in run])
    print(f"const size_t unicode_digit_runs_count = {len(digits)};\n")


def write_numbers():
    """Values of numeric characters that are no digits: runs that count upwards by one."""
    runs, values = [], []
    for point in POINTS:
        value = unicodedata.numeric(chr(point), None)
        if value is None or unicodedata.digit(chr(point), None) is not None:
            continue
        if runs and runs[-1][1] == point - 1 and values[-1] + point - runs[-1][0] == value:
            runs[-1][1] = point
        else:
            runs.append([point, point])
            values.append(value)
    write_array("uint32_t", "unicode_number_runs", [value for run in runs for value in run])
    write_array("double", "unicode_numbers", values)
    print(f"const size_t unicode_number_runs_count = {len(runs)};\n")


def properties_of(char):
    return (unicodedata.category(char), unicodedata.bidirectional(char),
            unicodedata.east_asian_width(char), unicodedata.mirrored(char))


def write_properties():
    properties = [properties_of(chr(point)) for point in POINTS]
    distinct = [row for row, _ in Counter(properties).most_common()]
    number = {row: index for index, row in enumerate(distinct)}
    write_two_stage("property", [number[row] for row in properties])
    rows = ",\n".join('    {"%s", "%s", "%s", %d}' % row for row in distinct)
    print(f"const UnicodeProperties unicode_properties[{len(distinct)}] = {{\n{rows},\n}};\n")


def properties_in(database, char):
    return (database.category(char), database.bidirectional(char), database.east_asian_width(char),
            database.mirrored(char), database.decimal(char, -1))


def write_version_3_2():
    """Where the database of version 3.2 gives other answers: mostly characters that it did not have."""
    runs, rows = [], []
    for point in POINTS:
        row = properties_in(unicodedata.ucd_3_2_0, chr(point))
        if row == properties_in(unicodedata, chr(point)):
            continue
        if row not in rows:
            rows.append(row)
        if runs and runs[-1][1:] == [point - 1, rows.index(row)]:
            runs[-1][1] = point
        else:
            runs.append([point, point, rows.index(row)])
    write_array("uint32_t", "unicode_3_2_runs", [value for run in runs for value in run])
    print(f"const size_t unicode_3_2_runs_count = {len(runs)};\n")
    print(f"const UnicodeProperties32 unicode_3_2_properties[{len(rows)}] = {{")
    for category, bidirectional, width, mirrored, decimal in rows:
        print(f'    {{{{"{category}", "{bidirectional}", "{width}", {mirrored}}}, {decimal}}},')
    print("};\n")


def write_decompositions():
    tags, index, data = [""], [], []
    for point in POINTS:
        words = unicodedata.decomposition(chr(point)).split()
        if not words:
            continue
        tag = words.pop(0) if words[0].startswith("<") else ""
        if tag not in tags:
            tags.append(tag)
        assert len(words) < 32 and len(tags) <= 32
        index.extend((point, len(data) << 10 | tags.index(tag) << 5 | len(words)))
        data.extend(int(word, 16) for word in words)
    rows = ",\n".join(f'    "{tag}"' for tag in tags)
    print(f"const char *const unicode_decomposition_tags[{len(tags)}] = {{\n{rows},\n}};\n")
    write_array("uint32_t", "unicode_decompositions", index)
    print(f"const size_t unicode_decompositions_count = {len(index) // 2};\n")
    write_array("uint32_t", "unicode_decomposed", data)


def write_compositions():
    classes = []
    for point in POINTS:
        combining = unicodedata.combining(chr(point))
        if not combining:
            continue
        if classes and classes[-1][1] == point - 1 and classes[-1][2] == combining:
            classes[-1][1] = point
        else:
            classes.append([point, point, combining])
    write_array("uint32_t", "unicode_combining_runs", [value for run in classes for value in run])
    print(f"const size_t unicode_combining_runs_count = {len(classes)};\n")
    pairs = []
    for point in POINTS:
        pair = unicodedata.decomposition(chr(point)).split()
        if len(pair) == 2 and not pair[0].startswith("<"):
            first, second = (int(part, 16) for part in pair)
            if unicodedata.normalize("NFC", chr(first) + chr(second)) == chr(point):
                pairs.append((first, second, point))
    numbers = [value for pair in sorted(pairs) for value in pair]
    write_array("uint32_t", "unicode_compositions", numbers)
    print(f"const size_t unicode_compositions_count = {len(pairs)};\n")


# ---- names

NAME_BLOCK = 64
WORD_BLOCK = 64
SHARED_MAX = 7
LETTERS = [chr(code) for code in range(0x20, 0x7F) if chr(code) not in '"\\?']
SHARES, LETTERS = LETTERS[:SHARED_MAX + 1], LETTERS[SHARED_MAX + 1:]
NUMBERED = re.compile(r"^(.*-)([0-9A-F]{4,6})$")


def split_name(name):
    return re.findall(r" ?[A-Z]+|[0-9]+|.", name)


def collect_names():
    names, numbered = [], []
    for point in POINTS:
        name = unicodedata.name(chr(point), None)
        if not name or name.startswith("HANGUL SYLLABLE "):
            continue
        match = NUMBERED.match(name)
        if not match or int(match[2], 16) != point:
            names.append((point, split_name(name)))
        elif numbered and numbered[-1][2] == match[1] and numbered[-1][1] == point - 1:
            numbered[-1][1] = point
        else:
            numbered.append([point, point, match[1]])
    return names, numbered


def share_words(names):
    """Each name as (words shared with the name before it, the words that follow)."""
    shared, before = [], []
    for index, (_, words) in enumerate(names):
        count = 0
        if index % NAME_BLOCK:
            most = min(len(words), len(before), SHARED_MAX)
            while count < most and words[count] == before[count]:
                count += 1
        shared.append((count, words[count:]))
        before = words
    return shared


def choose_lengths(uses):
    """How many letters of the code alphabet begin codes of one, two and three letters."""
    base, best = len(LETTERS), None
    ranked = [count for _, count in uses]
    for one in range(8, base):
        for two in range(1, base - one + 1):
            three = base - one - two
            if one + two * base + three * base * base < len(ranked):
                continue
            rest = one + two * base
            size = sum(ranked[:one]) + 2 * sum(ranked[one:rest]) + 3 * sum(ranked[rest:])
            if best is None or size < best[0]:
                best = size, one, two
    return best[1:]


def encode_rank(rank, one, two):
    base = len(LETTERS)
    if rank < one:
        return LETTERS[rank]
    rank -= one
    if rank < two * base:
        return LETTERS[one + rank // base] + LETTERS[rank % base]
    rank -= two * base
    high, low = divmod(rank, base)
    return LETTERS[one + two + high // base] + LETTERS[high % base] + LETTERS[low]


def write_names():
    names, numbered = collect_names()
    shared = share_words(names)
    uses = Counter(word for _, rest in shared for word in rest).items()
    uses = sorted(uses, key=lambda use: (-use[1], use[0]))
    one, two = choose_lengths(uses)
    words = [word for word, _ in uses]
    rank = {word: index for index, word in enumerate(words)}
    text, blocks = "", []
    for index, (count, rest) in enumerate(shared):
        if index % NAME_BLOCK == 0:
            blocks.append(len(text))
        text += SHARES[count] + "".join(encode_rank(rank[word], one, two) for word in rest)
    dictionary, word_blocks = "", []
    for index, word in enumerate(words):
        if index % WORD_BLOCK == 0:
            word_blocks.append(len(dictionary))
        dictionary += "," + word
    print(f"const int unicode_codes_of_one = {one}, unicode_codes_of_two = {two};\n")
    write_text("unicode_words", dictionary + ",")
    write_array("uint32_t", "unicode_word_blocks", word_blocks)
    print(f"const size_t unicode_word_count = {len(words)};\n")
    write_text("unicode_names", text)
    write_array("uint32_t", "unicode_name_blocks", blocks)
    print(f"const size_t unicode_name_count = {len(names)};\n")
    runs = []
    for index, (point, _) in enumerate(names):
        if not runs or point - runs[-1][0] != index - runs[-1][1]:
            runs.append((point, index))
    write_array("uint32_t", "unicode_name_runs", [value for run in runs for value in run])
    print(f"const size_t unicode_name_runs_count = {len(runs)};\n")
    rows = ",\n".join(f'    {{{first}, {last}, "{prefix}"}}' for first, last, prefix in numbered)
    print(f"const NumberedNames unicode_numbered_names[{len(numbered)}] = {{\n{rows},\n}};\n")
    print(f"const size_t unicode_numbered_names_count = {len(numbered)};\n")


PERL = r"""
use Unicode::UCD "prop_invmap";
my ($starts, $maps) = prop_invmap("Name_Alias");
for my $i (0 .. $#$starts) {
    my $map = $maps->[$i];
    for my $name (ref $map ? @$map : ($map)) {
        $name =~ s/: .*//;
        print "$name;$starts->[$i]\n" if length $name;
    }
}
"""


def write_aliases():
    text = ""
    lines = subprocess.run(["perl", "-e", PERL], stdout=subprocess.PIPE, check=True).stdout.decode()
    for line in lines.splitlines():
        name, point = line.split(";")
        try:
            if unicodedata.lookup(name) == chr(int(point)):
                text += f",{name}={point}"
        except KeyError:
            continue
    write_text("unicode_aliases", text + ",")


def main():
    print("// Made by objects/text/make_unicode_tables.py from the database of CPython 3.9 (Unicode")
    print("// 13.0.0): do not edit. objects/text/unicode_tables.h says what the tables mean,")
    print("// objects/text/unicode.c reads them.")
    print("// clang-format off")
    print('#include "objects/text/unicode_tables.h"\n')
    write_kinds()
    write_case()
    write_digits()
    write_numbers()
    write_properties()
    write_version_3_2()
    write_decompositions()
    write_compositions()
    write_names()
    write_aliases()


if __name__ == "__main__":
    sys.exit(main())
