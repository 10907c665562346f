"use strict";
// The prefix: every event and condition, what an event needs and excludes, configurations that a reader builds.

// A small prefix is drawn whole. Of a larger one the neighbourhood of an event is, and on request a map: every event in
// bands by depth, without conditions, where lines are drawn for the event that is selected only.
const DRAWN_WHOLE = 320, WIDEST_WHOLE = 60, PACE = 30;

class PrefixView {
  constructor(page) {
    this.page = page; this.net = page.net;
    this.u = new Unfolding(page.net, page.data.prefix);
    this.large = this.u.n > DRAWN_WHOLE || this.widest() > WIDEST_WHOLE; this.map = false;
    this.selected = -1;
    this.building = false;
    this.built = new Set();
    this.upTo = this.u.n;
    this.relations = new Map();
    this.history = -1;
    this.node = el("section", {class: "view", id: "view-prefix"});
    const stage = el("div", {class: "stage"});
    this.panel = el("aside", {class: "panel", "aria-label": "event"});
    this.node.append(stage, this.panel);
    this.scene = new Scene(stage, {
      label: "the prefix; search finds events, the panel tells about them",
      hit: n => n.event !== undefined || n.condition !== undefined,
      lines: (c, l, s) => this.drawLines(c, l, s), boxes: (c, b, s) => this.drawBoxes(c, b, s),
      over: (c, s) => this.drawCompanion(c, s), click: n => this.click(n)});
    const box = (look, dash) => c => {
      c.fillStyle = colours[look[0]];
      c.strokeStyle = colours[look[1]];
      c.lineWidth = 1.5;
      c.setLineDash(dash || []);
      roundBox(c, 22, 11, 38, 16, 4);
      c.fill();
      c.stroke();
      c.setLineDash([]);
    };
    const cutoffs = this.u.companion.some(c => c !== -1);
    this.legend = legend([
      ["selected, its past", box(["accent-soft", "accent"])], ["concurrent with it", box(["violet-soft", "violet"])],
      cutoffs && ["cutoff", box(["raised", "soft"], [4, 3])],
      ["pale: in conflict with it, or consumed by its past",
       c => { c.globalAlpha = 0.3; box(["raised", "soft"])(c); c.globalAlpha = 1; }],
      this.u.hasConditions && ["consumes or produces", c => drawArc(c, "flow", [2, 11, 42, 11])],
      this.u.read && ["before or after it, by reading", box(["raised", "read"])],
      this.u.read && ["reads", c => drawArc(c, "read", [2, 11, 42, 11])],
      cutoffs && ["from a cutoff to its companion", c => drawArc(c, "companion", [2, 11, 42, 11])]]);
    this.growth = slider("how the prefix grew", this.u.n,
                         k => { this.upTo = k; this.scene.redraw(); this.updateGrowth(); }, k => k + " of " + this.u.n);
    this.mapButton = this.large ? button("Whole prefix", () => this.toggleMap(), {"aria-pressed": "false", title: "m"})
      : null;
    this.buildButton = button("Build a configuration", () => this.toggleBuilding(),
                              {"aria-pressed": "false", title: "b"});
    this.scene.furnish(el("div", {class: "tools"}, search("Find an event", text => this.find(text)),
                          zoomTools(this.scene), this.mapButton, this.buildButton), this.legend);
    const around = page.data.prefix.around, middle = around >= 0 ? around : 0;
    this.layOut(middle);
    this.scene.first = () => {
      if (around < 0 && !this.large) { this.scene.open(); return; }
      const e = this.selected >= 0 ? this.selected : middle;
      this.scene.scale = 0.9;
      this.select(e);
      this.scene.show(this.eventNode.get(e));
    };
    this.growth.set(this.u.n, true);
    this.update();
  }

