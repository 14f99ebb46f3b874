// Block Kit as nodes. https://docs.slack.dev/reference/block-kit/blocks
//
// A surface is the message or form the blocks stand on:
//   id        its name, unique on the page
//   context   names of people and channels, and who is looking
//   values    what this person chose, as state.values
//   warnings  what went wrong, by control
//   errors    what to mend, by block_id
//   drafts    a Map of typed text that was not sent yet, by control
//   busy      a Set of the controls that wait for the app
//   act       act(deed, control, {option, fields})

import { h, icon } from './dom.js';
import { emojis, mrkdwn } from './mrkdwn.js';
import { richText } from './rich.js';
import { control, elements } from './elements.js';

// renderBlocks draws blocks in order. Text over a control names it for screen readers.
export function renderBlocks(blocks, surface) {
  let over = null;
  return blocks.map((block) => {
    const draw = drawers[block.type];
    const node = draw
      ? draw(block, surface, over)
      : h('p', { class: 'unknown' }, `A block of type ${block.type}, which this page cannot draw.`);
    node.dataset.block = block.block_id || '';
    if (['section', 'header', 'context', 'rich_text'].includes(block.type)) {
      node.id = `${surface.id}-${block.block_id}`;
      over = node.id;
    }
    return node;
  });
}

// textNodes reads a text object.
export function textNodes(object, surface) {
  if (!object) return [];
  return object.type === 'mrkdwn' ? mrkdwn(object.text, surface.context, object.verbatim) : [object.emoji === false ? object.text : emojis(object.text, surface.context)];
}

const drawers = {
  header: (block, surface) => h(block.level > 1 ? 'h4' : 'h3', { class: 'block header' }, textNodes(block.text, surface)),

  divider: () => h('hr', { class: 'block divider' }),

  section(block, surface, over) {
    const words = h('div', { class: 'words' });
    if (block.text) words.append(h('div', { class: 'text' }, textNodes(block.text, surface)));
    if (block.fields) {
      words.append(h('div', { class: 'fields' }, block.fields.map((field) => h('div', { class: 'text' }, textNodes(field, surface)))));
    }
    const accessory = block.accessory && h('div', { class: 'accessory' }, control(block, block.accessory, surface, over));
    return h('div', { class: 'block section' }, words, accessory, warning(block, surface));
  },

  context: (block, surface) => h('div', { class: 'block context' },
    block.elements.map((element) => (element.type === 'image'
      ? h('span', { class: 'picture' }, element.alt_text)
      : h('span', { class: 'text' }, textNodes(element, surface))))),

  actions: (block, surface, over) => h('div', { class: 'block actions' },
    block.elements.map((element) => control(block, element, surface, over)), warning(block, surface)),

  input(block, surface) {
    const id = `${surface.id}-${block.block_id}`;
    const error = surface.errors?.[block.block_id];
    const label = [textNodes(block.label, surface), block.optional && h('span', { class: 'optional' }, ' (optional)')];
    const described = [block.hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || null;
    const written = ['plain_text_input', 'static_select', 'users_select'].includes(block.element.type);
    return h('div', { class: error ? 'block input wrong' : 'block input' },
      h(written ? 'label' : 'div', { class: 'label', id: `${id}-label`, for: written ? `${id}-${block.element.action_id}` : null }, label),
      control(block, block.element, surface, `${id}-label`, { described, invalid: Boolean(error) }),
      error && h('p', { class: 'error', id: `${id}-error`, role: 'alert' }, icon('warning'), error),
      block.hint && h('p', { class: 'hint', id: `${id}-hint` }, textNodes(block.hint, surface)),
      warning(block, surface));
  },

  rich_text: (block, surface) => h('div', { class: 'block text' }, richText(block.elements, surface.context)),

  markdown: (block) => h('div', { class: 'block text' }, block.text),

  image: (block) => h('p', { class: 'block picture' }, block.title?.text || block.alt_text),
};

// warning is what Slack shows next to a control when the app did not answer.
function warning(block, surface) {
  const said = elements(block).map((element) => surface.warnings?.[`${block.block_id}/${element.action_id}`]).find(Boolean);
  return said && h('p', { class: 'warning', role: 'alert', 'data-warning': block.block_id }, icon('warning'), said);
}
