"""The `rulenet` command: one small file a command, assembled here."""

import typer

from rulenet.cli.demo import demo
from rulenet.cli.reproduce import reproduce

app = typer.Typer(
    help="Deep rule networks: classifiers that can be read, learned from tables.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
)


@app.callback()
def main() -> None:
    """Deep rule networks: classifiers that can be read, learned from tables."""


app.command()(demo)
app.add_typer(reproduce, name="reproduce")
