"""Figures whose text stays text: it can be searched, read aloud and restyled in SVG files."""

from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

SVG: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "rulenet"}


class Picture(Figure):
    """A matplotlib figure that writes text as text."""

    def savefig(self, fname: Any, **options: Any) -> None:  # type: ignore[override]
        """Write the picture to a file; the same picture gives the same SVG."""
        with mpl.rc_context(SVG):
            super().savefig(fname, **options)
