// The Agent tab: a form to send requests, and the recorded traffic between agents and the program.

import { clock, following, h, keyed } from './dom.js';
import { grants, grantNotice } from './grants.js';
import { copier, milliseconds, parsed, pretty, sample } from './json.js';
import { languages } from './snippets.js';

const $ = (id) => document.getElementById(id);

// agentPanel fills the panel. toast shows a short message.
export function agentPanel({ agent, skips = [] }, toast) {
  const exchanges = new Map(); // by number
  const list = $('exchanges');
  const allowed = grants(toast);
  if (agent) composer(agent, toast);
  $('skips').append(...skips.map((skip) => skipButton(skip, toast)));

  return {
    update(change) {
      if (change.first) exchanges.clear();
      for (const exchange of change.exchanges || []) exchanges.set(exchange.seq, exchange);
      const items = [...exchanges.values()].map((exchange) => ({
        key: String(exchange.seq), signature: JSON.stringify(exchange), draw: () => drawExchange(exchange, agent, toast),
      }));
      if (change.first || change.exchanges) following(list, () => keepingOpen(list, () => keyed(list, items)));
      $('no-exchanges').hidden = exchanges.size > 0;
      if (agent) allowed.refresh();
      if (change.chats) wakeSoon();
    },
  };
}

// skipButton makes a button that moves the program's clock forward.
function skipButton({ name, label, about }, toast) {
  const press = async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    const response = await fetch('api/faults', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ control: name }) });
    toast(response.ok ? (await response.json()).says : await response.text());
    button.disabled = false;
  };
  return h('button', { type: 'button', class: 'small', id: `control-${name}`, title: about, onclick: press }, label);
}

// keepingOpen keeps expanded items expanded when the list is redrawn.
export function keepingOpen(list, change) {
  const open = new Set([...list.children].filter((item) => item.firstElementChild?.open).map((item) => item.dataset.key));
  change();
  for (const item of list.children) if (open.has(item.dataset.key)) item.firstElementChild.open = true;
}

function composer(agent, toast) {
  $('composer').hidden = false;
  const option = ({ name, label }) => h('option', { value: name }, label);
  $('scene').append(h('option', { value: '' }, 'Custom request'), ...agent.scenes.map(option));
  $('form').append(...agent.forms.map(option));
  const form = () => agent.forms.find(({ name }) => name === $('form').value);
  const hint = () => { $('form-hint').textContent = form().hint || ''; };

  function begin(scene) {
    if (!scene) return;
    $('scene').value = scene.name;
    $('form').value = scene.form;
    $('body').value = pretty(scene.body);
    $('scene-hint').textContent = scene.hint;
    hint();
  }
  $('scene').onchange = () => begin(agent.scenes.find(({ name }) => name === $('scene').value));
  $('form').onchange = hint;
  $('body').oninput = () => {
    $('scene').value = '';
    $('scene-hint').textContent = '';
  };
  $('composer').onsubmit = (event) => {
    event.preventDefault();
    send(form().path, $('body').value).then((notice) => { if (notice) toast(notice); });
  };
  $('body').onkeydown = (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) $('composer').requestSubmit();
  };
  begin(agent.scenes[0]);
}

// A browser opens at most six connections to a host, shared by all of its pages. So only one request at a time blocks on a
// connection; the others poll again whenever a chat changes.
const settled = 200; // ms to wait after a change, so that the program has stored the answer
let blocking = false;
let soon;
let changed;
let wake;
nextChange();

function nextChange() {
  changed = new Promise((done) => { wake = done; });
}

function wakeSoon() {
  clearTimeout(soon);
  soon = setTimeout(() => {
    wake();
    nextChange();
  }, settled);
}

// poll makes one call of an agent. The call blocks unless another one does.
async function poll(url, init) {
  const blocks = !blocking && !document.hidden;
  blocking ||= blocks;
  try {
    return await fetch(`${url}${url.includes('?') ? '&' : '?'}wait=${blocks ? '30s' : '0s'}`, init);
  } finally {
    if (blocks) blocking = false;
  }
}

// send sends a request as an agent and waits until people have answered it. It returns a notice to show, or ''.
async function send(path, body) {
  $('refusal').hidden = true;
  let url = `agent${path}${path.startsWith('/v1/ask/') ? '?responders=anyone' : ''}`; // Approvals need explicit responders.
  let init = { method: 'POST', body, headers: { 'Content-Type': 'application/json' } };
  try {
    for (let attempt = 1; ; attempt += 1) {
      const next = changed;
      const response = await poll(url, init);
      const text = await response.text();
      const result = parsed(text);
      if (response.status === 502) { // The bridge is restarting; it keeps the request.
        await new Promise((retry) => setTimeout(retry, 500));
        continue;
      }
      if (!response.ok) return showError(result?.detail || result?.title || text, result?.errors);
      if (response.headers.get('Askbridge-State') === 'refused') return showError(text);
      if (response.status === 202) {
        [url] = `agent${response.headers.get('Location')}`.split('?'); // Post the same body to this address.
      } else if (result?.state === 'open') {
        url = `agent/v1/requests/${result.id}`;
        init = { method: 'GET' };
      } else {
        const id = response.headers.get('Askbridge-Request-Id');
        return attempt === 1 && id ? grantNotice(id) : '';
      }
      if (blocking || document.hidden) await next;
    }
  } catch (problem) {
    return showError(`Could not reach the program: ${problem.message}`);
  }
}

