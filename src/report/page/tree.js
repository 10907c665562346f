"use strict";
// The executions that the explorers make, one tree per algorithm, side by side at one scale: what one of them saves is what it does not draw.

class TreeView {
  constructor(page) {
    this.page = page; this.net = page.net; this.trees = page.data.trees; this.chosen = null;
    this.node = el("section", {class: "view", id: "view-tree"});
    const stage = el("div", {class: "stage"});
    this.panel = el("aside", {class: "panel", "aria-label": "executions"});
    this.node.append(stage, this.panel);
    this.scene = new Scene(stage, {label: "trees of executions; the table beside them has their figures", hit: n => n.node !== undefined, under: (c, s) => this.drawHeads(c, s), lines: (c, l, s) => this.drawLines(c, l, s), boxes: (c, b, s) => this.drawBoxes(c, b, s), click: n => { this.chosen = n; this.update(); }});
    const dot = colour => c => { c.fillStyle = colours[colour]; c.beginPath(); c.arc(22, 11, 6, 0, 7); c.fill(); };
    this.legend = legend([["a complete execution", dot("good")], ["blocked by its sleep set: wasted", c => this.cross(c, 22, 11, 6)], this.has("cutoff") && ["ended by a cutoff", dot("violet")], this.has("bound") && ["ended by the bound", dot("warn")],
      ["the first choice", c => { c.strokeStyle = colours.arc; c.lineWidth = 1.5; c.beginPath(); c.moveTo(2, 11); c.lineTo(42, 11); c.stroke(); }],
      ["a race reversed (woken up later)", c => { c.strokeStyle = colours.read; c.setLineDash([5, 3]); c.lineWidth = 1.8; c.beginPath(); c.moveTo(2, 11); c.lineTo(42, 11); c.stroke(); c.setLineDash([]); }]]);
    stage.append(el("div", {class: "tools"}, zoomTools(this.scene)), this.legend);
    this.scene.legend = this.legend;
    this.layOut();
    this.scene.first = () => this.scene.fit(null, 1.5);
    this.update();
  }
  has(kind) { return this.trees.some(t => t.leaves[kind]); }
  cross(c, x, y, r) {
    c.strokeStyle = colours.bad; c.lineWidth = 2.4;
    c.beginPath(); c.moveTo(x - r, y - r); c.lineTo(x + r, y + r); c.moveTo(x + r, y - r); c.lineTo(x - r, y + r); c.stroke();
  }
  layOut() {
    const nodes = [], edges = [];
    this.heads = [];
    const words = t => clip(this.net.transitionName(t).replace(/^(.*?): line /s, "$1:"), 16);
    const longest = Math.max(4, ...this.trees.flatMap(tree => tree.label.slice(1, 400).map(t => words(t).length)));
    const leaves = this.trees.reduce((sum, tree) => sum + Object.values(tree.leaves).reduce((a, b) => a + b, 0), 0);
    const width = leaves > 48 ? 26 : Math.max(34, Math.min(150, longest * 6.4 + 14)), rise = 44;
    this.font = leaves > 48 ? 3.4 : 11; // many leaves: shapes first, names when looked at closely
    let x = 0, row = 0, tallest = 0;
    const total = this.trees.reduce((sum, tree) => sum + tidyTree(tree.parent, width, rise).width + 260, 0), line = Math.max(1400, Math.sqrt(total) * 42);
    this.trees.forEach((tree, k) => {
      const at = tidyTree(tree.parent, width, rise), span = Math.max(at.width, 170), height = Math.max(...at.y);
      if (x && x + span > line) { x = 0; row += tallest + 150; tallest = 0; }
      const shift = x + (span - at.width) / 2, first = new Set(), own = [];
      tree.parent.forEach((parent, i) => {
        const n = {tree: k, node: i, x: shift + at.x[i], y: row + 60 + at.y[i], w: 18, h: 18, text: i ? words(tree.label[i]) : "", kind: tree.kind[i]};
        own.push(n);
        nodes.push(n);
        if (parent < 0) return;
        edges.push({points: [own[parent].x, own[parent].y, n.x, n.y], later: first.has(parent), node: n});
        first.add(parent);
      });
      this.heads.push({x: x + span / 2, y: row, w: span, tree});
      nodes.push({x: x + span / 2, y: row, w: span, h: 44});
      tallest = Math.max(tallest, height);
      x += span + 70;
    });
    this.scene.set(nodes, edges);
  }
  figures(tree) {
    const leaves = Object.values(tree.leaves).reduce((a, b) => a + b, 0);
    return {leaves, blocked: tree.leaves.blocked, complete: tree.leaves.maximal, steps: tree.parent.length - 1};
  }
  drawHeads(c, scale) {
    for (const h of this.heads) {
      const f = this.figures(h.tree);
      const size = Math.min(44, Math.max(15, 13 / scale)); // readable from afar
      c.font = "650 " + size + "px system-ui, sans-serif"; c.fillStyle = colours.ink; label(c, h.tree.algorithm, h.x, h.y - size * 0.6, h.w + 60);
      c.font = size * 0.78 + "px system-ui, sans-serif"; c.fillStyle = f.blocked ? colours.bad : colours.soft;
      label(c, plural(f.leaves, "execution") + (f.blocked ? ", " + f.blocked + " wasted" : "") + ", " + plural(f.steps, "step"), h.x, h.y + size * 0.75, h.w + 60);
    }
  }
  path() {
    const path = new Set();
    if (this.chosen) for (let i = this.chosen.node, tree = this.trees[this.chosen.tree]; i >= 0; i = tree.parent[i]) path.add(i);
    return path;
  }
  drawLines(c, lines, scale) {
    const path = this.path(), on = e => this.chosen && e.node.tree === this.chosen.tree && path.has(e.node.node);
    for (const later of [false, true]) {
      c.strokeStyle = later ? colours.read : colours.arc; c.lineWidth = later ? 1.7 : 1.4; c.setLineDash(later ? [5, 3] : []);
      c.beginPath();
      for (const e of lines) if (e.later === later && !on(e)) trace(c, e.points);
      c.stroke();
    }
    c.setLineDash([]);
    c.strokeStyle = colours.accent; c.lineWidth = 3;
    c.beginPath();
    for (const e of lines) if (on(e)) trace(c, e.points);
    c.stroke();
    if (scale * this.font < 5) return;
    c.font = this.font + "px system-ui, sans-serif";
    for (const e of lines) {
      const p = e.points, x = (p[0] + p[2] * 2) / 3, y = (p[1] + p[3] * 2) / 3;
      c.fillStyle = e.later ? colours.read : colours.soft;
      halo(c, e.node.text, x, y);
    }
  }
  drawBoxes(c, boxes, scale) {
    for (const n of boxes) {
      if (n.node === undefined) continue;
      if (n.kind === "blocked") { this.cross(c, n.x, n.y, 5); continue; }
      const leaf = n.kind !== "";
      c.fillStyle = n.kind === "maximal" ? colours.good : n.kind === "cutoff" ? colours.violet : n.kind === "bound" ? colours.warn : colours.arc;
      c.beginPath(); c.arc(n.x, n.y, leaf ? 6 : 3, 0, 7); c.fill();
      if (this.chosen === n) { c.strokeStyle = colours.accent; c.lineWidth = 2; c.beginPath(); c.arc(n.x, n.y, 10, 0, 7); c.stroke(); }
    }
  }
  update() {
    const rows = this.trees.map(tree => {
      const f = this.figures(tree);
      return el("tr", {"data-algorithm": tree.algorithm}, el("td", {}, tree.algorithm), el("td", {}, String(f.complete)), el("td", {}, String(f.blocked)), el("td", {}, String(tree.leftOut ? "> " + f.steps : f.steps)));
    });
    const notes = this.trees.filter(t => t.reason || t.leftOut).map(t => el("p", {class: "soft small"}, el("b", {}, t.algorithm), ": " + [t.reason, t.leftOut ? t.leftOut + " executions are not drawn" : ""].filter(Boolean).join("; ")));
    let detail = el("p", {class: "soft small"}, "Click a node to see the execution that leads to it.");
    if (this.chosen) {
      const tree = this.trees[this.chosen.tree], run = [];
      for (let i = this.chosen.node; tree.parent[i] >= 0; i = tree.parent[i]) run.push(tree.label[i]);
      const words = {maximal: "a complete execution", blocked: "blocked: whatever is enabled was explored before", cutoff: "ended by a cutoff", bound: "ended by the bound", "": "on the way"}[this.chosen.kind];
      detail = el("div", {id: "execution"}, el("h3", {}, tree.algorithm + ", " + plural(run.length, "step")), el("p", {class: "soft small"}, words), el("ol", {class: "list"}, run.reverse().slice(0, 300).map((t, i) => el("li", {class: "row small"}, el("span", {class: "n"}, String(i + 1)), name(this.net.transitionName(t), 90)))));
    }
    fill(this.panel, el("h2", {}, "What each algorithm does"), el("table", {class: "figures", id: "algorithms"}, el("thead", {}, el("tr", {}, ["", "complete", "wasted", "steps"].map(h => el("th", {}, h)))), el("tbody", {}, rows)),
         el("p", {class: "soft small"}, "Executions that begin alike share their beginning. Steps: edges of the tree."), notes, el("h2", {}, "Execution"), detail);
    this.scene.redraw();
  }
  theme() { this.legend.repaint(); this.scene.redraw(); }
}
