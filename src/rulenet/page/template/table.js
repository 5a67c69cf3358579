// Rows in a table: of everything, of a concept, of a cell of the confusion matrix; sorted and filtered.

const SHOWN = 30, COLUMNS = 24;

const numberIn = (source, row) => (source.numbers ? source.numbers[row] : row);

function listedColumns(app) {
  const used = new Set(below(app.state).filter((ref) => !isUnit(ref)).map((j) => app.state.conditions[j].attribute));
  const all = app.attributes.map((_, i) => i);
  return [...all.filter((i) => used.has(i)), ...all.filter((i) => !used.has(i))].slice(0, COLUMNS);
}

function sortKey(app, set, result, key, row) {
  if (key === "row") return numberIn(set, row);
  if (key === "actual") return set.labels[row];
  if (key === "predicted") return result.predicted[row];
  if (key === "margin") return marginAt(result, row);
  const { codes, missing } = set.columns[key];
  return codes[row] === missing ? -1 : codes[row];
}

// The margin of the one output; of several classes, how far the predicted one is ahead of the next.
const marginAt = ({ margins }, row) => (margins.length === 1 ? margins[0][row] : leadOf(margins.map((m) => m[row])));

const COMPARED = {
  "<=": (a, b) => a <= b, ">=": (a, b) => a >= b, "!=": (a, b) => a !== b, "<": (a, b) => a < b, ">": (a, b) => a > b, "=": (a, b) => a === b,
};

// What is asked of a row: a column compared with a value, or a text that some cell holds; null for a text.
function comparisonOf(app, text) {
  const found = text.match(/^(.+?)\s*(<=|>=|!=|<|>|=)\s*(.*)$/);
  const column = found && app.attributes.findIndex((x) => x.name.toLowerCase() === found[1]);
  if (!found || column < 0) return null;
  const attribute = app.attributes[column], compare = COMPARED[found[2]];
  if (!isMeasured(attribute)) return (source, row) => compare(shownCell(source, app.attributes, column, row).toLowerCase(), found[3]);
  try {
    const bound = typedValue(attribute, found[3]);
    return (source, row) => {
      const { codes, values, missing } = source.columns[column];
      return bound === null ? (codes[row] === missing) === (found[2] === "=") : codes[row] !== missing && compare(values[codes[row]], bound);
    };
  } catch {
    return null;
  }
}

function filterOf(app, source, columns, text) {
  const whole = (row) => [app.classes[source.labels[row]], ...columns.map((i) => `${app.attributes[i].name}=${shownCell(source, app.attributes, i, row)}`)].join("\n").toLowerCase();
  const tests = text.toLowerCase().split(";").map((x) => x.trim()).filter(Boolean).map((part) => {
    const compared = comparisonOf(app, part);
    return compared ? (row) => compared(source, row) : (row) => whole(row).includes(part);
  });
  return (row) => tests.every((test) => test(row));
}

function listedRows(app) {
  const { set, rows, sort, descending, filter } = app.listed;
  const source = app.setOf(set), result = app.resultOf(set), columns = listedColumns(app);
  const wanted = filterOf(app, source, columns, filter), wrong = (row) => source.labels[row] !== result.predicted[row];
  const kept = rows.filter((row) => (!app.listed.wrong || wrong(row)) && wanted(row));
  if (sort !== null) {
    const keys = new Map(kept.map((row) => [row, Number(sortKey(app, source, result, sort, row))]));
    kept.sort((a, b) => (keys.get(a) - keys.get(b)) * (descending ? -1 : 1) || a - b);
  }
  return kept;
}

function tableHead(app, key, title) {
  const { sort, descending } = app.listed, mine = sort === key;
  const flip = () => {
    app.listed = { ...app.listed, sort: key, descending: mine && !descending };
    app.showRows();
  };
  const order = mine ? (descending ? "descending" : "ascending") : "none";
  return el("th", { scope: "col", "aria-sort": order }, button(`${shortened(title, 24)}${mine ? (descending ? " ▼" : " ▲") : ""}`, flip, { "data-sort": key }));
}

