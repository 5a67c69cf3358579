// The rules as text, linked with the drawing.

function chip(app, ref, text, kind) {
  const words = [classesOf(app, ref, `chip ${kind}`)];
  return el("span", {
    class: words.join(" "),
    "data-ref": ref,
    tabindex: 0,
    role: "button",
    title: noteOf(app, ref),
    onclick: (event) => {
      event.stopPropagation();
      app.select(ref);
    },
    onkeydown: (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      app.select(ref);
    },
  }, text);
}

function conditionChip(app, ref) {
  const condition = app.state.conditions[ref], found = chip(app, ref, app.textOf(ref), "condition");
  if (condition.ranges && !app.compact) {
    const picture = svg("svg", { width: 34, height: 14, viewBox: "0 -1 34 15", class: "inline", "aria-hidden": "true" });
    picture.append(histogram(app, app.rows, condition, 34, 10, 14));
    found.append(picture);
  }
  return found;
}

// A unit that is used once and has no name of its own stands where it is used.
const standsAlone = (app, ref, uses) => uses.get(ref) > 1 || ~ref in app.state.names || app.state.locked.includes(~ref);

function inline(app, ref, times, uses) {
  const counted = times > 1 ? `${times} × ` : "";
  if (!isUnit(ref)) return el("span", {}, counted, conditionChip(app, ref));
  if (standsAlone(app, ref, uses)) return el("span", {}, counted, chip(app, ref, app.nameOf(~ref), "concept"));
  const unit = app.state.units[~ref], words = gateWords(unit);
  const deep = unit.inputs.some(([input]) => isUnit(input) && !standsAlone(app, input, uses));
  if (deep) {
    const list = inOrder(app, unit).map(([input, n]) => el("li", {}, inline(app, input, n, uses)));
    return el("div", { class: "inner" }, counted, chip(app, ref, app.nameOf(~ref), "unit"), ` ${words}`, el("ul", {}, list));
  }
  const parts = unit.inputs.map(([input, n]) => inline(app, input, n, uses));
  const join = words === "all of" ? " and " : words === "any of" ? " or " : ", ";
  const joined = parts.flatMap((part, i) => (i ? [el("span", { class: "join" }, join), part] : [part]));
  const plain = join !== ", ";
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
  const unit = app.state.units[~ref], words = gateWords(unit), said = words === "if" ? "" : words;
  const whole = kept(app, "block", ref, () => el("div", { class: "rule-block", "data-ref": ref }, el("div", { class: "rule-head" }), el("ul", {})));
  arrange(whole.firstChild, kept(app, "head", `${head} ${lookOf(app, ref)}`, () =>
    el("span", {}, head[0], chip(app, ref, app.nameOf(~ref), "concept"), ` ${head[1]} `, el("b", {}, said), el("span", { class: "note" }, ` ${noteOf(app, ref)}`))));
  arrange(whole.lastChild, inOrder(app, unit).map(([input, times]) =>
    kept(app, "rule", `${~ref} ${times} ${usesIn(app, input, uses)} ${lookOf(app, input)}`, () =>
      el("li", {}, inline(app, input, times, uses), el("span", { class: "note" }, ` ${noteOf(app, input)}`)))));
  return whole;
}

function rulesText(app) {
  const { state } = app, order = below(state).filter(isUnit), uses = new Map();
  order.forEach((ref) => state.units[~ref].inputs.forEach(([input]) => uses.set(input, (uses.get(input) || 0) + 1)));
  const outputs = state.outputs.map((k) => ~k);
  const several = outputs.length > 1;
  const named = order.filter((ref) => !outputs.includes(ref) && standsAlone(app, ref, uses)).reverse();
  return [
    several && el("p", { class: "note" }, "The class whose rules hold by the largest margin is predicted; on a tie, the one that stands first."),
    outputs.map((ref) => block(app, ref, ["", "if"], uses)),
    named.map((ref) => block(app, ref, ["where ", "means"], uses)),
  ];
}
