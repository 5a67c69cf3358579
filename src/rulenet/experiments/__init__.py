"""Experiments: declare a study, run it, read the results, compare the learners."""

from rulenet.experiments.results import read_results
from rulenet.experiments.run import run_study
from rulenet.experiments.statistics import average_scores, compare, compare_all
from rulenet.experiments.study import Fit, Study

__all__ = ["Fit", "Study", "average_scores", "compare", "compare_all", "read_results", "run_study"]
