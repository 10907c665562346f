"use strict";
// The net and its token game. Counts are whole numbers of any size.

class Net {
  constructor(data) {
    Object.assign(this, data);
    this.kinds = {pre: data.pre, post: data.post, read: data.read, inhibit: data.inhibit};
    this.initial = data.initial.map(BigInt);
  }
  placeName(p) { return this.places[p][1] || this.places[p][0]; }
  transitionName(t) { return this.transitions[t][1] || this.transitions[t][0]; }
  // [[place, weight]...]
  *arcs(kind, t) {
    const row = this.kinds[kind][t];
    for (let i = 0; i < row.length; i += 2) yield [row[i], BigInt(row[i + 1])];
  }
  // What keeps t from firing: [] when nothing does.
  obstacles(marking, t) {
    const found = [];
    for (const kind of ["pre", "read"])
      for (const [p, w] of this.arcs(kind, t)) if (marking[p] < w) found.push({place: p, has: marking[p], needs: w});
    for (const [p, w] of this.arcs("inhibit", t))
      if (marking[p] >= w) found.push({place: p, has: marking[p], below: w});
    return found;
  }
  enabled(marking, t) { return this.obstacles(marking, t).length === 0; }
  fire(marking, t) {
    const next = marking.slice();
    for (const [p, w] of this.arcs("pre", t)) next[p] -= w;
    for (const [p, w] of this.arcs("post", t)) next[p] += w;
    return next;
  }
  after(run) { return run.reduce((m, t) => this.fire(m, t), this.initial); }
  markingChips(marking, before) {
    const chips = [];
    let more = 0, came = false, went = false;
    for (let p = 0; p < this.places.length; p++) {
      const has = marking[p], had = before ? before[p] : has;
      if (!has && !had) continue;
      if (chips.length === 400) { more++; continue; }
      const count = has > 1n ? " ×" + has : "", change = has > had ? " plus" : has < had ? has ? "" : " minus" : "";
      const text = this.placeName(p);
      came = came || change === " plus"; went = went || change === " minus";
      chips.push(el("span", {class: "chip" + change + (text.length > 40 ? " long" : ""),
                             title: show(this.places[p][0]).slice(0, 300)}, el("bdi", {}, middle(text, 60)), count));
    }
    if (more) chips.push(el("span", {class: "soft small"}, "and " + more + " more"));
    if (!chips.length) return el("p", {class: "soft"}, "no place is marked");
    const changes = [came && "green: tokens came", went && "struck out: the last token went"].filter(Boolean)
      .join("; ");
    return [el("div", {class: chips.length > 60 ? "chips scroll" : "chips"}, chips),
            changes ? el("p", {class: "soft small"}, "By the last step: " + changes + ".") : null];
  }
  // Programs: what each thread is about to do, and the values; null for nets.
  state(marking) {
    if (!this.placeKinds) return null;
    const threads = [], values = [];
    for (let p = 0; p < this.places.length; p++) {
      if (!marking[p]) continue;
      const text = this.placeName(p), kind = this.placeKinds[p];
      if (kind === "value") values.push(text);
      if (kind !== "state" && kind !== "error" && kind !== "ended") continue;
      const parts = /^(.*?) (?:before |inside |: )?line (\d+)(.*)$/s.exec(text.replace(/^(\S+): line/, "$1 line"));
      threads.push({name: parts ? parts[1] : text.split(" ")[0], line: parts ? Number(parts[2]) : 0, text, kind});
    }
    threads.sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
    return {threads, values};
  }
}

// What keeps a transition from firing, in words.
function obstacleWords(net, obstacles) {
  const has = b => " has " + b.has + (b.below !== undefined ? ", inhibits from " + b.below : " of " + b.needs);
  return obstacles.slice(0, 20).map(
    (b, i) => el("span", {}, i ? ", " : "", name(net.placeName(b.place), 60), has(b)));
}