  widest() {
    const count = new Map();
    for (const d of this.u.depth) count.set(d, (count.get(d) || 0) + 1);
    return Math.max(0, ...count.values());
  }
  toggleMap() {
    this.map = !this.map;
    this.mapButton.setAttribute("aria-pressed", this.map);
    if (this.map) this.layOutMap(); else this.layOut(Math.max(0, this.selected));
    if (this.map) this.scene.fit(); else this.scene.show(this.eventNode.get(Math.max(0, this.selected)), 0.9);
    this.update();
  }
  // Every event, in rows; a depth begins a new band. The order inside a band is that of causes, so that what belongs
  // together stays near.
  layOutMap() {
    const u = this.u, bands = [], place = new Float64Array(u.n), nodes = [];
    for (let e = 0; e < u.n; e++) (bands[u.depth[e]] = bands[u.depth[e]] || []).push(e);
    const text = e => middle(u.name(e), 14),
          width = Math.min(130, 30 + 7 * Math.max(3, ...u.transition.slice(0, 2000).map((_, e) => text(e).length))),
          step = width + 12, rise = 44;
    const columns = Math.max(8, Math.round(Math.sqrt(u.n * rise / step * 1.7)));
    this.eventNode = new Map(); this.conditionNode = new Map(); this.bands = [];
    let y = 0;
    bands.forEach((band, depth) => {
      for (const e of band)
        place[e] = u.causesOf[e].reduce((sum, c) => sum + place[c], 0) / Math.max(1, u.causesOf[e].length);
      band.sort((a, b) => place[a] - place[b] || a - b);
      this.bands.push({y: y - 34, depth, n: band.length});
      band.forEach((e, i) => {
        place[e] = i / Math.max(1, band.length - 1);
        const n = {event: e, text: text(e), w: width, h: 32, x: (i % columns) * step,
                   y: y + Math.floor(i / columns) * rise};
        this.eventNode.set(e, n);
        nodes.push(n);
      });
      y += Math.ceil(band.length / columns) * rise + 50;
    });
    this.partial = false;
    this.scene.set(nodes, []);
  }
  // All of it, or of a large prefix the neighbourhood of an event.
  layOut(around) {
    const u = this.u;
    this.partial = this.large; this.bands = null;
    const events = this.partial ? this.near(around) : Array.from({length: u.n}, (_, e) => e), nodes = [], edges = [],
          pairs = [], layers = [];
    this.eventNode = new Map(); this.conditionNode = new Map();
    for (const e of events) {
      const text = middle(u.name(e), 20);
      const n = {event: e, text, w: Math.max(52, 24 + text.length * 7 + (this.badge(e) ? 22 : 0)), h: 32,
                 index: nodes.length};
      this.eventNode.set(e, n);
      nodes.push(n);
      layers.push(u.hasConditions ? 2 * u.depth[e] - 1 : u.depth[e] - 1);
    }
    if (u.hasConditions) {
      const add = c => {
        if (this.conditionNode.has(c)) return;
        const text = middle(this.net.placeName(u.place[c]), 16),
              n = {condition: c, text, round: true, r: 11, w: Math.max(32, Math.min(112, 10 + text.length * 6)), h: 42,
                   index: nodes.length};
        this.conditionNode.set(c, n);
        nodes.push(n);
        layers.push(u.producer[c] < 0 ? 0 : 2 * u.depth[u.producer[c]]);
      };
      if (!this.partial) u.place.forEach((_, c) => add(c));
      else
        for (const e of events) {
          u.pre[e].concat(u.reads(e)).forEach(add);
          for (let c = u.post[e]; c < u.post[e + 1]; c++) add(c);
        }
      const join = (kind, a, b, e) => { edges.push({kind, from: a, to: b, event: e}); pairs.push([a.index, b.index]); };
      for (const e of events) {
        for (const c of u.pre[e]) join("flow", this.conditionNode.get(c), this.eventNode.get(e), e);
        for (const c of u.reads(e)) join("read", this.conditionNode.get(c), this.eventNode.get(e), e);
        for (let c = u.post[e]; c < u.post[e + 1]; c++)
          join("flow", this.eventNode.get(e), this.conditionNode.get(c), e);
      }
    } else
      for (const e of events)
        for (const c of u.causesOf[e])
          if (this.eventNode.has(c)) {
            edges.push({kind: "cause", from: this.eventNode.get(c), to: this.eventNode.get(e), event: e});
            pairs.push([this.eventNode.get(c).index, this.eventNode.get(e).index]);
          }
    const at = layered(nodes, pairs, {layers: this.compact(layers), gap: 20, rise: u.hasConditions ? 30 : 50});
    nodes.forEach((n, i) => { n.x = at.x[i]; n.y = at.y[i]; });
    edges.forEach((e, i) => {
      const bends = at.bends(i), first = bends.length ? bends.slice(0, 2) : [e.to.x, e.to.y],
            last = bends.length ? bends.slice(-2) : [e.from.x, e.from.y];
      e.points = [...border(e.from, first[0], first[1]), ...bends, ...border(e.to, last[0], last[1])];
    });
    this.scene.set(nodes, edges);
  }
  compact(layers) {
    const used = [...new Set(layers)].sort((a, b) => a - b), rank = new Map(used.map((l, i) => [l, i]));
    return layers.map(l => rank.get(l));
  }
  // Its causes, its effects, what competes with it, its companion: each within reason.
  near(start) {
    const u = this.u, found = new Set([start]);
    const spread = (most, next) => {
      const queue = [start];
      for (let i = 0, left = most; i < queue.length; i++)
        for (const f of next(queue[i])) {
          if (left <= 0) return;
          if (!queue.includes(f)) { queue.push(f); found.add(f); left--; }
        }
    };
    spread(40, e => u.causesOf[e]);
    spread(14, e => u.effectsOf[e].slice().sort((a, b) => u.depth[a] - u.depth[b] || a - b).slice(0, 5));
    if (u.hasConditions) for (const c of u.pre[start]) u.consumers[c].slice(0, 8).forEach(e => found.add(e));
    if (u.companion[start] >= 0) found.add(u.companion[start]);
    return [...found].sort((a, b) => a - b);
  }
  badge(e) { return this.u.historiesOf && this.u.historiesOf[e].length > 1 ? this.u.historiesOf[e].length : 0; }

