"""How an exported JavaScript function reads a value: source text, as far as it is needed.

A missing value is ``undefined``, which is neither above nor at most anything, nor equal to a value.
"""

from collections.abc import Iterable

CELL = """\
function readCell(row, column) {
  const value = Object.prototype.hasOwnProperty.call(row, column) ? row[column] : undefined;
  return value === null || value !== value ? undefined : value;
}

function wrong(column, value, expected) {
  return new TypeError(`column ${JSON.stringify(column)} is ${String(value)}, but expected ${expected}`);
}
"""

TEXT = """\
function readText(row, column) {
  const value = readCell(row, column);
  if (value !== undefined && typeof value !== "string") throw wrong(column, value, "text");
  return value;
}
"""

BOOLEAN = """\
function readBoolean(row, column) {
  const value = readCell(row, column);
  if (value !== undefined && typeof value !== "boolean") throw wrong(column, value, "true or false");
  return value;
}
"""

VALUE = """\
function readValue(row, column) {
  return readCell(row, column);
}
"""

NUMBER = r"""
function readNumber(row, column) {
  let value = readCell(row, column);
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "string") {
    const text = value.trim();
    if (text === "") return undefined;
    const named = text.match(/^([+-]?)(?:inf(?:inity)?|(nan))$/i);
    if (named) return named[2] ? undefined : named[1] === "-" ? -Infinity : Infinity;
    if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) throw wrong(column, value, "a number");
    value = Number(text);
  }
  if (value !== undefined && typeof value !== "number") throw wrong(column, value, "a number");
  return value;
}
""".lstrip()

CODE = """\
function readCode(row, column) {
  return readNumber(row, column);
}
"""

SECONDS = """\
function readSeconds(row, column) {
  return readNumber(row, column);
}
"""

MOMENT = r"""
// The moment as text of one length, so that the order of texts is the order of moments.
function readMoment(row, column, zoned) {
  const value = readCell(row, column);
  if (value instanceof Date) return isNaN(value) ? undefined : `${value.toISOString().slice(0, 23)}000`;
  if (value === undefined || (typeof value === "string" && value.trim() === "")) return undefined;
  const pattern = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;
  const found = typeof value === "string" ? value.trim().match(pattern) : null;
  if (!found) throw wrong(column, value, "a date such as 2024-03-01");
  const [, day, minutes = "00:00", seconds = "00", fraction = "", zone] = found;
  if (Boolean(zone) !== zoned) throw wrong(column, value, `a date ${zoned ? "with" : "without"} a time zone`);
  const time = new Date(`${day}T${minutes}:${seconds}Z`);
  if (isNaN(time) || time.toISOString().slice(0, 19) !== `${day}T${minutes}:${seconds}`) {
    throw wrong(column, value, "a date such as 2024-03-01");
  }
  const [, sign, hours, rest] = (zone || "").match(/^([+-])(\d\d):?(\d\d)?$/) || [null, "+", 0, 0];
  const offset = (sign === "-" ? -1 : 1) * (60 * Number(hours) + Number(rest || 0));
  const shifted = new Date(time.getTime() - 60000 * offset).toISOString().slice(0, 19);
  return `${shifted}.${fraction.slice(0, 6).padEnd(6, "0")}`;
}
""".lstrip()

DATE = """\
function readDate(row, column) {
  return readMoment(row, column, false);
}
"""

INSTANT = """\
function readInstant(row, column) {
  return readMoment(row, column, true);
}
"""

READERS = {
    "text": (TEXT,),
    "boolean": (BOOLEAN,),
    "value": (VALUE,),
    "code": (NUMBER, CODE),
    "number": (NUMBER,),
    "date": (MOMENT, DATE),
    "instant": (MOMENT, INSTANT),
    "seconds": (NUMBER, SECONDS),
}


def source_of(readers: Iterable[str]) -> str:
    """The source that reads values in these ways.

    >>> source_of([])
    ''
    """
    used = sorted(set(readers))
    pieces = dict.fromkeys([CELL, *(piece for reader in used for piece in READERS[reader])] if used else [])
    return "".join(f"{piece}\n" for piece in pieces)
