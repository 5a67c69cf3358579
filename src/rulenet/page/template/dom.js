// Elements, built from text only: nothing is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
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

const percent = (x, digits = 1) => (x === null ? "–" : `${(100 * x).toFixed(digits)}%`);
const thousands = (n) => n.toLocaleString("en");
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

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el("textarea", { value: text, "aria-hidden": "true" });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
