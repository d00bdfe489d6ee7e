import isort
from isort import Config, place_module
from isort.exceptions import ISortError

source = '"""Doc."""\nfrom b import z, Y, x as q\nimport sys, os\nfrom __future__ import annotations\nfrom . import local\nimport a.b.c  # why\nfrom os import path\n\n\n\ndef f(): pass\n'
print(isort.code(source))
print(
    isort.code(
        source,
        config=Config(
            profile="black",
            force_single_line=True,
            known_first_party=["b"],
            add_imports=["import added"],
            lines_after_imports=1,
        ),
    )
)
print(
    isort.code(
        "from m import (aaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbb, ccccccccccccccccccc, ddddddddddddddd)\n",
        multi_line_output=3,
        include_trailing_comma=True,
    ),
    isort.check_code("import b\nimport a\n"),
    isort.check_code("import a\nimport b\n"),
)
print(
    place_module("os"),
    place_module("nosuch"),
    place_module("__future__"),
    place_module("x", config=Config(known_third_party=["x"])),
)
print(isort.code("import b  # isort: skip\nimport a\n"))
try:
    Config(profile="nosuch")
except ISortError as error:
    print(type(error).__name__)
