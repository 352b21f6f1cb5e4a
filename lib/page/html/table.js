// The table of ops: filtered and sorted. Of a long table only the rows in view exist.
//
// Its columns are the fields with a title: the name, then numbers, then texts.
const titled = page.columns.filter((column) => column.title);
const isText = (column) => column.unit === '';
const COLUMNS = [titled[0], ...titled.slice(1).filter((c) => !isText(c)), ...titled.slice(1).filter(isText)];
// Paths are cut to their last two parts.
const brief = (text) => shorten(text.split('/').slice(-2).join('/'), 34);
function cell(column, op) {
  const text = valueText(column, op[column.name]);
  if (column.name === 'wait_seconds') return `<td class="wait">${op.wait_seconds > 0 ? escapeText(text) : ''}</td>`;
  if (!isText(column)) return `<td>${escapeText(text)}</td>`;
  if (column.name === 'bound' && text) {
    return `<td class="text"><i class="${boundClass(text)}"></i><span title="${escapeText(plain(meaningOf(isWait(text) ? 'wait' : text)))}">${escapeText(text)}</span></td>`;
  }
  const look = column === COLUMNS[0] ? ' class="op"' : '';
  return `<td class="text"><span${look} title="${escapeText(text)}">${escapeText(brief(text))}</span></td>`;
}
const ROW_HEIGHT = 26;  // as report.css has it
const ALL_ROWS = 300;   // shorter tables have all their rows
const PRINTED_ROWS = 60;

let sortBy = 'exposed_seconds';
let descending = true;
let visible = [];
let marks = [];  // the elements outside the table that belong to ops

// Call after redrawing.
function collectMarks() {
  marks = [...document.querySelectorAll('#roofline circle, #timeline rect[data-op], #iteration rect[data-op], #treemap rect[data-op]')]
    .map((element) => [Number(element.dataset.op), element]);
  isDimmed = false;
  dim();
}

let isDimmed = false;
function dim() {
  const everything = visible.length === listed.length;
  if (everything && !isDimmed) return;
  const keep = new Uint8Array(ops.length);
  if (everything) keep.fill(1);  // also the marks of ops that are not in the table
  for (const op of visible) keep[op.index] = 1;
  for (const [index, element] of marks) element.classList.toggle('dim', keep[index] === 0);
  isDimmed = !everything;
}

const rowHtml = (op) => `<tr data-op="${op.index}"${op.index === chosen ? ' class="chosen"' : ''}>` +
  COLUMNS.map((column) => cell(column, op)).join('') + '</tr>';

// Draws the rows in view, with empty space for the rows above and below.
function drawRows() {
  const box = $('scroll');
  let first = 0, end = visible.length;
  if (isPrinting) {
    end = Math.min(visible.length, PRINTED_ROWS);
  } else if (visible.length > ALL_ROWS) {
    first = Math.max(0, Math.floor(box.scrollTop / ROW_HEIGHT) - 20);
    end = Math.min(visible.length, first + Math.ceil(box.clientHeight / ROW_HEIGHT) + 40);
  }
  const space = (count) => (count > 0 && !isPrinting ? `<tr class="space" style="height:${count * ROW_HEIGHT}px"></tr>` : '');
  $('ops').querySelector('tbody').innerHTML =
    space(first) + visible.slice(first, end).map(rowHtml).join('') + space(visible.length - end);
}

function describeRows() {
  const printed = isPrinting && visible.length > PRINTED_ROWS ? `, the first ${PRINTED_ROWS} of them here` : '';
  const isInvalid = $('filter').getAttribute('aria-invalid') === 'true';
  $('shown').textContent = `${visible.length} of ${listed.length} ops${printed}` + (isInvalid ? '; not a valid regular expression' : '');
}

function drawTable() {
  const title = (column) => {
    const isKey = column.name === sortBy;
    const sorted = isKey ? (descending ? 'descending' : 'ascending') : 'none';
    const arrow = !isKey ? '' : descending ? ' &#9662;' : ' &#9652;';
    return `<th class="${isText(column) ? 'text' : ''}" aria-sort="${sorted}"><button type="button" ` +
      `data-key="${column.name}" title="${escapeText(column.meaning)}">${escapeText(column.title)}${arrow}</button></th>`;
  };
  $('ops').querySelector('thead tr').innerHTML = COLUMNS.map(title).join('');
  let pattern = null;
  const wanted = $('filter').value;
  try { pattern = wanted === '' ? null : new RegExp(wanted, 'i'); } catch (e) { pattern = null; }
  $('filter').setAttribute('aria-invalid', wanted !== '' && pattern === null);
  const matches = (op) => pattern === null || pattern.test(op.name) || pattern.test(op.op_name || '') ||
    pattern.test(op.category) || pattern.test(op.place);
  visible = listed.filter(matches).sort((a, b) => {
    const [x, y] = [a[sortBy] ?? -1, b[sortBy] ?? -1];
    const order = x < y ? -1 : x > y ? 1 : 0;
    return order === 0 ? a.index - b.index : descending ? -order : order;
  });
  const total = (column, i) => {
    if (i === 0) return '<td class="text">TOTAL</td>';
    return `<td>${column.unit === 's' ? seconds(visible.reduce((s, op) => s + op[column.name], 0)) : ''}</td>`;
  };
  $('ops').querySelector('tfoot').innerHTML = `<tr>${COLUMNS.map(total).join('')}</tr>`;
  describeRows();
  $('scroll').scrollTop = 0;
  drawRows();
  dim();
  const root = document.documentElement;
  root.setAttribute('data-ops', listed.length);
  root.setAttribute('data-dots', document.querySelectorAll('#roofline circle').length);
  root.setAttribute('data-shown', visible.length);
  root.setAttribute('data-total', sumOf(listed, (op) => op.exposed_seconds));
}

// Scrolls a row into view, creating it if necessary.
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
