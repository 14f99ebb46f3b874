// What the panes of all platforms share: the channels beside the messages or, in a narrow pane, over them; dialogs over
// both; and sending what a person does. A platform's own pane says how its snapshot is read:
//
//   team()          what stands over the channels
//   groups()        [title, channels] in the order of the list
//   items(channel)  what stands in a channel, for keyed()
//   dialogs()       what stands over the pane, for keyed()
//   mistakes()      which fields of a form have to be mended
//   gist(message)   a message on one line

import { following, h, icon, keyed, rest } from './dom.js';

export class Pane {
  constructor({ platform, brand, idOf }, { people, act, inspect }) {
    this.platform = platform;
    this.brand = brand;
    this.idOf = idOf; // the name of a message, which grows with time
    this.people = people;
    this.send = act;
    this.inspect = inspect;
    this.busy = new Map(); // by person and surface: the controls that wait for the app
    this.drafts = new Map(); // by person and surface: what is typed and not sent, by control
    this.read = new Map(); // by person and channel: how many messages were seen
    this.chosen = null; // the channel somebody picked or acted in, until then the one with the newest message
    this.held = false; // a button is down, so what is under it has to stay until it is up
    this.presses = 0; // how often one went down
    this.stale = false; // something changed meanwhile
    this.opener = null; // the control that had the focus before a form opened

    this.rail = h('nav', { class: 'rail', id: `${platform}-rail`, 'aria-label': `Channels of ${brand}` });
    this.title = h('h2', { class: 'channel-name' });
    this.list = h('div', {
      class: 'messages', id: `${platform}-messages`, tabindex: '0', role: 'log', 'aria-live': 'polite', 'aria-label': `Messages on ${brand}`,
    });
    this.jump = h('button', { type: 'button', class: 'jump', hidden: true, onclick: () => this.toNews() });
    this.body = h('div', { class: 'chat' },
      h('header', { class: 'chat-head' }, this.title, h('span', { class: 'on-brand' }, brand)), this.list, this.jump);
    this.to = null; // the message that is replied to
    this.words = h('input', { class: 'field', id: `${platform}-words`, maxlength: '2000', autocomplete: 'off', required: true });
    this.writing = h('form', { class: 'writing', hidden: true, onsubmit: (event) => this.say(event) },
      h('label', { for: this.words.id }, 'Reply'), this.words, h('button', { type: 'submit', class: 'button' }, 'Send'),
      h('button', { type: 'button', class: 'icon-button', 'aria-label': 'Reply to nobody', onclick: () => this.writeTo(null) }, icon('close')));
    this.body.append(this.writing);
    this.overlay = h('div', { class: 'overlay', hidden: true });
    this.element = h('section', { class: `pane ${platform}`, 'data-platform': platform, 'aria-label': brand }, this.rail, this.body, this.overlay);
    this.element.addEventListener('keydown', (event) => this.key(event));
    this.list.addEventListener('scroll', () => this.showJump());
    this.element.addEventListener('pointerdown', (event) => {
      this.presses += 1;
      this.held = event.button === 0 && !event.target.closest('select');
    });
    for (const end of ['pointerup', 'pointercancel', 'pointermove', 'keyup', 'blur']) {
      window.addEventListener(end, (event) => this.held && !event.buttons && this.release());
    }
  }

  update(snapshot) {
    if (this.snapshot && snapshot.person !== this.snapshot.person) this.opener = null;
    this.snapshot = snapshot;
    this.context = {
      me: snapshot.person,
      user: (id) => this.people.find((person) => person.id === id)?.name || this.names().get(id),
      emoji: (name) => snapshot.emojis?.[name],
      role: (id) => snapshot.roles?.[id],
      channel: (id) => snapshot.channels.find((channel) => channel.id === id)?.name,
    };
    this.draw();
  }

  // names are those of everybody who wrote something.
  names() {
    return new Map(this.snapshot.channels.flatMap((channel) => channel.messages.map((message) => [message.author, message.name])));
  }

  // release draws what changed while a button was down, after the click that its release makes, unless one is down
  // again by then.
  release() {
    const { presses } = this;
    setTimeout(() => {
      if (presses !== this.presses) return;
      this.held = false;
      if (this.stale) this.draw();
    });
  }

