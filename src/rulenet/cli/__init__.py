"""The `rulenet` command: one small file a command, assembled here.

Nothing heavy is imported before a command runs: `rulenet --help` answers at once.
"""

from typing import Annotated

import typer

from rulenet.cli import data, evaluate, explain, fit, look, page, picture, predict, show
from rulenet.cli.demo import demo
from rulenet.cli.help import SETTINGS, Command, Commands
from rulenet.cli.reproduce import reproduce

app = typer.Typer(
    cls=Commands,
    help="Deep rule networks: classifiers that can be read, learned from tables.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    rich_markup_mode=None,
    context_settings=SETTINGS,
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


app.command(cls=Command)(demo)
app.command(cls=Command, epilog=look.EPILOG)(look.look)
app.command(cls=Command, epilog=fit.EPILOG)(fit.fit)
app.command(cls=Command, epilog=predict.EPILOG)(predict.predict)
app.command(cls=Command, epilog=show.EPILOG)(show.show)
app.command(cls=Command, epilog=explain.EPILOG)(explain.explain)
app.command(cls=Command, epilog=picture.EPILOG)(picture.picture)
app.command(cls=Command, epilog=page.EPILOG)(page.page)
app.command(cls=Command, epilog=evaluate.EPILOG)(evaluate.evaluate)
app.command(cls=Command, epilog=data.EPILOG)(data.data)
app.add_typer(reproduce, name="reproduce")
