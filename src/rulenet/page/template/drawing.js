// The network: a row for every condition, boxes for units, the outputs on the right.

const NAME = 26;
const PAPER = [680, 900]; // what a printed page has room for; letters would be too small where a drawing is much larger

function noteOf(app, ref, { n, classes } = app.coverage(ref)) {
  if (app.compact) return "";
  if (!n) return "no rows";
  const said = spokenClass(app, classes);
  return `${plural(n, "row")}, ${percent(classes[said] / n, 0)} ${spokenName(app.classes[said], 18)}`;
}

// The same in few characters: how many rows, and how pure they are.
function countOf(app, ref, { n, classes } = app.coverage(ref)) {
  if (app.compact) return "";
  return n ? `${thousands(n)} · ${percent(classes[spokenClass(app, classes)] / n, 0)}` : "no rows";
}

const countRoom = (app) => (app.compact ? 0 : Math.max(66, textWidth(`${thousands(app.rows.n)} · 100%`, 10.5)));

function coverageBar(app, ref, x, y, width, height) {
  const { classes } = app.coverage(ref), all = app.rows.n || 1, group = svg("g", { class: "coverage" });
  if (app.compact) return group;
  group.append(svg("rect", { x, y, width, height, class: "track" }));
  let at = x;
  for (const [n, paint] of paints(app, classes)) {
    const wide = (n / all) * width;
    if (wide) group.append(svg("rect", { x: at, y, width: Math.max(wide, 0.6), height, class: paint }));
    at += wide;
  }
  return group;
}

const isLit = (app, ref) => Boolean(app.asked && app.asked.found.truth.get(ref));

function classesOf(app, ref, kind) {
  const words = ["node", kind];
  if (app.selected === ref) words.push("selected");
  if (app.asked) words.push(isLit(app, ref) ? "lit" : "dark");
  if (isUnit(ref) && app.state.locked.includes(~ref)) words.push("locked");
  if (app.query) words.push(app.matches(ref) ? "match" : "faded");
  return words.join(" ");
}

function nodeAttributes(app, node, kind, label) {
  const { ref } = node;
  return {
    class: classesOf(app, ref, kind),
    "data-ref": ref,
    tabindex: 0,
    role: "button",
    "aria-label": `${label}; ${noteOf(app, ref)}${app.asked ? (isLit(app, ref) ? "; holds for the row" : "; fails for the row") : ""}`,
    "aria-expanded": node.unit && !node.isOutput ? String(node.open) : null,
    onclick: () => app.select(ref),
    ondblclick: () => node.unit && !node.isOutput && app.toggle(~ref),
    onkeydown: (event) => nodeKey(app, node, event),
  };
}

function nodeKey(app, node, event) {
  const folds = node.unit && !node.isOutput;
  if (event.key === "Enter" || event.key === " ") app.select(node.ref);
  else if (folds && (event.key === "ArrowLeft" || event.key === "-") && node.open) app.toggle(~node.ref);
  else if (folds && (event.key === "ArrowRight" || event.key === "+") && !node.open) app.toggle(~node.ref);
  else if (!stepFrom(event.currentTarget, event)) return;
  event.preventDefault();
}

// All that the look of a part depends on; what looks the same is not built anew.
function lookOf(app, ref) {
  if (app.looks.has(ref)) return app.looks.get(ref);
  const { n, classes } = app.coverage(ref);
  const flags = `${app.selected === ref ? "s" : ""}${app.asked ? (isLit(app, ref) ? "l" : "d") : ""}${app.query && app.matches(ref) ? "m" : ""}`;
  const inner = isUnit(ref)
    ? `${app.nameOf(~ref)} ${gateWords(app.state.units[~ref])} ${app.state.locked.includes(~ref)} ${app.state.units[~ref].inputs.map(([input, times]) => `${times}×${lookOf(app, input)}`)}`
    : keyOf(app.state.conditions[ref]);
  const look = numberOf(app.lookNumbers, `${ref} ${flags} ${n} ${classes} (${inner})`);
  app.looks.set(ref, look);
  return look;
}

