"use strict";
// A drawing on a canvas that is moved and scaled. It knows boxes and lines in a plane of its own; a grid says what is
// in view, and only that is drawn, so that ten thousand events stay fluid. A view gives {paint(context, node, scale),
// line(context, edge, scale), hit(node)}. A node is {x, y, w, h} with its middle at x, y; an edge {points: [x0, y0, x1,
// y1, ...]} and whatever the view adds.

class Grid {
  constructor(cell) { this.cell = cell; this.cells = new Map(); }
  add(item, x0, y0, x1, y1) {
    for (let i = Math.floor(x0 / this.cell); i <= Math.floor(x1 / this.cell); i++)
      for (let k = Math.floor(y0 / this.cell); k <= Math.floor(y1 / this.cell); k++) {
        const key = i * 1048576 + k, row = this.cells.get(key);
        if (row) row.push(item); else this.cells.set(key, [item]);
      }
  }
  // Calls once for each item whose cells meet the box.
  visit(x0, y0, x1, y1, stamp, call) {
    const i0 = Math.floor(x0 / this.cell), i1 = Math.floor(x1 / this.cell), k0 = Math.floor(y0 / this.cell),
          k1 = Math.floor(y1 / this.cell);
    const row = items => { for (const item of items) if (item.stamp !== stamp) { item.stamp = stamp; call(item); } };
    if ((i1 - i0 + 1) * (k1 - k0 + 1) > this.cells.size) {
      for (const [key, items] of this.cells) {
        const i = Math.round(key / 1048576), k = key - i * 1048576;
        if (i >= i0 && i <= i1 && k >= k0 && k <= k1) row(items);
      }
      return;
    }
    for (let i = i0; i <= i1; i++)
      for (let k = k0; k <= k1; k++) {
        const items = this.cells.get(i * 1048576 + k);
        if (items) row(items);
      }
  }
}

class Scene {
  constructor(stage, painter) {
    this.painter = painter;
    this.canvas = el("canvas", {tabindex: 0, role: "img", "aria-label": painter.label || "drawing"});
    stage.append(this.canvas);
    this.context = this.canvas.getContext("2d");
    this.nodes = []; this.edges = [];
    this.x = 0; this.y = 0; this.scale = 1; // the plane's point in the middle of the screen, and pixels per unit
    this.stamp = 0; this.drawn = 0; this.pointers = new Map();
    this.listen();
    new ResizeObserver(() => this.resize()).observe(stage);
  }

  // What lies over the drawing, and is kept clear of when it is fitted.
  furnish(tools, legend) {
    this.tools = tools; this.legend = legend;
    this.canvas.after(tools, legend);
  }
  set(nodes, edges) {
    this.nodes = nodes; this.edges = edges;
    const cell = 240;
    this.nodeGrid = new Grid(cell); this.edgeGrid = new Grid(cell);
    let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
    for (const n of nodes) {
      n.stamp = 0;
      this.nodeGrid.add(n, n.x - n.w / 2, n.y - n.h / 2, n.x + n.w / 2, n.y + n.h / 2);
      x0 = Math.min(x0, n.x - n.w / 2); x1 = Math.max(x1, n.x + n.w / 2);
      y0 = Math.min(y0, n.y - n.h / 2); y1 = Math.max(y1, n.y + n.h / 2);
    }
    this.box = nodes.length ? {x0, y0, x1, y1} : {x0: -1, y0: -1, x1: 1, y1: 1};
    for (const e of edges) {
      e.stamp = 0;
      const p = e.points; // piece by piece: a long slanted line does not fill its box
      for (let i = 0; i + 3 < p.length; i += 2) this.enterLine(e, p[i], p[i + 1], p[i + 2], p[i + 3], cell);
    }
    this.redraw();
  }
  enterLine(e, xa, ya, xb, yb, cell) {
    const pieces = Math.max(1, Math.min(64, Math.ceil(Math.max(Math.abs(xb - xa), Math.abs(yb - ya)) / cell)));
    for (let i = 0; i < pieces; i++) {
      const x0 = xa + (xb - xa) * i / pieces, x1 = xa + (xb - xa) * (i + 1) / pieces;
      const y0 = ya + (yb - ya) * i / pieces, y1 = ya + (yb - ya) * (i + 1) / pieces;
      this.edgeGrid.add(e, Math.min(x0, x1) - 12, Math.min(y0, y1) - 12, Math.max(x0, x1) + 12, Math.max(y0, y1) + 12);
    }
  }

