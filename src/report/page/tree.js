"use strict";
// The executions that the explorers make, one tree per algorithm, side by side at one scale: what one of them saves is
// what it does not draw.

const LEAVES = {
  maximal: {words: "a complete execution", colour: "good"},
  deadlock: {words: "a complete execution that ends in a deadlock", colour: "bad"},
  failure: {words: "an execution in which something goes wrong", colour: "bad"},
  blocked: {words: "blocked by its sleep set: whatever is enabled was explored before, the work is wasted",
            colour: "soft"},
  cutoff: {words: "ended by a cutoff", colour: "violet"},
  bound: {words: "ended by the bound", colour: "warn"},
  waiting: {words: "waits in the middle of a loop; the other executions have it begin the turn later", colour: "soft"},
  stuck: {words: "waits for ever: nothing can happen but turns of loops that wait", colour: "bad"},
};

const MOST_DASHED = 2000; // far away, where dashes are as long as lines are far apart, they take time

class TreeView {
  constructor(page) {
    this.page = page; this.trees = page.data.trees; this.chosen = null;
    this.words = page.data.labels ? s => page.data.labels[s] : t => page.net.transitionName(t);
    this.drawn = new Set(this.firstPair());
    this.node = el("section", {class: "view", id: "view-tree"});
    const stage = el("div", {class: "stage"});
    this.panel = el("aside", {class: "panel", "aria-label": "executions"});
    this.node.append(stage, this.panel);
    this.scene = new Scene(stage, {
      label: "trees of executions; the table beside them has their figures",
      keys: ["ArrowLeft", "ArrowRight"], hit: n => n.node !== undefined,
      under: (c, s) => this.drawHeads(c, s), lines: (c, l, s) => this.drawLines(c, l, s),
      boxes: (c, b, s) => this.drawBoxes(c, b, s), click: n => this.choose(n)});
    const leaf = (kind, text) => this.has(kind) && [text, c => this.drawLeaf(c, kind, 22, 11)];
    const line = (colour, dash) => c => {
      c.strokeStyle = colours[colour];
      c.setLineDash(dash);
      c.lineWidth = 1.7;
      c.beginPath();
      c.moveTo(2, 11);
      c.lineTo(42, 11);
      c.stroke();
      c.setLineDash([]);
    };
    this.legend = legend([
      leaf("maximal", "complete"), leaf("deadlock", "complete, a deadlock"), leaf("failure", "something goes wrong"),
      leaf("blocked", "blocked by its sleep set: wasted"), leaf("cutoff", "ended by a cutoff"),
      leaf("bound", "ended by the bound"), leaf("waiting", "waits in a loop"), leaf("stuck", "waits for ever"),
      ["the first choice", line("arc", [])], ["a race reversed (woken up later)", line("read", [5, 3])]]);
    const grown = this.grown();
    const picker = k => button(this.trees[k].algorithm, () => this.toggle(k),
                               {"data-show": k, title: "show or hide its tree"});
    this.pickers = grown.length > 1 ? grown.map(picker) : [];
    const group = {class: "pickers", role: "group", "aria-label": "trees shown"};
    this.scene.furnish(el("div", {class: "tools"}, zoomTools(this.scene),
                          this.pickers.length ? el("div", group, this.pickers) : null), this.legend);
    this.scene.first = () => { this.layOut(); this.scene.fit(null, 1.5); };
    this.update();
  }
  has(kind) { return this.trees.some(t => t.kind.includes(kind)); }
  figures(tree) {
    const leaves = Object.values(tree.leaves).reduce((a, b) => a + b, 0);
    return {leaves, blocked: tree.leaves.blocked, complete: tree.leaves.maximal, steps: tree.parent.length - 1};
  }
  grown() { return this.trees.map((_, k) => k).filter(k => this.trees[k].parent.length > 1); }
  // All of them while they are few and small; else the one that the command is about beside the one that makes the most
  // executions, or the fewest if it is itself that one.
  firstPair() {
    const all = this.grown(), leaves = k => this.figures(this.trees[k]).leaves;
    if (all.length < 3 || all.reduce((sum, k) => sum + leaves(k), 0) <= 16) return all;
    const most = all.reduce((a, b) => leaves(b) > leaves(a) ? b : a),
          fewest = all.reduce((a, b) => leaves(b) < leaves(a) ? b : a);
    return [all[0], most !== all[0] ? most : fewest !== all[0] ? fewest : all[1]];
  }
  toggle(k) {
    if (this.drawn.has(k)) this.drawn.delete(k); else this.drawn.add(k);
    if (!this.drawn.size) this.drawn.add(k);
    if (this.chosen && !this.drawn.has(this.chosen.tree)) this.chosen = null;
    this.layOut();
    this.scene.fit(null, 1.5);
    this.update();
  }
  choose(n) { this.chosen = n && n.node !== undefined ? n : null; this.update(); }