  // How an event looks now: pale, in the past, concurrent, part of what is built.
  look(e) {
    if (e >= this.upTo) return "later";
    if (this.building)
      return this.built.has(e) ? "past" : this.nextSet.has(e) ? "next" : this.built.size ? "other" : "plain";
    if (this.selected < 0) return this.shownSet ? this.shownSet.has(e) ? "past" : "other" : "plain";
    if (this.history >= 0) return e === this.selected ? "self" : this.historySet.has(e) ? "past" : "other";
    let r = this.relations.get(e);
    if (r === undefined) {
      if (this.late) return "plain";
      r = this.u.between(this.selected, e);
      this.relations.set(e, r);
      if (this.relations.size % 16 === 0 && performance.now() > this.deadline) this.late = true;
    }
    return {self: "self", cause: "past", effect: "effect", conflict: "conflict", before: "reading", after: "reading",
            concurrent: "concurrent"}[r];
  }
  conditionLook(c) {
    const producer = this.u.producer[c];
    if (producer >= this.upTo) return "later";
    if (this.cutSet)
      return this.cutSet.has(c) ? "marked" : producer < 0 ? "other"
        : this.look(producer) === "past" || this.look(producer) === "self" ? "plain" : "other";
    return producer < 0 ? "plain" : {conflict: "other", later: "later"}[this.look(producer)] || "plain";
  }
  drawLines(c, lines, scale) {
    // what cannot be told in time is told in the next frames
    this.deadline = performance.now() + PACE; this.late = false;
    if (this.bands) this.drawMapLines(c, scale);
    if (scale < 0.3) {
      haze(c, lines, scale, [["arc", e => e.kind !== "read" && e.event < this.upTo],
                             ["read", e => e.kind === "read" && e.event < this.upTo]]);
      return;
    }
    for (const e of lines) {
      const look = this.look(e.event);
      if (look !== "later") drawArc(c, e.kind, e.points, look === "conflict" || look === "other");
    }
  }
  drawBoxes(c, boxes, scale) {
    const near = scale > 0.3,
          fillOf = {plain: "raised", self: "accent", past: "accent-soft", reading: "raised", effect: "raised",
                    concurrent: "violet-soft", next: "warn-soft", conflict: "raised", other: "raised"};
    const edgeOf = {plain: "soft", self: "accent", past: "accent", reading: "read", effect: "soft",
                    concurrent: "violet", next: "warn", conflict: "soft", other: "soft"};
    if (scale < 0.12) {
      const speck = {plain: "soft", self: "accent", past: "accent", reading: "read", effect: "soft",
                     concurrent: "violet", next: "warn", conflict: "line", other: "line"};
      const marked = n => this.cutSet && this.cutSet.has(n.condition) ? "warn" : null;
      specks(c, boxes, n => n.condition !== undefined ? marked(n) : speck[this.look(n.event)] || null);
      return;
    }
    for (const n of boxes) {
      if (n.condition !== undefined) {
        const look = this.conditionLook(n.condition);
        if (look === "later") continue;
        c.globalAlpha = look === "other" ? 0.25 : 1;
        c.fillStyle = look === "marked" ? colours["warn-soft"] : colours.raised;
        c.strokeStyle = look === "marked" ? colours.warn : colours.arc;
        c.lineWidth = 1.3;
        c.beginPath(); c.arc(n.x, n.y, n.r, 0, 7); c.fill(); c.stroke();
        if (look === "marked") { c.fillStyle = colours.ink; c.beginPath(); c.arc(n.x, n.y, 3.4, 0, 7); c.fill(); }
        if (near) {
          c.font = "11px system-ui, sans-serif";
          c.fillStyle = colours.soft;
          halo(c, n.text, n.x, n.y + n.r + 8, n.w + 24);
        }
      } else {
        const look = this.look(n.event);
        if (look === "later") continue;
        const self = look === "self", count = this.badge(n.event);
        c.globalAlpha = look === "conflict" || look === "other" ? 0.25 : 1;
        c.fillStyle = colours[fillOf[look]]; c.strokeStyle = colours[edgeOf[look]]; c.lineWidth = self ? 2.5 : 1.4;
        c.setLineDash(this.u.isCutoff(n.event) ? [5, 4] : []);
        roundBox(c, n.x, n.y, n.w, n.h, 5); c.fill(); c.stroke();
        c.setLineDash([]);
        if (near) {
          c.font = "13px system-ui, sans-serif"; c.fillStyle = self ? colours["on-accent"] : colours.ink;
          label(c, n.text, n.x - (count ? 9 : 0), n.y - 3, n.w - 8);
          c.font = "9.5px system-ui, sans-serif"; c.fillStyle = self ? colours["on-accent"] : colours.soft;
          label(c, "e" + n.event, n.x - (count ? 9 : 0), n.y + 10);
          if (count) {
            c.fillStyle = colours.read;
            roundBox(c, n.x + n.w / 2 - 14, n.y, 22, 16, 8);
            c.fill();
            c.fillStyle = colours.paper;
            c.font = "600 10px system-ui, sans-serif";
            label(c, "×" + count, n.x + n.w / 2 - 14, n.y + 0.5);
          }
        }
      }
    }
    c.globalAlpha = 1;
  }
  drawMapLines(c, scale) {
    c.font = "600 " + Math.min(60, Math.max(13, 11 / scale)) + "px system-ui, sans-serif";
    c.fillStyle = colours.soft;
    c.textBaseline = "bottom";
    c.textAlign = "right";
    for (const band of this.bands) c.fillText(String(band.depth), -90, band.y + 46);
    const past = this.building ? this.built : this.selected < 0 ? null
      : this.history >= 0 ? this.historySet : this.u.smallest(this.selected);
    if (!past || past.size > 2000) return;
    for (const e of past)
      for (const f of this.u.causesOf[e]) {
        const a = this.eventNode.get(f), b = this.eventNode.get(e);
        drawArc(c, "cause", [...border(a, b.x, b.y), ...border(b, a.x, a.y)], false);
      }
  }
  drawCompanion(c) {
    const e = this.selected;
    if (this.late) this.scene.redraw();
    if (e < 0 || this.building) return;
    const draw = (from, to) => {
      const a = this.eventNode.get(from), b = this.eventNode.get(to);
      if (!a || !b || a === b) return;
      const mid = [(a.x + b.x) / 2 + (a.y - b.y) * 0.18, (a.y + b.y) / 2 - (a.x - b.x) * 0.18];
      drawArc(c, "companion", [...border(a, mid[0], mid[1]), ...mid, ...border(b, mid[0], mid[1])], false);
    };
    const other = this.history >= 0 ? this.u.histories.companion[this.history] : -1;
    if (this.history >= 0) { if (other >= 0) draw(e, this.u.histories.event[other]); }
    else if (this.u.companion[e] >= 0) draw(e, this.u.companion[e]);
  }

