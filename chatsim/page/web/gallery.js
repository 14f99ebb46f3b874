// The gallery draws golden cases as they would look, with nobody behind them.

import { h } from './dom.js';
import { drawMessage } from './slack.js';
import { drawForm } from './form.js';
import { elements } from './elements.js';
import { mrkdwn } from './mrkdwn.js';

const context = { me: '', user: () => undefined, channel: () => undefined };

// still is a surface on which nothing happens.
function still(id, blocks) {
  return { id, context, values: initialValues(blocks), drafts: new Map(), busy: new Set(), act() {} };
}

// initialValues is what a platform would hold before anybody touched anything.
function initialValues(blocks) {
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

function drawCase({ name, note, slack }) {
  const message = {
    ts: String(Date.now() / 1000), author: 'bot', name: 'askbridge', from_bot: true, text: slack.text || '', blocks: slack.blocks || [],
  };
  const forms = Object.entries(slack.forms || {}).map(([which, view]) => (
    drawForm({ id: `${name}-${which}`, view }, still(`${name}-${which.replaceAll(' ', '-')}`, view.blocks))));
  return h('section', { class: 'case', id: name },
    h('h2', {}, name.replaceAll('_', ' ')),
    note && h('p', {}, note),
    drawMessage(message, still(name, message.blocks)),
    h('p', {}, 'As a notification: ', mrkdwn(slack.text || '', context)),
    forms.length > 0 && h('div', { class: 'case-forms' }, forms));
}

const cases = await (await fetch('api/cases')).json();
document.getElementById('names').append(...cases.map(({ name }) => h('a', { href: `#${name}` }, name.replaceAll('_', ' '))));
document.getElementById('cases').append(...(cases.length > 0 ? cases.map(drawCase) : [h('p', { class: 'empty' }, 'There are no cases here.')]));
document.getElementById(location.hash.slice(1))?.scrollIntoView();
document.body.dataset.ready = 'gallery';
