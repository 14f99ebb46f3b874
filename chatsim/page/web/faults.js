// What can be made to go wrong: on a platform, or with the program.

import { h } from './dom.js';
import { brands } from './timeline.js';

// faultsPanel fills its panel. Shows tells whether it is in sight.
export function faultsPanel(say, shows) {
  const place = document.getElementById('faults');

  async function look() {
    if (!shows()) return;
    draw(await (await fetch('api/faults')).json());
  }

  async function make(fault, words) {
    await told(fetch('api/faults', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(fault) }), words);
  }

  async function told(call, words) {
    const answer = await call;
    say(answer.ok ? (await answer.json()).says || words : await answer.text());
    await look();
  }

  function draw({ faults, platforms, controls }) {
    const focus = document.activeElement?.id;
    const row = ({ label, about }, buttons) => h('div', { class: 'fault' }, h('p', {}, h('strong', {}, label), h('span', {}, about)), h('div', { class: 'fault-buttons' }, buttons));
    const button = (id, words, name, press) => h('button', { type: 'button', class: 'small', id, 'aria-label': name, onclick: press }, words);
    const on = ({ platform }, fault, says) => button(`fault-${platform}-${fault.name}`, brands[platform], `${fault.label} on ${brands[platform]}`, () => make({ platform, fault: fault.name }, says));
    const sockets = platforms.filter((platform) => platform.sockets > 0);
    const broken = { name: 'sockets', label: 'Dropped socket', about: "The app's open connections break now." };
    place.replaceChildren(
      ...platforms.filter(({ waiting }) => waiting.length > 0).map(({ platform, waiting }) => h('p', { class: 'waiting-faults' },
        h('span', {}, `Next on ${brands[platform]}: ${waiting.join(', ')}`),
        button(`clear-${platform}`, 'Forget', `Forget what waits on ${brands[platform]}`, () => told(fetch(`api/faults?${new URLSearchParams({ platform })}`, { method: 'DELETE' }), 'Nothing waits any more.')))),
      ...faults.filter(({ button }) => button).map((fault) => row(fault, platforms.map((where) => on(where, fault, `${fault.label}: next on ${brands[where.platform]}.`)))),
      ...(sockets.length > 0 ? [row(broken, sockets.map((platform) => on(platform, broken, 'The connection is broken.')))] : []),
      ...controls.map((control) => row(control, button(`control-${control.name}`, 'Do it', `Do it: ${control.label}`, () => make({ control: control.name }, 'Done.')))));
    if (focus) document.getElementById(focus)?.focus({ preventScroll: true });
  }

  return { look };
}
