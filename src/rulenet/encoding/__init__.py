"""Tables to literals grouped by attribute, and rows to one bit a literal."""

from rulenet.encoding.encoding import Encoding

__all__ = ["Encoding"]
