"use strict";
// A run: the firings in lanes (threads of a program, else chains of firings that need each other), joined by what needs what, and as a sequence to step through.

class RunView {
  constructor(page) {
    this.page = page; this.net = page.net; this.runs = page.data.runs;
    this.node = el("section", {class: "view", id: "view-run"});
    this.stage = el("div", {class: "stage"});
    this.panel = el("aside", {class: "panel", "aria-label": "the run step by step"});
    this.node.append(this.stage, this.panel);
    this.order = false; this.at = 0;
    this.scene = new Scene(this.stage, {label: "the run as a partial order; the list beside it has the firings in sequence", keys: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
      hit: n => n.step !== undefined, under: (c, s, a, b) => this.drawLanes(c, s, a, b), lines: (c, l) => this.drawLines(c, l), boxes: (c, b, s) => this.drawBoxes(c, b, s), click: n => { if (n) this.slider.set(n.step + 1); }});
    this.legend = legend([["fired", c => { c.fillStyle = colours["accent-soft"]; c.strokeStyle = colours.accent; roundBox(c, 22, 11, 36, 16, 4); c.fill(); c.stroke(); }],
      ["the last one", c => { c.fillStyle = colours.accent; roundBox(c, 22, 11, 36, 16, 4); c.fill(); }],
      ["still to come", c => { c.fillStyle = colours.raised; c.strokeStyle = colours.soft; roundBox(c, 22, 11, 36, 16, 4); c.fill(); c.stroke(); }],
      ["is needed by", c => drawArc(c, "cause", [2, 11, 42, 11])]]);
    this.orderButton = button("As early as it can", () => { this.order = !this.order; this.orderButton.setAttribute("aria-pressed", this.order); this.layOut(); this.scene.open(); }, {"aria-pressed": "false", title: "each firing as high as what it needs allows, instead of one per row"});
    this.chooser = this.runs.length > 1 ? el("select", {"aria-label": "which run", class: "icon", onchange: e => this.choose(Number(e.target.value))}, this.runs.map((r, i) => el("option", {value: i}, clip(r.words, 40) + " (" + r.run.length + ")"))) : null;
    this.scene.furnish(el("div", {class: "tools"}, this.chooser, zoomTools(this.scene), this.orderButton), this.legend);
    this.source = page.program ? sourceView(page.program) : null;
    this.scene.first = () => this.scene.open();
    this.choose(0);
  }
  choose(i) {
    this.run = this.runs[i];
    const steps = this.run.run;
    this.markings = [this.net.initial];
    for (const t of steps) this.markings.push(this.net.fire(this.markings[this.markings.length - 1], t));
    this.findLanes();
    this.slider = slider("step of the run", steps.length, k => { this.at = k; this.update(); if (k) this.scene.reveal(this.nodes[k - 1]); }, k => k + " of " + steps.length);
    this.at = steps.length;
    this.layOut();
    if (this.scene.shown) this.scene.open();
    this.slider.set(steps.length, true);
    this.update();
  }
  findLanes() {
    const names = [], steps = this.run.run;
    this.lane = [];
    const threads = steps.map(t => this.net.placeKinds ? (/^(.*?): line \d+/s.exec(this.net.transitionName(t)) || [])[1] : undefined);
    if (threads.every(x => x !== undefined) && steps.length) {
      threads.forEach(x => { if (!names.includes(x)) names.push(x); });
      names.sort();
      this.lane = threads.map(x => names.indexOf(x));
      this.laneNames = names;
      return;
    }
    const last = []; // the last firing of each lane
    steps.forEach((t, i) => {
      let lane = last.findIndex(k => this.run.causes[i].includes(k));
      if (lane < 0) lane = last.length;
      last[lane] = i;
      this.lane.push(lane);
    });
    this.laneNames = last.map(() => "");
  }
  layOut() {
    const steps = this.run.run, depth = [];
    const texts = steps.map(t => clip(this.net.placeKinds ? this.net.transitionName(t).replace(/^.*?: line /s, "") : this.net.transitionName(t), 34));
    const width = this.laneNames.map((nm, l) => Math.max(90, clip(nm, 24).length * 8 + 20, ...steps.map((_, i) => this.lane[i] === l ? texts[i].length * 6.8 + 52 : 0)));
    const left = [];
    let x = 0;
    for (let l = 0; l < width.length; l++) { left.push(x); x += width[l] + 26; }
    this.laneBoxes = width.map((w, l) => ({x: left[l], w, name: clip(this.laneNames[l], 24)}));
    this.nodes = steps.map((t, i) => {
      depth.push(this.order ? 1 + Math.max(-1, ...this.run.causes[i].map(k => depth[k])) : i);
      const lane = this.lane[i];
      return {step: i, text: texts[i], x: left[lane] + width[lane] / 2, y: 40 + depth[i] * 46, w: width[lane] - 8, h: 30};
    });
    if (this.order) { // two firings of one lane are never beside each other, but a lane of its own may hold two of one depth
      const taken = new Set();
      for (const n of this.nodes) { while (taken.has(this.lane[n.step] + " " + n.y)) n.y += 46; taken.add(this.lane[n.step] + " " + n.y); }
    }
    const edges = [];
    this.nodes.forEach((n, i) => this.run.causes[i].forEach(k => {
      const from = this.nodes[k], straight = this.lane[k] === this.lane[i];
      edges.push({kind: "cause", step: i, points: straight ? [from.x, from.y + from.h / 2, n.x, n.y - n.h / 2] : [...border(from, n.x, n.y), ...border(n, from.x, from.y)]});
    }));
    const head = this.laneBoxes.filter(b => b.name).map(b => ({x: b.x + b.w / 2, y: 0, w: b.w, h: 30}));
    this.bottom = Math.max(60, ...this.nodes.map(n => n.y + 30));
    this.scene.set(this.nodes.concat(head), edges);
  }
  drawLanes(c, scale, a, b) {
    for (const [i, lane] of this.laneBoxes.entries()) {
      c.fillStyle = colours.sunk;
      c.beginPath(); c.roundRect(lane.x - 4, -18, lane.w + 8, this.bottom + 14, 8); c.fill();
      if (!lane.name) continue;
      c.font = "600 13px system-ui, sans-serif"; c.fillStyle = this.net.placeKinds ? series(i) : colours.soft;
      label(c, lane.name, lane.x + lane.w / 2, Math.min(Math.max(0, a.y + 66 / scale), this.bottom - 20), lane.w);
    }
  }
  drawLines(c, lines) { for (const e of lines) drawArc(c, "cause", e.points, e.step >= this.at); }
  drawBoxes(c, boxes, scale) {
    for (const n of boxes) {
      if (n.step === undefined) continue;
      const last = n.step === this.at - 1, done = n.step < this.at;
      c.fillStyle = last ? colours.accent : done ? colours["accent-soft"] : colours.raised; c.strokeStyle = done ? colours.accent : colours.soft; c.lineWidth = 1.3;
      roundBox(c, n.x, n.y, n.w, n.h, 5); c.fill(); c.stroke();
      if (scale < 0.3) continue;
      c.font = "10.5px system-ui, sans-serif"; c.fillStyle = last ? colours["on-accent"] : colours.soft; label(c, String(n.step + 1), n.x - n.w / 2 + 7, n.y + 0.5, 30, "left");
      c.font = "13px system-ui, sans-serif"; c.fillStyle = last ? colours["on-accent"] : colours.ink; label(c, n.text, n.x + 8, n.y + 0.5, n.w - 44);
    }
  }
  update() {
    const net = this.net, k = this.at, marking = this.markings[k], before = k ? this.markings[k - 1] : null, t = k ? this.run.run[k - 1] : -1, state = net.state(marking);
    const dead = net.transitions.every((_, i) => !net.enabled(marking, i));
    const lane = k ? this.laneNames[this.lane[k - 1]] : null;
    const steps = el("ol", {class: "list", id: "steps"}, this.run.run.map((s, i) => i).filter(i => Math.abs(i - k) < 150).map(i =>
      el("li", {}, el("button", {type: "button", "aria-current": i === k - 1, onclick: () => this.slider.set(i + 1)}, el("span", {class: "n"}, String(i + 1)), name(net.transitionName(this.run.run[i]), 90)))));
    fill(this.panel, el("h3", {}, this.run.words.slice(0, 1).toUpperCase() + show(this.run.words).slice(1, 200)), this.slider.node,
         el("p", {id: "step-name"}, k ? ["after ", name(net.transitionName(t))] : "the initial marking"),
         dead ? [ended(state, "Nothing is enabled here."), state ? null : waiting(net, marking)] : null,
         state ? stateView(state) : [el("h2", {}, "Marking"), el("div", {id: "marking-run"}, net.markingChips(marking, before))],
         this.source && state ? [el("h2", {}, "Program"), this.source] : null,
         el("h2", {}, "Sequence"), el("div", {class: "scroll"}, steps),
         el("p", {class: "soft small"}, "Keys: ← → step, Home and End, f fit."));
    if (this.source && state) this.source.update(state, lane);
    const current = this.panel.querySelector('[aria-current="true"]'), box = current && current.closest(".scroll");
    if (box) box.scrollTop = Math.max(0, current.offsetTop - box.offsetTop - 120);
    this.scene.redraw();
  }
  key(e) {
    if (e.key === "ArrowRight" || e.key === "ArrowDown") this.slider.step(1);
    else if (e.key === "ArrowLeft" || e.key === "ArrowUp") this.slider.step(-1);
    else if (e.key === "Home") this.slider.set(0);
    else if (e.key === "End") this.slider.set(this.run.run.length);
    else return false;
    return true;
  }
  shown() { this.update(); }
  theme() { this.legend.repaint(); this.update(); }
  open(rest) { const k = Number(rest); if (k >= 0) this.slider.set(k); }
}
