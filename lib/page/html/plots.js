// Roofline, memory and treemap, as SVG. Elements that belong to an op have its index as data-op.
const mark = (op) => `data-op="${op.index}" `;

// Merges element types with the same rate into one line. Products of wide types take several passes, and their rate may
// be none of those of the device.
function computeRoofs() {
  const merged = [];
  const rates = new Set(timed.map((op) => op.matrix_rate).filter((r) => r > 0));
  const unit = (timed.find((op) => op.matrix_rate > 0 && ['mxu', 'tensor'].includes(op.resource)) || {resource: 'mxu'}).resource;
  const listedRates = data.roofs.filter((r) => r.is_compute);
  const others = [...rates].filter((r) => !listedRates.some((roof) => roof.rate === r))
    .map((r) => ({name: unit + ', several passes', is_compute: true, rate: r}));
  for (const roof of [...listedRates, ...others]) {
    const same = merged.find((other) => other.rate === roof.rate);
    const [unit, ...type] = roof.name.split(' ');
    if (same === undefined) merged.push({...roof}); else same.name += ', ' + (same.name.startsWith(unit + ' ') ? type.join(' ') : roof.name);
  }
  return merged.sort((a, b) => b.rate - a.rate);
}

// Whether the work of the op is bounded by the roof.
function usesRoof(op, roof) {
  if (op.resource === null) return false;
  if (['mxu', 'tensor'].includes(op.resource)) return roof.is_compute && roof.rate === op.matrix_rate;
  return roof.name.split(', ').some((name) => name.split(' ')[0] === op.resource);
}

// The roof of the chosen op is solid. While no op is chosen, those of the main memory and of the ops with most time are.
function markRoof() {
  const op = chosen >= 0 && ops[chosen].seconds > 0 ? ops[chosen] : null;
  const compute = computeRoofs();
  const time = compute.map((roof) => sumOf(timed, (other) => (usesRoof(other, roof) ? other.total_seconds : 0)));
  const main = time.indexOf(Math.max(...time));
  for (const line of document.querySelectorAll('#roofline .roof')) {
    const isCompute = line.dataset.kind === 'compute';
    const at = Number(line.dataset.roof);
    const roof = (isCompute ? compute : memoryRoofs())[at];
    line.classList.toggle('other', op !== null ? !usesRoof(op, roof) : isCompute ? at !== main : !roof.isMain);
  }
}

function memoryRoofs() {
  const memory = data.roofs.filter((r) => !r.is_compute).sort((a, b) => b.rate - a.rate);
  const main = memory.find((r) => r.name === 'hbm') || memory[0];
  return memory.map((r) => ({...r, isMain: r === main}));
}

