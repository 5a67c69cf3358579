"""Model files that are almost right: whole models, changed at a place or two in ways that fit there."""

import json
import random
from itertools import pairwise
from pathlib import Path

import numpy as np

from rulenet import Network, RuleNetworkClassifier, model_file
from rulenet.calibration import Calibration
from rulenet.conditions import Attribute, Condition
from rulenet.encoding import Encoding
from rulenet.estimator import INITS, SEARCHES
from rulenet.fitted import Fitted

STRATEGIES = {c.__name__: c for c in (*SEARCHES.values(), *INITS.values())}
SCALARS = [
    *(None, True, False, 0, 1, -1, 2, 3, 7, 64, 1000, 10**6, 2**31, 2**63, 2**70, -(2**63), 0.5, -0.0, 1e308, 1e-320),
    *(
        "",
        " ",
        "a",
        "1",
        "\x00",
        "\ud800",
        "é" * 300,
        "and",
        "or",
        "nominal",
        "date",
        "<f8",
        "<f16",
        "|O",
        "<U1",
        "__class__",
    ),
]
ATTRIBUTES = (
    Attribute("colour", ("red", "blue", 3, True)),
    Attribute("rank", ("low", "middle", "high"), "ordinal"),
    Attribute("size", (), "numeric", (-1.5, 0, 37.25)),
    Attribute("day", (), "date", (1_700_000_000_000_000,), True),
    Attribute("gone", ()),
)


def make_models() -> list[str]:
    """The texts of model files of every kind."""
    conditions = [Condition(a, cells) for a in ATTRIBUTES[:4] for cells in range(1, 2 * a.missing)][::3]
    texts = []
    for n_outputs, most, gate in ((1, 1, "and"), (1, 3, "or"), (3, 2, "and")):
        draws = np.random.default_rng(n_outputs + most)
        sizes = [len(conditions), 5, 3, n_outputs]
        weights = [draws.random((above, below)) < 0.4 for below, above in pairwise(sizes)]
        network = Network(weights, gate, [draws.integers(1, most + 1, len(w)) for w in weights])
        labels = np.array(["no", "yes"] if n_outputs == 1 else [1, 2, 3])
        outputs = (1,) if n_outputs == 1 else (2, 0, 1)
        model = RuleNetworkClassifier(random_state=1)
        encoding = Encoding(ATTRIBUTES, tuple(conditions), True)
        model.fitted_ = Fitted(encoding, network, labels, outputs, Calibration(1.0, (0.5,) * n_outputs), "it")
        texts.append(model_file.dumps(model._state()))
        if n_outputs == 1:
            texts.append(model_file.dumps(model.rename_concepts({})._state()))
    old = Path(__file__).parents[1] / "model-version-1.json"
    return [*texts, old.read_text(encoding="utf-8")]


MODELS = make_models()


def make_case(draws: random.Random) -> bytes:
    """A model file with a few changes."""
    text = draws.choice(MODELS)
    if draws.random() < 0.1:
        return _change_bytes(text.encode(), draws)
    data = json.loads(text)
    for _ in range(draws.choice([1, 1, 1, 2, 3, 6])):
        _change_place(data, draws)
    text = json.dumps(data)
    return text.encode()


def _change_bytes(raw: bytes, draws: random.Random) -> bytes:
    at = draws.randrange(len(raw))
    return raw[:at] + draws.choice([b"", b"[", b"}", b"\xff", b"[" * 100_000, b"1e999", raw[:50]]) + raw[at + 1 :]


def _change_place(data, draws):
    """Walk to a random place and change what is there."""
    place = data
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = draws.choice(keys)
        inner = place[key]
        if not isinstance(inner, dict | list) or draws.random() < 0.25:
            break
        place = inner
    _change_entry(data, place, key, draws)


def _change_entry(data, place, key, draws):
    old = place[key]
    match draws.randrange(8):
        case 0:
            del place[key]
        case 1 if isinstance(place, list):
            place.insert(key, old)
        case 2 if isinstance(old, list) and old:
            place[key] = (old * draws.choice([2, 50, 3000]))[:20_000]
        case 3 if isinstance(old, int | float):
            place[key] = old + draws.choice([-1, 1, 0.5, 1000])
        case 4:
            place[key] = [old]
        case 5:
            place[key] = json.loads(json.dumps(draws.choice([data.get(name) for name in data])))
        case 6 if isinstance(old, str):
            place[key] = old + draws.choice(["\ud800", "\x00", "'", "\n", "</script>", "x" * 1000])
        case _:
            place[key] = draws.choice(SCALARS)


#: How a table has the cuts of dates and durations, which are kept as microseconds.
UNITS = {"date": lambda cut: np.datetime64(cut, "us"), "duration": lambda cut: np.timedelta64(cut, "us")}


def check(raw: bytes) -> None:
    """What loads is saved as it was, reads, and predicts."""
    state = model_file.loads(raw, STRATEGIES)
    model = RuleNetworkClassifier._restored(state)
    saved = model_file.dumps(model._state())
    again = RuleNetworkClassifier._restored(model_file.loads(saved, STRATEGIES))
    assert model_file.dumps(again._state()) == saved
    saved.encode()
    encoding = model.encoding_
    columns = [[*a.values, *map(UNITS.get(a.kind, float), a.cuts), None][:3] for a in encoding.attributes]
    rows = [[column[r % len(column)] for column in columns] for r in range(3)]
    assert len(model.predict_proba(rows)) == len(model.predict(rows)) == 3
    assert str(model.formula_)
