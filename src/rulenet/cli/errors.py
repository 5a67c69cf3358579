"""Errors that are expected, shown in one line without a traceback; and warnings likewise."""

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from rulenet.exceptions import RuleNetError


@contextmanager
def plain_errors() -> Iterator[None]:
    """Print the message of a ``RuleNetError`` or of a failed file on one line, and end with status 1.

    A reader that closes the pipe early ends the command in silence, as it ends ``cat``.
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show
            yield
        sys.stdout.flush()
    except BrokenPipeError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from error
    except RuleNetError as error:
        raise _ended(_line(error)) from error
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        raise _ended(f"{place}{error.strerror or error}") from error


def _show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """A warning of ours, or of anyone to users; what is for developers stays away."""
    if issubclass(category, UserWarning | RuntimeWarning):
        typer.echo(f"rulenet: warning: {said(message)}", err=True)


def said(message: object) -> str:
    """A warning on one line, whose remedy is an option of the command instead of a parameter.

    >>> said("column 'my id' is left out; name it in nominal=['my id'] to keep it")
    "column 'my id' is left out; keep it with --nominal 'my id'"
    """
    text = re.sub(r"if (.+) (stands for a missing value), make it None", r"if \1 \2, say --na \1", _line(message))
    return re.sub(r"name it in nominal=\[(.+)\] to keep it", r"keep it with --nominal \1", text)


def _line(message: object) -> str:
    return " ".join(str(message).split())


def _ended(message: str) -> typer.Exit:
    typer.echo(f"rulenet: {message}", err=True)
    return typer.Exit(1)