function drawRoofline() {
  const W = widthOf('roofline'), H = W < 600 ? 340 : 430, L = 78, R = 16, T = 18, B = 40;
  const compute = computeRoofs();
  const memory = memoryRoofs();
  const main = memory.find((r) => r.isMain);
  let leastX = 0.1, mostX = 1e4;
  const peak = Math.max(1, ...compute.map((r) => r.rate));
  let leastY = peak / 1e4;
  for (const op of timed) {
    if (op.intensity > 0) { leastX = Math.min(leastX, op.intensity); mostX = Math.max(mostX, op.intensity); }
    if (op.rate > peak / 1e8) leastY = Math.min(leastY, op.rate);
  }
  const x0 = Math.floor(Math.log10(Math.max(1e-3, leastX)));
  const x1 = Math.ceil(Math.log10(mostX));
  const y1 = Math.ceil(Math.log10(peak) + 0.2);
  const y0 = Math.max(y1 - 8, Math.floor(Math.log10(leastY)));
  const within = (v, low, high) => Math.min(high, Math.max(low, Math.log10(Math.max(v, 1e-300))));
  // Ops without FLOPs stand below the plane, and those without traffic of the main memory to the right of it: their
  // intensity or their rate has no place on a logarithmic axis.
  const below = timed.some((op) => op.rate === 0) ? 46 : 20;
  const aside = timed.some((op) => op.hbm_bytes === 0) ? (W < 600 ? 64 : 110) : 0;
  const left = L + 20, right = W - R - aside, bottom = H - B - below;
  const X = (v) => left + (within(v, x0, x1) - x0) / (x1 - x0) * (right - left);
  const Y = (v) => bottom - (within(v, y0, y1) - y0) / (y1 - y0) * (bottom - T);
  let free = L + 4;  // where the next op without FLOPs is placed: side by side, the longest first
  const placeX = (op, radius) => {
    if (op.hbm_bytes === 0) return right + aside / 2;
    if (op.rate > 0) return X(op.intensity);
    const x = Math.min(free + radius, right - radius);
    free = x + radius + 2;
    return x;
  };
  const placeY = (op) => (op.rate === 0 ? H - B - (below - 10) / 2 : Y(op.rate));
  let body = '';
  const skip = Math.ceil((x1 - x0) * 42 / (right - left));  // so that the numbers have room
  for (let e = x0; e <= x1; e += skip) {
    const x = X(10 ** e);
    body += `<line class="grid" x1="${x}" x2="${x}" y1="${T}" y2="${H - B}"/><text x="${x}" y="${H - B + 15}" ` +
      `text-anchor="middle">${e >= 0 && e < 4 ? 10 ** e : '1e' + e}</text>`;
  }
  for (let e = y0; e <= y1; ++e) {
    const y = Y(10 ** e);
    body += `<line class="grid" x1="${L}" x2="${right}" y1="${y}" y2="${y}"/><text x="${L - 6}" y="${y + 4}" ` +
      `text-anchor="end">${rate(10 ** e, 'flop/s')}</text>`;
  }
  body += `<text x="${(left + right) / 2}" y="${H - 8}" text-anchor="middle">flop per byte of main memory</text>`;
  if (below > 20) {
    const y = bottom + 10;
    body += `<line class="border" x1="${L}" x2="${W - R}" y1="${y}" y2="${y}"/>` +
      `<text x="${L - 6}" y="${H - B - (below - 10) / 2 + 4}" text-anchor="end">no FLOPs</text>`;
  }
  if (aside > 0) {
    body += `<line class="border" x1="${right + 8}" x2="${right + 8}" y1="${T}" y2="${H - B}"/>` +
      ['no traffic of', 'main memory'].map((line, i) =>
        `<text x="${right + aside / 2 + 6}" y="${H - B + 15 + 13 * i}" text-anchor="middle">${line}</text>`).join('');
  }
  const longest = timed.reduce((most, op) => Math.max(most, op.total_seconds), 1e-300);
  const dots = [];
  for (const op of [...timed].sort((a, b) => b.total_seconds - a.total_seconds)) {
    const radius = 2 + 16 * Math.sqrt(op.total_seconds / longest);
    dots.push(`<circle ${mark(op)}class="${boundClass(op.bound)}" cx="${placeX(op, radius).toFixed(1)}" ` +
      `cy="${placeY(op).toFixed(1)}" r="${radius.toFixed(1)}"/>`);
  }
  body += dots.join('');
  let above = 0;  // y of the label of the roof above
  compute.forEach((r, i) => {
    const from = main === undefined ? 10 ** x0 : Math.max(10 ** x0, r.rate / main.rate);
    const y = Y(r.rate);
    const label = Math.max(y - 4, above + 12);
    above = label;
    body += `<line class="roof" data-kind="compute" data-roof="${i}" x1="${X(from)}" x2="${right}" y1="${y}" y2="${y}"/>` +
      `<text class="roofname" x="${right - 4}" y="${label}" text-anchor="end">${r.name} ${rate(r.rate, 'flop/s')}</text>`;
  });
  memory.forEach((r, i) => {
    const from = Math.max(10 ** x0, 10 ** y0 / r.rate);
    const to = Math.min(10 ** x1, peak / r.rate);
    if (to <= from) return;
    const at = X(from) + 14 + (W < 600 ? 34 : 60) * i;
    const intensity = 10 ** (x0 + (at - left) / (right - left) * (x1 - x0));
    const slope = Math.atan2((bottom - T) / (y1 - y0), (right - left) / (x1 - x0)) * -180 / Math.PI;
    body += `<line class="roof" data-kind="memory" data-roof="${i}" x1="${X(from)}" y1="${Y(from * r.rate)}" x2="${X(to)}" ` +
      `y2="${Y(to * r.rate)}"/><text class="roofname" transform="translate(${at.toFixed(1)} ` +
      `${(Y(intensity * r.rate) - 5).toFixed(1)}) rotate(${slope.toFixed(1)})">${r.name} ${rate(r.rate, 'B/s')}</text>`;
  });
  $('roofline').innerHTML = svg(W, H, body);
  markRoof();
  const bounds = [...new Set(timed.map((op) => (isWait(op.bound) ? 'wait' : op.bound)))].filter(Boolean);
  $('legend').innerHTML = bounds.map((b) => `<span><i class="${boundClass(b)}"></i>${word(b)}</span>`).join('');
}

