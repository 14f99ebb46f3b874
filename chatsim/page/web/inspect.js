// The inspector: what a card is made of, and what crossed the wire for it.

import { clock, h } from './dom.js';
import { milliseconds, sample } from './json.js';
import { brands, drawViolation } from './timeline.js';

const $ = (id) => document.getElementById(id);

// inspector fills its panel with one message at a time. Shows tells whether the panel is in sight.
export function inspector(say, shows) {
  let target = null;
  let latest = 0;

  async function look() {
    if (!target || !shows()) return;
    latest += 1;
    const mine = latest;
    const { platform, message } = target;
    const answer = await fetch(`api/inspect?${new URLSearchParams({ platform, message })}`);
    if (mine !== latest) return;
    if (!answer.ok) {
      say(await answer.text());
      return;
    }
    draw(target, await answer.json(), say);
  }

  return {
    look,
    inspect(at) {
      target = at;
      $('inspected').replaceChildren(); // What was open belongs to another message, or to another moment.
      return look();
    },
  };
}

function draw({ platform, channel, message, at }, { card, exchanges, violations }, say) {
  const open = new Set([...$('inspected').querySelectorAll('details[open]')].map((details) => details.dataset.key));
  const moment = Date.parse(at || '');
  // What happened is noted a little before or after its exchange, and on a busy machine not so little.
  const away = ({ at: began, took }) => Math.max(0, Date.parse(began) - moment, moment - Date.parse(began) - took);
  const nearest = open.size === 0 && at && exchanges.toSorted((a, b) => away(a) - away(b)).find((exchange) => away(exchange) < 1000);
  $('not-inspected').hidden = true;
  $('inspected').replaceChildren(
    h('p', { class: 'inspect-head' }, h('strong', {}, brands[platform]), ' message ', h('code', {}, message), ' in ', h('code', {}, channel)),
    ...(violations.length === 0 ? [] : [h('section', { class: 'broken' }, h('h3', {}, 'Broken rules'), h('ul', {}, violations.map(drawViolation)))]),
    h('h3', {}, 'On the wire'),
    exchanges.length > 0
      ? h('ol', { class: 'wire' }, exchanges.map((exchange) => drawExchange(exchange, open.has(`x${exchange.seq}`) || exchange === nearest, say)))
      : h('p', { class: 'soft' }, 'Nothing was kept of it.'),
    h('h3', {}, 'The message'),
    card ? sample(`What ${brands[platform]} holds`, JSON.stringify(card), say) : h('p', { class: 'soft' }, 'It is gone.'));
}

function drawExchange(exchange, open, say) {
  const { seq, from, to, name, at, took, status, request, response, trouble, person } = exchange;
  return h('li', { class: 'exchange' }, h('details', { open: open && '', 'data-key': `x${seq}` },
    h('summary', {},
      h('span', { class: 'exchange-line' },
        h('span', { class: 'way' }, `${from} → ${to}`), h('span', { class: 'path' }, name.replace(/^POST \/api\/(?!v)/, '').replace(/\/api\/v\d+/, '')),
        h('span', { class: `status ${trouble || status >= 400 ? 'bad' : 'good'}` }, exchange.open ? 'waiting' : String(status || 'none')),
        h('span', { class: 'took' }, milliseconds(took)))),
    h('div', { class: 'exchange-body' },
      h('p', { class: 'soft' }, clock(new Date(at), true), person && ` · ${person}`),
      sample(from === 'app' ? 'Call' : 'Interaction', request, say),
      sample(from === 'app' ? 'Answer' : 'Acknowledgement', response, say),
      trouble && h('p', { class: 'bad' }, trouble))));
}
