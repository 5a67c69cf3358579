// Conditions: what they hold for, and how they read. A measured one has ranges (above low, up to and with high), any
// other one the cells of its values.

const isOrdered = (attribute) => attribute.kind !== "nominal";
const DAY = 86400000000;
const stepOf = (attribute) => (["date", "instant"].includes(attribute.kind) ? DAY : 1);

const keyOf = (condition) =>
  JSON.stringify(condition, (_, value) => (typeof value === "bigint" ? `${value}n` : value));

// How many of the rising values are at most a bound.
function countUpTo(values, bound) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

// For every code of a column, whether a condition holds.
function truthByCode(condition, column) {
  const found = new Uint8Array(column.missing + 1), { values } = column;
  if (values) {
    for (const [low, high] of condition.ranges) {
      found.fill(1, low === null ? 0 : countUpTo(values, low), high === null ? values.length : countUpTo(values, high));
    }
  }
  else for (const cell of condition.cells) found[cell] = 1;
  found[column.missing] = condition.missing;
  return found;
}

function conditionBits(condition, rows) {
  const key = keyOf(condition);
  if (!rows.cache.has(key)) {
    const column = rows.columns[condition.attribute];
    const truth = truthByCode(condition, column), { codes } = column;
    const bits = new Uint32Array(wordsFor(rows.n));
    for (let row = 0; row < rows.n; row++) bits[row >>> 5] |= truth[codes[row]] << (row & 31);
    rows.cache.set(key, bits);
  }
  return rows.cache.get(key);
}

function shownNumber(number) {
  const text = String(number);
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

const pad = (number, width) => String(number).padStart(width, "0");

// Microseconds, which may be whole numbers beyond what JavaScript keeps exactly.
function splitMicroseconds(bound) {
  const whole = BigInt(bound), million = 1000000n;
  const rest = ((whole % million) + million) % million;
  return [Number((whole - rest) / million), Number(rest)];
}

function shownMoment(attribute, bound) {
  const [seconds, micro] = splitMicroseconds(bound);
  const moment = new Date(seconds * 1000);
  if (isNaN(moment)) return String(bound);
  const text = moment.toISOString();
  if (attribute.whole) return text.slice(0, 10);
  const fraction = micro ? `.${pad(micro, 6)}` : "";
  return `${text.slice(0, 10)} ${text.slice(11, 19)}${fraction}${attribute.kind === "instant" ? "+00:00" : ""}`;
}

function shownDuration(bound) {
  const [seconds, micro] = splitMicroseconds(bound);
  const days = Math.floor(seconds / 86400), rest = seconds - days * 86400;
  const clock = `${Math.floor(rest / 3600)}:${pad(Math.floor(rest / 60) % 60, 2)}:${pad(rest % 60, 2)}`;
  const inDays = days ? `${days} day${Math.abs(days) === 1 ? "" : "s"}, ` : "";
  return `${inDays}${clock}${micro ? `.${pad(micro, 6)}` : ""}`;
}

function shownBound(attribute, bound) {
  if (bound === Infinity || bound === -Infinity) return bound > 0 ? "inf" : "-inf";
  if (attribute.kind === "numeric") return shownNumber(bound);
  return attribute.kind === "duration" ? shownDuration(bound) : shownMoment(attribute, bound);
}

// The one whole number in a range, if there is one.
function singleOf(attribute, [low, high]) {
  const alone = attribute.whole && low !== null && high !== null && Number(high) - Number(low) === stepOf(attribute);
  return alone ? high : null;
}

// The reading of a range or of a set of cells: a sign and what it compares with.
function readRange(attribute, range) {
  const single = singleOf(attribute, range), show = (bound) => shownBound(attribute, bound);
  if (single !== null) return { sign: "=", values: [show(single)] };
  const [low, high] = range;
  if (low === null) return high === null ? { sign: "is known", values: [] } : { sign: "<=", values: [show(high)] };
  return high === null ? { sign: ">", values: [show(low)] } : { sign: "within", values: [show(low), show(high)] };
}

function outsideOf(ranges) {
  const found = [];
  let low = null, open = true;
  for (const [from, to] of ranges) {
    if (from !== null) found.push([low, from]);
    low = to;
    open = to !== null;
  }
  return open ? [...found, [low, null]] : found;
}

function readMeasured(attribute, { ranges }) {
  const outside = outsideOf(ranges);
  const left = ranges.length > 1 && outside.length === 1 ? singleOf(attribute, outside[0]) : null;
  if (left !== null) return [{ sign: "!=", values: [shownBound(attribute, left)] }];
  return ranges.map((range) => readRange(attribute, range));
}

function readListed(attribute, { cells }) {
  const { values } = attribute, named = (list) => list.map((cell) => values[cell]);
  const others = values.map((_, cell) => cell).filter((cell) => !cells.includes(cell));
  if (!others.length) return [{ sign: "is known", values: [] }];
  if (cells.length === 1) return [{ sign: "=", values: named(cells) }];
  const first = cells[0], last = cells[cells.length - 1];
  if (attribute.kind === "ordinal" && last - first === cells.length - 1) {
    if (first === 0) return [{ sign: "<=", values: [values[last]] }];
    const low = values[first - 1];
    return [last === values.length - 1 ? { sign: ">", values: [low] } : { sign: "within", values: [low, values[last]] }];
  }
  if (others.length === 1) return [{ sign: "!=", values: named(others) }];
  return [cells.length <= others.length ? { sign: "in", values: named(cells) } : { sign: "not in", values: named(others) }];
}

function readings(attribute, condition) {
  const some = isMeasured(attribute) ? condition.ranges.length : condition.cells.length;
  const found = !some ? [] : isMeasured(attribute) ? readMeasured(attribute, condition) : readListed(attribute, condition);
  if (condition.missing && found[0]?.sign === "is known") return [{ sign: "is anything", values: [] }];
  if (condition.missing) found.push({ sign: "is missing", values: [] });
  return found.length ? found : [{ sign: "is impossible", values: [] }];
}

function writeReading(name, { sign, values }) {
  if (sign === "within") return `${values[0]} < ${name} <= ${values[1]}`;
  if (sign === "in" || sign === "not in") return `${name} ${sign} {${values.join(", ")}}`;
  return `${name} ${sign} ${values.join("")}`.trimEnd();
}

// Characters that cannot be seen, or that turn the direction of text, are written as their code.
const visible = (text) =>
  String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => `\\u${pad(c.codePointAt(0).toString(16), 4)}`);

