// The top of the page: the comparison of several predictions, cards, breakdown and diagnoses.
const describeStep = (s) => `${s.prediction.device.name} ${s.prediction.device.topology || ''}`.trim();

function drawComparison(current) {
  $('comparison').hidden = page.steps.length < 2;
  if (page.steps.length < 2) return;
  const fastest = Math.min(...page.steps.map((s) => s.prediction.step_seconds));
  const settings = (s) => s.options.map(([name, value]) => `${name} ${value}`).join(' ');
  const withOptions = page.steps.some((s) => s.options.length > 0);
  const rows = page.steps.map((s, i) => {
    const p = s.prediction;
    const file = s.file || p.module.name;
    return `<tr data-step="${i}" tabindex="0"${i === current ? ' class="chosen" aria-current="true"' : ''}>` +
      `<td class="text" title="${escapeText(file)}">${escapeText(brief(file))}</td><td class="text">${escapeText(describeStep(s))}</td>` +
      (withOptions ? `<td class="text">${escapeText(settings(s))}</td>` : '') + `<td><b>${seconds(p.step_seconds)}</b></td>` +
      `<td>${(p.step_seconds / fastest).toFixed(2)}</td><td class="text">${boundWord(p.bound)}</td>` +
      `<td>${p.hfu === null ? '' : percent(p.hfu)}</td><td>${seconds(p.exposed_communication_seconds)}</td>` +
      `<td>${bytes(p.memory.hbm_peak_bytes)}</td><td class="text">${p.memory.fits ? 'yes' : 'NO'}</td>` +
      `<td>${percent(p.coverage.modelled)}</td></tr>`;
  });
  const head = [['file', 1], ['device', 1], ...(withOptions ? [['options', 1]] : []), ['step'], ['relative'], ['bound', 1], ['HFU'], ['exposed'],
    ['memory'], ['fits', 1], ['coverage']];
  $('comparison').innerHTML = '<h2>Comparison <small>click a row to show that prediction below</small></h2>' +
    '<div class="wide"><table><thead><tr>' +
    head.map(([name, isText]) => `<th${isText ? ' class="text"' : ''}>${word(name)}</th>`).join('') +
    `</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function drawCards() {
  const p = data.prediction;
  const memory = p.memory;
  $('title').textContent = `${p.module.name || 'module'} on ${describeStep(data)}`;
  document.title = $('title').textContent;
  const busy = p.resources.filter((r) => r.name === p.bound).map((r) => percent(r.utilization) + ' of the step busy');
  const share = p.step_seconds > 0 ? shareOfStep(p.exposed_communication_seconds) + ' of the step' : '';
  const origin = p.module.origin;
  const isOther = p.diagnostics.some((d) => ['wrong-backend', 'not-partitioned', 'not-optimized'].includes(d.code));
  const cards = [
    ['compiled for', '', origin.backend === 'unknown' ? 'not known' : origin.backend.toUpperCase(),
      origin.stage === 'unknown' ? '' : origin.stage.replaceAll('-', ' '), isOther],
    ['step time', '', seconds(p.step_seconds),
      `${seconds(p.lower_bound_seconds)} with perfect overlap, ${seconds(p.serial_seconds)} with none`],
    ['bound by', 'bound', p.bound, busy.join('')],
    ['HFU', 'HFU', p.hfu === null ? 'not known' : percent(p.hfu), flops(p.totals.flops) + ' at the bf16 peak'],
    ...(p.mfu === p.hfu ? [] : [['MFU', 'MFU', percent(p.mfu), data.model_flops]]),
    ['exposed communication', 'exposed', seconds(p.exposed_communication_seconds), share],
    ['peak memory', 'hbm', bytes(memory.hbm_peak_bytes, MEMORY_DIGITS),
      `of ${bytes(memory.usable_bytes, MEMORY_DIGITS)} usable${memory.fits ? '' : ': does NOT fit'}`, !memory.fits],
    ['coverage', 'coverage', percent(p.coverage.modelled),
      (p.coverage.code > 0 ? `${percent(p.coverage.code)} by the compiler's code, ` : '') +
          `${percent(p.coverage.assumed)} assumed, ${percent(p.coverage.unknown)} unknown`],
  ];
  $('verdict').innerHTML = withCode(data.verdict);
  $('cards').innerHTML = cards.map(([name, term, value, remark, bad]) => `<div class="card${bad ? ' bad' : ''}">` +
    `<span>${word(name, term)}</span><b>${escapeText(value)}</b><span>${escapeText(remark)}</span></div>`).join('');
}

