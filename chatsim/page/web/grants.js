// What people have allowed agents for a time, and a button that ends it.

import { clock, h, keyed } from './dom.js';
import { parsed } from './json.js';

const settled = 200; // ms after the last change, when what came of an answer has been kept
const unrecorded = { 'Sim-Unrecorded': '1' };

// grants fills the list with what holds. Look is called after every change.
export function grants(say) {
  const place = document.getElementById('grants');
  const list = place.querySelector('ul');
  let soon;

  async function show() {
    const answer = await fetch('agent/v1/grants', { headers: unrecorded });
    if (!answer.ok) return;
    const all = (await answer.json()).grants;
    keyed(list, all.map((grant) => ({ key: grant.id, signature: JSON.stringify(grant), draw: () => draw(grant) })));
    place.hidden = all.length === 0;
  }

  function draw({ id, what, by, until, uses = 0 }) {
    const times = uses === 1 ? 'once' : `${uses} times`;
    return h('li', { class: 'fault' },
      h('p', {}, h('strong', {}, what), h('span', {}, `Allowed by ${by.name || by.id} until ${clock(new Date(until))}, and used ${uses ? times : 'by no call yet'}`)),
      h('button', { type: 'button', class: 'small', 'aria-label': `Revoke: ${what}`, onclick: () => revoke(id) }, 'Revoke'));
  }

  async function revoke(id) {
    const answer = await fetch(`agent/v1/grants/${id}/revoke`, { method: 'POST' });
    say(answer.ok ? 'Revoked: the next call is asked about again.' : parsed(await answer.text())?.detail || 'That could not be revoked.');
    await show();
  }

  return {
    look() {
      clearTimeout(soon);
      soon = setTimeout(show, settled);
    },
  };
}

// metBy says who has allowed what was answered at once, and nothing where somebody was asked.
export async function metBy(id) {
  const answer = await fetch(`agent/v1/requests/${id}`, { headers: unrecorded });
  const { via = '', by } = answer.ok ? await answer.json() : {};
  return via.startsWith('grant:') ? `Nobody was asked: ${by.name || by.id} has allowed this call for a time.` : '';
}
