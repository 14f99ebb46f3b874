// Renders Discord's markup as DOM nodes. https://support.discord.com/hc/en-us/articles/210298617

import { h } from './dom.js';
import { link, mention } from './mrkdwn.js';
import { list } from './rich.js';

const fence = /(?<!\\)```(?:([\w+-]+)\n|\n)?([\s\S]*?)```/;
const lines = [
  { mark: /^(#{1,3}) /, draw: ([, marks], words) => h(`h${marks.length + 2}`, { class: 'md-head' }, words) },
  { mark: /^-# /, draw: (_, words) => h('div', { class: 'md-small' }, words) },
];
const entry = /^( *)(?:[-*]|(\d+)\.) /;

// markdown renders a text. context returns the names of people, roles and channels: user(id), role(id) and
// channel(id).
export function markdown(text, context) {
  return text.split(fence).flatMap((part, i) => {
    if (i % 3 === 1) return [];
    if (i % 3 === 2) return [h('pre', {}, h('code', {}, part.replace(/\n$/, '')))];
    return blocks(part.replace(i > 0 ? /^\n/ : '', ''), context);
  });
}

// blocks groups consecutive lines of one kind: quotes, lists and plain text.
function blocks(text, context) {
  if (text === '') return [];
  const groups = [];
  const add = (kind, line, level, start) => {
    const last = groups.at(-1);
    if (last?.kind === kind && last.level === level && !last.start === !start) last.lines.push(line);
    else groups.push({ kind, lines: [line], level, start });
  };
  let rest = false;
  for (const line of text.split('\n')) {
    const quote = /^>>> ?/.exec(line) || /^> /.exec(line);
    const item = entry.exec(line);
    const special = lines.find(({ mark }) => mark.test(line));
    if (rest) add('quote', line);
    else if (quote) add('quote', line.slice(quote[0].length));
    else if (special) groups.push({ kind: special, lines: [line] });
    else if (item) add('list', line.slice(item[0].length), item[1].length / 2, Number(item[2]));
    else add('plain', line);
    rest = rest || Boolean(quote && quote[0].startsWith('>>>'));
  }
  return groups.map((group) => drawGroup(group, context));
}

function drawGroup({ kind, lines: own, level, start }, context) {
  const words = (list) => new Reader(list.join('\n'), context).nodes();
  switch (kind) {
    case 'quote':
      return h('blockquote', {}, words(own));
    case 'list':
      return list(start, Math.floor(level), own.map((line) => words([line])));
    case 'plain':
      return h('div', { class: 'md-text' }, words(own));
    default: {
      const [line] = own;
      const found = kind.mark.exec(line);
      return kind.draw(found, words([line.slice(found[0].length)]));
    }
  }
}

// Paired marks, longest first. A backslash escapes a mark.
const pairs = [
  [/\*\*\*((?:\\[^]|[^\\])+?)\*\*\*(?!\*)/y, (inner) => h('strong', {}, h('em', {}, inner))],
  [/\*\*((?:\\[^]|[^\\])+?)\*\*(?!\*)/y, (inner) => h('strong', {}, inner)],
  [/__((?:\\[^]|[^\\])+?)__(?!_)/y, (inner) => h('u', {}, inner)],
  [/~~((?:\\[^]|[^\\])+?)~~/y, (inner) => h('del', {}, inner)],
  [/\|\|((?:\\[^]|[^\\])+?)\|\|/y, (inner) => h('span', { class: 'spoiler', tabindex: '0' }, inner)],
  [/\*(?=\S)((?:\\[^]|[^\\*])+?)(?<=\S)\*(?!\*)/y, (inner) => h('em', {}, inner)],
  [/(?<!\w)_((?:\\[^]|[^\\_])+?)_(?!\w)/y, (inner) => h('em', {}, inner)],
];

// All other markup. Each function returns a node or a string.
const pieces = [
  [/\\([^0-9A-Za-z\s])/uy, ([, own]) => own],
  [/(`+)([^]*?[^`])\1(?!`)/y, ([, , code]) => h('code', {}, code.replace(/^ ?(.*?) ?$/s, '$1'))],
  [/<@!?(\d+)>/y, ([, id], context) => mention(`@${context.user(id) || 'unknown-user'}`, false)],
  [/<@&(\d+)>/y, ([, id], context) => mention(`@${context.role(id) || 'unknown-role'}`, false)],
  [/<#(\d+)>/y, ([, id], context) => mention(`#${context.channel(id) || 'unknown'}`, false)],
  [/<t:(-?\d+)(?::([tTdDfFR]))?>/y, ([whole, unix, style]) => date(Number(unix), style || 'f') || whole],
  [/<a?(:\w+:)\d+>/y, ([, name]) => name],
  [/<\/([^:>]+):\d+>/y, ([, command]) => mention(`/${command}`, false)],
  [/<(https?:\/\/[^ >]+)>/y, ([, url]) => link(url, url)],
  [/https?:\/\/[^\s<>]*[^\s<>.,:;"')\]]/y, ([url]) => link(url, url)],
  [/@(?:everyone|here)/y, ([whole]) => mention(whole, false)],
  [/\[((?:\\.|[^\]\\\n])+)\]\(<?(https?:\/\/[^\s)>]+)>?(?: "[^"]*")?\)/y, ([, label, url], context) => {
    const anchor = link(url, '');
    anchor.append(...new Reader(label, context).nodes());
    return anchor;
  }],
];

// Reader parses inline markup.
class Reader {
  constructor(text, context) {
    this.text = text;
    this.context = context;
  }

  nodes() {
    const out = [];
    let plain = '';
    for (let at = 0; at < this.text.length;) {
      const [node, size] = this.next(at);
      at += size;
      if (typeof node === 'string') {
        plain += node;
        continue;
      }
      if (plain) out.push(plain);
      plain = '';
      out.push(node);
    }
    return plain ? [...out, plain] : out;
  }

  // next parses one piece. It returns a node or string, and its length in the text.
  next(at) {
    for (const [form, draw] of pieces) {
      const found = match(form, this.text, at);
      if (found) return [draw(found, this.context), found[0].length];
    }
    for (const [form, draw] of pairs) {
      const found = match(form, this.text, at);
      if (found) return [draw(new Reader(found[1], this.context).nodes()), found[0].length];
    }
    return [this.text[at], 1];
  }
}

function match(form, text, at) {
  form.lastIndex = at;
  return form.exec(text);
}

const shapes = {
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
  d: { dateStyle: 'short' },
  D: { dateStyle: 'long' },
  f: { dateStyle: 'long', timeStyle: 'short' },
  F: { dateStyle: 'full', timeStyle: 'short' },
};

// date renders <t:unix:style> in the viewer's time zone.
function date(unix, style) {
  const at = new Date(unix * 1000);
  if (Number.isNaN(at.getTime())) return null;
  const words = style === 'R' ? relative(at) : at.toLocaleString([], shapes[style]);
  return h('time', { class: 'md-time', datetime: at.toISOString(), title: at.toString() }, words);
}

function relative(at) {
  const seconds = (at - Date.now()) / 1000;
  const units = [['year', 31_557_600], ['month', 2_629_800], ['day', 86_400], ['hour', 3600], ['minute', 60], ['second', 1]];
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) || units.at(-1);
  return new Intl.RelativeTimeFormat([], { numeric: 'auto' }).format(Math.round(seconds / size), unit);
}
