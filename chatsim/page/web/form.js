// Renders the modals of both platforms and Slack's confirmation dialogs as DOM nodes. https://docs.slack.dev/surfaces/modals

import { h, icon } from './dom.js';
import { renderBlocks, textNodes } from './blocks.js';

// drawForm draws an open modal.
export function drawForm(form, surface) {
  const { title, submit, close, blocks } = form.view;
  return drawModal(surface, { name: form.id, title: title.text, trouble: form.trouble, submit: submit?.text, close: close?.text || 'Cancel', x: 'dismiss all' },
    renderBlocks(blocks, surface));
}

// drawModal draws a modal with its title, content and buttons. x is the action of the close icon.
export function drawModal(surface, { name, title, trouble, submit, close, x }, content) {
  const send = () => submit && surface.act('submit');
  const readOnly = surface.readOnly === true; // drawn in the gallery, not as a dialog
  return h('div', {
    class: 'form', id: surface.id, role: readOnly ? 'group' : 'dialog', 'aria-modal': readOnly ? null : 'true', 'aria-labelledby': `${surface.id}-title`, tabindex: '-1',
    'data-form': name,
    onkeydown(event) {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
    },
  },
  h('form', {
    novalidate: true,
    onsubmit(event) {
      event.preventDefault();
      send();
    },
  },
  h('header', { class: 'form-head' },
    h('h2', { id: `${surface.id}-title` }, title),
    h('button', { type: 'button', id: `${surface.id}-x`, class: 'icon-button', 'aria-label': 'Close', 'data-x': true, onclick: () => surface.act(x) }, icon('close'))),
  h('div', { class: 'body' },
    trouble && h('p', { class: 'trouble', role: 'alert' }, icon('warning'), trouble),
    h('div', { class: 'blocks' }, content)),
  h('footer', { class: 'form-foot' },
    h('button', { type: 'button', id: `${surface.id}-close`, class: 'button secondary', 'data-escape': true, 'data-close': true, onclick: () => surface.act('dismiss') },
      h('span', {}, close)),
    submit && h('button', { type: 'submit', id: `${surface.id}-submit`, class: 'button primary', 'data-submit': true, 'aria-busy': surface.busy.has('submit') && 'true' },
      h('span', {}, submit)))));
}

// drawConfirm draws a confirmation dialog.
export function drawConfirm(dialog, surface) {
  const answer = (object, more) => h('button', { type: 'button', ...more, onclick: () => surface.act('press', object.text) }, h('span', {}, object.text));
  return h('div', { class: 'form confirm', id: surface.id, role: 'alertdialog', 'aria-modal': 'true', 'aria-labelledby': 'confirm-title', tabindex: '-1' },
    h('header', { class: 'form-head' }, h('h2', { id: 'confirm-title' }, dialog.title.text)),
    h('div', { class: 'body text' }, textNodes(dialog.text, surface)),
    h('footer', { class: 'form-foot' },
      answer(dialog.deny, { class: 'button', 'data-escape': true }),
      answer(dialog.confirm, { class: `button ${dialog.style || 'primary'}` })));
}
