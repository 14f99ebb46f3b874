// The Faults tab: injects failures of a platform or of the program.

import { h } from './dom.js';
import { brands } from './timeline.js';

// faultsPanel fills its panel. isVisible reports whether the panel is visible.
export function faultsPanel(toast, isVisible) {
  const place = document.getElementById('faults');

  async function refresh() {
    if (!isVisible()) return;
    draw(await (await fetch('api/faults')).json());
  }

  async function inject(fault, message) {
    await report(fetch('api/faults', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(fault) }), message);
  }

  // report shows the result of a call, or the message if the result has none.
  async function report(call, message) {
    const response = await call;
    toast(response.ok ? (await response.json()).says || message : await response.text());
    await refresh();
  }

  function draw({ faults, platforms, controls }) {
    const focus = document.activeElement?.id;
    const row = ({ label, about }, buttons) => h('div', { class: 'fault' }, h('p', {}, h('strong', {}, label), h('span', {}, about)), h('div', { class: 'fault-buttons' }, buttons));
    const button = (id, text, name, press) => h('button', { type: 'button', class: 'small', id, 'aria-label': name, onclick: press }, text);
    const on = ({ platform }, fault, message) => button(`fault-${platform}-${fault.name}`, brands[platform], `${fault.label} on ${brands[platform]}`, () => inject({ platform, fault: fault.name }, message));
    const sockets = platforms.filter((platform) => platform.sockets > 0);
    const drop = { name: 'sockets', label: 'Dropped socket', about: "Closes the app's open connections now." };
    place.replaceChildren(
      ...platforms.filter(({ waiting }) => waiting.length > 0).map(({ platform, waiting }) => h('p', { class: 'waiting-faults' },
        h('span', {}, `Pending on ${brands[platform]}: ${waiting.join(', ')}`),
        button(`clear-${platform}`, 'Clear', `Clear the pending faults on ${brands[platform]}`, () => report(fetch(`api/faults?${new URLSearchParams({ platform })}`, { method: 'DELETE' }), 'Pending faults cleared.')))),
      ...faults.filter(({ button }) => button).map((fault) => row(fault, platforms.map((where) => on(where, fault, `${fault.label}: pending on ${brands[where.platform]}.`)))),
      ...(sockets.length > 0 ? [row(drop, sockets.map((platform) => on(platform, drop, 'Connection closed.')))] : []),
      ...controls.map((control) => row(control, button(`control-${control.name}`, 'Run', `Run: ${control.label}`, () => inject({ control: control.name }, 'Done.')))));
    if (focus) document.getElementById(focus)?.focus({ preventScroll: true });
  }

  return { refresh };
}
