// What crosses a wire, for reading and copying.

import { h } from './dom.js';

// pretty indents what is JSON and leaves everything else.
export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

// parsed is what a text says as JSON, and null where it says none.
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// sample draws a text to read, with a title and a button that copies it.
export function sample(title, text, say) {
  if (!text) return null;
  const shown = pretty(text);
  return h('div', { class: 'sample' },
    h('p', { class: 'sample-head' }, h('span', {}, title), copier('Copy', () => shown, say, `Copy: ${title}`)),
    h('pre', { tabindex: '0', 'aria-label': title }, shown));
}

// copier is a button that copies a text.
export function copier(label, text, say, name = label) {
  return h('button', { type: 'button', class: 'small', 'aria-label': name === label ? null : name, onclick: async () => copy(await text(), say) }, label);
}

async function copy(text, say) {
  try {
    await navigator.clipboard.writeText(text);
    say('Copied.');
  } catch {
    say('The browser does not let the page copy. Mark the text and copy it yourself.');
  }
}

// milliseconds says how long something took.
export function milliseconds(took) {
  if (took < 1000) return `${Math.round(took * 10) / 10} ms`;
  return took < 60_000 ? `${(took / 1000).toFixed(1)} s` : `${Math.floor(took / 60_000)} min ${Math.round(took / 1000) % 60} s`;
}