// ---- memory ----

// The capacity is drawn to scale if the peak is near it.
const NEAR_CAPACITY = 0.3;

function drawMemory() {
  const {levels, seconds: end, peak_seconds: peakAt, peak_bytes: peak, peak_op: peakOp} = data.memory;
  const memory = data.prediction.memory;
  const capacity = memory.usable_bytes;
  const live = memory.live_at_peak.slice(0, 8);
  const largest = live.length === 0 ? '' : '<p>Largest at the peak: ' +
    live.map((b) => `${namedLink(b.name)} ${bytes(b.bytes)}`).join(', ') + '</p>';
  if (levels.length === 0) { $('memory').innerHTML = `<p>Peak ${bytes(memory.hbm_peak_bytes)}</p>` + largest; return; }
  const W = widthOf('memory'), H = 210, L = 78, R = 14, T = 24, B = 24;
  const isNear = peak >= NEAR_CAPACITY * capacity;
  const top = isNear ? Math.max(peak, capacity) * 1.08 : Math.max(1, peak) * 1.2;
  const X = (t) => L + (W - L - R) * t / end;
  const Y = (v) => H - B - (H - T - B) * v / top;
  let path = `M ${L} ${H - B}`;
  levels.forEach((v, i) => {
    const y = Y(v).toFixed(1);
    path += ` L ${X(end * i / levels.length).toFixed(1)} ${y} L ${X(end * (i + 1) / levels.length).toFixed(1)} ${y}`;
  });
  let body = `<path d="${path} L ${W - R} ${H - B} Z" class="level"/>`;
  for (let i = 0; i <= 3; ++i) {
    const y = Y(top * i / 3);
    body += `<line class="grid" x1="${L}" x2="${W - R}" y1="${y}" y2="${y}"/><text x="${L - 6}" y="${y + 4}" ` +
      `text-anchor="end">${bytes(Math.round(top * i / 3))}</text>`;
  }
  const limit = `usable ${bytes(capacity)}`;
  if (isNear) {
    body += `<line class="capacity" x1="${L}" x2="${W - R}" y1="${Y(capacity)}" y2="${Y(capacity)}"/>` +
      `<text class="roofname" x="${W - R - 4}" y="${Y(capacity) - 5}" text-anchor="end">${limit}</text>`;
  } else {
    body += `<text x="${W - R - 4}" y="13" text-anchor="end">${limit}, above the plot</text>`;
  }
  // The label goes to the side of the mark that has more room.
  const x = X(peakAt), isLeft = x < W / 2;
  const name = peakOp === null || W < 600 ? '' : ` at ${shorten(ops[peakOp].name, 40)}`;
  body += `<line class="peak" x1="${x}" x2="${x}" y1="${Y(peak)}" y2="${H - B}"/>` +
    `<ellipse class="peak" ${peakOp === null ? '' : mark(ops[peakOp])}cx="${x}" cy="${Y(peak)}" rx="4.5" ry="4.5"/>` +
    `<text class="roofname" x="${x + (isLeft ? 9 : -9)}" y="${Math.max(12, Y(peak) - 7)}" ` +
    `text-anchor="${isLeft ? 'start' : 'end'}">peak ${bytes(peak)}${escapeText(name)}</text>`;
  const marks = W < 600 ? 3 : 5;
  for (let i = 0; i <= marks; ++i) {
    body += `<text x="${X(end * i / marks)}" y="${H - 7}" text-anchor="${i === 0 ? 'start' : i === marks ? 'end' : 'middle'}">` +
      `${seconds(end * i / marks)}</text>`;
  }
  $('memory').innerHTML = svg(W, H, body) + largest;
}

// ---- treemap ----

