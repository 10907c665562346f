"use strict";
// What the views share of the page itself. Text from outside only ever becomes text: nothing here parses markup.

// What would turn a line around, break it or hide in it is shown by its number, as the program does on a terminal.
const ODD = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function show(text) {
  const code = c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0");
  return String(text).replace(ODD, c => c === "\n" ? "\\n" : c === "\t" ? "\\t" : code(c));
}

function clip(text, most) {
  const shown = show(text.length > 4 * most ? text.slice(0, 4 * most) : text);
  const letters = Array.from(shown);
  return letters.length <= most && shown.length >= text.length ? shown : letters.slice(0, most - 1).join("") + "…";
}

// Of a long name its beginning and its end, as names of one file often begin alike.
function middle(text, most) {
  const letters = Array.from(show(text.length > 400 ? text.slice(0, 200) + text.slice(-200) : text)),
        tail = Math.ceil((most - 1) * 0.6);
  return letters.length <= most ? letters.join("")
    : letters.slice(0, most - 1 - tail).join("") + "…" + letters.slice(-tail).join("");
}

// el("button", {class: "button", onclick: f}, "text", node, ...): attributes by name, listeners by on...
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined)
      node.append(child instanceof Node ? child : document.createTextNode(child));
  return node;
}

// A name in running text: of its own direction, and as long as a reader can take in; the rest on request.
function name(text, most = 120) {
  const short = middle(text, most);
  const node = el("bdi", {}, short);
  if (text.length > most) {
    const more = el("button", {class: "chip", onclick: () => { node.textContent = show(text); more.remove(); }},
                    "all " + text.length + " characters");
    return el("span", {}, node, " ", more);
  }
  return node;
}

function fill(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter(c => c !== null && c !== undefined)
                         .map(c => c instanceof Node ? c : document.createTextNode(c)));
}

function button(text, action, attributes) {
  return el("button", Object.assign({class: "button", type: "button", onclick: action}, attributes), text);
}

function plural(n, one, many) {
  return n + " " + (n === 1 ? one : many || one + "s");
}

// A slider with steps at both ends: {node, set(value), get()}.
function slider(label, most, changed, words) {
  const input = el("input", {type: "range", min: 0, max: most, step: 1, "aria-label": label});
  const output = el("output", {});
  const set = (value, quiet) => {
    input.value = Math.max(0, Math.min(most, value));
    output.textContent = words(Number(input.value));
    if (!quiet) changed(Number(input.value));
  };
  input.addEventListener("input", () => set(Number(input.value)));
  const step = by => set(Number(input.value) + by);
  const node = el("div", {class: "slider"}, button("‹", () => step(-1), {"aria-label": "one step back"}), input,
                  button("›", () => step(1), {"aria-label": "one step on"}), output);
  return {node, set, step, get: () => Number(input.value)};
}

// The colours of base.css as they are now; drawings read them again when the theme changes.
let colours = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const key of ["paper", "raised", "sunk", "ink", "soft", "line", "arc", "accent", "accent-soft", "on-accent",
                     "read", "inhibit", "warn", "warn-soft", "bad", "bad-soft", "good", "good-soft", "violet",
                     "violet-soft", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"])
    colours[key] = style.getPropertyValue("--" + key).trim();
}
const series = i => colours["s" + i % 8];
