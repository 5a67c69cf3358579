// The rules as text, linked with the drawing.

// A long text is broken where its line ends; a short one stands in one piece.
const chipKind = (text, kind) => `chip ${kind}${text.length > 36 ? " long" : ""}`;

function chip(app, ref, text, kind, more = {}) {
  const { select, ...attributes } = { select: () => app.select(ref), ...more };
  return el("span", {
    class: classesOf(app, ref, chipKind(text, kind)),
    "data-ref": ref,
    tabindex: 0,
    role: "button",
    title: noteOf(app, ref),
    onclick: (event) => {
      event.stopPropagation();
      select();
    },
    onkeydown: (event) => {
      if (event.key === "Enter" || event.key === " ") select();
      else if (!stepFrom(event.currentTarget, event)) return;
      event.preventDefault();
    },
    ...attributes,
  }, text);
}

function pictured(app, found, condition) {
  if (condition.ranges && !app.compact) {
    const picture = svg("svg", { width: 34, height: 14, viewBox: "0 -1 34 15", class: "inline", "aria-hidden": "true" });
    picture.append(histogram(app, app.rows, condition, 34, 10, 14));
    found.append(picture);
  }
  return found;
}

const conditionChip = (app, ref) => pictured(app, chip(app, ref, app.textOf(ref), "condition"), app.state.conditions[ref]);

// A step stands for all inputs that count in it; clicks lead from one of these to the next.
function stepChip(app, { said, condition, refs }, first, note) {
  const attribute = app.attributes[condition.attribute], text = first ? textOf(attribute, said) : withoutName(attribute, said);
  const words = ["node", chipKind(text, "condition step")];
  if (refs.includes(app.selected)) words.push("selected");
  if (app.asked) words.push(holdsIn(app.asked.values)(condition) ? "lit" : "dark");
  if (app.query) words.push(refs.some((ref) => app.matches(ref)) ? "match" : "faded");
  const found = chip(app, refs[0], text, "", {
    class: words.join(" "),
    "data-refs": refs.join(" "),
    title: [note, ...refs.map((ref) => app.textOf(ref))].filter(Boolean).join("\n"),
    "aria-label": textOf(attribute, said),
    select: () => app.select(refs[(refs.indexOf(app.selected) + 1) % refs.length]),
  });
  return first ? pictured(app, found, condition) : found;
}

// What one line of a count says: a part, or the steps of a column.
function lineOf(app, steps, uses, points) {
  if (steps[0].ref !== undefined) {
    const [{ ref, points: n }] = steps;
    return noted(app, ref, points ? `${n} if ` : "", uses);
  }
  return steps.map((step, i) => {
    const found = coverageOf(conditionBits(step.condition, app.rows), app.rows), note = (steps.length > 1 ? countOf : noteOf)(app, null, found);
    return [i ? ", else " : "", points ? `${step.points} if ` : "", stepChip(app, step, !i, noteOf(app, null, found)), el("span", { class: "note" }, note && ` ${note}`)];
  });
}

const PLAIN = ["all of", "any of", "if", "always", "never"];

// The lines of a unit, each with all that its look depends on.
function linesOf(app, ref, uses) {
  const unit = app.state.units[~ref], inputs = inOrder(app, unit), isClass = app.state.outputs.length > 1 && app.state.outputs.includes(~ref);
  const look = (list) => list.map(([input, times]) => `${times} ${usesIn(app, input, uses)} ${lookOf(app, input)}`).join();
  if (!isClass && PLAIN.includes(gateWords(unit))) {
    return { words: gateWords(unit), lines: inputs.map(([input, times]) => [look([[input, times]]), () => noted(app, input, timesOf(times), uses)]) };
  }
  const lines = stepsOf(app, inputs), points = inPoints(lines), counts = new Map(inputs);
  const mine = (steps) => [...new Set(steps.flatMap(({ refs }) => refs))].map((input) => [input, counts.get(input)]);
  return {
    words: isClass ? classWords(unit, lines) : listWords(unit, lines),
    lines: lines.map((steps) => [`${points ? "points " : steps[0].ref === undefined ? "steps " : ""}${look(mine(steps))}`, () => lineOf(app, steps, uses, points)]),
  };
}

