"""`python -m benchmarks [NAME ...]`: run the benchmarks and write one Markdown report."""

import importlib
import platform
import sys
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown

HERE = Path(__file__).parent
NAMES = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def main(wanted: list[str]) -> None:
    unknown = set(wanted) - set(NAMES)
    if unknown:
        sys.exit(f"no benchmark is named {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    console = Console()
    out = HERE.parent / "results" / "benchmarks.md"
    out.parent.mkdir(exist_ok=True)
    sections = [f"# Benchmarks\n\nPython {platform.python_version()}, {platform.machine()}; all ratios from one run.\n"]
    for name in wanted or NAMES:
        with console.status(f"running {name}"):
            sections.append(importlib.import_module(f"benchmarks.bench_{name}").report())
        console.print(Markdown(sections[-1]))
        out.write_text("\n".join(sections))
    console.print(f"written to {out}")


main(sys.argv[1:])