// At a dead marking: the transitions that are nearest to firing, and what they wait for.
function waiting(net, marking) {
  const asked = t => ["pre", "read", "inhibit"].reduce((n, kind) => n + net.kinds[kind][t].length / 2, 0);
  const all = net.transitions.map((_, t) => ({t, obstacles: net.obstacles(marking, t), asked: asked(t)}));
  const begun = all.filter(n => n.obstacles.length < n.asked), least = Math.min(...begun.map(n => n.obstacles.length));
  const shown = begun.filter(n => n.obstacles.length === least).slice(0, 8);
  if (!shown.length) return null;
  return el("ul", {class: "list small", id: "waiting"}, shown.map(
    n => el("li", {}, name(net.transitionName(n.t), 60), " waits: ", obstacleWords(net, n.obstacles))));
}

// What to say where nothing is enabled: a program whose threads have all ended is no accident.
function ended(state, words) {
  const fine = state && state.threads.every(t => t.kind === "ended");
  return el("div", {class: fine ? "note good" : "note bad"}, fine ? "Every thread has ended." : words);
}

const MOST_DRAWN = 24000;

class NetView {
  constructor(page) {
    this.page = page; this.net = page.net;
    this.marking = this.net.initial; this.history = []; this.chosen = null;
    this.node = el("section", {class: "view", id: "view-net"});
    const stage = el("div", {class: "stage"});
    this.panel = el("aside", {class: "panel", "aria-label": "token game"});
    this.node.append(stage, this.panel);
    this.scene = new Scene(stage, {
      label: "the net; the list beside it says the same", lines: (c, l, s) => this.drawLines(c, l, s),
      boxes: (c, b, s) => this.drawBoxes(c, b, s), click: n => this.click(n)});
    const has = kind => this.net.kinds[kind].some(row => row.length);
    this.legend = legend([
      ["consumes or produces", c => drawArc(c, "flow", [2, 11, 42, 11])],
      has("read") && ["reads, the token stays", c => drawArc(c, "read", [2, 11, 42, 11])],
      has("inhibit") && ["inhibits: not while marked", c => drawArc(c, "inhibit", [2, 11, 42, 11])],
      ["enabled: click fires it", c => { c.fillStyle = colours.accent; roundBox(c, 22, 11, 36, 16, 4); c.fill(); }],
      ["not enabled: click says why", c => {
        c.fillStyle = colours.raised;
        c.strokeStyle = colours.soft;
        roundBox(c, 22, 11, 36, 16, 4);
        c.fill();
        c.stroke();
      }]]);
    this.tools = el("div", {class: "tools"}, search("Find a name", text => this.find(text)), zoomTools(this.scene));
    this.scene.furnish(this.tools, this.legend);
    this.build(null);
    this.scene.first = () => this.scene.open();
    this.update();
  }

