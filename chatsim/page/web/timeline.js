// The Timeline tab: the events of all platforms as sentences in chronological order, and the violated rules.

import { clock, following, h } from './dom.js';
import { markdown } from './markdown.js';
import { mrkdwn } from './mrkdwn.js';
import { plainly } from './pane.js';

const loud = new Set(['violated', 'unacknowledged', 'refused', 'faulted', 'posted', 'said privately', 'deleted']);
const bad = new Set(['violated', 'unacknowledged']);
const notable = new Set(['refused', 'warned', 'rung', 'faulted']);
const actions = new Set(['pressed', 'picked', 'submitted', 'dismissed', 'filled', 'attached']);
const hidden = new Set(['closed form', 'mentioned', 'pinged']); // The action that closed a form is listed; a mention matters only if it notifies.
const readers = { slack: mrkdwn, discord: markdown };
export const brands = { slack: 'Slack', discord: 'Discord' };

// timeline fills the lists as changes arrive. inspect opens the message of an event in the inspector.
export function timeline(setup, inspect) {
  const events = document.getElementById('events');
  const violations = document.getElementById('violations');
  const describers = new Map(setup.chats.map((chat) => [chat.platform, new Describer(chat, setup.chats.length > 1)]));

  // add inserts an event by its time, because events of two platforms can arrive out of order.
  function add(item) {
    let before = events.lastElementChild;
    while (before && before.at > item.at) before = before.previousElementSibling;
    if (before) before.after(item);
    else events.prepend(item);
  }

  return {
    violations: () => violations.children.length,
    update(change) {
      if (change.first) {
        events.replaceChildren();
        violations.replaceChildren();
        for (const describer of describers.values()) describer.waiting.clear();
      }
      for (const [platform, { snapshot, events: fresh = [], violations: broken = [] }] of Object.entries(change.chats || {})) {
        const describer = describers.get(platform);
        describer.learn(snapshot);
        const shown = fresh.filter((event) => !hidden.has(event.kind));
        following(events, () => shown.forEach((event) => add(drawEvent(describer, event, inspect))));
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

function drawEvent(describer, event, inspect) {
  const tone = bad.has(event.kind) ? 'bad' : notable.has(event.kind) ? 'notable' : loud.has(event.kind) ? 'loud' : '';
  const text = describer.describe(event);
  const target = event.message && { platform: describer.platform, channel: event.channel, message: event.message, at: event.at };
  const item = h('li', { class: `event ${tone}`, 'data-kind': event.kind.replaceAll(' ', '-') },
    h('time', { datetime: event.at }, clock(new Date(event.at), true)),
    target ? h('button', { type: 'button', class: 'event-words', title: 'Inspect', onclick: () => inspect(target) }, text) : h('span', { class: 'event-words' }, text));
  item.at = Date.parse(event.at);
  return item;
}

// Describer writes the events of one platform as sentences.
class Describer {
  constructor({ platform, people }, several) {
    this.platform = platform;
    this.brand = brands[platform] || platform;
    this.prefix = several ? `${this.brand}: ` : '';
    this.people = new Map(people.map((person) => [person.id, person.name]));
    this.channels = new Map();
    this.roles = {};
    this.emojis = {};
    this.waiting = new Map(); // the time of the last action that the app has not acknowledged, by person
    this.context = {
      me: '', user: (id) => this.people.get(id), emoji: (name) => this.emojis[name], role: (id) => this.roles[id], channel: (id) => this.channels.get(id)?.replace(/^#/, ''),
    };
  }

  learn(snapshot) {
    this.roles = snapshot?.roles || this.roles;
    this.emojis = snapshot?.emojis || this.emojis;
    for (const channel of snapshot?.channels || []) this.channels.set(channel.id, channel.direct ? 'a direct message' : `#${channel.name}`);
  }

  describe(event) {
    const who = this.people.get(event.person) || this.roles[event.person] || event.person || 'The app';
    const place = event.channel ? ` in ${this.channels.get(event.channel) || 'a direct message'}` : '';
    const text = this.readable(event.text || '');
    const colon = text && `: ${text}`;
    const quoted = text && ` “${text}”`;
    if (actions.has(event.kind)) this.waiting.set(event.person, Date.parse(event.at));
    const sentences = {
      posted: () => `${who} posted${place}${colon}`,
      edited: () => `The app edited its message${place}${colon}`,
      deleted: () => `The app deleted a message${place}`,
      'said privately': () => `The app sent a message that only ${who} can see${colon}`,
      'opened form': () => `A form opened for ${who}:${quoted}`,
      'changed form': () => `The open form of ${who} changed:${quoted}`,
      'changed home': () => `The app changed the Home tab of ${who}`,
      pressed: () => `${who} pressed${quoted}`,
      picked: () => (text ? `${who} picked${quoted}` : `${who} cleared the selection`),
      filled: () => `${who} typed${quoted}`,
      attached: () => `${who} chose the file${quoted}`,
      submitted: () => `${who} sent the form${quoted}`,
      dismissed: () => `${who} closed the form`,
      acknowledged: () => `The app acknowledged${this.took(event)}`,
      unacknowledged: () => `The app did not acknowledge the action of ${who}${colon}`,
      refused: () => (event.form ? `The form of ${who} was rejected${colon}` : `${this.brand} rejected ${event.where}${colon}`),
      violated: () => `Rule violated${colon.replace(/ \(https:[^ ]*\)$/, '')}`,
      warned: () => `${this.brand} accepted this with a warning${colon}`,
      rung: () => `The message notified ${who}`,
      faulted: () => `Injected fault in ${event.where}${colon}`,
      connected: () => `The app connected${colon}`,
      disconnected: () => `The app disconnected${colon}`,
    };
    const sentence = sentences[event.kind];
    return this.prefix + (sentence ? sentence() : `${event.kind}${colon}`);
  }

  took(event) {
    const start = this.waiting.get(event.person);
    return start ? ` in ${Math.max(0, Date.parse(event.at) - start)} ms` : '';
  }

  // readable returns a text as the pane displays it, on one line, with dots between lines.
  readable(text) {
    const lines = text.split('\n').filter((one) => !one.startsWith('```')).map((one) => plainly(readers[this.platform](one, this.context)));
    const line = lines.filter(Boolean).join(' · ');
    return line.length > 160 ? `${line.slice(0, 159)}…` : line;
  }
}
