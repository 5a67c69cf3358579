// The classes of a measured column as a small stacked histogram, with the cuts of a condition in it.

const scaled = (value) => Number(value);

// Bins of equal width between the 1st and the 99th percentile, without a long tail; what lies beyond counts in the first
// and the last.
function binsOf(rows, column, nBins) {
  const { codes, values, missing } = rows.columns[column];
  const counts = new Uint32Array(values.length);
  let n = 0;
  for (let row = 0; row < rows.n; row++) {
    if (codes[row] === missing || !isFinite(scaled(values[codes[row]]))) continue;
    counts[codes[row]]++;
    n++;
  }
  if (!n) return null;
  const quantile = (q) => {
    let left = q * (n - 1);
    for (let code = 0; code < values.length; code++) if ((left -= counts[code]) < 0) return scaled(values[code]);
    return scaled(values[values.length - 1]);
  };
  const [lower, upper] = [quantile(0.25), quantile(0.75)], tail = upper > lower ? 2.5 * (upper - lower) : Infinity;
  let [low, high] = [Math.max(quantile(0.01), lower - tail), Math.min(quantile(0.99), upper + tail)];
  if (!(high > low)) [low, high] = [low - 0.5, low + 0.5];
  const bins = Array.from({ length: nBins }, () => rows.classBits.map(() => 0));
  const at = (value) => Math.max(0, Math.min(nBins - 1, Math.floor(((scaled(value) - low) / (high - low)) * nBins)));
  const places = values.map(at);
  for (let row = 0; row < rows.n; row++) if (codes[row] !== missing) bins[places[codes[row]]][rows.labels[row]]++;
  return { low, high, bins, most: Math.max(...bins.map(sum)) };
}

function cachedBins(rows, column, nBins) {
  const key = `bins ${column} ${nBins}`;
  if (!rows.cache.has(key)) rows.cache.set(key, binsOf(rows, column, nBins));
  return rows.cache.get(key);
}

const place = ({ low, high }, value, width) => Math.max(0, Math.min(1, (scaled(value) - low) / (high - low))) * width;

// Without a class in colour, a column of very many classes is all of one.
const painted = (app, bin) => (hasColours(app) || app.focus !== null ? paints(app, bin) : [[sum(bin), "class-rest"]]);

// One path for every class, so that many histograms stay cheap.
function barPaths(app, found, width, height, nBins) {
  const step = width / nBins, wide = Math.max(step - 0.4, 0.4), paths = new Map();
  found.bins.forEach((bin, i) => {
    let y = height;
    painted(app, bin).forEach(([n, paint]) => {
      const tall = (n / found.most) * height;
      if (!tall) return;
      paths.set(paint, `${paths.get(paint) || ""}M${(i * step).toFixed(1)} ${y.toFixed(1)}h${wide.toFixed(1)}v${(-tall).toFixed(1)}h${(-wide).toFixed(1)}z`);
      y -= tall;
    });
  });
  return paths;
}

function histogram(app, rows, condition, width, height, nBins) {
  const found = cachedBins(rows, condition.attribute, nBins);
  if (!found) return svg("g");
  const key = `paths ${app.focus} ${condition.attribute} ${width} ${height} ${nBins}`;
  if (!rows.cache.has(key)) rows.cache.set(key, barPaths(app, found, width, height, nBins));
  const group = svg("g", { class: "histogram" });
  rows.cache.get(key).forEach((d, paint) => group.append(svg("path", { d, class: paint })));
  let inside = "", cuts = "";
  for (const [low, high] of condition.ranges || []) {
    const from = low === null ? 0 : place(found, low, width), to = high === null ? width : place(found, high, width);
    inside += `M${from} ${height + 0.5}h${Math.max(to - from, 0.5)}v1.6H${from}z`;
  }
  for (const { end } of endsOf(condition)) cuts += `M${place(found, end, width)} -1v${height + 3}`;
  group.append(svg("path", { d: inside, class: "inside" }), svg("path", { d: cuts, class: "cut" }));
  return group;
}
