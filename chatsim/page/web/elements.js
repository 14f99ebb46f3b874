// The controls of Block Kit as nodes. https://docs.slack.dev/reference/block-kit/block-elements
//
// Each control carries data-control with the name a seat knows it by, "block_id/action_id", and each option
// data-option with its value.

import { h } from './dom.js';
import { textNodes } from './blocks.js';

// elements lists the elements of a block wherever they stand in it.
export function elements(block) {
  return [block.accessory, block.element, ...(block.type === 'actions' ? block.elements : [])].filter(Boolean);
}

// control draws one element. Over is the id of the text that says what it is for.
export function control(block, element, surface, over, state = {}) {
  const { visible_to_user_ids: only } = element;
  if (only && !only.includes(surface.context.me)) return null;
  const draw = drawers[element.type];
  if (!draw) return h('p', { class: 'unknown' }, `A control of type ${element.type}, which this page cannot draw.`);
  const name = `${block.block_id}/${element.action_id}`;
  return draw({
    block, element, surface, name, over, state,
    id: `${surface.id}-${block.block_id}-${element.action_id}`,
    held: surface.values?.[block.block_id]?.[element.action_id] || {},
    busy: surface.busy.has(name),
  });
}

const drawers = {
  button({ element, surface, name, id, over, busy }) {
    return h('button', {
      type: 'button', id, class: `button ${element.style || ''}`, 'data-control': name,
      'aria-label': element.accessibility_label, 'aria-describedby': over, 'aria-busy': busy && 'true',
      onclick() {
        if (/^https?:/i.test(element.url || '')) window.open(element.url, '_blank', 'noopener,noreferrer');
        surface.act('press', name);
      },
    }, h('span', {}, textNodes(element.text, surface)));
  },

  radio_buttons: (at) => choices(at, 'radio', [at.held.selected_option]),
  checkboxes: (at) => choices(at, 'checkbox', at.held.selected_options || []),
  multi_static_select: (at) => choices(at, 'checkbox', at.held.selected_options || []),

  static_select(at) {
    const { element, surface, name, id, over, held, state } = at;
    const option = (o) => h('option', { value: o.value, selected: held.selected_option?.value === o.value }, textNodes(o.text, surface));
    return h('select', {
      id, class: 'select', 'data-control': name, 'aria-labelledby': over, 'aria-describedby': state.described,
      'aria-invalid': state.invalid && 'true',
      onchange: (event) => surface.act('pick', name, { option: nameOf(element, event.target.value) }),
    },
    h('option', { value: '', disabled: true, selected: !held.selected_option }, element.placeholder?.text || 'Choose an option'),
    (element.options || []).map(option),
    (element.option_groups || []).map((group) => h('optgroup', { label: group.label.text }, group.options.map(option))));
  },

  users_select: (at) => drawers.static_select({ ...at, held: { selected_option: { value: at.held.selected_user } } }),

  overflow({ element, surface, name, id }) {
    return h('select', {
      id, class: 'select overflow', 'data-control': name, 'aria-label': 'More actions',
      onchange: (event) => surface.act('pick', name, { option: nameOf(element, event.target.value) }),
    },
    h('option', { value: '', disabled: true, selected: true }, '⋯'),
    element.options.map((o) => h('option', { value: o.value }, o.text.text)));
  },

  plain_text_input({ block, element, surface, name, id, over, held, state }) {
    const written = surface.drafts.get(name) ?? held.value ?? '';
    const speaks = block.type !== 'input' || block.dispatch_action;
    return h(element.multiline ? 'textarea' : 'input', {
      id, class: 'field', 'data-control': name, type: element.multiline ? null : 'text', rows: element.multiline ? 2 : null,
      value: written, placeholder: element.placeholder?.text, autocomplete: 'off',
      'aria-labelledby': over, 'aria-describedby': state.described, 'aria-invalid': state.invalid && 'true',
      'data-focus': element.focus_on_load === true,
      oninput: (event) => surface.drafts.set(name, event.target.value),
      onchange: (event) => speaks && surface.act('fill', name, { fields: { [name]: event.target.value } }),
    });
  },

  image: ({ element }) => h('span', { class: 'picture' }, element.alt_text),
};

// choices draws radio buttons and checkboxes alike.
function choices({ element, surface, name, id, over, state }, type, chosen) {
  const on = new Set(chosen.filter(Boolean).map((option) => option.value));
  const most = element.max_selected_items || Infinity;
  return h('div', {
    class: 'choices', 'data-control': name, role: type === 'radio' ? 'radiogroup' : 'group', 'aria-labelledby': over,
    'aria-describedby': state.described,
  }, optionsOf(element).map((option, i) => h('label', { class: 'choice' },
    h('input', {
      id: `${id}-${i}`, type, name: id, value: option.value, checked: on.has(option.value), 'data-option': option.value,
      disabled: !on.has(option.value) && on.size >= most,
      onchange: () => surface.act('pick', name, { option: nameOf(element, option.value) }),
    }),
    h('span', { class: 'choice-words' },
      h('span', { class: 'choice-text' }, textNodes(option.text, surface)),
      option.description && h('span', { class: 'choice-description' }, textNodes(option.description, surface))))));
}

function optionsOf(element) {
  return [...(element.options || []), ...(element.option_groups || []).flatMap((group) => group.options)];
}

// nameOf is how a seat knows an option: by its value, unless another option's text reads just like that value.
function nameOf(element, value) {
  const options = optionsOf(element);
  const mine = options.find((option) => option.value === value);
  const mistaken = options.some((option) => option !== mine && option.text.text === value);
  return mistaken ? mine.text.text : value;
}
