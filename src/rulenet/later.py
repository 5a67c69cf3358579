"""Modules that are loaded when something of them is first used."""

from importlib import import_module
from typing import Any


class Later:
    """A module that is not loaded yet; what only reads a model never needs some that take a second each."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self._name), name)
        self.__dict__[name] = found  # the next time it is at hand
        return found
