// One row: picked, or typed. What fires, by what margin, why, and what would change it.

function valuesOfRow(app, set, row) {
  const source = app.setOf(set);
  return app.attributes.map((attribute, i) => {
    const { codes, values, missing, cells } = source.columns[i], code = codes[row];
    if (code === missing) return null;
    return isMeasured(attribute) ? values[code] : code < cells ? code : -2;
  });
}

// As predict_proba says it: none is certain, and the predicted class is the most probable one where they follow it.
function probabilitiesOf({ state, data, classes }, { margins, predicted }) {
  const chosen = state.alternative === null ? JSON.parse(data.model.calibration) : data.alternatives[state.alternative].calibration;
  const scores = margins.map((m, i) => chosen.scale * (chosen.by_sign ? Math.max(-1, Math.min(0, m)) : m) + chosen.offsets[i]);
  // Of two classes, the one that is not described has the score 0.
  const logs = classes.map((_, k) => scores[state.classes.indexOf(k)] ?? 0), top = Math.max(...logs);
  const raised = logs.map((x) => Math.exp(x - top)), edge = 1e-6 * sum(raised);
  if (chosen.follows !== false && raised[predicted] < 1) raised[predicted] = 1 + edge;
  const kept = raised.map((x) => Math.max(x, edge)), total = sum(kept);
  return kept.map((x) => x / total);
}

function valueField(app, column) {
  const attribute = app.attributes[column], value = app.asked.values[column], set = (next) => app.setValue(column, next);
  const label = shortened(attribute.name, 30), name = { "aria-label": attribute.name, "data-field": column };
  if (isMeasured(attribute)) {
    return el("label", {}, el("span", {}, label), el("input", { ...name, value: value === null ? "" : editable(attribute, value), placeholder: "missing",
      onchange: (event) => app.guarded(() => set(typedValue(attribute, event.target.value))) }));
  }
  const options = [["", "missing"], ["-2", "another value"], ...attribute.values.map((text, cell) => [String(cell), shortened(text, 40)])];
  const chosen = value === null ? "" : String(value);
  return el("label", {}, el("span", {}, label), el("select", { ...name, onchange: (event) => set(event.target.value === "" ? null : Number(event.target.value)) },
    options.map(([v, text]) => el("option", { value: v, selected: v === chosen }, text))));
}

function said(found, none) {
  if (!found.said) return none;
  if (!found.said.length) return "nothing: no values could change it";
  return found.said.map((x, i) => [i ? el("span", { class: "join" }, " and ") : "", el("span", { class: "because" }, x.text)]);
}

const exactly = (x) => (x.smallest ? "" : " (not proven to be the smallest)");

function saidReason(app) {
  const { reason } = app.asked.why;
  return reason ? [said(reason, "none"), exactly(reason)] : "…";
}

function saidChange(app) {
  const { change } = app.asked.why;
  if (!change) return "…";
  if (!change.said) return change.smallest ? "no other values would change it" : "none was found in time";
  return [el("b", {}, app.classes[change.becomes] ?? "another class"), " with ", said(change, ""), exactly(change)];
}

// What was found out since the row was shown.
function showWhy(app) {
  for (const [id, text] of [["reason", saidReason(app)], ["change", saidChange(app)]]) {
    const place = document.getElementById(id);
    if (place) showIn(place, el("span", {}, text));
  }
}

function question(app) {
  if (!app.asked && app.compact) return button("ask about a row: give values", () => app.askEmpty(), { id: "ask-empty" });
  if (!app.asked) {
    return [el("p", { class: "note" }, "Pick a row in the table below, or start with an empty one and give values: what fires lights up in the network."),
      button("start with an empty row", () => app.askEmpty(), { id: "ask-empty" }), button("first row", () => app.ask("rows", 0), { id: "ask-first" })];
  }
  const { found, title } = app.asked, columns = listedColumns(app).filter((i) => app.usedColumns().has(i));
  const chances = probabilitiesOf(app, found);
  const several = app.state.outputs.length > 1;
  const fields = el("fieldset", { class: "values" }, el("legend", {}, "values; change one and see"), columns.map((i) => valueField(app, i)));
  const margin = several ? `ahead of the next by ${leadOf(found.margins)}` : `margin ${found.margins[0]}`;
  return [
    !app.compact && el("p", { class: "tools" }, button("‹ before", () => app.askBeside(-1), { id: "row-before", "aria-label": "the row listed before" }),
      button("next ›", () => app.askBeside(1), { id: "row-next", "aria-label": "the next row listed" }), el("span", { class: "note" }, `of ${app.listed.what}`)),
    el("p", { class: "big" }, `${title}: `, el("b", { id: "answer" }, visible(app.classes[found.predicted])),
      el("span", { class: "note" }, ` ${margin}; probability ${percent(chances[found.predicted], 0)}${app.isEdited() ? " by the calibration of the start" : ""}`)),
    several && marginTable(app, found, chances),
    app.compact && fields,
    el("dl", {},
      el("dt", {}, "smallest sufficient reason"), el("dd", { id: "reason" }, saidReason(app)),
      el("dt", {}, "smallest change"), el("dd", { id: "change" }, saidChange(app)),
      el("dt", {}, "what fires"), el("dd", {}, firedChips(app, found))),
    !app.compact && fields,
    el("p", { class: "tools" }, button("let go of the row", () => app.letGo(), { id: "let-go" })),
  ];
}

function firedChips(app, found) {
  const fired = below(app.state).filter((ref) => isUnit(ref) && found.truth.get(ref)).slice(-30);
  return fired.length ? fired.map((ref) => [chip(app, ref, app.nameOf(~ref), "concept"), " "]) : "no unit";
}

// By how much the largest margin is larger than the next.
function leadOf(margins) {
  const [first, second] = [...margins].sort((a, b) => b - a);
  return first - second;
}

// Every class by its margin, the likeliest first.
function marginTable(app, found, chances) {
  const order = found.margins.map((_, i) => i).sort((a, b) => found.margins[b] - found.margins[a] || a - b).slice(0, 6);
  const line = (i) => {
    const k = app.state.classes[i];
    return el("tr", { class: k === found.predicted ? "chosen" : "" }, el("th", { scope: "row" }, swatch(app, k), chip(app, ~app.state.outputs[i], shortened(app.classes[k], 16), "plain-chip")),
      el("td", {}, String(found.margins[i])), el("td", {}, el("meter", { min: 0, max: 1, value: chances[k], "aria-label": `probability of ${app.classes[k]}` }), ` ${percent(chances[k], 0)}`));
  };
  return el("table", { class: "scores margins", id: "margins" },
    el("thead", {}, el("tr", {}, el("td"), el("th", { scope: "col" }, "margin"), el("th", { scope: "col" }, "probability"))),
    el("tbody", {}, order.map(line)),
    app.classes.length > order.length && el("caption", { class: "note" }, `the first ${order.length} of ${app.classes.length} classes`));
}
