"""Plots of results: pure functions that return a figure."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rulenet.experiments.statistics import average_ranks, critical_distance, indistinguishable


def plot_critical_difference(scores: pd.DataFrame, alpha: float = 0.05) -> Figure:
    """Average ranks on an axis, the best on the right; learners joined by a bar do not differ significantly."""
    ranks = average_ranks(scores).sort_values()
    distance = critical_distance(len(ranks), len(scores), alpha)
    groups = indistinguishable(ranks, distance)
    height = 1.3 + 0.22 * (len(ranks) + len(groups))
    figure = Figure(figsize=(6.5, height), layout="constrained")
    axes = figure.subplots()
    _draw_rank_axis(axes, len(ranks), distance, f"critical distance {distance:.3f}, {1 - alpha:.0%}")
    depth = 0.5 + 0.35 * len(groups)
    for i, (name, rank) in enumerate(ranks.items()):
        left = i >= len(ranks) / 2
        level = depth + 0.4 * (len(ranks) - 1 - i if left else i)
        side = len(ranks) + 0.1 if left else 0.9
        axes.plot([rank, rank, side], [0, -level, -level], color="black", linewidth=0.8)
        axes.text(side, -level, f" {name}  {rank:.3f} ", ha="right" if left else "left", va="center", fontsize=9)
    for i, group in enumerate(groups):
        axes.plot([ranks[group[0]] - 0.03, ranks[group[-1]] + 0.03], [-0.3 - 0.35 * i] * 2, color="black", linewidth=4)
    axes.set_ylim(-depth - 0.4 * (len(ranks) / 2 + 0.5), 1.3)
    return figure


def _draw_rank_axis(axes: Axes, n: int, distance: float, label: str) -> None:
    axes.set_axis_off()
    axes.set_xlim(n + 1.2, -0.2)
    axes.plot([1, n], [0, 0], color="black", linewidth=1)
    for rank in range(1, n + 1):
        axes.plot([rank, rank], [0, 0.12], color="black", linewidth=1)
        axes.annotate(str(rank), (rank, 0.15), ha="center", fontsize=9)
    axes.plot([n, n - distance], [0.75, 0.75], color="tab:red", linewidth=2)
    axes.annotate(label, (n - distance / 2, 0.85), ha="center", fontsize=8, color="tab:red")


def plot_lines(
    table: pd.DataFrame, xlabel: str, ylabel: str = "accuracy", title: str = "", axes: Axes | None = None
) -> Figure:
    """A line a column of ``table`` over its index, which need not be numbers."""
    axes = axes if axes is not None else Figure(figsize=(6, 4), layout="constrained").subplots()
    positions = np.arange(len(table))
    for name, column in table.items():
        axes.plot(positions, column.to_numpy(), marker="o", markersize=3, linewidth=1.2, label=str(name))
    axes.set_xticks(positions, [str(label) for label in table.index], **_tick_style(table.index))
    axes.set(xlabel=xlabel, ylabel=ylabel, title=title)
    axes.legend(fontsize=7)
    axes.grid(alpha=0.3)
    figure = axes.get_figure()
    assert isinstance(figure, Figure)
    return figure


def _tick_style(index: pd.Index) -> dict[str, Any]:
    wide = sum(len(str(label)) for label in index) > 80
    return {"rotation": 90, "fontsize": 6} if wide else {}


def plot_curves(curves: pd.DataFrame, xlabel: str, epoch: int | None = None) -> Figure:
    """A curve a column of ``curves`` over its index, with a rule at the end of every epoch of ``epoch`` steps."""
    figure = Figure(figsize=(6.5, 4), layout="constrained")
    axes = figure.subplots()
    for name, curve in curves.items():
        axes.plot(curves.index, curve.to_numpy(), label=str(name))
    for end in range(epoch, len(curves), epoch) if epoch else ():
        axes.axvline(end + 0.5, color="grey", linewidth=0.5, linestyle=":")
    axes.set(xlabel=xlabel, ylabel="accuracy on the training rows")
    axes.legend()
    axes.grid(alpha=0.3)
    return figure


def plot_accuracy_against_size(points: pd.DataFrame) -> Figure:
    """Mean accuracy against mean size with standard errors; ``points`` has a row a learner."""
    figure = Figure(figsize=(6.5, 4), layout="constrained")
    axes = figure.subplots()
    for name, point in points.iterrows():
        axes.errorbar(
            point["size"],
            point["accuracy"],
            xerr=point["size_error"],
            yerr=point["accuracy_error"],
            fmt="o",
            label=name,
        )
    axes.set(xlabel="edges of the network", ylabel="accuracy on the test rows")
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    return figure
