// The inspector: the platform's data of a message, and the related traffic.

import { clock, h } from './dom.js';
import { milliseconds, sample } from './json.js';
import { brands, drawViolation } from './timeline.js';

const $ = (id) => document.getElementById(id);

// inspector shows one message at a time. isVisible reports whether the panel is visible.
export function inspector(toast, isVisible) {
  let target = null;
  let latest = 0;

  async function refresh() {
    if (!target || !isVisible()) return;
    latest += 1;
    const mine = latest;
    const { platform, message } = target;
    const response = await fetch(`api/inspect?${new URLSearchParams({ platform, message })}`);
    if (mine !== latest) return;
    if (!response.ok) {
      toast(await response.text());
      return;
    }
    draw(target, await response.json(), toast);
  }

  return {
    refresh,
    inspect(at) {
      target = at;
      $('inspected').replaceChildren(); // The expanded items belong to another message or time.
      return refresh();
    },
  };
}

function draw({ platform, channel, message, at }, { card, exchanges, violations }, toast) {
  const open = new Set([...$('inspected').querySelectorAll('details[open]')].map((details) => details.dataset.key));
  const moment = Date.parse(at || '');
  // An event is recorded shortly before or after its exchange; the gap grows on a busy machine.
  const away = ({ at: began, took }) => Math.max(0, Date.parse(began) - moment, moment - Date.parse(began) - took);
  const nearest = open.size === 0 && at && exchanges.toSorted((a, b) => away(a) - away(b)).find((exchange) => away(exchange) < 1000);
  $('not-inspected').hidden = true;
  $('inspected').replaceChildren(
    h('p', { class: 'inspect-head' }, h('strong', {}, brands[platform]), ' message ', h('code', {}, message), ' in ', h('code', {}, channel)),
    ...(violations.length === 0 ? [] : [h('section', { class: 'broken' }, h('h3', {}, 'Violated rules'), h('ul', {}, violations.map(drawViolation)))]),
    h('h3', {}, 'Traffic'),
    exchanges.length > 0
      ? h('ol', { class: 'wire' }, exchanges.map((exchange) => drawExchange(exchange, open.has(`x${exchange.seq}`) || exchange === nearest, toast)))
      : h('p', { class: 'soft' }, 'No traffic was recorded for this message.'),
    h('h3', {}, 'Stored message'),
    card ? sample(brands[platform], JSON.stringify(card), toast) : h('p', { class: 'soft' }, 'The message was deleted.'));
}

function drawExchange(exchange, open, toast) {
  const { seq, from, to, name, at, took, status, request, response, trouble, person } = exchange;
  return h('li', { class: 'exchange' }, h('details', { open: open && '', 'data-key': `x${seq}` },
    h('summary', {},
      h('span', { class: 'exchange-line' },
        h('span', { class: 'way' }, `${from} → ${to}`), h('span', { class: 'path' }, name.replace(/^POST \/api\/(?!v)/, '').replace(/\/api\/v\d+/, '')),
        h('span', { class: `status ${trouble || status >= 400 ? 'bad' : 'good'}` }, exchange.open ? 'waiting' : String(status || 'none')),
        h('span', { class: 'took' }, milliseconds(took)))),
    h('div', { class: 'exchange-body' },
      h('p', { class: 'soft' }, clock(new Date(at), true), person && ` · ${person}`),
      sample(from === 'app' ? 'Call' : 'Interaction', request, toast),
      sample(from === 'app' ? 'Answer' : 'Acknowledgement', response, toast),
      trouble && h('p', { class: 'bad' }, trouble))));
}
