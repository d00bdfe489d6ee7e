from tabulate import tabulate, tabulate_formats, simple_separated_format

rows = [["spam", 41.9999, True], ["eggs", "451.0", None], ["bär", -3, False]]
for style in "plain", "github", "grid", "html", "latex", "fancy_grid", "rst":
    print(tabulate(rows, headers=["item", "qty", "ok"], tablefmt=style))
print(tabulate({"a": [1, 2], "b": [3]}, headers="keys", showindex=True, missingval="?"))
print(
    tabulate(rows, tablefmt=simple_separated_format("|"), floatfmt=".1f", stralign="right"), len(tabulate_formats) > 10
)
