// Scores on the embedded rows and on held-out ones, with what changed since the start.

const SCORES = { accuracy: "accuracy", precision: "precision", recall: "recall", auc: "AUC" };
// Of more classes the matrix is shown on demand, and before that the errors that are most frequent.
const SMALL_MATRIX = 4, MOST_ERRORS = 6;

function moved(now, before) {
  const text = change(now, before);
  return el("span", { class: `delta ${text.startsWith("−") ? "down" : "up"}` }, text);
}

function scoreTable(app, rows, scores, first, set) {
  const tile = ([name, title]) => el("div", { class: "tile" }, el("dt", {}, title),
    el("dd", { "data-score": `${set}-${name}` }, percent(scores[name]), moved(scores[name], first[name])));
  const several = app.classes.length > SMALL_MATRIX;
  return el("section", { class: "score", "aria-label": `scores on ${set === "rows" ? "these" : "held-out"} rows` },
    el("div", {},
      el("h3", {}, set === "rows" ? "these rows " : "held-out rows ", el("span", { class: "note" }, sampleNote(rows))),
      el("dl", { class: "tiles" }, Object.entries(SCORES).map(tile)),
      app.state.outputs.length > 1 && el("p", { class: "note" }, "precision, recall and AUC: means over classes")),
    several ? frequentErrors(app, scores, first, set) : confusionTable(app, scores, first, set),
    several && app.matrixOpen && el("div", { class: "wide" }, confusionTable(app, scores, first, set), classTable(app, scores, first)));
}

function sampleNote(rows) {
  return rows.n < rows.of ? `a sample of ${thousands(rows.n)} of ${plural(rows.of, "row")}` : plural(rows.n, "row");
}

function confusionCell(app, scores, first, set, actual, guess) {
  const n = scores.matrix[actual][guess], before = first.matrix[actual][guess], right = actual === guess;
  const heat = Math.round(100 * Math.sqrt(n / (sum(scores.matrix[actual]) || 1)));
  return el("td", { class: right ? "right" : "wrong" },
    button([thousands(n), el("span", { class: "delta" }, n === before ? "" : `${n > before ? "+" : "−"}${thousands(Math.abs(n - before))}`)], () => app.listCell(set, actual, guess), {
      "aria-label": `${n} rows of ${app.classes[actual]} predicted as ${app.classes[guess]}`, "data-cell": `${set}-${actual}-${guess}`,
      class: n ? null : "none", style: { "--heat": `${right ? heat * 0.6 : n && 20 + heat * 0.8}%` },
    }));
}

function confusionTable(app, scores, first, set) {
  const few = app.classes.length <= SMALL_MATRIX, names = app.classes.map((name) => shortened(name, few ? 16 : 9));
  const cell = (actual, guess) => confusionCell(app, scores, first, set, actual, guess);
  return el("table", { class: "confusion" },
    el("caption", { class: "note" }, "actual ↓ predicted →"),
    el("thead", {}, el("tr", {}, el("td"), names.map((name, k) => el("th", { scope: "col", title: visible(app.classes[k]) }, swatch(app, k), name)))),
    el("tbody", {}, scores.matrix.map((line, actual) =>
      el("tr", {}, el("th", { scope: "row", title: visible(app.classes[actual]) }, swatch(app, actual), names[actual]), line.map((_, guess) => cell(actual, guess))))));
}

function frequentErrors(app, scores, first, set) {
  const errors = scores.matrix.flatMap((line, actual) => line.map((n, guess) => ({ n, actual, guess }))).filter((x) => x.n && x.actual !== x.guess);
  errors.sort((a, b) => b.n - a.n);
  const entry = ({ n, actual, guess }) => {
    const before = first.matrix[actual][guess];
    return el("li", {}, button(`${shortened(app.classes[actual], 14)} → ${shortened(app.classes[guess], 14)}`, () => app.listCell(set, actual, guess),
      { "data-error": `${set}-${actual}-${guess}`, "aria-label": `${n} rows of ${app.classes[actual]} predicted as ${app.classes[guess]}` }),
    el("b", {}, thousands(n)), n !== before && el("span", { class: "delta" }, `${n > before ? "+" : "−"}${Math.abs(n - before)}`));
  };
  return el("div", { class: "errors" }, el("p", { class: "note" }, errors.length ? "the most frequent errors" : "no errors"),
    el("ul", {}, errors.slice(0, MOST_ERRORS).map(entry)),
    button(app.matrixOpen ? "hide the matrix" : `all ${app.classes.length} classes`, () => app.openMatrix(!app.matrixOpen),
      { "aria-expanded": String(app.matrixOpen), "data-matrix": set }));
}

function classTable(app, scores, first) {
  const cells = (k) => ["precision", "recall", "auc"].map((name) => el("td", {}, percent(scores.classes[k][name]), moved(scores.classes[k][name], first.classes[k][name])));
  return el("table", { class: "scores" },
    el("caption", { class: "note" }, "by class"),
    el("thead", {}, el("tr", {}, el("td"), ["precision", "recall", "AUC"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, scores.classes.map((_, k) => el("tr", {}, el("th", { scope: "row" }, swatch(app, k), shortened(app.classes[k], 16)), cells(k)))));
}

function scoreboard(app, now = app.now) {
  const { first } = app;
  return [
    scoreTable(app, app.rows, now.scores, first.scores, "rows"),
    app.held && scoreTable(app, app.held, now.heldScores, first.heldScores, "held"),
    el("section", { class: "score", "aria-label": "size of the network" }, el("div", {},
      el("h3", {}, "network ", el("span", { class: "note" }, `size ${shownSize(app)}${shownSize(app) === app.data.network.size ? "" : `, was ${app.data.network.size}`}`)),
      el("p", {}, plural(below(app.state).filter((ref) => !isUnit(ref)).length, "condition"), ", ",
        plural(below(app.state).filter(isUnit).length, "unit")),
      app.data.alternatives.length > 1 && slider(app))),
  ];
}

// The page joins the conditions on one column in a gate, so it may count fewer edges than the network has.
const shownSize = (app) => (app.isEdited() ? sizeOf(app.state) + app.data.network.size - sizeOf(app.start) : app.data.network.size);

// From the smallest network that the search found to the largest.
function slider(app) {
  const found = app.data.alternatives, at = app.state.alternative ?? found.findIndex((x) => x.chosen);
  const said = (i) => {
    const x = found[i];
    return x ? `accuracy ${percent(x.accuracy)} in training${x.validation === null ? "" : `, ${percent(x.validation)} on rows left out`}` : "edited";
  };
  return el("label", { class: "slider" }, `${found.length} networks, smaller to larger`,
    el("input", {
      type: "range", id: "alternatives", min: 0, max: found.length - 1, step: 1, value: at < 0 ? found.length - 1 : at,
      "aria-valuetext": `size ${found[at]?.size}, ${said(at)}`,
      onchange: (event) => app.takeAlternative(Number(event.target.value)),
    }),
    el("span", { class: "note" }, said(at)));
}
