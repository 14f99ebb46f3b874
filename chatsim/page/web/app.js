// The page: the person switcher, a pane for each platform, the tools panel, and the event stream that updates them.

import { h, icon } from './dom.js';
import { agentPanel } from './agent.js';
import { discordPane } from './discord.js';
import { faultsPanel } from './faults.js';
import { inspector } from './inspect.js';
import { copier } from './json.js';
import { slackPane } from './slack.js';
import { tabs } from './tabs.js';
import { brands, timeline } from './timeline.js';
import { workspaces } from './workspaces.js';

const makers = { slack: slackPane, discord: discordPane };
const roomy = matchMedia('(min-width: 1100px)');
const $ = (id) => document.getElementById(id);

const setup = await (await fetch('api/setup')).json();
const names = [...new Set(setup.chats.flatMap((chat) => chat.people.map((person) => person.name)))];
const panes = new Map();
let current = '';
let stream = null;

// toast shows a message for five seconds.
let toastTimer = 0;
function toast(message) {
  $('toast').textContent = message;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { $('toast').textContent = ''; }, 5000);
}

const isVisible = (name) => () => document.body.classList.contains('panel-open') && tools.current() === name;
const tools = tabs($('tabs'), [...document.querySelectorAll('.panel [data-tab]')], () => refreshTools());
const inspecting = inspector(toast, isVisible('inspect'));
const faults = faultsPanel(toast, isVisible('faults'));
const agent = agentPanel(setup, toast);
const events = timeline(setup, inspect);

function refreshTools() {
  inspecting.refresh();
  faults.refresh();
}

function inspect(target) {
  showPanel(true);
  tools.show('inspect');
  inspecting.inspect(target);
}

// send performs the actions of one person on one platform one after another.
const queues = new Map();
function send(platform, action) {
  const key = `${platform} ${action.person}`;
  const done = (queues.get(key) || Promise.resolve()).then(() => post({ platform, ...action }));
  queues.set(key, done);
  return done;
}

async function post(action) {
  try {
    const response = await fetch('api/act', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(action),
    });
    if (!response.ok) throw new Error(await response.text());
    const { says: message } = await response.json();
    if (message) toast(message);
  } catch (problem) {
    toast(`Could not reach the simulator: ${problem.message}`);
  }
}

// personInURL returns the name in the URL's fragment, or '' if the fragment is malformed.
function personInURL() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
}

// actAs switches to a person. An unknown name selects the first one.
function actAs(name) {
  current = names.includes(name) ? name : names[0];
  history.replaceState(null, '', `#${encodeURIComponent(current)}`);
  for (const button of $('people').children) button.setAttribute('aria-pressed', String(button.dataset.person === current));
  listen();
}

// listen opens the event stream of the current person. The browser reconnects by itself. A background page closes its
// stream, because the browser's connections are limited.
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
  stream.onmessage = (event) => update(JSON.parse(event.data));
}

let news = 0; // exchanges that ended while the panel was closed
function update(change) {
  for (const [platform, { snapshot }] of Object.entries(change.chats || {})) {
    if (!snapshot) continue;
    panes.get(platform)?.update(snapshot);
    if (!change.first) platformButton(platform)?.classList.add('news');
  }
  platformButton(shown)?.classList.remove('news');
  agent.update(change);
  events.update(change);
  if (change.chats) refreshTools();
  tools.badge('events', tools.current() === 'events' ? 0 : events.violations());
  if (!change.first && !document.body.classList.contains('panel-open')) news += (change.exchanges || []).filter(({ open }) => !open).length;
  showNews();
  document.body.dataset.ready = current;
}

// showNews shows the number of new exchanges on the button of the panel.
function showNews() {
  if (document.body.classList.contains('panel-open')) news = 0;
  $('news').textContent = String(news);
  $('news').hidden = news === 0;
}

// Narrow pages show one platform at a time; a dot marks the others that have changed.
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
  showNews();
  if (open) refreshTools();
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
  $('people').append(h('button', { type: 'button', 'data-person': name, onclick: () => actAs(name) }, name));
}

document.title = setup.title;
$('title').textContent = setup.title;
$('platforms').hidden = panes.size < 2;
$('gallery-link').hidden = !setup.gallery;
if (setup.agent?.test) {
  const exportTest = async () => (await (await fetch('api/session')).json()).test;
  $('copy-test').append(copier('Copy as test', exportTest, toast));
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
window.onhashchange = () => actAs(personInURL());
window.onunhandledrejection = ({ reason }) => toast(`Failed: ${reason.message}`);

workspaces(toast);
showPlatform(setup.chats[0]?.platform);
showPanel(roomy.matches);
actAs(personInURL());
