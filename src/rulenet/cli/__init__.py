"""The `rulenet` command: one small file a command, assembled here.

Nothing heavy is imported before a command runs: `rulenet --help` answers at once.
"""

from typing import Annotated

import typer

from rulenet.cli import data, evaluate, explain, fit, look, page, picture, predict, show
from rulenet.cli.demo import demo
from rulenet.cli.reproduce import reproduce

app = typer.Typer(
    help="Deep rule networks: classifiers that can be read, learned from tables.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from rulenet import __version__

        typer.echo(f"rulenet {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, metavar="", help="Show the version.")
    ] = False,
) -> None:
    """Deep rule networks: classifiers that can be read, learned from tables."""


app.command()(demo)
app.command(epilog=look.EPILOG)(look.look)
app.command(epilog=fit.EPILOG)(fit.fit)
app.command(epilog=predict.EPILOG)(predict.predict)
app.command(epilog=show.EPILOG)(show.show)
app.command(epilog=explain.EPILOG)(explain.explain)
app.command(epilog=picture.EPILOG)(picture.picture)
app.command(epilog=page.EPILOG)(page.page)
app.command(epilog=evaluate.EPILOG)(evaluate.evaluate)
app.command(epilog=data.EPILOG)(data.data)
app.add_typer(reproduce, name="reproduce")
