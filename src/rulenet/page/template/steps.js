// Points by column, said as exported text says them: what conditions on one column count together is in steps, of which
// the first that holds counts.

// The cells that conditions on one column tell apart, as bits; the last one is a missing value.
function tellApart(attribute, column, conditions) {
  const measured = isMeasured(attribute);
  const cuts = measured ? [...new Set(conditions.flatMap((x) => endsOf(x).map(({ end }) => end)))].sort(byNumber) : [];
  const n = measured ? cuts.length + 1 : attribute.values.length, bit = (i) => 1n << BigInt(i);
  const setOf = (condition) => cellsOf(condition, cuts).reduce((bits, cell) => bits | bit(cell), condition.missing ? bit(n) : 0n);
  const made = (bits) => {
    const cells = Array.from({ length: n }, (_, i) => i).filter((i) => bits & bit(i)), held = measured ? { ranges: rangesFrom(runsOf(cells), cuts) } : { cells };
    return { attribute: column, ...held, missing: (bits & bit(n)) !== 0n };
  };
  return { n, bit, setOf, made };
}

// The cells of a step as they are said shortest: those of higher steps may be named too, since the first counts.
function shortestOf(here, above, known, lengthOf) {
  const allowed = [here | above, (1n << BigInt(here.toString(2).length)) - 1n, known & -(here & -here), here];
  const fits = allowed.filter((bits) => !(here & ~bits) && !(bits & ~(here | above)));
  return fits.reduce((best, bits) => (lengthOf(bits) < lengthOf(best) ? bits : best));
}

// The steps of inputs that are conditions on one column; each has the condition that is said, the one that holds for
// the rows of this step only, and the inputs that count there.
function mergedSteps(app, column, inputs) {
  const { conditions } = app.state, attribute = app.attributes[column];
  const { n, bit, setOf, made } = tellApart(attribute, column, inputs.map(([ref]) => conditions[ref]));
  const sets = inputs.map(([ref]) => setOf(conditions[ref])), byPoints = new Map(), steps = [];
  for (let i = 0; i <= n; i++) {
    const points = sum(inputs.map(([, times], k) => (sets[k] & bit(i) ? times : 0)));
    if (points) byPoints.set(points, (byPoints.get(points) || 0n) | bit(i));
  }
  let above = 0n;
  for (const [points, here] of [...byPoints].sort((a, b) => b[0] - a[0])) {
    const bits = shortestOf(here, above, bit(n) - 1n, (x) => [...plainText(attribute, made(x))].length);
    const refs = inputs.map(([ref], k) => [sets[k] === bits ? 0 : 1, ref, sets[k]]).filter(([, , set]) => set & here);
    steps.push({ points, said: made(bits), condition: made(here), refs: refs.sort((a, b) => a[0] - b[0]).map(([, ref]) => ref) });
    above |= here;
  }
  return steps;
}

// Steps are made anew only where an input is another one, or another condition.
function keptSteps(app, column, inputs) {
  const key = `steps ${inputs.join(" ")}`, asked = inputs.map(([ref]) => app.state.conditions[ref]), known = app.rows.cache.get(key);
  if (known && known.asked.every((x, i) => x === asked[i])) return known.steps;
  const steps = mergedSteps(app, column, inputs);
  app.rows.cache.set(key, { asked, steps });
  return steps;
}

// Inputs of a count as lines, those on one column as steps; those with the most points first.
function stepsOf(app, inputs) {
  const columns = new Map(), columnOf = (ref) => (isUnit(ref) ? null : app.state.conditions[ref].attribute), lines = [];
  for (const input of inputs) columns.set(columnOf(input[0]), [...(columns.get(columnOf(input[0])) || []), input]);
  for (const [ref, times] of inputs) {
    const column = columnOf(ref), alike = column === null ? [] : columns.get(column);
    if (!alike) continue;
    if (column !== null) columns.set(column, null);
    lines.push(alike.length > 1 ? keptSteps(app, column, alike) : [{ points: times, ref, refs: [ref] }]);
  }
  return lines.filter((steps) => steps.length).sort((a, b) => b[0].points - a[0].points);
}

// Whether points differ, so that they must be said.
const inPoints = (lines) => lines.some(([first]) => first.points > 1);

// What a count asks of its lines, in words; of one class among several, what the class needs.
function listWords(unit, lines) {
  const need = wantedOf(unit), n = lines.length, spare = n - need;
  if (inPoints(lines)) return `at least ${need} points of`;
  return spare > 0 && 2 * spare < need ? `all but at most ${spare} of` : `at least ${need} of`;
}

function classWords(unit, lines) {
  const need = wantedOf(unit), points = inPoints(lines) ? (need === 1 ? "point " : "points ") : "";
  if (!lines.length) return need <= 0 ? `is always ${-need} ahead` : `is always ${need} behind`;
  if (need < 0) return `is ${-need} ahead, and more by`;
  return sum(lines.map(([first]) => first.points)) < need ? `is ${need} behind, and catches up by` : `needs ${need} ${points}of`;
}

// Later steps leave out the name of the column where that reads well.
function withoutName(attribute, condition) {
  const [reading, ...more] = readings(attribute, condition);
  const plain = more.length || reading.sign === "within" || reading.sign === "is anything";
  return plain ? textOf(attribute, condition) : visible(writeReading("", reading).trimStart());
}
