"use strict";
// Layered drawings: what leads somewhere lies above it. Cost: about linear in nodes and lines, in a fixed number of
// sweeps.
//
// layered(sizes, edges, layers): sizes[i] = {w, h}; edges = [from, to] pairs; layers[i] may be given, else they follow
// from the edges, of which those that close a cycle are turned round. Returns {x, y (middles), bends(e): the points
// between}. Lines over several layers get bends in between, so that they pass by the boxes; very long ones run
// straight.

const LONGEST_BENT = 12;

// Longest paths from the sources, over the edges that close no cycle (a depth-first search tells them; no recursion).
function findLayers(n, edges) {
  const out = Array.from({length: n}, () => []), state = new Uint8Array(n), order = [], kept = [];
  edges.forEach(([a, b], i) => { if (a !== b) out[a].push(i); });
  const indegree = new Int32Array(n);
  edges.forEach(([a, b]) => { if (a !== b) indegree[b]++; });
  const starts = [...Array.from({length: n}, (_, i) => i).filter(i => !indegree[i]),
                  ...Array.from({length: n}, (_, i) => i)];
  const next = new Int32Array(n);
  for (const start of starts) {
    if (state[start]) continue;
    const stack = [start];
    state[start] = 1;
    while (stack.length) {
      const a = stack[stack.length - 1];
      if (next[a] < out[a].length) {
        const e = out[a][next[a]++], b = edges[e][1];
        if (state[b] === 1) continue; // it closes a cycle
        kept.push(e);
        if (!state[b]) { state[b] = 1; stack.push(b); }
      } else { state[a] = 2; order.push(a); stack.pop(); }
    }
  }
  const layer = new Int32Array(n), into = Array.from({length: n}, () => []);
  for (const e of kept) into[edges[e][1]].push(edges[e][0]);
  for (let i = order.length - 1; i >= 0; i--)
    for (const a of into[order[i]]) layer[order[i]] = Math.max(layer[order[i]], layer[a] + 1);
  return layer;
}

// The positions in a row that come nearest to what is wished, with room between neighbours (pooling of adjacent
// violators; exact and linear).
function settle(row, wish, gap, x) {
  const blocks = []; // {sum of (wish - offset), weight, from}
  let offset = 0;
  const offsets = [];
  for (let i = 0; i < row.length; i++) {
    if (i) offset += gap(row[i - 1], row[i]);
    offsets.push(offset);
    let block = {sum: wish[row[i]] - offset, n: 1, from: i};
    while (blocks.length && blocks[blocks.length - 1].sum / blocks[blocks.length - 1].n >= block.sum / block.n) {
      const above = blocks.pop();
      block = {sum: above.sum + block.sum, n: above.n + block.n, from: above.from};
    }
    blocks.push(block);
  }
  blocks.forEach((block, b) => {
    const to = b + 1 < blocks.length ? blocks[b + 1].from : row.length;
    for (let i = block.from; i < to; i++) x[row[i]] = block.sum / block.n + offsets[i];
  });
}

function layered(sizes, edges, options = {}) {
  const n = sizes.length, layer = options.layers || findLayers(n, edges);
  const w = sizes.map(s => s.w), at = Array.from(layer), chains = new Array(edges.length).fill(null);
  const up = Array.from({length: n}, () => []), down = Array.from({length: n}, () => []);
  const join = (a, b) => { down[a].push(b); up[b].push(a); };
  edges.forEach(([from, to], e) => {
    let a = from, b = to;
    if (layer[a] > layer[b]) [a, b] = [b, a];
    const span = layer[b] - layer[a];
    if (span <= 1 || span > LONGEST_BENT) { if (span === 1) join(a, b); return; }
    let last = a;
    const chain = [];
    for (let l = layer[a] + 1; l < layer[b]; l++) {
      const bend = w.length;
      w.push(4); at.push(l); up.push([]); down.push([]);
      join(last, bend);
      chain.push(bend);
      last = bend;
    }
    join(last, b);
    chains[e] = layer[from] > layer[to] ? chain.reverse() : chain;
  });
  const rows = [];
  for (let i = 0; i < w.length; i++) (rows[at[i]] = rows[at[i]] || []).push(i);
  for (let l = 0; l < rows.length; l++) rows[l] = rows[l] || [];
  const place = new Float64Array(w.length), key = new Float64Array(w.length);
  const number = row => row.forEach((i, k) => { place[i] = k; });
  rows.forEach(number);
  const sweeps = w.length > 60000 ? 4 : w.length > 8000 ? 8 : 16;
  for (let s = 0; s < sweeps; s++) {
    const forward = s % 2 === 0, near = forward ? up : down;
    for (let k = 0; k < rows.length; k++) {
      const row = rows[forward ? k : rows.length - 1 - k];
      for (const i of row) {
        const list = near[i];
        if (!list.length) { key[i] = place[i]; continue; }
        let sum = 0;
        for (const j of list) sum += place[j] / Math.max(1, rows[at[j]].length - 1);
        key[i] = sum / list.length * Math.max(1, row.length - 1);
      }
      row.sort((a, b) => key[a] - key[b] || place[a] - place[b]);
      number(row);
    }
  }
  const space = options.gap || 22, gap = (a, b) => (w[a] + w[b]) / 2 + (a >= n || b >= n ? space * 0.7 : space);
  const x = new Float64Array(w.length), wish = new Float64Array(w.length);
  for (const row of rows) {
    let sum = 0;
    row.forEach((i, k) => { sum += k ? gap(row[k - 1], i) : 0; wish[i] = sum; });
    for (const i of row) x[i] = wish[i] - sum / 2;
  }
  for (let s = 0; s < (w.length > 60000 ? 6 : 14); s++) {
    const near = s % 2 === 0 ? up : down;
    for (let k = 0; k < rows.length; k++) {
      const row = rows[s % 2 === 0 ? k : rows.length - 1 - k];
      for (const i of row) {
        const list = near[i].length ? near[i] : s % 2 === 0 ? down[i] : up[i];
        let sum = 0;
        for (const j of list) sum += x[j];
        wish[i] = list.length ? sum / list.length : x[i];
      }
      settle(row, wish, gap, x);
    }
  }
  const depth = [];
  let sum = 0;
  rows.forEach((row, l) => {
    const tallest = row.reduce((m, i) => i < n ? Math.max(m, sizes[i].h) : m, 10);
    sum += tallest / 2;
    depth[l] = sum;
    sum += tallest / 2 + (options.rise || 46);
  });
  return {x: Array.from(x.subarray(0, n)), y: Array.from({length: n}, (_, i) => depth[at[i]]),
          bends: e => (chains[e] || []).flatMap(i => [x[i], depth[at[i]]])};
}

// A tree, children below their parent, in the order they have: parent[i] < i, parent[0] = -1; rise(i) is how far node i
// is below its parent.
function tidyTree(parent, width, rise) {
  const n = parent.length, children = Array.from({length: n}, () => []), x = new Float64Array(n),
        y = new Float64Array(n);
  for (let i = 1; i < n; i++) { children[parent[i]].push(i); y[i] = y[parent[i]] + rise(i); }
  let leaf = 0;
  const stack = n ? [[0, 0]] : [];
  while (stack.length) {
    const top = stack[stack.length - 1], list = children[top[0]];
    if (top[1] < list.length) { stack.push([list[top[1]++], 0]); continue; }
    x[top[0]] = list.length ? (x[list[0]] + x[list[list.length - 1]]) / 2 : leaf++ * width;
    stack.pop();
  }
  return {x, y, width: Math.max(0, leaf - 1) * width};
}
