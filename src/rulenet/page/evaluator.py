"""The network as JavaScript that stands alone: evaluated by the very code with which a page evaluates it."""

import json

from rulenet.conditions import Attribute
from rulenet.fitted import Fitted
from rulenet.formulas.export.javascript import check_name, plain_text, string
from rulenet.formulas.export.javascript_readers import source_of
from rulenet.formulas.export.python import reader_of
from rulenet.page.data import condition_data
from rulenet.page.templates import template, without_comments
from rulenet.page.units import Units

SOURCE = """\
{export}const {{ {name}, {name}Margins }} = (() => {{
{readers}
{code}
const NETWORK = {network};
const LABELS = [{labels}];
const READERS = {{ {shown} }};
{row}
return {{
{name}: (row) => LABELS[evaluateRow(row).predicted],
{name}Margins: (row) => evaluateRow(row).margins.map((margin, i) => [LABELS[NETWORK.classes[i]], margin]),
}};
}})();
"""


def network_to_javascript(fitted: Fitted, *, name: str = "predict", module: bool = False) -> str:
    """The source of two functions from a row, an object with a property a column: to its class, and to its margins.

    The network is in it as data, with units that count and margins as they are, and what evaluates it is the code of
    pages. The second function, ``predictMargins``, gives pairs of a class and the margin of its output. With
    ``module``, both are exported.
    """
    check_name(name)
    units = Units.over(fitted.encoding.conditions)
    outputs = units.add(fitted.network)
    readers = {reader_of(a) for a in fitted.encoding.attributes}
    used = sorted({ref for unit in units.units for ref, _ in unit.inputs if ref >= 0})
    places = {ref: i for i, ref in enumerate(used)}
    network = {
        "conditions": [condition_data(units.conditions[ref], fitted) for ref in used],
        "units": [
            {"gate": u.gate, "need": u.need, "inputs": [(places.get(ref, ref), times) for ref, times in u.inputs]}
            for u in units.units
        ],
        "outputs": outputs,
        "classes": list(fitted.outputs),
    }
    attributes = ",\n".join(_attribute(a) for a in fitted.encoding.attributes)
    return SOURCE.format(
        export="export " if module else "",
        name=name,
        readers=without_comments(source_of({*readers, "number", "date", "instant", "seconds"})),
        code=without_comments(template("evaluate.js")),
        network=f'{{"attributes":[\n{attributes}],\n{json.dumps(network, separators=(",", ":"))[1:]}',
        labels=", ".join(plain_text(label) for label in fitted.classes.tolist()),
        shown=", ".join(f"{reader}: read{reader.title()}" for reader in sorted(readers)),
        row=without_comments(template("stand_alone.js")),
    )


def _attribute(attribute: Attribute) -> str:
    values = ", ".join(map(plain_text, attribute.values))
    kinds = f'"kind":"{attribute.kind}","reader":"{reader_of(attribute)}"'
    return f'{{"name":{string(attribute.name)},{kinds},"values":[{values}]}}'
