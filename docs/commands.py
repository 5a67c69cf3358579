"""Every command with all its options, as Markdown, read from the command itself; `refresh.py` puts it into its page."""

from collections.abc import Iterator
from typing import Any

import typer.main

from rulenet.cli import app


def describe() -> str:
    """A section for each command."""
    root = typer.main.get_command(app)
    return "\n\n".join(_section(name, command) for name, command in _commands(root))


def _commands(group: Any, prefix: str = "rulenet") -> Iterator[tuple[str, Any]]:
    for name, command in getattr(group, "commands", {}).items():
        if getattr(command, "commands", None):
            yield from _commands(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


def _section(name: str, command: Any) -> str:
    lines = [f"### {name}", "", str(command.help or "").strip(), ""]
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    rows = [(f"`{p.metavar or p.name.upper()}`", p.help or "", "") for p in arguments]
    rows += [(", ".join(f"`{o}`" for o in p.opts), p.help or "", _default(p)) for p in options if p.name != "help"]
    if rows:
        lines += ["| | | default |", "|---|---|---|", *(f"| {a} | {_cell(b)} | {c} |" for a, b, c in rows)]
    return "\n".join(lines).rstrip()


def _default(option: Any) -> str:
    if option.required:
        return "required"
    if option.is_flag or option.default is None or option.default == ():
        return ""
    value = option.default() if callable(option.default) else option.default
    return f"`{getattr(value, 'value', value)}`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
