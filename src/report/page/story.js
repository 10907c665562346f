"use strict";
// A run as the view of runs needs it: steps with names, lanes, what needs what, and where everything is after k steps.
// Two kinds: firings of a net, and steps of the threads of a C program, which come with their lines and values instead
// of markings.

// {threads: [{name, file, line, text, kind}], values: [text]}, or null where there is only a marking.
class FiringStory {
  constructor(page, run) {
    this.net = page.net;
    this.words = run.words;
    this.run = run.run;
    this.causes = run.causes;
    this.length = run.run.length;
    this.markings = [this.net.initial];
    for (const t of this.run) this.markings.push(this.net.fire(this.markings[this.markings.length - 1], t));
    this.findLanes();
  }
  name(i) { return this.net.transitionName(this.run[i]); }
  short(i) { return this.threaded ? this.name(i).replace(/^.*?: line /s, "") : this.name(i); }
  state(k) { return this.net.state(this.markings[k]); }
  // Threads of a program, else chains of firings that need each other.
  findLanes() {
    const thread = i => (/^(.*?): line \d+/s.exec(this.name(i)) || [])[1];
    const threads = this.run.map((_, i) => this.net.placeKinds ? thread(i) : undefined);
    this.threaded = this.length > 0 && threads.every(x => x !== undefined);
    if (this.threaded) {
      this.laneNames = [...new Set(threads)].sort();
      const number = new Map(this.laneNames.map((x, l) => [x, l]));
      this.lane = threads.map(x => number.get(x));
      return;
    }
    const last = []; // the last firing of each lane
    this.lane = this.run.map((_, i) => {
      let lane = last.findIndex(k => this.causes[i].includes(k));
      if (lane < 0) lane = last.length;
      last[lane] = i;
      return lane;
    });
    this.laneNames = last.map(() => "");
  }
  // What is to be said after k steps.
  tell(k) {
    const net = this.net, marking = this.markings[k], state = this.state(k),
          dead = net.transitions.every((_, t) => !net.enabled(marking, t));
    return [dead ? [ended(state, "Nothing is enabled here."), state ? null : waiting(net, marking)] : null,
            state ? stateView(state)
              : [el("h2", {}, "Marking"),
                 el("div", {id: "marking-run"}, net.markingChips(marking, k ? this.markings[k - 1] : null))]];
  }
  start() { return "the initial marking"; }
}

class ProgramStory {
  constructor(page, run) {
    Object.assign(this, {words: run.words, steps: run.steps, causes: run.causes, ends: run.ends, values: run.values,
                         length: run.steps.length});
    this.threaded = true;
    this.laneNames =
      [...new Set(["main", ...this.steps.map(s => s.thread)])].filter(x => this.steps.some(s => s.thread === x));
    const number = new Map(this.laneNames.map((x, l) => [x, l]));
    this.lane = this.steps.map(s => number.get(s.thread));
  }
  name(i) { const s = this.steps[i]; return s.thread + ": " + (s.line ? s.file + ":" + s.line + ": " : "") + s.words; }
  short(i) { const s = this.steps[i]; return (s.line ? s.line + ": " : "") + s.words; }
  state(k) {
    const started = new Set(["main"]), threads = [];
    for (let i = 0; i < k; i++) if (this.steps[i].starts) started.add(this.steps[i].starts);
    for (const thread of new Set([...this.laneNames, ...started]))
      if (started.has(thread)) threads.push(...this.whereabouts(thread, k));
    return {threads, values: this.valuesAt(k)};
  }
  // Before its next step, at its end, or where the run leaves it.
  whereabouts(thread, k) {
    const next = this.steps.slice(k).find(s => s.thread === thread),
          over = this.steps.slice(0, k).some(s => s.thread === thread && s.operation === "end");
    if (next)
      return [{name: thread, file: next.file, line: next.line || 0, kind: "state",
               text: thread + " before " + (next.line ? next.file + ":" + next.line + ": " : "") + next.words}];
    const ends = this.ends.filter(e => e.thread === thread);
    if (ends.length && k === this.length)
      return ends.map(e => ({name: thread, file: e.file, line: e.line || 0, kind: "error",
                             text: thread + " " + e.words}));
    if (ends.length)
      return [{name: thread, file: ends[0].file, line: ends[0].line || 0, kind: "state",
               text: thread + " on the way to " + (ends[0].line ? ends[0].file + ":" + ends[0].line : "its end")}];
    return [{name: thread, line: 0, kind: over ? "ended" : "state", text: thread + (over ? " ended" : " goes on")}];
  }
  // Variables as the next step on them finds them, or as they are at the end; locks by who took them last.
  valuesAt(k) {
    const found = [], held = new Map();
    for (const object of new Set(this.steps.filter(s => s.value !== undefined).map(s => s.object))) {
      const next = this.steps.slice(k).find(s => s.object === object && s.value !== undefined);
      const value = next ? next.value : this.values[object];
      found.push(object + " = " + (value === undefined ? "?" : value));
    }
    for (const s of this.steps.slice(0, k)) {
      if (/^(lock|lock again|wrlock|wake up from wait)$/.test(s.operation) ||
          (/^try(wr)?lock$/.test(s.operation) && s.write))
        held.set(s.object, s.thread);
      if (/^(unlock|unlock \(writer\)|wait)$/.test(s.operation)) held.delete(s.object);
    }
    for (const [object, thread] of held) found.push(object + " held by " + thread);
    return found;
  }
  tell(k) {
    return [k === this.length ? el("div", {class: "note bad"}, "Here: " + show(this.words)) : null,
            stateView(this.state(k))];
  }
  start() { return "the beginning"; }
}

