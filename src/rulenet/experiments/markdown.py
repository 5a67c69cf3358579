"""Tables of results as Markdown: pure functions of the results."""

import re
from collections.abc import Sequence
from itertools import combinations

import pandas as pd

from rulenet.experiments.statistics import average_ranks, critical_distance, friedman_p, nemenyi_p


def to_markdown(table: pd.DataFrame, digits: int = 4) -> str:
    """``table`` with its index as the first column; numbers have ``digits`` decimals, missing ones are blank.

    >>> print(to_markdown(pd.DataFrame({"CART": [0.98206]}, index=pd.Index(["car"], name="data set"))))
    | data set | CART |
    |---|---:|
    | car | .9821 |
    """
    head = [str(table.index.name or ""), *(str(name) for name in table.columns)]
    numeric = [pd.api.types.is_numeric_dtype(table[name]) for name in table.columns]
    lines = [head, ["---", *("---:" if number else "---" for number in numeric)]]
    lines += [[str(label), *(_shown(value, digits) for value in row)] for label, row in _labelled_rows(table)]
    text = [f"| {' | '.join(line)} |" for line in lines]
    text[1] = text[1].replace(" ", "")
    return "\n".join(text)


def to_latex(table: pd.DataFrame, digits: int = 4) -> str:
    r"""``table`` as a LaTeX tabular with the rules of booktabs, numbers as in `to_markdown`.

    >>> print(to_latex(pd.DataFrame({"CART": [0.98206]}, index=pd.Index(["a_b"], name="data"))))
    \begin{tabular}{lr}
    \toprule
    data & CART \\
    \midrule
    a\_b & .9821 \\
    \bottomrule
    \end{tabular}
    """
    columns = "".join("r" if pd.api.types.is_numeric_dtype(table[name]) else "l" for name in table.columns)
    head = _latex_row([str(table.index.name or ""), *(str(name) for name in table.columns)])
    body = [_latex_row([str(label), *(_shown(value, digits) for value in row)]) for label, row in _labelled_rows(table)]
    start, end = rf"\begin{{tabular}}{{l{columns}}}", r"\end{tabular}"
    return "\n".join([start, r"\toprule", head, r"\midrule", *body, r"\bottomrule", end])


def _latex_row(cells: Sequence[str]) -> str:
    escaped = [re.sub(r"([&%$#_{}])", r"\\\1", cell).replace("−", "$-$").replace("Ø", r"\O{}") for cell in cells]
    return " & ".join(escaped) + r" \\"


def _labelled_rows(table: pd.DataFrame) -> list[tuple[object, tuple[object, ...]]]:
    return list(zip(table.index, table.itertuples(index=False, name=None), strict=True))


def _shown(value: object, digits: int) -> str:
    if isinstance(value, str | int):
        return str(value)
    if not isinstance(value, float) or pd.isna(value):
        return ""
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("0.") else text


def beside_published(scores: pd.DataFrame, published: pd.DataFrame, digits: int = 4) -> pd.DataFrame:
    """``scores`` as text, with the published figure in brackets wherever the two differ when rounded."""
    known = published.reindex(index=scores.index, columns=scores.columns)
    shown = {learner: _beside(scores[learner], known[learner], digits) for learner in scores.columns}
    return pd.DataFrame(shown, index=scores.index)


def _beside(ours: pd.Series, theirs: pd.Series, digits: int) -> list[str]:
    pairs = [(_shown(a, digits), _shown(b, digits)) for a, b in zip(ours.tolist(), theirs.tolist(), strict=True)]
    return [a if b in ("", a) else f"{a} ({b})" for a, b in pairs]


def count_equal(scores: pd.DataFrame, published: pd.DataFrame, digits: int = 4) -> tuple[int, int]:
    """How many of the published figures ``scores`` has to the digit, and how many there are.

    >>> count_equal(pd.DataFrame({"a": [0.98206, 0.7]}), pd.DataFrame({"a": [0.9821, 0.8]}))
    (1, 2)
    """
    known = published.reindex(index=scores.index, columns=scores.columns)
    equal = (scores - known).abs() < 0.5 * 10**-digits + 1e-9
    return int(equal.to_numpy().sum()), int(known.notna().to_numpy().sum())


def summary_rows(scores: pd.DataFrame, ranked: Sequence[str]) -> pd.DataFrame:
    """The average accuracy of every learner, and the average rank of those ``ranked``."""
    rows = pd.DataFrame([scores.mean(), average_ranks(scores[list(ranked)])], index=["Ø accuracy", "Ø rank"])
    return rows[scores.columns.tolist()]


def _p(value: float) -> str:
    return f"p = {value:.2g}" if value > 1e-12 else "p < 1e-12"


def significance(scores: pd.DataFrame) -> str:
    """Friedman's and Nemenyi's tests over ``scores``, as lines of Markdown."""
    n, k = scores.shape
    p = nemenyi_p(scores).to_dict()
    pairs = list(combinations([str(name) for name in scores.columns], 2))
    lines = [
        f"- Friedman: {_p(friedman_p(scores))} over {n} data sets and {k} learners",
        f"- Nemenyi: critical distance {critical_distance(k, n):.3f} (95%), {critical_distance(k, n, 0.1):.3f} (90%)",
        *(f"- {a} against {b}: {_p(p[a][b])}" for a, b in pairs),
    ]
    return "\n".join(lines)


def show_comparisons(pairs: pd.DataFrame) -> pd.DataFrame:
    """Rows of `statistics.compare_all` as text: the difference, its interval, wins and tests."""
    return pd.DataFrame(
        {
            "difference": [f"{row:+.4f}" for row in pairs["mean_difference"]],
            "95% interval": [f"{a:+.4f} to {b:+.4f}" for a, b in zip(pairs["low"], pairs["high"], strict=True)],
            "wins : ties : losses": pairs[["wins", "ties", "losses"]].astype(str).agg(" : ".join, axis=1).to_numpy(),
            "p (t)": [f"{p:.2g}" for p in pairs["t_p"]],
            "p (Wilcoxon)": [f"{p:.2g}" for p in pairs["wilcoxon_p"]],
            "p (sign)": [f"{p:.2g}" for p in pairs["sign_p"]],
        },
        index=pd.Index(pairs["first"] + " − " + pairs["second"], name="pair"),
    )
