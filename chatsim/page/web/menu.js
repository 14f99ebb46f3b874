// Discord's string select: a button that shows the selection, and a list of options that opens below it. A select for
// several values stays open while options are checked, and sends the values when it closes.
// https://docs.discord.com/developers/components/reference#string-select

import { h, icon } from './dom.js';

// menu draws a select. labelId is the id of the text that labels it.
export function menu(select, surface, labelId) {
  const name = select.custom_id;
  const id = `${surface.id}-${name}`;
  const { min_values: min = 1, max_values: max = 1, options = [] } = select; // The gallery has no guild with options.
  const selected = surface.values[name] || [];
  const chosen = () => surface.menus.get(name) || selected;

  const head = h('button', {
    type: 'button', id, class: 'menu-head', 'data-control': name, 'aria-haspopup': 'listbox', 'aria-describedby': labelId,
    disabled: select.disabled === true || surface.busy.has(name), 'aria-busy': surface.busy.has(name) && 'true', onclick: () => (surface.menus.has(name) ? close() : open()),
  });
  const list = h('div', { class: 'menu-list', id: `${id}-list`, role: 'listbox', 'aria-multiselectable': max > 1 && 'true', 'aria-label': select.placeholder || 'Options' },
    options.map((option) => h('button', {
      type: 'button', id: `${id}-${option.value}`, class: 'menu-option', role: 'option', 'data-option': option.value, onclick: () => choose(option),
    },
    h('span', { class: 'choice-words' },
      h('span', { class: 'choice-text' }, [option.emoji?.name, option.label].filter(Boolean).join(' ')),
      option.description && h('span', { class: 'choice-description' }, option.description)),
    h('span', { class: max > 1 ? 'mark box-mark' : 'mark', 'aria-hidden': 'true' }, icon('tick')))));
  const whole = h('div', { class: 'menu', onkeydown: key, onfocusout: ({ relatedTarget: next }) => (next ? leave(next) : setTimeout(() => leave(document.activeElement))) }, head, list);
  show();
  return whole;

  // show updates the button and the list to match the selection.
  function show() {
    const now = options.filter((option) => chosen().includes(option.value));
    head.replaceChildren(
      now.length === 0
        ? h('span', { class: 'placeholder' }, select.placeholder || 'Make a selection')
        : h('span', { class: max > 1 ? 'picks pills' : 'picks' }, now.map((option) => h('span', {}, option.label))),
      icon('down'));
    head.setAttribute('aria-expanded', String(surface.menus.has(name)));
    list.hidden = !surface.menus.has(name);
    for (const option of list.children) option.setAttribute('aria-selected', String(chosen().includes(option.dataset.option)));
  }

  function open() {
    surface.menus.set(name, [...selected]);
    show();
    list.scrollIntoView({ block: 'nearest' });
  }

  // close closes the list and sends the checked options if they differ and are enough.
  function close() {
    const checked = surface.menus.get(name);
    surface.menus.delete(name);
    show();
    if (!checked || max === 1 || checked.length < min || checked.join() === selected.join()) return;
    surface.act('pick all', name, { options: options.filter((option) => checked.includes(option.value)).map((option) => option.label) });
  }

  function choose(option) {
    if (max === 1) {
      close();
      head.focus();
      if (!selected.includes(option.value)) surface.act('pick', name, { option: optionName(select, option) });
      return;
    }
    const now = chosen();
    const after = now.includes(option.value) ? now.filter((value) => value !== option.value) : [...now, option.value];
    if (after.length > max) return;
    surface.menus.set(name, options.map(({ value }) => value).filter((value) => after.includes(value)));
    show();
  }

  // leave closes the list when the focus moves elsewhere, but not when the list was only redrawn.
  function leave(next) {
    if (whole.isConnected && surface.menus.has(name) && !whole.contains(next)) close();
  }

  function key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape' && surface.menus.has(name)) {
      event.stopPropagation();
      close();
      head.focus();
    } else if (step) {
      event.preventDefault();
      if (!surface.menus.has(name)) open();
      const all = [...list.children];
      all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus();
    }
  }
}

// optionName returns the name that seats use for an option: its label, or its value if two labels are equal.
export function optionName({ options }, option) {
  return options.some((other) => other !== option && other.label === option.label) ? option.value : option.label;
}
