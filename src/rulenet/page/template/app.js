// The page as a whole: the network as it is and was, what is asked of it, and what happens on a click.

class App extends View {
  constructor(data) {
    super();
    this.data = data;
    this.compact = data.compact === true;
    this.attributes = data.attributes;
    this.classes = data.classes;
    this.rows = readRows(data.rows, this.attributes, this.classes);
    this.held = readRows(data.heldOut, this.attributes, this.classes);
    this.start = startOf(data);
    this.steps = [{ state: this.start, what: "the start", reason: "" }];
    this.at = 0;
    this.autoNames = new Map();
    this.listed = { set: "rows", what: "all rows", rows: [...Array(this.rows.n).keys()], sort: null, descending: false, filter: "", shown: SHOWN };
    this.first = this.judge(this.start);
    this.now = this.first;
    this.opened = this.openedAtFirst();
    this.shown = this.shownAtFirst();
  }

  get state() {
    return this.steps[this.at].state;
  }

  judge(state) {
    const result = evaluate(state, this.rows), n = this.classes.length;
    const heldResult = this.held && evaluate(state, this.held);
    return {
      result,
      heldResult,
      scores: scoresOf(state, this.rows, result, n),
      heldScores: this.held && scoresOf(state, this.held, heldResult, n),
      coverage: new Map(),
    };
  }

  coverage(ref) {
    const { coverage, result } = this.now;
    if (!coverage.has(ref)) coverage.set(ref, coverageOf(result.bits.get(ref), this.rows));
    return coverage.get(ref);
  }

  setOf(set) {
    return set === "rows" ? this.rows : this.held;
  }

  resultOf(set) {
    return set === "rows" ? this.now.result : this.now.heldResult;
  }

  nameOf(k) {
    if (k in this.state.names) return this.state.names[k];
    if (!this.autoNames.has(k)) {
      const direct = this.state.outputs.some((o) => this.state.units[o].inputs.some(([input]) => input === ~k));
      const kind = direct ? "rule" : "part", taken = new Set([...this.autoNames.values(), ...Object.values(this.state.names)]);
      let n = 1;
      while (taken.has(`${kind} ${n}`)) n++;
      this.autoNames.set(k, `${kind} ${n}`);
    }
    return this.autoNames.get(k);
  }

  textOf(ref, depth = 0) {
    if (!isUnit(ref)) return textOf(this.attributes[this.state.conditions[ref].attribute], this.state.conditions[ref]);
    const unit = this.state.units[~ref], words = gateWords(unit);
    const inner = (input) => (!isUnit(input) ? this.textOf(input) : depth ? this.nameOf(~input) : `(${this.textOf(input, depth + 1)})`);
    const parts = unit.inputs.map(([input, times]) => timesOf(times) + inner(input));
    if (words === "all of" || words === "any of") return parts.join(words === "all of" ? " and " : " or ");
    return parts.length ? `${words} (${parts.join(", ")})` : words;
  }

  // A condition, or a unit with as many of its inputs as there is room for.
  labelOf(ref, length) {
    if (!isUnit(ref)) return labelOf(this.attributes[this.state.conditions[ref].attribute], this.state.conditions[ref], length);
    const name = shortened(this.nameOf(~ref), 20), unit = this.state.units[~ref], room = Math.max(length - [...name].length - 2, 16);
    const join = gateWords(unit) === "any of" ? " or " : gateWords(unit) === "all of" ? ", " : "; ";
    let text = "";
    for (const [i, [input]] of unit.inputs.entries()) {
      const part = isUnit(input) ? this.nameOf(~input) : this.labelOf(input, Math.min(room - 5, 34)), left = unit.inputs.length - i;
      if (i && text.length + join.length + part.length + (left > 1 ? 5 : 0) > room) return `${name}: ${text}${join}+${left}`;
      text += (i ? join : "") + part;
    }
    return `${name}: ${text}`;
  }

  matches(ref) {
    return `${isUnit(ref) ? this.nameOf(~ref) : ""} ${this.textOf(ref)}`.toLowerCase().includes(this.query);
  }

  usedColumns() {
    return new Set(below(this.state).filter((ref) => !isUnit(ref)).map((j) => this.state.conditions[j].attribute));
  }

  isForbidden(column) {
    return this.state.forbidden.some((x) => x.column === column);
  }

  // Whether a unit is locked, or something above it is.
  isLocked(ref) {
    const { locked } = this.state;
    return locked.some((k) => below(this.state, [k]).includes(ref));
  }

