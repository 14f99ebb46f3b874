// Renders Discord's components as DOM nodes. https://docs.discord.com/developers/components/reference
//
// A surface is the message or modal that contains the components; see blocks.js. Its values and errors are by custom_id,
// and menus is a Map of the checked options of open selects. Each control has a data-control attribute with its
// custom_id, and each option a data-option attribute with its value.

import { h, icon } from './dom.js';
import { drawFile, drawPicture, drawUpload } from './files.js';
import { markdown } from './markdown.js';
import { menu, optionName } from './menu.js';

const styles = { 1: 'primary', 2: 'secondary', 3: 'success', 4: 'danger', 5: 'link-button' };

// pick draws a select. Selects for members, roles and channels get their options from the guild.
const pick = (select, surface, label) => menu(select, surface, label.id);

// renderComponents draws components in order. The text above a control labels it for screen readers.
export function renderComponents(list, surface, label = { id: null }) {
  return list.map((component) => {
    const draw = drawers[component.type];
    return draw ? draw(component, surface, label) : h('p', { class: 'unknown' }, `Unsupported component type: ${component.type}`);
  });
}

let texts = 0; // numbers the ids of texts

const drawers = {
  // An action row.
  1: (row, surface, label) => h('div', { class: 'row' }, renderComponents(row.components, surface, label)),

  2(button, surface, label) {
    const name = button.custom_id;
    return h('button', {
      type: 'button', id: `${surface.id}-${name || button.url}`, class: `button ${styles[button.style] || ''}`, 'data-control': name,
      disabled: button.disabled === true, 'aria-describedby': label.id, 'aria-busy': surface.busy.has(name) && 'true',
      onclick() {
        if (!button.url) surface.act('press', name);
        else if (/^https?:/i.test(button.url)) window.open(button.url, '_blank', 'noopener,noreferrer');
      },
    }, h('span', {}, [button.emoji?.name, button.label].filter(Boolean).join(' ')));
  },

  // Selects: of strings, members, roles, both, and channels.
  3: pick, 5: pick, 6: pick, 7: pick, 8: pick,

  // A text input. In an action row of a legacy modal it has its own label.
  4(input, surface, label) {
    const name = input.custom_id;
    const id = `${surface.id}-${name}`;
    const long = input.style === 2;
    const field = h(long ? 'textarea' : 'input', {
      id, class: 'field', 'data-control': name, type: long ? null : 'text', rows: long ? 2 : null, autocomplete: 'off',
      value: surface.drafts.get(name) ?? surface.values[name] ?? '', placeholder: input.placeholder, maxlength: input.max_length,
      'aria-labelledby': input.label ? null : label.id, 'aria-label': input.label, 'aria-invalid': Boolean(surface.errors[name]) && 'true',
      'aria-describedby': label.described, oninput: (event) => surface.drafts.set(name, event.target.value),
    });
    return input.label ? labelled(input.label, '', input.required !== false, field, surface, name) : field;
  },

  // A section: texts with an accessory.
  9: (section, surface, label) => h('div', { class: 'section' },
    h('div', { class: 'words' }, renderComponents(section.components, surface, label)),
    h('div', { class: 'accessory' }, renderComponents([section.accessory], surface, label))),

  // A text display.
  10(display, surface, label) {
    texts += 1;
    label.id = `${surface.id}-text-${texts}`;
    return h('div', { class: 'text', id: label.id }, markdown(display.content, surface.context));
  },

  // A thumbnail, and a gallery of pictures.
  11: (thumbnail) => drawPicture(thumbnail),
  12: (gallery) => h('ul', { class: 'gallery-items' }, gallery.items.map((item) => h('li', {}, drawPicture(item)))),

  // A file of the message.
  13: ({ file, name, size }) => drawFile('discord', { id: file.attachment_id, name, size }),

  // A separator.
  14: (separator) => h('hr', { class: `separator${separator.divider === false ? ' blank' : ''}${separator.spacing === 2 ? ' large' : ''}` }),

  17(container, surface) {
    const box = h('div', { class: container.spoiler ? 'box hidden-box' : 'box' }, renderComponents(container.components, surface));
    const color = container.accent_color;
    if (typeof color === 'number') box.style.setProperty('--edge', `#${color.toString(16).padStart(6, '0')}`);
    return box;
  },

  // A label with its field.
  18(wrapper, surface) {
    const field = wrapper.component;
    const id = `${surface.id}-${field.custom_id}`;
    const described = [wrapper.description && `${id}-hint`, surface.errors[field.custom_id] && `${id}-error`].filter(Boolean).join(' ') || null;
    const [drawn] = renderComponents([field], surface, { id: `${id}-label`, described });
    return labelled(wrapper.label, wrapper.description, field.required !== false && field.type !== 23, drawn, surface, field.custom_id);
  },

  // A field for files.
  19: (field, surface, label) => drawUpload(field, surface, label),

  21: (group, surface, label) => choices(group, 'radio', surface, label),
  22: (group, surface, label) => choices(group, 'checkbox', surface, label),

  // A lone checkbox.
  23(box, surface, label) {
    const name = box.custom_id;
    return h('input', {
      id: `${surface.id}-${name}`, class: 'lone', type: 'checkbox', 'data-control': name, 'aria-labelledby': label.id,
      checked: surface.values[name].length > 0, onchange: () => surface.act('pick', name, { option: 'true' }),
    });
  },
};

// labelled draws a field with its label above and its error below.
function labelled(text, hint, required, field, surface, name) {
  const id = `${surface.id}-${name}`;
  const error = surface.errors[name];
  return h('div', { class: error ? 'input wrong' : 'input' },
    h('label', { class: 'label', id: `${id}-label`, for: id }, text, required && h('span', { class: 'needed', 'aria-hidden': 'true' }, ' *')),
    hint && h('p', { class: 'hint', id: `${id}-hint` }, hint),
    field,
    error && h('p', { class: 'error', id: `${id}-error`, role: 'alert' }, icon('warning'), error));
}

// choices draws radio buttons or checkboxes.
function choices(group, type, surface, label) {
  const name = group.custom_id;
  const on = new Set(surface.values[name]);
  return h('div', { class: 'choices', id: `${surface.id}-${name}`, 'data-control': name, role: type === 'radio' ? 'radiogroup' : 'group', 'aria-labelledby': label.id },
    group.options.map((option) => h('label', { class: 'choice' },
      h('input', {
        id: `${surface.id}-${name}-${option.value}`, type, name: `${surface.id}-${name}`, value: option.value, checked: on.has(option.value),
        'data-option': option.value, onchange: () => surface.act('pick', name, { option: optionName(group, option) }),
      }),
      h('span', { class: 'choice-words' },
        h('span', { class: 'choice-text' }, option.label),
        option.description && h('span', { class: 'choice-description' }, option.description)))));
}
