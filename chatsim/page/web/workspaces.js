// The workspaces of the Slack app: which one the page shows, and a way to add, install and uninstall.

import { h, icon } from './dom.js';

// workspaces fills the menu in the top bar. It stays hidden where the page shows one workspace only.
export function workspaces(toast) {
  const place = document.getElementById('workspaces');
  const menu = place.querySelector('.workspaces-menu');

  async function show() {
    const { workspaces: all } = await (await fetch('api/workspaces')).json();
    const current = all.find((one) => one.current);
    place.hidden = !current;
    if (!current) return;
    place.querySelector('summary').replaceChildren(h('span', { class: 'sr-only' }, 'Workspace'), h('span', {}, current.name), icon('down'));
    menu.replaceChildren(...[
      h('ul', {}, all.map((one) => h('li', {}, h('a', { href: one.path + location.hash, 'aria-current': one.current && 'page', 'data-workspace': one.id },
        h('span', {}, one.name), h('span', { class: 'soft' }, one.installed ? 'installed' : 'not installed'))))),
      h('button', { type: 'button', class: 'small', onclick: add }, 'Add a workspace'),
      current.installed && h('button', { type: 'button', class: 'small', onclick: uninstall }, `Uninstall the app from ${current.name}`)].filter(Boolean));
  }

  async function send(method, call) {
    const answer = await fetch(`api/${call}`, { method, headers: { 'Content-Type': 'application/json' }, body: '{}' });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  async function add() {
    const { id } = await send('PUT', 'workspaces');
    await show();
    toast('Added. To install the app there, open the address at which your bot begins an installation.');
    menu.querySelector(`[data-workspace="${id}"]`)?.focus();
  }

  async function uninstall() {
    await send('POST', 'uninstall');
    await show();
    toast('The app is uninstalled here.');
    place.querySelector('summary').focus();
  }

  place.addEventListener('toggle', () => place.open && show());
  place.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !place.open) return;
    place.open = false;
    place.querySelector('summary').focus();
  });
  show();
}