  resize() {
    const ratio = window.devicePixelRatio || 1, w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    if (!w || !h) return;
    this.canvas.width = Math.round(w * ratio); this.canvas.height = Math.round(h * ratio);
    this.ratio = ratio; this.width = w; this.height = h;
    if (!this.shown) { this.shown = true; if (this.first) this.first(); else this.fit(); }
    this.draw(); // at once: a page that has loaded shows its drawing, and one of a new size is not blank for a frame
  }

  // At each side, what the furniture takes.
  room() {
    return {l: 24, r: 24, t: this.tools ? this.tools.offsetHeight + 28 : 60,
            b: this.legend ? this.legend.offsetHeight + 24 : 30};
  }
  // The whole drawing, or the box around the middle that is given; never larger than life.
  fit(box, largest = 1) {
    if (!this.width) return;
    const b = box || this.box, room = this.room();
    const s = Math.min((this.width - room.l - room.r) / Math.max(1, b.x1 - b.x0),
                       (this.height - room.t - room.b) / Math.max(1, b.y1 - b.y0), largest);
    this.scale = Math.max(s, 0.002);
    this.x = (b.x0 + b.x1) / 2 - (room.l - room.r) / 2 / this.scale;
    this.y = (b.y0 + b.y1) / 2 - (room.t - room.b) / 2 / this.scale;
    this.redraw();
  }
  // A first look in which names can be read: the whole when it fits, else its beginning.
  open(box) {
    this.fit(box);
    if (this.scale >= 0.42 || !this.width) return;
    const b = box || this.box;
    this.scale = 0.8;
    this.y = Math.min((b.y0 + b.y1) / 2, b.y0 + (this.height / 2 - 60) / this.scale);
    const top = this.nodes.filter(n => n.y - n.h / 2 < b.y0 + 60);
    if (top.length && b.x1 - b.x0 > this.width / this.scale) this.x = top.reduce((sum, n) => sum + n.x, 0) / top.length;
    this.redraw();
  }
  show(node, scale) {
    if (scale) this.scale = Math.max(this.scale, scale);
    this.x = node.x; this.y = node.y;
    this.redraw();
  }
  // Moves as little as possible; below the heads, where there are some.
  reveal(node, heads = 0) {
    if (!this.width) return;
    const room = this.room(), top = room.t + heads, bottom = this.height - room.b, at = this.toScreen(node.x, node.y),
          w = node.w / 2 * this.scale, h = node.h / 2 * this.scale;
    if (at.x - w < 10) this.x -= (10 - at.x + w) / this.scale;
    if (at.x + w > this.width - 10) this.x += (at.x + w - this.width + 10) / this.scale;
    if (at.y - h < top) this.y -= (top - at.y + h) / this.scale;
    else if (at.y + h > bottom) this.y += Math.min(at.y + h - bottom, at.y - h - top) / this.scale;
    this.redraw();
  }
  toScreen(x, y) {
    return {x: (x - this.x) * this.scale + this.width / 2, y: (y - this.y) * this.scale + this.height / 2};
  }
  toPlane(x, y) {
    return {x: (x - this.width / 2) / this.scale + this.x, y: (y - this.height / 2) / this.scale + this.y};
  }

  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const before = this.toPlane(px, py);
    this.scale = Math.max(0.002, Math.min(6, this.scale * factor));
    const after = this.toPlane(px, py);
    this.x += before.x - after.x; this.y += before.y - after.y;
    this.move();
  }

  redraw() {
    if (this.waiting || !this.shown) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }
  // While it is being moved, a drawing that takes long is shown as it was, shifted and scaled; what is new comes when
  // the hand rests.
  move() {
    if (this.cost < 24 || !this.kept) { this.redraw(); return; }
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.redraw(), 140);
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const c = this.context, k = this.kept, f = this.scale / k.scale, r = this.ratio;
      c.setTransform(1, 0, 0, 1, 0, 0);
      c.fillStyle = colours.paper; c.fillRect(0, 0, this.canvas.width, this.canvas.height);
      c.drawImage(k.image, ((k.x - this.x) * this.scale + this.width / 2 - f * this.width / 2) * r,
                  ((k.y - this.y) * this.scale + this.height / 2 - f * this.height / 2) * r, f * k.image.width,
                  f * k.image.height);
    });
  }
  draw() {
    if (!this.nodeGrid || !this.width) return;
    const started = performance.now(), c = this.context, k = this.ratio * this.scale;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = colours.paper; c.fillRect(0, 0, this.canvas.width, this.canvas.height);
    c.setTransform(k, 0, 0, k, this.canvas.width / 2 - this.x * k, this.canvas.height / 2 - this.y * k);
    const a = this.toPlane(0, 0), b = this.toPlane(this.width, this.height), stamp = ++this.stamp, lines = [],
          boxes = [];
    this.edgeGrid.visit(a.x, a.y, b.x, b.y, stamp, e => lines.push(e));
    this.nodeGrid.visit(a.x - 20, a.y - 20, b.x + 20, b.y + 20, stamp, n => boxes.push(n));
    this.drawn = boxes.length;
    if (this.painter.under) this.painter.under(c, this.scale, a, b);
    this.painter.lines(c, lines, this.scale);
    this.painter.boxes(c, boxes, this.scale);
    if (this.painter.over) this.painter.over(c, this.scale, a, b);
    this.cost = performance.now() - started;
    if (this.cost < 24) { this.kept = null; return; }
    const image = this.kept ? this.kept.image : document.createElement("canvas");
    image.width = this.canvas.width; image.height = this.canvas.height;
    image.getContext("2d").drawImage(this.canvas, 0, 0);
    this.kept = {image, x: this.x, y: this.y, scale: this.scale};
  }

  at(px, py) {
    const p = this.toPlane(px, py), slack = 6 / this.scale;
    let best = null, nearest = Infinity;
    this.nodeGrid.visit(p.x - slack, p.y - slack, p.x + slack, p.y + slack, ++this.stamp, n => {
      const dx = Math.max(0, Math.abs(p.x - n.x) - n.w / 2), dy = Math.max(0, Math.abs(p.y - n.y) - n.h / 2),
            d = Math.hypot(dx, dy);
      if (d <= slack && d < nearest && (!this.painter.hit || this.painter.hit(n))) { best = n; nearest = d; }
    });
    return best;
  }

  listen() {
    const c = this.canvas, point = e => {
      const r = c.getBoundingClientRect();
      return {x: e.clientX - r.left, y: e.clientY - r.top};
    };
    c.addEventListener("pointerdown", e => {
      c.setPointerCapture(e.pointerId);
      this.pointers.set(e.pointerId, point(e));
      this.moved = this.pointers.size > 1 ? Infinity : 0;
    });
    c.addEventListener("pointermove", e => {
      const now = point(e), before = this.pointers.get(e.pointerId);
      if (!before) { c.classList.toggle("over", !!(this.nodeGrid && this.at(now.x, now.y))); return; }
      if (this.pointers.size === 1) {
        this.moved += Math.hypot(now.x - before.x, now.y - before.y);
        if (this.moved > 4) {
          this.x -= (now.x - before.x) / this.scale;
          this.y -= (now.y - before.y) / this.scale;
          this.move();
        }
      } else if (this.pointers.size === 2) {
        const other = [...this.pointers].find(([id]) => id !== e.pointerId)[1];
        const mid = {x: (now.x + other.x) / 2, y: (now.y + other.y) / 2},
              old = {x: (before.x + other.x) / 2, y: (before.y + other.y) / 2};
        this.x -= (mid.x - old.x) / this.scale; this.y -= (mid.y - old.y) / this.scale;
        this.zoom(Math.hypot(now.x - other.x, now.y - other.y) /
                  Math.max(1, Math.hypot(before.x - other.x, before.y - other.y)), mid.x, mid.y);
      }
      this.pointers.set(e.pointerId, now);
    });
    const up = e => {
      const was = this.pointers.delete(e.pointerId);
      if (was && e.type === "pointerup" && this.moved <= 4) {
        const p = point(e), node = this.at(p.x, p.y);
        if (this.painter.click) this.painter.click(node, e);
      }
    };
    c.addEventListener("pointerup", up);
    c.addEventListener("pointercancel", up);
    c.addEventListener("wheel", e => {
      e.preventDefault();
      const p = point(e);
      this.zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0015)), p.x, p.y);
    }, {passive: false});
    c.addEventListener("keydown", e => {
      const move = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[e.key];
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      if (move && !(this.painter.keys && this.painter.keys.includes(e.key))) {
        this.x += move[0] * 80 / this.scale;
        this.y += move[1] * 80 / this.scale;
        this.move();
        e.preventDefault();
      }
    });
  }
}

