// What is selected: how many rows of which class, and all that can be changed about it.

function coverageTable(app, ref) {
  const { n, classes } = app.coverage(ref), held = app.held && coverageOf(app.now.heldResult.bits.get(ref), app.held);
  const line = (k) => el("tr", {}, el("th", { scope: "row" }, swatch(app, k), shortened(app.classes[k], 18)),
    el("td", {}, thousands(classes[k])), el("td", {}, percent(share(classes[k], n))),
    held && el("td", {}, thousands(held.classes[k])));
  return el("table", { class: "scores" },
    el("thead", {}, el("tr", {}, el("td"), ["rows", "share", held && "held-out"].filter(Boolean).map((x) => el("th", { scope: "col" }, x)))),
    el("tbody", {}, (hasColours(app) ? classes.map((_, k) => k) : mostOf(classes, COLOURS)).map(line)),
    !hasColours(app) && el("caption", { class: "note" }, `the ${COLOURS} most frequent of ${app.classes.length} classes`));
}

const mostOf = (counts, n) => counts.map((_, k) => k).sort((a, b) => counts[b] - counts[a]).slice(0, n);

const showRowsButton = (app, ref) => [
  button("list its rows", () => app.listRef(ref, "rows"), { id: "list-rows" }),
  app.held && button("held-out", () => app.listRef(ref, "held"), { id: "list-held", "aria-label": "list its held-out rows" }),
];

function inspectUnit(app, ref) {
  const k = ~ref, unit = app.state.units[k], name = app.nameOf(k), n = fanIn(unit), isOutput = app.state.outputs.includes(k);
  const locked = app.state.locked.includes(k);
  const isClass = isOutput && app.state.outputs.length > 1;
  const title = el("input", { id: "rename", value: name, "aria-label": "name", disabled: locked || isClass, title: isClass ? "a class is called as it is in the data" : null, onchange: (event) => app.rename(k, event.target.value) });
  const need = el("input", {
    type: "number", id: "need", min: 1, max: Math.max(n, 1), value: wantedOf(unit), disabled: locked, "aria-label": "how many inputs must hold",
    onchange: (event) => app.setWanted(k, Number(event.target.value)),
  });
  const drop = ([input, times]) => el("li", {}, times > 1 ? `${times} × ` : "", chip(app, input, app.labelOf(input, 46), isUnit(input) ? "concept" : "condition"),
    !locked && button("drop", () => app.drop(k, input), { "data-drop": input, "aria-label": `drop ${app.textOf(input)}` }));
  return [
    el("div", { class: "field" }, el("label", { for: "rename" }, isOutput ? "output" : "concept"), title),
    el("p", {}, `${gateWords(unit)} ${plural(unit.inputs.length, "input")}: `, el("label", {}, "at least ", need, ` of ${n} must hold`)),
    coverageTable(app, ref),
    el("p", { class: "tools" }, showRowsButton(app, ref),
      !isOutput && button(locked ? "unlock" : "lock", () => app.lock(k), { id: "lock", "aria-pressed": String(locked) })),
    el("ul", { class: "inputs" }, unit.inputs.map(drop)),
    !locked && addForm(app, k),
  ];
}

// A condition to add, by column, sign and value.
function addForm(app, k) {
  const column = el("select", { id: "add-column", "aria-label": "column", onchange: () => fill() },
    app.attributes.map((attribute, i) => (isMeasured(attribute) || attribute.values.length) && !app.isForbidden(i)
      ? el("option", { value: i }, shortened(attribute.name, 40)) : null));
  const sign = el("select", { id: "add-sign", "aria-label": "sign" }), value = el("span", {});
  const fill = () => {
    const attribute = app.attributes[Number(column.value)], measured = isMeasured(attribute);
    const signs = measured ? ["<=", ">", "is missing"] : [...(isOrdered(attribute) ? ["<=", ">"] : []), "=", "!=", "is missing"];
    showIn(sign, signs.map((x) => el("option", { value: x }, x)));
    showIn(value, measured
      ? el("input", { id: "add-value", "aria-label": "value", placeholder: hintOf(attribute), value: middleOf(app, Number(column.value)) })
      : el("select", { id: "add-value", "aria-label": "value" }, attribute.values.map((text, cell) => el("option", { value: cell }, shortened(text, 40)))));
  };
  const made = () => conditionFrom(app, Number(column.value), sign.value, value.firstChild.value);
  const add = (whole) => app.guarded(() => app.add(k, made(), whole));
  if (!column.options.length) return null;
  column.value = column.options[0].value;
  fill();
  return el("fieldset", {}, el("legend", {}, "add a condition"), el("div", { class: "add" }, column, sign, value),
    button("add here", () => add(false), { id: "add-here" }), button("add as a rule of its own", () => add(true), { id: "add-rule" }));
}

