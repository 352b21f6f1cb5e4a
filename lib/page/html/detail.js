// The details of the chosen op, and the graph around it.
let chosen = -1;

const GRAPH = {W: 420, left: 28, height: 36, gap: 7, most: 7};

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

// The operands above the op and its users below it, with a line from each. Ops that do not fit are counted.
function drawGraph(index) {
  const {W, height, gap, most, left} = GRAPH;
  const [before, after] = [operandsOf(index), usersOf(index)];
  const rows = [...before.slice(0, most).map((at) => [at, 'operand']), [index, ''], ...after.slice(0, most).map((at) => [at, 'user'])];
  const body = [];
  const Y = (i) => 4 + i * (height + gap);
  const center = Math.min(most, before.length);
  rows.forEach(([at, role], i) => {
    const op = ops[at];
    const x = role === '' ? left / 2 : left;
    const time = op.exposed_seconds > 0 ? `${seconds(op.exposed_seconds)} in step` : op.total_seconds > 0 ? seconds(op.total_seconds) : '';
    body.push(`<g ${mark(op)}class="node${role === '' ? ' center' : ''}" tabindex="0"><rect class="${boundClass(op.bound)}" ` +
      `x="${x}" y="${Y(i)}" width="${W - x - 4}" height="${height}" rx="5"/><text class="name" x="${x + 8}" y="${Y(i) + 15}">` +
      `${escapeText(shorten(op.name, 46))}</text><text x="${x + 8}" y="${Y(i) + 29}">` +
      `${escapeText(shorten([role, op.opcode, time].filter(Boolean).join(', '), 58))}</text></g>`);
    if (role === '') return;
    const [y1, y2] = role === 'operand' ? [Y(i) + height / 2, Y(center)] : [Y(center) + height, Y(i) + height / 2];
    body.push(role === 'operand' ? `<path class="edge" d="M ${left} ${y1} H ${left * 0.75} V ${y2}"/>` :
      `<path class="edge" d="M ${left * 0.75} ${y1} V ${y2} H ${left}"/>`);
  });
  const more = (list, name) => (list.length > most ? `${list.length - most} more ${name}` : '');
  const rest = [more(before, 'operands'), more(after, 'users')].filter(Boolean).join(', ');
  return '<h3>Operands and users</h3>' + svg(W, Y(rows.length) + 2, body.join('')) + (rest ? `<p class="keys">And ${rest}.</p>` : '');
}

// Every described number and text that is neither unknown nor zero.
function allFields(op) {
  const described = page.columns.filter((column) => column.meaning && op[column.name] && typeof op[column.name] !== 'object');
  return described.map((column) => `<span title="${escapeText(column.meaning)}">${column.name}&nbsp;` +
    `${escapeText(valueText(column, op[column.name]))}</span>`).join(', ');
}

const definitions = (rows) => '<dl>' + rows.map(([key, html]) => `<dt>${key}</dt><dd>${html}</dd>`).join('') + '</dl>';

// Work, overhead and waits, which add up to the time in the step.
function timeParts(op) {
  const own = op.exposed_seconds - op.wait_seconds;
  const parts = [[own - op.overhead_seconds, 'work'], [op.overhead_seconds, 'overhead'], [op.wait_seconds, 'wait']];
  return parts.filter(([v]) => v > 0).map(([v, name]) => `${seconds(v)} ${word(name)}`).join(' + ');
}

function waitRows(op) {
  const queue = (w) => (w.queued_behind === 0 ? '' :
    `, of which it queues ${seconds(w.queued_seconds)} behind ${w.queued_behind} other transfer${w.queued_behind === 1 ? '' : 's'}`);
  return op.waits.map((w) => ['waits for', `${namedLink(w.transfer)} (${escapeText(w.limit)}): <b>${seconds(w.seconds)}</b>${queue(w)}`]);
}

// The ops that wait for this transfer.
function awaitedRows(op) {
  const rows = [];
  for (const other of ops) {
    for (const wait of other.waits) {
      if (wait.transfer === op.name && other !== op) rows.push([wait.seconds, other.index]);
    }
  }
  rows.sort((a, b) => b[0] - a[0]);
  return rows.slice(0, 4).map(([v, index]) => ['awaited by', `${opLink(index)}: <b>${seconds(v)}</b>`]);
}

