"""`python -m benchmarks.accuracy [PART ...] [--seeds N] [--peers] [--quick] [--fresh | --fresh-ours]`: one report.

Every finished fit is a line of results/accuracy/PART.csv, and what is there is not run again, so a run that was stopped
goes on where it was. After a change of our code, `--fresh-ours` runs ours again and keeps the peers.
"""

import argparse
import sys
from pathlib import Path

from benchmarks.accuracy.plan import PARTS, Scale
from benchmarks.accuracy.report import read_part, write_report
from rulenet.experiments import forget_results, run_study

OUT = Path(__file__).parents[2] / "results"


def main(arguments: list[str], out: Path = OUT) -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.accuracy", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all of them if none is named")
    parser.add_argument(
        "--seeds",
        type=int,
        default=3,
        help="runs of our learner (3); for pay, twice as many tables of every kind",
    )
    parser.add_argument(
        "--peers", action="store_true", help="run peers on tables too, besides the figures known of them"
    )
    parser.add_argument("--quick", action="store_true", help="fewer and smaller sets, in files of their own")
    parser.add_argument("--fresh", action="store_true", help="run again what is there")
    parser.add_argument("--fresh-ours", action="store_true", help="run again what is there, but for the peers")
    parser.add_argument("--only-report", action="store_true", help="run nothing, report what is there")
    options = parser.parse_args(arguments)
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part is named {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    folder = out / ("accuracy-quick" if options.quick else "accuracy")
    scale = Scale(options.seeds, options.quick, options.peers)
    for name in options.parts or PARTS:
        if not options.only_report:
            measure(name, scale, folder, options.fresh, options.fresh_ours)
    frames = {name: read_part(path) for name in options.parts or PARTS if (path := folder / f"{name}.csv").exists()}
    report = write_report(frames)
    folder.with_suffix(".md").write_text(report)
    print(report)


def measure(name: str, scale: Scale, folder: Path, fresh: bool = False, fresh_ours: bool = False) -> None:
    """Run what the file of a part lacks."""
    part, path = PARTS[name], folder / f"{name}.csv"
    studies = part.studies(scale)
    if fresh or fresh_ours:
        forget_results(
            path, None if fresh else {learner for study in studies for learner in study.learners} - part.peers
        )
    for study in studies:
        run_study(study, path, progress=sys.stderr.isatty(), prefer="threads", patience=part.patience)


if __name__ == "__main__":
    main(sys.argv[1:])
