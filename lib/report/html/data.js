// The data of the page, and the parts that are drawn at once: cards and diagnoses.
addEventListener('error', (e) => document.documentElement.setAttribute('data-error', e.message));
const data = JSON.parse($('data').textContent);

// Each row of data.ops has the values of data.columns: {name, unit, meaning, title}. lib/report/prediction_fields.h
// describes them; `layer` and `operands` follow.
const ops = data.ops.map((row, index) => {
  const op = {index};
  data.columns.forEach((column, i) => { op[column.name] = row[i]; });
  op.place = (op.source_file || '').split('/').pop() + (op.source_line === null ? '' : ':' + op.source_line);
  op.bandwidth = op.seconds > 0 ? op.hbm_bytes / op.seconds : 0;
  op.intensity = op.hbm_bytes > 0 ? op.flops / op.hbm_bytes : 0;
  op.rate = op.seconds > 0 ? op.flops / op.seconds : 0;
  return op;
});
const timed = ops.filter((op) => op.total_seconds > 0);
// The rows of the table: also the ops that only wait for a transfer.
const listed = ops.filter((op) => op.total_seconds > 0 || op.exposed_seconds > 0);
const users = ops.map(() => []);
for (const op of ops) for (const operand of op.operands) users[operand].push(op.index);
const isContainer = (op) => ['while', 'conditional', 'call'].includes(op.opcode);

function drawCards() {
  const p = data.prediction;
  const memory = p.memory;
  $('title').textContent = `${p.module.name || 'module'} on ${p.device.name} ${p.device.topology}`;
  document.title = $('title').textContent;
  const busy = p.resources.filter((r) => r.name === p.bound).map((r) => percent(r.utilization) + ' of the step busy');
  const share = p.step_seconds > 0 ? percent(p.exposed_communication_seconds / p.step_seconds) + ' of the step' : '';
  const origin = p.module.origin;
  const isOther = p.diagnostics.some((d) => ['wrong-backend', 'not-partitioned', 'not-optimized'].includes(d.code));
  const cards = [
    ['compiled for', origin.backend === 'unknown' ? 'not known' : origin.backend.toUpperCase(),
      origin.stage === 'unknown' ? '' : origin.stage.replace('-', ' '), isOther],
    ['step time', seconds(p.step_seconds),
      `${seconds(p.lower_bound_seconds)} with perfect overlap, ${seconds(p.serial_seconds)} with none`],
    ['bound by', p.bound, busy.join('')],
    ['MFU', p.mfu === null ? 'not known' : percent(p.mfu), flops(p.totals.flops) + ' at the bf16 peak'],
    ['exposed communication', seconds(p.exposed_communication_seconds), share],
    ['peak memory', bytes(memory.hbm_peak_bytes),
      `of ${bytes(memory.capacity_bytes)}${memory.fits ? '' : ': does NOT fit'}`, !memory.fits],
    ['coverage', percent(p.coverage.modelled),
      `${percent(p.coverage.assumed)} assumed, ${percent(p.coverage.unknown)} unknown`],
  ];
  $('cards').innerHTML = cards.map(([name, value, remark, bad]) => `<div class="card${bad ? ' bad' : ''}">` +
    `<span>${name}</span><b>${escapeText(value)}</b><span>${escapeText(remark)}</span></div>`).join('');
}

const opLink = (index) => `<a class="op" href="#" data-op="${index}">${escapeText(ops[index].name)}</a>`;

const FIRST_DIAGNOSES = 8;

function drawDiagnoses(all) {
  const byName = new Map(ops.map((op) => [op.name, op.index]));
  const list = data.prediction.diagnostics;
  const line = (d) => {
    const stake = d.seconds_at_stake === null ? '' : ` <b>${seconds(d.seconds_at_stake)}</b> at stake`;
    const op = d.op === null ? '' : byName.has(d.op) ? ' ' + opLink(byName.get(d.op)) : ` <code>${escapeText(d.op)}</code>`;
    return `<li class="${d.severity}">[${d.code}]${stake}${op}<br>${escapeText(d.message)}</li>`;
  };
  const shown = all ? list : list.slice(0, FIRST_DIAGNOSES);
  const rest = list.length - shown.length;
  $('diagnoses').innerHTML = (shown.map(line).join('') || '<li class="info">none</li>') +
    (rest > 0 ? `<li class="info"><button type="button" id="all-diagnoses">${rest} more</button></li>` : '');
  if (rest > 0) $('all-diagnoses').addEventListener('click', () => drawDiagnoses(true));
}
