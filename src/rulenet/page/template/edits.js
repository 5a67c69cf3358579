// Changes of a network; each gives a new state and leaves the old one as it is.

function startOf(data) {
  const exactRange = (range) => range.map((end) => (end === null ? null : readExact(end)));
  return {
    conditions: data.conditions.map((x) => (x.ranges ? { ...x, ranges: x.ranges.map(exactRange) } : x)),
    units: data.units,
    outputs: data.network.outputs,
    places: data.network.places,
    classes: data.outputs,
    names: Object.fromEntries(Object.entries(data.names)),
    target: data.target,
    locked: [],
    forbidden: [],
    given: [],
    alternative: null,
  };
}

const withUnit = (state, k, unit) => ({ ...state, units: state.units.map((old, i) => (i === k ? unit : old)) });
const clamped = (unit) => ({ ...unit, need: Math.max(1, Math.min(unit.need, fanIn(unit) || 1)) });

// An input taken out of a unit; a hidden unit without inputs is taken out of those that read it.
function dropInput(state, k, ref) {
  const unit = state.units[k];
  const next = withUnit(state, k, clamped({ ...unit, inputs: unit.inputs.filter(([input]) => input !== ref) }));
  if (next.units[k].inputs.length || state.outputs.includes(k)) return next;
  return usersOf(state, ~k).reduce((now, user) => dropInput(now, ~user, ~k), next);
}

function addInput(state, k, condition) {
  const key = keyOf(condition);
  const known = state.conditions.findIndex((x) => keyOf(x) === key);
  const ref = known < 0 ? state.conditions.length : known;
  const unit = state.units[k];
  if (unit.inputs.some(([input]) => input === ref)) return state;
  const conditions = known < 0 ? [...state.conditions, condition] : state.conditions;
  const need = unit.inputs.length ? unit.need : 1;
  const next = withUnit({ ...state, conditions }, k, { ...unit, need, inputs: [...unit.inputs, [ref, 1]] });
  return placed(next, ref, k);
}

// What is new stands below the last of its neighbours.
function placed(state, ref, k) {
  if (String(ref) in state.places) return state;
  const near = state.units[k].inputs.map(([input]) => state.places[input]).filter((y) => y !== undefined);
  const y = (near.length ? Math.max(...near) : state.places[~k] || 0) + 0.01;
  return { ...state, places: { ...state.places, [ref]: y } };
}

// A new unit, which asks for all of its conditions, under another one.
function addUnit(state, parent, condition) {
  const k = state.units.length;
  const units = [...state.units, { gate: "and", need: 1, inputs: [] }];
  const unit = state.units[parent];
  const read = { ...unit, inputs: [...unit.inputs, [~k, 1]], need: unit.inputs.length ? unit.need : 1 };
  const next = placed(withUnit({ ...state, units }, parent, read), ~k, parent);
  return addInput(next, k, condition);
}

const changeCondition = (state, j, condition) => ({
  ...state,
  conditions: state.conditions.map((old, i) => (i === j ? condition : old)),
});

function moveEnd(state, j, { i, side }, end) {
  const old = state.conditions[j];
  const ranges = old.ranges.map((range, at) => (at === i ? range.map((x, s) => (s === side ? end : x)) : range));
  return changeCondition(state, j, { ...old, ranges });
}

// The need of an OR counts inputs that hold, that of an AND those that fail.
function setWanted(state, k, wanted) {
  const unit = state.units[k];
  return withUnit(state, k, { ...unit, need: unit.gate === "or" ? wanted : fanIn(unit) - wanted + 1 });
}

function rename(state, k, name) {
  const target = state.outputs.length === 1 && state.outputs[0] === k ? name : state.target;
  return { ...state, target, names: { ...state.names, [k]: name }, given: [...new Set([...state.given, k])] };
}

function toggleLock(state, k) {
  const locked = state.locked.includes(k) ? state.locked.filter((x) => x !== k) : [...state.locked, k];
  return { ...state, locked };
}

// The network as if a condition never held; a unit that then cannot hold is taken out in the same way.
function neverHolds(state, ref) {
  let next = state;
  for (const user of usersOf(state, ref)) {
    const k = ~user, unit = next.units[k], times = unit.inputs.find(([input]) => input === ref)[1];
    const inputs = unit.inputs.filter(([input]) => input !== ref);
    const need = unit.gate === "or" ? unit.need : unit.need - times;
    const dead = need < 1 || (unit.gate === "or" && need > sum(inputs.map(([, n]) => n)));
    if (!dead || state.outputs.includes(k)) next = withUnit(next, k, need < 1 ? neverUnit(unit) : { ...unit, inputs, need });
    else next = neverHolds(next, user);
  }
  return next;
}

const neverUnit = (unit) => ({ ...unit, gate: "or", need: 1, inputs: [] });

function forbidColumn(state, column) {
  const mine = below(state).filter((ref) => !isUnit(ref) && state.conditions[ref].attribute === column);
  const next = mine.reduce((now, ref) => neverHolds(now, ref), state);
  return { ...next, forbidden: [...next.forbidden, { column }] };
}

function forbidCondition(state, j) {
  const next = neverHolds(state, j);
  return { ...next, forbidden: [...next.forbidden, { condition: state.conditions[j] }] };
}

const allowAgain = (state, i) => ({ ...state, forbidden: state.forbidden.filter((_, at) => at !== i) });

// Another network that the search found; names of units that it shares are kept.
function takeAlternative(state, start, data, i) {
  const chosen = i === null ? data.network : data.alternatives[i];
  const names = { ...start.names };
  chosen.outputs.forEach((k, at) => (names[k] = state.names[state.outputs[at]] || start.names[start.outputs[at]]));
  const { locked, forbidden, target } = state;
  const kept = locked.filter((k) => k < data.units.length);
  const outputs = { outputs: chosen.outputs, places: chosen.places };
  return { ...start, ...outputs, names, target, locked: kept, forbidden, given: start.given, alternative: i };
}
