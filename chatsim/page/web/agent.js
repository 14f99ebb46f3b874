// The agent's side: a box to ask something in, and everything that passed between agents and the program.

import { clock, following, h, keyed } from './dom.js';
import { grants, metBy } from './grants.js';
import { copier, milliseconds, parsed, pretty, sample } from './json.js';
import { languages } from './snippets.js';

const $ = (id) => document.getElementById(id);

// agentPanel fills the panel. Say shows a sentence for a moment.
export function agentPanel({ agent, skips = [] }, say) {
  const exchanges = new Map(); // by number
  const list = $('exchanges');
  const allowed = grants(say);
  if (agent) composer(agent, say);
  $('skips').append(...skips.map((skip) => skipButton(skip, say)));

  return {
    hear(change) {
      if (change.first) exchanges.clear();
      for (const exchange of change.exchanges || []) exchanges.set(exchange.seq, exchange);
      const items = [...exchanges.values()].map((exchange) => ({
        key: String(exchange.seq), signature: JSON.stringify(exchange), draw: () => drawExchange(exchange, agent, say),
      }));
      if (change.first || change.exchanges) following(list, () => keepingOpen(list, () => keyed(list, items)));
      $('no-exchanges').hidden = exchanges.size > 0;
      if (agent) allowed.look();
      if (change.chats) askAgain();
    },
  };
}

// skipButton moves the program's clock.
function skipButton({ name, label, about }, say) {
  const press = async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    const answer = await fetch('api/faults', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ control: name }) });
    say(answer.ok ? (await answer.json()).says : await answer.text());
    button.disabled = false;
  };
  return h('button', { type: 'button', class: 'small', id: `control-${name}`, title: about, onclick: press }, label);
}

// keepingOpen leaves what somebody opened open when it is drawn anew.
export function keepingOpen(list, change) {
  const open = new Set([...list.children].filter((item) => item.firstElementChild?.open).map((item) => item.dataset.key));
  change();
  for (const item of list.children) if (open.has(item.dataset.key)) item.firstElementChild.open = true;
}

function composer(agent, say) {
  $('composer').hidden = false;
  const option = ({ name, label }) => h('option', { value: name }, label);
  $('scene').append(h('option', { value: '' }, 'Your own'), ...agent.scenes.map(option));
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
    pose(form().path, $('body').value).then((said) => { if (said) say(said); });
  };
  $('body').onkeydown = (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) $('composer').requestSubmit();
  };
  begin(agent.scenes[0]);
}

// A browser holds six connections to this host, for all pages of it together. So one request at a time waits on one, and
// the others are asked for again whenever something has changed in a chat.
const settled = 200; // ms after the last change, when its answer has been kept
let held = false;
let soon;
let changed;
let wake;
nextChange();

function nextChange() {
  changed = new Promise((done) => { wake = done; });
}

function askAgain() {
  clearTimeout(soon);
  soon = setTimeout(() => {
    wake();
    nextChange();
  }, settled);
}

// asking is one call of an agent, which waits where no other one does.
async function asking(url, ask) {
  const waits = !held && !document.hidden;
  held ||= waits;
  try {
    return await fetch(`${url}${url.includes('?') ? '&' : '?'}wait=${waits ? '30s' : '0s'}`, ask);
  } finally {
    if (waits) held = false;
  }
}

// pose asks as an agent does that waits for people, however long it takes. It returns what is to be said at once.
async function pose(path, body) {
  $('refusal').hidden = true;
  let url = `agent${path}${path.startsWith('/v1/ask/') ? '?responders=anyone' : ''}`; // Who may allow something has to be said.
  let ask = { method: 'POST', body, headers: { 'Content-Type': 'application/json' } };
  try {
    for (let asked = 1; ; asked += 1) {
      const next = changed;
      const answer = await asking(url, ask);
      const text = await answer.text();
      const said = parsed(text);
      if (answer.status === 502) { // The bridge is away for a moment, and keeps what it was asked.
        await new Promise((again) => setTimeout(again, 500));
        continue;
      }
      if (!answer.ok) return refuse(said?.detail || said?.title || text, said?.errors);
      if (answer.headers.get('Askbridge-State') === 'refused') return refuse(text);
      if (answer.status === 202) {
        [url] = `agent${answer.headers.get('Location')}`.split('?'); // The body goes there again.
      } else if (said?.state === 'open') {
        url = `agent/v1/requests/${said.id}`;
        ask = { method: 'GET' };
      } else {
        const id = answer.headers.get('Askbridge-Request-Id');
        return asked === 1 && id ? metBy(id) : '';
      }
      if (held || document.hidden) await next;
    }
  } catch (problem) {
    return refuse(`That did not reach the program: ${problem.message}`);
  }
}

