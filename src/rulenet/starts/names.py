"""The starts by their names."""

from typing import Any

from rulenet.exceptions import ParameterError
from rulenet.network import Network
from rulenet.search.protocol import Init
from rulenet.starts.cover import EspressoInit, QuineMcCluskeyInit
from rulenet.starts.given import GivenInit
from rulenet.starts.layers import LayersInit
from rulenet.starts.learned import LearnedInit
from rulenet.starts.mixed import MixedInit
from rulenet.starts.random import RandomInit
from rulenet.starts.ripper import RipperInit
from rulenet.starts.tree import TreeInit

INITS: dict[str, type] = {
    "random": RandomInit,
    "tree": TreeInit,
    "ripper": RipperInit,
    "espresso": EspressoInit,
    "quine-mccluskey": QuineMcCluskeyInit,
    "layers": LayersInit,
}


def has_counting_start(value: Any) -> bool:
    """Whether a search for networks that count can begin at what is given as ``init``, or at the empty network.

    >>> has_counting_start("tree"), has_counting_start("auto"), has_counting_start("random")
    (True, True, False)
    """
    if isinstance(value, str):
        return value in ("auto", "current") or issubclass(INITS.get(value, object), LearnedInit)
    return isinstance(value, Network | GivenInit | LearnedInit)


def init_of(value: Any, *, mixed: bool = False) -> Init:
    """The init that a name, a network or a strategy stands for; "auto" is `MixedInit` if ``mixed``, else random.

    >>> init_of("tree"), init_of("auto", mixed=True)
    (TreeInit(), MixedInit())
    """
    if isinstance(value, Network):
        return GivenInit(value)
    if value == "auto":
        return MixedInit() if mixed else RandomInit()
    if isinstance(value, str) and value in INITS:
        init: Init = INITS[value]()
        return init
    if callable(getattr(value, "start_for", None)):
        return value  # type: ignore[no-any-return]
    names = " or ".join(map(repr, ["auto", *INITS]))
    raise ParameterError(f"init is {value!r}, but must be {names} or a Network or an object with the method start_for")
