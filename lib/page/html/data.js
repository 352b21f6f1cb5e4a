// The data of the page. `data` is the prediction that the page shows; openStep() chooses another one.
addEventListener('error', (e) => document.documentElement.setAttribute('data-error', e.message));
const page = JSON.parse($('data').textContent);
let data, ops, timed, listed, users, byName;

// Each row of data.ops has the values of page.columns: {name, unit, meaning, title, shared}; of a shared column, the
// index of the value in data.shared. lib/results/prediction_fields.h
// describes them; lib/page/html_report.cc lists further ones.
function makeOp(row, index) {
  const op = {index};
  page.columns.forEach((column, i) => { op[column.name] = column.shared ? data.shared[row[i]] : row[i]; });
  op.place = (op.source_file || '').split('/').pop() + (op.source_line === null ? '' : ':' + op.source_line);
  op.bandwidth = op.seconds > 0 ? op.hbm_bytes / op.seconds : 0;
  op.intensity = op.hbm_bytes > 0 ? op.flops / op.hbm_bytes : 0;
  op.rate = op.seconds > 0 ? op.flops / op.seconds : 0;
  return op;
}

function openStep(number) {
  data = page.steps[number];
  ops = data.ops.map(makeOp);
  timed = ops.filter((op) => op.total_seconds > 0);
  // The rows of the table: also the ops that only wait for a transfer. Their times in the step add up to the step.
  listed = ops.filter((op) => op.total_seconds > 0 || op.exposed_seconds > 0);
  users = ops.map(() => []);
  for (const op of ops) for (const operand of op.operands) users[operand].push(op.index);
  byName = new Map(ops.map((op) => [op.name, op.index]));
}
const isContainer = (op) => ['while', 'conditional', 'call'].includes(op.opcode);
const sumOf = (list, value) => list.reduce((sum, item) => sum + value(item), 0);

const opLink = (index) => `<a class="op" href="#" data-op="${index}">${escapeText(ops[index].name)}</a>`;
const namedLink = (name) => (byName.has(name) ? opLink(byName.get(name)) : `<code>${escapeText(name)}</code>`);
const shareOfStep = (v) => (data.prediction.step_seconds > 0 ? percent(v / data.prediction.step_seconds) : '');

// ---- glossary ----

const glossary = new Map(page.glossary);
// The names of the resources of GPUs are in the entries of those of TPUs.
const meaningOf = (term) => glossary.get(term) ||
  (page.glossary.find(([, meaning]) => meaning.includes('`' + term + '` on GPUs')) || ['', ''])[1];
const withCode = (text) => escapeText(text).replace(/`([^`]*)`/g, '<code>$1</code>');
const plain = (text) => text.replaceAll('`', '');
// A word with its meaning as a tooltip.
function word(text, term) {
  const meaning = meaningOf(term || text);
  return meaning ? `<abbr title="${escapeText(plain(meaning))}">${escapeText(text)}</abbr>` : escapeText(text);
}
// The same for "mxu" and "wait (ici, data)".
const boundWord = (bound) => word(bound, bound.startsWith('wait') ? 'wait' : bound.split(',')[0]);
