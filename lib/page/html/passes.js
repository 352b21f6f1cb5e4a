// The page of a compile, or of two: charts of the states after each pass, and their table.
addEventListener('error', (e) => document.documentElement.setAttribute('data-error', e.message));
const data = JSON.parse($('data').textContent);
const isPair = data.schema.startsWith('hloroof.pass_comparison');

// One point of a line. `own` is false where the compile has no such pass, and is as it was.
function point(row, side, own) {
  const of = (name) => row[side + name];
  return {step: of('step_seconds'), peak: of('peak_bytes'), state: of('state') || '', error: of('error'), own};
}
const known = (p) => (p.error === null ? p : {...p, step: null, peak: null});

// The rows of the chart and the table: a label and a point for each compile.
const rows = data.passes.map((row, index) => {
  const label = row.pass === 'start' ? `start of ${row.pipeline}` : row.pass;
  const points = isPair ?
    [point(row, 'before_', row.before_file !== null), point(row, 'after_', row.after_file !== null)] : [point(row, '', true)];
  const isTurn = isPair && [data.part, data.part_for_good].includes(index);
  const changed = isPair ? isTurn || row.growth_seconds || row.lasting_seconds || index === 0 : row.changed || row.error !== null;
  return {index, label, pipeline: row.pipeline, points: points.map(known), changed: Boolean(changed), row};
});
// The first of two lines is wide, so that it shows where both are the same.
const LINES = isPair ? [{name: `before: ${data.before}`, look: 'mxu wide'}, {name: `after: ${data.after}`, look: 'hbm'}] :
  [{name: data.folder, look: 'mxu'}];
const runs = (p) => p.state === '';
const signed = (v, format) => (v < 0 ? '-' : '+') + format(Math.abs(v));
const bracketed = (text, plain) => (plain || text === '' ? text : `[${text}]`);
const place = (row) => (row.pipeline && !row.label.startsWith('start of') ? `${row.label} (${row.pipeline})` : row.label);

// ---- charts ----

// The lines that mark where two compiles part, as [index of the row, label]. Each has a band above the chart.
const TURNS = !isPair || data.part === null ? [] : [[data.part, 'they part'],
  ...(data.part_for_good === null || data.part_for_good === data.part ? [] : [[data.part_for_good, 'they part for good']])];
const CHART = {L: 78, R: 14, T: 26 + 16 * TURNS.length, B: 12};

// Tick marks of a linear scale from 0.
function linearTicks(most) {
  const unit = 10 ** Math.floor(Math.log10(most / 4));
  const step = [1, 2, 5, 10].map((m) => m * unit).find((s) => most / s <= 5);
  const ticks = [];
  for (let v = 0; v <= most * 1.0001; v += step) ticks.push(v);
  return ticks;
}
// The same in powers of two, for bytes.
function byteTicks(most) {
  let step = 1;
  while (most / step > 5) step *= 2;
  const ticks = [];
  for (let v = 0; v <= most; v += step) ticks.push(v);
  return ticks;
}
// Tick marks of a logarithmic scale, denser if it spans little.
function logTicks(least, most) {
  for (const parts of [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 6, 8]]) {
    const ticks = [];
    for (let e = Math.floor(Math.log10(least)); e <= Math.ceil(Math.log10(most)); ++e) {
      for (const part of parts) ticks.push(part * 10 ** e);
    }
    const inside = ticks.filter((v) => v >= least && v <= most);
    if (inside.length >= 3) return inside;
  }
  return [...new Set([0, 1, 2, 3].map((i) => Number((least * (most / least) ** (i / 3)).toPrecision(3))))];
}

// Where states of the same kind of unfinished module lie, as [kind, first, last]: of the compile that is behind.
function unfinishedSpans() {
  const spans = [];
  rows.forEach((row, i) => {
    const state = row.points.map((p) => p.state).find((s) => s !== '') || '';
    const last = spans[spans.length - 1];
    if (last !== undefined && last[0] === state) last[2] = i; else spans.push([state, i, i]);
  });
  return spans.filter(([state]) => state !== '');
}

// A line of one compile: horizontal while a state lasts, dashed where nothing would run the module.
function lineOf(side, key, X, Y, look) {
  const solid = [], dashed = [], dots = [];
  let before = null;
  rows.forEach((row, i) => {
    const p = row.points[side];
    const value = p[key];
    if (value === null || value === undefined || value <= 0) { before = null; return; }
    const [x, y] = [X(i), Y(value)];
    if (before !== null) {
      (runs(p) && before.runs ? solid : dashed).push(`M${before.x.toFixed(1)} ${before.y.toFixed(1)}H${x.toFixed(1)}V${y.toFixed(1)}`);
    }
    const isNew = before === null || before.value !== value || before.runs !== runs(p);
    before = {x, y, value, runs: runs(p)};
    if (p.own && isNew) {
      dots.push(`<circle class="state ${look}${runs(p) ? '' : ' unfinished'}" data-row="${i}" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="3"/>`);
    }
  });
  const path = (parts, kind) => (parts.length === 0 ? '' : `<path class="states ${look}${kind}" d="${parts.join('')}"/>`);
  return path(dashed, ' unfinished') + path(solid, '') + dots.join('');
}