  // All of it, or of a large net what lies around one node.
  build(around) {
    const net = this.net, P = net.places.length, T = net.transitions.length;
    let wanted = null;
    if (P + T > MOST_DRAWN) wanted = this.near(around === null ? P : around, 900);
    this.partial = wanted !== null;
    const members = wanted ? [...wanted].sort((a, b) => a - b) : Array.from({length: P + T}, (_, i) => i),
          index = new Map(members.map((m, i) => [m, i]));
    const nodes = members.map(m => {
      if (m < P) {
        const text = middle(net.placeName(m), 18);
        return {place: m, text, round: true, r: 15, w: Math.max(44, Math.min(130, 14 + text.length * 6.6)), h: 52};
      }
      const text = middle(net.transitionName(m - P), 22);
      return {transition: m - P, text, w: Math.max(44, 18 + text.length * 7.1), h: 30};
    });
    const edges = [], pairs = [];
    members.forEach(m => {
      if (m < P) return;
      for (const kind of ["pre", "read", "inhibit", "post"])
        for (const [p, weight] of net.arcs(kind, m - P)) {
          if (!index.has(p)) continue;
          const a = index.get(p), b = index.get(m), back = kind === "post";
          edges.push({kind: kind === "pre" || kind === "post" ? "flow" : kind, from: back ? b : a, to: back ? a : b,
                      weight, pair: 0, loop: kind === "pre" || kind === "post"});
          pairs.push(back ? [b, a] : [a, b]);
        }
    });
    const given = net.positions && members.every(m => net.positions[2 * m] !== null) && members.length > 0;
    if (given) this.placeGiven(nodes, members); else this.placeLayered(nodes, edges, pairs, members);
    this.route(nodes, edges);
    this.byPlace = new Map(); this.byTransition = new Map();
    nodes.forEach(n => n.place !== undefined ? this.byPlace.set(n.place, n) : this.byTransition.set(n.transition, n));
    this.scene.set(nodes, edges);
  }
  near(start, most) {
    const net = this.net, P = net.places.length, found = new Set([start]), queue = [start];
    if (!this.users) {
      this.users = Array.from({length: P}, () => []);
      for (let t = 0; t < net.transitions.length; t++)
        for (const kind of ["pre", "read", "inhibit", "post"])
          for (const [p] of net.arcs(kind, t)) this.users[p].push(P + t);
    }
    for (let i = 0; i < queue.length && found.size < most; i++) {
      const m = queue[i], next = [];
      if (m < P) next.push(...this.users[m].slice(0, 200));
      else for (const kind of ["pre", "read", "inhibit", "post"]) for (const [p] of net.arcs(kind, m - P)) next.push(p);
      for (const k of next) if (!found.has(k) && found.size < most) { found.add(k); queue.push(k); }
    }
    return found;
  }
  // The file's own drawing, spread so that its closest nodes do not overlap.
  placeGiven(nodes, members) {
    const at = members.map(m => [this.net.positions[2 * m], this.net.positions[2 * m + 1]]);
    let closest = Infinity;
    const order = at.map((_, i) => i).sort((a, b) => at[a][0] - at[b][0]);
    for (let i = 0; i < order.length; i++)
      for (let k = i + 1; k < Math.min(order.length, i + 40); k++) {
        const d = Math.max(Math.abs(at[order[i]][0] - at[order[k]][0]), Math.abs(at[order[i]][1] - at[order[k]][1]));
        if (d > 0 && d < closest) closest = d;
      }
    const f = Math.min(6, Math.max(1, 62 / (closest === Infinity ? 62 : closest)));
    nodes.forEach((n, i) => { n.x = at[i][0] * f; n.y = at[i][1] * f; });
  }
  // When each node is first reached by the token game, counting all its causes (a transition comes after the last of
  // its places, a place after the first transition that fills it): what leads on from there is drawn downwards, the
  // rest goes back.
  firstTimes(nodes, edges) {
    const n = nodes.length, time = new Float64Array(n).fill(Infinity), missing = new Int32Array(n),
          out = Array.from({length: n}, () => []), queue = [];
    for (const e of edges) { if (e.kind === "inhibit") continue; out[e.from].push(e.to); missing[e.to]++; }
    const reach = (i, t) => { if (time[i] === Infinity) { time[i] = t; queue.push(i); } };
    nodes.forEach((v, i) => { if (v.place !== undefined && this.net.initial[v.place] > 0n) reach(i, 0); });
    nodes.forEach((v, i) => { if (!missing[i]) reach(i, v.place !== undefined ? 0 : 1); });
    for (let at = 0, next = 0; ; at++) {
      if (at === queue.length) { // what can never happen comes where it would
        while (next < n && time[next] < Infinity) next++;
        if (next === n) return time;
        reach(next, (queue.length ? time[queue[queue.length - 1]] : 0) + 1);
      }
      const i = queue[at];
      for (const k of out[i])
        if (nodes[k].place !== undefined) reach(k, time[i] + 1);
        else if (--missing[k] === 0) reach(k, time[i] + 1);
    }
  }
  placeLayered(nodes, edges, pairs, members) {
    const time = this.firstTimes(nodes, edges),
          layers = findLayers(nodes.length, pairs.filter(([a, b]) => time[a] < time[b]));
    const box = at => [Math.max(...at.x) - Math.min(...at.x), Math.max(...at.y) - Math.min(...at.y)];
    const down = layered(nodes, pairs, {layers, gap: 26, rise: 40});
    let best = down, turned = false;
    if (nodes.length < 4000) { // and from left to right, whichever fills a screen better
      const across = layered(nodes.map(n => ({w: n.h + 6, h: n.w})), pairs, {layers, gap: 20, rise: 54});
      const [w, h] = box(down), [h2, w2] = box(across), fit = (a, b) => Math.min(900 / (a + 100), 640 / (b + 60));
      if (fit(w2, h2) > fit(w, h)) { best = across; turned = true; }
    }
    nodes.forEach((n, i) => { n.x = turned ? best.y[i] : best.x[i]; n.y = turned ? best.x[i] : best.y[i]; });
    edges.forEach((e, i) => { const b = best.bends(i); e.bends = turned ? b.map((_, k) => b[k ^ 1]) : b; });
  }
  // Two lines between the same two nodes (a loop, a read beside a write) bow apart.
  route(nodes, edges) {
    const seen = new Map();
    for (const e of edges) { const key = e.from + " " + e.to; e.twin = seen.get(key) || 0; seen.set(key, e.twin + 1); }
    for (const e of edges) {
      const a = nodes[e.from], b = nodes[e.to],
            many = seen.has(e.to + " " + e.from) || seen.get(e.from + " " + e.to) > 1;
      let middle = e.bends || [];
      if (many) {
        // to the left of its own direction
        const dx = b.x - a.x, dy = b.y - a.y, d = Math.hypot(dx, dy) || 1, side = 16 + 18 * e.twin;
        middle = [(a.x + b.x) / 2 - dy / d * side, (a.y + b.y) / 2 + dx / d * side];
      }
      const first = middle.length ? middle.slice(0, 2) : [b.x, b.y],
            last = middle.length ? middle.slice(-2) : [a.x, a.y];
      e.points = [...border(a, first[0], first[1]), ...middle, ...border(b, last[0], last[1])];
    }
  }

