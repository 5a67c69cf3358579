"""Tables of classes and of what was taken for what, as text: aligned for people, with tabs for pipes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulenet.experiments.confusion import Confusion

MOST_MISTAKES = 10


def class_lines(found: "Confusion") -> list[tuple[str, ...]]:
    """Precision, recall and F1 of every class, below a header."""
    header = ("class", "rows", "predicted", "precision", "recall", "f1")
    lines = [
        (str(label), str(int(row["rows"])), str(int(row["predicted"])), *(_share(row[x]) for x in header[3:]))
        for label, row in found.classes().iterrows()
    ]
    return [header, *lines]


def matrix_lines(found: "Confusion", numbered: bool = False) -> list[tuple[str, ...]]:
    """The matrix with labels across, or their numbers, as they then stand before the labels down; . is nothing."""
    across = [str(k) for k, _ in enumerate(found.labels, 1)] if numbered else found.labels
    down = [f"{k} {label}" for k, label in enumerate(found.labels, 1)] if numbered else found.labels
    cells = [[str(n) if n or i == j else "." for j, n in enumerate(row)] for i, row in enumerate(found.counts.tolist())]
    return [("actual \\ predicted", *across), *((label, *row) for label, row in zip(down, cells, strict=True))]


def shown(found: "Confusion", width: int | None) -> str:
    """Both tables as text: with tabs without a ``width``; else the widest matrix that fits, or the worst mistakes."""
    if width is None:
        return "\n\n".join(map(tabbed, (class_lines(found), matrix_lines(found))))
    matrices = [aligned(matrix_lines(found, numbered)) for numbered in (False, True)]
    fitting = [text for text in matrices if max(map(len, text.splitlines())) <= width]
    return "\n\n".join([aligned(class_lines(found)), fitting[0] if fitting else _mistakes(found)])


def _mistakes(found: "Confusion") -> str:
    """What is mistaken most often, where the matrix is too wide."""
    worst, n_all = found.mistakes(MOST_MISTAKES), len(found.mistakes())
    lines = [("actual", "predicted", "rows"), *((a, g, str(n)) for a, g, n in worst)]
    rest = f"\nand {n_all - len(worst)} rarer ones; --json has the whole matrix" if n_all > len(worst) else ""
    return aligned(lines) + rest


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Lines in columns: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    texts = (
        [line[0].ljust(widths[0]), *(x.rjust(w) for x, w in zip(line[1:], widths[1:], strict=True))] for line in lines
    )
    return "\n".join("  ".join(text).rstrip() for text in texts)


def tabbed(lines: Sequence[Sequence[str]]) -> str:
    """Lines with tabs."""
    return "\n".join("\t".join(line) for line in lines)


def as_data(found: "Confusion") -> dict[str, Any]:
    """Both tables for JSON."""
    records = [
        {
            "class": label,
            "rows": int(row["rows"]),
            "predicted": int(row["predicted"]),
            **{name: _known(row[name]) for name in ("precision", "recall", "f1")},
        }
        for label, row in found.classes().iterrows()
    ]
    return {"classes": records, "confusion": {"labels": list(found.labels), "counts": found.counts.tolist()}}


def _known(value: float) -> float | None:
    return None if value != value else float(value)


def _share(value: float) -> str:
    return "" if value != value else f"{value:.3f}"
