// Roofline, timeline, memory and treemap, as SVG. Elements that belong to an op have its index as data-op.
const mark = (op) => `data-op="${op.index}" `;

// Merges element types with the same rate into one line.
function computeRoofs() {
  const merged = [];
  for (const roof of data.roofs.filter((r) => r.is_compute)) {
    const same = merged.find((other) => other.rate === roof.rate);
    if (same === undefined) merged.push({...roof}); else same.name += ', ' + roof.name;
  }
  return merged.sort((a, b) => b.rate - a.rate);
}

function drawRoofline() {
  const W = 1200, H = 430, L = 78, R = 16, T = 18, B = 40;
  const lowest = 1e-3;  // ops without flops or bytes are drawn at the edge
  const compute = computeRoofs();
  const memory = data.roofs.filter((r) => !r.is_compute).sort((a, b) => b.rate - a.rate);
  const main = memory.find((r) => r.name === 'hbm') || memory[0];
  let leastX = 0.1, mostX = 1e4;
  const peak = Math.max(1, ...compute.map((r) => r.rate));
  let leastY = peak / 1e4;
  for (const op of timed) {
    if (op.intensity > 0) { leastX = Math.min(leastX, op.intensity); mostX = Math.max(mostX, op.intensity); }
    if (op.rate > peak / 1e8) leastY = Math.min(leastY, op.rate);
  }
  const x0 = Math.floor(Math.log10(Math.max(lowest, leastX)));
  const x1 = Math.ceil(Math.log10(mostX));
  const y1 = Math.ceil(Math.log10(peak) + 0.2);
  const y0 = Math.max(y1 - 8, Math.floor(Math.log10(leastY)));
  const within = (v, low, high) => Math.min(high, Math.max(low, Math.log10(Math.max(v, 1e-300))));
  const X = (v) => L + (within(v, x0, x1) - x0) / (x1 - x0) * (W - L - R);
  const Y = (v) => H - B - (within(v, y0, y1) - y0) / (y1 - y0) * (H - T - B);
  let body = '';
  for (let e = x0; e <= x1; ++e) {
    const x = X(10 ** e);
    body += `<line class="grid" x1="${x}" x2="${x}" y1="${T}" y2="${H - B}"/><text x="${x}" y="${H - B + 15}" ` +
      `text-anchor="middle">${e >= 0 && e < 4 ? 10 ** e : '1e' + e}</text>`;
  }
  for (let e = y0; e <= y1; ++e) {
    const y = Y(10 ** e);
    body += `<line class="grid" x1="${L}" x2="${W - R}" y1="${y}" y2="${y}"/><text x="${L - 6}" y="${y + 4}" ` +
      `text-anchor="end">${rate(10 ** e, 'flop/s')}</text>`;
  }
  body += `<text x="${(L + W - R) / 2}" y="${H - 8}" text-anchor="middle">flop per byte of main memory</text>`;
  const longest = timed.reduce((most, op) => Math.max(most, op.total_seconds), 1e-300);
  const dots = [];
  for (const op of [...timed].sort((a, b) => b.total_seconds - a.total_seconds)) {
    const radius = 2 + 16 * Math.sqrt(op.total_seconds / longest);
    dots.push(`<circle ${mark(op)}class="${boundClass(op.bound)}" cx="${X(op.intensity).toFixed(1)}" ` +
      `cy="${Y(op.rate).toFixed(1)}" r="${radius.toFixed(1)}"/>`);
  }
  body += dots.join('');
  let above = 0;  // y of the label of the roof above
  compute.forEach((r, i) => {
    const from = main === undefined ? 10 ** x0 : Math.max(10 ** x0, r.rate / main.rate);
    const y = Y(r.rate);
    const label = Math.max(y - 4, above + 12);
    above = label;
    body += `<line class="roof${i > 0 ? ' other' : ''}" x1="${X(from)}" x2="${W - R}" y1="${y}" y2="${y}"/>` +
      `<text class="roofname" x="${W - R - 4}" y="${label}" text-anchor="end">${r.name} ${rate(r.rate, 'flop/s')}</text>`;
  });
  memory.forEach((r, i) => {
    const from = Math.max(10 ** x0, 10 ** y0 / r.rate);
    const to = Math.min(10 ** x1, peak / r.rate);
    if (to <= from) return;
    const main_roof = r === main;
    const at = X(from) + 14 + 60 * i;
    const intensity = 10 ** (x0 + (at - L) / (W - L - R) * (x1 - x0));
    const slope = Math.atan2((H - T - B) / (y1 - y0), (W - L - R) / (x1 - x0)) * -180 / Math.PI;
    body += `<line class="roof${main_roof ? '' : ' other'}" x1="${X(from)}" y1="${Y(from * r.rate)}" x2="${X(to)}" ` +
      `y2="${Y(to * r.rate)}"/><text class="roofname" transform="translate(${at.toFixed(1)} ` +
      `${(Y(intensity * r.rate) - 5).toFixed(1)}) rotate(${slope.toFixed(1)})">${r.name} ${rate(r.rate, 'B/s')}</text>`;
  });
  $('roofline').innerHTML = svg(W, H, body);
  const bounds = [...new Set(timed.map((op) => op.bound))].filter(Boolean);
  $('legend').innerHTML = bounds.map((b) => `<span><i class="${boundClass(b)}"></i>${b}</span>`).join('');
}

