"""The `rulenet` command: one small file a command, assembled here."""

import typer

from rulenet.cli import data, evaluate, explain, fit, picture, predict, show
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
app.command(epilog=fit.EPILOG)(fit.fit)
app.command(epilog=predict.EPILOG)(predict.predict)
app.command(epilog=show.EPILOG)(show.show)
app.command(epilog=explain.EPILOG)(explain.explain)
app.command(epilog=picture.EPILOG)(picture.picture)
app.command(epilog=evaluate.EPILOG)(evaluate.evaluate)
app.command(epilog=data.EPILOG)(data.data)
app.add_typer(reproduce, name="reproduce")