const hintOf = (attribute) => ({ numeric: "a number", date: "2024-03-01", instant: "2024-03-01T12:00Z", duration: "seconds" })[attribute.kind];

function middleOf(app, column) {
  const { values } = app.rows.columns[column];
  return values.length ? editable(app.attributes[column], values[Math.floor(values.length / 2)]) : "";
}

// A bound as people type it.
function editable(attribute, bound) {
  if (attribute.kind === "numeric") return String(bound);
  return attribute.kind === "duration" ? String(Number(bound) / 1e6) : shownMoment(attribute, bound).replace("+00:00", "Z");
}

function checkedBound(attribute, text) {
  const bound = typedValue(attribute, text);
  if (bound === null || bound === Infinity || bound === -Infinity) throw new TypeError(`a bound is ${JSON.stringify(text)}, but must be finite`);
  return attribute.whole ? Math.floor(Number(bound) / stepOf(attribute)) * stepOf(attribute) : bound;
}

function conditionFrom(app, column, sign, value) {
  const attribute = app.attributes[column], missing = sign === "is missing";
  if (isMeasured(attribute)) {
    const bound = missing ? null : checkedBound(attribute, value);
    return { attribute: column, ranges: missing ? [] : sign === "<=" ? [[null, bound]] : [[bound, null]], missing };
  }
  const cell = Number(value), all = attribute.values.map((_, i) => i);
  const tests = { "=": (i) => i === cell, "!=": (i) => i !== cell, "<=": (i) => i <= cell, ">": (i) => i > cell };
  return { attribute: column, cells: missing ? [] : all.filter(tests[sign]), missing };
}

function inspectCondition(app, j) {
  const condition = app.state.conditions[j], attribute = app.attributes[condition.attribute], users = usersOf(app.state, j);
  const frozen = users.some((user) => app.isLocked(user));
  return [
    el("p", { class: "big" }, app.textOf(j)),
    coverageTable(app, j),
    condition.ranges && cutEditor(app, j, frozen),
    condition.cells && attribute.values.length <= 300 && cellEditor(app, j, frozen),
    el("p", { class: "tools" }, showRowsButton(app, j), button("find this column", () => app.search(attribute.name), { id: "find-column" })),
    el("ul", { class: "inputs" }, users.map((user) => el("li", {}, "in ", chip(app, user, app.nameOf(~user), "concept"),
      !app.isLocked(user) && button("drop", () => app.drop(~user, j), { "data-drop": j, "aria-label": `drop it from ${app.nameOf(~user)}` })))),
    !frozen && el("p", { class: "tools" },
      button("forbid this condition", () => app.forbid({ condition: j }), { id: "forbid-condition" }),
      button(`forbid column ${shortened(attribute.name, 24)}`, () => app.forbid({ column: condition.attribute }), { id: "forbid-column" })),
    frozen && el("p", { class: "note" }, "locked: unlock the concept to change it"),
  ];
}

function cellEditor(app, j, frozen) {
  const condition = app.state.conditions[j], attribute = app.attributes[condition.attribute];
  const flip = (cell) => {
    const cells = condition.cells.includes(cell) ? condition.cells.filter((x) => x !== cell) : [...condition.cells, cell].sort((a, b) => a - b);
    app.edit(`${app.textOf(j)} becomes ${textOf(attribute, { ...condition, cells })}`, changeCondition(app.state, j, { ...condition, cells }));
  };
  return el("fieldset", { class: "cells" }, el("legend", {}, "holds for"), attribute.values.map((text, cell) =>
    el("label", {}, el("input", { type: "checkbox", checked: condition.cells.includes(cell), disabled: frozen, onchange: () => flip(cell), "data-cell-value": cell }), shortened(text, 30))));
}

// The histogram with cuts that can be dragged, or moved by keys, or typed.
function cutEditor(app, j, frozen) {
  const width = 300, height = 70, condition = app.state.conditions[j], attribute = app.attributes[condition.attribute];
  const picture = svg("svg", { viewBox: `-6 -8 ${width + 12} ${height + 22}`, class: "big-histogram", role: "img",
    "aria-label": `classes by ${attribute.name}, with the cuts of the condition` });
  const found = cachedBins(app.rows, condition.attribute, 40);
  picture.append(histogram(app, app.rows, condition, width, height, 40));
  const ends = endsOf(condition);
  if (found && !frozen) ends.forEach((end) => picture.append(handle(app, j, end, found, picture, width, height)));
  const typed = ends.map((end) => el("label", {}, end.side ? "at most " : "above ", el("input", {
    value: editable(attribute, end.end), disabled: frozen, "data-cut": `${end.i}-${end.side}`, size: 14,
    onchange: (event) => app.guarded(() => app.moveCut(j, end, checkedBound(attribute, event.target.value))),
  })));
  const said = found && el("p", { class: "note" }, `from ${shownBound(attribute, nearest(app, condition.attribute, found.low))} to ${shownBound(attribute, nearest(app, condition.attribute, found.high))}`);
  return el("div", { class: "cuts" }, picture, said, typed);
}

