"""The promise of the exports: whatever the model, each of them says of every row what ``predict`` says, or is refused.

The table has a row for every kind of model (`promise_models.CASES`) and a column for every program that runs exports
(`promise_formats.PROGRAMS`); a case also says which of them cannot express it, and what the error says.
"""

import io
import re
import shutil
import subprocess
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from promise_formats import PROGRAMS, Job
from promise_models import CASES, HOSTILE, Case, telling
from rulenet import RuleNetError
from rulenet.conditions import Attribute
from rulenet.formulas.export.latex import text as latex_text
from rulenet.scene.labels import visible


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


UNSAFE = (
    *HOSTILE,
    "a\0b",
    "x\x01\x1b",
    "$x_1$",
    "</svg></text>",
    "<script>alert(1)</script>",
    "\\end{align*} ~^",
    "\n\n",
)
DRAWN = {
    "svg",
    "g",
    "path",
    "defs",
    "use",
    "rect",
    "text",
    "tspan",
    "clipPath",
    "style",
    "metadata",
    "polygon",
    "title",
}
DRAWN |= {"ellipse", "RDF", "Work", "type", "format", "creator", "Agent", "date"}


@pytest.fixture(scope="module")
def unsafe():
    """A model whose column, values and classes are all that could be taken for something else."""
    return telling(Attribute("<b>'\"$&\\\u202e\0", UNSAFE), UNSAFE)


def check_svg(source):
    """The text of an image, in which there is nothing but shapes and text."""
    root = ElementTree.fromstring(source)
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= DRAWN
    assert not [name for element in root.iter() for name in element.attrib if name.lower().startswith("on")]
    return " ".join("".join(root.itertext()).split())


def test_pictures_hold_text_and_nothing_else(unsafe):
    file = io.BytesIO()
    unsafe.picture().savefig(file, format="svg")
    said = check_svg(file.getvalue())
    assert "<script>alert(1)</script>" in said
    assert "\u202e" not in said


def test_graphviz_reads_what_was_meant(unsafe):
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed: apt-get install graphviz")
    source = unsafe.export("dot").encode()
    done = subprocess.run(["dot", "-Tsvg"], input=source, capture_output=True, timeout=60, check=True)
    said = check_svg(done.stdout)
    for value in UNSAFE:
        assert visible(value) in said


def test_html_holds_text_and_no_element_of_others(unsafe):
    found, tags = [], set()
    parser = HTMLParser()
    parser.handle_data = found.append
    parser.handle_starttag = lambda tag, attributes: tags.update([tag, *(name for name, _ in attributes)])
    source = unsafe._repr_html_()
    parser.feed(source[source.rindex('<div style="max-width') :])  # scikit-learn's table of parameters stands before
    assert not tags & {"script", "b'", "img", "onerror"}
    said = " ".join("".join(found).split())
    for value in UNSAFE:
        assert visible(value) in said
    assert "\u202e" not in source


LATEX = re.compile(r"\\text\{(\\text(backslash|asciicircum|asciitilde)\{\}|\\[{}$&#%_]|[^\\{}$&#%_^~])*\}")


def test_latex_takes_no_name_for_a_command(unsafe):
    source = unsafe.export("latex")
    for value in UNSAFE:
        text = latex_text(value)
        assert LATEX.fullmatch(text)
        assert text.isprintable()
        assert text in source
    assert source.count("\n") == len(UNSAFE) + 4  # a line a class, three of the frame and one of the decision
