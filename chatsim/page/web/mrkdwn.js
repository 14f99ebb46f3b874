// Renders Slack's mrkdwn as DOM nodes. https://docs.slack.dev/messaging/formatting-message-text

import { h } from './dom.js';

const open = '\uE000';
const close = '\uE001';
const reserved = /[\uE000\uE001]/g;
const parked = /\uE000(\d+)\uE001/;
const before = '(^|[\\s([{"\'.,;:!?/*_~-])';
const after = '(?=$|[\\s)\\]}"\'.,;:!?/*_~-])';
const emphasis = new RegExp(`${before}([*_~])(?=\\S)([^\\n]*?\\S)\\2${after}`);
const tags = { '*': 'strong', _: 'em', '~': 'del' };

// mrkdwn renders a text. context returns the names of people, roles and channels: user(id), role(id) and channel(id);
// emoji(name) returns the character for :name:.
export function mrkdwn(text, context, verbatim = false) {
  const nodes = [];
  text.replace(reserved, '\uFFFD').split(/```([\s\S]*?)```/).forEach((part, i, all) => {
    if (i % 2 === 1) {
      nodes.push(h('pre', {}, h('code', {}, inline(part.replace(/^\n/, ''), context, true, true))));
      return;
    }
    if (i > 0) part = part.replace(/^\n/, '');
    if (i < all.length - 1) part = part.replace(/\n$/, '');
    if (part) nodes.push(...paragraphs(part, context, verbatim));
  });
  return nodes;
}

// paragraphs groups quoted and plain lines: ">" quotes one line, ">>>" the rest.
function paragraphs(text, context, verbatim) {
  const groups = [];
  let rest = false;
  for (let line of text.split('\n')) {
    const all = /^(>>>|&gt;&gt;&gt;) ?/.exec(line);
    const one = /^(>|&gt;) ?/.exec(line);
    const quoted = rest || all || one;
    if (!rest && (all || one)) line = line.slice((all || one)[0].length);
    rest = rest || Boolean(all);
    const last = groups.at(-1);
    if (last && last.quoted === Boolean(quoted)) last.lines.push(line);
    else groups.push({ quoted: Boolean(quoted), lines: [line] });
  }
  return groups.map(({ quoted, lines }) => {
    const nodes = inline(lines.join('\n'), context, verbatim, false);
    return quoted ? h('blockquote', {}, nodes) : h('span', {}, nodes);
  });
}

// inline renders inline markup. Code and angle brackets are replaced by placeholders first, so that emphasis can span them.
function inline(text, context, verbatim, inCode) {
  const kept = [];
  const park = (node) => `${open}${kept.push(node) - 1}${close}`;
  if (!inCode) {
    text = text.replace(/`([^`\n]+)`/g, (_, code) => park(h('code', {}, inline(code, context, true, true))));
  }
  text = text.replace(/<([^<>\n]+)>/g, (_, inside) => park(control(inside, context)));
  if (!verbatim) text = text.replace(/https?:\/\/[^\s<>|\uE000]+/g, (url) => park(link(entities(url), entities(url))));
  return inCode ? leaves(text, kept, entities) : emphasize(text, kept, (prose) => emojis(entities(prose), context));
}

function emphasize(text, kept, read) {
  const found = emphasis.exec(text);
  if (!found) return leaves(text, kept, read);
  const [whole, lead, mark, inside] = found;
  const end = found.index + whole.length;
  return [
    ...leaves(text.slice(0, found.index) + lead, kept, read),
    h(tags[mark], {}, emphasize(inside, kept, read)),
    ...emphasize(text.slice(end), kept, read),
  ];
}

function leaves(text, kept, read) {
  return text.split(parked).map((part, i) => (i % 2 === 1 ? kept[Number(part)] : read(part))).filter((part) => part !== '');
}

// entities decodes the three escaped characters.
export function entities(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

// emojis replaces the names of known emoji.
export function emojis(text, context) {
  return text.replace(/:([a-z0-9_+-]+):/g, (whole, name) => context.emoji(name) || whole);
}

// control renders the content of angle brackets.
function control(inside, context) {
  const bar = inside.indexOf('|');
  const target = bar < 0 ? inside : inside.slice(0, bar);
  const label = bar < 0 ? '' : entities(inside.slice(bar + 1));
  if (target.startsWith('!date^')) return date(target, label);
  if (target.startsWith('@')) return mention(`@${context.user(target.slice(1)) || label || target.slice(1)}`, target.slice(1) === context.me);
  if (target.startsWith('#')) return mention(`#${context.channel(target.slice(1)) || label || target.slice(1)}`, false);
  if (target.startsWith('!subteam^')) return mention(label || `@${context.role(target.slice(9)) || target.slice(9)}`, false);
  if (['!channel', '!here', '!everyone'].includes(target)) return mention(`@${target.slice(1)}`, true);
  if (target.startsWith('!')) return h('span', {}, label);
  return link(entities(target), label || entities(target));
}

// mention draws a mention. loud highlights one that notifies the viewer.
export function mention(name, loud) {
  return h('span', { class: loud ? 'mention loud' : 'mention' }, name);
}

// link draws a link; only web and mail addresses are clickable.
export function link(url, label) {
  if (!/^(https?|mailto):/i.test(url)) return h('span', {}, label);
  return h('a', { href: url, target: '_blank', rel: 'noopener noreferrer', title: url }, label);
}

const hour12 = new Intl.DateTimeFormat([], { hour: 'numeric' }).resolvedOptions().hour12;
const shapes = {
  date: { year: 'numeric', month: 'long', day: 'numeric' },
  date_short: { year: 'numeric', month: 'short', day: 'numeric' },
  date_long: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
  time: { hour: 'numeric', minute: '2-digit', hour12 },
  time_secs: { hour: 'numeric', minute: '2-digit', second: '2-digit', hour12 },
};

// date renders <!date^unix^format^link|fallback> in the viewer's time zone.
export function date(target, fallback) {
  const [, unix, format = '', url] = target.split('^');
  const at = new Date(Number(unix) * 1000);
  if (!unix || Number.isNaN(at.getTime())) return h('span', {}, fallback);
  let unknown = false;
  const shown = format.replace(/\{([a-z_]+)\}/g, (_, token) => {
    const words = dateToken(at, token);
    unknown ||= words === undefined;
    return words;
  });
  const time = h('time', { datetime: at.toISOString(), title: at.toString() }, unknown ? fallback : shown);
  if (!url) return time;
  const anchor = link(url, '');
  anchor.append(time);
  return anchor;
}

function dateToken(at, token) {
  if (token === 'date_num') return at.toLocaleDateString('en-CA');
  const pretty = token.endsWith('_pretty');
  const shape = shapes[pretty ? token.slice(0, -'_pretty'.length) : token];
  if (!shape) return undefined;
  if (pretty) {
    const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate());
    const days = Math.round((midnight(at) - midnight(new Date())) / 86_400_000);
    if (Math.abs(days) <= 1) return ['yesterday', 'today', 'tomorrow'][days + 1];
  }
  return at.toLocaleString('en-US', shape);
}
