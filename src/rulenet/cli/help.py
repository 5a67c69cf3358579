"""How commands say what they take: plain text in sections; the packages that draw would load longer than all else."""

import os
from collections.abc import Iterator
from inspect import cleandoc
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

#: No line of the help is longer; lines beyond are hard to read.
SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Command(TyperCommand):
    """A command whose options stand in the sections that they name."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, section by section."""
        for title, rows in _sections(self, ctx).items():
            _write(formatter, title, rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples, one a line, so that they can be copied."""
        if self.epilog:
            title, *lines = (line for line in cleandoc(self.epilog).splitlines() if line)
            formatter.write("\n" + "\n".join([_bold(title), *(f"  {line}" for line in lines)]) + "\n")


class Commands(TyperGroup):
    """A group of commands, each with all of its sentence."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, then the options."""
        _write(formatter, "Commands", list(self._said(ctx)))
        for title, rows in _sections(self, ctx).items():
            _write(formatter, title, rows)

    def _said(self, ctx: Any) -> Iterator[tuple[str, str]]:
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                yield name, " ".join(cleandoc(command.help or "").split("\n\n")[0].split())


def _sections(command: Any, ctx: Any) -> dict[str, list[tuple[str, str]]]:
    sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None:
            kind = "Arguments" if parameter.param_type_name == "argument" else "Options"
            sections.setdefault(getattr(parameter, "rich_help_panel", None) or kind, []).append(record)
    return {title: rows for title, rows in sections.items() if rows}


def _write(formatter: Any, title: str, rows: list[tuple[str, str]]) -> None:
    with formatter.section(_bold(title)):
        formatter.write_dl([(_coloured(name), said) for name, said in rows])


def _bold(text: str) -> str:
    return text if "NO_COLOR" in os.environ else typer.style(text, bold=True)


def _coloured(text: str) -> str:
    return text if "NO_COLOR" in os.environ else typer.style(text, fg="cyan")
