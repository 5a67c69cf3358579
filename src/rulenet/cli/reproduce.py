"""`rulenet reproduce`: the paper's tables and figures, each with one command.

F. Beck, J. Fürnkranz: An Empirical Investigation into Deep and Shallow Rule Learning. Frontiers in Artificial
Intelligence 4, 2021.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rulenet.cli.errors import plain_errors
from rulenet.cli.help import Command, Commands

if TYPE_CHECKING:
    import pandas as pd

    from rulenet.experiments.paper.report import Report

reproduce = typer.Typer(
    cls=Commands, help="The tables and figures of the paper on deep and shallow rule learning.", no_args_is_help=True
)

Out = Annotated[Path, typer.Option(help="Folder for results.csv, the report and the plots; a run is resumed from it.")]
Jobs = Annotated[int, typer.Option(help="How many fits at a time; -1 means one a core.")]
DataHome = Annotated[Path | None, typer.Option(help="Folder of the UCI files; else RULENET_DATA, a cache, OpenML.")]
WithRipper = Annotated[bool, typer.Option(help="Run RIPPER too, where wittgenstein is installed.")]


@reproduce.command("table2", cls=Command)
@plain_errors()
def run_table2(out: Out = Path("results/table2"), n_jobs: Jobs = -1, ripper: WithRipper = True) -> None:
    """Three networks, RIPPER and CART on 20 artificial data sets."""
    from rulenet.experiments import run_study
    from rulenet.experiments.paper import table2

    # Fits of a hundredth of a second: the time that processes take to start would count. RIPPER, all Python, waits.
    run_study(table2.declare(False), out / "results.csv", n_jobs, progress=True, prefer="threads")
    results = run_study(table2.declare(_wanted(ripper)), out / "results.csv", n_jobs, progress=True)
    _show(table2.report(results), out, "table2", results)


@reproduce.command("table3", cls=Command)
@plain_errors()
def run_table3(
    out: Out = Path("results/table3"),
    n_jobs: Jobs = -1,
    ripper: WithRipper = True,
    data_home: DataHome = None,
    fair_seeds: Annotated[int, typer.Option(help="Seeds of the fair version; 0 leaves it out.")] = 20,
    all_rows: Annotated[bool, typer.Option(help="The fair version on all rows of connect-4 and mushroom too.")] = False,
) -> None:
    """Three networks, RIPPER and CART on six UCI data sets; as published, and fairly."""
    from rulenet.experiments import run_study
    from rulenet.experiments.paper import table3

    run_study(table3.declare(data_home), out / "results.csv", n_jobs, progress=True)
    results = run_study(table3.declare_peers(data_home, _wanted(ripper)), out / "results.csv", n_jobs, progress=True)
    _show(table3.report(results), out, "table3", results)
    if fair_seeds:
        fair_study = table3.declare_fair(data_home, fair_seeds, table3.LARGE if all_rows else ())
        fair = run_study(fair_study, out / "fair.csv", n_jobs, progress=True)
        _show(table3.report_fair(fair), out, "table3-fair", fair)


@reproduce.command("figure4", cls=Command)
@plain_errors()
def run_figure4(out: Out = Path("results/figure4"), n_jobs: Jobs = -1) -> None:
    """The grid search: 54 deep and 42 shallow settings on 20 artificial data sets."""
    from rulenet.experiments import run_study
    from rulenet.experiments.paper import figure4

    results = run_study(figure4.declare(), out / "results.csv", n_jobs, progress=True)
    _show(figure4.report(results), out, "figure4", results)


@reproduce.command("figure5", cls=Command)
@plain_errors()
def run_figure5(out: Out = Path("results/figure5"), n_jobs: Jobs = -1) -> None:
    """Accuracy on the training rows over mini-batches."""
    from rulenet.experiments import run_study
    from rulenet.experiments.paper import figure5

    results = run_study(figure5.declare(), out / "results.csv", n_jobs, progress=True, prefer="threads")
    _show(figure5.report(results), out, "figure5", results)


@reproduce.command("example", cls=Command)
@plain_errors()
def run_example(out: Out = Path("results/example")) -> None:
    """Section 4.1: equations 1 and 2, their sizes and their networks."""
    from rulenet.experiments.paper import example

    _show(example.report(), out, "example")


@reproduce.command("beyond", cls=Command)
@plain_errors()
def run_beyond(
    out: Out = Path("results/beyond"),
    n_jobs: Jobs = -1,
    sets: Annotated[int, typer.Option(min=1, help="Data sets from each of four generators.")] = 1000,
    others: Annotated[
        int,
        typer.Option(min=1, help="How many of those from another generator than the paper's the default search sees."),
    ] = 100,
) -> None:
    """Deep against shallow on many fresh data sets, with generating networks of one to seven layers."""
    from rulenet.experiments import run_study
    from rulenet.experiments.paper import beyond

    for study in beyond.declare(sets, others):
        results = run_study(study, out / "results.csv", n_jobs, progress=True)
    _show(beyond.report(results), out, "beyond", results)


def _wanted(with_ripper: bool) -> bool:
    from rulenet.experiments.paper import ripper

    if with_ripper and not ripper.is_installed():
        typer.echo("RIPPER is left out: pip install 'rulenet[peers]' brings wittgenstein", err=True)
        return False
    return with_ripper


def _show(report: "Report", folder: Path, name: str, results: "pd.DataFrame | None" = None) -> None:
    typer.echo(report.text)
    if results is not None:
        from rulenet.experiments import failures

        for line in failures(results):
            typer.echo(f"failed: {line}", err=True)
    typer.echo(f"written to {report.write(folder, name)}", err=True)
