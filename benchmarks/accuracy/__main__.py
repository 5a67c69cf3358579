"""`python -m benchmarks.accuracy [PART ...] [--seeds N] [--quick] [--fresh | --fresh-ours]`: one report.

Every finished fit is a line of results/accuracy.csv, and what is there is not run again, so a run that was stopped goes
on where it was. After a change of our code, `--fresh-ours` runs ours again and keeps the peers.
"""

import argparse
import sys
from pathlib import Path

from benchmarks.accuracy import measure
from benchmarks.accuracy.plan import PARTS
from benchmarks.accuracy.report import write_report

OUT = Path(__file__).parents[2] / "results"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        "python -m benchmarks.accuracy", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all of them if none is named")
    parser.add_argument("--seeds", type=int, default=3, help="runs of our learner (3)")
    parser.add_argument("--quick", action="store_true", help="fewer and smaller sets, in files of their own")
    parser.add_argument("--fresh", action="store_true", help="run again what is there")
    parser.add_argument("--fresh-ours", action="store_true", help="run again what is there, but for the peers")
    parser.add_argument("--only-report", action="store_true", help="run nothing, report what is there")
    options = parser.parse_args(arguments)
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part is named {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    OUT.mkdir(exist_ok=True)
    path = OUT / ("accuracy-quick.csv" if options.quick else "accuracy.csv")
    parts = {name: PARTS[name] for name in options.parts or PARTS}
    measure.tidy(path, parts if options.fresh or options.fresh_ours else (), keep_peers=not options.fresh)
    if not options.only_report:
        measure.measure(parts, path, options.seeds, options.quick)
    report = write_report(measure.read(path), parts)
    path.with_suffix(".md").write_text(report)
    print(report)


if __name__ == "__main__":
    main(sys.argv[1:])