  click(n) {
    if (!n) { if (!this.building) this.select(-1); return; }
    if (n.condition !== undefined) {
      if (!this.building && this.u.producer[n.condition] >= 0) this.select(this.u.producer[n.condition]);
      return;
    }
    if (this.building) this.toggle(n.event); else this.select(n.event);
  }
  select(e, history = -1) {
    this.selected = e; this.history = history; this.relations.clear(); this.shownSet = null; this.cutSet = null;
    if (e >= 0 && !this.map && (!this.eventNode.has(e) || this.large && !this.building)) {
      this.layOut(e);
      this.scene.show(this.eventNode.get(e), 0.9);
    }
    if (e >= this.upTo) this.growth.set(e + 1);
    if (history >= 0) this.historySet = this.u.localHistory(history);
    if (e >= 0 && this.u.hasConditions) this.cutSet = this.u.cut(history >= 0 ? this.historySet : this.u.smallest(e));
    this.update();
  }
  goTo(e, history) { this.select(e, history); this.scene.reveal(this.eventNode.get(e)); }
  // For a configuration of a large prefix there is the map.
  showAll() { if (this.large && !this.map) this.toggleMap(); }
  find(text) {
    const found = [], number = /^e?(\d+)$/.exec(text);
    if (number && Number(number[1]) < this.u.n)
      found.push({text: "e" + number[1] + "  " + this.u.name(Number(number[1])), go: () => {
        this.goTo(Number(number[1]));
        this.scene.show(this.eventNode.get(Number(number[1])), 0.9);
      }});
    for (let e = 0; e < this.u.n && found.length < 60; e++) {
      const [id, lab] = this.net.transitions[this.u.transition[e]];
      if (id.toLowerCase().includes(text) || lab && lab.toLowerCase().includes(text))
        found.push({text: lab || id, hint: "e" + e, go: () => {
          this.goTo(e);
          this.scene.show(this.eventNode.get(e), 0.9);
        }});
    }
    return found;
  }

