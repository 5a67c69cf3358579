"""The known name that someone may have meant by one that is not known."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

#: From which likeness on, of 0 to 1, a word may be a misspelt other one.
ALIKE = 0.65

_NUMBERED = re.compile(r"(\w*?)\d+")


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name that is spelt almost like ``word``, is short or long for it, or has it among its words.

    >>> nearest("okay", ["wind", "ok"]), nearest("sky", ["The_Sky", "wind"]), nearest("outcome", ["income", "age"])
    ('ok', 'The_Sky', None)
    """
    near = [name for name in known if _is_near(word, name)]
    return max(near, key=lambda name: (_plain(name) == _plain(word), _likeness(word, name)), default=None)


def _is_near(word: str, name: str) -> bool:
    given, other = _plain(word), _plain(name)
    if given == other:
        return True
    if _stem(word) is not None and _stem(word) == _stem(name):  # x9 is no misspelt x8
        return False
    return _begins(given, other) or _is_among(word, name) or _is_alike(given, other)


def _begins(given: str, other: str) -> bool:
    """Whether one is the beginning of the other: at least half of it, or three letters where little was given."""
    if not (given.startswith(other) or other.startswith(given)):
        return False
    shorter = min(len(given), len(other))
    is_half = shorter > 1 and 2 * shorter >= max(len(given), len(other))
    return is_half or 3 <= len(given) < len(other)


def _is_alike(given: str, other: str) -> bool:
    return min(len(given), len(other)) > 2 and _likeness(given, other) >= ALIKE


def _is_among(word: str, name: str) -> bool:
    """Whether one is, as a whole, among the words of the other."""
    words, names = (re.findall(r"[^\W_]{3,}", text.casefold()) for text in (word, name))
    return word.casefold() in names or name.casefold() in words


def _stem(word: str) -> str | None:
    """What stands before the number at the end, of a name that ends in one."""
    found = _NUMBERED.fullmatch(word)
    return None if found is None else found[1]


def _plain(word: str) -> str:
    """The letters and digits, in lower case; all of it where there are none."""
    return "".join(filter(str.isalnum, word.casefold())) or word


def _likeness(first: str, second: str) -> float:
    return SequenceMatcher(None, first.casefold(), second.casefold(), autojunk=False).ratio()