  draw() {
    this.stale = this.held;
    if (this.held) return;
    const { channels } = this.snapshot;
    const newest = (channel) => (channel.messages.length > 0 ? this.idOf(channel.messages.at(-1)) : '');
    const latest = channels.reduce((best, channel) => (newest(channel) > newest(best) ? channel : best), channels[0]);
    const current = channels.find((channel) => channel.id === this.chosen) || latest;
    if (!current) return;
    const moved = this.current !== `${this.snapshot.person} ${current.id}`;
    this.current = `${this.snapshot.person} ${current.id}`;
    const known = moved ? null : new Set([...this.list.children].map((child) => child.dataset.key));
    this.read.set(this.current, current.messages.length);
    this.drawRail(channels, current);
    this.title.replaceChildren(...channelLabel(current));
    this.element.dataset.channel = current.id;
    following(this.list, () => keyed(this.list, this.items(current)));
    if (moved) rest(this.list);
    if (moved && this.to) this.writeTo(null);
    this.news = known && current.messages.findLast((message) => !known.has(this.keyOf(message)));
    this.showJump(true);
    this.drawOverlay();
  }

  keyOf(message) {
    return `${this.snapshot.person} ${this.idOf(message)}`;
  }

  // showJump offers the way to a message that came below what is in sight, until it was seen.
  showJump(fresh = false) {
    if (fresh && this.news) this.unseen = this.news;
    const node = this.unseen && [...this.list.children].find((child) => child.dataset.key === this.keyOf(this.unseen));
    const below = node && node.offsetTop - this.list.offsetTop + Math.min(node.offsetHeight, 60) > this.list.scrollTop + this.list.clientHeight;
    if (!below) this.unseen = null;
    this.jump.hidden = !below;
    if (below && fresh) {
      const { only_you: alone } = this.unseen;
      this.jump.replaceChildren(icon('down'), h('span', {}, alone ? h('strong', {}, 'Only you: ') : h('strong', {}, 'New: '), this.gist(this.unseen)));
    }
  }

  toNews() {
    const node = [...this.list.children].find((child) => child.dataset.key === this.keyOf(this.unseen));
    node?.scrollIntoView({ block: 'end' });
    this.list.focus({ preventScroll: true });
  }

