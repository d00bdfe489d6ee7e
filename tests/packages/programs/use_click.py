import click
from click.testing import CliRunner


@click.group()
@click.option("--debug/--no-debug", default=False, help="Say more.")
@click.pass_context
def cli(ctx, debug):
    """A tool with commands."""
    ctx.obj = debug


@cli.command()
@click.argument("name")
@click.option("-n", "--count", type=click.IntRange(1, 5), default=1, show_default=True, help="How often.")
@click.option("--kind", type=click.Choice(["a", "b"]), multiple=True)
@click.pass_obj
def hello(debug, name, count, kind):
    """Greets NAME."""
    for _ in range(count):
        click.echo(f"Hello {name} {debug} {kind}")
    click.secho("done", fg="green", bold=True)


@cli.command()
@click.option("--password", prompt=True, hide_input=False)
def ask(password):
    click.echo(password[::-1])
    raise click.ClickException("refused")


runner = CliRunner()
for args in (
    ["--help"],
    ["hello", "--help"],
    ["--debug", "hello", "Ann", "-n", "2", "--kind", "a", "--kind", "b"],
    ["hello"],
    ["hello", "x", "-n", "9"],
    ["what"],
    ["hello", "x", "--kind", "z"],
):
    r = runner.invoke(cli, args)
    print(r.exit_code, r.output)
r = runner.invoke(cli, ["ask"], input="abc\n")
print(r.exit_code, r.output, click.style("x", fg="red") == "\x1b[31mx\x1b[0m", click.unstyle("\x1b[1mb\x1b[0m"))
