// Where everything stands. The order in every column is the one that Python's scene gives; rows are stacked anew when
// parts are opened, closed, dropped or added.

const ROW = 26, CROWDED = 60, TALL = 900, GAP = 58, BUS = 14;
const BAR = 46, HISTOGRAM = 40;

// `describe` gives the label of a row, `measure` how much room the names around a unit take; `count` is the room for how
// many rows are covered, 0 where there are none.
// A condition that many units share is one row; where conditions are very many, every unit has rows of its own.
function layoutOf(state, outputs, opened, describe, measure, count) {
  const refs = below(state, outputs), nConditions = refs.filter((ref) => !isUnit(ref)).length;
  const crowded = nConditions > CROWDED;
  const nodes = new Map(), edges = [];
  const y = (ref) => state.places[ref] ?? 0;
  const leafId = (ref, user) => (crowded ? `${ref}@${user}` : String(ref));
  const visit = (ref) => {
    const id = String(ref), unit = state.units[~ref];
    if (nodes.has(id)) return nodes.get(id).depth;
    const isOutput = state.outputs.includes(~ref), open = isOutput || opened.has(~ref);
    const node = { id, ref, unit, open, isOutput, row: !open, key: [y(ref), 0], depth: open ? 1 : 0, inputs: [] };
    nodes.set(id, node);
    if (!open) return 0;
    unit.inputs.forEach(([input, times], i) => {
      const inner = isUnit(input) ? String(input) : leafId(input, ref);
      if (isUnit(input)) node.depth = Math.max(node.depth, visit(input) + 1);
      else if (!nodes.has(inner)) {
        const key = crowded ? [y(ref), i + 1] : [y(input), 0];
        nodes.set(inner, { id: inner, ref: input, row: true, key, depth: 0, inputs: [] });
      }
      edges.push({ from: inner, to: id, times });
      node.inputs.push(inner);
    });
    return node.depth;
  };
  outputs.forEach((k) => visit(~k));
  const pictured = [...nodes.values()].some((node) => !node.unit && state.conditions[node.ref].ranges);
  return { crowded, edges, nodes, ...placedNodes(nodes, describe, measure, count ? BAR + count + 28 + (pictured ? HISTOGRAM : 0) : 28) };
}

const pen = document.createElement("canvas").getContext("2d");

// How wide text is; italics and bold letters take a little more.
function textWidth(text, size = 12.5) {
  if (!pen.known) pen.font = pen.known = `12px ${getComputedStyle(document.body).fontFamily}`;
  return 8 + (1.06 * size * pen.measureText(text).width) / 12;
}

function placedNodes(nodes, describe, measure, beside) {
  const all = [...nodes.values()], byKey = (a, b) => a.key[0] - b.key[0] || a.key[1] - b.key[1];
  const last = Math.max(...all.map((node) => node.depth)), units = all.filter((node) => !node.row);
  units.filter((node) => node.isOutput).forEach((node) => (node.depth = last));
  units.forEach((node) => {
    node.width = 22 + textWidth(gateWords(node.unit), 11);
    node.room = Math.max(node.width, measure(node));
  });
  const rows = all.filter((node) => node.row).sort(byKey);
  rows.forEach((node, i) => Object.assign(node, { y: ROW * (i + 1), label: describe(node) }));
  const left = Math.max(60, ...rows.map((node) => textWidth(node.label))) + beside;
  rows.forEach((node) => Object.assign(node, { x: left, beside }));
  let x = left;
  for (let depth = 1; depth <= last; depth++) {
    const column = units.filter((node) => node.depth === depth);
    const widest = Math.max(0, ...column.map((node) => node.room));
    x += (last > 3 ? 34 : 48) + widest / 2;
    for (const node of column) {
      const inputs = node.inputs.map((id) => nodes.get(id)).filter((input) => input.y !== undefined);
      Object.assign(node, { x, y: mean(inputs.map((input) => input.y)) ?? ROW });
    }
    x += widest / 2;
    if (depth === last && rows.length * ROW > TALL) column.forEach((node) => (node.y = 60));
    spread(column.sort((a, b) => a.y - b.y || byKey(a, b)), GAP);
  }
  const top = Math.min(...all.map((node) => node.y)), down = ROW - top + 4;
  all.forEach((node) => (node.y += down));
  return { width: x + 10, height: Math.max(...all.map((node) => node.y)) + 40 };
}

// Rising places near those wanted, at least a gap apart (pool adjacent violators).
function spread(column, gap) {
  const blocks = [];
  column.forEach((node, i) => {
    let block = { mean: node.y - i * gap, n: 1 };
    while (blocks.length && blocks[blocks.length - 1].mean > block.mean) {
      const other = blocks.pop(), n = other.n + block.n;
      block = { mean: (other.mean * other.n + block.mean * block.n) / n, n };
    }
    blocks.push(block);
  });
  let i = 0;
  for (const { mean: start, n } of blocks) for (let k = 0; k < n; k++, i++) column[i].y = start + i * gap;
}

// Whether an edge runs along its row, down one line that all share, into the unit: where a unit has very many inputs.
const isBus = (a, b) => b.inputs.length > BUS && Math.abs(a.y - b.y) >= 12;

const startOfEdge = (a) => (a.row ? a.x + 4 : a.x + a.width / 2);
const lineInto = (a, b) => Math.max(startOfEdge(a) + 8, b.x - b.width / 2 - 16);

function routeOf(a, b, bus) {
  const x1 = startOfEdge(a), x2 = b.x - b.width / 2;
  if (!bus || !isBus(a, b)) {
    const reach = (x2 - x1) * 0.5;
    return `M${x1} ${a.y}C${x1 + reach} ${a.y} ${x2 - reach} ${b.y} ${x2} ${b.y}`;
  }
  const line = lineInto(a, b), turn = b.y > a.y ? 6 : -6;
  return `M${x1} ${a.y}H${line - 6}Q${line} ${a.y} ${line} ${a.y + turn}V${b.y - turn}Q${line} ${b.y} ${line + 6} ${b.y}H${x2}`;
}

// From the start of an edge, at height 0, to the line that it shares.
function stubOf(a, b) {
  const line = lineInto(a, b);
  return `M${startOfEdge(a)} 0H${line - 6}Q${line} 0 ${line} ${b.y > a.y ? 6 : -6}`;
}

// The line that these edges share, and its way into the unit.
function busOf(inputs, b) {
  const ys = inputs.map((a) => a.y + (a.y < b.y ? 6 : -6)).concat(b.y);
  return `M${lineInto(inputs[0], b)} ${Math.min(...ys)}V${Math.max(...ys)}M${lineInto(inputs[0], b)} ${b.y}H${b.x - b.width / 2}`;
}
