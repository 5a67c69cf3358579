// The network as a model file: layers of alternating gates over conditions, as `RuleNetworkClassifier.load` reads them.

// Every unit gets a layer of its gate above all that it reads; what skips a layer is passed on by units of one input.
function layersOf(state, conditionPlaces, firstGate) {
  const units = below(state).filter(isUnit), level = new Map();
  const fits = (depth, gate) => (depth % 2 === 0) === (gate === firstGate);
  for (const ref of units) {
    const { gate, inputs } = state.units[~ref];
    let depth = 0;
    for (const [input, times] of inputs) depth = Math.max(depth, isUnit(input) ? level.get(input) + 1 : times > 1 ? 1 : 0);
    level.set(ref, fits(depth, gate) ? depth : depth + 1);
  }
  const outputs = state.outputs.map((k) => ~k);
  const last = Math.max(...outputs.map((ref) => level.get(ref)));
  outputs.forEach((ref) => level.set(ref, last));
  const layers = Array.from({ length: last + 1 }, () => []), needs = layers.map(() => []), known = new Map();
  const push = (depth, inputs, need) => needs[depth].push(need) && layers[depth].push(inputs) - 1;

  // The place of a signal in a layer; copy numbers keep apart what counts more than once.
  const placeOf = (ref, depth, copy) => {
    if (depth < 0) return conditionPlaces(ref);
    const key = `${ref} ${depth} ${copy}`;
    if (!known.has(key)) {
      const own = isUnit(ref) && level.get(ref) === depth;
      known.set(key, own ? push(depth, inputsOf(ref, depth), state.units[~ref].need) : push(depth, [placeOf(ref, depth - 1, copy)], 1));
    }
    return known.get(key);
  };
  const inputsOf = (ref, depth) =>
    state.units[~ref].inputs
      .flatMap(([input, times]) => Array.from({ length: times }, (_, copy) => placeOf(input, depth - 1, copy)))
      .sort((a, b) => a - b);
  outputs.forEach((ref) => push(last, inputsOf(ref, last), state.units[~ref].need));
  return { firstGate, layers, needs };
}

// Outputs stand in one layer, so they have one gate: an OR that never holds may stand for an AND that never does.
function sameGates(state) {
  const gates = state.outputs.map((k) => state.units[k].gate);
  const wanted = gates.find((gate, i) => state.units[state.outputs[i]].inputs.length) || gates[0];
  return state.outputs.reduce((now, k) => (now.units[k].gate === wanted ? now : neverAs(now, k, wanted)), state);
}

function neverAs(state, k, gate) {
  const never = state.units.length;
  const units = [...state.units, { gate: gate === "and" ? "or" : "and", need: 1, inputs: [] }];
  return withUnit({ ...state, units }, k, { gate, need: 1, inputs: gate === "and" ? [[~never, 1]] : [] });
}

const byNumber = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

// The cuts of every column: those of the model, and those that conditions need.
function cutsOf(data, conditions) {
  const cuts = data.model.cuts.map((list) => list.map(readExact));
  conditions.forEach((x) => cuts[x.attribute].push(...endsOf(x).map(({ end }) => end)));
  return cuts.map((list) => [...new Map(list.map((cut) => [String(cut), cut])).values()].sort(byNumber));
}

const runsOf = (cells) => {
  const runs = [];
  for (const cell of cells) {
    const last = runs[runs.length - 1];
    if (last && last[1] === cell) last[1] = cell + 1;
    else runs.push([cell, cell + 1]);
  }
  return runs;
};

// The cells of a condition, where a measured column has these cuts.
function cellsOf(condition, cuts) {
  if (condition.cells) return condition.cells;
  const ends = [...cuts, Infinity];
  return ends.map((_, cell) => cell).filter((cell) => holdsFor(condition, ends[cell]));
}

const rangesFrom = (runs, cuts) =>
  runs.map(([first, after]) => [first ? cuts[first - 1] : null, after - 1 < cuts.length ? cuts[after - 1] : null]);

// The conditions of the model on the new cuts, then those that are new.
function fileConditions(data, attributes, used) {
  const cuts = cutsOf(data, used), old = data.model.cuts.map((list) => list.map(readExact));
  const entries = [], places = new Map();
  const add = (attribute, cells, missing, always) => {
    const entry = { attribute, cells: runsOf(cells), missing }, key = JSON.stringify(entry);
    if (!places.has(key)) places.set(key, entries.length);
    if (always || places.get(key) === entries.length) entries.push(entry);
    return places.get(key);
  };
  for (const { attribute, cells, missing } of data.model.conditions) {
    const condition = isMeasured(attributes[attribute])
      ? { ranges: rangesFrom(cells, old[attribute]) }
      : { cells: cells.flatMap(([first, after]) => Array.from({ length: after - first }, (_, i) => first + i)) };
    add(attribute, cellsOf(condition, cuts[attribute]), missing, true);
  }
  const place = (x) => add(x.attribute, cellsOf(x, cuts[x.attribute]), Boolean(x.missing), false);
  return { cuts, entries, place };
}

