// A sheet over the page, for a text that is longer than a toast.

import { icon } from './dom.js';

const $ = (id) => document.getElementById(id);

$('sheet-close').append(icon('close'));
$('sheet-close').onclick = () => $('sheet').close();

// showSheet opens it with a title and what stands in it.
export function showSheet(title, ...content) {
  $('sheet-title').textContent = title;
  $('sheet-body').replaceChildren(...content);
  $('sheet').showModal();
}
