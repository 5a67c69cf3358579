"""What a reproduction leaves in its folder beside the results."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Report:
    """A Markdown text and the plots it shows, by file name without suffix."""

    text: str
    figures: Mapping[str, Figure] = field(default_factory=dict)

    def write(self, folder: Path, name: str) -> Path:
        """Write ``name``.md, and every figure as SVG and PNG; returns the path of the text."""
        folder.mkdir(parents=True, exist_ok=True)
        for stem, figure in self.figures.items():
            figure.savefig(folder / f"{stem}.svg", metadata={"Date": None})
            figure.savefig(folder / f"{stem}.png", dpi=150)
        path = folder / f"{name}.md"
        path.write_text(self.text, encoding="utf-8")
        return path
