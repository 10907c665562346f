"use strict";
// A prefix as sets of events: local configurations, conflict, concurrency, markings, histories. Three kinds come in one
// form: with conditions (classic), with conditions and read arcs whose events have histories (read-aware), and with
// causes alone (any relation).
//
// With conditions, a set of events is a configuration iff it holds all causes (who produced what is consumed or read),
// no condition is consumed twice, and "reader before consumer" together with causality has no cycle. With causes alone
// two sets fit together iff no event of the one that the other lacks depends on an event of the other that the first
// lacks.

class Unfolding {
  constructor(net, data) {
    Object.assign(this, data);
    this.net = net;
    this.n = data.transition.length;
    this.hasConditions = !!data.pre;
    this.causesOf = new Array(this.n);
    for (let e = 0; e < this.n; e++) this.causesOf[e] = data.causes ? data.causes[e] : this.producers(e);
    this.effectsOf = Array.from({length: this.n}, () => []);
    for (let e = 0; e < this.n; e++) for (const c of this.causesOf[e]) this.effectsOf[c].push(e);
    if (data.dependent) this.dependsOn = data.dependent.map(row => new Set(row));
    if (this.hasConditions) {
      this.consumers = Array.from({length: data.place.length}, () => []);
      this.readers = Array.from({length: data.place.length}, () => []);
      for (let e = 0; e < this.n; e++) {
        for (const c of data.pre[e]) this.consumers[c].push(e);
        for (const c of this.reads(e)) this.readers[c].push(e);
      }
    }
    this.locals = new Map();
    if (data.histories) {
      this.historiesOf = Array.from({length: this.n}, () => []);
      data.histories.event.forEach((e, h) => this.historiesOf[e].push(h));
    }
  }
  reads(e) { return this.read ? this.read[e] : []; }
  producers(e) {
    const found = new Set();
    for (const c of this.pre[e].concat(this.reads(e))) if (this.producer[c] >= 0) found.add(this.producer[c]);
    return [...found].sort((a, b) => a - b);
  }
  isCutoff(e) { return this.companion[e] !== -1; }
  name(e) { return this.net.transitionName(this.transition[e]); }

  // The events with all their causes.
  closure(events) {
    const found = new Set(events), stack = [...events];
    while (stack.length) for (const c of this.causesOf[stack.pop()]) if (!found.has(c)) { found.add(c); stack.push(c); }
    return found;
  }
  local(e) {
    let found = this.locals.get(e);
    if (!found) {
      if (this.locals.size > 3000) this.locals.clear();
      found = this.closure([e]);
      this.locals.set(e, found);
    }
    return found;
  }
  // The events of a history, by the histories that it needs.
  localHistory(h) {
    const found = new Set([h]), stack = [h];
    while (stack.length)
      for (const c of this.histories.causes[stack.pop()]) if (!found.has(c)) { found.add(c); stack.push(c); }
    return new Set([...found].map(k => this.histories.event[k]));
  }
  // The smallest set that e can be the last event of: where there are histories, the first of them.
  smallest(e) {
    return this.historiesOf && this.historiesOf[e].length ? this.localHistory(this.historiesOf[e][0]) : this.local(e);
  }

