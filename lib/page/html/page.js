// Mouse, keyboard and the fragment of the address.

// The index of the op that an element belongs to; -1 if there is none.
function opAt(target) {
  const element = target.closest('[data-op]');
  return element === null || element === document.documentElement ? -1 : Number(element.dataset.op);
}

document.addEventListener('click', (e) => {
  const key = e.target.closest('button[data-key]');
  if (key !== null) {
    descending = sortBy === key.dataset.key ? !descending : key.dataset.key !== 'name';
    sortBy = key.dataset.key;
    drawTable();
    document.querySelector(`button[data-key="${sortBy}"]`).focus();
    return;
  }
  if (e.target.closest('#close') !== null) { choose(-1); return; }
  const row = e.target.closest('tr[data-step]');
  if (row !== null) { showStep(Number(row.dataset.step)); return; }
  const index = opAt(e.target);
  if (index < 0) return;
  e.preventDefault();
  choose(index);
});

document.addEventListener('keydown', (e) => {
  if (e.key === 'Escape') { choose(-1); $('filter').blur(); return; }
  if (isTyping(e) || e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === '/') { e.preventDefault(); $('filter').focus(); }
  const row = e.target.closest('tr[data-step]');
  if (e.key === 'Enter' && row !== null) { showStep(Number(row.dataset.step)); return; }
  if (e.key === 'Enter' && opAt(e.target) >= 0) { e.preventDefault(); choose(opAt(e.target)); }
  if (e.key === 'j' || e.key === 'k') {
    const at = visible.findIndex((op) => op.index === chosen);
    const next = visible[Math.min(visible.length - 1, Math.max(0, at + (e.key === 'j' ? 1 : -1)))];
    if (next !== undefined) { choose(next.index); showRow(next.index); }
  }
});

// For an event of the timeline also what it waits for, or its time there.
function tipText(op, event) {
  if (event === undefined) return `${op.name}\n${seconds(op.exposed_seconds)} in the step, bound by ${op.bound || 'nothing'}`;
  const [, , begin, end, awaited] = data.timeline[Number(event)];
  if (awaited === null) {
    const loop = op.trips === null ? '' : `, ${op.trips} iterations`;
    return `${op.name}\n${seconds(end - begin)}${loop}, bound by ${op.resource || 'nothing'}`;
  }
  const limit = limitOfWait(op, awaited);
  return `${op.name}\nwaits for ${ops[awaited].name}${limit ? ` (${limit})` : ''}: ${seconds(end - begin)}`;
}

// The tooltip, next to the pointer.
document.addEventListener('mousemove', (e) => {
  const index = e.target instanceof SVGElement ? opAt(e.target) : -1;
  $('tip').hidden = index < 0;
  if (index < 0) return;
  $('tip').textContent = tipText(ops[index], e.target.dataset.event);
  const left = Math.min(e.clientX + 14, innerWidth - $('tip').offsetWidth - 8);
  $('tip').style.transform = `translate(${left}px, ${e.clientY + 16}px)`;
});

// Dragging over the timeline zooms into that part.
let dragFrom = null;
const timeAt = (e) => {
  const box = $('timeline').querySelector('svg').getBoundingClientRect();
  const {R} = TIMELINE;
  const [W, L] = [widthOf('timeline'), timelineLeft()];
  const x = (e.clientX - box.left) * W / box.width;
  const share = Math.min(1, Math.max(0, (x - L) / (W - L - R)));
  return timelineRange[0] + share * (timelineRange[1] - timelineRange[0]);
};
$('timeline').addEventListener('mousedown', (e) => { dragFrom = [timeAt(e), e.clientX]; });
document.addEventListener('mouseup', (e) => {
  if (dragFrom === null) return;
  const [from, x] = dragFrom;
  dragFrom = null;
  if (Math.abs(e.clientX - x) < 5) return;
  zoomTimeline(Math.min(from, timeAt(e)), Math.max(from, timeAt(e)));
});
$('whole').addEventListener('click', () => zoomTimeline(0, timelineEnd));

$('filter').addEventListener('input', drawTable);
$('scroll').addEventListener('scroll', () => { if (visible.length > ALL_ROWS) requestAnimationFrame(drawRows); });

// The fragment may set a filter, the field to sort by, the theme and the chosen op:
// report.html#filter=dot&sort=flops&theme=dark&op=fusion.2&step=1
$('filter').value = wanted.get('filter') || '';
if (COLUMNS.some((column) => column.name === wanted.get('sort'))) sortBy = wanted.get('sort');

function drawPlots() {
  drawBreakdown();
  drawRoofline();
  drawTimeline();
  drawIteration();
  drawMemory();
  drawTreemap();
  collectMarks();
}

// A link to each section. The fragment of such a link sets nothing else of the page.
function drawContents() {
  const links = [...document.querySelectorAll('main section > h2')].filter((title) => title.closest('[hidden]') === null).map((title) => {
    const name = title.firstChild.textContent.trim();
    title.id = 'section-' + name.toLowerCase().replaceAll(' ', '-');
    return `<a href="#${title.id}">${escapeText(name)}</a>`;
  });
  $('contents').innerHTML = links.join('');
}

function showStep(number) {
  if (chosen >= 0) choose(-1);
  openStep(number);
  openTimeline();
  drawComparison(number);
  drawCards();
  drawDiagnoses(false);
  drawSections();
  drawPlots();
  drawTable();
  drawContents();
}

let lastWidth = innerWidth;
addEventListener('resize', () => {
  if (innerWidth === lastWidth) return;
  lastWidth = innerWidth;
  drawPlots();
});
// On paper the plots have the width of a page, and the table its first rows.
const setPrinting = (on) => { isPrinting = on; drawPlots(); drawRows(); describeRows(); };
addEventListener('beforeprint', () => setPrinting(true));
addEventListener('afterprint', () => setPrinting(false));

showStep(Math.min(page.steps.length - 1, Number(wanted.get('step') || 0)));
if (wanted.has('op')) choose(ops.findIndex((op) => op.name === wanted.get('op')));
