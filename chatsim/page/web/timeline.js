// What happened, in plain words and in the order of its time, and which rules were broken.

import { clock, following, h } from './dom.js';
import { markdown } from './markdown.js';
import { mrkdwn } from './mrkdwn.js';
import { plainly } from './pane.js';

const loud = new Set(['violated', 'unacknowledged', 'refused', 'faulted', 'posted', 'said privately', 'deleted']);
const bad = new Set(['violated', 'unacknowledged']);
const worth = new Set(['refused', 'warned', 'rung', 'faulted']);
const didIt = new Set(['pressed', 'picked', 'submitted', 'dismissed', 'filled', 'attached']);
const untold = new Set(['closed form', 'mentioned', 'pinged']); // what closed a form was told already, and a name is no news unless it rings somebody
const readers = { slack: mrkdwn, discord: markdown };
export const brands = { slack: 'Slack', discord: 'Discord' };

// timeline fills the lists as changes come in. Inspect shows what is behind an event.
export function timeline(setup, inspect) {
  const events = document.getElementById('events');
  const violations = document.getElementById('violations');
  const tellers = new Map(setup.chats.map((chat) => [chat.platform, new Teller(chat, setup.chats.length > 1)]));

  // add puts an event where its time is: those of two platforms do not arrive in one order.
  function add(item) {
    let before = events.lastElementChild;
    while (before && before.at > item.at) before = before.previousElementSibling;
    if (before) before.after(item);
    else events.prepend(item);
  }

  return {
    broken: () => violations.children.length,
    hear(change) {
      if (change.first) {
        events.replaceChildren();
        violations.replaceChildren();
        for (const teller of tellers.values()) teller.waiting.clear();
      }
      for (const [platform, { snapshot, events: fresh = [], violations: broken = [] }] of Object.entries(change.chats || {})) {
        const teller = tellers.get(platform);
        teller.learn(snapshot);
        const told = fresh.filter((event) => !untold.has(event.kind));
        following(events, () => told.forEach((event) => add(drawEvent(teller, event, inspect))));
        violations.append(...broken.map(drawViolation));
      }
      document.getElementById('broken').hidden = violations.children.length === 0;
      document.getElementById('no-events').hidden = events.children.length > 0;
    },
  };
}

export function drawViolation({ rule, where, detail, doc }) {
  return h('li', { 'data-rule': rule }, h('strong', {}, rule), ` in ${where}: ${detail} `,
    /^https:/.test(doc || '') && h('a', { href: doc, target: '_blank', rel: 'noopener noreferrer' }, 'Read the rule'));
}

function drawEvent(teller, event, inspect) {
  const tone = bad.has(event.kind) ? 'bad' : worth.has(event.kind) ? 'worth' : loud.has(event.kind) ? 'loud' : '';
  const words = teller.tell(event);
  const behind = event.message && { platform: teller.platform, channel: event.channel, message: event.message, at: event.at };
  const item = h('li', { class: `event ${tone}`, 'data-kind': event.kind.replaceAll(' ', '-') },
    h('time', { datetime: event.at }, clock(new Date(event.at), true)),
    behind ? h('button', { type: 'button', class: 'event-words', title: 'Inspect', onclick: () => inspect(behind) }, words) : h('span', { class: 'event-words' }, words));
  item.at = Date.parse(event.at);
  return item;
}

// Teller puts the events of one platform into words.
class Teller {
  constructor({ platform, people }, several) {
    this.platform = platform;
    this.brand = brands[platform] || platform;
    this.prefix = several ? `${this.brand}: ` : '';
    this.people = new Map(people.map((person) => [person.id, person.name]));
    this.channels = new Map();
    this.roles = {};
    this.emojis = {};
    this.waiting = new Map(); // by person: when they did what the app has not answered yet
    this.context = {
      me: '', user: (id) => this.people.get(id), emoji: (name) => this.emojis[name], role: (id) => this.roles[id], channel: (id) => this.channels.get(id)?.replace(/^#/, ''),
    };
  }

  learn(snapshot) {
    this.roles = snapshot?.roles || this.roles;
    this.emojis = snapshot?.emojis || this.emojis;
    for (const channel of snapshot?.channels || []) this.channels.set(channel.id, channel.direct ? 'a direct message' : `#${channel.name}`);
  }

  tell(event) {
    const who = this.people.get(event.person) || this.roles[event.person] || event.person || 'The app';
    const place = event.channel ? ` in ${this.channels.get(event.channel) || 'a direct message'}` : '';
    const text = this.readable(event.text || '');
    const said = text && `: ${text}`;
    const quoted = text && ` “${text}”`;
    if (didIt.has(event.kind)) this.waiting.set(event.person, Date.parse(event.at));
    const words = {
      posted: () => `${who} posted${place}${said}`,
      edited: () => `The app changed its message${place}${said}`,
      deleted: () => `The app deleted a message${place}`,
      'said privately': () => `Only ${who} was told${said}`,
      'opened form': () => `A form opened for ${who}:${quoted}`,
      'changed form': () => `The form in front of ${who} changed:${quoted}`,
      'changed home': () => `The app changed the Home tab of ${who}`,
      pressed: () => `${who} pressed${quoted}`,
      picked: () => (text ? `${who} picked${quoted}` : `${who} picked nothing`),
      filled: () => `${who} typed${quoted}`,
      attached: () => `${who} chose the file${quoted}`,
      submitted: () => `${who} sent the form${quoted}`,
      dismissed: () => `${who} closed the form`,
      acknowledged: () => `The app acknowledged${this.took(event)}`,
      unacknowledged: () => `The app did not acknowledge what ${who} did${said}`,
      refused: () => (event.form ? `The form of ${who} was not taken${said}` : `${this.brand} refused ${event.where}${said}`),
      violated: () => `Rule broken${said.replace(/ \(https:[^ ]*\)$/, '')}`,
      warned: () => `${this.brand} lets it pass${said}`,
      rung: () => `The message notified ${who}`,
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

  // readable is a text on one line, as the pane reads it, with a dot where a line ended.
  readable(text) {
    const lines = text.split('\n').filter((one) => !one.startsWith('```')).map((one) => plainly(readers[this.platform](one, this.context)));
    const line = lines.filter(Boolean).join(' · ');
    return line.length > 160 ? `${line.slice(0, 159)}…` : line;
  }
}