// Looks of wholes name those of their parts by number, or they would be as long as all paths through a network.
function numberOf(numbers, text) {
  if (!numbers.has(text)) numbers.set(text, numbers.size);
  return numbers.get(text);
}

const kept = (app, kind, look, build) => app.kept.get(`${kind} ${look} ${app.query} ${app.focus}`, build);

function putAt(element, y) {
  setNew(element, "transform", `translate(0 ${y})`);
  return element;
}

function drawRow(app, node) {
  const look = `${node.id} ${node.x} ${node.label} ${lookOf(app, node.ref)}`;
  return putAt(kept(app, "row", look, () => buildRow(app, { ...node, y: 0 })), node.y);
}

function drawUnit(app, node) {
  const look = `${node.id} ${node.x} ${node.width} ${lookOf(app, node.ref)}`;
  return putAt(kept(app, "unit", look, () => buildUnit(app, { ...node, y: 0 })), node.y);
}

function buildRow(app, node) {
  const { ref, x, y, label } = node, shut = isUnit(ref);
  const text = app.textOf(ref);
  const group = svg("g", nodeAttributes(app, node, shut ? "row shut" : "row", text), svg("title", {}, `${text}\n${noteOf(app, ref)}`));
  group.append(svg("rect", { x: 2, y: y - ROW / 2, width: x + 4, height: ROW, class: "ground" }));
  const right = x - node.beside + 6;
  group.append(svg("text", { x: right, y: y + 4, "text-anchor": "end" }, label));
  if (shut) group.append(foldMark(app, node, right + 3, y));
  else if (app.state.conditions[ref].ranges && !app.compact) {
    const place = svg("g", { transform: `translate(${x - countRoom(app) - BAR - HISTOGRAM - 14} ${y - 8})` });
    place.append(histogram(app, app.rows, app.state.conditions[ref], HISTOGRAM, 13, 14));
    group.append(place);
  }
  group.append(coverageBar(app, ref, x - countRoom(app) - BAR - 7, y - 4, BAR, 8), svg("circle", { cx: x, cy: y, r: 4, class: "dot" }));
  group.append(svg("text", { x: x - 10, y: y + 4, "text-anchor": "end", class: "note" }, countOf(app, ref)));
  return group;
}

function foldMark(app, node, x, y) {
  const toggle = (event) => {
    event.stopPropagation();
    app.toggle(~node.ref);
  };
  return svg("g", { class: "fold", "aria-hidden": "true", onclick: toggle, ondblclick: (event) => event.stopPropagation() },
    svg("rect", { x: x - 5, y: y - 10, width: 18, height: 20, class: "ground" }),
    svg("text", { x, y: y + 4 }, node.open ? "▾" : "▸"));
}

function buildUnit(app, node) {
  const { ref, x, y, unit } = node, words = gateWords(unit), wide = node.width;
  const name = app.nameOf(~ref), kind = node.isOutput ? "unit output" : "unit";
  const group = svg("g", nodeAttributes(app, node, kind, `${name}: ${words} ${plural(unit.inputs.length, "input")}`));
  group.append(svg("title", {}, `${app.textOf(ref)}\n${noteOf(app, ref)}`));
  group.append(svg("rect", { x: x - wide / 2, y: y - 10, width: wide, height: 20, rx: boxKind(unit) === "all" ? 4 : 10, class: `box ${boxKind(unit)}` }));
  group.append(svg("text", { x, y: y + 4, "text-anchor": "middle", class: "words" }, words));
  const mark = app.state.locked.includes(~ref) ? " (locked)" : "";
  group.append(svg("text", { x, y: y - 14, "text-anchor": "middle", class: "name" }, shortened(name, node.isOutput ? NAME : 20) + mark));
  group.append(coverageBar(app, ref, x - wide / 2, y + 13, wide, 5));
  if (!node.isOutput) group.append(foldMark(app, node, x - wide / 2 + 3, y));
  group.append(svg("text", { x, y: y + 28, "text-anchor": "middle", class: "note" }, node.isOutput ? noteOf(app, ref) : countOf(app, ref)));
  return group;
}

