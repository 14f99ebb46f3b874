// Tabs that follow the ARIA pattern: one is selected, and the arrow keys move between them.
// https://www.w3.org/WAI/ARIA/apg/patterns/tabs/

import { h } from './dom.js';

// tabs fills a list with a tab for each panel. onShow is called when a tab is selected. It returns show(name),
// badge(name, count) and current().
export function tabs(list, panels, onShow = () => {}) {
  const all = new Map(panels.map((panel) => {
    const name = panel.dataset.tab;
    const count = h('span', { class: 'count', hidden: true });
    const tab = h('button', {
      type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': panel.id, 'data-tab-name': name, onclick: () => show(name),
    }, h('span', {}, panel.dataset.label), count);
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    list.append(tab);
    return [name, { tab, panel, count }];
  }));
  let current = '';

  function show(name) {
    mark(name);
    onShow(name);
  }

  function mark(name) {
    current = name;
    for (const [other, { tab, panel }] of all) {
      tab.setAttribute('aria-selected', String(other === name));
      tab.tabIndex = other === name ? 0 : -1;
      panel.hidden = other !== name;
    }
    badge(name, 0);
  }

  function badge(name, number) {
    const { count } = all.get(name);
    count.textContent = String(number);
    count.hidden = number === 0;
  }

  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const names = [...all.keys()];
    const next = names[(names.indexOf(current) + step + names.length) % names.length];
    show(next);
    all.get(next).tab.focus();
  });
  mark(all.keys().next().value);
  return { show, badge, current: () => current };
}
