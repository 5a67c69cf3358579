// Why a row has its class: the fewest columns whose values force it, and the fewest new values that change it. Exact by
// branch and bound where that ends in time; where not, the answer says that it is not proven to be the smallest.

const PATIENCE = 500; // milliseconds

class OutOfTime extends Error {}

// What may become of a column, as far as conditions tell it apart: blocks of values, then other values, then none.
function blocksOf(state, attributes, column, conditions) {
  const attribute = attributes[column], mine = conditions.filter((j) => state.conditions[j].attribute === column);
  const signature = (test) => mine.map((j) => (test(state.conditions[j]) ? 1 : 0));
  const found = isMeasured(attribute) ? measuredBlocks(state, mine) : listedBlocks(attribute, state, mine);
  const known = found.map((block) => ({ ...block, truth: signature(block.test) }));
  const merged = [];
  for (const block of known) {
    const last = isOrdered(attribute)
      ? merged.slice(-1).filter((x) => String(x.truth) === String(block.truth))[0]
      : merged.find((x) => String(x.truth) === String(block.truth));
    if (!last) merged.push({ ...block });
    else if (block.cells) last.cells = [...last.cells, ...block.cells];
    else last.range = [last.range[0], block.range[1]];
  }
  const unknown = { truth: mine.map(() => 0), nothing: "unknown" };
  const missing = { truth: signature((x) => x.missing), nothing: "missing" };
  const asked = missing.truth.some((x) => x);
  const rest = !asked ? [missing] : isMeasured(attribute) ? [missing] : [unknown, missing];
  return { column, conditions: mine, blocks: [...merged, ...rest], nKnown: merged.length };
}

function measuredBlocks(state, mine) {
  const ends = [...new Set(mine.flatMap((j) => endsOf(state.conditions[j]).map(({ end }) => end)))];
  ends.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return [...ends, null].map((end, i) => {
    const range = [i ? ends[i - 1] : null, end];
    const inside = end === null ? Infinity : end;
    return { range, test: (condition) => holdsFor(condition, inside) };
  });
}

function listedBlocks(attribute) {
  return attribute.values.map((_, cell) => ({ cells: [cell], test: (condition) => condition.cells.includes(cell) }));
}

class Task {
  constructor(state, attributes, codeOf) {
    this.state = state;
    this.attributes = attributes;
    this.order = below(state);
    const conditions = this.order.filter((ref) => !isUnit(ref));
    const columns = [...new Set(conditions.map((j) => state.conditions[j].attribute))].sort((a, b) => a - b);
    this.columns = columns.map((column) => blocksOf(state, attributes, column, conditions));
    this.now = this.columns.map((x) => codeOf(x));
    const uses = new Map(conditions.map((j) => [j, usersOf(state, j).length]));
    this.weight = this.columns.map((x) => sum(x.conditions.map((j) => uses.get(j))));
    this.low = new Map();
    this.high = new Map();
    this.deadline = performance.now() + PATIENCE;
    this.answer = this.bounds(this.now.map((block) => [block])).sure;
  }

  // Bounds of all units where every column is in one of some blocks; `sure` is the class if they settle it.
  bounds(options) {
    if (performance.now() > this.deadline) throw new OutOfTime();
    this.columns.forEach(({ conditions, blocks }, i) => {
      conditions.forEach((j, at) => {
        let all = 1, some = 0;
        for (const b of options[i]) blocks[b].truth[at] ? (some = 1) : (all = 0);
        this.low.set(j, all);
        this.high.set(j, some);
      });
    });
    const low = [], high = [];
    for (const ref of this.order) {
      if (!isUnit(ref)) continue;
      const unit = this.state.units[~ref];
      let least = 0, most = 0;
      for (const [input, times] of unit.inputs) {
        least += times * this.low.get(input);
        most += times * this.high.get(input);
      }
      this.low.set(ref, marginOf(unit, least) >= 0 ? 1 : 0);
      this.high.set(ref, marginOf(unit, most) >= 0 ? 1 : 0);
      const place = this.state.outputs.indexOf(~ref);
      if (place >= 0) [low[place], high[place]] = [marginOf(unit, least), marginOf(unit, most)];
    }
    return { sure: this.settled(low, high), low, high };
  }

