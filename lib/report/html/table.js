// The table of ops: filtered, sorted, and of many rows only those in view.
const COLUMNS = [
  ['name', 'op', true, (op) => `<span class="op" title="${escapeText(op.name)}">${escapeText(shorten(op.name, 34))}</span>`],
  ['exposed_seconds', 'in step', false, (op) => seconds(op.exposed_seconds)],
  ['total_seconds', 'busy', false, (op) => seconds(op.total_seconds)],
  ['executions', 'runs', false, (op) => op.executions],
  ['bound', 'bound', true, (op) => op.bound || ''],
  ['efficiency', 'roof', false, (op) => (op.efficiency === null ? '' : percent(op.efficiency))],
  ['flops', 'flops', false, (op) => flops(op.flops)],
  ['hbm_bytes', 'HBM', false, (op) => bytes(op.hbm_bytes)],
  ['category', 'category', true, (op) => escapeText(op.category)],
  ['op_name', 'op_name', true, (op) => `<span title="${escapeText(op.op_name || '')}">` +
    `${escapeText((op.op_name || '').split('/').slice(-2).join('/'))}</span>`],
];
const ROW_HEIGHT = 26;  // as report.css has it
const ALL_ROWS = 300;   // up to here all rows are there

let sortBy = 'exposed_seconds';
let descending = true;
let visible = timed;
let marks = [];  // the elements that stand for ops, outside the table

// After a drawing has been made anew.
function collectMarks() {
  marks = [...document.querySelectorAll('#roofline circle, #timeline rect[data-op], #treemap rect')]
    .map((element) => [Number(element.dataset.op), element]);
  isDimmed = false;
  dim();
}

let isDimmed = false;
function dim() {
  const everything = visible.length === timed.length;
  if (everything && !isDimmed) return;
  const keep = new Uint8Array(ops.length);
  for (const op of visible) keep[op.index] = 1;
  for (const [index, element] of marks) element.classList.toggle('dim', keep[index] === 0);
  isDimmed = !everything;
}

const rowHtml = (op) => `<tr data-op="${op.index}"${op.index === chosen ? ' class="chosen"' : ''}>` +
  COLUMNS.map(([, , text, cell]) => `<td${text ? ' class="text"' : ''}>${cell(op)}</td>`).join('') + '</tr>';

// The rows in view, with room above and below for the others.
function drawRows() {
  const box = $('scroll');
  let first = 0, end = visible.length;
  if (visible.length > ALL_ROWS) {
    first = Math.max(0, Math.floor(box.scrollTop / ROW_HEIGHT) - 20);
    end = Math.min(visible.length, first + Math.ceil(box.clientHeight / ROW_HEIGHT) + 40);
  }
  const space = (count) => (count > 0 ? `<tr class="space" style="height:${count * ROW_HEIGHT}px"></tr>` : '');
  $('ops').querySelector('tbody').innerHTML =
    space(first) + visible.slice(first, end).map(rowHtml).join('') + space(visible.length - end);
}

function drawTable() {
  const title = ([key, name, text]) => {
    const sorted = key === sortBy ? (descending ? 'descending' : 'ascending') : 'none';
    const arrow = key !== sortBy ? '' : descending ? ' &#9662;' : ' &#9652;';
    return `<th class="${text ? 'text' : ''}" aria-sort="${sorted}"><button type="button" data-key="${key}">${name}${arrow}</button></th>`;
  };
  $('ops').querySelector('thead tr').innerHTML = COLUMNS.map(title).join('');
  let pattern = null;
  const wanted = $('filter').value;
  try { pattern = wanted === '' ? null : new RegExp(wanted, 'i'); } catch (e) { pattern = null; }
  $('filter').setAttribute('aria-invalid', wanted !== '' && pattern === null);
  const matches = (op) => pattern === null || pattern.test(op.name) || pattern.test(op.op_name || '') ||
    pattern.test(op.category) || pattern.test(op.source || '');
  visible = timed.filter(matches).sort((a, b) => {
    const [x, y] = [a[sortBy] ?? -1, b[sortBy] ?? -1];
    const order = x < y ? -1 : x > y ? 1 : 0;
    return order === 0 ? a.index - b.index : descending ? -order : order;
  });
  const sum = (key) => seconds(visible.reduce((s, op) => s + op[key], 0));
  $('ops').querySelector('tfoot').innerHTML = `<tr><td class="text">TOTAL</td><td>${sum('exposed_seconds')}</td>` +
    `<td>${sum('total_seconds')}</td><td colspan="${COLUMNS.length - 3}"></td></tr>`;
  $('shown').textContent = `${visible.length} of ${timed.length} ops` + (pattern === null && wanted !== '' ? '; no regular expression' : '');
  $('scroll').scrollTop = 0;
  drawRows();
  dim();
  const root = document.documentElement;
  root.setAttribute('data-ops', timed.length);
  root.setAttribute('data-dots', document.querySelectorAll('#roofline circle').length);
  root.setAttribute('data-shown', visible.length);
}

// Brings a row into view, which makes it if need be.
function showRow(index) {
  const at = visible.findIndex((op) => op.index === index);
  if (at < 0) return;
  const box = $('scroll');
  const top = at * ROW_HEIGHT;
  if (top < box.scrollTop || top + 3 * ROW_HEIGHT > box.scrollTop + box.clientHeight) {
    box.scrollTop = Math.max(0, top - box.clientHeight / 2);
  }
  drawRows();
}
