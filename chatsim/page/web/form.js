// Slack's modals and confirmation dialogs as nodes. https://docs.slack.dev/surfaces/modals

import { h, icon } from './dom.js';
import { renderBlocks, textNodes } from './blocks.js';

// drawForm draws an open modal.
export function drawForm(form, surface) {
  const { title, submit, close, blocks } = form.view;
  const send = () => surface.act('submit');
  return h('form', {
    class: 'form', id: surface.id, role: 'dialog', 'aria-modal': 'true', 'aria-labelledby': `${surface.id}-title`, tabindex: '-1', novalidate: true,
    'data-form': form.id,
    onsubmit(event) {
      event.preventDefault();
      if (submit) send();
    },
    onkeydown(event) {
      if (submit && event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
    },
  },
  h('header', { class: 'form-head' },
    h('h2', { id: `${surface.id}-title` }, title.text),
    h('button', { type: 'button', id: `${surface.id}-x`, class: 'icon-button', 'aria-label': 'Close', 'data-x': true, onclick: () => surface.act('dismiss all') }, icon('close'))),
  h('div', { class: 'body' },
    form.trouble && h('p', { class: 'trouble', role: 'alert' }, icon('warning'), form.trouble),
    h('div', { class: 'blocks' }, renderBlocks(blocks, surface))),
  h('footer', { class: 'form-foot' },
    h('button', { type: 'button', id: `${surface.id}-close`, class: 'button', 'data-escape': true, 'data-close': true, onclick: () => surface.act('dismiss') },
      h('span', {}, close?.text || 'Cancel')),
    submit && h('button', { type: 'submit', id: `${surface.id}-submit`, class: 'button primary', 'data-submit': true, 'aria-busy': surface.busy.has('submit') && 'true' },
      h('span', {}, submit.text))));
}

// drawConfirm draws the question whether a press was meant.
export function drawConfirm(dialog, surface) {
  const answer = (object, more) => h('button', { type: 'button', ...more, onclick: () => surface.act('press', object.text) }, h('span', {}, object.text));
  return h('div', { class: 'form confirm', id: surface.id, role: 'alertdialog', 'aria-modal': 'true', 'aria-labelledby': 'confirm-title', tabindex: '-1' },
    h('header', { class: 'form-head' }, h('h2', { id: 'confirm-title' }, dialog.title.text)),
    h('div', { class: 'body text' }, textNodes(dialog.text, surface)),
    h('footer', { class: 'form-foot' },
      answer(dialog.deny, { class: 'button', 'data-escape': true }),
      answer(dialog.confirm, { class: `button ${dialog.style || 'primary'}` })));
}
