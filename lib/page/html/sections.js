// The sections that are tables: critical path, resources, collectives, padding, origin of the numbers, glossary.

// `heads` are [title, is text, meaning]; the cells of `rows` are HTML.
function tableHtml(heads, rows, total) {
  const cells = (row, tag) => row.map((text, i) => `<${tag}${heads[i][1] ? ' class="text"' : ''}>${text}</${tag}>`).join('');
  const head = heads.map(([title, isText, meaning]) => `<th${isText ? ' class="text"' : ''}>` +
    (meaning ? `<abbr title="${escapeText(plain(meaning))}">${escapeText(title)}</abbr>` : word(title)) + '</th>').join('');
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>` +
    rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('') +
    (total ? `<tr class="total">${cells(total, 'td')}</tr>` : '') + '</tbody></table></div>';
}

// A share as a bar in a cell.
const bar = (share, look) => `<span class="bar"><i class="${look}" style="width:${(100 * Math.min(1, share)).toFixed(1)}%"></i></span>`;

// ---- critical path ----

const MOST_CATEGORIES = 9;

function drawCritical() {
  const all = data.prediction.critical_path;
  const parts = all.slice(0, MOST_CATEGORIES);
  const others = all.slice(MOST_CATEGORIES);
  if (others.length > 0) parts.push({category: `${others.length} others`, seconds: sumOf(others, (part) => part.seconds)});
  const most = parts.length > 0 ? parts[0].seconds : 1;
  const rows = parts.map((part) => [escapeText(part.category), seconds(part.seconds), shareOfStep(part.seconds), bar(part.seconds / most, 'mxu')]);
  $('critical').innerHTML = tableHtml([['category', 1], ['seconds'], ['of the step'], ['', 1]], rows);
}

function drawResources() {
  const step = data.prediction.step_seconds;
  const rows = data.prediction.resources.filter((r) => r.busy_seconds > 0).map((r) => {
    const free = r.step_if_free_seconds;
    return [boundWord(r.name), seconds(r.busy_seconds), percent(r.utilization), bar(r.utilization, boundClass(r.name)),
      free === null ? '' : seconds(free), free > 0 ? (step / free).toFixed(2) + '\u00d7' : ''];
  });
  $('resources').innerHTML = tableHtml([['resource', 1], ['busy', 0, 'time of the step during which the resource is busy'],
    ['of the step'], ['', 1], ['step if free'], ['faster', 0, 'step time / step time if the resource took no time']], rows);
}

// ---- collectives ----

const FIRST_COLLECTIVES = 12;

function meshHtml() {
  const p = data.prediction;
  if (p.mesh.length === 0) return '';
  const rows = p.mesh.map((axis) => [escapeText(axis.name), axis.size, axis.stride,
    `<span title="${escapeText(axis.why || '')}">${escapeText(axis.roles.join(', ') || 'none')}</span>`, escapeText(axis.placement)]);
  return `<h3>${word('Mesh', 'mesh')} on ${escapeText(p.device.topology)}${p.device.slices > 1 ? ` x ${p.device.slices} slices` : ''}</h3>` +
    tableHtml([['axis', 1], ['size'], ['stride', 0, 'distance of neighbours, in device numbers'],
      ['roles', 1, 'kinds of parallelism that use the axis, likeliest first'], ['on the machine', 1]], rows) +
    p.mesh.filter((axis) => axis.why).map((axis) => `<p class="keys">${escapeText(axis.name)}: ${escapeText(axis.why)}</p>`).join('');
}

function drawCollectives(all) {
  const p = data.prediction;
  const list = [...p.collectives].sort((a, b) => b.exposed_seconds - a.exposed_seconds || b.seconds - a.seconds);
  if (list.length === 0) { $('collectives').innerHTML = '<p>none</p>'; return; }
  const shown = all ? list : list.slice(0, FIRST_COLLECTIVES);
  const rows = shown.map((c) => [namedLink(c.name), escapeText(c.kind),
    escapeText(c.axis_names.join(', ') || (c.group_size > 1 ? 'no axes' : '')), `${c.group_count}x${c.group_size}`, bytes(c.bytes),
    seconds(c.seconds), `<b>${seconds(c.exposed_seconds)}</b>`, c.link_utilization === null ? '' : percent(c.link_utilization),
    c.crossover_tokens === null ? '' : scaled(c.crossover_tokens, 1000, DECIMAL, 'tokens'), escapeText(c.algorithm || '')]);
  const rest = list.length - shown.length;
  const foot = ['TOTAL', '', '', '', '', '', seconds(sumOf(list, (c) => c.exposed_seconds)), '', '', ''];
  $('collectives').innerHTML = meshHtml() + '<h3>Collectives <small>bytes and time of one execution, exposed time of the step</small></h3>' +
    tableHtml([['op', 1], ['kind', 1], ['axes', 1, 'mesh axes that the groups span'], ['groups', 0, 'replica groups x devices in one'], ['bytes', 0, 'size of the full array'],
      ['time'], ['exposed'], ['of link', 0, 'share of the bandwidth of the busiest link'],
      ['hidden from', 0, 'batch of a device above which the matmuls with these weights hide the collective'], ['algorithm', 1]], rows, foot) +
    (rest > 0 ? `<p><button type="button" id="all-collectives">${rest} more</button></p>` : '');
  if (rest > 0) $('all-collectives').addEventListener('click', () => drawCollectives(true));
}

// ---- padding ----

const MOST_PADDED = 10;

function drawPadding() {
  const padding = (op) => (op.padded_bytes - op.logical_bytes) * op.executions;
  const padded = ops.filter((op) => padding(op) > 0).sort((a, b) => padding(b) - padding(a));
  if (padded.length === 0) { $('padding').innerHTML = '<p>none</p>'; return; }
  const row = (op) => [opLink(op.index), bytes(padding(op)), percent(padding(op) / (op.padded_bytes * op.executions)),
    seconds(op.total_seconds), `<code>${escapeText(op.result.map((i) => data.shapes[i][0]).join(', '))}</code>`];
  const total = sumOf(padded, padding), moved = data.prediction.totals.padded_bytes;
  const foot = ['TOTAL', bytes(total), moved > 0 ? percent(total / moved) : '', '', ''];
  $('padding').innerHTML = tableHtml([['op', 1], ['padding'], ['of its bytes'], ['busy'], ['result', 1]],
    padded.slice(0, MOST_PADDED).map(row), foot);
}

// ---- origin of the numbers ----

const SCALED_UNITS = {'flop/s': 1, 'B/s': 1, 'op/s': 1, 'Hz': 1};
function parameterText(p) {
  if (p.unit === 's') return seconds(p.value);
  if (p.unit === 'B') return bytes(p.value);
  if (SCALED_UNITS[p.unit]) return rate(p.value, p.unit);
  const number = Math.abs(p.value) >= 1e6 || (p.value !== 0 && Math.abs(p.value) < 1e-3) ? p.value.toExponential(3) : String(Number(p.value.toPrecision(6)));
  return p.unit === '1' || p.unit === '' ? number : number + ' ' + p.unit;
}

function drawOrigin() {
  const p = data.prediction;
  const m = p.module;
  const origin = m.origin;
  const known = (value, evidence) => (value === 'unknown' ? 'not known' : value.replaceAll('-', ' ') + (evidence ? `: ${evidence}` : ''));
  const compiled = [
    ['compiled for', known(origin.backend === 'unknown' ? 'unknown' : origin.backend.toUpperCase(), origin.backend_evidence)],
    ['generation', origin.generations.length === 0 ? '' : origin.generations.join(', ') + (origin.generation_evidence ? `: ${origin.generation_evidence}` : '')],
    ['stage', known(origin.stage, origin.stage_evidence)]];
  const facts = [
    ['file', data.file || 'a module in memory'],
    ['module', `${m.name || 'no name'}: ${m.instructions} instructions, ${m.num_partitions} partitions, ${m.replica_count} replicas, ` +
      (m.is_scheduled ? 'scheduled' : 'not scheduled')],
    ...compiled,
    ['device', `${data.device_name} (${p.device.name}) ${p.device.topology || ''}${p.device.slices > 1 ? ` x ${p.device.slices} slices` : ''}`],
    ['device file', p.generator.device_file_sha256 === null ? 'none' : 'SHA-256 ' + p.generator.device_file_sha256],
    ['options', data.options.map(([name, value]) => `${name} ${value}`).join(' ') || 'defaults'],
    ['predicted by', 'hloroof ' + p.generator.version],
    ['compiler\u2019s estimate', p.compiler_estimate_seconds === null ? '' : seconds(p.compiler_estimate_seconds) + ' of the step, from the dump'],
  ].filter(([, value]) => value !== '');
  const rows = p.parameters.map((n) => [`<code>${escapeText(n.path)}</code>`, escapeText(parameterText(n)), escapeText(n.kind), escapeText(n.source)]);
  $('origin').innerHTML = definitions(facts.map(([key, value]) => [key, escapeText(value)])) +
    `<details><summary>The ${rows.length} numbers of the device and their sources</summary>` +
    tableHtml([['number', 1], ['value'], ['kind', 1], ['source', 1]], rows) + '</details>';
}

function drawGlossary() {
  $('glossary').innerHTML = '<dl>' + page.glossary.map(([term, meaning]) => `<dt>${escapeText(term)}</dt><dd>${withCode(meaning)}</dd>`).join('') + '</dl>';
}

function drawSections() {
  drawCritical();
  drawResources();
  drawCollectives(false);
  drawPadding();
  drawOrigin();
  drawGlossary();
}
