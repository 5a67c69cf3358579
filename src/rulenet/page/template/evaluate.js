// What a network says about a row: the code of the page and of functions that are exported to stand alone.

const MEASURED = ["numeric", "date", "instant", "duration"];
const isMeasured = (attribute) => MEASURED.includes(attribute.kind);

// Whole numbers that JavaScript would round come as text.
function readExact(value) {
  if (typeof value !== "string") return value;
  if (value === "inf" || value === "-inf") return value === "inf" ? Infinity : -Infinity;
  return BigInt(value);
}

// A value, or what people type, as the number that cuts are compared with; null for nothing.
function typedValue(attribute, text) {
  const row = { [attribute.name]: text };
  if (attribute.kind === "numeric") return readNumber(row, attribute.name) ?? null;
  if (attribute.kind === "duration") {
    const seconds = readSeconds(row, attribute.name);
    return seconds === undefined ? null : Math.round(seconds * 1e6);
  }
  const moment = attribute.kind === "date" ? readDate(row, attribute.name) : readInstant(row, attribute.name);
  if (moment === undefined) return null;
  const exact = BigInt(Date.parse(`${moment.slice(0, 19)}Z`)) * 1000n + BigInt(moment.slice(20).padEnd(6, "0"));
  return exact > -(2n ** 53n) && exact < 2n ** 53n ? Number(exact) : exact;
}

const inRange = (value, [low, high]) => (low === null || value > low) && (high === null || value <= high);
const holdsFor = (condition, value) => condition.ranges.some((range) => inRange(value, range));

// Whether a condition holds for the values of a row: numbers, cells, -2 for a value that was not known, null for none.
function holdsIn(values) {
  return (condition) => {
    const value = values[condition.attribute];
    if (value === null) return Boolean(condition.missing);
    return condition.ranges ? holdsFor(condition, value) : condition.cells.includes(value);
  };
}

// Units over conditions and other units. An OR holds where at least `need` of its inputs do, an AND fails where at least
// `need` of its inputs fail. An input is a condition by its number, or unit k as ~k, with how often it counts.

const isUnit = (ref) => ref < 0;
const fanIn = (unit) => unit.inputs.reduce((total, [, times]) => total + times, 0);

// What outputs read, parts before wholes.
function below(state, outputs = state.outputs) {
  const found = [], seen = new Set();
  const visit = (ref) => {
    if (seen.has(ref)) return;
    seen.add(ref);
    if (isUnit(ref)) state.units[~ref].inputs.forEach(([input]) => visit(input));
    found.push(ref);
  };
  outputs.forEach((k) => visit(~k));
  return found;
}

// The margin of a unit, of which so many inputs hold.
const marginOf = (unit, held) => (unit.gate === "or" ? held - unit.need : unit.need - 1 - (fanIn(unit) - held));

// The position of the class with the largest margin; of one output, the class it describes where its margin is not
// negative. Ties go to the earlier output.
function decide(outputs, margins) {
  if (outputs.length === 1) return margins[0] >= 0 ? outputs[0] : 1 - outputs[0];
  let best = 0;
  for (let k = 1; k < margins.length; k++) if (margins[k] > margins[best]) best = k;
  return outputs[best];
}

// All that a network says about one row, given which conditions hold.
function evaluateOne(state, holds) {
  const truth = new Map(), held = new Map();
  for (const ref of below(state)) {
    if (!isUnit(ref)) truth.set(ref, holds(state.conditions[ref]));
    else {
      const unit = state.units[~ref];
      held.set(ref, unit.inputs.reduce((total, [input, times]) => total + (truth.get(input) ? times : 0), 0));
      truth.set(ref, marginOf(unit, held.get(ref)) >= 0);
    }
  }
  const margins = state.outputs.map((k) => marginOf(state.units[k], held.get(~k)));
  return { truth, margins, predicted: decide(state.classes, margins) };
}
