"use strict";
// The batch report: results of several files joined per query, who solves what, plots, filters. Pages without data
// (comparisons) only get shadows at what is cut off.

const SVG = "http" + "://www.w3.org/2000/svg", FASTEST = 0.001, STEP = 250;

function make(tag, attributes, ...children) {
  const node = tag.startsWith("svg:") ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) node.append(child);
  return node;
}
// Names from outside: of their own direction, with what hides or turns a line shown by its number.
const ODD = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const shown = text => String(text).replace(ODD, c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
const named = text => make("bdi", {}, shown(text).length > 200 ? shown(text).slice(0, 199) + "…" : shown(text));
const seconds = s =>
  s < 0.0005 ? "0" : s < 10 ? s.toFixed(s < 1 ? 3 : 2) : s < 1000 ? s.toFixed(1) : String(Math.round(s));

// Why, without details and without the folders of a file.
const brief = reason => (reason || "unanswered").split(";")[0].replace(/(^|\s)\/\S*\/(?=[^/\s]+:\d)/, "$1");

class Report {
  constructor(data) {
    this.files = data.files;
    const cell = ([verdict, wall, kib, reason, engine, wrong, run, proof]) =>
      ({verdict, wall, kib, reason, engine, wrong, run, proof, solved: verdict !== null && !wrong});
    this.queries = data.queries.map(([instance, examination, id, family, cells, expected]) =>
      ({instance, examination, id, family, expected, cells: cells.map(c => c && cell(c))}));
    this.filter = {text: "", examination: "", who: ""};
    this.sort = {key: "instance", down: false};
    this.most = STEP;
    this.body = make("div", {});
    document.body.append(this.head(data), this.summary(), this.plots(), this.controls(), this.body, this.groups());
    this.table();
  }
  head(data) {
    const made = f => f.settings.length ? f.settings.map(shown).join("; ")
      : "made before batches told their limits and machine";
    const settings = this.files.map(
      (f, i) => make("li", {}, make("i", {class: "s" + i % 8}), make("b", {}, named(f.name)), ": " + made(f)));
    return make("div", {},
                make("p", {class: "soft small", id: "made"}, "mazurka " + data.version + ", report of " + data.date),
                make("ul", {class: "key small", id: "settings"}, settings));
  }
  // Totals per file, and what only it solves.
  summary() {
    const rows = this.files.map((f, i) => {
      const own = this.queries.filter(q => q.cells[i]), solved = own.filter(q => q.cells[i].solved),
            wrong = own.filter(q => q.cells[i].wrong);
      const only = solved.filter(q => q.cells.every((c, k) => k === i || !c || !c.solved));
      const cells = [["queries", own.length], ["solved", solved.length],
                     ["%", own.length ? (100 * solved.length / own.length).toFixed(1) : "–"], ["wrong", wrong.length],
                     ["unsolved", own.length - solved.length - wrong.length],
                     ["only here", this.files.length > 1 ? only.length : "–"],
                     ["seconds", seconds(own.reduce((s, q) => s + q.cells[i].wall, 0))],
                     ["peak MB", (Math.max(0, ...own.map(q => q.cells[i].kib)) / 1024).toFixed(1)]];
      const figure = ([name, v]) =>
        make("td", {"data-name": name, class: name === "wrong" && v ? "wrong" : null}, String(v));
      return make("tr", {}, make("td", {}, make("i", {class: "s" + i % 8}), named(f.name)), cells.map(figure));
    });
    const head = ["file", "queries", "solved", "%", "wrong", "unsolved", "only here", "seconds", "peak MB"]
      .map(h => make("th", {}, h));
    const table = make("table", {id: "summary", class: "cards"}, make("thead", {}, make("tr", {}, head)),
                       make("tbody", {}, rows));
    const parts = [make("h2", {}, "Who solves what"), make("div", {class: "wide"}, table)];
    if (this.files.length > 1) {
      const count = f => this.queries.filter(f).length, all = count(q => q.cells.every(c => c && c.solved)),
            none = count(q => q.cells.every(c => !c || !c.solved));
      const differ = count(q => this.differs(q));
      const solve = "all files solve " + all + ", none solves " + none + (differ ? ", " : ".");
      parts.push(make("p", {id: "joined"}, this.queries.length + " queries; " + solve,
                      differ ? make("b", {class: "bad"}, differ + " get different answers.") : null));
    }
    return make("section", {}, parts);
  }
  differs(q) { return new Set(q.cells.filter(c => c && c.verdict !== null).map(c => c.verdict)).size > 1; }

  // ---- plots ----
  frame(title, note, x, y, limitX, limitY) {
    const W = 560, H = 380, L = 62, R = 26, T = 16, B = 48;
    const svg = make("svg:svg", {class: "plot", viewBox: "0 0 " + W + " " + H, width: W, height: H, role: "img",
                                 "aria-label": title});
    const scale = (axis, from, to) => v => {
      const f = axis.log ? Math.log(Math.max(v, axis.low) / axis.low) / Math.log(axis.high / axis.low)
        : (v - axis.low) / (axis.high - axis.low);
      return from + Math.max(0, Math.min(1, f)) * (to - from);
    };
    const px = scale(x, L, W - R), py = scale(y, H - B, T);
    const ticks = axis => {
      if (axis.log) {
        const list = [];
        for (let v = axis.low; v <= axis.high * 1.001; v *= 10) list.push(v);
        return list;
      }
      const raw = (axis.high - axis.low) / 5, power = 10 ** Math.floor(Math.log10(raw)),
            step = Math.max(1, power * [1, 2, 5, 10].find(k => k * power >= raw)), list = [];
      for (let v = 0; v <= axis.high; v += step) list.push(v);
      return list;
    };
    for (const v of ticks(x))
      svg.append(make("svg:line", {class: "grid", x1: px(v), x2: px(v), y1: T, y2: H - B}),
                 make("svg:text", {x: px(v), y: H - B + 16, "text-anchor": "middle"}, String(+v.toPrecision(3))));
    for (const v of ticks(y))
      svg.append(make("svg:line", {class: "grid", x1: L, x2: W - R, y1: py(v), y2: py(v)}),
                 make("svg:text", {x: L - 6, y: py(v) + 4, "text-anchor": "end"}, String(+v.toPrecision(3))));
    svg.append(make("svg:rect", {class: "frame", x: L, y: T, width: W - L - R, height: H - T - B}),
               make("svg:text", {x: (L + W - R) / 2, y: H - 8, "text-anchor": "middle"}, shown(x.name).slice(0, 60)),
               make("svg:text", {transform: "translate(14," + (H + T - B) / 2 + ") rotate(-90)",
                                 "text-anchor": "middle"}, shown(y.name).slice(0, 50)));
    if (limitX)
      svg.append(make("svg:line", {class: "limit", x1: px(limitX), x2: px(limitX), y1: T, y2: H - B}),
                 make("svg:text", {class: "limit-name", x: px(limitX) - 4, y: H - B - 6, "text-anchor": "end"},
                      "not solved"));
    if (limitY)
      svg.append(make("svg:line", {class: "limit", x1: L, x2: W - R, y1: py(limitY), y2: py(limitY)}),
                 make("svg:text", {class: "limit-name", x: L + 5, y: py(limitY) - 5}, "not solved"));
    return {svg, px, py, figure: make("figure", {}, make("figcaption", {}, title + " ", make("span", {}, note)), svg)};
  }
  top() {
    const walls = this.queries.flatMap(q => q.cells.map(c => c ? c.wall : 0));
    return 10 ** Math.ceil(Math.log10(Math.max(1, ...walls) * 1.05));
  }
  plots() {
    this.plotBox = make("div", {class: "plots"});
    this.pair = [0, 1];
    this.drawPlots();
    return this.plotBox;
  }
  drawPlots() {
    const plots = [this.quantile()];
    if (this.files.length > 1) plots.push(this.scatter());
    this.plotBox.replaceChildren(...plots);
  }
  // Sorted by time: how many are solved within how long each. Further right and lower is better.
  quantile() {
    const most = Math.max(1, this.queries.length),
          p = this.frame("Quantiles", "further right and lower is better", {name: "queries solved", low: 0, high: most},
                         {name: "seconds each", low: FASTEST, high: this.top(), log: true});
    this.files.forEach((_, i) => {
      const walls = this.queries.filter(q => q.cells[i] && q.cells[i].solved)
        .map(q => Math.max(FASTEST, q.cells[i].wall)).sort((a, b) => a - b);
      const to = k => (k ? "H" : "M") + p.px(k + 1).toFixed(1) + (k ? "V" : " ");
      if (walls.length)
        p.svg.append(make("svg:path", {class: "steps s" + i % 8,
                                       d: walls.map((w, k) => to(k) + p.py(w).toFixed(1)).join("")}));
    });
    return p.figure;
  }
  // A point per query that both have. What is not solved lies on a marked line of its own, outside of all times.
  scatter() {
    const [a, b] = this.pair, top = this.top(), line = top * 4,
          axis = i => ({name: this.files[i].name + ", seconds", low: FASTEST, high: line * 1.6, log: true});
    const p = this.frame("Seconds, file against file",
                         "below the diagonal: " + shown(this.files[b].name).slice(0, 30) + " is faster", axis(a),
                         axis(b), line, line);
    p.svg.append(make("svg:line", {class: "frame", "stroke-dasharray": "4 3", x1: p.px(FASTEST), y1: p.py(FASTEST),
                                   x2: p.px(top), y2: p.py(top)}));
    for (const q of this.queries) {
      const c = q.cells[a], d = q.cells[b];
      if (!c || !d || !c.solved && !d.solved && !this.differs(q)) continue;
      const differ = this.differs(q) || c.wrong || d.wrong;
      const at = x => x.solved ? Math.max(FASTEST, x.wall) : line, took = x => x.solved ? seconds(x.wall) + " s"
        : "not solved";
      const told = shown(q.instance + " " + q.examination + " " + q.id) + ": " + took(c) + ", " + took(d);
      p.svg.append(make("svg:circle", {class: differ ? "differ" : "s0", cx: p.px(at(c)).toFixed(1),
                                       cy: p.py(at(d)).toFixed(1), r: 4, onclick: () => this.find(q.instance)},
                        make("svg:title", {}, told)));
    }
    if (this.files.length > 2) {
      const choose = side =>
        make("select", {"aria-label": side ? "upwards" : "across",
                        onchange: e => { this.pair[side] = Number(e.target.value); this.drawPlots(); }},
             this.files.map((f, i) => make("option", {value: i, selected: this.pair[side] === i}, shown(f.name))));
      p.figure.append(make("div", {class: "filters"}, choose(0), "against", choose(1)));
    }
    return p.figure;
  }
  find(text) {
    this.box.value = text;
    this.filter.text = text.toLowerCase();
    this.most = STEP;
    this.table();
    this.body.scrollIntoView({block: "nearest"});
  }

  // ---- the joined table ----
  controls() {
    const changed = key => e => {
      this.filter[key] = e.target.value.toLowerCase === undefined ? ""
        : key === "text" ? e.target.value.trim().toLowerCase() : e.target.value;
      this.most = STEP;
      this.table();
    };
    this.box = make("input", {type: "search", placeholder: "Filter by name", "aria-label": "filter by name",
                              oninput: changed("text")});
    const examinations = [...new Set(this.queries.map(q => q.examination))].sort();
    const who = [["", "everything"], ["unsolved", "not solved by all"], ["none", "solved by none"], ["wrong", "wrong"],
                 ["differ", "different answers"]];
    if (this.files.length > 1) who.push(...this.files.map((f, i) => ["only" + i, "only " + shown(f.name) + " solves"]));
    return make("div", {}, make("h2", {}, "Queries"), make("div", {class: "filters"}, this.box,
      make("select", {"aria-label": "examination", id: "examination", onchange: changed("examination")},
           make("option", {value: ""}, "every examination"),
           examinations.map(x => make("option", {value: x}, shown(x)))),
      make("select", {"aria-label": "which", id: "which", onchange: changed("who")},
           who.map(([v, t]) => make("option", {value: v}, t))), make("span", {class: "soft small", id: "count"})));
  }
  wanted(q) {
    const f = this.filter, solved = q.cells.map(c => !!c && c.solved);
    if (f.examination && q.examination !== f.examination) return false;
    if (f.text && !(q.instance + " " + q.id).toLowerCase().includes(f.text)) return false;
    if (f.who === "unsolved") return solved.some(s => !s);
    if (f.who === "none") return solved.every(s => !s);
    if (f.who === "wrong") return q.cells.some(c => c && c.wrong);
    if (f.who === "differ") return this.differs(q);
    if (f.who.startsWith("only")) return solved.every((s, i) => s === (i === Number(f.who.slice(4))));
    return true;
  }
  table() {
    const key = this.sort.key, value = q => key === "instance" || key === "examination" ? q[key]
      : q.cells[key] && q.cells[key].solved ? q.cells[key].wall : Infinity;
    const list = this.queries.filter(q => this.wanted(q));
    if (key !== "instance" || this.sort.down)
      list.sort((a, b) => {
        const x = value(a), y = value(b);
        return (x < y ? -1 : x > y ? 1 : 0) * (this.sort.down ? -1 : 1);
      });
    document.getElementById("count").textContent = list.length + " of " + this.queries.length;
    const by = (text, k) => {
      const chosen = this.sort.key === k, down = this.sort.down;
      const sort = () => { this.sort = {key: k, down: this.sort.key === k && !this.sort.down}; this.table(); };
      return make("th", {class: typeof k === "number" ? null : "text",
                         "aria-sort": chosen ? down ? "descending" : "ascending" : null},
                  make("button", {type: "button", onclick: sort}, text, chosen ? down ? " ↓" : " ↑" : ""));
    };
    const known = this.queries.some(q => q.expected !== null);
    const head = make("tr", {}, by("instance", "instance"), by("examination", "examination"),
                      make("th", {class: "text"}, "id"), known ? make("th", {}, "expected") : null,
                      this.files.map((f, i) => by(shown(f.name), i)));
    const expected = q => make("td", {"data-name": "expected"}, q.expected === null ? "" : shown(q.expected));
    const rows = list.slice(0, this.most).map(
      q => make("tr", {}, make("td", {}, named(q.instance)),
                make("td", {class: "text", "data-name": "examination"}, named(q.examination)),
                make("td", {class: "text", "data-name": "id"}, named(q.id)), known ? expected(q) : null,
                q.cells.map((c, i) => this.cell(c, this.files[i].name))));
    const table = make("table", {id: "queries", class: "cards"}, make("thead", {}, head), make("tbody", {}, rows));
    this.body.replaceChildren(make("div", {class: "wide"}, table));
    const left = list.length - this.most, more = () => { this.most *= 4; this.table(); };
    if (left > 0)
      this.body.append(make("p", {}, make("button", {class: "button", type: "button", onclick: more},
                                          "Show more: " + left + " are left")));
    shadows();
  }
  cell(c, file) {
    if (!c) return make("td", {class: "none", "data-name": shown(file)}, "–");
    const link = (href, text, title) => href && make("a", {href, class: "evidence", title}, text);
    const links = [link(c.run, "run", "the firing sequence, for mazurka replay"),
                   link(c.proof, "proof", "the certificate, for mazurka-verify")].filter(Boolean);
    if (c.verdict === null)
      return make("td", {class: "why", "data-name": shown(file), title: shown(c.reason || "")},
                  make("span", {class: "chip"}, named(brief(c.reason).slice(0, 90))), " " + seconds(c.wall) + " s");
    return make("td", {"data-name": shown(file), class: c.wrong ? "wrong" : null,
                       title: [c.engine, (c.kib / 1024).toFixed(1) + " MB"].filter(Boolean).join(", ")},
                make("span", {}, shown(c.verdict), c.wrong ? " (wrong)" : "", " ",
                     make("span", {class: "soft"}, seconds(c.wall) + " s"), links.map(l => [" ", l])));
  }
  // Solved by examination, family and engine, a column per file.
  groups() {
    const part = (title, key) => {
      const names =
        [...new Set(this.queries.flatMap(q => this.files.map((_, i) => key(q, i))).filter(x => x !== null))].sort();
      const rows = names.map(name => make("tr", {}, make("td", {}, named(name)), this.files.map((f, i) => {
        const own = this.queries.filter(q => q.cells[i] && key(q, i) === name);
        return make("td", {"data-name": shown(f.name)},
                    own.length ? own.filter(q => q.cells[i].solved).length + " of " + own.length : "–");
      })));
      const head = make("tr", {}, make("th", {}, ""), this.files.map(f => make("th", {}, shown(f.name))));
      const table = make("table", {class: "cards"}, make("thead", {}, head), make("tbody", {}, rows));
      return make("details", {open: title === "By examination"}, make("summary", {}, title),
                  make("div", {class: "wide"}, table));
    };
    const count = (n, i) => make("td", {"data-name": shown(this.files[i].name)}, String(n));
    const rows = this.reasons().map(
      ([reason, counts]) => make("tr", {}, make("td", {class: "text"}, named(reason)), counts.map(count)));
    const table = make("table", {id: "reasons", class: "cards"}, make("tbody", {}, rows));
    const reasons = make("details", {}, make("summary", {}, "Why not solved"), make("div", {class: "wide"}, table));
    return make("section", {}, make("h2", {}, "Solved, by group"), part("By examination", q => q.examination),
                part("By family", q => q.family),
                part("By engine", (q, i) => q.cells[i] && q.cells[i].engine ? q.cells[i].engine : null), reasons);
  }
  reasons() {
    const found = new Map();
    for (const q of this.queries) q.cells.forEach((c, i) => {
      if (!c || c.verdict !== null) return;
      const reason = brief(c.reason);
      if (!found.has(reason)) found.set(reason, this.files.map(() => 0));
      found.get(reason)[i]++;
    });
    return [...found].sort((a, b) => a[0] < b[0] ? -1 : 1);
  }
}

// A box that goes on beyond its edge says so.
function shadows() {
  for (const box of document.querySelectorAll(".wide, .scrolls")) {
    const look = () => box.classList.toggle("more", box.scrollLeft + box.clientWidth < box.scrollWidth - 2);
    box.onscroll = look;
    look();
  }
}
window.addEventListener("resize", shadows);
// a wide drawing opens in its middle
for (const box of document.querySelectorAll(".scrolls")) box.scrollLeft = (box.scrollWidth - box.clientWidth) / 2;
if (document.getElementById("data")) new Report(JSON.parse(document.getElementById("data").textContent));
shadows();
