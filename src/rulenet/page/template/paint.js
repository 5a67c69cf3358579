// The colours of classes: one each while eye can tell them apart; of more classes one at a time, against the rest.

const COLOURS = 8;
const hasColours = (app) => app.classes.length <= COLOURS;

// Counts of classes as pairs of a number and the class of its style.
function paints(app, counts) {
  if (hasColours(app)) return counts.map((n, k) => [n, `class-${k}`]);
  const mine = app.focus === null ? Math.max(...counts) : counts[app.focus];
  return [[mine, "class-0"], [sum(counts) - mine, "class-rest"]];
}

const swatch = (app, k) => hasColours(app) && el("i", { class: `class-${k}` });

// The class that a number beside a part speaks of: the most frequent one, or the one in colour.
function spokenClass(app, classes) {
  return app.focus === null || hasColours(app) ? classes.indexOf(Math.max(...classes)) : app.focus;
}

// A class that is called by a number is told from the numbers around it.
const spokenName = (name, length) => (/^[\d.,+-]*$/.test(name) ? `class ${name}` : shortened(name, length));

function focusPicker(app) {
  const options = [["", "the most frequent of each part"], ...app.classes.map((name, k) => [String(k), shortened(name, 30)])];
  return el("label", { class: "swatch" }, el("i", { class: "class-0" }), "class in colour ",
    el("select", { id: "focus", onchange: (event) => app.lookAt(event.target.value === "" ? null : Number(event.target.value)) },
      options.map(([value, text]) => el("option", { value, selected: value === String(app.focus ?? "") }, text))),
    el("i", { class: "class-rest" }), "all others");
}