// ---- parts of drawings ----

function arrowHead(c, x, y, angle, size) {
  c.beginPath();
  c.moveTo(x, y);
  c.lineTo(x - size * Math.cos(angle - 0.42), y - size * Math.sin(angle - 0.42));
  c.lineTo(x - size * Math.cos(angle + 0.42), y - size * Math.sin(angle + 0.42));
  c.closePath();
  c.fill();
}

// Far away there is no room for shapes: straight lines, of very many only a part, in one stroke per colour; [[colour,
// belongs(item)]...].
const MOST_FAR_LINES = 12000;
function haze(c, lines, scale, kinds) {
  const step = Math.ceil(lines.length / MOST_FAR_LINES);
  for (const [colour, belongs] of kinds) {
    c.strokeStyle = colours[colour]; c.lineWidth = 0.7 / scale; c.globalAlpha = 0.35;
    c.beginPath();
    for (let i = 0; i < lines.length; i += step) {
      const p = lines[i].points;
      if (!belongs(lines[i])) continue;
      c.moveTo(p[0], p[1]);
      for (let k = 2; k < p.length; k += 2) c.lineTo(p[k], p[k + 1]);
    }
    c.stroke();
  }
  c.globalAlpha = 1;
}
// The same for boxes: look(node) gives the colour of its fill, or null.
function specks(c, boxes, look) {
  const groups = new Map();
  for (const n of boxes) {
    const colour = look(n);
    if (!colour) continue;
    const row = groups.get(colour);
    if (row) row.push(n);
    else groups.set(colour, [n]);
  }
  for (const [colour, row] of groups) {
    c.fillStyle = colours[colour];
    c.beginPath();
    for (const n of row) {
      const w = n.round ? 2 * n.r : n.w, h = n.round ? 2 * n.r : n.h;
      c.rect(n.x - w / 2, n.y - h / 2, w, h);
    }
    c.fill();
  }
}

