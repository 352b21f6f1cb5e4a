'use strict';
// Numbers and names as text: three significant digits, without an exponent.
const digits = (v, n = 3) => (Math.abs(v) >= 99.95 ? v.toFixed(n - 3) : v.toPrecision(n));

function scaled(value, base, prefixes, unit, n = 3) {
  let i = 0;
  let shown = value;
  while (i + 1 < prefixes.length && Math.abs(shown) >= base * 0.9995) { shown /= base; ++i; }
  return (i === 0 && Number.isInteger(shown) ? String(shown) : digits(shown, n)) + ' ' + prefixes[i] + unit;
}
const DECIMAL = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
const flops = (v) => scaled(v, 1000, DECIMAL, 'flop');
const rate = (v, unit) => scaled(v, 1000, DECIMAL, unit);
const bytes = (v, n = 3) => scaled(v, 1024, ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'], 'B', n);
const MEMORY_DIGITS = 4;  // the peak and the usable memory may differ in the fourth
const percent = (v) => (100 * v).toFixed(1) + ' %';
function seconds(v) {
  if (Math.abs(v) < 1e-12) return '0 s';  // what is left of a sum of times
  const [factor, unit] = v >= 1 ? [1, 's'] : v >= 1e-3 ? [1e3, 'ms'] : v >= 1e-6 ? [1e6, 'us'] : [1e9, 'ns'];
  return digits(v * factor) + ' ' + unit;
}
const ESCAPES = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'};
const escapeText = (text) => String(text).replace(/[&<>"]/g, (c) => ESCAPES[c]);
// What a diagnosis says, with the options of hloroof by name: a page has no command line. The flags of XLA stay.
const messageText = (text) => escapeText(text.replace(/--(?!xla_)([a-z][a-z-]+)/g, 'the option $1'));
// Cuts the middle: names differ in their beginnings and their numbers.
function shorten(text, width) {
  if (text.length <= width) return text;
  const head = Math.floor((width - 2) / 2);
  return text.slice(0, head) + '..' + text.slice(text.length - (width - 2 - head));
}

// A value of a column as plain text, by the unit of the column.
const FORMATS = {s: seconds, B: bytes, flop: flops, share: percent, 'B/s': (v) => rate(v, 'B/s')};
function valueText(column, value) {
  if (value === null || value === undefined) return '';
  return FORMATS[column.unit] !== undefined ? FORMATS[column.unit](value) : String(value);
}

// The class that colours an op by its limiting resource.
const BOUND_CLASS = {mxu: 'mxu', tensor: 'mxu', matrix: 'mxu', vpu: 'vpu', cuda: 'vpu', vector: 'vpu',
  hbm: 'hbm', memory: 'hbm', vmem: 'vmem', l2: 'vmem', cache: 'vmem', ici: 'ici', nvlink: 'ici', links: 'ici',
  dcn: 'dcn', network: 'dcn', host: 'host', latency: 'latency'};
// `bound` is a resource, or "wait (ici, data)" for an op that waits for longer than it works.
const isWait = (bound) => bound !== null && bound.startsWith('wait');
const boundClass = (bound) => (isWait(bound) ? 'wait' : BOUND_CLASS[bound] || 'host');

const $ = (id) => document.getElementById(id);
const svg = (width, height, body) => `<svg viewBox="0 0 ${width} ${height}" role="img">${body}</svg>`;
// Plots are drawn at the width that they have on the page, so that their text keeps its size.
const PRINTED_WIDTH = 720;
let isPrinting = false;
const widthOf = (id) => (isPrinting ? PRINTED_WIDTH : Math.max(300, Math.min(1240, $(id).clientWidth || 1200)));
const CHARACTER = 6.3;  // mean width of a character of the plots
const fits = (text, width) => text.length * CHARACTER <= width;
