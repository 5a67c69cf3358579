"""Tables to conditions on attributes, and rows to one bit a condition."""

from rulenet.encoding.attributes import LeftOutWarning
from rulenet.encoding.encoding import Encoding

__all__ = ["Encoding", "LeftOutWarning"]
