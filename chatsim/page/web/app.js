// The page: who one is, the panes of the platforms, the tools beside them, and the stream that keeps all of it right.

import { h, icon } from './dom.js';
import { agentPanel } from './agent.js';
import { discordPane } from './discord.js';
import { faultsPanel } from './faults.js';
import { inspector } from './inspect.js';
import { copier } from './json.js';
import { slackPane } from './slack.js';
import { tabs } from './tabs.js';
import { brands, timeline } from './timeline.js';

const makers = { slack: slackPane, discord: discordPane };
const roomy = matchMedia('(min-width: 1100px)');
const $ = (id) => document.getElementById(id);

const setup = await (await fetch('api/setup')).json();
const names = [...new Set(setup.chats.flatMap((chat) => chat.people.map((person) => person.name)))];
const panes = new Map();
let current = '';
let stream = null;

// say shows a sentence for a moment.
let hushing = 0;
function say(words) {
  $('toast').textContent = words;
  clearTimeout(hushing);
  hushing = setTimeout(() => { $('toast').textContent = ''; }, 5000);
}

const inSight = (name) => () => document.body.classList.contains('panel-open') && tools.current() === name;
const tools = tabs($('tabs'), [...document.querySelectorAll('.panel [data-tab]')], () => looks.forEach((look) => look()));
const inspecting = inspector(say, inSight('inspect'));
const looks = [inspecting.look, faultsPanel(say, inSight('faults')).look];
const agent = agentPanel(setup, say);
const happened = timeline(setup, inspect);

function inspect(target) {
  showPanel(true);
  tools.show('inspect');
  inspecting.inspect(target);
}

// senders run what one person does on one platform in order, as one pair of hands would.
const queues = new Map();
function send(platform, action) {
  const key = `${platform} ${action.person}`;
  const turn = (queues.get(key) || Promise.resolve()).then(() => post({ platform, ...action }));
  queues.set(key, turn);
  return turn;
}

async function post(action) {
  try {
    const answer = await fetch('api/act', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(action),
    });
    if (!answer.ok) throw new Error(await answer.text());
    const { says } = await answer.json();
    if (says) say(says);
  } catch (problem) {
    say(`That did not reach the simulator: ${problem.message}`);
  }
}

// addressed is whom the address names; what is no name there is nobody's.
function addressed() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
}

// become takes somebody's place.
function become(name) {
  current = names.includes(name) ? name : names[0];
  history.replaceState(null, '', `#${encodeURIComponent(current)}`);
  for (const button of $('people').children) button.setAttribute('aria-pressed', String(button.dataset.person === current));
  listen();
}

// listen opens the stream of what this person sees. The browser opens it again by itself whenever it breaks. Nobody sees
// anything on a page in the background, which gives its connection to those in sight.
function listen() {
  stream?.close();
  if (document.hidden) return;
  const query = new URLSearchParams();
  for (const { platform, people } of setup.chats) {
    query.set(platform, people.find((person) => person.name === current)?.id || '');
  }
  stream = new EventSource(`api/events?${query}`);
  stream.onopen = () => { $('offline').hidden = true; };
  stream.onerror = () => { $('offline').hidden = false; };
  stream.onmessage = (event) => hear(JSON.parse(event.data));
}

let news = 0;
function hear(change) {
  for (const [platform, { snapshot }] of Object.entries(change.chats || {})) {
    if (!snapshot) continue;
    panes.get(platform)?.update(snapshot);
    if (!change.first) platformButton(platform)?.classList.add('news');
  }
  platformButton(shown)?.classList.remove('news');
  agent.hear(change);
  happened.hear(change);
  if (change.chats) looks.forEach((look) => look());
  tools.badge('events', tools.current() === 'events' ? 0 : happened.broken());
  if (!change.first && !document.body.classList.contains('panel-open')) news += (change.exchanges || []).filter(({ open }) => !open).length;
  count();
  document.body.dataset.ready = current;
}

// count tells on the button what came while the tools were closed.
function count() {
  if (document.body.classList.contains('panel-open')) news = 0;
  $('news').textContent = String(news);
  $('news').hidden = news === 0;
}

// Where there is room for one platform only, a dot says that something happened on another.
let shown = '';
function showPlatform(platform) {
  shown = platform;
  platformButton(shown)?.classList.remove('news');
  for (const [name, pane] of panes) pane.element.classList.toggle('active', name === platform);
  for (const button of $('platforms').children) button.setAttribute('aria-pressed', String(button.dataset.platform === platform));
}

function platformButton(platform) {
  return document.querySelector(`#platforms [data-platform="${platform}"]`);
}

function showPanel(open) {
  document.body.classList.toggle('panel-open', open);
  $('panel-button').setAttribute('aria-expanded', String(open));
  count();
  if (open) looks.forEach((look) => look());
  if (open && !roomy.matches) $('panel-close').focus();
}

for (const chat of setup.chats) {
  const make = makers[chat.platform];
  if (!make) continue;
  panes.set(chat.platform, make({ people: chat.people, act: (action) => send(chat.platform, action), inspect }));
  $('panes').append(panes.get(chat.platform).element);
  $('platforms').append(h('button', { type: 'button', 'data-platform': chat.platform, onclick: () => showPlatform(chat.platform) }, brands[chat.platform]));
}
for (const name of names) {
  $('people').append(h('button', { type: 'button', 'data-person': name, onclick: () => become(name) }, name));
}

document.title = setup.title;
$('title').textContent = setup.title;
$('platforms').hidden = panes.size < 2;
$('gallery-link').hidden = !setup.gallery;
if (setup.agent?.test) {
  const written = async () => (await (await fetch('api/session')).json()).test;
  $('copy-test').append(copier('Copy as test', written, say));
  $('copy-test').hidden = false;
}
$('panel-close').append(icon('close'));
$('panel-close').onclick = () => {
  showPanel(false);
  $('panel-button').focus();
};
$('panel-button').onclick = () => showPanel(!document.body.classList.contains('panel-open'));
$('panel').onkeydown = (event) => { if (event.key === 'Escape' && !roomy.matches) $('panel-close').click(); };
document.onvisibilitychange = listen;
window.onhashchange = () => become(addressed());
window.onunhandledrejection = ({ reason }) => say(`That did not work: ${reason.message}`);

showPlatform(setup.chats[0]?.platform);
showPanel(roomy.matches);
become(addressed());