// ---- timeline ----

const timelineEnd = data.timeline.reduce((end, e) => Math.max(end, e[3]), 1e-300);
let timelineRange = [0, timelineEnd];
const TIMELINE = {W: 1200, L: 78, R: 10, row: 26};

// Merges events narrower than a pixel: each pixel gets the colour of the resource with most time in it.
function drawTimeline() {
  const {W, L, R, row} = TIMELINE;
  const lanes = [...new Set(data.timeline.map((e) => e[1]))];
  const [from, to] = timelineRange;
  const scale = (W - L - R) / (to - from);
  const H = 26 + row * lanes.length + 10;
  const least = 0.5;
  const body = [];
  lanes.forEach((lane, i) => {
    body.push(`<text x="${L - 8}" y="${row * i + 22}" text-anchor="end">${escapeText(lane)}</text>`);
    const pixels = new Map();  // x to {class: width}
    for (const [index, on, begin, end] of data.timeline) {
      if (on !== lane || end < from || begin > to) continue;
      const op = ops[index];
      const x = L + (Math.max(begin, from) - from) * scale;
      const width = (Math.min(end, to) - Math.max(begin, from)) * scale;
      if (width < least) {
        if (isContainer(op)) continue;
        const pixel = pixels.get(Math.floor(x)) || {};
        pixel[boundClass(op.bound)] = (pixel[boundClass(op.bound)] || 0) + width;
        pixels.set(Math.floor(x), pixel);
        continue;
      }
      // Loops and calls are drawn as an outline around the ops in them.
      const look = isContainer(op) ? 'outline' : boundClass(op.bound);
      body.push(`<rect ${mark(op)}class="${look}" x="${x.toFixed(1)}" y="${i * row + 8}" width="${width.toFixed(1)}" ` +
        `height="${row - 6}"/>`);
    }
    for (const [x, pixel] of pixels) {
      const [name, width] = Object.entries(pixel).reduce((a, b) => (b[1] > a[1] ? b : a));
      body.push(`<rect class="many ${name}" x="${x}" y="${i * row + 8}" width="1" height="${row - 6}" ` +
        `opacity="${Math.min(1, 0.25 + width).toFixed(2)}"/>`);
    }
  });
  for (let i = 0; i <= 5; ++i) {
    body.push(`<text x="${L + (W - L - R) * i / 5}" y="${H - 8}" text-anchor="${i === 5 ? 'end' : 'middle'}">` +
      `${seconds(from + (to - from) * i / 5)}</text>`);
  }
  $('timeline').innerHTML = svg(W, H, body.join(''));
  $('whole').hidden = from === 0 && to === timelineEnd;
}