  drawLines(c, lines, scale) {
    if (scale < 0.28) { // far away: one stroke for all
      haze(c, lines, scale,
           [["arc", e => e.kind === "flow"], ["read", e => e.kind === "read"], ["inhibit", e => e.kind === "inhibit"]]);
      return;
    }
    for (const e of lines) {
      drawArc(c, e.kind, e.points, false);
      if (e.weight === 1n) continue;
      const p = e.points, i = p.length === 4 ? 0 : 2 * Math.floor((p.length / 2 - 1) / 2),
            x = p.length === 4 ? (p[0] + p[2]) / 2 : p[i] || p[2],
            y = p.length === 4 ? (p[1] + p[3]) / 2 : p[i + 1] || p[3];
      const text = clip(String(e.weight), 12);
      c.font = "600 12px system-ui, sans-serif";
      c.fillStyle = colours.paper; roundBox(c, x, y, 8 + text.length * 7.4, 16, 4); c.fill();
      c.fillStyle = colours.ink; label(c, text, x, y + 0.5);
    }
  }
  drawBoxes(c, boxes, scale) {
    const near = scale > 0.3;
    if (scale < 0.12) {
      specks(c, boxes, n => n.place === undefined ? this.lit.has(n.transition) ? "accent" : "soft"
        : this.marking[n.place] ? "warn" : "line");
      return;
    }
    for (const n of boxes) {
      const chosen = this.chosen === n;
      if (n.place !== undefined) {
        const tokens = this.marking[n.place], marked = tokens > 0n;
        c.fillStyle = marked ? colours["warn-soft"] : colours.raised;
        c.strokeStyle = chosen ? colours.accent : marked ? colours.warn : colours.soft;
        c.lineWidth = chosen ? 3 : 1.5;
        c.beginPath(); c.arc(n.x, n.y, n.r, 0, 7); c.fill(); c.stroke();
        if (marked) this.drawTokens(c, n, tokens);
        if (near) {
          c.font = "12px system-ui, sans-serif";
          c.fillStyle = colours.soft;
          halo(c, n.text, n.x, n.y + n.r + 10, n.w + 30);
        }
      } else {
        const on = this.lit.has(n.transition);
        c.fillStyle = on ? colours.accent : colours.raised;
        c.strokeStyle = chosen ? colours.ink : on ? colours.accent : colours.soft;
        c.lineWidth = chosen ? 2.5 : 1.3;
        roundBox(c, n.x, n.y, n.w, n.h, 5); c.fill(); c.stroke();
        if (near) {
          c.font = "13px system-ui, sans-serif";
          c.fillStyle = on ? colours["on-accent"] : colours.ink;
          label(c, n.text, n.x, n.y + 0.5, n.w - 6);
        }
      }
    }
  }
  drawTokens(c, n, tokens) {
    c.fillStyle = colours.ink;
    const spots = {1: [[0, 0]], 2: [[-5, 0], [5, 0]], 3: [[0, -5], [-5, 4], [5, 4]],
                   4: [[-5, -5], [5, -5], [-5, 5], [5, 5]],
                   5: [[-6, -6], [6, -6], [0, 0], [-6, 6], [6, 6]]}[String(tokens)];
    if (spots) {
      for (const [dx, dy] of spots) { c.beginPath(); c.arc(n.x + dx, n.y + dy, 3.6, 0, 7); c.fill(); }
      return;
    }
    c.font = "600 12px system-ui, sans-serif";
    label(c, clip(String(tokens), 8), n.x, n.y + 0.5, 26);
  }