// The texts of a program with a mark where each thread is; of several files the one that matters is open.
function sourceView(sources) {
  const parts = sources.map(source => {
    const lines = source.text.replace(/\n$/, "").split("\n")
      .map((text, i) => el("span", {class: "l"}, el("i", {}, String(i + 1)), show(text).replace(/\\t/g, "  ")));
    return {file: source.file, lines,
            pre: el("pre", {class: "source", tabindex: 0, "aria-label": "program text"}, lines)};
  });
  const tags = [], chooser = parts.length > 1
    ? el("select", {class: "icon files", "aria-label": "file", onchange: e => choose(parts[Number(e.target.value)])},
         parts.map((p, i) => el("option", {value: i}, clip(p.file, 60))))
    : null;
  const node = el("div", {class: "sources"}, chooser, parts.map(p => p.pre));
  const choose = part => {
    parts.forEach((p, i) => { p.pre.hidden = p !== part; if (p === part && chooser) chooser.value = i; });
  };
  choose(parts[0]);
  node.update = (state, active) => {
    tags.splice(0).forEach(t => { t.parentNode.classList.remove("at"); t.remove(); });
    const beside = new Map(); // the threads of a line stay in sight, however long it is
    let target = null;
    (state ? state.threads : []).forEach((thread, i) => {
      const part = parts.find(p => !thread.file || p.file === thread.file),
            line = part && thread.line ? part.lines[thread.line - 1] : null;
      if (!line) return;
      const tag = el("b", {class: "who"}, clip(thread.name, 24));
      tag.style.background = series(i);
      tag.style.color = colours.paper;
      if (!beside.has(line)) {
        beside.set(line, el("span", {class: "whos"}));
        line.append(beside.get(line));
        line.classList.add("at");
        tags.push(beside.get(line));
      }
      beside.get(line).append(tag);
      if (thread.name === active || !target) target = {part, line};
    });
    if (!target) return;
    choose(target.part);
    const {pre} = target.part, {line} = target;
    if (line.offsetTop < pre.scrollTop || line.offsetTop > pre.scrollTop + pre.clientHeight - 30)
      pre.scrollTop = Math.max(0, line.offsetTop - pre.clientHeight / 2);
  };
  return node;
}

function stateView(state) {
  const threads = state.threads.map((t, i) => {
    const mark = el("span", {class: "n"}, "●");
    mark.style.color = series(i);
    return el("li", {class: "row small thread"}, mark, el("span", {}, name(t.text)));
  });
  const values = state.values.map(v => el("span", {class: "chip"}, el("bdi", {}, clip(v, 60))));
  return [el("h2", {}, "Threads"), el("ul", {class: "list"}, threads), el("h2", {}, "Values"),
          values.length ? el("div", {class: "chips", id: "values"}, values) : el("p", {class: "soft"}, "none")];
}
