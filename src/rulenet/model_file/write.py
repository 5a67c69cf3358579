"""State to JSON, and JSON to a file in one step that cannot be seen half done."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from rulenet.exceptions import ModelFileError
from rulenet.formulas.export.json import as_data
from rulenet.formulas.export.values import check_plain
from rulenet.model_file.state import FORMAT, VERSION, State
from rulenet.network import Network


def write(path: str | os.PathLike[str], state: State) -> None:
    """Write ``state`` to ``path``; an older file stays whole until the new one is."""
    target = Path(path)
    text = dumps(state)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def dumps(state: State) -> str:
    """The text of a model file."""
    data = {
        "format": FORMAT,
        "version": VERSION,
        "parameters": {name: _parameter(name, value) for name, value in state.parameters.items()},
        "classes": {"dtype": state.classes.dtype.str, "values": [_value(v) for v in state.classes.tolist()]},
        "positive": state.positive,
        "encoding": {
            "attributes": [
                {"name": a.name, "values": [_value(v) for v in a.values]} for a in state.encoding.attributes
            ],
            "not_equal": state.encoding.not_equal,
            "named": state.encoding.named,
        },
        "network": _network(state.network),
        "history": state.history.tolist(),
        "counts": state.counts.tolist(),
        "target": state.target,
        "named": None if state.named is None else as_data(state.named),
        "choices": [
            {
                "price": choice.price,
                "accuracy": choice.accuracy,
                "validation": choice.validation,
                "network": _network(choice.network),
                "counts": counts.tolist(),
            }
            for choice, counts in zip(state.choices, state.choice_counts, strict=True)
        ],
    }
    return json.dumps(data, allow_nan=False, indent=1) + "\n"


def _mode(target: Path) -> int:
    """The permissions of the file to replace, or what a new file would get."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _network(network: Network) -> dict[str, Any]:
    return {
        "first_gate": network.first_gate,
        "n_literals": network.n_literals,
        "layers": [[np.flatnonzero(unit).tolist() for unit in layer] for layer in network.weights],
    }


def _parameter(name: str, value: Any) -> Any:
    if isinstance(value, Network):
        return {"network": _network(value)}
    if hasattr(value, "get_params"):
        inner = value.get_params(deep=False)
        return {"strategy": type(value).__name__, "parameters": {k: _parameter(k, v) for k, v in inner.items()}}
    if isinstance(value, dict):
        return {"mapping": [[_value(k), _parameter(name, v)] for k, v in value.items()]}
    if isinstance(value, list | tuple | np.ndarray):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [_parameter(name, v) for v in value]}
    if value is None or isinstance(value, str | bool | int | float | np.generic):
        return value.item() if isinstance(value, np.generic) else value
    raise ModelFileError(
        f"parameter {name} is a {type(value).__name__}, which a model file cannot hold; "
        f"set it to a plain value, for example set_params({name}=None)"
    )


def _value(value: Any) -> Any:
    return check_plain(value, "a model file")
