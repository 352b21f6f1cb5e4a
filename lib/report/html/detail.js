// The details of the chosen op, and the graph around it.
let chosen = -1;

const GRAPH = {W: 1200, box: 196, height: 36, gap: 10, most: 7};

// The graph skips ops that only forward values.
const HANDS_ON = new Set(['get-tuple-element', 'tuple', 'bitcast']);
function reached(index, next) {
  const found = new Set();
  const seen = new Set([index]);
  const open = [index];
  while (open.length > 0 && seen.size < 2000) {
    for (const other of next(open.pop())) {
      if (seen.has(other)) continue;
      seen.add(other);
      if (HANDS_ON.has(ops[other].opcode)) open.push(other); else found.add(other);
    }
  }
  return [...found].sort((a, b) => ops[b].total_seconds - ops[a].total_seconds);
}
const operandsOf = (index) => reached(index, (at) => ops[at].operands);
const usersOf = (index) => reached(index, (at) => users[at]);

// Two columns of operands and two of users. Ops that do not fit into a column are counted.
function graphOf(index) {
  const seen = new Set([index]);
  const side = (next) => {
    const columns = [];
    let edge = [index];
    for (let step = 0; step < 2; ++step) {
      const found = [];
      for (const at of edge) for (const other of next(at)) if (!seen.has(other)) { seen.add(other); found.push(other); }
      columns.push(found.slice(0, GRAPH.most));
      columns[step].more = found.length - columns[step].length;
      edge = columns[step];
    }
    return columns;
  };
  const before = side(operandsOf);
  const after = side(usersOf);
  const middle = [index];
  middle.more = 0;
  return [before[1], before[0], middle, after[0], after[1]];
}

function drawGraph(index) {
  const {W, box, height, gap} = GRAPH;
  const columns = graphOf(index);
  const rows = Math.max(...columns.map((c) => c.length + (c.more > 0 ? 1 : 0)));
  const H = rows * (height + gap) + 26;
  const place = new Map();
  const nodes = [];
  columns.forEach((column, c) => {
    const x = c * (W - box) / (columns.length - 1);
    const count = column.length + (column.more > 0 ? 1 : 0);
    const top = 18 + (H - 26 - count * (height + gap)) / 2;
    column.forEach((at, i) => {
      const y = top + i * (height + gap);
      place.set(at, [x, y]);
      const op = ops[at];
      const time = op.total_seconds > 0 ? ', ' + seconds(op.total_seconds) : '';
      nodes.push(`<g ${mark(op)}class="node${at === index ? ' center' : ''}" tabindex="0"><rect class="${boundClass(op.bound)}" ` +
        `x="${x}" y="${y}" width="${box}" height="${height}" rx="5"/><text class="name" x="${x + 8}" y="${y + 15}">` +
        `${escapeText(shorten(op.name, 28))}</text><text x="${x + 8}" y="${y + 29}">` +
        `${escapeText(shorten(op.opcode + time, 32))}</text></g>`);
    });
    if (column.more > 0) nodes.push(`<text x="${x + 8}" y="${top + column.length * (height + gap) + 20}">and ${column.more} more</text>`);
  });
  const edges = [];
  for (const [at, [x, y]] of place) {
    for (const operand of operandsOf(at)) {
      if (!place.has(operand)) continue;
      const [ox, oy] = place.get(operand);
      if (ox >= x) continue;
      const [x1, y1, x2, y2] = [ox + box, oy + height / 2, x, y + height / 2];
      const mid = (x1 + x2) / 2;
      edges.push(`<path class="edge" d="M ${x1} ${y1} C ${mid} ${y1} ${mid} ${y2} ${x2} ${y2}"/>`);
    }
  }
  const titles = ['', 'operands', '', 'users', ''].map((text, c) =>
    `<text x="${c * (W - box) / 4 + 8}" y="11">${text}</text>`);
  return svg(W, H, edges.join('') + titles.join('') + nodes.join(''));
}

// Every described number and text that is neither unknown nor zero.
function allFields(op) {
  const described = data.columns.filter((column) => column.meaning && op[column.name] && typeof op[column.name] !== 'object');
  return described.map((column) => `<span title="${escapeText(column.meaning)}">${column.name}&nbsp;` +
    `${escapeText(valueText(column, op[column.name]))}</span>`).join(', ');
}

function choose(index) {
  chosen = index;
  for (const element of document.querySelectorAll('.chosen')) element.classList.remove('chosen');
  $('detail').hidden = index < 0;
  if (index < 0) return;
  for (const element of document.querySelectorAll(`circle[data-op="${index}"], rect[data-op="${index}"], tr[data-op="${index}"]`)) {
    element.classList.add('chosen');
  }
  const op = ops[index];
  const peak = op.efficiency === null ? '' : ' at ' + percent(op.efficiency) + ' of its peak';
  const facts = [
    ['opcode', `${op.opcode}, ${op.category}`], ['computation', op.computation], ['op_name', op.op_name || ''],
    ['source', op.place],
    ['time', `${seconds(op.seconds)} x ${op.executions} = ${seconds(op.total_seconds)}, ${seconds(op.exposed_seconds)} of the step`],
    ['made of', op.terms],
    ['bound by', op.bound ? op.bound + peak : 'nothing'],
    ['work', `${flops(op.flops)}, ${bytes(op.hbm_bytes)} of main memory`],
    ['rates', `${rate(op.rate, 'flop/s')}, ${rate(op.bandwidth, 'B/s')}`],
  ].filter(([, value]) => value !== '');
  const about = data.prediction.diagnostics.filter((d) => d.op === op.name);
  $('detail').innerHTML = `<h2 class="op">${escapeText(op.name)}</h2><dl>` +
    facts.map(([k, v]) => `<dt>${k}</dt><dd>${escapeText(v)}</dd>`).join('') +
    `<dt>all fields</dt><dd>${allFields(op)}</dd>` +
    about.map((d) => `<dt>${d.severity}</dt><dd>[${d.code}] ${escapeText(d.message)}</dd>`).join('') + '</dl>' +
    drawGraph(index);
}
