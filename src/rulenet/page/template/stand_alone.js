for (const condition of NETWORK.conditions) {
  if (condition.ranges) condition.ranges = condition.ranges.map((range) => range.map((end) => (end === null ? null : readExact(end))));
}

// The cell of a value, or its number where the column is measured.
function valueIn(row, attribute) {
  if (isMeasured(attribute)) return typedValue(attribute, readCell(row, attribute.name));
  const value = READERS[attribute.reader](row, attribute.name);
  if (value === undefined) return null;
  const cell = attribute.values.indexOf(value);
  return cell < 0 ? -2 : cell;
}

function evaluateRow(row) {
  const values = [];
  for (const j of below(NETWORK)) {
    if (isUnit(j)) continue;
    const { attribute } = NETWORK.conditions[j];
    values[attribute] = valueIn(row, NETWORK.attributes[attribute]);
  }
  return evaluateOne(NETWORK, holdsIn(values));
}
