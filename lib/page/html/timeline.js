// The timeline: a row for each lane, with loops by their first iteration.
//
// An event of data.timeline is [op, lane, begin, end, awaited]. `awaited` is the op that starts the transfer for which
// the compute stream waits, or null while it works.
let timelineEnd = 0;
let timelineRange = [0, 0];
const TIMELINE = {R: 10, row: 30};
const timelineLeft = () => (widthOf('timeline') < 600 ? 64 : 78);

function openTimeline() {
  timelineEnd = data.timeline.reduce((end, e) => Math.max(end, e[3]), 1e-300);
  timelineRange = [0, timelineEnd];
}

const limitOfWait = (op, awaited) => (op.waits.find((w) => w.transfer === ops[awaited].name) || {limit: ''}).limit;

// Merges events narrower than a pixel: each pixel gets the colour of the resource with most time in it.
function mergedEvents(pixels, y, height) {
  const body = [];
  for (const [x, pixel] of pixels) {
    const [name, width] = Object.entries(pixel).reduce((a, b) => (b[1] > a[1] ? b : a));
    body.push(`<rect class="many ${name}" x="${x}" y="${y}" width="1" height="${height}" ` +
      `opacity="${Math.min(1, 0.25 + width).toFixed(2)}"/>`);
  }
  return body;
}

// The name of the op, if it fits.
function eventLabel(op, awaited, x, y, width) {
  const room = Math.floor((width - 8) / CHARACTER);
  if (room < 6) return '';
  const text = shorten(awaited === null ? op.name : 'wait ' + ops[awaited].name, room);
  return labelText(x + 4, y, text, 'start', awaited === null ? '' : 'boxed');
}

// The name and the iterations of a loop, behind its first iteration, which ends at `from`.
function loopLabel(op, from, to, y) {
  const times = `\u00d7${op.trips}`;
  if (!(op.trips > 1) || !fits(times, to - from - 10)) return '';
  const room = Math.floor((to - from - 12) / CHARACTER) - times.length - 1;
  return labelText(to - 6, y, room < 5 ? times : shorten(op.name, room) + ' ' + times, 'end', 'plain');
}
const labelText = (x, y, text, anchor, look) =>
  `<text class="label ${look}" x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}">${escapeText(text)}</text>`;

// One lane: outlines of loops, bars, and the labels above all of them.
function drawLane(lane, top, X, [from, to]) {
  const height = TIMELINE.row - 8;
  const least = 0.5;
  const pixels = new Map();  // x to {class: width}
  const outlines = [], bars = [], labels = [];
  let labelled = 0;  // the end of the last bar with a label: transfers in flight together overlap
  const inside = data.timeline.filter(([index, on]) => on === lane && !isContainer(ops[index]));
  data.timeline.forEach(([index, on, begin, end, awaited], event) => {
    if (on !== lane || end < from || begin > to) return;
    const op = ops[index];
    const isWaiting = awaited !== null;
    const look = isWaiting ? 'wait' : boundClass(op.resource);
    const x = X(Math.max(begin, from));
    const width = X(Math.min(end, to)) - x;
    if (width < least) {
      if (isContainer(op)) return;
      const pixel = pixels.get(Math.floor(x)) || {};
      pixel[look] = (pixel[look] || 0) + width;
      pixels.set(Math.floor(x), pixel);
      return;
    }
    const isOutline = isContainer(op) && !isWaiting;
    (isOutline ? outlines : bars).push(`<rect ${mark(op)}data-event="${event}" class="${isOutline ? 'outline' : look}" ` +
      `x="${x.toFixed(1)}" y="${top}" width="${width.toFixed(1)}" height="${height}"/>`);
    const y = top + height / 2 + 4;
    if (!isOutline) {
      const label = x < labelled ? '' : eventLabel(op, awaited, x, y, width);
      if (label !== '') labelled = x + width;
      labels.push(label);
      return;
    }
    const last = inside.reduce((most, e) => (e[2] >= begin && e[3] <= end ? Math.max(most, e[3]) : most), begin);
    labels.push(loopLabel(op, X(Math.max(last, from)), x + width, y));
  });
  return [...outlines, ...mergedEvents(pixels, top, height), ...bars, ...labels].join('');
}

function timelineSvg(range) {
  const {R, row} = TIMELINE;
  const W = widthOf('timeline'), L = timelineLeft();
  const [from, to] = range;
  const lanes = [...new Set(data.timeline.filter((e) => e[3] >= from && e[2] <= to).map((e) => e[1]))];
  const X = (t) => L + (t - from) / (to - from) * (W - L - R);
  const H = 22 + row * lanes.length + 10;
  const body = lanes.map((lane, i) => `<text x="${L - 8}" y="${row * i + 23}" text-anchor="end">${escapeText(lane)}</text>` +
    drawLane(lane, i * row + 8, X, range));
  const marks = W < 600 ? 3 : 5;
  for (let i = 0; i <= marks; ++i) {
    body.push(`<text x="${L + (W - L - R) * i / marks}" y="${H - 8}" text-anchor="${i === marks ? 'end' : i === 0 ? 'start' : 'middle'}">` +
      `${seconds(from + (to - from) * i / marks)}</text>`);
  }
  return svg(W, H, body.join(''));
}

// An iteration is drawn by itself if it has less than this share of the width of the timeline.
const NARROW = 0.25;

// The loop that takes most of the step, if the timeline has its first iteration narrow: {op, begin, end}.
function narrowLoop() {
  const loops = data.timeline.filter(([index, , , , awaited]) => awaited === null && ops[index].opcode === 'while' && ops[index].trips > 1);
  const [index, , begin, end] = loops.reduce((most, e) => (e[3] - e[2] > most[3] - most[2] ? e : most), [-1, '', 0, 0]);
  if (index < 0) return null;
  const iteration = (end - begin) / ops[index].trips;
  return iteration < NARROW * timelineEnd ? {op: ops[index], begin, end: begin + iteration} : null;
}

function drawTimeline() {
  $('timeline').innerHTML = timelineSvg(timelineRange);
  $('whole').hidden = timelineRange[0] === 0 && timelineRange[1] === timelineEnd;
}

function drawIteration() {
  const loop = narrowLoop();
  $('iteration').innerHTML = loop === null ? '' : `<h3>One iteration of ${opLink(loop.op.index)} ` +
    `<small>the first of ${loop.op.trips}, enlarged</small></h3>` + timelineSvg([loop.begin, loop.end]);
}

function zoomTimeline(from, to) {
  const least = timelineEnd * 1e-7;
  timelineRange = to - from < least ? [0, timelineEnd] : [Math.max(0, from), Math.min(timelineEnd, to)];
  drawTimeline();
  collectMarks();
}