  drawRail(channels, current) {
    const entry = (channel) => {
      const unread = channel.messages.length - (this.read.get(`${this.snapshot.person} ${channel.id}`) || 0);
      return h('li', {}, h('button', {
        type: 'button', id: `${this.platform}-channel-${channel.id}`, class: unread > 0 ? 'channel unread' : 'channel', 'data-channel': channel.id,
        'aria-current': channel.id === current.id && 'true', onclick: () => this.choose(channel.id),
      }, h('span', { class: 'channel-words' }, channelLabel(channel)), unread > 0 && h('span', { class: 'count' }, String(unread))));
    };
    const group = ([title, list]) => list.length > 0 && [h('h3', {}, title), h('ul', {}, list.map(entry))];
    keyed(this.rail, [{
      key: 'all', signature: JSON.stringify([channels.map((c) => [c.id, c.name, c.archived, c.messages.length]), this.current]),
      draw: () => h('div', { class: 'rail-body' }, h('p', { class: 'team' }, h('span', { class: 'team-name' }, this.team()), h('span', { class: 'rail-brand' }, this.brand)), this.groups().map(group)),
    }]);
    this.rail.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  choose(channel) {
    this.chosen = channel;
    this.draw();
  }

  // surface is what controls need to know about where they stand.
  surface(id, { values = {}, warnings = {}, errors = {}, channel = '', thread = '' }) {
    const busy = this.waiting(id);
    const drafts = this.kept(this.drafts, id, Map);
    const message = channel ? id : '';
    return {
      id: `${this.platform}-${id}`, context: this.context, values, warnings, errors, drafts, busy,
      inspect: channel && (() => this.inspect({ platform: this.platform, channel, message: id })),
      reply: () => this.writeTo({ channel, message: thread || id }),
      act: (deed, control = '', more = {}) => this.act(busy, drafts, { do: deed, channel, message, control, ...more }),
    };
  }

  // writeTo opens the field for a reply to a message, or closes it.
  writeTo(to) {
    this.to = to;
    this.writing.hidden = !to;
    this.words.value = '';
    (to ? this.words : this.list).focus({ preventScroll: true });
  }

  // say sends what the person wrote, as a message of theirs in reply.
  say(event) {
    event.preventDefault();
    const { value } = this.words;
    this.words.value = '';
    this.chosen ||= this.to.channel;
    this.send({ person: this.snapshot.person, do: 'say', ...this.to, text: value });
  }

  waiting(id) {
    return this.kept(this.busy, id, Set);
  }

  // kept returns what a map keeps for this person on a surface.
  kept(map, id, Kind) {
    const key = `${this.snapshot.person} ${id}`;
    if (!map.has(key)) map.set(key, new Kind());
    return map.get(key);
  }

  // act sends a deed, with what was typed on the same surface and not sent yet, and shows on its control that it is
  // under way. What comes of it arrives as the next snapshot.
  async act(busy, drafts, deed) {
    const mark = deed.control || deed.do;
    if (busy.has(mark)) return;
    const fields = deed.do.startsWith('dismiss') ? {} : Object.fromEntries(drafts);
    this.chosen ||= deed.channel;
    if (deed.do !== 'pick') busy.add(mark);
    this.draw();
    await this.send({ person: this.snapshot.person, ...deed, fields });
    busy.delete(mark);
    for (const [control, text] of Object.entries(fields)) {
      if (drafts.get(control) === text) drafts.delete(control);
    }
    this.draw();
  }

  // drawOverlay puts dialogs over the pane, and the focus where it belongs.
  drawOverlay() {
    const items = this.dialogs();
    const before = this.top;
    this.top = items.at(-1)?.key;
    if (!before && this.top) this.opener = document.activeElement?.id;
    this.overlay.hidden = !this.top;
    this.body.inert = Boolean(this.top);
    this.rail.inert = Boolean(this.top);
    keyed(this.overlay, items);
    if (this.top !== before) this.focus();
    this.showMistakes(JSON.stringify(this.mistakes()));
  }

  // focus goes to what a new dialog asks for first, and after the last one back to what opened it. It does not leave
  // another pane for that.
  focus() {
    const dialog = this.overlay.lastElementChild;
    if (dialog) {
      (dialog.querySelector('[data-focus]') || dialog.querySelector('.body :is(input, textarea, select)') || dialog).focus();
    } else if (!document.activeElement?.closest(`.pane:not(.${this.platform})`)) {
      (document.getElementById(this.opener) || this.list).focus({ preventScroll: true });
    }
  }

  // showMistakes takes the person to the first field that has to be mended, once.
  showMistakes(mistakes) {
    if (mistakes === this.mistaken) return;
    this.mistaken = mistakes;
    this.overlay.querySelector('.wrong :is(input, textarea, select)')?.focus();
  }

  // key closes what Escape closes on the platform. The space bar presses like a pointer does.
  key(event) {
    if (event.key === ' ') this.held = true;
    if (event.key === 'Escape' && this.to && this.overlay.hidden) this.writeTo(null);
    if (event.key === 'Escape' && !this.overlay.hidden) {
      event.preventDefault();
      this.overlay.lastElementChild.querySelector('[data-escape]').click();
    }
  }
}

function channelLabel(channel) {
  const sign = channel.direct ? h('span', { class: 'presence', 'aria-hidden': 'true' }) : h('span', { class: 'hash', 'aria-hidden': 'true' }, '#');
  return [sign, h('span', {}, channel.name), channel.archived && h('span', { class: 'tag' }, 'archived')].filter(Boolean);
}

// day is the line between the messages of two days.
export function day(at) {
  const words = at.toDateString() === new Date().toDateString() ? 'Today' : at.toLocaleDateString('en-US', { weekday: 'long', month: 'long', day: 'numeric' });
  return { key: `day ${words}`, signature: words, draw: () => h('div', { class: 'day' }, h('span', {}, words)) };
}

// nothing stands in a channel without messages.
export const nothing = {
  key: 'empty', signature: '', draw: () => h('div', { class: 'empty' }, 'Nothing here yet. What the app posts shows up by itself.'),
};

// avatar is the picture of somebody who has none.
export function avatar(id, name) {
  const tint = [...id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 5;
  return h('span', { class: `avatar tint-${tint}`, 'aria-hidden': 'true' }, name.slice(0, 1).toUpperCase());
}

// corner stands at the corner of a message: whether it has been closed, or else the way to reply to it, and the way to
// what is behind it.
export function corner(message, hasControls, surface) {
  if (!surface.inspect) return null;
  const closed = message.from_bot && (message.changed || message.edited) && !hasControls && !message.only_you;
  return h('div', { class: 'corner' },
    closed && h('span', { class: 'closed' }, icon('tick'), 'Closed'),
    hasControls && !message.only_you && h('button', { type: 'button', class: 'write', title: 'Reply', 'aria-label': `Reply to ${message.name}`, onclick: surface.reply }, icon('reply')),
    h('button', { type: 'button', class: 'inspect', title: 'Inspect', 'aria-label': `Inspect the message of ${message.name}`, onclick: surface.inspect }, icon('code')));
}

// plainly is what nodes read like on one line.
export function plainly(nodes) {
  return nodes.map((node) => (typeof node === 'string' ? node : node.textContent)).join(' ').replace(/\s+/g, ' ').trim();
}
