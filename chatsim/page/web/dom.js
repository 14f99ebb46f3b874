// Small helpers to build the page. Text always becomes text nodes.

const properties = new Set(['checked', 'disabled', 'hidden', 'selected', 'value']);

// h makes an element. Attributes that are null, undefined or false are left out; "on…" adds a listener.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (properties.has(name)) element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const paths = {
  close: 'M5 5l10 10M15 5L5 15',
  home: 'M3 9l7-6 7 6v8h-5v-5H8v5H3z',
  down: 'M5 8l5 5 5-5',
  tick: 'M4 10.5l4 4 8-9',
  reply: 'M8 5L3 10l5 5M3 10h8a6 6 0 016 6',
  code: 'M7 6l-4 4 4 4M13 6l4 4-4 4',
  eye: 'M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5zM10 8a2 2 0 100 4 2 2 0 000-4z',
  warning: 'M10 3l8 14H2zM10 8v4M10 14.5v.5',
  file: 'M5 2h7l4 4v12H5zM12 2v4h4',
  picture: 'M3 4h14v12H3zM3 14l4-5 4 4 2-2 4 4',
  lock: 'M5 9h10v8H5zM7 9V6a3 3 0 016 0v3',
};

// icon draws an icon, hidden from screen readers.
export function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('class', `icon icon-${name}`);
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', paths[name]);
  svg.append(path);
  return svg;
}

// keyed updates the children of a parent to match a list. Each item has a key and a signature. Only items with a new
// signature are redrawn, so that focus and scroll positions are kept.
export function keyed(parent, items) {
  const before = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  const focus = rememberFocus(parent);
  let at = parent.firstElementChild;
  for (const { key, signature, draw } of items) {
    let node = before.get(key);
    before.delete(key);
    if (!node || node.signature !== signature) {
      const fresh = draw();
      fresh.dataset.key = key;
      fresh.signature = signature;
      if (node) {
        if (at === node) at = fresh;
        node.replaceWith(fresh);
      }
      node = fresh;
    }
    if (node === at) at = at.nextElementSibling;
    else parent.insertBefore(node, at);
  }
  for (const gone of before.values()) gone.remove();
  focus();
}

// rememberFocus returns a function that restores the focus after a redraw: to the same control, or to the parent if the
// control is gone.
export function rememberFocus(parent) {
  const active = document.activeElement;
  if (!active || !parent.contains(active) || !active.id) return () => {};
  const { id, selectionStart, selectionEnd } = active;
  return () => {
    const now = document.getElementById(id);
    if (document.activeElement !== document.body) return;
    (now || parent).focus({ preventScroll: true });
    if (typeof selectionStart === 'number') now?.setSelectionRange(selectionStart, selectionEnd);
  };
}

// following changes a scrolling list. It scrolls to new items if the list was at its end, or where it last scrolled by
// itself.
export function following(list, change) {
  const last = () => list.lastElementChild?.dataset.key ?? list.lastElementChild;
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 80;
  const follows = atEnd || list.scrollTop === list.restsAt;
  const before = last();
  change();
  if (follows && last() !== before) rest(list);
  else if (atEnd) list.scrollTop = list.scrollHeight;
}

// rest scrolls a list to its end, or to the start of its last item where that is taller than the list.
export function rest(list) {
  const last = list.lastElementChild;
  list.scrollTop = last ? Math.min(list.scrollHeight, last.offsetTop - list.offsetTop - 8) : 0;
  list.restsAt = list.scrollTop;
}

// clock formats a time of day in the viewer's locale.
export function clock(date, seconds = false) {
  return date.toLocaleTimeString([], { hour: 'numeric', minute: '2-digit', second: seconds ? '2-digit' : undefined });
}
