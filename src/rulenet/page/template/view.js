// What is shown: the parts of the page, drawn anew when the network, the selection or a question changes.

const SAID = 10000; // milliseconds

class View {
  constructor() {
    this.selected = null;
    this.asked = null;
    this.query = "";
    this.focus = null;
    this.shown = null;
    this.zoom = 1;
    this.tab = "selected";
    this.matrixOpen = false;
    this.parts = {};
    this.kept = new Kept();
    this.keptRows = new Kept();
    this.looks = new Map();
    this.lookNumbers = new Map();
  }

  // All units where conditions are few; where they are many, only what outputs read is shown.
  openedAtFirst() {
    const refs = below(this.state), units = refs.filter(isUnit);
    return new Set(refs.length - units.length > CROWDED ? [] : units.map((ref) => ~ref));
  }

  // The outputs whose rules are drawn: of many classes, or of a large network, one at a time.
  shownOutputs() {
    return this.shown === null ? this.state.outputs : [this.state.outputs[this.shown]];
  }

  shownAtFirst() {
    const many = this.state.outputs.length > 6 || below(this.state).filter((ref) => !isUnit(ref)).length > 30;
    return this.state.outputs.length > 1 && many ? 0 : null;
  }

  drawClass(i) {
    this.shown = i;
    this.parts.shown.value = String(i ?? "");
    this.showNetwork();
  }

  // Where one class is drawn and a part is not in its rules, a class that has it is drawn.
  reveal(ref) {
    const has = (k) => below(this.state, [k]).includes(ref);
    if (this.shown === null || this.state.outputs[this.shown] === ~ref) return;
    if (isUnit(ref) && this.state.outputs.includes(~ref)) this.drawClass(this.state.outputs.indexOf(~ref));
    else if (!has(this.state.outputs[this.shown])) this.drawClass(this.state.outputs.findIndex(has));
  }

  select(ref) {
    this.selected = ref;
    this.reveal(ref);
    this.show("selected");
    showWithin(this.parts.rules, this.parts.rules.querySelector(`.node[data-ref="${ref}"]`) || this.parts.rules.querySelector(`[data-refs~="${ref}"]`));
    showWithin(this.parts.canvas, this.parts.canvas.querySelector(`.node[data-ref="${ref}"]`));
  }

  toggle(k) {
    if (this.opened.has(k)) this.opened.delete(k);
    else this.opened.add(k);
    this.showNetwork();
  }

  openAll(open) {
    this.opened = new Set(open ? below(this.state).filter(isUnit).map((ref) => ~ref) : []);
    this.showNetwork();
  }

  openMatrix(open) {
    this.matrixOpen = open;
    showIn(this.parts.scores, scoreboard(this));
    document.querySelector("[data-matrix]")?.focus();
  }

  // Of very many classes one has a colour.
  lookAt(k) {
    this.focus = k;
    this.refresh();
  }

  // What is under the pointer, or else in the middle, stays where it is.
  zoomBy(factor, at) {
    const { canvas } = this.parts, box = canvas.getBoundingClientRect(), before = this.zoom;
    const x = at ? at.clientX - box.left : box.width / 2, y = at ? at.clientY - box.top : box.height / 2;
    const [left, top] = [canvas.scrollLeft + x, canvas.scrollTop + y];
    this.zoom = Math.max(0.15, Math.min(4, this.zoom * factor));
    this.showNetwork();
    canvas.scrollTo((left * this.zoom) / before - x, (top * this.zoom) / before - y);
  }

  fit() {
    const { canvas } = this.parts, { width, height } = this.drawn;
    this.zoom = Math.max(0.15, Math.min(1.5, (canvas.clientWidth - 4) / width, (canvas.clientHeight - 4) / height));
    this.showNetwork();
  }

  // As wide as there is room, but never too small to be read.
  fitWidth() {
    const { canvas } = this.parts;
    this.zoom = Math.max(0.75, Math.min(1.25, (canvas.clientWidth - 20) / this.drawn.width));
    this.showNetwork();
    canvas.scrollLeft = 0;
  }