function boxKind(unit) {
  const words = gateWords(unit);
  return words === "all of" ? "all" : words === "any of" || words === "if" ? "any" : "some";
}

// How often an edge counts is written at its start, where no others arrive. Into a bus, an edge that nothing tells from
// the others is drawn up to the line that all share: where it is moved, only its height changes.
function drawEdge(app, nodes, { from, to, times }, bus) {
  const a = nodes.get(from), b = nodes.get(to), x = a.row ? a.x + 8 : a.x + a.width / 2 + 4;
  const words = ["edge"];
  if (app.asked) words.push(isLit(app, a.ref) ? "lit" : "dark");
  if (app.selected === a.ref || app.selected === b.ref) words.push("near");
  if (app.query && !app.matches(a.ref)) words.push("faded");
  const short = bus && isBus(a, b) && !words.some((word) => word === "lit" || word === "near");
  const path = short ? stubOf(a, b) : routeOf(a, b, bus), y = short ? a.y : 0;
  const line = kept(app, "edge", `${from} ${to} ${times} ${path} ${words}`, () =>
    svg("g", {}, svg("path", { d: path, class: words.join(" "), "data-from": a.ref, "data-to": b.ref }),
      times > 1 && svg("text", { x, y: a.y - y - 3, class: "note times" }, `×${times}`)));
  return putAt(line, y);
}

// The lines that edges into units of very many inputs share, from the first to the last of these.
function drawBuses(app, nodes) {
  return [...nodes.values()].filter((b) => !b.row && b.inputs.length > BUS).map((b) => {
    const inputs = b.inputs.map((id) => nodes.get(id)).filter((a) => isBus(a, b)), d = busOf(inputs, b), kind = app.asked ? "edge dark" : "edge";
    return kept(app, "bus", `${d} ${kind}`, () => svg("path", { d, class: kind }));
  });
}

// Edges that are lit or near what is selected are drawn last, so that no others lie over them.
const edgeRank = (app, nodes, { from, to }) =>
  (isLit(app, nodes.get(from).ref) ? 1 : 0) + ([nodes.get(from).ref, nodes.get(to).ref].includes(app.selected) ? 2 : 0);

function drawNetwork(app) {
  const length = app.opened.size ? 40 : 54, outputs = app.shownOutputs();
  const name = (node) => shortened(app.nameOf(~node.ref), node.isOutput ? NAME : 20);
  const measure = (node) => Math.max(textWidth(name(node), 12.5), node.isOutput ? textWidth(noteOf(app, node.ref), 10.5) : textWidth(countOf(app, node.ref), 10.5));
  const { nodes, edges, width, height } = layoutOf(app.state, outputs, app.opened, (node) => app.labelOf(node.ref, length), measure, countRoom(app));
  const { drawing, edges: lines, nodes: parts } = app.parts.layers;
  Object.entries({ viewBox: `0 0 ${width} ${height}`, width: width * app.zoom, height: height * app.zoom }).forEach(([name, value]) => setNew(drawing, name, value));
  const ranked = edges.map((edge) => [edgeRank(app, nodes, edge), edge]).sort((a, b) => a[0] - b[0]);
  const bus = outputs.length === 1;
  arrange(lines, bus && drawBuses(app, nodes), ranked.map(([, edge]) => drawEdge(app, nodes, edge, bus)));
  const ordered = [...nodes.values()].sort((a, b) => a.depth - b.depth || a.y - b.y);
  arrange(parts, ordered.map((node) => (node.row ? drawRow(app, node) : drawUnit(app, node))));
  app.drawn = { width, height };
  app.parts.canvas.classList.toggle("large", Math.min(PAPER[0] / width, PAPER[1] / height) < 0.55);
  roveIn(parts, app.selected);
}

