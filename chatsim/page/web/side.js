// The panel beside the chats: the agent's side, what happened in plain words, and which rules were broken.

import { clock, following, h, rest } from './dom.js';
import { entities } from './mrkdwn.js';

const loud = new Set(['violated', 'unacknowledged', 'refused', 'faulted', 'posted', 'whispered', 'deleted']);
const bad = new Set(['violated', 'unacknowledged']);
const worth = new Set(['refused', 'shrugged', 'pinged', 'faulted']);
const didIt = new Set(['pressed', 'picked', 'submitted', 'dismissed', 'filled']);
const untold = new Set(['closed form']); // whatever closed it was told already
const brands = { slack: 'Slack', discord: 'Discord' };

// sidePanel fills the panel as changes come in.
export function sidePanel(setup) {
  const $ = (id) => document.getElementById(id);
  const tellers = new Map(setup.chats.map((chat) => [chat.platform, new Teller(chat, setup.chats.length > 1)]));
  let news = 0;
  let open = false;

  function count(more) {
    news = open ? 0 : news + more;
    $('news').textContent = String(news);
    $('news').hidden = news === 0;
  }

  return {
    seen(isOpen) {
      open = isOpen;
      count(0);
      for (const list of [$('notes'), $('events')]) rest(list);
    },
    hear(change) {
      if (change.first) {
        for (const list of [$('notes'), $('events'), $('violations')]) list.replaceChildren();
        for (const teller of tellers.values()) teller.waiting.clear();
      }
      for (const [platform, { snapshot, events = [], violations = [] }] of Object.entries(change.chats || {})) {
        const teller = tellers.get(platform);
        teller.learn(snapshot);
        const told = events.filter((event) => !untold.has(event.kind));
        following($('events'), () => $('events').append(...told.map((event) => drawEvent(teller, event))));
        $('violations').append(...violations.map(drawViolation));
      }
      following($('notes'), () => $('notes').append(...(change.notes || []).map(drawNote)));
      $('notes-section').hidden = $('notes').children.length === 0;
      $('broken').hidden = $('violations').children.length === 0;
      count(change.first ? 0 : (change.notes || []).length);
    },
  };
}

function drawNote({ at, title, text }) {
  return h('li', { class: 'note' },
    h('p', { class: 'note-head' }, h('strong', {}, title), h('time', { datetime: at }, clock(new Date(at), true))),
    h('pre', {}, text));
}

function drawViolation({ rule, where, detail, doc }) {
  return h('li', { 'data-rule': rule }, h('strong', {}, rule), ` in ${where}: ${detail} `,
    /^https:/.test(doc || '') && h('a', { href: doc, target: '_blank', rel: 'noopener noreferrer' }, 'Read the rule'));
}

function drawEvent(teller, event) {
  const kind = event.kind.replaceAll(' ', '-');
  const tone = bad.has(event.kind) ? 'bad' : worth.has(event.kind) ? 'worth' : loud.has(event.kind) ? 'loud' : '';
  return h('li', { class: `event ${tone}`, 'data-kind': kind },
    h('time', { datetime: event.at }, clock(new Date(event.at), true)),
    h('span', { class: 'event-words' }, teller.tell(event)));
}

// unmarked is a text of Discord without its marks, near enough for a line in a list.
function unmarked(text) {
  return text.replace(/(^|\s)(?:-#|#{1,3}|>) /g, '$1').replace(/(\\.)|\*\*|__|~~|\|\||[*`]|(?<!\w)_|_(?!\w)/g, (_, escaped) => (escaped ? escaped[1] : ''))
    .replace(/<t:\d+(?::\w)?>/g, '…');
}

// Teller puts the events of one platform into words.
class Teller {
  constructor({ platform, people }, several) {
    this.brand = brands[platform] || platform;
    this.prefix = several ? `${this.brand}: ` : '';
    this.people = new Map(people.map((person) => [person.id, person.name]));
    this.channels = new Map();
    this.waiting = new Map(); // by person: when they did what the app has not answered yet
    this.plain = platform === 'discord' ? unmarked : entities;
  }

  learn(snapshot) {
    for (const channel of snapshot?.channels || []) this.channels.set(channel.id, channel.direct ? `a direct message` : `#${channel.name}`);
  }

  tell(event) {
    const who = this.people.get(event.person) || event.person || 'The app';
    const place = event.channel ? ` in ${this.channels.get(event.channel) || 'a direct message'}` : '';
    const text = this.readable(event.text || '');
    const said = text && `: ${text}`;
    const quoted = text && ` “${text}”`;
    if (didIt.has(event.kind)) this.waiting.set(event.person, Date.parse(event.at));
    const words = {
      posted: () => `${who} posted${place}${said}`,
      edited: () => `The app changed its message${place}${said}`,
      deleted: () => `The app deleted a message${place}`,
      whispered: () => `Only ${who} was told${said}`,
      'opened form': () => `A form opened for ${who}:${quoted}`,
      'changed form': () => `The form in front of ${who} changed:${quoted}`,
      pressed: () => `${who} pressed${quoted}`,
      picked: () => `${who} picked${quoted}`,
      filled: () => `${who} typed${quoted}`,
      submitted: () => `${who} sent the form${quoted}`,
      dismissed: () => `${who} closed the form`,
      acknowledged: () => `The app acknowledged${this.took(event)}`,
      unacknowledged: () => `The app did not acknowledge what ${who} did${said}`,
      refused: () => (event.form ? `The form of ${who} has to be mended${said}` : `${this.brand} refused ${event.where}${said}`),
      violated: () => `Rule broken${said.replace(/ \(https:[^ ]*\)$/, '')}`,
      shrugged: () => `${this.brand} lets it pass${said}`,
      pinged: () => `Text notified ${this.people.get(event.person) || event.person}`,
      faulted: () => `On cue, ${event.where} goes wrong${said}`,
      connected: () => `The app connected${said}`,
      disconnected: () => `The app disconnected${said}`,
    }[event.kind];
    return this.prefix + (words ? words() : `${event.kind}${said}`);
  }

  took(event) {
    const since = this.waiting.get(event.person);
    return since ? ` in ${Math.max(0, Date.parse(event.at) - since)} ms` : '';
  }

  // readable is a text on one line, with names in place of what stands in angle brackets.
  readable(text) {
    const line = this.plain(text
      .replace(/<@(\w+)>/g, (_, id) => `@${this.people.get(id) || id}`)
      .replace(/<#(\w+)>/g, (_, id) => this.channels.get(id) || '#unknown')
      .replace(/<[^<>|]+\|([^<>]+)>/g, '$1')
      .replace(/\s+/g, ' ')
      .trim());
    return line.length > 160 ? `${line.slice(0, 159)}…` : line;
  }
}
