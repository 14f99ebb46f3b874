// Renders Block Kit as DOM nodes. https://docs.slack.dev/reference/block-kit/blocks
//
// A surface is the message or form that contains the blocks:
//   id        its id, unique on the page
//   context   names of people and channels, and the current person
//   values    the person's selections, as state.values
//   warnings  failed actions, by control
//   errors    validation errors, by block_id
//   drafts    a Map of typed text that was not sent yet, by control
//   busy      a Set of the controls that wait for the app
//   act       act(verb, control, {option, fields})

import { h, icon } from './dom.js';
import { emojis, mrkdwn } from './mrkdwn.js';
import { richText } from './rich.js';
import { control, elements } from './elements.js';

// renderBlocks draws blocks in order. The text above a control labels it for screen readers.
export function renderBlocks(blocks, surface) {
  let labelId = null;
  return blocks.map((block) => {
    const draw = drawers[block.type];
    const node = draw
      ? draw(block, surface, labelId)
      : h('p', { class: 'unknown' }, `Unsupported block type: ${block.type}`);
    node.dataset.block = block.block_id || '';
    if (['section', 'header', 'context', 'rich_text'].includes(block.type)) {
      node.id = `${surface.id}-${block.block_id}`;
      labelId = node.id;
    }
    return node;
  });
}

// textNodes renders a text object.
export function textNodes(object, surface) {
  if (!object) return [];
  return object.type === 'mrkdwn' ? mrkdwn(object.text, surface.context, object.verbatim) : [object.emoji === false ? object.text : emojis(object.text, surface.context)];
}

const drawers = {
  header: (block, surface) => h(block.level > 1 ? 'h4' : 'h3', { class: 'block header' }, textNodes(block.text, surface)),

  divider: () => h('hr', { class: 'block divider' }),

  section(block, surface, labelId) {
    const words = h('div', { class: 'words' });
    if (block.text) words.append(h('div', { class: 'text' }, textNodes(block.text, surface)));
    if (block.fields) {
      words.append(h('div', { class: 'fields' }, block.fields.map((field) => h('div', { class: 'text' }, textNodes(field, surface)))));
    }
    const accessory = block.accessory && h('div', { class: 'accessory' }, control(block, block.accessory, surface, labelId));
    return h('div', { class: 'block section' }, words, accessory, warning(block, surface));
  },

  context: (block, surface) => h('div', { class: 'block context' },
    block.elements.map((element) => (element.type === 'image'
      ? h('span', { class: 'picture' }, element.alt_text)
      : h('span', { class: 'text' }, textNodes(element, surface))))),

  actions: (block, surface, labelId) => h('div', { class: 'block actions' },
    block.elements.map((element) => control(block, element, surface, labelId)), warning(block, surface)),

  input(block, surface) {
    const id = `${surface.id}-${block.block_id}`;
    const error = surface.errors?.[block.block_id];
    const label = [textNodes(block.label, surface), block.optional && h('span', { class: 'optional' }, ' (optional)')];
    const described = [block.hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || null;
    const hasInput = ['plain_text_input', 'static_select', 'users_select'].includes(block.element.type);
    return h('div', { class: error ? 'block input wrong' : 'block input' },
      h(hasInput ? 'label' : 'div', { class: 'label', id: `${id}-label`, for: hasInput ? `${id}-${block.element.action_id}` : null }, label),
      control(block, block.element, surface, `${id}-label`, { described, invalid: Boolean(error) }),
      error && h('p', { class: 'error', id: `${id}-error`, role: 'alert' }, icon('warning'), error),
      block.hint && h('p', { class: 'hint', id: `${id}-hint` }, textNodes(block.hint, surface)),
      warning(block, surface));
  },

  rich_text: (block, surface) => h('div', { class: 'block text' }, richText(block.elements, surface.context)),

  markdown: (block) => h('div', { class: 'block text' }, block.text),

  image: (block) => h('p', { class: 'block picture' }, block.title?.text || block.alt_text),
};

// warning draws Slack's warning next to a control when the app did not respond.
function warning(block, surface) {
  const text = elements(block).map((element) => surface.warnings?.[`${block.block_id}/${element.action_id}`]).find(Boolean);
  return text && h('p', { class: 'warning', role: 'alert', 'data-warning': block.block_id }, icon('warning'), text);
}