// A vertical line with a label, on the side of the line that has room.
function flag(x, W, H, text, y) {
  const right = x < W / 2;
  const label = shorten(text, Math.floor(((right ? W - x : x) - 16) / CHARACTER));
  return `<line class="peak" x1="${x}" x2="${x}" y1="${y - 10}" y2="${H - CHART.B}"/>` +
    `<text class="label boxed" x="${x + (right ? 5 : -5)}" y="${y}" text-anchor="${right ? 'start' : 'end'}">${escapeText(label)}</text>`;
}

// Draws one number of all states into the element `id`. `scale` is 'log' for numbers of which ratios matter.
function drawChart(id, key, format, scale) {
  const W = widthOf(id), H = W < 600 ? 240 : 300;
  const {L, R, T, B} = CHART;
  const values = rows.flatMap((row) => row.points.map((p) => p[key])).filter((v) => v > 0);
  if (values.length === 0) { $(id).innerHTML = '<p>not known</p>'; return; }
  const least = Math.min(...values) / 1.06, most = Math.max(...values) * (scale === 'log' ? 1.06 : 1.08);
  const share = scale === 'log' ? (v) => Math.log(v / least) / Math.log(most / least) : (v) => v / most;
  const X = (i) => L + 8 + (rows.length < 2 ? 0 : i / (rows.length - 1) * (W - L - R - 16));
  const Y = (v) => H - B - share(v) * (H - T - B);
  const ticks = scale === 'log' ? logTicks(least, most) : format === bytes ? byteTicks(most) : linearTicks(most);
  const body = [];
  const half = rows.length < 2 ? 8 : (X(1) - X(0)) / 2;
  for (const [state, first, last] of unfinishedSpans()) {
    const [from, to] = [X(first) - half, X(last) + half];
    body.push(`<rect class="lacking" x="${from.toFixed(1)}" y="${T - 18}" width="${(to - from).toFixed(1)}" height="${H - T - B + 18}"/>`);
    const text = fits(state, to - from - 8) ? state : (state.split(' ')[1] || '').slice(0, 1).toUpperCase();
    if (to - from > 10) body.push(`<text x="${((from + to) / 2).toFixed(1)}" y="${T - 6}" text-anchor="middle">${escapeText(text)}</text>`);
  }
  for (const v of ticks) {
    body.push(`<line class="grid" x1="${L}" x2="${W - R}" y1="${Y(v).toFixed(1)}" y2="${Y(v).toFixed(1)}"/>` +
      `<text x="${L - 6}" y="${(Y(v) + 4).toFixed(1)}" text-anchor="end">${format(v)}</text>`);
  }
  LINES.forEach((line, side) => body.push(lineOf(side, key, X, Y, line.look)));
  TURNS.forEach(([index, what], i) => body.push(flag(X(index), W, H, `${what}: ${place(rows[index])}`, 15 + 16 * i)));
  $(id).innerHTML = svg(W, H, body.join(''));
}

function drawCharts() {
  drawChart('step', 'step', seconds, 'log');
  drawChart('memory', 'peak', bytes, 'linear');
}

// ---- summary and table ----

const cardHtml = ([name, value, remark]) =>
  `<div class="card"><span>${escapeText(name)}</span><b>${escapeText(value)}</b><span>${escapeText(remark)}</span></div>`;

function drawSummary() {
  $('title').textContent = `Passes of ${data.module} on ${data.device} ${data.topology || ''}`.trim();
  document.title = $('title').textContent;
  $('verdict').textContent = isPair ? data.summary : '';
  const last = (side) => [...rows].reverse().map((row) => row.points[side]).find((p) => p.step !== null && p.step !== undefined);
  const ends = LINES.map((line, side) => last(side));
  const cards = LINES.map((line, side) => [isPair ? ['step before', 'step after'][side] : 'step at the end',
    ends[side] === undefined ? 'not known' : seconds(ends[side].step), ends[side] === undefined ? '' : `${bytes(ends[side].peak)} peak memory`]);
  if (isPair && ends.every((end) => end !== undefined)) {
    const change = ends[1].step - ends[0].step;
    cards.push(change === 0 ? ['difference', 'none', ''] :
      ['difference', signed(change, seconds), ends[0].step > 0 ? signed(change / ends[0].step, percent) : '']);
  }
  cards.push(['states', String(rows.length), `${rows.filter((row) => row.changed).length} changed ${isPair ? 'the difference' : 'a number'}`]);
  $('cards').innerHTML = cards.map(cardHtml).join('');
  $('lines').innerHTML = isPair ? LINES.map((line) => `<span><i class="${line.look}"></i>${escapeText(line.name)}</span>`).join('') : '';
}

const numberCell = (p, format, key) => (p.error !== null ? '?' : !p.own ? '' : bracketed(format(p[key]), key !== 'step' || runs(p)));
const letterOf = (state) => (state.split(' ')[1] || '').slice(0, 1).toUpperCase();
const changeCell = (value, format, plain) => (value ? bracketed(signed(value, format), plain) : '');
const lacks = (row) => [...new Set(row.points.map((p) => letterOf(p.state) || '-'))].join('/').replace(/^-$/, '');

