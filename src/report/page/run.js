"use strict";
// A run (story.js): its steps in lanes, joined by what comes before what, and as a sequence to step through.

const HEADS = 32; // pixels that the names of lanes take
const ROW = 46;   // from one row of steps to the next

class RunView {
  constructor(page) {
    this.page = page;
    this.stories = page.data.runs.map(r => r.steps ? new ProgramStory(page, r) : new FiringStory(page, r));
    this.node = el("section", {class: "view", id: "view-run"});
    this.stage = el("div", {class: "stage"});
    this.panel = el("aside", {class: "panel", "aria-label": "the run step by step"});
    this.node.append(this.stage, this.panel);
    this.order = false; this.at = 0;
    this.scene = new Scene(this.stage, {
      label: "the run as a partial order; the list beside it has the steps in sequence",
      keys: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"], hit: n => n.step !== undefined,
      under: (c, s, a, b) => this.drawLanes(c, s, a, b), lines: (c, l) => this.drawLines(c, l),
      boxes: (c, b, s) => this.drawBoxes(c, b, s), over: (c, s, a, b) => this.drawHeads(c, s, a, b),
      click: n => { if (n) this.slider.set(n.step + 1); }});
    const box = (inside, edge) => c => {
      c.fillStyle = colours[inside];
      roundBox(c, 22, 11, 36, 16, 4);
      c.fill();
      if (!edge) return;
      c.strokeStyle = colours[edge];
      c.stroke();
    };
    const before = page.net ? "the later one needs it, or their order matters" : "same thread or same object";
    this.legend = legend([["done", box("accent-soft", "accent")], ["the last one", box("accent")],
                          ["still to come", box("raised", "soft")],
                          ["comes before (" + before + ")", c => drawArc(c, "cause", [2, 11, 42, 11])]]);
    this.orderButton = button("As early as it can", () => {
      this.order = !this.order;
      this.orderButton.setAttribute("aria-pressed", this.order);
      this.layOut();
      this.scene.open();
    }, {"aria-pressed": "false", title: "each step as high as what comes before it allows, instead of one per row"});
    this.chooser = this.stories.length > 1
      ? el("select", {"aria-label": "which run", class: "icon", onchange: e => this.choose(Number(e.target.value))},
           this.stories.map((r, i) => el("option", {value: i}, clip(r.words, 40) + " (" + r.length + ")"))) : null;
    this.scene.furnish(el("div", {class: "tools"}, this.chooser, zoomTools(this.scene), this.orderButton), this.legend);
    this.source = page.sources.length ? sourceView(page.sources) : null;
    this.scene.first = () => this.openDrawing();
    this.choose(0);
  }
  choose(i) {
    this.story = this.stories[i];
    const n = this.story.length;
    this.slider = slider("step of the run", n,
                         k => { this.at = k; this.update(); if (k) this.scene.reveal(this.nodes[k - 1], HEADS); },
                         k => k + " of " + n);
    this.at = n;
    this.layOut();
    this.slider.set(n, true);
    if (this.scene.shown) this.openDrawing();
    this.update();
  }
  // From its beginning when all of it does not fit; a run that ends out of sight shows its end, which is what it is
  // about.
  openDrawing() {
    this.scene.open();
    if (this.nodes.length) this.scene.reveal(this.nodes[Math.max(0, this.at - 1)], HEADS);
  }
  layOut() {
    const story = this.story, depth = [],
          texts = Array.from({length: story.length}, (_, i) => clip(story.short(i), 34)),
          widest = new Array(story.laneNames.length).fill(0);
    texts.forEach((text, i) => { widest[story.lane[i]] = Math.max(widest[story.lane[i]], text.length * 6.8 + 52); });
    const width = widest.map((w, l) => Math.max(90, middle(story.laneNames[l], 24).length * 8 + 20, w)), left = [];
    let x = 0;
    for (let l = 0; l < width.length; l++) { left.push(x); x += width[l] + 26; }
    this.laneBoxes = width.map((w, l) => ({x: left[l], w, name: middle(story.laneNames[l], 24)}));
    this.nodes = texts.map((text, i) => {
      depth.push(this.order ? 1 + Math.max(-1, ...story.causes[i].map(k => depth[k])) : i);
      const lane = story.lane[i];
      return {step: i, text, x: left[lane] + width[lane] / 2, y: 40 + depth[i] * ROW, w: width[lane] - 8, h: 30};
    });
    // two steps of one lane are never beside each other, but a lane of its own may hold two of one depth
    if (this.order) {
      const taken = new Set();
      for (const n of this.nodes) {
        while (taken.has(story.lane[n.step] + " " + n.y)) n.y += ROW;
        taken.add(story.lane[n.step] + " " + n.y);
      }
    }
    const edges = [], rows = new Map();
    for (const n of this.nodes) if (rows.has(n.y)) rows.get(n.y).push(n); else rows.set(n.y, [n]);
    this.nodes.forEach((n, i) => story.causes[i].forEach(
      k => edges.push({kind: "cause", step: i, points: this.route(this.nodes[k], n, rows)})));
    const head = this.laneBoxes.filter(b => b.name).map(b => ({x: b.x + b.w / 2, y: 0, w: b.w, h: 30}));
    this.bottom = this.nodes.reduce((most, n) => Math.max(most, n.y + 30), 60);
    this.scene.set(this.nodes.concat(head), edges);
  }
  // Straight, or where a box is in the way through the gap between rows and the one between lanes: no box is ever
  // there.
  route(from, to, rows) {
    const straight = from.x === to.x ? [from.x, from.y + from.h / 2, to.x, to.y - to.h / 2]
      : [...border(from, to.x, to.y), ...border(to, from.x, from.y)];
    if (to.y <= from.y || !this.blocked(from, to, straight, rows)) return straight;
    const side = to.x > from.x ? -1 : 1, x = to.x + side * (to.w / 2 + 12 + from.step % 3 * 5), y = from.y + ROW / 2,
          out = from.x + (x > from.x ? 1 : -1) * from.w / 4, turn = Math.sign(x - out);
    return [out, from.y + from.h / 2, out, y, x - 8 * turn, y, x, y, x, y + 8, x, to.y - 8, x, to.y,
            to.x + side * to.w / 2, to.y];
  }
  blocked(from, to, [x0, y0, x1, y1], rows) {
    const at = y => x0 + (x1 - x0) * Math.max(0, Math.min(1, (y - y0) / (y1 - y0 || 1)));
    for (let y = from.y; y <= to.y; y += ROW)
      for (const n of rows.get(y) || []) {
        const a = at(y - n.h / 2), b = at(y + n.h / 2);
        if (n !== from && n !== to && Math.max(a, b) > n.x - n.w / 2 && Math.min(a, b) < n.x + n.w / 2) return true;
      }
    return false;
  }
  drawLanes(c, scale, a, b) {
    c.fillStyle = colours.sunk;
    for (const lane of this.laneBoxes) {
      if (lane.x > b.x || lane.x + lane.w < a.x) continue;
      c.beginPath(); c.roundRect(lane.x - 4, -18, lane.w + 8, this.bottom + 14, 8); c.fill();
    }
  }
  // Whose lane it is stays in sight while the lane does; steps pass below it.
  drawHeads(c, scale, a, b) {
    const size = Math.min(40, Math.max(13, 11 / scale)), top = a.y + (this.scene.tools.offsetHeight + 30) / scale;
    this.laneBoxes.forEach((lane, i) => {
      if (!lane.name || lane.x > b.x || lane.x + lane.w < a.x) return;
      const y = Math.min(Math.max(0, top), this.bottom - 20), x = lane.x + lane.w / 2;
      c.font = "600 " + size + "px system-ui, sans-serif";
      c.fillStyle = colours.sunk;
      if (y > 0) c.fillRect(lane.x - 4, a.y, lane.w + 8, y + size - a.y);
      c.fillStyle = this.story.threaded ? series(i) : colours.soft;
      label(c, lane.name, x, y, lane.w);
    });
  }
  drawLines(c, lines) { for (const e of lines) drawArc(c, "cause", e.points, e.step >= this.at); }
  drawBoxes(c, boxes, scale) {
    for (const n of boxes) {
      if (n.step === undefined) continue;
      const last = n.step === this.at - 1, done = n.step < this.at;
      c.fillStyle = last ? colours.accent : done ? colours["accent-soft"] : colours.raised;
      c.strokeStyle = done ? colours.accent : colours.soft;
      c.lineWidth = 1.3;
      roundBox(c, n.x, n.y, n.w, n.h, 5); c.fill(); c.stroke();
      if (scale < 0.3) continue;
      c.font = "10.5px system-ui, sans-serif";
      c.fillStyle = last ? colours["on-accent"] : colours.soft;
      label(c, String(n.step + 1), n.x - n.w / 2 + 7, n.y + 0.5, 30, "left");
      c.font = "13px system-ui, sans-serif";
      c.fillStyle = last ? colours["on-accent"] : colours.ink;
      label(c, n.text, n.x + 8, n.y + 0.5, n.w - 44);
    }
  }
  update() {
    const story = this.story, k = this.at, state = story.state(k), near = [];
    for (let i = Math.max(0, k - 150); i < Math.min(story.length, k + 150); i++) near.push(i);
    const steps = el("ol", {class: "list", id: "steps"}, near.map(i =>
      el("li", {}, el("button", {type: "button", "aria-current": i === k - 1, onclick: () => this.slider.set(i + 1)},
                      el("span", {class: "n"}, String(i + 1)), name(story.name(i), 90)))));
    fill(this.panel, el("h3", {}, story.words.slice(0, 1).toUpperCase() + show(story.words).slice(1, 200)),
         this.slider.node, el("p", {id: "step-name"}, k ? ["after ", name(story.name(k - 1))] : story.start()),
         story.tell(k),
         this.source && state ? [el("h2", {}, "Program"), this.source] : null,
         el("h2", {}, "Sequence"), el("div", {class: "scroll"}, steps),
         el("p", {class: "soft small"}, "Keys: ← → step, Home and End, f fit."));
    if (this.source && state) this.source.update(state, k ? story.laneNames[story.lane[k - 1]] : null);
    const current = this.panel.querySelector('[aria-current="true"]'), box = current && current.closest(".scroll");
    if (box) box.scrollTop = Math.max(0, current.offsetTop - box.offsetTop - 120);
    this.scene.redraw();
  }
  key(e) {
    if (e.key === "ArrowRight" || e.key === "ArrowDown") this.slider.step(1);
    else if (e.key === "ArrowLeft" || e.key === "ArrowUp") this.slider.step(-1);
    else if (e.key === "Home") this.slider.set(0);
    else if (e.key === "End") this.slider.set(this.story.length);
    else return false;
    return true;
  }
  shown() { this.update(); }
  theme() { this.legend.repaint(); this.update(); }
  open(rest) { const k = Number(rest); if (k >= 0) this.slider.set(k); }
}
