// The gallery draws golden cases as they would look, with nobody behind them.

import { h } from './dom.js';
import * as discord from './discord.js';
import * as slack from './slack.js';
import { drawForm } from './form.js';
import { elements } from './elements.js';
import { sample } from './json.js';
import { mrkdwn } from './mrkdwn.js';

const { names = {} } = await (await fetch('api/setup')).json();
const called = (id) => names[id];
const context = { me: '', user: called, emoji: () => undefined, role: called, channel: called };

// still is a surface on which nothing happens.
function still(id, values) {
  return { id, context, values, errors: {}, drafts: new Map(), menus: new Map(), busy: new Set(), still: true, act() {} };
}

// initial is what Slack would hold before anybody touched anything.
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

// preset is the same on Discord.
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
    drawForm({ id: `${name}-${which}`, view }, still(`${name}-${which.replaceAll(' ', '-')}`, initial(view.blocks)))));
  return column('slack', slack.drawMessage(message, still(name, initial(blocks))),
    h('p', { class: 'as-notification' }, 'As a notification: ', mrkdwn(text, context)), drawn);
}

function onDiscord(name, { components = [], pages = {}, forms = {}, read = [] }) {
  const id = String((BigInt(Date.now()) - 1_420_070_400_000n) << 22n);
  const message = (list, more = {}) => {
    const surface = still(`discord-${name}`, preset({ components: list }));
    return discord.drawMessage({ ...author, id, content: '', embeds: [], components: list, ...more }, surface);
  };
  const others = Object.values(pages).filter((page) => JSON.stringify(page) !== JSON.stringify(components));
  const drawn = Object.entries(forms).map(([which, form]) => (
    discord.drawForm({ ...form, submit: 'Submit', cancel: 'Cancel' }, still(`discord-${name}-${which.replaceAll(' ', '-')}`, preset(form)))));
  return column('discord', message(components), [
    others.map((page) => message(page)), Object.values(read).flat().map((words) => message(words, { only_you: true })),
  ], drawn);
}

function column(platform, message, more, forms) {
  return h('div', { class: `case-card ${platform}` }, message, more, forms.length > 0 && h('div', { class: 'case-forms' }, forms));
}

function drawCase({ name, note, slack: onOne, discord: onOther }) {
  const json = h('div', { class: 'case-json' });
  const behind = h('details', {
    class: 'case-behind',
    ontoggle() {
      if (json.children.length > 0) return;
      json.append(...[['Slack', onOne], ['Discord', onOther]].map(([brand, card]) => card && sample(brand, JSON.stringify(card), say)).filter(Boolean));
    },
  }, h('summary', {}, 'JSON'), json);
  return h('section', { class: 'case', id: name, 'aria-labelledby': `title-${name}` },
    h('h2', { id: `title-${name}` }, h('a', { href: `#${name}` }, words(name))),
    note && h('p', {}, note),
    h('div', { class: 'case-cards' }, onOne && onSlack(name, onOne), onOther && onDiscord(name, onOther)),
    behind);
}

function words(name) {
  return name.replaceAll('_', ' ');
}

let hushing = 0;
function say(sentence) {
  $('found').textContent = sentence;
  clearTimeout(hushing);
  hushing = setTimeout(tellFound, 3000);
}

function tellFound() {
  const shown = drawn.filter(({ section }) => !section.hidden).length;
  $('found').textContent = shown === drawn.length ? `${shown} cards` : `${shown} of ${drawn.length} cards`;
}

// search shows the cards in which the words stand: in the name, the note, or anywhere in what is sent.
function search() {
  const wanted = $('search').value.toLowerCase().replace(/\s+/g, ' ').trim();
  for (const { section, link, text } of drawn) {
    const found = text.includes(wanted);
    section.hidden = !found;
    link.hidden = !found;
  }
  $('none').hidden = drawn.length === 0 || drawn.some(({ section }) => !section.hidden);
  tellFound();
  $('cases').scrollTop = 0;
}

const $ = (id) => document.getElementById(id);
const cases = await (await fetch('api/cases')).json();
const drawn = cases.map((one) => ({
  section: drawCase(one),
  link: h('a', { href: `#${one.name}` }, words(one.name)),
  text: `${words(one.name)} ${one.name} ${one.note} ${JSON.stringify([one.slack, one.discord])}`.toLowerCase(),
}));
$('names').append(...drawn.map(({ link }) => link));
$('cases').append(...(drawn.length > 0 ? drawn.map(({ section }) => section) : [h('p', { class: 'empty' }, 'There are no cards here.')]));
$('cases').append(h('p', { class: 'empty', id: 'none', hidden: true }, 'No card holds these words. They are looked for in names, notes and all that is sent.'));
$('search').oninput = search;
$('search').value = new URLSearchParams(location.search).get('q') || '';
search();
document.getElementById(location.hash.slice(1))?.scrollIntoView();
document.body.dataset.ready = 'gallery';
