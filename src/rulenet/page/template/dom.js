// Elements, built from text only: nothing is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

// A field that is left by the tab key tells of its change once the next one has the focus: what is drawn anew before
// would take the next one away.
let tabbing = false;
addEventListener("keydown", (event) => (tabbing = event.key === "Tab"), true);
addEventListener("keyup", () => (tabbing = false), true);
const settled = (listener) => (event) => (tabbing ? void setTimeout(() => listener(event)) : listener(event));

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), name === "onchange" ? settled(value) : value);
    else if (name === "value") node.value = value;
    else if (name === "style") Object.entries(value).forEach(([property, x]) => node.style.setProperty(property, x));
    else if (name === "checked" || name === "selected" || name === "disabled") node[name] = true;
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child).split("\n").map(visible).join("\n")));
  }
  return node;
}

const el = (tag, attributes, ...children) => filled(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

const button = (text, onclick, more) => el("button", { type: "button", onclick, ...more }, text);

function showIn(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((x) => x !== null && x !== undefined && x !== false));
}

// Exactly these children, in this order; those that stay are not touched, so nothing of them is laid out anew.
function arrange(parent, ...children) {
  const wanted = children.flat(Infinity).filter((x) => x instanceof Node), stays = new Set(wanted);
  for (const child of [...parent.childNodes]) if (!stays.has(child)) child.remove();
  let at = parent.firstChild;
  for (const node of wanted) {
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
  }
}

function setNew(node, name, value) {
  if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Elements by all that their look depends on: what looks the same is not built anew. What was not asked for between two
// turns is let go.
class Kept {
  constructor() {
    this.now = new Map();
    this.old = new Map();
  }

  turn() {
    this.old = this.now;
    this.now = new Map();
  }

  get(key, build) {
    const found = this.now.get(key) || this.old.get(key) || build();
    this.now.set(key, found);
    return found;
  }
}

// Scrolls a box, and nothing around it, until a part of it can be seen.
function showWithin(box, node) {
  if (!node) return;
  const outer = box.getBoundingClientRect(), inner = node.getBoundingClientRect(), room = 24;
  const by = (low, high, from, to) => (to - from > high - low || from < low + room ? from - low - room : to > high - room ? to - high + room : 0);
  box.scrollBy(by(outer.left, outer.right, inner.left, inner.right), by(outer.top, outer.bottom, inner.top, inner.bottom));
}

const percent = (x, digits = 1) => (x === null ? "–" : `${(100 * x).toFixed(digits)}%`);
const grouped = new Intl.NumberFormat("en"), thousands = (n) => grouped.format(n);
const plural = (n, word) => `${thousands(n)} ${word}${n === 1 ? "" : "s"}`;

function change(now, before, digits = 1) {
  if (now === null || before === null) return "";
  const difference = 100 * (now - before);
  if (Math.abs(difference) < 0.5 * 10 ** -digits) return "";
  return `${difference > 0 ? "+" : "−"}${Math.abs(difference).toFixed(digits)}`;
}

function saveText(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// Whether the text is in the clipboard now.
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { value: text, "aria-hidden": "true" });
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}
