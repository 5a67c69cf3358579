"""Errors that rulenet raises on purpose, shown without a traceback."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from rulenet.exceptions import RuleNetError


@contextmanager
def plain_errors() -> Iterator[None]:
    """Print the message of a ``RuleNetError`` and end with status 1."""
    try:
        yield
    except RuleNetError as error:
        typer.echo(f"rulenet: {error}", err=True)
        raise typer.Exit(1) from error
