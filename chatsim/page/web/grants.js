// The list of active grants, each with a button to revoke it.

import { clock, h, keyed } from './dom.js';
import { parsed } from './json.js';

const settled = 200; // ms to wait after a change, so that the program has stored the grant
const unrecorded = { 'Sim-Unrecorded': '1' };

// grants fills the list with the active grants. Call refresh after every change.
export function grants(toast) {
  const place = document.getElementById('grants');
  const list = place.querySelector('ul');
  let soon;

  async function show() {
    const response = await fetch('agent/v1/grants', { headers: unrecorded });
    if (!response.ok) return;
    const all = (await response.json()).grants;
    keyed(list, all.map((grant) => ({ key: grant.id, signature: JSON.stringify(grant), draw: () => draw(grant) })));
    place.hidden = all.length === 0;
  }

  function draw({ id, what, by, until, uses = 0 }) {
    const used = ['not used yet', 'used once'][uses] || `used ${uses} times`;
    return h('li', { class: 'fault' },
      h('p', {}, h('strong', {}, what), h('span', {}, `Allowed by ${by.name || by.id} until ${clock(new Date(until))}, ${used}`)),
      h('button', { type: 'button', class: 'small', 'aria-label': `Revoke: ${what}`, onclick: () => revoke(id) }, 'Revoke'));
  }

  async function revoke(id) {
    const response = await fetch(`agent/v1/grants/${id}/revoke`, { method: 'POST' });
    toast(response.ok ? 'Revoked. The next call needs approval again.' : parsed(await response.text())?.detail || 'Could not revoke the grant.');
    await show();
  }

  return {
    refresh() {
      clearTimeout(soon);
      soon = setTimeout(show, settled);
    },
  };
}

// grantNotice describes the grant that answered a request. It returns '' if people were asked.
export async function grantNotice(id) {
  const response = await fetch(`agent/v1/requests/${id}`, { headers: unrecorded });
  const { via = '', by } = response.ok ? await response.json() : {};
  return via.startsWith('grant:') ? `Approved automatically by an active grant from ${by.name || by.id}.` : '';
}
