import io
import segno
from segno import DataOverflowError, helpers

q = segno.make("Hello minivm", error="h")
print(q.designator, q.version, q.error, q.mode, q.mask, q.symbol_size())
for row in q.matrix:
    print("".join("#" if bit else "." for bit in row))
m = segno.make_micro("12345")
print(m.designator, m.is_micro, [bytes(row).hex() for row in m.matrix])
out = io.BytesIO()
q.save(out, kind="svg", scale=2, dark="darkblue", xmldecl=False)
print(out.getvalue().decode()[:300], segno.make_sequence("abc" * 50, version=2).__len__())
text = io.StringIO()
segno.make("x").terminal(text, compact=True)
print(
    text.getvalue(),
    segno.make("3.1").default_border_size,
    helpers.make_wifi_data("net", "pw", "WPA"),
    helpers.make_mecard_data(name="A", email="a@b.c"),
)
for kwargs in {"content": "x" * 50, "version": 1}, {"content": "a", "error": "z"}, {"content": ""}:
    try:
        segno.make(**kwargs)
    except ValueError as error:
        print(type(error).__name__, error)