const shapesOf = (op) => op.result.map((i) => {
  const [text, words] = data.shapes[i];
  return `<details class="shape"><summary><code>${escapeText(text)}</code></summary><pre>${escapeText(words)}</pre></details>`;
}).join('');

function shapesHtml(op) {
  const operands = op.operands.slice(0, 8).map((at, i) => [`operand ${i}`, opLink(at) + shapesOf(ops[at])]);
  return '<h3>Shapes</h3>' + definitions([['result', shapesOf(op)], ...operands]);
}

function formulaHtml(op) {
  if (!op.formula) return '';
  const parameters = data.prediction.parameters.filter((p) => op.numbers.includes(p.path));
  const numbers = parameters.map((p) => `<tr><td class="text"><code>${escapeText(p.path)}</code></td><td>${escapeText(parameterText(p))}</td>` +
    `<td class="text"><span title="${escapeText(p.source)}">${escapeText(p.kind)}</span></td></tr>`);
  return `<h3>Terms of one execution</h3><pre>${escapeText(op.formula)}</pre>` + (numbers.length === 0 ? '' :
    `<details><summary>Numbers of the device in them</summary><div class="wide"><table>${numbers.join('')}</table></div></details>`);
}

function detailHtml(op) {
  const peak = op.efficiency === null ? '' : ' at ' + percent(op.efficiency) + ' of its peak';
  const runs = op.executions === 1 ? '' : ` x ${op.executions} = ${seconds(op.total_seconds)}`;
  const facts = [
    ['opcode', `${op.opcode}, ${op.category}`], ['computation', op.computation],
    ['loop', op.trips === null ? '' : `${op.trips} iteration${op.trips === 1 ? '' : 's'}`],
    ['op_name', op.op_name || ''], ['source', op.place],
    ['time', op.seconds > 0 ? seconds(op.seconds) + runs : ''],
    ['made of', op.terms],
    ['work', op.flops + op.hbm_bytes > 0 ? `${flops(op.flops)}, ${bytes(op.hbm_bytes)} of main memory` : ''],
    ['rates', op.seconds > 0 ? `${rate(op.rate, 'flop/s')}, ${rate(op.bandwidth, 'B/s')}` : ''],
  ].filter(([, value]) => value !== '').map(([key, value]) => [key, escapeText(value)]);
  const bound = op.bound ? [['bound by', boundWord(op.bound) + (isWait(op.bound) ? '' : peak)]] : [];
  const inStep = op.exposed_seconds > 0 ?
    [['in step', `<b>${seconds(op.exposed_seconds)}</b>, ${shareOfStep(op.exposed_seconds)}: ${timeParts(op)}`]] : [];
  const about = data.prediction.diagnostics.filter((d) => d.ops.includes(op.name))
    .map((d) => [d.severity, `[${d.code}] ${messageText(d.message)}`]);
  return '<button id="close" type="button" title="Close (Esc)">close</button>' +
    `<h2 class="op">${escapeText(op.name)}</h2><pre class="hlo">${escapeText(op.hlo)}</pre>` +
    definitions([...inStep, ...waitRows(op), ...awaitedRows(op), ...bound, ...facts, ...about]) + formulaHtml(op) + shapesHtml(op) + drawGraph(op.index) +
    `<details><summary>All fields</summary><p>${allFields(op)}</p></details>`;
}

function choose(index) {
  const wasOpen = chosen >= 0;
  chosen = index;
  for (const element of document.querySelectorAll('.chosen[data-op]')) element.classList.remove('chosen');
  $('detail').hidden = index < 0;
  document.body.classList.toggle('with-detail', index >= 0);
  if (wasOpen !== (index >= 0)) drawPlots();  // the page has another width
  markRoof();
  if (index < 0) return;
  for (const element of document.querySelectorAll(`circle[data-op="${index}"], rect[data-op="${index}"], tr[data-op="${index}"]`)) {
    element.classList.add('chosen');
  }
  $('detail').innerHTML = detailHtml(ops[index]);
  $('detail').scrollTop = 0;
}
