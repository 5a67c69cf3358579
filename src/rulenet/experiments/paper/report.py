"""What a reproduction leaves in its folder beside the results."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Report:
    """A Markdown text, the plots it shows (by file name without suffix), and further files."""

    text: str
    figures: Mapping[str, Figure] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    def write(self, folder: Path, name: str) -> Path:
        """Write ``name``.md, the further files, and every figure as SVG and PNG; returns the path of the text."""
        folder.mkdir(parents=True, exist_ok=True)
        for stem, figure in self.figures.items():
            figure.savefig(folder / f"{stem}.svg", metadata={"Date": None})
            figure.savefig(folder / f"{stem}.png", dpi=150)
        for file, content in self.files.items():
            (folder / file).write_text(content, encoding="utf-8")
        path = folder / f"{name}.md"
        path.write_text(self.text, encoding="utf-8")
        return path