  // A step after which there was a choice, or that ends the execution, gets room; steps with no choice follow closely.
  place(tree, width) {
    const children = new Int32Array(tree.parent.length);
    for (let i = 1; i < tree.parent.length; i++) children[tree.parent[i]]++;
    return tidyTree(tree.parent, width, i => children[tree.parent[i]] > 1 || !children[i] ? 44 : 17);
  }
  // In so many columns that the trees are as large as they can be on this screen.
  layOut() {
    const shown = this.trees.map((tree, k) => ({tree, k})).filter(({k}) => this.drawn.has(k));
    const leaves = shown.reduce((sum, {tree}) => sum + this.figures(tree).leaves, 0),
          room = [Math.max(1, (this.scene.width || 900) - 48), Math.max(1, (this.scene.height || 600) - 120)];
    const longest = most =>
      Math.max(4, ...shown.flatMap(({tree}) => tree.label.slice(1, 400).map(t => words(t, most).length)));
    const words = (t, most) =>
      clip(this.words(t).replace(/^(.*?): line /s, "$1:").replace(/^(\S+) \S+?:(\d+) /, "$1:$2 "), most);
    // many: shapes first, names when looked at closely
    const most = leaves > 10 ? 22 : 32, named = Math.max(34, longest(most) * 6 + 26),
          many = leaves * named > 2.5 * room[0];
    const width = many ? 26 : named;
    this.font = many ? 3 : 11;
    for (const s of shown) {
      s.at = this.place(s.tree, width);
      s.w = Math.max(s.at.width + width, 170);
      s.h = Math.max(...s.at.y) + 150;
    }
    let best = null;
    for (let columns = 1; columns <= shown.length; columns++) {
      const rows = [];
      shown.forEach((s, i) => { if (i % columns === 0) rows.push([]); rows[rows.length - 1].push(s); });
      const w = Math.max(...rows.map(r => r.reduce((sum, s) => sum + s.w + 60, 0))),
            h = rows.reduce((sum, r) => sum + Math.max(...r.map(s => s.h)), 0);
      const scale = Math.min(room[0] / w, room[1] / h, 1.5);
      if (!best || scale > best.scale * 1.05) best = {rows, scale};
    }
    const nodes = [], edges = [];
    this.heads = [];
    const span = row => row.reduce((sum, s) => sum + s.w + 60, -60), widest = Math.max(...best.rows.map(span));
    let y = 0;
    for (const row of best.rows) {
      let x = (widest - span(row)) / 2;
      for (const {tree, k, at, w} of row) {
        this.enter(nodes, edges, tree, k, at, x + (w - at.width - width) / 2 + 10, y, t => words(t, many ? 12 : most));
        this.heads.push({x: x + w / 2, y, w, tree});
        nodes.push({x: x + w / 2, y, w, h: 54});
        x += w + 60;
      }
      y += Math.max(...row.map(s => s.h));
    }
    this.scene.set(nodes, edges);
  }
  enter(nodes, edges, tree, k, at, x, y, words) {
    const first = new Set(), own = [];
    tree.parent.forEach((parent, i) => {
      const n = {tree: k, node: i, x: x + at.x[i], y: y + 64 + at.y[i], w: 16, h: 16,
                 text: i ? words(tree.label[i]) : "", kind: tree.kind[i]};
      own.push(n);
      nodes.push(n);
      if (parent < 0) return;
      edges.push({points: [own[parent].x, own[parent].y, n.x, n.y], later: first.has(parent), node: n});
      first.add(parent);
    });
  }

