// Embedded rows: codes in few bits each, and what the codes stand for.

function unpack({ bits, codes }, n) {
  const text = atob(codes);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  if (bits === 8) return bytes;
  if (bits > 8) return bits === 16 ? new Uint16Array(bytes.buffer) : new Uint32Array(bytes.buffer);
  const found = new Uint8Array(n), perByte = 8 / bits, mask = (1 << bits) - 1;
  for (let i = 0; i < n; i++) found[i] = (bytes[Math.floor(i / perByte)] >>> (bits * (i % perByte))) & mask;
  return found;
}

// Codes of a measured column count its values, those of others its cells and then texts that no cell holds; the code
// after all of these is a missing value.
function readColumn(column, attribute, n) {
  const codes = unpack(column, n);
  if (isMeasured(attribute)) {
    const values = column.values.map(readExact);
    return { codes, values, missing: values.length };
  }
  const texts = [...attribute.values, ...column.others];
  return { codes, texts, cells: attribute.values.length, missing: texts.length };
}

function readRows(data, attributes, classes) {
  if (!data) return null;
  const { n } = data;
  const labels = unpack(data.classes, n);
  return {
    n,
    of: data.of,
    numbers: data.numbers && unpack(data.numbers, n),
    labels,
    classBits: classes.map((_, k) => bitsOf(n, (row) => labels[row] === k)),
    columns: data.columns.map((column, i) => readColumn(column, attributes[i], n)),
    cache: new Map(),
  };
}

function shownCell(rows, attributes, column, row) {
  const { codes, values, texts, missing } = rows.columns[column];
  const code = codes[row];
  if (code === missing) return "";
  return values ? shownBound(attributes[column], values[code]) : texts[code];
}