  // Every event after what must come before it; null when that has a cycle. Of a set closed under causes.
  sorted(set) {
    const before = new Map(), after = new Map();
    for (const e of set) { before.set(e, 0); after.set(e, []); }
    const join = (a, b) => { before.set(b, before.get(b) + 1); after.get(a).push(b); };
    for (const e of set) {
      for (const c of this.causesOf[e]) join(c, e);
      if (this.read)
        for (const c of this.pre[e]) for (const r of this.readers[c]) if (r !== e && set.has(r)) join(r, e);
    }
    const ready = [...set].filter(e => !before.get(e)).sort((a, b) => b - a), order = [];
    while (ready.length) {
      const e = ready.pop();
      order.push(e);
      for (const f of after.get(e)) { before.set(f, before.get(f) - 1); if (!before.get(f)) ready.push(f); }
    }
    return order.length === set.size ? order : null;
  }
  fit(a, b) { // may both happen? both closed under causes
    if (!this.hasConditions) {
      const onlyA = [...a].filter(e => !b.has(e)), onlyB = [...b].filter(e => !a.has(e));
      const labels = new Set(onlyB.map(e => this.transition[e]));
      for (const e of onlyA) {
        const row = this.dependsOn[this.transition[e]];
        for (const t of labels) if (row.has(t)) return false;
      }
      return true;
    }
    const [small, large] = a.size < b.size ? [a, b] : [b, a];
    for (const e of small) {
      if (large.has(e)) continue;
      for (const c of this.pre[e]) for (const f of this.consumers[c]) if (f !== e && large.has(f)) return false;
    }
    return !this.read || this.sorted(new Set([...a, ...b])) !== null;
  }
  // What f is to e: "self", "cause", "effect", "conflict", "before" or "after" (if both happen, by reading),
  // "concurrent".
  between(e, f) {
    if (e === f) return "self";
    const a = this.local(e), b = this.local(f);
    if (a.has(f)) return "cause";
    if (b.has(e)) return "effect";
    if (!this.fit(a, b)) return "conflict";
    if (this.read) {
      for (const c of this.pre[f]) if (this.reads(e).includes(c)) return "after";
      for (const c of this.pre[e]) if (this.reads(f).includes(c)) return "before";
    }
    return "concurrent";
  }
  // The marking that a set of events leads to, as counts.
  marking(set) {
    const marking = this.net.initial.slice();
    for (const e of set) {
      for (const [p, w] of this.net.arcs("pre", this.transition[e])) marking[p] -= w;
      for (const [p, w] of this.net.arcs("post", this.transition[e])) marking[p] += w;
    }
    return marking;
  }
  // The conditions that are marked after a configuration.
  cut(set) {
    const marked = new Set();
    this.producer.forEach((e, c) => { if (e < 0 || set.has(e)) marked.add(c); });
    for (const e of set) for (const c of this.pre[e]) marked.delete(c);
    return marked;
  }
  // The events that can come next.
  next(set) {
    const found = [];
    for (let e = 0; e < this.n; e++)
      if (!set.has(e) && this.causesOf[e].every(c => set.has(c)) && this.fit(set, this.local(e)) &&
          this.canExtend(set, e))
        found.push(e);
    return found;
  }
  // Nothing of the set may have to come after e: a reader of e's own preset is fine, a consumer of what e reads is not.
  canExtend(set, e) { return !this.read || !this.reads(e).some(c => this.consumers[c].some(f => set.has(f))); }

  // The configuration of the prefix that a firing sequence stands for, or null when the prefix is too short. A run that
  // goes on behind a cutoff goes on behind its companion instead, which has the same marking and comes earlier in the
  // order.
  embed(run) {
    for (let tries = 0; tries <= 2 * this.n + 2; tries++) {
      const set = new Set(), path = [];
      let again = null;
      for (let i = 0; i < run.length; i++) {
        const e = this.successor(set, run[i]);
        if (e === undefined) return null;
        set.add(e);
        path.push(e);
        const last = i + 1 === run.length, cut = this.cutoffOf(set, e);
        if (cut && !(last && this.hasConditions && !this.read)) {
          const left = path.map((f, k) => [f, run[k]]).filter(([f]) => !cut.past.has(f)).map(([, t]) => t);
          again = cut.companion.concat(left, run.slice(i + 1));
          break;
        }
      }
      if (!again) return set;
      run = again;
    }
    return null;
  }
  successor(set, t) {
    if (!this.byTransition) {
      this.byTransition = new Map();
      this.transition.forEach((k, e) => {
        const row = this.byTransition.get(k);
        if (row) row.push(e);
        else this.byTransition.set(k, [e]);
      });
    }
    return (this.byTransition.get(t) || []).find(
      e => !set.has(e) && this.causesOf[e].every(c => set.has(c)) && this.fit(set, this.local(e)) &&
        this.canExtend(set, e));
  }
  // When e, as it happened in the set, is a cutoff: what it needed, and the transitions of its companion.
  cutoffOf(set, e) {
    if (!this.historiesOf) {
      if (!this.isCutoff(e)) return null;
      const by = this.companion[e], companion = by < 0 ? [] : this.sorted(this.local(by)).map(f => this.transition[f]);
      return {past: this.local(e), companion};
    }
    const past = this.historyIn(set, e), h = this.historiesOf[e].find(k => {
      const own = this.localHistory(k);
      return own.size === past.size && [...own].every(f => past.has(f));
    });
    if (h === undefined || this.histories.companion[h] === -1) return null;
    const other = this.histories.companion[h];
    return {past, companion: other < 0 ? [] : this.sorted(this.localHistory(other)).map(f => this.transition[f])};
  }
  // What came before e in the set: causes, and readers of what was consumed.
  historyIn(set, e) {
    const found = new Set([e]), stack = [e];
    while (stack.length) {
      const f = stack.pop(), needs = this.causesOf[f].slice();
      for (const c of this.pre[f]) for (const r of this.readers[c]) if (r !== f && set.has(r)) needs.push(r);
      for (const g of needs) if (!found.has(g)) { found.add(g); stack.push(g); }
    }
    return found;
  }
}