// Squarified treemap (Bruls, Huizing, van Wijk 2000): fills a row along the shorter side as long as that improves the
// worst aspect ratio in the row. Items must be sorted largest first, so that the first and the last of a row are its
// extremes.
function squarify(items, x, y, w, h, place) {
  let sum = items.reduce((s, item) => s + item.value, 0);
  let next = 0;
  while (next < items.length && w > 0 && h > 0 && sum > 0) {
    const side = Math.min(w, h);
    const scale = w * h / sum;
    const first = next;
    let total = 0, worst = Infinity;
    while (next < items.length) {
      const thick = (total + items[next].value) * scale / side;
      const most = items[first].value * scale / thick;
      const least = items[next].value * scale / thick;
      const ratio = Math.max(most / thick, thick / least);
      if (ratio > worst) break;
      worst = ratio;
      total += items[next].value;
      ++next;
    }
    const thick = total * scale / side;
    let at = 0;
    for (let i = first; i < next; ++i) {
      const length = items[i].value / total * side;
      if (w >= h) place(items[i], x, y + at, thick, length); else place(items[i], x + at, y, length, thick);
      at += length;
    }
    if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
    sum -= total;
  }
}

// The layers as a tree: {name, value, repeats, children, ops}. data.layers is in preorder.
function layerTree() {
  const top = {name: '', depth: -1, value: 0, children: []};
  const path = [top];
  for (const layer of data.layers) {
    const node = {name: layer.name, path: layer.path, depth: layer.depth, value: layer.seconds, repeats: layer.repeats, children: [], ops: []};
    while (path[path.length - 1].depth >= node.depth) path.pop();
    path[path.length - 1].children.push(node);
    path.push(node);
    layer.node = node;
  }
  for (const op of ops) if (op.layer !== null) data.layers[op.layer].node.ops.push({op, value: op.exposed_seconds});
  top.value = sumOf(top.children, (child) => child.value);
  return top;
}

const LAYER_TITLE = 16;  // height of the title of a layer

function drawTreemap() {
  const W = widthOf('treemap'), H = W < 600 ? 520 : 440;
  const body = [];
  const labels = [];
  const largestFirst = (a, b) => b.value - a.value;
  const drawOps = (node, x, y, w, h) => squarify(node.ops.sort(largestFirst), x, y, w, h, (item, ox, oy, ow, oh) => {
    if (ow < 1 || oh < 1) return;
    body.push(`<rect ${mark(item.op)}class="${boundClass(item.op.bound)}" x="${ox.toFixed(1)}" y="${oy.toFixed(1)}" ` +
      `width="${(ow - 0.6).toFixed(1)}" height="${(oh - 0.6).toFixed(1)}"/>`);
  });
  // Scopes that only contain one scope share its frame.
  const open = [[layerTree(), 0, 0, W, H]];
  while (open.length > 0) {
    let [node, x, y, w, h] = open.pop();
    let name = node.name;
    while (node.children.length === 1 && node.children[0].children.length > 0) {
      node = node.children[0];
      name += (name ? '/' : '') + node.name;
    }
    const isLeaf = node.children.length === 0;
    const title = name + (node.repeats > 1 ? ` \u00d7${node.repeats}` : '');
    if (isLeaf) {
      drawOps(node, x, y, w, h);
      if (w > 40 && h > 15) labels.push(labelText(x + 4, y + 12, shorten(title, Math.floor((w - 6) / CHARACTER)), 'start', 'boxed'));
      continue;
    }
    if (name !== '' && w > 30 && h > 2.2 * LAYER_TITLE) {
      body.push(`<rect class="frame" x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${(w - 0.6).toFixed(1)}" height="${(h - 0.6).toFixed(1)}">` +
        `<title>${escapeText(node.path)}: ${seconds(node.value)}, ${shareOfStep(node.value)}</title></rect>`);
      const share = w > 160 ? `  ${seconds(node.value)}` : '';
      labels.push(labelText(x + 5, y + 12, shorten(title, Math.max(4, Math.floor((w - 8) / CHARACTER) - share.length)) + share, 'start', 'plain'));
      [x, y, w, h] = [x + 2, y + LAYER_TITLE, w - 4, h - LAYER_TITLE - 2];
    }
    squarify(node.children.sort(largestFirst), x, y, w, h, (child, cx, cy, cw, ch) => {
      if (cw >= 1 && ch >= 1) open.push([child, cx, cy, cw, ch]);
    });
  }
  $('treemap').innerHTML = svg(W, H, body.join('') + labels.join(''));
}
