// Networks on packed rows, their size, and what their units say.

function countsOf(unit, bits, n) {
  const counts = new Int16Array(n);
  for (const [ref, times] of unit.inputs) {
    const input = bits.get(ref);
    for (let w = 0, row = 0; w < input.length; w++, row += 32) {
      for (let word = input[w]; word; word &= word - 1) counts[row + 31 - Math.clz32(word & -word)] += times;
    }
  }
  return counts;
}

function joined(unit, bits, n) {
  const all = unit.gate === "and", found = new Uint32Array(wordsFor(n)).fill(all ? -1 : 0);
  for (const [ref] of unit.inputs) {
    const input = bits.get(ref);
    if (all) for (let w = 0; w < found.length; w++) found[w] &= input[w];
    else for (let w = 0; w < found.length; w++) found[w] |= input[w];
  }
  if (all && n & 31) found[found.length - 1] &= (1 << (n & 31)) - 1;
  return found;
}

function unitBits(unit, bits, n) {
  if (unit.need === 1) return joined(unit, bits, n);
  return bitsFrom(marginsOf(unit, bits, n));
}

function marginsOf(unit, bits, n) {
  const atNone = marginOf(unit, 0);
  return countsOf(unit, bits, n).map((held) => atNone + held);
}

const bitsFrom = (margins) => bitsOf(margins.length, (row) => margins[row] >= 0);

// All that a network says about rows: the rows of every condition and unit, margins, classes.
function evaluate(state, rows) {
  const bits = new Map(), counted = new Map();
  for (const ref of below(state)) {
    if (!isUnit(ref)) bits.set(ref, conditionBits(state.conditions[ref], rows));
    else if (!state.outputs.includes(~ref)) bits.set(ref, unitBits(state.units[~ref], bits, rows.n));
    else {
      counted.set(~ref, marginsOf(state.units[~ref], bits, rows.n));
      bits.set(ref, bitsFrom(counted.get(~ref)));
    }
  }
  const margins = state.outputs.map((k) => counted.get(k));
  const predicted = new Uint16Array(rows.n), mine = new Array(margins.length);
  for (let row = 0; row < rows.n; row++) {
    for (let k = 0; k < mine.length; k++) mine[k] = margins[k][row];
    predicted[row] = decide(state.classes, mine);
  }
  return { bits, margins, predicted };
}

// The size as `Network.size` counts it.
function sizeOf(state) {
  let size = 0;
  for (const ref of below(state).filter(isUnit)) {
    const unit = state.units[~ref], n = fanIn(unit);
    size += (n > 1 ? n : 0) + (unit.need > 1 ? 1 : 0) + (n === 1 && state.outputs.includes(~ref) ? 1 : 0);
  }
  return size;
}

// What a unit asks of its inputs, in words.
function gateWords(unit) {
  const n = fanIn(unit), need = unit.gate === "or" ? unit.need : n - unit.need + 1;
  if (need <= 0) return "always";
  if (need > n) return "never";
  if (n === 1) return "if";
  if (need === n) return "all of";
  if (need === 1) return "any of";
  if (unit.inputs.some(([, times]) => times > 1)) return `at least ${need} points of`;
  return 2 * (n - need) < need ? `all but at most ${n - need} of` : `at least ${need} of`;
}

// How many inputs must hold.
const wantedOf = (unit) => (unit.gate === "or" ? unit.need : fanIn(unit) - unit.need + 1);

function usersOf(state, ref) {
  return below(state).filter((user) => isUnit(user) && state.units[~user].inputs.some(([input]) => input === ref));
}