const named = (text, look) => `<span class="${look}" title="${escapeText(text)}">${escapeText(text)}</span>`;
// Titles, whether they are text, and cells of a row.
const COLUMNS = isPair ? [
  ['pass', true, (r) => named(r.label, 'op')], ['pipeline', true, (r) => named(r.pipeline, '')],
  ['before', false, (r) => numberCell(r.points[0], seconds, 'step')], ['after', false, (r) => numberCell(r.points[1], seconds, 'step')],
  ['difference', false, (r) => (r.row.same_program ? 'same' : changeCell(r.row.difference_seconds, seconds, r.points.every(runs)))],
  ['growth', false, (r) => changeCell(r.row.growth_seconds, seconds, r.points.every(runs))],
  ['lasting', false, (r) => changeCell(r.row.lasting_seconds, seconds, r.points.every(runs))],
  ['memory before', false, (r) => numberCell(r.points[0], bytes, 'peak')], ['memory after', false, (r) => numberCell(r.points[1], bytes, 'peak')],
  ['lacks', true, lacks],
] : [
  ['pass', true, (r) => named(r.label, 'op')], ['pipeline', true, (r) => named(r.pipeline, '')],
  ['step', false, (r) => numberCell(r.points[0], seconds, 'step')], ['change', false, (r) => changeCell(r.row.step_change_seconds, seconds, runs(r.points[0]))],
  ['memory', false, (r) => numberCell(r.points[0], bytes, 'peak')], ['change', false, (r) => changeCell(r.row.peak_change_bytes, bytes, true)],
  ['collectives', false, (r) => r.row.collectives], ['copies', false, (r) => r.row.copies], ['instructions', false, (r) => r.row.instructions],
  ['lacks', true, lacks],
];

function drawStates() {
  const all = $('all').checked;
  const shown = rows.filter((row) => all || row.changed);
  $('states').querySelector('thead tr').innerHTML =
    COLUMNS.map(([title, isText]) => `<th${isText ? ' class="text"' : ''}>${title}</th>`).join('');
  $('states').querySelector('tbody').innerHTML = shown.map((row) => {
    const why = row.points.map((p) => p.error).filter(Boolean).join('; ');
    const isTurn = isPair && [data.part, data.part_for_good].includes(row.index);
    return `<tr data-row="${row.index}"${isTurn ? ' class="turn"' : ''}${why ? ` title="${escapeText(why)}"` : ''}>` +
      COLUMNS.map(([, isText, cell]) => `<td${isText ? ' class="text"' : ''}>${cell(row)}</td>`).join('') + '</tr>';
  }).join('');
  $('shown').textContent = `${shown.length} of ${rows.length}`;
}

// ---- pointer ----

const rowAt = (target) => { const e = target.closest('[data-row]'); return e === null ? null : rows[Number(e.dataset.row)]; };

function tipText(row) {
  const lines = row.points.map((p, side) => {
    if (p.step === null || p.step === undefined) return `${LINES[side].name}: not predicted`;
    return `${isPair ? LINES[side].name + ': ' : ''}${bracketed(seconds(p.step), runs(p))}, ${bytes(p.peak)}${runs(p) ? '' : ', ' + p.state}`;
  });
  return [place(row), ...lines].join('\n');
}

function choose(index) {
  const row = rows[index];
  if (!row.changed && !$('all').checked) { $('all').checked = true; drawStates(); }
  for (const tr of document.querySelectorAll('#states tbody tr')) tr.classList.toggle('chosen', Number(tr.dataset.row) === index);
  for (const dot of document.querySelectorAll('circle.state')) dot.classList.toggle('chosen', Number(dot.dataset.row) === index);
  const box = $('scroll'), line = document.querySelector('#states tr.chosen');
  if (line !== null) box.scrollTop = line.offsetTop - box.clientHeight / 2;
}

document.addEventListener('click', (e) => { const row = rowAt(e.target); if (row !== null) choose(row.index); });
document.addEventListener('mousemove', (e) => {
  const row = e.target instanceof SVGElement ? rowAt(e.target) : null;
  $('tip').hidden = row === null;
  if (row === null) return;
  $('tip').textContent = tipText(row);
  const left = Math.min(e.clientX + 14, innerWidth - $('tip').offsetWidth - 8);
  $('tip').style.transform = `translate(${left}px, ${e.clientY + 16}px)`;
});
$('all').addEventListener('change', drawStates);

let lastWidth = innerWidth;
addEventListener('resize', () => {
  if (innerWidth === lastWidth) return;
  lastWidth = innerWidth;
  drawCharts();
});
const setPrinting = (on) => { isPrinting = on; drawCharts(); };
addEventListener('beforeprint', () => setPrinting(true));
addEventListener('afterprint', () => setPrinting(false));

drawSummary();
drawCharts();
drawStates();
document.documentElement.setAttribute('data-states', rows.length);
document.documentElement.setAttribute('data-dots', document.querySelectorAll('circle.state').length);