  click(n) {
    this.chosen = n;
    if (n && n.transition !== undefined && this.lit.has(n.transition)) this.fire(n.transition);
    else this.update();
  }
  fire(t) {
    if (!this.net.enabled(this.marking, t)) return;
    this.history.push(t);
    this.marking = this.net.fire(this.marking, t);
    this.update();
  }
  goTo(length) {
    this.history.length = Math.min(this.history.length, length);
    this.marking = this.net.after(this.history);
    this.update();
  }
  undo() { if (this.history.length) this.goTo(this.history.length - 1); }
  reset() { this.chosen = null; this.goTo(0); }
  random(k) {
    for (let i = 0; i < k; i++) {
      const on = this.net.transitions.map((_, t) => t).filter(t => this.net.enabled(this.marking, t));
      if (!on.length) break;
      const t = on[Math.floor(Math.random() * on.length)];
      this.history.push(t);
      this.marking = this.net.fire(this.marking, t);
    }
    this.update();
  }
  find(text) {
    const found = [], has = s => s.toLowerCase().includes(text);
    const look = (nodes, hint, first) => nodes.forEach(([id, lab], i) => {
      if (found.length < 60 && (has(id) || lab && has(lab)))
        found.push({text: lab || id, hint, go: () => this.goToNode(first + i)});
    });
    look(this.net.transitions, "transition", this.net.places.length);
    look(this.net.places, "place", 0);
    return found;
  }
  goToNode(m) {
    const P = this.net.places.length, get = () => m < P ? this.byPlace.get(m) : this.byTransition.get(m - P);
    if (!get() || this.partial) this.build(m);
    this.chosen = get();
    this.scene.show(this.chosen, 0.9);
    this.update();
  }

