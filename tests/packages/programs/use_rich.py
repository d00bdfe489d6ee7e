import io
from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.pretty import pretty_repr
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text
from rich.tree import Tree


def console(**more):
    return Console(
        file=io.StringIO(), width=60, force_terminal=True, color_system="standard", legacy_windows=False, **more
    )


c = console()
t = Table(title="Prices", show_lines=True)
t.add_column("Item", style="cyan")
t.add_column("Price", justify="right")
t.add_row("Kiwi", "[red]1.20[/red]")
t.add_row("日本", "3")
c.print(t)
tree = Tree("root")
tree.add("a").add("b")
c.print(tree, Panel("[bold]Hello[/] World " * 5, title="T"))
c.print({"a": [1, 2.5, None, True, "x"], "b": (1,)}, Text("styled", style="italic blue"))
c.print(Markdown("# Head\n\n* one\n* two `code`\n\n> quote"))
c.print(Syntax("def f(x): return 1", "python", theme="ansi_dark"))
c.rule("end")
print(c.file.getvalue())
print(pretty_repr({"k" * 30: list(range(20)), "z": {"n": "v" * 40}}, max_width=50), Text.from_markup("[b]x[/b]y").spans)