// One bar whose parts add up to the step.
function drawBreakdown() {
  const parts = data.prediction.breakdown;
  const step = data.prediction.step_seconds;
  const look = (part) => (part.is_wait ? 'wait' : boundClass(part.resource));
  const W = widthOf('breakdown'), H = 36;
  let x = 0;
  const body = parts.map((part) => {
    const w = step > 0 ? part.seconds / step * W : 0;
    const at = x;
    x += w;
    const label = `${part.name} ${shareOfStep(part.seconds)}`;
    const text = fits(label, w - 10) ? label : fits(part.name, w - 10) ? part.name : '';
    return `<g><title>${escapeText(part.name)}: ${seconds(part.seconds)}, ${shareOfStep(part.seconds)} of the step</title>` +
      `<rect class="part ${look(part)}" x="${at.toFixed(2)}" y="0" width="${w.toFixed(2)}" height="${H}"/>` +
      (text ? `<text class="label${part.is_wait ? ' boxed' : ''}" x="${(at + 6).toFixed(1)}" y="${H / 2 + 4}">${escapeText(text)}</text>` : '') + '</g>';
  });
  $('breakdown').innerHTML = svg(W, H, body.join('')) + '<p class="legend">' +
    parts.map((part) => `<span><i class="${look(part)}"></i>${boundWord(part.name)} <b>${seconds(part.seconds)}</b> ` +
      `${shareOfStep(part.seconds)}</span>`).join('') + '</p>';
}

const FIRST_DIAGNOSES = 8;
const FIRST_OPS = 4;

function drawDiagnoses(all) {
  const list = data.prediction.diagnostics;
  const step = data.prediction.step_seconds;
  // Other causes count all of its time but noise.
  const isCounted = (d) => d.counted_elsewhere_seconds > 0 && d.seconds_at_stake < 0.01 * step;
  const stake = (d) => {
    if (d.seconds_at_stake === null) return d.bytes_at_stake === null ? '' : ` <b>${bytes(d.bytes_at_stake)}</b>`;
    if (isCounted(d)) {
      return ` ${shareOfStep(d.counted_elsewhere_seconds)} of the step, counted by other causes`;
    }
    return ` <b>${seconds(d.seconds_at_stake)}</b>, ${shareOfStep(d.seconds_at_stake)} of the step`;
  };
  const line = (d) => {
    if (isCounted(d) && d.count === 0) return `<li class="${d.severity}">[${d.code}]${stake(d)}</li>`;
    const examples = d.ops.slice(0, FIRST_OPS).map(namedLink).join(', ');
    const others = d.count > FIRST_OPS ? ` and ${d.count - FIRST_OPS} others` : '';
    const cause = d.cause === null || d.message.includes(d.cause) ? '' : `<i>${escapeText(d.cause)}</i>: `;
    return `<li class="${d.severity}">[${d.code}]${stake(d)}${d.count > 1 ? `, ${d.count} ops` : ''}` +
      `<br>${cause}${messageText(d.message)}${examples ? `<br>${examples}${others}` : ''}</li>`;
  };
  const shown = all ? list : list.slice(0, FIRST_DIAGNOSES);
  const rest = list.length - shown.length;
  $('diagnoses').innerHTML = (shown.map(line).join('') || '<li class="info">none</li>') +
    (rest > 0 ? `<li class="info"><button type="button" id="all-diagnoses">${rest} more</button></li>` : '');
  if (rest > 0) $('all-diagnoses').addEventListener('click', () => drawDiagnoses(true));
}