  // Cards are as tall as the drawing, within a screen; a wide drawing takes some of the width of the others.
  fitAtFirst() {
    const root = document.documentElement;
    this.fitWidth();
    if (this.compact) return;
    document.querySelector("main").classList.toggle("wide", this.zoom < 0.9);
    this.fitWidth();
    const beside = document.querySelector(".rules").scrollHeight, most = Math.max(innerHeight - 230, 480);
    root.style.setProperty("--tall", `${Math.min(Math.max(this.drawn.height * this.zoom + 130, Math.min(beside + 70, most), 480), most)}px`);
  }

  search(text) {
    this.query = text.trim().toLowerCase();
    if (this.parts.search.value !== text) this.parts.search.value = text;
    const found = this.query ? below(this.state).filter((ref) => !isUnit(ref) && this.matches(ref)) : [];
    if (found.length) this.uncover(found);
    this.refresh();
    if (this.query) this.say(`${plural(found.length, "condition")} found`);
    showWithin(this.parts.canvas, this.parts.canvas.querySelector(".row.match") || this.parts.canvas.querySelector(".match"));
  }

  // Where none of these can be seen, what hides the first of them is opened, and a class that has it is drawn.
  uncover(refs) {
    const drawn = new Set([...this.parts.canvas.querySelectorAll(".node")].map((node) => Number(node.getAttribute("data-ref"))));
    const hides = (k) => !this.opened.has(k) && !this.state.outputs.includes(k);
    const inside = (ref) => below(this.state).filter((user) => isUnit(user) && below(this.state, [~user]).includes(ref)).map((user) => ~user);
    if (refs.some((ref) => drawn.has(ref) || inside(ref).some((k) => drawn.has(~k) && hides(k) && this.matches(~k)))) return;
    this.reveal(refs[0]);
    inside(refs[0]).forEach((k) => this.opened.add(k));
  }

  // What is said stands at the foot of the screen for a while.
  say(text) {
    this.parts.status.textContent = text;
    clearTimeout(this.silence);
    this.silence = setTimeout(() => (this.parts.status.textContent = ""), SAID);
  }

  // A compact page has no rows to count, so that it asks about a row only.
  show(tab) {
    this.tab = this.compact ? "row" : tab;
    this.refresh();
  }

  showNetwork() {
    this.looks = new Map();
    this.drawAll();
  }

  drawAll() {
    const again = this.focused();
    drawNetwork(this);
    again();
  }

  // Brings the focus back to what it was on, once that has been drawn anew.
  focused() {
    const node = document.activeElement, where = node?.closest?.(".canvas, #rules, #panel, #scores, #rows");
    if (!where) return () => {};
    const names = ["id", "data-ref", "data-drop", "data-cut", "data-handle", "data-cell-value", "data-field", "data-cell", "data-error", "data-sort", "data-row"];
    const name = names.find((x) => node.hasAttribute(x));
    const selector = name && `[${name}="${CSS.escape(node.getAttribute(name))}"]`;
    return () => {
      if (selector && document.activeElement !== node) where.querySelector(selector)?.focus({ preventScroll: true });
    };
  }

  showRows() {
    clearTimeout(this.later);
    const again = this.focused();
    fillTable(this);
    again();
  }

  refresh() {
    const again = this.focused();
    this.kept.turn();
    this.looks = new Map();
    drawNetwork(this);
    arrange(this.parts.rules, rulesText(this));
    roveIn(this.parts.rules, this.selected);
    showIn(this.parts.scores, scoreboard(this));
    showIn(this.parts.panel, { selected: inspector, row: question, history: historyPanel }[this.tab](this));
    for (const [name, tab] of Object.entries(this.parts.tabs)) {
      tab.setAttribute("aria-selected", String(name === this.tab));
      tab.setAttribute("tabindex", name === this.tab ? 0 : -1);
    }
    document.documentElement.classList.toggle("asking", this.asked !== null);
    this.parts.panel.setAttribute("aria-labelledby", `tab-${this.tab}`);
    this.parts.tabs.history.textContent = this.at ? `History (${this.at})` : "History";
    document.getElementById("undo-top").disabled = !this.at;
    document.getElementById("redo-top").disabled = this.at === this.steps.length - 1;
    again();
    clearTimeout(this.later);
    this.later = setTimeout(() => this.showRows());
  }