  isEdited() {
    return this.state !== this.start;
  }

  // Edits

  edit(what, next) {
    if (next === this.state) return;
    this.steps = [...this.steps.slice(0, this.at + 1), { state: next, what, reason: this.parts.reason.value.trim() }];
    this.parts.reason.value = "";
    this.at = this.steps.length - 1;
    this.now = this.judge(next);
    this.steps[this.at].accuracy = this.now.scores.accuracy;
    this.follow();
    this.say(`${what}; accuracy ${percent(this.now.scores.accuracy)}`);
  }

  goTo(at) {
    if (at < 0 || at >= this.steps.length) return;
    this.at = at;
    this.now = this.judge(this.state);
    this.follow();
    this.say(`now at: ${this.steps[at].what}`);
  }

  // What depends on the network is computed anew.
  follow() {
    if (this.selected !== null && !this.now.result.bits.has(this.selected)) this.selected = null;
    if (this.asked) this.answer();
    if (this.listed.again) this.listed = { ...this.listed, ...this.listed.again() };
    this.refresh();
  }

  preview(next, what) {
    const judged = this.judge(next);
    this.say(`${what}: accuracy ${percent(judged.scores.accuracy)}`);
    showIn(this.parts.scores, scoreboard(this, judged));
  }

  drop(k, ref) {
    this.edit(`dropped ${isUnit(ref) ? `${this.nameOf(~ref)}, ` : ""}${this.textOf(ref)}${isUnit(ref) ? "," : ""} from ${this.nameOf(k)}`, dropInput(this.state, k, ref));
  }

  add(k, condition, whole) {
    const text = textOf(this.attributes[condition.attribute], condition);
    if (!whole) return this.edit(`added ${text} to ${this.nameOf(k)}`, addInput(this.state, k, condition));
    this.opened.add(this.state.units.length);
    this.edit(`added ${text} as a rule of its own to ${this.nameOf(k)}`, addUnit(this.state, k, condition));
    if (this.drawn.width * this.zoom > this.parts.canvas.clientWidth) this.fitWidth();
  }

  moveCut(j, end, bound) {
    const { attribute, ranges } = this.state.conditions[j];
    const [low, high] = ranges[end.i].map((x, side) => (side === end.side ? bound : x));
    if (low !== null && high !== null && low >= high) {
      this.refresh();
      return this.say("the lower cut must be below the upper one");
    }
    const next = moveEnd(this.state, j, end, bound);
    return this.edit(`${this.textOf(j)} becomes ${textOf(this.attributes[attribute], next.conditions[j])}`, next);
  }

  endsOf(j) {
    return endsOf(this.state.conditions[j]);
  }

  setWanted(k, wanted) {
    const n = fanIn(this.state.units[k]);
    if (!(Number.isInteger(wanted) && wanted >= 1 && wanted <= n)) return this.say(`a whole number of inputs must hold, between 1 and ${n}`);
    const next = setWanted(this.state, k, wanted);
    return this.edit(`${this.nameOf(k)} now asks for ${gateWords(next.units[k])} its inputs`, next);
  }

  rename(k, name) {
    const text = name.trim();
    if (this.state.outputs.length > 1 && this.state.outputs.includes(k)) return this.say("a class is called as it is in the data");
    const taken = below(this.state).some((ref) => isUnit(ref) && ~ref !== k && this.nameOf(~ref) === text);
    if (!text || taken) return this.say(text ? `another unit is called ${text}` : "a name needs a visible character");
    return this.edit(`renamed ${this.nameOf(k)} to ${text}`, rename(this.state, k, text));
  }

  lock(k) {
    const name = this.nameOf(k), named = { ...this.state, names: { ...this.state.names, [k]: name } };
    this.edit(`${this.state.locked.includes(k) ? "unlocked" : "locked"} ${name}`, toggleLock(named, k));
  }

  forbid({ condition, column }) {
    if (condition !== undefined) return this.edit(`forbade ${this.textOf(condition)}`, forbidCondition(this.state, condition));
    const mine = below(this.state).filter((ref) => !isUnit(ref) && this.state.conditions[ref].attribute === column);
    if (mine.some((j) => usersOf(this.state, j).some((user) => this.isLocked(user)))) return this.say("a locked concept asks for this column; unlock it first");
    return this.edit(`forbade column ${visible(this.attributes[column].name)}`, forbidColumn(this.state, column));
  }

