// Payloads, formatted for reading and copying.

import { h } from './dom.js';

// pretty indents JSON and returns any other text unchanged.
export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

// parsed parses JSON. It returns null if the text is not valid JSON.
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// sample draws a block of text with a title and a copy button.
export function sample(title, text, toast) {
  if (!text) return null;
  const shown = pretty(text);
  return h('div', { class: 'sample' },
    h('p', { class: 'sample-head' }, h('span', {}, title), copier('Copy', () => shown, toast, `Copy: ${title}`)),
    h('pre', { tabindex: '0', 'aria-label': title }, shown));
}

// copier makes a button that copies a text.
export function copier(label, text, toast, name = label) {
  return h('button', { type: 'button', class: 'small', 'aria-label': name === label ? null : name, onclick: async () => copy(await text(), toast) }, label);
}

async function copy(text, toast) {
  try {
    await navigator.clipboard.writeText(text);
    toast('Copied.');
  } catch {
    toast('The browser blocked copying. Select the text and copy it manually.');
  }
}

// milliseconds formats a duration.
export function milliseconds(took) {
  if (took < 1000) return `${Math.round(took * 10) / 10} ms`;
  return took < 60_000 ? `${(took / 1000).toFixed(1)} s` : `${Math.floor(took / 60_000)} min ${Math.round(took / 1000) % 60} s`;
}
