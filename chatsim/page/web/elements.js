// Renders the elements of Block Kit as DOM nodes. https://docs.slack.dev/reference/block-kit/block-elements
//
// Each control has a data-control attribute with the name that seats use, "block_id/action_id", and each option a
// data-option attribute with its value.

import { h } from './dom.js';
import { textNodes } from './blocks.js';

// elements lists all elements of a block.
export function elements(block) {
  return [block.accessory, block.element, ...(block.type === 'actions' ? block.elements : [])].filter(Boolean);
}

// control draws one element. labelId is the id of the text that labels it.
export function control(block, element, surface, labelId, state = {}) {
  const { visible_to_user_ids: visibleTo } = element;
  if (visibleTo && !visibleTo.includes(surface.context.me)) return null;
  const draw = drawers[element.type];
  if (!draw) return h('p', { class: 'unknown' }, `Unsupported element type: ${element.type}`);
  const name = `${block.block_id}/${element.action_id}`;
  return draw({
    block, element, surface, name, labelId, state,
    id: `${surface.id}-${block.block_id}-${element.action_id}`,
    value: surface.values?.[block.block_id]?.[element.action_id] || {},
    busy: surface.busy.has(name),
  });
}

const drawers = {
  button({ element, surface, name, id, labelId, busy }) {
    return h('button', {
      type: 'button', id, class: `button ${element.style || ''}`, 'data-control': name,
      'aria-label': element.accessibility_label, 'aria-describedby': labelId, 'aria-busy': busy && 'true',
      onclick() {
        if (/^https?:/i.test(element.url || '')) window.open(element.url, '_blank', 'noopener,noreferrer');
        surface.act('press', name);
      },
    }, h('span', {}, textNodes(element.text, surface)));
  },

  radio_buttons: (at) => choices(at, 'radio', [at.value.selected_option]),
  checkboxes: (at) => choices(at, 'checkbox', at.value.selected_options || []),
  multi_static_select: (at) => choices(at, 'checkbox', at.value.selected_options || []),

  static_select(at) {
    const { element, surface, name, id, labelId, value, state } = at;
    const option = (o) => h('option', { value: o.value, selected: value.selected_option?.value === o.value }, textNodes(o.text, surface));
    return h('select', {
      id, class: 'select', 'data-control': name, 'aria-labelledby': labelId, 'aria-describedby': state.described,
      'aria-invalid': state.invalid && 'true',
      onchange: (event) => surface.act('pick', name, { option: nameOf(element, event.target.value) }),
    },
    h('option', { value: '', disabled: true, selected: !value.selected_option }, element.placeholder?.text || 'Choose an option'),
    (element.options || []).map(option),
    (element.option_groups || []).map((group) => h('optgroup', { label: group.label.text }, group.options.map(option))));
  },

  users_select: (at) => drawers.static_select({ ...at, value: { selected_option: { value: at.value.selected_user } } }),

  overflow({ element, surface, name, id }) {
    return h('select', {
      id, class: 'select overflow', 'data-control': name, 'aria-label': 'More actions',
      onchange: (event) => surface.act('pick', name, { option: nameOf(element, event.target.value) }),
    },
    h('option', { value: '', disabled: true, selected: true }, '⋯'),
    element.options.map((o) => h('option', { value: o.value }, o.text.text)));
  },

  plain_text_input({ block, element, surface, name, id, labelId, value, state }) {
    const text = surface.drafts.get(name) ?? value.value ?? '';
    const dispatches = block.type !== 'input' || block.dispatch_action;
    return h(element.multiline ? 'textarea' : 'input', {
      id, class: 'field', 'data-control': name, type: element.multiline ? null : 'text', rows: element.multiline ? 2 : null,
      value: text, placeholder: element.placeholder?.text, autocomplete: 'off',
      'aria-labelledby': labelId, 'aria-describedby': state.described, 'aria-invalid': state.invalid && 'true',
      'data-focus': element.focus_on_load === true,
      oninput: (event) => surface.drafts.set(name, event.target.value),
      onchange: (event) => dispatches && surface.act('fill', name, { fields: { [name]: event.target.value } }),
    });
  },

  image: ({ element }) => h('span', { class: 'picture' }, element.alt_text),
};

// choices draws radio buttons or checkboxes.
function choices({ element, surface, name, id, labelId, state }, type, chosen) {
  const on = new Set(chosen.filter(Boolean).map((option) => option.value));
  const max = element.max_selected_items || Infinity;
  return h('div', {
    class: 'choices', 'data-control': name, role: type === 'radio' ? 'radiogroup' : 'group', 'aria-labelledby': labelId,
    'aria-describedby': state.described,
  }, optionsOf(element).map((option, i) => h('label', { class: 'choice' },
    h('input', {
      id: `${id}-${i}`, type, name: id, value: option.value, checked: on.has(option.value), 'data-option': option.value,
      disabled: !on.has(option.value) && on.size >= max,
      onchange: () => surface.act('pick', name, { option: nameOf(element, option.value) }),
    }),
    h('span', { class: 'choice-words' },
      h('span', { class: 'choice-text' }, textNodes(option.text, surface)),
      option.description && h('span', { class: 'choice-description' }, textNodes(option.description, surface))))));
}

function optionsOf(element) {
  return [...(element.options || []), ...(element.option_groups || []).flatMap((group) => group.options)];
}

// nameOf returns the name that seats use for an option: its value, unless another option has that value as its text.
function nameOf(element, value) {
  const options = optionsOf(element);
  const own = options.find((option) => option.value === value);
  const ambiguous = options.some((option) => option !== own && option.text.text === value);
  return ambiguous ? own.text.text : value;
}