function zoomTimeline(from, to) {
  const least = timelineEnd * 1e-7;
  timelineRange = to - from < least ? [0, timelineEnd] : [Math.max(0, from), Math.min(timelineEnd, to)];
  drawTimeline();
  collectMarks();
}

// ---- memory ----

function drawMemory() {
  const levels = data.memory_over_program;
  const capacity = data.prediction.memory.capacity_bytes;
  const W = 1200, H = 180, L = 78, R = 10, T = 10, B = 22;
  const top = Math.max(1, ...levels) * 1.15;
  const X = (i) => L + (W - L - R) * i / Math.max(1, levels.length - 1);
  const Y = (v) => H - B - (H - T - B) * v / top;
  let path = `M ${L} ${H - B}`;
  levels.forEach((v, i) => { path += ` L ${X(i).toFixed(1)} ${Y(v).toFixed(1)}`; });
  let body = `<path d="${path} L ${W - R} ${H - B} Z" class="level"/>`;
  for (let i = 0; i <= 3; ++i) {
    const y = Y(top * i / 3);
    body += `<line class="grid" x1="${L}" x2="${W - R}" y1="${y}" y2="${y}"/><text x="${L - 6}" y="${y + 4}" ` +
      `text-anchor="end">${bytes(Math.round(top * i / 3))}</text>`;
  }
  if (capacity <= top) {
    body += `<line class="roof" x1="${L}" x2="${W - R}" y1="${Y(capacity)}" y2="${Y(capacity)}"/>` +
      `<text x="${W - R - 4}" y="${Y(capacity) - 4}" text-anchor="end">capacity ${bytes(capacity)}</text>`;
  }
  body += `<text x="${L}" y="${H - 6}">first instruction</text><text x="${W - R}" y="${H - 6}" text-anchor="end">last</text>`;
  const live = data.prediction.memory.live_at_peak.slice(0, 8);
  $('memory').innerHTML = svg(W, H, body) + '<p>Largest at the peak: ' +
    live.map((b) => `<code>${escapeText(b.name)}</code> ${bytes(b.bytes)}`).join(', ') + '</p>';
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

function drawTreemap() {
  const W = 1200, H = 340;
  const layers = new Map();
  for (const op of ops) {
    if (!(op.exposed_seconds > 0)) continue;
    if (!layers.has(op.layer)) layers.set(op.layer, {name: op.layer || '[none]', value: 0, ops: []});
    const layer = layers.get(op.layer);
    layer.value += op.exposed_seconds;
    layer.ops.push({op, value: op.exposed_seconds});
  }
  const body = [];
  const labels = [];
  const largestFirst = (a, b) => b.value - a.value;
  squarify([...layers.values()].sort(largestFirst), 0, 0, W, H, (layer, x, y, w, h) => {
    layer.ops.sort(largestFirst);
    squarify(layer.ops, x + 1, y + 1, w - 2, h - 2, (item, ox, oy, ow, oh) => {
      if (ow < 1 || oh < 1) return;
      body.push(`<rect ${mark(item.op)}class="${boundClass(item.op.bound)}" x="${ox.toFixed(1)}" y="${oy.toFixed(1)}" ` +
        `width="${(ow - 0.6).toFixed(1)}" height="${(oh - 0.6).toFixed(1)}"/>`);
    });
    if (w > 70 && h > 16) {
      labels.push(`<text class="label" x="${x + 5}" y="${y + 14}">${escapeText(shorten(layer.name, Math.floor(w / 6.5)))}</text>`);
    }
  });
  $('treemap').innerHTML = svg(W, H, body.join('') + labels.join(''));
}