// refuse shows what is wrong with a request below the box.
function refuse(words, errors = []) {
  const all = (errors || []).map(({ path, detail }) => h('li', {}, path && h('code', {}, path), ` ${detail}`));
  $('refusal').replaceChildren(h('p', {}, words), h('ul', {}, all));
  $('refusal').hidden = false;
  return '';
}

function drawExchange(exchange, agent, say) {
  const { seq, at, method, path, status, took, open, times, request, response, trouble } = exchange;
  const tone = open ? 'waiting' : status >= 400 || !status ? 'bad' : 'good';
  const words = gist(exchange);
  return h('li', { class: 'exchange' }, h('details', {},
    h('summary', {},
      h('span', { class: 'exchange-line' },
        h('span', { class: 'verb' }, method), h('span', { class: 'path' }, path),
        h('span', { class: `status ${tone}` }, open ? 'waiting' : String(status || 'none')),
        !open && h('span', { class: 'took' }, milliseconds(took))),
      words && h('span', { class: 'gist' }, words)),
    h('div', { class: 'exchange-body' },
      h('p', { class: 'soft' }, clock(new Date(at), true), times > 1 && ` · asked ${times} times`),
      sample('Request', request, say),
      sample('Response', response, say),
      trouble && h('p', { class: 'bad' }, trouble),
      agent && sayings(exchange, agent, say),
      agent && h('p', { class: 'copies', id: `copies-${seq}` }, h('span', {}, 'Copy as '),
        Object.entries(languages).map(([name, write]) => copier(name, () => write({ method, url: agent.url + path, body: request || '' }), say, `Copy the request as ${name}`))))));
}

// gist says what an exchange is about: the first question, and what became of it.
function gist({ request, response }) {
  const asked = parsed(request);
  const said = parsed(response);
  const questions = [asked?.questions, asked?.tool_input?.questions, said?.questions].find(Array.isArray) || [asked].filter((one) => one?.question);
  const [first] = questions;
  const about = first && (first.question || first.text || first.prompt);
  const more = questions.length > 1 ? ` and ${questions.length - 1} more` : '';
  const prompt = asked?.tool_name && [asked.tool_name, asked.tool_input?.command || asked.tool_input?.file_path].filter(Boolean).join(': ');
  const result = said?.hookSpecificOutput?.decision?.behavior || (said?.state !== 'open' && said?.state);
  const ended = result ? ` → ${result}` : '';
  return [about ? `“${about}”${more}` : prompt, ended].filter(Boolean).join('');
}

// sayings shows what a request became in the form of each agent host.
function sayings({ response, path }, agent, say) {
  const said = parsed(response);
  if (!said?.id || !said.state || said.state === 'open' || path.includes('as=')) return null;
  const dialects = agent.forms.filter(({ path: to }) => to.startsWith('/v1/ask/'));
  const shown = h('div', { 'aria-live': 'polite' });
  let latest = 0;
  const choose = h('select', {
    class: 'select', 'aria-label': 'How a host would be told',
    async onchange(event) {
      latest += 1;
      const mine = latest;
      const drawn = await saying(said.id, dialects.find(({ name }) => name === event.target.value), say);
      if (mine === latest) shown.replaceChildren(drawn);
    },
  }, h('option', { value: '' }, 'How would a host be told?'), dialects.map(({ name, label }) => h('option', { value: name }, label)));
  return h('div', { class: 'sayings' }, choose, shown);
}

// saying is what one host would be told of a request. Some repeat what they asked, and so have to ask it themselves.
async function saying(id, dialect, say) {
  if (!dialect) return '';
  const answer = await fetch(`agent/v1/requests/${id}?as=${dialect.name}`, { headers: { 'Sim-Unrecorded': '1' } });
  const text = await answer.text();
  if (answer.status === 409) return h('p', { class: 'soft' }, `The result of ${dialect.label} repeats its own tool input. Send that above, as ${dialect.label}: the response is the result.`);
  if (!answer.ok) return h('p', { class: 'bad' }, parsed(text)?.detail || text);
  return sample(`As ${dialect.name}`, text, say) || h('p', { class: 'soft' }, 'This host is told nothing.');
}
