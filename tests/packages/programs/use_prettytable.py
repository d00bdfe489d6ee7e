import prettytable
from prettytable import PrettyTable

t = PrettyTable(["City", "Area", "Rain"])
t.add_rows([["Adelaide", 1295, 600.5], ["Brisbane", 5905, 1146.4], ["Darwin", 112, 1714.7]])
t.align["City"], t.float_format, t.sortby = "l", ".1", "Rain"
print(t)
print(
    t.get_string(fields=["City", "Rain"], start=1, border=False),
    t.get_html_string(attributes={"id": "x"}),
    t.get_csv_string(),
)
t.set_style(prettytable.TableStyle.MARKDOWN)
t.del_row(0)
t.add_column("n", [1, 2])
print(t, t.get_json_string(), len(t._rows), t[0:1].field_names)
w = PrettyTable(["t"], max_width=10)
w.add_row(["some long text that wraps 日本語"])
print(w, prettytable.from_csv(__import__("io").StringIO("a,b\n1,2\n")))
try:
    t.add_row([1])
except ValueError as error:
    print(error)