  // ---- configurations ----
  toggleBuilding(set) {
    if (!this.building && set === undefined) this.showAll();
    this.building = set !== undefined || !this.building;
    this.built = set || (this.building && this.selected >= 0 ? new Set(this.u.smallest(this.selected)) : new Set());
    this.selected = -1; this.history = -1; this.refused = null; this.shownSet = null;
    this.refreshBuilt();
  }
  toggle(e) {
    this.refused = null;
    if (this.built.has(e)) { // it goes, with all that needs it
      const rest = new Set();
      for (const f of this.u.sorted(this.built)) if (f !== e && this.u.causesOf[f].every(c => rest.has(c))) rest.add(f);
      this.built = rest;
    } else {
      const past = this.u.local(e), union = new Set([...this.built, ...past]);
      if (!this.u.fit(this.built, past) || this.u.read && !this.u.sorted(union)) this.refused = e;
      else this.built = union;
    }
    this.refreshBuilt();
  }
  refreshBuilt() {
    this.nextSet = new Set(this.building ? this.u.next(this.built) : []);
    this.cutSet = this.building && this.u.hasConditions ? this.u.cut(this.built) : null;
    this.buildButton.setAttribute("aria-pressed", this.building);
    this.update();
  }
  jump(run) {
    const set = this.u.embed(run);
    if (!set) {
      this.message = "This prefix does not reach it" +
        (this.u.end === "complete" ? "." : ": it was cut off (" + this.u.end + ").");
      this.update();
      return;
    }
    this.message = null;
    this.showAll();
    this.toggleBuilding(set);
    const nodes = [...set].map(e => this.eventNode.get(e)).filter(Boolean);
    if (nodes.length)
      this.scene.fit({x0: Math.min(...nodes.map(n => n.x - n.w)), x1: Math.max(...nodes.map(n => n.x + n.w)),
                      y0: Math.min(...nodes.map(n => n.y - 80)), y1: Math.max(...nodes.map(n => n.y + 80))});
  }

