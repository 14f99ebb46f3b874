// The gallery draws the golden cases as read-only messages and forms.

import { h } from './dom.js';
import * as discord from './discord.js';
import * as slack from './slack.js';
import { drawForm } from './form.js';
import { elements } from './elements.js';
import { sample } from './json.js';
import { mrkdwn } from './mrkdwn.js';

const { names = {} } = await (await fetch('api/setup')).json();
const nameOf = (id) => names[id];
const context = { me: '', user: nameOf, emoji: () => undefined, role: nameOf, channel: nameOf };

// readOnlySurface is a surface that ignores actions.
function readOnlySurface(id, values) {
  return { id, context, values, errors: {}, drafts: new Map(), menus: new Map(), busy: new Set(), readOnly: true, act() {} };
}

// initial returns the initial values of Slack's controls.
function initial(blocks) {
  const values = {};
  for (const block of blocks) {
    for (const element of elements(block)) {
      values[block.block_id] ||= {};
      values[block.block_id][element.action_id] = {
        value: element.initial_value, selected_option: element.initial_option, selected_options: element.initial_options,
      };
    }
  }
  return values;
}

// preset returns the initial values of Discord's controls.
function preset(component, values = {}) {
  const { custom_id: name, type, options, value } = component;
  if (options) values[name] = options.filter((option) => option.default).map((option) => option.value);
  else if (name && type !== 2) values[name] = value || '';
  for (const inner of [component.components, component.component, component.accessory].flat()) if (inner) preset(inner, values);
  return values;
}

const author = { author: 'bot', name: 'askbridge', from_bot: true };

function onSlack(name, { text = '', blocks = [], forms = {} }) {
  const message = { ...author, ts: String(Date.now() / 1000), text, blocks };
  const drawn = Object.entries(forms).map(([which, view]) => (
    drawForm({ id: `${name}-${which}`, view }, readOnlySurface(`${name}-${which.replaceAll(' ', '-')}`, initial(view.blocks)))));
  return column('slack', slack.drawMessage(message, readOnlySurface(name, initial(blocks))),
    h('p', { class: 'as-notification' }, 'As a notification: ', mrkdwn(text, context)), drawn);
}

function onDiscord(name, { components = [], pages = {}, forms = {}, read = [] }) {
  const id = String((BigInt(Date.now()) - 1_420_070_400_000n) << 22n);
  const message = (list, more = {}) => {
    const surface = readOnlySurface(`discord-${name}`, preset({ components: list }));
    return discord.drawMessage({ ...author, id, content: '', embeds: [], components: list, ...more }, surface);
  };
  const others = Object.values(pages).filter((page) => JSON.stringify(page) !== JSON.stringify(components));
  const drawn = Object.entries(forms).map(([which, form]) => (
    discord.drawForm({ ...form, submit: 'Submit', cancel: 'Cancel' }, readOnlySurface(`discord-${name}-${which.replaceAll(' ', '-')}`, preset(form)))));
  return column('discord', message(components), [
    others.map((page) => message(page)), Object.values(read).flat().map((words) => message(words, { only_you: true })),
  ], drawn);
}

function column(platform, message, more, forms) {
  return h('div', { class: `case-card ${platform}` }, message, more, forms.length > 0 && h('div', { class: 'case-forms' }, forms));
}

function drawCase({ name, note, slack: slackCard, discord: discordCard }) {
  const json = h('div', { class: 'case-json' });
  const payloads = h('details', {
    class: 'case-behind',
    ontoggle() {
      if (json.children.length > 0) return;
      json.append(...[['Slack', slackCard], ['Discord', discordCard]].map(([brand, card]) => card && sample(brand, JSON.stringify(card), toast)).filter(Boolean));
    },
  }, h('summary', {}, 'JSON'), json);
  return h('section', { class: 'case', id: name, 'aria-labelledby': `title-${name}` },
    h('h2', { id: `title-${name}` }, h('a', { href: `#${name}` }, title(name))),
    note && h('p', {}, note),
    h('div', { class: 'case-cards' }, slackCard && onSlack(name, slackCard), discordCard && onDiscord(name, discordCard)),
    payloads);
}

function title(name) {
  return name.replaceAll('_', ' ');
}

// toast shows a message in place of the number of cards for three seconds.
let toastTimer = 0;
function toast(message) {
  $('found').textContent = message;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(showFound, 3000);
}

function showFound() {
  const shown = drawn.filter(({ section }) => !section.hidden).length;
  $('found').textContent = shown === drawn.length ? `${shown} cards` : `${shown} of ${drawn.length} cards`;
}

// search shows the cards whose name, note or payload contains the search text.
function search() {
  const wanted = $('search').value.toLowerCase().replace(/\s+/g, ' ').trim();
  for (const { section, link, text } of drawn) {
    const found = text.includes(wanted);
    section.hidden = !found;
    link.hidden = !found;
  }
  $('none').hidden = drawn.length === 0 || drawn.some(({ section }) => !section.hidden);
  showFound();
  $('cases').scrollTop = 0;
}

const $ = (id) => document.getElementById(id);
const cases = await (await fetch('api/cases')).json();
const drawn = cases.map((one) => ({
  section: drawCase(one),
  link: h('a', { href: `#${one.name}` }, title(one.name)),
  text: `${title(one.name)} ${one.name} ${one.note} ${JSON.stringify([one.slack, one.discord])}`.toLowerCase(),
}));
$('names').append(...drawn.map(({ link }) => link));
$('cases').append(...(drawn.length > 0 ? drawn.map(({ section }) => section) : [h('p', { class: 'empty' }, 'No cards.')]));
$('cases').append(h('p', { class: 'empty', id: 'none', hidden: true }, 'No matching cards. The search covers names, notes and payloads.'));
$('search').oninput = search;
$('search').value = new URLSearchParams(location.search).get('q') || '';
search();
document.getElementById(location.hash.slice(1))?.scrollIntoView();
document.body.dataset.ready = 'gallery';
