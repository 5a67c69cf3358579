"""Models as JSON files: safe to load from anyone, equal bit for bit after a round trip."""

from rulenet.model_file.read import loads, read
from rulenet.model_file.state import State, schema
from rulenet.model_file.write import dumps, write

__all__ = ["State", "dumps", "loads", "read", "schema", "write"]