  settled(low, high) {
    const { classes } = this.state;
    if (classes.length === 1) return low[0] >= 0 ? classes[0] : high[0] < 0 ? 1 - classes[0] : null;
    const wins = (k) => low.every((_, o) => o === k || (o < k ? low[k] > high[o] : low[k] >= high[o]));
    const k = low.findIndex((_, i) => wins(i));
    return k < 0 ? null : classes[k];
  }

  // A choice of blocks for which the class is another one (or, reversed, is the same), with at most so many columns
  // that differ from the row; null if there is none.
  find(options, most = Infinity, same = false) {
    const wanted = (sure) => (same ? sure === this.answer : sure !== this.answer);
    const limited = (left) => options.map((list, i) => (left > 0 ? list : list.includes(this.now[i]) ? [this.now[i]] : list));
    const { sure } = this.bounds(most === Infinity ? options : limited(most));
    if (sure !== null) return wanted(sure) ? options.map((list, i) => (list.includes(this.now[i]) ? this.now[i] : list[0])) : null;
    if (most <= 0) return null;
    const open = options.map((list, i) => i).filter((i) => options[i].length > 1);
    if (!open.length) return null;
    const i = open.reduce((best, x) => (this.weight[x] > this.weight[best] ? x : best));
    for (const block of this.ordered(i, options[i], same)) {
      const changes = block !== this.now[i] ? 1 : 0;
      if (changes > most) continue;
      const next = options.slice();
      next[i] = [block];
      const found = this.find(next, most - changes, same);
      if (found) return found;
    }
    return null;
  }

  // Of one output only blocks that no other one dominates matter, those nearest to the goal first.
  ordered(i, list, same) {
    const { blocks } = this.columns[i], { classes } = this.state;
    if (classes.length > 1) return list;
    const up = (this.answer === classes[0]) === same;
    const total = (b) => sum(blocks[b].truth);
    const beats = (a, b) =>
      blocks[a].truth.every((x, at) => (up ? x >= blocks[b].truth[at] : x <= blocks[b].truth[at])) && total(a) !== total(b);
    const kept = list.filter((b) => b === this.now[i] || !list.some((a) => beats(a, b)));
    return kept.sort((a, b) => (up ? total(b) - total(a) : total(a) - total(b)));
  }

  every() {
    return this.columns.map(({ blocks }) => blocks.map((_, b) => b));
  }

  known() {
    return this.columns.map(({ nKnown }, i) => [...new Set([...Array(nKnown).keys(), this.now[i]])]);
  }

  forces(kept) {
    const options = this.every();
    kept.forEach((i) => (options[i] = [this.now[i]]));
    return this.find(options) === null;
  }

  // The columns left after dropping one after the other, as long as the rest forces the class.
  shrunk() {
    let kept = this.columns.map((_, i) => i);
    const end = performance.now() + PATIENCE;
    for (const i of [...kept].sort((a, b) => this.weight[a] - this.weight[b])) {
      const fewer = kept.filter((k) => k !== i);
      this.deadline = Math.min(performance.now() + PATIENCE / 8, end);
      if (attempt(() => this.forces(fewer))) kept = fewer;
    }
    return kept;
  }

  // The fewest columns that meet every change of class: asked for again until none avoids them.
  reason() {
    const local = this.shrunk(), changes = [];
    this.deadline = performance.now() + PATIENCE;
    const exact = attempt(() => {
      for (;;) {
        const kept = this.hitting(changes, local.length);
        if (kept === null || kept.length >= local.length) return local;
        const options = this.every();
        kept.forEach((i) => (options[i] = [this.now[i]]));
        const other = this.find(options);
        if (!other) return kept;
        changes.push(this.narrowed(other));
      }
    });
    const kept = exact || local;
    this.deadline = performance.now() + PATIENCE / 3;
    return { smallest: Boolean(exact), said: this.widened(kept, kept.map((i) => [this.now[i]]), this.every(), false) };
  }

