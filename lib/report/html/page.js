// Mouse, keyboard and the fragment of the address.
function isTyping(e) { return e.target instanceof HTMLInputElement; }

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
  const index = opAt(e.target);
  if (index < 0) return;
  e.preventDefault();
  choose(index);
});

document.addEventListener('keydown', (e) => {
  if (e.key === 'Escape') { choose(-1); $('filter').blur(); return; }
  if (isTyping(e) || e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === '/') { e.preventDefault(); $('filter').focus(); }
  if (e.key === 't') $('theme').click();
  if (e.key === 'Enter' && opAt(e.target) >= 0) { e.preventDefault(); choose(opAt(e.target)); }
  if (e.key === 'j' || e.key === 'k') {
    const at = visible.findIndex((op) => op.index === chosen);
    const next = visible[Math.min(visible.length - 1, Math.max(0, at + (e.key === 'j' ? 1 : -1)))];
    if (next !== undefined) { choose(next.index); showRow(next.index); }
  }
});

// The tooltip, next to the pointer.
document.addEventListener('mousemove', (e) => {
  const index = e.target instanceof SVGElement ? opAt(e.target) : -1;
  $('tip').hidden = index < 0;
  if (index < 0) return;
  const op = ops[index];
  $('tip').textContent = `${op.name}\n${seconds(op.total_seconds)}, bound by ${op.bound || 'nothing'}`;
  const left = Math.min(e.clientX + 14, innerWidth - $('tip').offsetWidth - 8);
  $('tip').style.transform = `translate(${left}px, ${e.clientY + 16}px)`;
});

// Dragging over the timeline zooms into that part.
let dragFrom = null;
const timeAt = (e) => {
  const box = $('timeline').querySelector('svg').getBoundingClientRect();
  const {W, L, R} = TIMELINE;
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

$('theme').addEventListener('click', () => {
  const root = document.documentElement;
  root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
});
$('filter').addEventListener('input', drawTable);
$('scroll').addEventListener('scroll', () => { if (visible.length > ALL_ROWS) requestAnimationFrame(drawRows); });

// The fragment may set a filter, the field to sort by, the theme and the chosen op:
// report.html#filter=dot&sort=flops&theme=dark&op=fusion.2
const wanted = new URLSearchParams(location.hash.slice(1));
document.documentElement.dataset.theme =
  wanted.get('theme') || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
$('filter').value = wanted.get('filter') || '';
if (COLUMNS.some((column) => column.name === wanted.get('sort'))) sortBy = wanted.get('sort');
drawCards();
drawDiagnoses(false);
drawRoofline();
drawTimeline();
drawMemory();
drawTreemap();
drawTable();
collectMarks();
if (wanted.has('op')) choose(ops.findIndex((op) => op.name === wanted.get('op')));