  build(root) {
    const { parts } = this;
    parts.search = el("input", { type: "search", id: "search", placeholder: "search a column, value or concept", "aria-label": "search the network",
      oninput: (event) => this.search(event.target.value) });
    parts.status = el("p", { role: "status", id: "status", class: "note" });
    parts.reason = el("input", { id: "why", placeholder: "reason for the next change", "aria-label": "reason for the next change" });
    parts.rules = el("div", { class: "rules" });
    parts.scores = el("div", { class: "board", id: "scores", role: "region", "aria-label": "scores" });
    parts.panel = el("div", { class: "panel", role: "tabpanel", id: "panel", tabindex: 0 });
    parts.tabs = this.tabs();
    const head = el("header", { class: "top" }, el("h1", {}, visible(this.data.title)), parts.search,
      el("div", { class: "tools" }, parts.reason, button("undo", () => this.goTo(this.at - 1), { id: "undo-top" }), button("redo", () => this.goTo(this.at + 1), { id: "redo-top" }),
        button("download", () => this.download(), { id: "download-top", class: "main" }), button("print", () => print(), { id: "print" }),
        button("◐", flipTheme, { id: "theme", "aria-label": "light or dark", title: "light or dark" })));
    const details = el("section", { class: "card", id: "details", "aria-label": "details" }, el("header", { role: "tablist" }, Object.values(parts.tabs)), parts.panel);
    showIn(root, head, parts.scores, el("main", {}, networkCard(this), card("rules", "Rules", parts.rules), details, rowsCard(this)), parts.status);
    document.documentElement.classList.toggle("compact", this.compact);
    if (this.compact) this.tab = "row";
    this.refresh();
    this.fitAtFirst();
    this.link(root);
  }

  // Tabs; arrow keys lead from one to the next.
  tabs() {
    const titles = { selected: "Selected", row: "A row", history: "History" }, names = Object.keys(titles);
    const step = (name) => (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const next = names[(names.indexOf(name) + by + names.length) % names.length];
      this.show(next);
      this.parts.tabs[next].focus();
    };
    return Object.fromEntries(names.map((name) => [name,
      button(titles[name], () => this.show(name), { role: "tab", id: `tab-${name}`, "aria-controls": "panel", onkeydown: step(name) })]));
  }

  // What the pointer or the focus is on is marked wherever it stands.
  link(root) {
    const mark = (event) => {
      const { ref, refs } = event.target.closest?.("[data-ref]")?.dataset ?? {}, hot = refs ?? ref;
      if (hot === this.hot) return;
      this.hot = hot;
      root.querySelectorAll(".hot").forEach((node) => node.classList.remove("hot"));
      if (!hot) return;
      const wanted = refs ? [`[data-refs="${refs}"]`] : [`.node[data-ref="${ref}"]`, `[data-refs~="${ref}"]`];
      hot.split(" ").forEach((x) => wanted.push(`.canvas .node[data-ref="${x}"]`, `path[data-from="${x}"]`));
      root.querySelectorAll(wanted).forEach((node) => node.classList.add("hot"));
    };
    root.addEventListener("pointerover", mark);
    root.addEventListener("focusin", mark);
    root.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.asked && !event.target.matches("input, textarea, select")) return this.letGo();
      if (!(event.ctrlKey || event.metaKey) || event.target.matches("input, textarea")) return;
      if (event.key.toLowerCase() === "z") this.goTo(this.at + (event.shiftKey ? 1 : -1));
      else if (event.key === "y") this.goTo(this.at + 1);
      else return;
      event.preventDefault();
    });
  }
}

function flipTheme() {
  const { dataset } = document.documentElement;
  const dark = dataset.theme === "dark" || (!dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  dataset.theme = dark ? "light" : "dark";
}