// What a row says that an edit may change: its number, both classes, the margin.
function tableStart(app, set, row) {
  const source = app.setOf(set), result = app.resultOf(set), wrong = source.labels[row] !== result.predicted[row];
  const said = result.margins.length > 1 ? result.margins.map((m, i) => `${app.classes[app.state.classes[i]]} ${m[row]}`).map(visible).join(", ") : "";
  const guess = visible(app.classes[result.predicted[row]]);
  return { wrong, said, texts: [visible(app.classes[source.labels[row]]), `${guess}${wrong ? " ✗" : ""}`, String(marginAt(result, row))] };
}

const isAsked = (app, set, row) => Boolean(app.asked && app.asked.set === set && app.asked.row === row);

function buildLine(app, set, row, columns) {
  const source = app.setOf(set), number = numberIn(source, row);
  const pick = button(String(number), () => app.pick(set, row), { "aria-label": `question row ${number}`, "data-row": row });
  return el("tr", {}, el("td", {}, pick), el("td"), el("td"), el("td"),
    columns.map((i) => el("td", {}, shortened(shownCell(source, app.attributes, i, row), 40))));
}

function tableLine(app, set, row, columns) {
  const line = app.keptRows.get(`${set} ${row} ${columns}`, () => buildLine(app, set, row, columns)), { wrong, said, texts } = tableStart(app, set, row);
  texts.forEach((text, i) => setText(line.cells[i + 1], text));
  setNew(line.cells[3], "title", said);
  setNew(line, "class", [wrong && "wrong", isAsked(app, set, row) && "asked"].filter(Boolean).join(" "));
  setNew(line, "aria-current", isAsked(app, set, row));
  return line;
}

function tableHeads(app, columns) {
  const several = app.resultOf(app.listed.set).margins.length > 1, { sort, descending } = app.listed;
  return app.keptRows.get(`head ${sort} ${descending} ${several} ${columns}`, () =>
    el("tr", {}, tableHead(app, "row", "row"), tableHead(app, "actual", "actual"), tableHead(app, "predicted", "predicted"),
      tableHead(app, "margin", several ? "ahead by" : "margin"), columns.map((i) => tableHead(app, i, app.attributes[i].name))));
}

function fillTable(app) {
  const { set, shown } = app.listed, columns = listedColumns(app), kept = listedRows(app), { said, head, body, more } = app.parts.table;
  app.listed.kept = kept;
  app.keptRows.turn();
  setText(said, `${app.listed.what}: ${plural(kept.length, "row")}${columns.length < app.attributes.length ? `; the first ${COLUMNS} columns` : ""}`);
  arrange(head, tableHeads(app, columns));
  arrange(body, kept.slice(0, shown).map((row) => tableLine(app, set, row, columns)));
  more.hidden = kept.length <= shown;
  setText(more, `show more (${thousands(kept.length - shown)} left)`);
}

function emptyTable(app) {
  const said = el("p", { class: "note", id: "rows-said", role: "status" }), head = el("thead", {}), body = el("tbody", {});
  const more = button("", () => {
    app.listed = { ...app.listed, shown: app.listed.shown + 200 };
    app.showRows();
  });
  app.parts.table = { said, head, body, more };
  return [said, el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "rows" }, el("table", { class: "rows" }, head, body)), more];
}

function rowsCard(app) {
  const filter = el("input", {
    type: "search", id: "filter", placeholder: "filter: a value; age > 40; colour = red", "aria-label": "filter rows",
    oninput: (event) => {
      app.listed = { ...app.listed, filter: event.target.value };
      app.showRows();
    },
  });
  const wrong = el("label", {}, el("input", { type: "checkbox", id: "only-wrong", onchange: (event) => {
    app.listed = { ...app.listed, wrong: event.target.checked };
    app.showRows();
  } }), " only errors");
  const tools = el("div", { class: "tools" }, wrong, filter, button("all rows", () => app.listAll("rows"), { id: "all-rows" }),
    app.held && button("held-out rows", () => app.listAll("held"), { id: "held-rows" }));
  return card("rows", "Rows", emptyTable(app), tools);
}