function expressionOf(state, attributes, cuts, ref) {
  if (!isUnit(ref)) {
    const x = state.conditions[ref], attribute = attributes[x.attribute];
    const missing = x.missing ? { missing: true } : {};
    return { column: attribute.name, cells: cellsOf(x, cuts[x.attribute]), ...missing, reads: textOf(attribute, x) };
  }
  const unit = state.units[~ref], of = unit.inputs.flatMap(([input, times]) => {
    const part = expressionOf(state, attributes, cuts, input);
    return Array.from({ length: times }, () => part);
  });
  const need = wantedOf(unit);
  if (need <= 0 || need > of.length) return need <= 0;
  if (of.length === 1) return of[0];
  return need === 1 ? { or: of } : need === of.length ? { and: of } : { "at least": need, of };
}

// A formula whose concepts have the names that people gave, and those of what is locked.
function namedFormula(state, attributes, data, cuts) {
  const lent = new Set([...state.given, ...state.locked, ...(data.model.named === "null" ? [] : Object.keys(data.names).map(Number))]);
  const found = below(state).filter((ref) => isUnit(ref) && lent.has(~ref) && !state.outputs.includes(~ref) && state.names[~ref]);
  const taken = new Set([state.target]);
  const concepts = found.filter((ref) => state.names[~ref].trim() && !taken.has(state.names[~ref]) && taken.add(state.names[~ref]));
  const means = concepts.map((ref) => ({ name: state.names[~ref], means: expressionOf(state, attributes, cuts, ref) }));
  const columns = attributes.map((_, i) => attributeText(data, attributes, cuts, i));
  return `{"version":2,"target":${JSON.stringify(state.target)},"attributes":[${columns}],"concepts":${JSON.stringify(means)},"means":true}`;
}

function attributeText(data, attributes, cuts, i) {
  const { kind, whole } = attributes[i];
  const cells = isMeasured(attributes[i]) ? `"cuts":[${cuts[i]}]` : `"values":${data.model.values[i]}`;
  return `{"name":${data.model.names[i]},"kind":"${kind}",${cells}${whole ? ',"whole":true' : ""}}`;
}

const networkText = ({ first_gate, layers, needs }, nLiterals) =>
  JSON.stringify({ first_gate, n_literals: nLiterals, layers, needs });

function modelText(state, start, data, attributes, edits) {
  const { model } = data, same = state === start;
  const lived = same ? state : sameGates(state);
  const used = same ? [] : below(lived).filter((ref) => !isUnit(ref)).map((j) => lived.conditions[j]);
  const { cuts, entries, place } = fileConditions(data, attributes, used);
  const tries = same ? [] : ["and", "or"].map((gate) => layersOf(lived, (j) => place(lived.conditions[j]), gate));
  const best = tries.sort((a, b) => a.layers.length - b.layers.length)[0];
  const network = same ? model.network : { first_gate: best.firstGate, layers: best.layers, needs: best.needs };
  const chosen = state.alternative === null ? null : data.alternatives[state.alternative];
  const calibration = chosen ? JSON.stringify(chosen.calibration) : model.calibration;
  const alternatives = model.alternatives.map((x) => {
    const { network: theirs, ...rest } = x;
    return `{${JSON.stringify(rest).slice(1, -1)},"network":${networkText(theirs, entries.length)}}`;
  });
  const parts = {
    format: '"rulenet-model"',
    version: "2",
    parameters: model.parameters,
    classes: model.classes,
    outputs: JSON.stringify(data.outputs),
    encoding:
      `{"attributes":[${attributes.map((_, i) => attributeText(data, attributes, cuts, i))}],` +
      `"conditions":${JSON.stringify(entries)},"named":${model.namedColumns}}`,
    network: networkText(network, entries.length),
    calibration,
    history: model.history,
    target: JSON.stringify(state.target),
    named: same ? model.named : namedFormula(state, attributes, data, cuts),
    alternatives: `[${alternatives}]`,
  };
  if (edits.length) parts.edits = JSON.stringify(edits);
  return `{${Object.entries(parts).map(([name, text]) => `\n "${name}": ${text}`)}\n}\n`;
}

// The call that learns on around what is locked, for Python.
function refitCall(state, attributes) {
  const quoted = (text) => JSON.stringify(text);
  const locked = state.locked.filter((k) => below(state).includes(~k) && !state.outputs.includes(k)).map((k) => quoted(state.names[k]));
  const forbidden = state.forbidden.map((x) =>
    quoted(x.condition ? textOf(attributes[x.condition.attribute], x.condition) : attributes[x.column].name),
  );
  const load = 'model = RuleNetworkClassifier.load("edited.json")';
  if (state.outputs.length > 1) {
    return ["# refit keeps parts of the rules for one class; several classes are fitted anew, without what is forbidden",
      load, `model.set_params(forbid=[${forbidden.join(", ")}]).fit(X, y)`].join("\n");
  }
  return [
    load,
    `model = model.refit(X, y, lock=[${locked.join(", ")}], forbid=[${forbidden.join(", ")}])`,
  ].join("\n");
}
