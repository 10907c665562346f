"use strict";
// One page, one block of data, a tab for each view that the data has something for.

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  readColours();
  const page = {data, net: data.net ? new Net(data.net) : null, sources: data.sources || []};
  const kinds = [["net", "Net", data.net && NetView], ["prefix", "Prefix", data.prefix && PrefixView],
                 ["run", "Run", data.runs && data.runs.length && RunView],
                 ["tree", "Executions", data.trees && data.trees.some(t => t.parent.length > 1) && TreeView]]
    .filter(([, , View]) => View);
  if (!kinds.length) {
    document.body.append(el("p", {class: "empty"}, show(data.title) + ": there is nothing to draw. " + data.about));
    return;
  }
  const views = new Map(), tabs = new Map(), stage = el("main", {});
  const list = el("div", {role: "tablist", "aria-label": "views"});
  let current = null;

  const open = (key, rest, fromAddress) => {
    if (!tabs.has(key)) return;
    if (!views.has(key)) {
      const View = kinds.find(k => k[0] === key)[2], view = new View(page);
      views.set(key, view);
      stage.append(view.node);
    }
    for (const [k, v] of views) v.node.classList.toggle("on", k === key);
    for (const [k, t] of tabs) { t.setAttribute("aria-selected", k === key); t.tabIndex = k === key ? 0 : -1; }
    current = views.get(key);
    if (rest && current.open) current.open(rest);
    if (current.shown) current.shown(); // what can only be measured on the screen
    if (!current.scene.shown) current.scene.resize(); // an observer tells of the size after the page has loaded
    if (!fromAddress) history.replaceState(null, "", "#" + key);
  };
  page.open = open;
  for (const [key, text] of kinds) {
    const tab = el("button", {role: "tab", id: "tab-" + key, type: "button", onclick: () => open(key)}, text);
    tabs.set(key, tab);
    list.append(tab);
  }
  list.addEventListener("keydown", e => {
    const keys = [...tabs.keys()], i = keys.indexOf(kinds.find(([k]) => views.get(k) === current)[0]),
          by = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
    if (!by) return;
    const next = keys[(i + by + keys.length) % keys.length];
    open(next);
    tabs.get(next).focus();
  });
  const repaint = () => { readColours(); for (const v of views.values()) v.theme(); };
  const turn = () => {
    const dark = getComputedStyle(document.documentElement).colorScheme.includes("dark");
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    repaint();
  };
  const theme = el("button", {class: "icon", type: "button", id: "theme", title: "light or dark",
                              "aria-label": "light or dark", onclick: turn}, "◐");
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  document.body.append(
    el("header", {class: "bar"}, el("h1", {title: show(data.title).slice(0, 400)}, el("bdi", {}, clip(data.title, 80))),
       kinds.length > 1 ? list : null, el("span", {class: "about", title: data.about}, data.about), theme), stage);
  document.addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey ||
        /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== "range")
      return;
    const box = current.node.querySelector(".search input");
    if (e.key === "/" && box) box.focus();
    else if ((e.key === "+" || e.key === "=") && current.scene) current.scene.zoom(1.3);
    else if (e.key === "-" && current.scene) current.scene.zoom(1 / 1.3);
    else if (e.key === "f" && current.scene) current.scene.fit();
    else if (!current.key || !current.key(e)) return;
    e.preventDefault();
  });
  const follow = () => {
    const [, key, rest] = /^#?([a-z]*)\/?(.*)$/.exec(decodeURIComponent(location.hash)) || [];
    open(tabs.has(key) ? key : tabs.has(data.first) ? data.first : kinds[0][0], rest, true);
  };
  window.addEventListener("hashchange", follow);
  follow();
  // For scripts that look at the page: the views by name, and where something is on the screen.
  window.mazurka = {page, views, where(view, node) {
    const scene = views.get(view).scene, at = scene.toScreen(node.x, node.y), r = scene.canvas.getBoundingClientRect();
    return {x: r.left + at.x, y: r.top + at.y};
  }};
}
start();
