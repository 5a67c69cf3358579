// Sets of rows as packed bits.

const wordsFor = (n) => (n + 31) >>> 5;

function countBits(word) {
  word -= (word >>> 1) & 0x55555555;
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function count(bits) {
  let total = 0;
  for (let w = 0; w < bits.length; w++) total += countBits(bits[w]);
  return total;
}

function countBoth(a, b) {
  let total = 0;
  for (let w = 0; w < a.length; w++) total += countBits(a[w] & b[w]);
  return total;
}

const hasBit = (bits, row) => ((bits[row >>> 5] >>> (row & 31)) & 1) === 1;

function rowsIn(bits, n) {
  const found = [];
  for (let row = 0; row < n; row++) if (hasBit(bits, row)) found.push(row);
  return found;
}

function bitsOf(n, holds) {
  const bits = new Uint32Array(wordsFor(n));
  for (let row = 0; row < n; row++) if (holds(row)) bits[row >>> 5] |= 1 << (row & 31);
  return bits;
}