// showError shows why a request was rejected, below the form.
function showError(message, errors = []) {
  const all = (errors || []).map(({ path, detail }) => h('li', {}, path && h('code', {}, path), ` ${detail}`));
  $('refusal').replaceChildren(h('p', {}, message), h('ul', {}, all));
  $('refusal').hidden = false;
  return '';
}

function drawExchange(exchange, agent, toast) {
  const { seq, at, method, path, status, took, open, times, request, response, trouble } = exchange;
  const tone = open ? 'waiting' : status >= 400 || !status ? 'bad' : 'good';
  const title = summary(exchange);
  return h('li', { class: 'exchange' }, h('details', {},
    h('summary', {},
      h('span', { class: 'exchange-line' },
        h('span', { class: 'verb' }, method), h('span', { class: 'path' }, path),
        h('span', { class: `status ${tone}` }, open ? 'waiting' : String(status || 'none')),
        !open && h('span', { class: 'took' }, milliseconds(took))),
      title && h('span', { class: 'gist' }, title)),
    h('div', { class: 'exchange-body' },
      h('p', { class: 'soft' }, clock(new Date(at), true), times > 1 && ` · sent ${times} times`),
      sample('Request', request, toast),
      sample('Response', response, toast),
      trouble && h('p', { class: 'bad' }, trouble),
      agent && hostResults(exchange, agent, toast),
      agent && h('p', { class: 'copies', id: `copies-${seq}` }, h('span', {}, 'Copy as '),
        Object.entries(languages).map(([name, write]) => copier(name, () => write({ method, url: agent.url + path, body: request || '' }), toast, `Copy the request as ${name}`))))));
}

// summary describes an exchange in one line: its first question and the result.
function summary({ request, response }) {
  const asked = parsed(request);
  const replied = parsed(response);
  const questions = [asked?.questions, asked?.tool_input?.questions, replied?.questions].find(Array.isArray) || [asked].filter((one) => one?.question);
  const [first] = questions;
  const about = first && (first.question || first.text || first.prompt);
  const more = questions.length > 1 ? ` and ${questions.length - 1} more` : '';
  const prompt = asked?.tool_name && [asked.tool_name, asked.tool_input?.command || asked.tool_input?.file_path].filter(Boolean).join(': ');
  const result = replied?.hookSpecificOutput?.decision?.behavior || (replied?.state !== 'open' && replied?.state);
  const ended = result ? ` → ${result}` : '';
  return [about ? `“${about}”${more}` : prompt, ended].filter(Boolean).join('');
}

// hostResults shows the result of a request in the format of each agent host.
function hostResults({ response, path }, agent, toast) {
  const request = parsed(response);
  if (!request?.id || !request.state || request.state === 'open' || path.includes('as=')) return null;
  const dialects = agent.forms.filter(({ path: to }) => to.startsWith('/v1/ask/'));
  const shown = h('div', { 'aria-live': 'polite' });
  let latest = 0;
  const choose = h('select', {
    class: 'select', 'aria-label': 'Result in the format of a host',
    async onchange(event) {
      latest += 1;
      const mine = latest;
      const drawn = await hostResult(request.id, dialects.find(({ name }) => name === event.target.value), toast);
      if (mine === latest) shown.replaceChildren(drawn);
    },
  }, h('option', { value: '' }, 'Show the result for a host…'), dialects.map(({ name, label }) => h('option', { value: name }, label)));
  return h('div', { class: 'host-results' }, choose, shown);
}

// hostResult draws the result that one host would get. Hosts whose results repeat the tool input have to ask themselves.
async function hostResult(id, dialect, toast) {
  if (!dialect) return '';
  const response = await fetch(`agent/v1/requests/${id}?as=${dialect.name}`, { headers: { 'Sim-Unrecorded': '1' } });
  const text = await response.text();
  if (response.status === 409) return h('p', { class: 'soft' }, `Results for ${dialect.label} repeat the tool input. To see one, send the tool call above as ${dialect.label}.`);
  if (!response.ok) return h('p', { class: 'bad' }, parsed(text)?.detail || text);
  return sample(`As ${dialect.name}`, text, toast) || h('p', { class: 'soft' }, 'This host gets no output.');
}