  drawHeads(c, scale) {
    for (const h of this.heads) {
      const f = this.figures(h.tree), size = Math.min(44, Math.max(15, 13 / scale)); // readable from afar
      c.font = "650 " + size + "px system-ui, sans-serif";
      c.fillStyle = colours.ink;
      label(c, h.tree.algorithm, h.x, h.y - size * 0.6, h.w + 36);
      c.font = size * 0.78 + "px system-ui, sans-serif"; c.fillStyle = f.blocked ? colours.bad : colours.soft;
      label(c, plural(f.leaves, "execution") + (f.blocked ? ", " + f.blocked + " wasted" : "") + ", " +
            plural(f.steps, "step"), h.x, h.y + size * 0.75, h.w + 36);
    }
  }
  path() {
    const path = new Set();
    if (this.chosen)
      for (let i = this.chosen.node, tree = this.trees[this.chosen.tree]; i >= 0; i = tree.parent[i]) path.add(i);
    return path;
  }
  drawLines(c, lines, scale) {
    const path = this.path(), on = e => this.chosen && e.node.tree === this.chosen.tree && path.has(e.node.node);
    for (const later of [false, true]) {
      c.strokeStyle = later ? colours.read : colours.arc;
      c.lineWidth = Math.max(later ? 1.7 : 1.4, 0.8 / scale);
      const dashed = later && (scale > 0.4 || lines.length < MOST_DASHED);
      c.setLineDash(dashed ? [5, 3].map(d => d * Math.max(1, 0.5 / scale)) : []);
      c.beginPath();
      for (const e of lines) if (e.later === later && !on(e)) trace(c, e.points);
      c.stroke();
    }
    c.setLineDash([]);
    c.strokeStyle = colours.accent; c.lineWidth = Math.max(3, 2 / scale);
    c.beginPath();
    for (const e of lines) if (on(e)) trace(c, e.points);
    c.stroke();
    if (scale * this.font < 5) return;
    c.font = this.font + "px system-ui, sans-serif";
    for (const e of lines) {
      c.fillStyle = e.later ? colours.read : colours.soft;
      halo(c, e.node.text, e.node.x + (this.font > 9 ? 10 : 4), e.node.y, undefined, "left");
    }
  }
  // A deadlock is a square: colours are not all that tells it.
  drawLeaf(c, kind, x, y, grown = 1) {
    const r = 6 * grown;
    if (kind === "blocked") {
      c.strokeStyle = colours.bad; c.lineWidth = 2.4 * grown;
      c.beginPath();
      c.moveTo(x - r, y - r);
      c.lineTo(x + r, y + r);
      c.moveTo(x + r, y - r);
      c.lineTo(x - r, y + r);
      c.stroke();
      return;
    }
    c.fillStyle = colours[LEAVES[kind] ? LEAVES[kind].colour : "arc"];
    if (kind === "deadlock") { roundBox(c, x, y, 2 * r, 2 * r, 1); c.fill(); return; }
    if (kind === "failure") {
      c.beginPath();
      c.moveTo(x, y - 1.3 * r);
      c.lineTo(x + 1.3 * r, y);
      c.lineTo(x, y + 1.3 * r);
      c.lineTo(x - 1.3 * r, y);
      c.fill();
      return;
    }
    c.beginPath(); c.arc(x, y, kind ? r : r / 2, 0, 7); c.fill();
  }
  drawBoxes(c, boxes, scale) {
    const grown = Math.min(1.9, Math.max(1, 0.4 / scale));
    for (const n of boxes) {
      if (n.node === undefined || (!n.kind && scale < 0.25)) continue;
      this.drawLeaf(c, n.kind, n.x, n.y, n.kind ? grown : 1);
      if (this.chosen === n) {
        c.strokeStyle = colours.accent;
        c.lineWidth = 2;
        c.beginPath();
        c.arc(n.x, n.y, 11 * grown, 0, 7);
        c.stroke();
      }
    }
  }