  takeAlternative(i) {
    this.edit(`took the network of size ${this.data.alternatives[i].size}`, takeAlternative(this.state, this.start, this.data, i));
    this.openedAtFirst().forEach((k) => this.opened.add(k));
    this.refresh();
    this.fitWidth();
  }

  guarded(action) {
    try {
      action();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.say(error.message);
    }
  }

  // Questions

  // The rules of the class that was found are drawn.
  answerAnew() {
    this.answer();
    this.reveal(~this.state.outputs[Math.max(0, this.state.classes.indexOf(this.asked.found.predicted))]);
    this.show("row");
  }

  ask(set, row) {
    const source = this.setOf(set), title = `row ${numberIn(source, row)}${set === "held" ? " (held out)" : ""}, ${visible(this.classes[source.labels[row]])} in fact`;
    this.asked = { set, row, values: valuesOfRow(this, set, row), title };
    this.answerAnew();
  }

  // A row of the table, which stands below what it lights up.
  pick(set, row) {
    this.ask(set, row);
    document.querySelector("main").scrollIntoView({ block: "start" });
  }

  // The next of the rows that are listed, or the one before.
  askBeside(step) {
    const { set, kept } = this.listed, at = this.asked.set === set ? kept.indexOf(this.asked.row) : -1;
    const next = at < 0 ? kept[0] : kept[at + step];
    if (next === undefined) return this.say(kept.length ? `no row ${step > 0 ? "after" : "before"} this one is listed` : "no rows are listed");
    return this.ask(set, next);
  }

  askEmpty() {
    this.asked = { values: this.attributes.map(() => null), title: "a new row" };
    this.answerAnew();
  }

  setValue(column, value) {
    this.asked = { ...this.asked, title: `${this.asked.title.replace(/, changed$/, "")}, changed`, values: this.asked.values.map((old, i) => (i === column ? value : old)) };
    this.answerAnew();
  }

  answer() {
    const { values } = this.asked;
    this.asked.found = evaluateOne(this.state, holdsIn(values));
    this.asked.why = { reason: null, change: null };
    clearTimeout(this.thinking);
    this.thinking = setTimeout(() => this.explain(this.asked), 30);
  }

  // Reason and change, one after the other, once what fires is shown.
  explain(asked) {
    if (asked !== this.asked) return;
    const task = taskOf(this.state, this.attributes, (column) => asked.values[column]);
    asked.why.reason = task.reason();
    showWhy(this);
    this.thinking = setTimeout(() => {
      asked.why.change = task.change();
      showWhy(this);
    });
  }

  letGo() {
    clearTimeout(this.thinking);
    this.asked = null;
    this.refresh();
  }

  listAll(set) {
    this.list(set, set === "rows" ? "all rows" : "all held-out rows", () => [...Array(this.setOf(set).n).keys()]);
  }

  listCell(set, actual, guess) {
    const what = `${set === "held" ? "held out, " : ""}${this.classes[actual]} predicted as ${this.classes[guess]}`;
    this.list(set, visible(what), () => [...Array(this.setOf(set).n).keys()].filter((row) => this.setOf(set).labels[row] === actual && this.resultOf(set).predicted[row] === guess));
  }

  listRef(ref, set = "rows") {
    const name = isUnit(ref) ? this.nameOf(~ref) : this.textOf(ref), bits = () => this.resultOf(set).bits;
    this.list(set, `${set === "held" ? "held out, " : ""}where ${visible(name)} holds`, () => (bits().has(ref) ? rowsIn(bits().get(ref), this.setOf(set).n) : []));
  }

  list(set, what, find) {
    this.listed = { ...this.listed, set, what, rows: find(), again: () => ({ rows: find() }), shown: SHOWN };
    this.showRows();
    document.getElementById("rows").scrollIntoView({ block: "nearest" });
  }

  edits() {
    return [...this.data.edits, ...this.steps.slice(1, this.at + 1).map(({ what, reason }) => ({ what, reason }))];
  }

  modelText() {
    return modelText(this.state, this.start, this.data, this.attributes, this.edits());
  }

  download() {
    saveText("edited.json", this.modelText());
    this.say("edited.json: load it with RuleNetworkClassifier.load");
  }

  async copyRefit() {
    const copied = await copyText(refitCall(this.state, this.attributes));
    this.say(copied ? "the call is in the clipboard" : "this browser does not let pages copy: the call stands below, select it there");
  }
}

const app = new App(JSON.parse(document.getElementById("data").textContent));
app.build(document.getElementById("page"));
globalThis.rulenetPage = app;