// The drawing, in which nodes lie over edges.
function emptyDrawing() {
  const edges = svg("g", { "aria-hidden": "true" }), nodes = svg("g", {});
  const label = "the network, from conditions on the left to outputs on the right";
  return { edges, nodes, drawing: svg("svg", { role: "group", "aria-label": label }, edges, nodes) };
}

// One node of the drawing, and one of the rules, is in the order of the tab key; arrows up and down lead to the others.
function roveIn(root, selected) {
  const nodes = [...root.querySelectorAll(".node")];
  const first = nodes.find((node) => node.getAttribute("data-ref") === String(selected)) || nodes[0];
  nodes.forEach((node) => setNew(node, "tabindex", node === first ? 0 : -1));
}

function stepFrom(node, event) {
  const nodes = [...(node.closest("svg, .rules")?.querySelectorAll(".node") ?? [])], at = nodes.indexOf(node);
  const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: nodes.length - 1 }[event.key];
  if (to === undefined || !nodes[to]) return false;
  node.setAttribute("tabindex", -1);
  nodes[to].setAttribute("tabindex", 0);
  nodes[to].focus();
  return true;
}

function networkCard(app) {
  app.parts.layers = emptyDrawing();
  const canvas = el("div", { class: "canvas", tabindex: 0, role: "region", "aria-label": "drawing, scrollable" }, app.parts.layers.drawing);
  app.parts.canvas = canvas;
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.target.closest(".node")) return;
    drag = [event.clientX + canvas.scrollLeft, event.clientY + canvas.scrollTop];
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag) canvas.scrollTo(drag[0] - event.clientX, drag[1] - event.clientY);
  });
  canvas.addEventListener("pointerup", () => (drag = null));
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    app.zoomBy(event.deltaY < 0 ? 1.15 : 1 / 1.15, event);
  }, { passive: false });
  const tools = el("div", { class: "tools", role: "toolbar", "aria-label": "drawing" }, classPicker(app),
    button("−", () => app.zoomBy(1 / 1.25), { "aria-label": "zoom out" }),
    button("+", () => app.zoomBy(1.25), { "aria-label": "zoom in" }),
    button("fit", () => app.fit(), { id: "fit" }),
    button("open all", () => app.openAll(true), { id: "open-all" }),
    button("close all", () => app.openAll(false), { id: "close-all" }));
  return card("network", "Network", [canvas, legend(app)], tools);
}

// All classes, or the rules of one.
function classPicker(app) {
  if (app.state.outputs.length === 1) return null;
  const options = [["", "all classes"], ...app.state.outputs.map((_, i) => [String(i), shortened(app.classes[app.state.classes[i]], 24)])];
  app.parts.shown = el("select", { id: "shown-class", "aria-label": "class whose rules are drawn", onchange: (event) => app.drawClass(event.target.value === "" ? null : Number(event.target.value)) },
    options.map(([value, text]) => el("option", { value, selected: value === String(app.shown ?? "") }, text)));
  return app.parts.shown;
}

function legend(app) {
  const gates = [["all", "all of: every input must hold"], ["any", "any of: one is enough"], ["some", "at least 2 of: so many must hold"]];
  return el("div", { class: "legend" },
    gates.map(([kind, words]) => el("span", { class: "swatch" }, el("i", { class: `box ${kind}` }), words)),
    app.data.units.some((unit) => unit.inputs.some(([, times]) => times > 1)) && el("span", {}, "×2: counts twice"),
    el("span", {}, "bar and numbers: how many rows, and the share of the class that most of them are of"),
    hasColours(app) ? app.classes.map((name, k) => el("span", { class: "swatch" }, swatch(app, k), shortened(name, 30))) : focusPicker(app));
}

const card = (id, title, body, tools) =>
  el("section", { class: "card", id, "aria-labelledby": `${id}-title` },
    el("header", {}, el("h2", { id: `${id}-title` }, title), tools), body);