  // A column per algorithm; what was stopped counted at least so much.
  table() {
    const figures = [["complete", t => t.leaves.maximal], ["wasted", t => t.leaves.blocked],
                     ["deadlocks", t => t.deadlocks], ["events", t => t.events], ["nodes", t => t.nodes],
                     ["drawn", t => t.parent.length - 1]];
    const least = (t, what) => what === "drawn" ? t.leftOut : t.reason && what !== "wasted";
    const cell = (t, what, n) =>
      el("td", {"data-algorithm": t.algorithm, "data-figure": what},
         n === -1 || t.parent.length === 1 ? "–" : least(t, what) ? "≥ " + n : String(n));
    const rows = figures.filter(([, value]) => this.trees.some(t => value(t) !== -1)).map(
      ([what, value]) => el("tr", {}, el("td", {}, what), this.trees.map(t => cell(t, what, value(t)))));
    const head = el("tr", {}, el("th", {}, ""), this.trees.map(t => el("th", {}, t.algorithm)));
    return el("div", {class: "across"}, el("table", {class: "figures", id: "algorithms"}, el("thead", {}, head),
                                           el("tbody", {}, rows)));
  }
  // Why some did not come to an end, each reason once.
  notes() {
    const whose = new Map();
    for (const t of this.trees) {
      const leftOut = t.leftOut ? plural(t.leftOut, "execution is", "executions are") + " not drawn" : "";
      const why = [t.reason, leftOut].filter(Boolean).join("; ");
      if (why) whose.set(why, (whose.get(why) || []).concat(t.algorithm));
    }
    return [...whose].map(
      ([why, names]) => el("p", {class: "soft small"}, el("b", {}, names.join(", ")), ": " + show(why)));
  }
  tellExecution() {
    if (!this.chosen)
      return el("p", {class: "soft small"},
                "Click a node to see the execution that leads to it; ← → go from leaf to leaf.");
    const tree = this.trees[this.chosen.tree], run = [];
    for (let i = this.chosen.node; tree.parent[i] >= 0; i = tree.parent[i]) run.push(tree.label[i]);
    const words = LEAVES[this.chosen.kind] ? LEAVES[this.chosen.kind].words : "on the way";
    const steps = run.reverse().slice(0, 300).map(
      (t, i) => el("li", {class: "row small step"}, el("span", {class: "n"}, String(i + 1)), name(this.words(t), 90)));
    return el("div", {id: "execution"}, el("h3", {}, tree.algorithm + ", " + plural(run.length, "step")),
              el("p", {class: "soft small"}, words), el("ol", {class: "list"}, steps));
  }
  update() {
    for (const b of this.pickers) b.setAttribute("aria-pressed", this.drawn.has(Number(b.dataset.show)));
    fill(this.panel, el("h2", {}, "What each algorithm does"), this.table(),
         el("p", {class: "soft small"},
            "Executions that begin alike share their beginning. Nodes: of the search; drawn: steps of the tree.",
            this.pickers.length ? " The names above the drawing choose whose trees are side by side." : ""),
         this.notes(), el("h2", {}, "Execution"), this.tellExecution());
    this.scene.redraw();
  }
  key(e) {
    const by = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
    if (e.key === "Escape") this.choose(null);
    if (!by) return e.key === "Escape";
    const leaves = this.scene.nodes.filter(n => n.kind), at = leaves.indexOf(this.chosen);
    if (!leaves.length) return false;
    this.choose(leaves[at < 0 ? by > 0 ? 0 : leaves.length - 1 : (at + by + leaves.length) % leaves.length]);
    this.scene.reveal(this.chosen);
    return true;
  }
  // #tree/sleep,odpor
  open(rest) {
    const wanted = rest.split(","), found = this.grown().filter(k => wanted.includes(this.trees[k].algorithm));
    if (!found.length) return;
    this.drawn = new Set(found);
    if (this.scene.shown) { this.layOut(); this.scene.fit(null, 1.5); }
    this.update();
  }
  theme() { this.legend.repaint(); this.scene.redraw(); }
}
