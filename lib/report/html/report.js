'use strict';
// Everything is drawn from the JSON of the page, once; filtering and choosing only change classes and the table.
addEventListener('error', (e) => document.documentElement.setAttribute('data-error', e.message));
const data = JSON.parse(document.getElementById('data').textContent);
const $ = (id) => document.getElementById(id);
const BOUND_COLORS = {mxu: 'mxu', tensor: 'mxu', vpu: 'vpu', cuda: 'vpu', hbm: 'hbm', vmem: 'vmem', l2: 'vmem',
  ici: 'ici', nvlink: 'ici', dcn: 'dcn', network: 'dcn', host: 'host', latency: 'latency'};
const color = (bound) => `var(--${BOUND_COLORS[bound] || 'host'})`;

// Three significant digits, without an exponent.
const digits = (v) => (Math.abs(v) >= 99.95 ? v.toFixed(0) : v.toPrecision(3));

function scaled(value, base, prefixes, unit) {
  let i = 0;
  let shown = value;
  while (i + 1 < prefixes.length && Math.abs(shown) >= base * 0.9995) { shown /= base; ++i; }
  return (i === 0 && Number.isInteger(shown) ? String(shown) : digits(shown)) + ' ' + prefixes[i] + unit;
}
const flops = (v) => scaled(v, 1000, ['', 'k', 'M', 'G', 'T', 'P', 'E'], 'flop');
const rate = (v, unit) => scaled(v, 1000, ['', 'k', 'M', 'G', 'T', 'P', 'E'], unit);
const bytes = (v) => scaled(v, 1024, ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'], 'B');
const percent = (v) => (100 * v).toFixed(1) + ' %';
function seconds(v) {
  if (v === 0) return '0 s';
  const [factor, unit] = v >= 1 ? [1, 's'] : v >= 1e-3 ? [1e3, 'ms'] : v >= 1e-6 ? [1e6, 'us'] : [1e9, 'ns'];
  return digits(v * factor) + ' ' + unit;
}
const escapeText = (text) => String(text).replace(/[&<>"]/g, (c) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'}[c]));

// An op is a row of data.ops by the columns that data.columns names.
const ops = data.ops.map((row, index) => {
  const op = {index};
  data.columns.forEach((name, i) => { op[name] = row[i]; });
  op.bandwidth = op.seconds > 0 ? op.hbm_bytes / op.seconds : 0;
  op.intensity = op.hbm_bytes > 0 ? op.flops / op.hbm_bytes : 0;
  op.rate = op.seconds > 0 ? op.flops / op.seconds : 0;
  return op;
});
const timed = ops.filter((op) => op.total_seconds > 0);
const users = ops.map(() => []);
for (const op of ops) for (const operand of op.operands) users[operand].push(op.index);

let chosen = -1;
let sortBy = 'exposed_seconds';
let descending = true;
let visible = timed;

function svg(width, height, body) {
  return `<svg viewBox="0 0 ${width} ${height}" role="img">${body}</svg>`;
}
const mark = (op) => `data-op="${op.index}" `;
const tip = (op) => `<title>${escapeText(op.name)}\n${seconds(op.total_seconds)}, bound by ${op.bound || 'nothing'}</title>`;

function drawCards() {
  const p = data.prediction;
  const memory = p.memory;
  $('title').textContent = `${p.module.name || 'module'} on ${p.device.name} ${p.device.topology}`;
  document.title = $('title').textContent;
  const cards = [
    ['step time', seconds(p.step_seconds), `${seconds(p.lower_bound_seconds)} with perfect overlap, ${seconds(p.serial_seconds)} with none`],
    ['bound by', p.bound, p.resources.filter((r) => r.name === p.bound).map((r) => percent(r.utilization) + ' of the step busy').join('')],
    ['MFU', p.mfu === null ? 'not known' : percent(p.mfu), flops(p.totals.flops) + ' at the bf16 peak'],
    ['exposed communication', seconds(p.exposed_communication_seconds), p.step_seconds > 0 ? percent(p.exposed_communication_seconds / p.step_seconds) + ' of the step' : ''],
    ['peak memory', bytes(memory.hbm_peak_bytes), `of ${bytes(memory.capacity_bytes)}${memory.fits ? '' : ': does NOT fit'}`, !memory.fits],
    ['coverage', percent(p.coverage.modelled), `${percent(p.coverage.assumed)} assumed, ${percent(p.coverage.unknown)} unknown`],
  ];
  $('cards').innerHTML = cards.map(([name, value, remark, bad]) =>
    `<div class="card${bad ? ' bad' : ''}"><span>${name}</span><b>${escapeText(value)}</b><span>${escapeText(remark)}</span></div>`).join('');
}

function opLink(index) {
  return `<a class="op" href="#" data-op="${index}">${escapeText(ops[index].name)}</a>`;
}

function drawDiagnoses() {
  const byName = new Map(ops.map((op) => [op.name, op.index]));
  $('diagnoses').innerHTML = data.prediction.diagnostics.map((d) => {
    const stake = d.seconds_at_stake === null ? '' : ` <b>${seconds(d.seconds_at_stake)}</b> at stake`;
    const op = d.op === null ? '' : byName.has(d.op) ? ' ' + opLink(byName.get(d.op)) : ` <code>${escapeText(d.op)}</code>`;
    return `<li class="${d.severity}">[${d.code}]${stake}${op}<br>${escapeText(d.message)}</li>`;
  }).join('') || '<li class="info">none</li>';
}

function drawRoofline() {
  const W = 1200, H = 430, L = 78, R = 16, T = 14, B = 40;
  const lowest = 1e-3;  // ops without flops or bytes stand at the edge
  // Types of one rate share a line.
  const compute = [];
  for (const r of data.roofs.filter((roof) => roof.is_compute)) {
    const same = compute.find((other) => other.rate === r.rate);
    if (same === undefined) compute.push({...r}); else same.name += ', ' + r.name;
  }
  const memory = data.roofs.filter((r) => !r.is_compute);
  const xs = timed.map((op) => op.intensity).filter((v) => v > 0);
  const ys = timed.map((op) => op.rate).filter((v) => v > 0);
  const peak = Math.max(1, ...compute.map((r) => r.rate));
  const x0 = Math.floor(Math.log10(Math.max(lowest, Math.min(0.1, ...xs))));
  const x1 = Math.ceil(Math.log10(Math.max(1e4, ...xs)));
  const y1 = Math.ceil(Math.log10(peak) + 0.2);
  const y0 = Math.max(y1 - 8, Math.floor(Math.log10(Math.min(peak / 1e4, ...ys.filter((v) => v > peak / 1e8)))));
  const X = (v) => L + (Math.min(x1, Math.max(x0, Math.log10(Math.max(v, 1e-300)))) - x0) / (x1 - x0) * (W - L - R);
  const Y = (v) => H - B - (Math.min(y1, Math.max(y0, Math.log10(Math.max(v, 1e-300)))) - y0) / (y1 - y0) * (H - T - B);
  let body = '';
  for (let e = x0; e <= x1; ++e) body += `<line class="grid" x1="${X(10 ** e)}" x2="${X(10 ** e)}" y1="${T}" y2="${H - B}"/><text x="${X(10 ** e)}" y="${H - B + 15}" text-anchor="middle">${e >= 0 && e < 4 ? 10 ** e : '1e' + e}</text>`;
  for (let e = y0; e <= y1; ++e) body += `<line class="grid" x1="${L}" x2="${W - R}" y1="${Y(10 ** e)}" y2="${Y(10 ** e)}"/><text x="${L - 6}" y="${Y(10 ** e) + 4}" text-anchor="end">${rate(10 ** e, 'flop/s')}</text>`;
  body += `<text x="${(L + W - R) / 2}" y="${H - 8}" text-anchor="middle">flop per byte of main memory</text>`;
  compute.forEach((r, i) => {
    const from = memory.length > 0 ? Math.max(10 ** x0, r.rate / memory[0].rate) : 10 ** x0;
    body += `<line class="roof${i > 0 ? ' other' : ''}" x1="${X(from)}" x2="${W - R}" y1="${Y(r.rate)}" y2="${Y(r.rate)}"/><text x="${W - R - 4}" y="${Y(r.rate) - 4}" text-anchor="end">${r.name} ${rate(r.rate, 'flop/s')}</text>`;
  });
  memory.forEach((r, i) => {
    const from = Math.max(10 ** x0, 10 ** y0 / r.rate);
    const to = Math.min(10 ** x1, peak / r.rate);
    if (to <= from) return;
    body += `<line class="roof${i > 0 ? ' other' : ''}" x1="${X(from)}" y1="${Y(from * r.rate)}" x2="${X(to)}" y2="${Y(to * r.rate)}"/><text x="${X(from) + 30 + 110 * (i % 3)}" y="${Y(10 ** (Math.log10(from * r.rate) + (30 + 110 * (i % 3)) * (x1 - x0) / (W - L - R))) - 6}">${r.name} ${rate(r.rate, 'B/s')}</text>`;
  });
  const longest = Math.max(1e-300, ...timed.map((op) => op.total_seconds));
  for (const op of [...timed].sort((a, b) => b.total_seconds - a.total_seconds)) {
    const radius = 2 + 16 * Math.sqrt(op.total_seconds / longest);
    body += `<circle ${mark(op)}cx="${X(op.intensity).toFixed(1)}" cy="${Y(op.rate).toFixed(1)}" r="${radius.toFixed(1)}" style="fill:${color(op.bound)};stroke:${color(op.bound)}">${tip(op)}</circle>`;
  }
  $('roofline').innerHTML = svg(W, H, body);
  const bounds = [...new Set(timed.map((op) => op.bound))].filter(Boolean);
  $('legend').innerHTML = bounds.map((b) => `<span><i style="background:${color(b)}"></i>${b}</span>`).join('');
}

function drawTimeline() {
  const lanes = [...new Set(data.timeline.map((e) => e[1]))];
  const end = Math.max(1e-300, ...data.timeline.map((e) => e[3]));
  const W = 1200, L = 78, R = 10, row = 26, H = 26 + row * lanes.length + 10;
  let body = '';
  const least = 0.25;  // narrower than this in pixels adds nothing to see
  let hidden = 0;
  lanes.forEach((lane, i) => { body += `<text x="${L - 8}" y="${row * i + 22}" text-anchor="end">${escapeText(lane)}</text>`; });
  for (const [index, lane, begin, stop] of data.timeline) {
    const width = (stop - begin) / end * (W - L - R);
    if (width < least) { ++hidden; continue; }
    const op = ops[index];
    // What only holds others is drawn as an outline around them.
    const look = ['while', 'conditional', 'call'].includes(op.opcode) ? 'fill:none;stroke:var(--soft);pointer-events:stroke' : `fill:${color(op.bound)}`;
    body += `<rect ${mark(op)}x="${(L + begin / end * (W - L - R)).toFixed(2)}" y="${lanes.indexOf(lane) * row + 8}" width="${width.toFixed(2)}" height="${row - 6}" style="${look}">${tip(op)}</rect>`;
  }
  for (let i = 0; i <= 5; ++i) body += `<text x="${L + (W - L - R) * i / 5}" y="${H - 8}" text-anchor="${i === 5 ? 'end' : 'middle'}">${seconds(end * i / 5)}</text>`;
  $('timeline').innerHTML = svg(W, H, body) + (hidden > 0 ? `<p class="keys">${hidden} events too short to see are left out.</p>` : '');
}

function drawMemory() {
  const levels = data.memory_over_program;
  const capacity = data.prediction.memory.capacity_bytes;
  const W = 1200, H = 180, L = 78, R = 10, T = 10, B = 22;
  const top = Math.max(1, ...levels) * 1.15;
  const X = (i) => L + (W - L - R) * i / Math.max(1, levels.length - 1);
  const Y = (v) => H - B - (H - T - B) * v / top;
  let path = `M ${L} ${H - B}`;
  levels.forEach((v, i) => { path += ` L ${X(i).toFixed(1)} ${Y(v).toFixed(1)}`; });
  let body = `<path d="${path} L ${W - R} ${H - B} Z" style="fill:var(--mxu);fill-opacity:.35;stroke:var(--mxu)"/>`;
  for (let i = 0; i <= 3; ++i) body += `<line class="grid" x1="${L}" x2="${W - R}" y1="${Y(top * i / 3)}" y2="${Y(top * i / 3)}"/><text x="${L - 6}" y="${Y(top * i / 3) + 4}" text-anchor="end">${bytes(Math.round(top * i / 3))}</text>`;
  if (capacity <= top) body += `<line class="roof" x1="${L}" x2="${W - R}" y1="${Y(capacity)}" y2="${Y(capacity)}"/><text x="${W - R - 4}" y="${Y(capacity) - 4}" text-anchor="end">capacity ${bytes(capacity)}</text>`;
  body += `<text x="${L}" y="${H - 6}">first instruction</text><text x="${W - R}" y="${H - 6}" text-anchor="end">last</text>`;
  const live = data.prediction.memory.live_at_peak.slice(0, 8);
  $('memory').innerHTML = svg(W, H, body) + `<p>Largest at the peak: ${live.map((b) => `<code>${escapeText(b.name)}</code> ${bytes(b.bytes)}`).join(', ')}</p>`;
}

// Squarified: rows are filled along the shorter side as long as that makes their worst rectangle squarer.
function squarify(items, x, y, w, h, place) {
  let rest = items.filter((item) => item.value > 0);
  let sum = rest.reduce((s, item) => s + item.value, 0);
  while (rest.length > 0) {
    const side = Math.min(w, h);
    const scale = w * h / sum;
    let row = [], rowSum = 0, worst = Infinity;
    for (const item of rest) {
      const next = (rowSum + item.value) * scale;
      const thick = next / side;
      const ratio = Math.max(...[...row, item].map((r) => { const len = r.value * scale / thick; return Math.max(len / thick, thick / len); }));
      if (ratio > worst) break;
      worst = ratio;
      row.push(item);
      rowSum += item.value;
    }
    const thick = rowSum * scale / side;
    let at = 0;
    for (const item of row) {
      const len = item.value / rowSum * side;
      if (w >= h) place(item, x, y + at, thick, len); else place(item, x + at, y, len, thick);
      at += len;
    }
    if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
    sum -= rowSum;
    rest = rest.slice(row.length);
  }
}

function drawTreemap() {
  const W = 1200, H = 340;
  const layers = new Map();
  for (const op of ops) {
    if (op.exposed_seconds <= 0) continue;
    const layer = layers.get(op.layer) || {name: op.layer || '[none]', value: 0, ops: []};
    layer.value += op.exposed_seconds;
    layer.ops.push({op, value: op.exposed_seconds});
    layers.set(op.layer, layer);
  }
  let body = '';
  const sorted = [...layers.values()].sort((a, b) => b.value - a.value);
  squarify(sorted, 0, 0, W, H, (layer, x, y, w, h) => {
    layer.ops.sort((a, b) => b.value - a.value);
    squarify(layer.ops.slice(0, 60), x + 1, y + 1, Math.max(0.1, w - 2), Math.max(0.1, h - 2), (item, ox, oy, ow, oh) => {
      if (ow < 0.5 || oh < 0.5) return;
      body += `<rect ${mark(item.op)}x="${ox.toFixed(1)}" y="${oy.toFixed(1)}" width="${Math.max(0.1, ow - 0.6).toFixed(1)}" height="${Math.max(0.1, oh - 0.6).toFixed(1)}" style="fill:${color(item.op.bound)};fill-opacity:.75">${tip(item.op)}</rect>`;
    });
    if (w > 70 && h > 16) body += `<text class="label" x="${x + 5}" y="${y + 14}">${escapeText(layer.name.slice(-Math.floor(w / 6.5)))}</text>`;
  });
  $('treemap').innerHTML = svg(W, H, body);
}

const COLUMNS = [
  ['name', 'op', true, (op) => `<span class="op">${escapeText(op.name)}</span>`],
  ['exposed_seconds', 'in step', false, (op) => seconds(op.exposed_seconds)],
  ['total_seconds', 'busy', false, (op) => seconds(op.total_seconds)],
  ['executions', 'runs', false, (op) => op.executions],
  ['bound', 'bound', true, (op) => op.bound || ''],
  ['efficiency', 'roof', false, (op) => op.efficiency === null ? '' : percent(op.efficiency)],
  ['flops', 'flops', false, (op) => flops(op.flops)],
  ['hbm_bytes', 'HBM', false, (op) => bytes(op.hbm_bytes)],
  ['category', 'category', true, (op) => escapeText(op.category)],
  ['op_name', 'op_name', true, (op) => `<span title="${escapeText(op.op_name || '')}">${escapeText((op.op_name || '').split('/').slice(-2).join('/'))}</span>`],
];
const MAX_ROWS = 400;

function drawTable() {
  $('ops').querySelector('thead tr').innerHTML = COLUMNS.map(([key, title, text]) =>
    `<th class="${text ? 'text' : ''}" aria-sort="${key === sortBy ? (descending ? 'descending' : 'ascending') : 'none'}"><button type="button" data-key="${key}">${title}${key === sortBy ? (descending ? ' &#9662;' : ' &#9652;') : ''}</button></th>`).join('');
  let pattern = null;
  try { pattern = new RegExp($('filter').value, 'i'); } catch (e) { pattern = null; }
  const matches = (op) => pattern === null || pattern.test(op.name) || pattern.test(op.op_name || '') || pattern.test(op.category);
  visible = timed.filter(matches).sort((a, b) => {
    const [x, y] = [a[sortBy] ?? -1, b[sortBy] ?? -1];
    const order = x < y ? -1 : x > y ? 1 : a.index - b.index;
    return descending ? -order : order;
  });
  const sum = (list, key) => list.reduce((s, op) => s + op[key], 0);
  const row = (op) => `<tr data-op="${op.index}"${op.index === chosen ? ' class="chosen"' : ''}>` + COLUMNS.map(([, , text, cell]) => `<td class="${text ? 'text' : ''}">${cell(op)}</td>`).join('') + '</tr>';
  const rest = visible.slice(MAX_ROWS);
  const line = (name, list) => `<tr><td class="text">${name}</td><td>${seconds(sum(list, 'exposed_seconds'))}</td><td>${seconds(sum(list, 'total_seconds'))}</td><td colspan="${COLUMNS.length - 3}"></td></tr>`;
  $('ops').querySelector('tbody').innerHTML = visible.slice(0, MAX_ROWS).map(row).join('');
  $('ops').querySelector('tfoot').innerHTML = (rest.length > 0 ? line(`[${rest.length} others]`, rest) : '') + line('TOTAL', visible);
  $('shown').textContent = `${visible.length} of ${timed.length} ops`;
  const keep = new Set(visible.map((op) => op.index));
  for (const element of document.querySelectorAll('#roofline circle, #timeline rect, #treemap rect')) {
    element.classList.toggle('dim', !keep.has(Number(element.dataset.op)));
  }
  const root = document.documentElement;
  root.setAttribute('data-ops', timed.length);
  root.setAttribute('data-dots', document.querySelectorAll('#roofline circle').length);
  root.setAttribute('data-shown', visible.length);
}

function choose(index) {
  chosen = index;
  for (const element of document.querySelectorAll('.chosen')) element.classList.remove('chosen');
  $('detail').hidden = index < 0;
  if (index < 0) return;
  for (const element of document.querySelectorAll(`circle[data-op="${index}"], rect[data-op="${index}"], tr[data-op="${index}"]`)) element.classList.add('chosen');
  const op = ops[index];
  const facts = [
    ['opcode', `${op.opcode}, ${op.category}`], ['computation', op.computation], ['op_name', op.op_name || ''], ['source', op.source || ''],
    ['time', `${seconds(op.seconds)} x ${op.executions} = ${seconds(op.total_seconds)}, ${seconds(op.exposed_seconds)} of the step`],
    ['bound by', op.bound ? `${op.bound}${op.efficiency === null ? '' : ' at ' + percent(op.efficiency) + ' of its peak'}` : 'nothing'],
    ['work', `${flops(op.flops)}, ${bytes(op.hbm_bytes)} of main memory`], ['rates', `${rate(op.rate, 'flop/s')}, ${rate(op.bandwidth, 'B/s')}`],
  ];
  const list = (indices) => indices.slice(0, 24).map(opLink).join(', ') + (indices.length > 24 ? ` and ${indices.length - 24} more` : '');
  $('detail').innerHTML = `<h2 class="op">${escapeText(op.name)}</h2><dl>${facts.map(([k, v]) => `<dt>${k}</dt><dd>${escapeText(v)}</dd>`).join('')}` +
    `<dt>operands</dt><dd>${list(op.operands) || 'none'}</dd><dt>users</dt><dd>${list(users[index]) || 'none'}</dd></dl>`;
}

function isTyping(e) { return e.target instanceof HTMLInputElement; }

document.addEventListener('click', (e) => {
  const key = e.target.closest('button[data-key]');
  if (key !== null) {
    descending = sortBy === key.dataset.key ? !descending : key.dataset.key !== 'name';
    sortBy = key.dataset.key;
    drawTable();
    return;
  }
  const target = e.target.closest('[data-op]');
  if (target === null || target === document.documentElement) return;
  e.preventDefault();
  choose(Number(target.dataset.op));
});
document.addEventListener('keydown', (e) => {
  if (e.key === 'Escape') { choose(-1); $('filter').blur(); return; }
  if (isTyping(e) || e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === '/') { e.preventDefault(); $('filter').focus(); }
  if (e.key === 't') $('theme').click();
  if (e.key === 'j' || e.key === 'k') {
    const at = visible.findIndex((op) => op.index === chosen);
    const next = visible[Math.min(visible.length - 1, Math.max(0, at + (e.key === 'j' ? 1 : -1)))];
    if (next !== undefined) choose(next.index);
  }
});
$('theme').addEventListener('click', () => {
  const root = document.documentElement;
  root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
});
$('filter').addEventListener('input', drawTable);

// The address may carry a filter and a theme: report.html#filter=dot&theme=dark
const wanted = new URLSearchParams(location.hash.slice(1));
document.documentElement.dataset.theme = wanted.get('theme') || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
$('filter').value = wanted.get('filter') || '';
drawCards();
drawDiagnoses();
drawRoofline();
drawTimeline();
drawMemory();
drawTreemap();
drawTable();
if (wanted.has('op')) choose(ops.findIndex((op) => op.name === wanted.get('op')));