  // ---- the panel ----
  updateGrowth() {
    if (!this.growthNote) return;
    const last = this.upTo - 1, grows = this.upTo < this.u.n;
    this.growthNote.textContent = !grows ? "" : last < 0 ? "the initial marking"
      : "the last one: e" + last + ", " + middle(this.u.name(last), 40);
  }
  eventChip(e, history) {
    return el("button", {class: "chip", type: "button", "data-event": e, onclick: () => this.goTo(e, history)},
              "e" + e + " ", el("bdi", {}, middle(this.u.name(e), 28)));
  }
  chips(set, most = 60) {
    const list = [...set].sort((a, b) => a - b);
    return el("div", {class: "chips"}, list.slice(0, most).map(e => this.eventChip(e)),
              list.length > most ? el("span", {class: "soft small"}, "and " + (list.length - most) + " more") : null);
  }
  update() {
    const jumps = (this.page.data.runs || []).map(r => button("Jump to " + r.words, () => this.jump(r.run),
                                                              {"data-jump": r.words}));
    if (this.u.goal >= 0) jumps.push(button("Jump to the goal", () => this.goTo(this.u.goal)));
    this.growthNote = el("p", {class: "soft small"});
    const body = this.building ? this.tellConfiguration() : this.selected >= 0 ? this.tellEvent() : this.tellPrefix();
    fill(this.panel, jumps.length ? el("div", {class: "row"}, jumps) : null,
         this.message ? el("div", {class: "note warn"}, this.message) : null, body,
         el("h2", {}, "How it grew, in the order " + this.u.order), this.growth.node, this.growthNote);
    this.updateGrowth();
    this.scene.redraw();
  }
  tellPrefix() {
    const u = this.u, histories = u.histories ? u.histories.n : 0;
    const explained = histories && histories !== u.n
      ? el("div", {class: "note", id: "histories-note"}, plural(histories, "event") + " under ",
           el("b", {}, this.page.data.prefix.relation),
           ", drawn as " + plural(u.n, "box", "boxes") + ": an event that follows readers has a history for each " +
           "set of them that can have come before it. ×2 on a box counts its histories; select it to see them.")
      : null;
    return [el("h3", {},
               plural(this.page.data.prefix.events, "event") + ", " + plural(this.page.data.prefix.cutoffs, "cutoff")),
            el("p", {class: "soft small"}, "relation " + this.page.data.prefix.relation + ", order " + u.order + ", " +
               (u.hasConditions ? plural(u.place.length, "condition") : "without conditions") + ", " +
               (u.end === "complete" ? "complete" : "not complete: " + u.end)),
            explained,
            this.partial
              ? el("div", {class: "note"},
                   "Drawn: " + this.eventNode.size + " events around one of them. Search for an event or select " +
                   "another one to move on; \"Whole prefix\" shows all of them.")
              : null,
            el("p", {class: "soft small"},
               "Select an event to see what it needs and excludes. Keys: / search, b build a configuration, " +
               "← → along the order, f fit.")];
  }
  tellEvent() {
    const u = this.u, e = this.selected, t = u.transition[e], [id, , note] = this.net.transitions[t],
          past = this.history >= 0 ? this.historySet : u.smallest(e), text = u.name(e);
    const parts = [el("h3", {id: "event-name"}, "e" + e + "  ", name(text)),
                   id !== text ? el("p", {class: "soft small"}, name(id)) : null,
                   note ? el("p", {class: "soft small"}, name(note)) : null];
    const companion = this.history >= 0 ? u.histories.companion[this.history] : u.companion[e];
    if (companion !== -1) {
      const target = companion < 0 ? null : this.history >= 0 ? u.histories.event[companion] : companion;
      const by = () => this.eventChip(target, this.history >= 0 ? companion : undefined);
      parts.push(el("div", {class: "note warn", id: "cutoff"}, "Cutoff: ", companion < 0
        ? "its marking is the initial one." : ["its marking was reached before, by ", by()]));
    }
    if (u.historiesOf && u.historiesOf[e].length > 1) {
      const after = names => names.slice(0, 12).join(", ") + (names.length > 12 ? " …" : "") || "nothing";
      const history = h => {
        const before = [...u.localHistory(h)].filter(f => f !== e).sort((a, b) => a - b);
        return el("button", {type: "button", "data-history": h, "aria-current": this.history === h,
                             onclick: () => this.select(e, this.history === h ? -1 : h)},
                  "after " + after(before.map(f => middle(u.name(f), 18))),
                  u.histories.companion[h] !== -1 ? el("span", {class: "soft"}, "cutoff") : null);
      };
      parts.push(el("h2", {}, "Histories: " + u.historiesOf[e].length),
                 el("ul", {class: "list", id: "histories"}, u.historiesOf[e].map(h => el("li", {}, history(h)))));
    }
    parts.push(el("h2", {}, "Marking after its " + (this.history >= 0 ? "history" : "local configuration")),
               el("div", {id: "marking-of-event"}, this.net.markingChips(u.marking(past))),
               el("h2", {}, (this.history >= 0 ? "History: " : "Local configuration: ") + plural(past.size, "event")),
               el("div", {id: "local"}, this.chips(past)),
               el("h2", {}, "Immediate causes"),
               u.causesOf[e].length ? el("div", {id: "causes"}, this.chips(this.immediate(e)))
                 : el("p", {class: "soft", id: "causes"}, "none"));
    parts.push(el("div", {class: "row"}, button("Build on from here", () => this.toggleBuilding())));
    const state = this.net.state(u.marking(past));
    if (state) {
      parts.push(stateView(state));
      if (this.page.sources.length) {
        this.source = this.source || sourceView(this.page.sources);
        parts.push(el("h2", {}, "Program"), this.source);
        setTimeout(() => this.source.update(state, null));
      }
    }
    return parts;
  }
  immediate(e) { return new Set(this.u.causesOf[e]); }
  tellConfiguration() {
    const u = this.u, marking = u.marking(this.built);
    const dead = !u.next(this.built).length && this.net.transitions.every((_, t) => !this.net.enabled(marking, t));
    const chip = e => el("button", {class: "chip", type: "button", "data-event": e, onclick: () => this.toggle(e)},
                         "e" + e + " ", el("bdi", {}, middle(u.name(e), 28)));
    const parts = [el("h3", {}, "Configuration of " + plural(this.built.size, "event"))];
    if (this.refused !== null && this.refused !== undefined)
      parts.push(el("div", {class: "note bad", id: "refused"}, this.eventChip(this.refused),
                    " is in conflict with it."));
    if (dead) parts.push(el("div", {class: "note bad", id: "dead"}, "Nothing is enabled at its marking: a dead end."));
    parts.push(el("p", {class: "soft small"},
                  "Click events to add them with their causes, or to take them away with their effects."),
               el("h2", {}, "Marking it reaches"), el("div", {id: "marking-built"}, this.net.markingChips(marking)));
    if (this.nextSet.size)
      parts.push(el("h2", {}, "Possible next: " + this.nextSet.size),
                 el("div", {class: "chips", id: "next"}, [...this.nextSet].slice(0, 40).map(chip)));
    parts.push(el("h2", {}, "Its events"),
               el("div", {class: "chips", id: "built"}, [...this.built].sort((a, b) => a - b).slice(0, 80).map(chip)),
               el("div", {class: "row"}, button("Clear", () => { this.built = new Set(); this.refreshBuilt(); }),
                  button("Done", () => this.toggleBuilding())));
    return parts;
  }
  key(e) {
    if (e.key === "b") this.toggleBuilding();
    else if (e.key === "m" && this.large) this.toggleMap();
    else if (e.key === "ArrowRight" || e.key === "ArrowLeft") this.growth.step(e.key === "ArrowRight" ? 1 : -1);
    else if (e.key === "Escape") { if (this.building) this.toggleBuilding(); else this.select(-1); }
    else return false;
    return true;
  }
  theme() { this.legend.repaint(); this.scene.redraw(); }
  open(rest) {
    const e = Number(rest.replace(/^e/, ""));
    if (e >= 0 && e < this.u.n) { this.goTo(e); this.scene.show(this.eventNode.get(e)); }
  }
}