// A unit that is used once and has no name of its own stands where it is used.
const standsAlone = (app, ref, uses) => uses.get(ref) > 1 || ~ref in app.state.names || app.state.locked.includes(~ref);

const timesOf = (times) => (times > 1 ? `${times} × ` : "");

const noteBeside = (app, ref) => el("span", { class: "note" }, ` ${noteOf(app, ref)}`);

// A part with what it covers: beside it, or beside its first line.
function noted(app, ref, counted, uses) {
  const found = inline(app, ref, counted, uses);
  return found.localName === "div" ? found : [found, noteBeside(app, ref)];
}

function inline(app, ref, counted, uses) {
  if (!isUnit(ref)) return el("span", {}, counted, conditionChip(app, ref));
  if (standsAlone(app, ref, uses)) return el("span", {}, counted, chip(app, ref, app.nameOf(~ref), "concept"));
  const unit = app.state.units[~ref], words = gateWords(unit);
  const deep = unit.inputs.some(([input]) => isUnit(input) && !standsAlone(app, input, uses));
  if (deep) {
    const { words: asked, lines } = linesOf(app, ref, uses);
    return el("div", { class: "inner" }, counted, chip(app, ref, app.nameOf(~ref), "unit"), ` ${asked}`, noteBeside(app, ref), el("ul", {}, lines.map(([, build]) => el("li", {}, build()))));
  }
  const parts = unit.inputs.map(([input, n]) => inline(app, input, timesOf(n), uses));
  const join = words === "all of" ? " and " : words === "any of" ? " or " : ", ";
  const plain = join !== ", ", tied = (part, i) => el("span", { class: "tied" }, part, i < parts.length - 1 && ",");
  const joined = parts.flatMap((part, i) => [i ? (plain ? el("span", { class: "join" }, join) : " ") : "", plain ? part : tied(part, i)]);
  return el("span", { class: "inner", "data-ref": ref }, counted, chip(app, ref, app.nameOf(~ref), "unit"),
    plain ? " " : ` ${words} (`, joined, plain ? "" : ")");
}

// Inputs in the order in which the drawing has them.
function inOrder(app, unit) {
  const y = ([ref]) => app.state.places[ref] ?? Infinity;
  return unit.inputs.map((input, i) => [input, i]).sort((a, b) => y(a[0]) - y(b[0]) || a[1] - b[1]).map(([input]) => input);
}

function usesIn(app, ref, uses) {
  if (!isUnit(ref) || standsAlone(app, ref, uses)) return isUnit(ref) ? "named" : "";
  return `(${app.state.units[~ref].inputs.map(([input]) => usesIn(app, input, uses))})`;
}

function block(app, ref, head, uses) {
  const { words, lines } = linesOf(app, ref, uses), said = words === "if" ? "" : words;
  const whole = kept(app, "block", ref, () => el("div", { class: "rule-block", "data-ref": ref }, el("div", { class: "rule-head" }), el("ul", {})));
  arrange(whole.firstChild, kept(app, "head", `${head} ${words} ${lookOf(app, ref)}`, () =>
    el("span", {}, head[0], chip(app, ref, app.nameOf(~ref), "concept"), ` ${head[1]} `, el("b", {}, said), noteBeside(app, ref))));
  arrange(whole.lastChild, lines.map(([look, build]) => kept(app, "rule", `${~ref} ${look}`, () => el("li", {}, build()))));
  return whole;
}

function rulesText(app) {
  const { state } = app, order = below(state).filter(isUnit), uses = new Map();
  order.forEach((ref) => state.units[~ref].inputs.forEach(([input]) => uses.set(input, (uses.get(input) || 0) + 1)));
  const outputs = state.outputs.map((k) => ~k);
  const several = outputs.length > 1;
  const named = order.filter((ref) => !outputs.includes(ref) && standsAlone(app, ref, uses)).reverse();
  return [
    several && el("p", { class: "note" }, `${state.target} is what exceeds its need by most, or else lacks least; of equals the first`),
    outputs.map((ref) => block(app, ref, ["", several ? "" : "if"], uses)),
    named.map((ref) => block(app, ref, ["where ", "means"], uses)),
  ];
}
