import svgwrite
from svgwrite import cm, mm, rgb

d = svgwrite.Drawing("x.svg", size=("10cm", "5cm"), profile="full", viewBox="0 0 100 50")
g = d.add(d.g(id="shapes", fill="none", stroke_width=2))
g.add(d.rect(insert=(0, 0), size=(10 * mm, 2 * cm), rx=2, fill=rgb(10, 20, 30)))
g.add(d.circle(center=(5, 5), r=3, stroke="red")).rotate(45, center=(5, 5))
g.add(d.polyline([(0, 0), (1.5, 2), (3, 0)]))
p = d.path(d="M 0,0")
p.push("L", 10, 10)
p.push_arc((20, 20), 0, 5, large_arc=True, angle_dir="+", absolute=True)
d.add(p)
d.add(d.text("a <b> & c", insert=(1, 2), class_="t", style="font-size:3px"))
gradient = d.defs.add(d.linearGradient((0, 0), (1, 0), id="lg"))
gradient.add_stop_color(0, "white").add_stop_color("50%", rgb(10, 20, 30, "%"), 0.5)
s = d.symbol(id="s")
s.add(d.line((0, 0), (1, 1)))
d.defs.add(s)
d.add(d.use(s, insert=(3, 4)))
print(d.tostring())
for f in (
    lambda: d.circle(center="x", r="y"),
    lambda: d.rect(size=(1, 1), nosuch=3),
    lambda: d.text("x", insert=(1, 2), font_size="??"),
):
    try:
        f()
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)