function nearest(app, column, wanted) {
  const { values } = app.rows.columns[column];
  return values.reduce((best, x) => (Math.abs(scaled(x) - wanted) < Math.abs(scaled(best) - wanted) ? x : best), values[0]);
}

// The gaps between the values that rows have, as bounds: halfway where numbers need not be whole.
function gapNear(app, column, wanted) {
  const attribute = app.attributes[column], { values } = app.rows.columns[column];
  let low = 0, high = values.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (scaled(values[middle]) <= wanted) low = middle;
    else high = middle - 1;
  }
  if (attribute.kind !== "numeric" || attribute.whole || low + 1 >= values.length) return values[low];
  return roundest(values[low], values[low + 1]);
}

// The shortest number that is at least the first and less than the second.
function roundest(low, high) {
  for (let digits = 1; digits < 17; digits++) {
    const middle = Number(((low + high) / 2).toPrecision(digits));
    if (middle >= low && middle < high) return middle;
  }
  return low;
}

function handle(app, j, end, found, picture, width, height) {
  const column = app.state.conditions[j].attribute, attribute = app.attributes[column];
  const knob = svg("g", { class: "handle", tabindex: 0, role: "slider", "aria-label": end.side ? "upper cut" : "lower cut",
    "aria-valuetext": shownBound(attribute, end.end), "aria-valuenow": scaled(end.end), "aria-valuemin": found.low, "aria-valuemax": found.high,
    transform: `translate(${place(found, end.end, width)} 0)`, "data-handle": `${end.i}-${end.side}` },
  svg("rect", { x: -9, y: -8, width: 18, height: height + 14, class: "grip" }), svg("line", { y1: -4, y2: height + 6 }), svg("circle", { cy: -2, r: 5 }));
  const valueAt = (event) => {
    const box = picture.getBoundingClientRect(), scale = (width + 12) / box.width;
    return found.low + (((event.clientX - box.left) * scale - 6) / width) * (found.high - found.low);
  };
  let bound = null;
  knob.addEventListener("pointerdown", (event) => {
    knob.setPointerCapture(event.pointerId);
    bound = end.end;
  });
  knob.addEventListener("pointermove", (event) => {
    if (bound === null) return;
    bound = gapNear(app, column, valueAt(event));
    knob.setAttribute("transform", `translate(${place(found, bound, width)} 0)`);
    app.preview(moveEnd(app.state, j, end, bound), `${shownBound(attribute, bound)}`);
  });
  knob.addEventListener("pointerup", () => {
    const moved = bound;
    bound = null;
    if (moved !== null && moved !== end.end) app.moveCut(j, end, moved);
  });
  knob.addEventListener("pointercancel", () => {
    bound = null;
    app.refresh();
  });
  knob.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const wanted = scaled(end.end) + (step * (found.high - found.low)) / 40;
    app.moveCut(j, end, gapNear(app, column, wanted));
  });
  return knob;
}

function inspector(app) {
  if (app.selected === null || !app.now.result.bits.has(app.selected)) {
    return [el("p", { class: "note" }, "Click a condition or a unit in the network or in the rules: what it covers, and what can be changed, is shown here."), forbiddenList(app)];
  }
  return [isUnit(app.selected) ? inspectUnit(app, app.selected) : inspectCondition(app, app.selected), forbiddenList(app)];
}

// What neither the network nor one that is refitted may ask.
function forbiddenList(app) {
  const { forbidden } = app.state;
  const free = app.attributes.map((_, i) => i).filter((i) => !app.isForbidden(i));
  const column = el("select", { id: "forbid-which", "aria-label": "column to forbid" }, free.map((i) => el("option", { value: i }, shortened(app.attributes[i].name, 30))));
  return el("details", { open: forbidden.length > 0, class: "forbidden" }, el("summary", {}, forbidden.length ? `forbidden (${forbidden.length})` : "forbid a column"),
    el("ul", { class: "inputs" }, forbidden.map((x, i) =>
      el("li", {}, x.condition ? textOf(app.attributes[x.condition.attribute], x.condition) : `column ${visible(app.attributes[x.column].name)}`,
        button("allow again", () => app.edit("allowed again what was forbidden", allowAgain(app.state, i)))))),
    free.length > 0 && el("p", { class: "tools" }, column, button("forbid", () => app.forbid({ column: Number(column.value) }), { id: "forbid-any" })));
}