  // The columns in which a row of another class differs, without those that need not.
  narrowed(other) {
    const options = other.map((block) => [block]);
    for (let i = 0; i < options.length; i++) {
      const mine = options[i];
      if (mine[0] === this.now[i]) continue;
      options[i] = [this.now[i]];
      if (this.bounds(options).sure === this.answer) options[i] = mine;
    }
    return options.map((_, i) => i).filter((i) => options[i][0] !== this.now[i]);
  }

  // The fewest columns that meet all sets, fewer than `most`.
  hitting(sets, most) {
    let best = null;
    const search = (chosen) => {
      if (performance.now() > this.deadline) throw new OutOfTime();
      const limit = best ? best.length : most;
      const open = sets.filter((set) => !set.some((i) => chosen.includes(i)));
      if (!open.length) {
        if (chosen.length < limit) best = chosen;
        return;
      }
      if (chosen.length + 1 >= limit) return;
      const set = open.reduce((a, b) => (b.length < a.length ? b : a));
      set.forEach((i) => search([...chosen, i]));
    };
    search([]);
    return best;
  }

  // The fewest new values that give another class.
  change() {
    const options = this.known();
    let found = null, smallest = true;
    this.deadline = performance.now() + PATIENCE;
    try {
      const any = this.find(options);
      if (!any) return { smallest, said: null };
      const limit = this.narrowed(any).length;
      found = any.map((block, i) => (this.narrowed(any).includes(i) ? block : this.now[i]));
      for (let most = 1; most < limit; most++) {
        const better = this.find(options, most);
        if (better) {
          found = better;
          break;
        }
      }
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
      if (!found) return { smallest: false, said: null };
      smallest = false;
    }
    const kept = found.map((_, i) => i).filter((i) => found[i] !== this.now[i]);
    const fixed = this.now.map((block) => [block]);
    this.deadline = performance.now() + PATIENCE / 3;
    const said = this.widened(kept, kept.map((i) => [found[i]]), fixed, true);
    return { smallest, said, becomes: this.bounds(found.map((block) => [block])).sure };
  }

  // Neighbouring blocks of ordered columns are added as long as the answer stays what it is.
  widened(kept, sets, around, flips) {
    const fits = () => {
      const options = around.slice();
      kept.forEach((i, at) => (options[i] = sets[at]));
      return this.find(options, Infinity, flips) === null;
    };
    kept.forEach((i, at) => {
      const { nKnown, column } = this.columns[i], start = sets[at][0];
      if (!isOrdered(this.attributes[column]) || start >= nKnown) return;
      for (const step of [1, -1]) {
        for (let b = start + step; b >= 0 && b < nKnown; b += step) {
          sets[at] = [...sets[at], b];
          if (attempt(fits)) continue;
          sets[at] = sets[at].slice(0, -1);
          break;
        }
      }
    });
    return kept.map((i, at) => ({ column: this.columns[i].column, text: this.said(this.columns[i], sets[at]) }));
  }

  said({ column, blocks }, chosen) {
    const attribute = this.attributes[column], sorted = [...chosen].sort((a, b) => a - b);
    const first = blocks[sorted[0]], last = blocks[sorted[sorted.length - 1]];
    if (first.nothing === "missing") return `${visible(attribute.name)} is missing, or a value that was not known`;
    if (first.nothing) return `${visible(attribute.name)} has a value that was not known`;
    if (first.cells) return textOf(attribute, { cells: sorted.flatMap((b) => blocks[b].cells).sort((a, b) => a - b) });
    return textOf(attribute, { ranges: [[first.range[0], last.range[1]]] });
  }
}

// What a search finds, or null if it takes too long.
function attempt(search) {
  try {
    return search();
  } catch (error) {
    if (error instanceof OutOfTime) return null;
    throw error;
  }
}

// The block that a row is in, given for each column its value (a number), its cell, or null.
function blockAt({ blocks, nKnown }, value, measured) {
  const at = blocks.findIndex((block, b) => {
    if (value === null) return block.nothing === "missing";
    if (b >= nKnown) return !measured && block.nothing;
    return measured ? inRange(value, block.range) : block.cells.includes(value);
  });
  return at < 0 ? blocks.length - 1 : at;
}

function taskOf(state, attributes, valueOf) {
  return new Task(state, attributes, (x) => blockAt(x, valueOf(x.column), isMeasured(attributes[x.column])));
}