// A smooth line through points.
function trace(c, p) {
  c.moveTo(p[0], p[1]);
  if (p.length === 4) { c.lineTo(p[2], p[3]); return; }
  for (let i = 2; i + 3 < p.length; i += 2) {
    const last = i + 5 >= p.length;
    c.quadraticCurveTo(p[i], p[i + 1], last ? p[i + 2] : (p[i] + p[i + 2]) / 2,
                       last ? p[i + 3] : (p[i + 1] + p[i + 3]) / 2);
  }
}

// Kinds of arcs look the same everywhere: consuming ones end in an arrow, reading ones are dashed and end in a dot at
// the transition, inhibiting ones in a ring.
const ARC = {
  flow: {colour: "arc", dash: [], end: "arrow"},
  read: {colour: "read", dash: [5, 4], end: "dot"},
  inhibit: {colour: "inhibit", dash: [], end: "ring"},
  companion: {colour: "violet", dash: [2, 4], end: "arrow"},
  cause: {colour: "arc", dash: [], end: "arrow"},
};

function drawArc(c, kind, p, faint) {
  const a = ARC[kind], n = p.length, angle = Math.atan2(p[n - 1] - p[n - 3], p[n - 2] - p[n - 4]);
  c.globalAlpha = faint ? 0.18 : 1;
  c.strokeStyle = c.fillStyle = colours[a.colour];
  c.lineWidth = 1.4;
  c.setLineDash(a.dash);
  c.beginPath();
  trace(c, p);
  c.stroke();
  c.setLineDash([]);
  if (a.end === "arrow") arrowHead(c, p[n - 2], p[n - 1], angle, 9);
  else {
    c.beginPath();
    c.arc(p[n - 2] - 4 * Math.cos(angle), p[n - 1] - 4 * Math.sin(angle), 4, 0, 7);
    if (a.end === "dot") c.fill();
    else { c.fillStyle = colours.paper; c.fill(); c.stroke(); }
  }
  c.globalAlpha = 1;
}