const plainText = (attribute, condition) => readings(attribute, condition).map((x) => writeReading(attribute.name, x)).join(" or ");
const textOf = (attribute, condition) => visible(plainText(attribute, condition));

function shortened(text, length) {
  const all = [...visible(text)];
  if (all.length <= length) return all.join("");
  const left = Math.floor((length - 1) / 2);
  return `${all.slice(0, left).join("")}…${all.slice(all.length - (length - 1 - left)).join("")}`;
}

// A condition in about so many characters; names and values are cut in the middle, signs never.
function labelOf(attribute, condition, length) {
  const whole = textOf(attribute, condition);
  if ([...whole].length <= length) return whole;
  const found = readings(attribute, condition), room = Math.max(Math.floor(length / found.length), 16);
  return found.map((reading) => shortReading(attribute, reading, room)).join(" or ");
}

function shortReading(attribute, { sign, values }, room) {
  const isList = sign === "in" || sign === "not in";
  const kept = values.slice(0, isList ? Math.max(1, Math.floor(room / 12)) : 2);
  const each = Math.max(5, Math.floor((room - sign.length - 4) / (kept.length + 1)));
  const cut = isMeasured(attribute) ? kept : kept.map((value) => shortened(value, each));
  const used = cut.join(", ").length;
  const name = shortened(attribute.name, Math.max(5, room - sign.length - 4 - used));
  const more = kept.length < values.length ? [`+${values.length - kept.length}`] : [];
  return writeReading(name, { sign, values: [...cut, ...more] });
}

// Where the ranges of a condition begin and end.
function endsOf(condition) {
  const ends = [];
  (condition.ranges || []).forEach((range, i) => range.forEach((end, side) => end !== null && ends.push({ i, side, end })));
  return ends;
}
