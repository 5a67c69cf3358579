"""The promise of the exports: whatever the model, each of them says of every row what ``predict`` says, or is refused.

The table has a row for every kind of model (`promise_models.CASES`) and a column for every program that runs exports
(`promise_formats.PROGRAMS`); a case also says which of them cannot express it, and what the error says.
"""

import pytest

from promise_formats import PROGRAMS, Job
from promise_models import CASES, Case
from rulenet import RuleNetError


def parts_of(name, model, way):
    """The models that a format takes: the one of a case, or where there are several targets perhaps each alone."""
    targets = getattr(model.fitted_, "columns", None)
    if targets is None or way.several_targets:
        return {name: model}
    with pytest.raises(RuleNetError, match=r"of one column|about one target|must be one of case, select"):
        way.write(model)
    return {f"{name}, {column}": model.target(column) for column in targets}


def written(model, way):
    """A model as it is written in one way, and what the error says where it is refused."""
    try:
        return way.write(model), ""
    except RuleNetError as error:
        return None, str(error)


def differences(job, found):
    """What an export says otherwise than ``predict``, for people to read."""
    rows = zip(job.rows, found, Case(job.model).predicted(job.rows), strict=True)
    return [f"{row} is {said!r}, but predict says {right!r}" for row, said, right in rows if said != right]


@pytest.mark.parametrize("column", PROGRAMS)
def test_an_export_says_of_every_row_what_predict_says_or_is_refused(column, tmp_path):
    program, jobs, wrong = PROGRAMS[column], {}, []
    for name, make in CASES.items():
        case = make()
        rows = [row for row in case.rows(coarse=program.coarse) if all(map(program.holds, row.values()))]
        for style, way in program.ways.items():
            expected = case.refusal(f"{column} {style}")
            for part, model in parts_of(f"{name}, {column} {style}", case.model, way).items():
                if len(model.classes_) > 2 and not way.several_classes:
                    continue
                source, error = written(model, way)
                if bool(error) != bool(expected) or expected not in error:
                    wrong.append(f"{part}: the error is {error!r}, but expected {expected!r}")
                if not error:
                    jobs[part] = Job(model, source, rows, style)
    answers = program.run([*jobs.values()], tmp_path)
    for (part, job), found in zip(jobs.items(), answers, strict=True):
        wrong += [f"{part}: {line}" for line in differences(job, found)]
    assert not wrong, "\n".join([f"{len(wrong)} differences", *wrong[:20]])