// Text over lines: with an edge of the paper's colour.
function halo(c, text, x, y, most, align = "center") {
  c.textAlign = align; c.textBaseline = "middle"; c.direction = "ltr"; c.lineJoin = "round";
  c.lineWidth = parseFloat(c.font) > 9 || !(parseFloat(c.font) < 9) ? 4 : 1.2; c.strokeStyle = colours.paper;
  c.strokeText(text, x, y, most);
  c.fillText(text, x, y, most);
}

function label(c, text, x, y, most, align = "center") {
  c.textAlign = align; c.textBaseline = "middle";
  c.direction = "ltr";
  c.fillText(text, x, y, most);
}

function roundBox(c, x, y, w, h, r) {
  c.beginPath();
  c.roundRect(x - w / 2, y - h / 2, w, h, r);
}

// Where the line from the middle of a node towards a point leaves the node.
function border(node, x, y) {
  const dx = x - node.x, dy = y - node.y;
  if (!dx && !dy) return [node.x, node.y];
  if (node.round) { const d = Math.hypot(dx, dy), r = node.r; return [node.x + dx / d * r, node.y + dy / d * r]; }
  const f = Math.min(node.w / 2 / Math.abs(dx || 1e-9), node.h / 2 / Math.abs(dy || 1e-9));
  return [node.x + dx * f, node.y + dy * f];
}

function legend(entries) {
  const list = el("div", {class: "samples"}), box = el("details", {class: "legend"}, el("summary", {}, "Legend"), list);
  const samples = entries.filter(Boolean).map(([text, paint]) => {
    const canvas = el("canvas", {width: 88, height: 44, "aria-hidden": "true"});
    list.append(el("span", {}, canvas, text));
    return () => {
      const c = canvas.getContext("2d");
      c.setTransform(1, 0, 0, 1, 0, 0);
      c.clearRect(0, 0, 88, 44);
      c.scale(2, 2);
      paint(c);
    };
  });
  box.repaint = () => samples.forEach(f => f());
  box.repaint();
  if (window.innerWidth > 760) box.open = true;
  return box;
}

// Search by name: entries(text) gives [{text, hint, go}].
function search(placeholder, entries) {
  const hits = el("div", {class: "hits"}),
        input = el("input", {type: "search", placeholder, "aria-label": placeholder, spellcheck: "false"});
  const close = () => fill(hits);
  input.addEventListener("input", () => {
    const text = input.value.trim().toLowerCase();
    if (!text) { close(); return; }
    const found = entries(text).slice(0, 60);
    const hit = f => el("button", {type: "button", onclick: () => { close(); input.value = ""; f.go(); }},
                        el("bdi", {}, middle(f.text, 48)), f.hint ? el("span", {class: "soft"}, "  " + f.hint) : null);
    fill(hits, found.length ? found.map(hit) : el("div", {class: "none"}, "nothing has this name"));
  });
  input.addEventListener("keydown", e => {
    if (e.key === "Escape") { input.value = ""; close(); input.blur(); }
    if (e.key === "Enter" && hits.querySelector("button")) hits.querySelector("button").click();
    if (e.key === "ArrowDown" && hits.querySelector("button")) {
      hits.querySelector("button").focus();
      e.preventDefault();
    }
  });
  hits.addEventListener("keydown", e => {
    const at = document.activeElement, next = e.key === "ArrowDown" ? at.nextElementSibling
      : e.key === "ArrowUp" ? at.previousElementSibling || input : null;
    if (e.key === "Escape") { close(); input.focus(); }
    if (next) { next.focus(); e.preventDefault(); }
  });
  return el("div", {class: "search"}, input, hits);
}

function zoomTools(scene) {
  return [el("button", {class: "icon", type: "button", title: "smaller ( - )", "aria-label": "zoom out",
                        onclick: () => scene.zoom(1 / 1.3)}, "−"),
          el("button", {class: "icon", type: "button", title: "larger ( + )", "aria-label": "zoom in",
                        onclick: () => scene.zoom(1.3)}, "+"),
          el("button", {class: "icon", type: "button", title: "all of it ( f )", "aria-label": "fit the drawing",
                        onclick: () => scene.fit()}, "Fit")];
}