  update() {
    const net = this.net, on = [];
    for (let t = 0; t < net.transitions.length; t++) if (net.enabled(this.marking, t)) on.push(t);
    this.lit = new Set(on);
    const before = this.history.length ? net.after(this.history.slice(0, -1)) : null, state = net.state(this.marking);
    const actions = el("div", {class: "row"},
                       button("Undo", () => this.undo(), {disabled: !this.history.length, title: "u"}),
                       button("Reset", () => this.reset(), {disabled: !this.history.length, title: "r"}),
                       button("Random step", () => this.random(1), {disabled: !on.length}),
                       button("10", () => this.random(10), {disabled: !on.length, "aria-label": "ten random steps"}));
    const choose = t => { this.chosen = this.byTransition.get(t) || null; this.fire(t); };
    const list = el("ul", {class: "list", id: "enabled"}, on.slice(0, 300).map(
      t => el("li", {}, el("button", {type: "button", "data-transition": t, onclick: () => choose(t)},
                           name(net.transitionName(t), 80)))));
    const steps = el("ol", {class: "list", id: "fired"}, this.history.slice(-200).map((t, i) => {
      const number = Math.max(0, this.history.length - 200) + i + 1;
      return el("li", {}, el("button", {type: "button", title: "back to here", onclick: () => this.goTo(number)},
                             el("span", {class: "n"}, String(number)), name(net.transitionName(t), 80)));
    }));
    const accepted = on.length ? null : ended(state, "Nothing is enabled: the net is dead here.");
    if (this.page.sources.length && !this.source) this.source = sourceView(this.page.sources);
    fill(this.panel, this.about(), actions, accepted, on.length ? el("h2", {}, "Enabled: " + on.length) : null,
         on.length ? el("div", {class: on.length > 8 ? "scroll" : ""}, list) : null,
         state ? stateView(state) : null, state && this.source ? [el("h2", {}, "Program"), this.source] : null,
         el("h2", {}, "Marking"), el("div", {id: "marking"}, net.markingChips(this.marking, before)),
         el("h2", {}, "Fired: " + this.history.length),
         this.history.length ? el("div", {class: "scroll"}, steps)
           : el("p", {class: "soft small"},
                "Click an enabled transition, here or in the drawing. Keys: u undo, r reset, / search, f fit."));
    if (this.source && state) this.source.update(state, null);
    const box = this.panel.querySelector("#fired");
    if (box) box.parentNode.scrollTop = box.parentNode.scrollHeight;
    this.scene.redraw();
  }
  about() {
    const n = this.chosen, net = this.net;
    if (this.partial && !n)
      return el("p", {class: "note"}, "This net has " + (net.places.length + net.transitions.length) +
                " nodes; the drawing shows a part. Search for a name to see what lies around it.");
    if (!n) return null;
    const id = n.place !== undefined ? net.places[n.place][0] : net.transitions[n.transition][0],
          text = n.place !== undefined ? net.placeName(n.place) : net.transitionName(n.transition);
    const head = [el("h3", {}, name(text)), id !== text ? el("p", {class: "soft small"}, name(id)) : null];
    if (n.place !== undefined)
      return el("div", {}, head, el("p", {class: "small"}, "Place, " + plural(Number(this.marking[n.place]), "token")));
    const note = net.transitions[n.transition][2], blocked = net.obstacles(this.marking, n.transition);
    return el("div", {id: "why"}, head, note ? el("p", {class: "soft small"}, name(note)) : null,
              blocked.length ? el("div", {class: "note warn"}, "Not enabled: ", obstacleWords(net, blocked)) : null);
  }
  key(e) {
    if (e.key === "u" || e.key === "Backspace") this.undo(); else if (e.key === "r") this.reset(); else return false;
    return true;
  }
  shown() { this.update(); }
  theme() { this.legend.repaint(); this.scene.redraw(); this.update(); }
  // For tests and for the address: which transition to fire, by number.
  open(rest) {
    if (rest) {
      const t = this.net.transitions.findIndex(([id]) => id === rest);
      if (t >= 0) this.goToNode(this.net.places.length + t);
    }
  }
}
