// Accuracy, precision, recall, AUC and the confusion matrix.

function confusionOf(labels, predicted, n, nClasses) {
  const matrix = Array.from({ length: nClasses }, () => new Array(nClasses).fill(0));
  for (let row = 0; row < n; row++) matrix[labels[row]][predicted[row]]++;
  return matrix;
}

// The share of pairs of a row of the class and a row of none, in which the former has more margin; ties count half.
function aucOf(margins, labels, label, n) {
  const tally = new Map();
  for (let row = 0; row < n; row++) {
    const pair = tally.get(margins[row]) || [0, 0];
    pair[labels[row] === label ? 1 : 0]++;
    tally.set(margins[row], pair);
  }
  let negatives = 0, positives = 0, wins = 0;
  for (const margin of [...tally.keys()].sort((a, b) => a - b)) {
    const [no, yes] = tally.get(margin);
    wins += yes * (negatives + no / 2);
    negatives += no;
    positives += yes;
  }
  return negatives && positives ? wins / (negatives * positives) : null;
}

const share = (part, whole) => (whole ? part / whole : null);
const sum = (list) => list.reduce((total, x) => total + x, 0);
const mean = (list) => (list.length ? sum(list) / list.length : null);

function scoresOf(state, rows, result, nClasses) {
  const matrix = confusionOf(rows.labels, result.predicted, rows.n, nClasses);
  const classes = matrix.map((line, k) => ({
    precision: share(line[k], sum(matrix.map((other) => other[k]))),
    recall: share(line[k], sum(line)),
    auc: null,
  }));
  state.classes.forEach((k, i) => (classes[k].auc = aucOf(result.margins[i], rows.labels, k, rows.n)));
  if (state.classes.length === 1) classes[1 - state.classes[0]].auc = classes[state.classes[0]].auc;
  const described = state.classes.length === 1 ? [classes[state.classes[0]]] : classes;
  const over = (name) => mean(described.map((x) => x[name]).filter((x) => x !== null));
  return {
    matrix,
    classes,
    accuracy: share(sum(matrix.map((line, k) => line[k])), rows.n),
    precision: over("precision"),
    recall: over("recall"),
    auc: over("auc"),
  };
}

// How many rows something covers, and of which classes they are.
function coverageOf(bits, rows) {
  const classes = rows.classBits.map((mine) => countBoth(bits, mine));
  return { n: sum(classes), classes };
}
