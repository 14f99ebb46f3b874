// The base class of the platforms' panes. It draws the channel list, the messages and the dialogs, and sends the actions
// of a person. A platform's pane reads its own snapshot:
//
//   team()          the title of the channel list
//   groups()        [title, channels] in the order of the list
//   items(channel)  the content of a channel, for keyed()
//   dialogs()       the open dialogs, for keyed()
//   places()        the channels, and what else is in their list
//   mistakes()      the validation errors of a form
//   gist(message)   a message on one line

import { following, h, icon, keyed, rest } from './dom.js';

export class Pane {
  constructor({ platform, brand, idOf }, { people, act, inspect }) {
    this.platform = platform;
    this.brand = brand;
    this.idOf = idOf; // returns the id of a message; ids sort by time
    this.people = people;
    this.send = act;
    this.inspect = inspect;
    this.busy = new Map(); // the controls that wait for the app, by person and surface
    this.drafts = new Map(); // typed text that is not sent yet, by person and surface, then by control
    this.read = new Map(); // the number of messages seen, by person and channel
    this.chosen = null; // the channel that the person picked or acted in; by default the one with the newest message
    this.pressed = false; // a button is pressed, so redraws wait until it is released
    this.presses = 0; // number of button presses
    this.stale = false; // a redraw is waiting
    this.opener = null; // the control that had the focus before a form opened

    this.rail = h('nav', { class: 'rail', id: `${platform}-rail`, 'aria-label': `Channels of ${brand}` });
    this.title = h('h2', { class: 'channel-name' });
    this.list = h('div', {
      class: 'messages', id: `${platform}-messages`, tabindex: '0', role: 'log', 'aria-live': 'polite', 'aria-label': `Messages on ${brand}`,
    });
    this.jump = h('button', { type: 'button', class: 'jump', hidden: true, onclick: () => this.jumpToUnseen() });
    this.body = h('div', { class: 'chat' },
      h('header', { class: 'chat-head' }, this.title, h('span', { class: 'on-brand' }, brand)), this.list, this.jump);
    this.to = null; // the message to reply to
    this.reply = h('input', { class: 'field', id: `${platform}-words`, maxlength: '2000', autocomplete: 'off', required: true });
    this.composer = h('form', { class: 'writing', hidden: true, onsubmit: (event) => this.sendReply(event) },
      h('label', { for: this.reply.id }, 'Reply'), this.reply, h('button', { type: 'submit', class: 'button' }, 'Send'),
      h('button', { type: 'button', class: 'icon-button', 'aria-label': 'Cancel reply', onclick: () => this.writeTo(null) }, icon('close')));
    this.commands = h('div', { class: 'commands', role: 'group', 'aria-label': `Commands on ${brand}` });
    this.body.append(h('footer', {}, this.commands, this.composer));
    this.overlay = h('div', { class: 'overlay', hidden: true });
    this.element = h('section', { class: `pane ${platform}`, 'data-platform': platform, 'aria-label': brand }, this.rail, this.body, this.overlay);
    this.element.addEventListener('keydown', (event) => this.key(event));
    this.list.addEventListener('scroll', () => this.showJump());
    this.element.addEventListener('pointerdown', (event) => {
      this.presses += 1;
      this.pressed = event.button === 0 && !event.target.closest('select');
    });
    for (const end of ['pointerup', 'pointercancel', 'pointermove', 'keyup', 'blur']) {
      window.addEventListener(end, (event) => this.pressed && !event.buttons && this.release());
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

  // names returns the authors' names by id.
  names() {
    return new Map(this.snapshot.channels.flatMap((channel) => channel.messages.map((message) => [message.author, message.name])));
  }

  // release runs the waiting redraw once a button is released and its click event was handled, unless a button is pressed
  // again.
  release() {
    const { presses } = this;
    setTimeout(() => {
      if (presses !== this.presses) return;
      this.pressed = false;
      if (this.stale) this.draw();
    });
  }

  draw() {
    this.stale = this.pressed;
    if (this.pressed) return;
    const channels = this.places();
    const newest = (channel) => (channel.messages.length > 0 ? this.idOf(channel.messages.at(-1)) : '');
    const latest = channels.reduce((best, channel) => (newest(channel) > newest(best) ? channel : best), channels[0]);
    const current = channels.find((channel) => channel.id === this.chosen) || latest;
    if (!current) return;
    const switched = this.current !== `${this.snapshot.person} ${current.id}`;
    this.current = `${this.snapshot.person} ${current.id}`;
    const known = switched ? null : new Set([...this.list.children].map((child) => child.dataset.key));
    this.read.set(this.current, current.messages.length);
    this.drawRail(channels, current);
    this.title.replaceChildren(...channelLabel(current));
    this.element.dataset.channel = current.id;
    const refresh = () => keyed(this.list, this.items(current));
    if (current.home) refresh();
    else following(this.list, refresh);
    if (switched) rest(this.list);
    if (switched && this.to) this.writeTo(null);
    this.news = known && current.messages.findLast((message) => !known.has(this.keyOf(message)));
    this.showJump(true);
    this.drawCommands(current);
    this.drawOverlay();
  }

  places() {
    return this.snapshot.channels;
  }

  // drawCommands offers the commands of the app below the messages of a channel.
  drawCommands(current) {
    const all = current.home || current.archived ? [] : this.snapshot.commands || [];
    const busy = this.waiting('commands');
    keyed(this.commands, all.map((command) => ({
      key: command,
      signature: JSON.stringify([current.id, busy.has(command)]),
      draw: () => h('button', {
        type: 'button', class: 'small', 'data-command': command, 'aria-busy': busy.has(command) && 'true',
        onclick: () => this.act(busy, new Map(), { do: 'command', channel: current.id, control: command }),
      }, `/${command.replace(/^\//, '')}`),
    })));
  }

  keyOf(message) {
    return `${this.snapshot.person} ${this.idOf(message)}`;
  }

  // showJump shows a button to jump to a new message below the visible area, until the message was seen.
  showJump(fresh = false) {
    if (fresh && this.news) this.unseen = this.news;
    const node = this.unseen && [...this.list.children].find((child) => child.dataset.key === this.keyOf(this.unseen));
    const below = node && node.offsetTop - this.list.offsetTop + Math.min(node.offsetHeight, 60) > this.list.scrollTop + this.list.clientHeight;
    if (!below) this.unseen = null;
    this.jump.hidden = !below;
    if (below && fresh) {
      const { only_you: ephemeral } = this.unseen;
      this.jump.replaceChildren(icon('down'), h('span', {}, ephemeral ? h('strong', {}, 'Only you: ') : h('strong', {}, 'New: '), this.gist(this.unseen)));
    }
  }

  jumpToUnseen() {
    const node = [...this.list.children].find((child) => child.dataset.key === this.keyOf(this.unseen));
    node?.scrollIntoView({ block: 'end' });
    this.list.focus({ preventScroll: true });
  }

  drawRail(channels, current) {
    const entry = (channel) => {
      const unread = channel.messages.length - (this.read.get(`${this.snapshot.person} ${channel.id}`) || 0);
      return h('li', {}, h('button', {
        type: 'button', id: `${this.platform}-channel-${channel.id}`, class: unread > 0 ? 'channel unread' : 'channel', 'data-channel': channel.id,
        'aria-current': channel.id === current.id && 'true', title: channel.home && channel.name, onclick: () => this.choose(channel.id),
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

  // surface describes a message or form to its controls; see blocks.js.
  surface(id, { values = {}, warnings = {}, errors = {}, channel = '', thread = '' }) {
    const busy = this.waiting(id);
    const drafts = this.kept(this.drafts, id, Map);
    const message = channel ? id : '';
    return {
      id: `${this.platform}-${id}`, context: this.context, values, warnings, errors, drafts, busy,
      inspect: channel && (() => this.inspect({ platform: this.platform, channel, message: id })),
      reply: () => this.writeTo({ channel, message: thread || id }),
      act: (verb, control = '', more = {}) => this.act(busy, drafts, { do: verb, channel, message, control, ...more }),
    };
  }

  // writeTo opens the reply field for a message; null closes it.
  writeTo(to) {
    this.to = to;
    this.composer.hidden = !to;
    this.reply.value = '';
    (to ? this.reply : this.list).focus({ preventScroll: true });
  }

  // sendReply sends the text of the reply field as a message of the person.
  sendReply(event) {
    event.preventDefault();
    const { value } = this.reply;
    this.reply.value = '';
    this.chosen ||= this.to.channel;
    this.send({ person: this.snapshot.person, do: 'say', ...this.to, text: value });
  }

  waiting(id) {
    return this.kept(this.busy, id, Set);
  }

  // kept returns this person's entry of a map for a surface, created if missing.
  kept(map, id, Kind) {
    const key = `${this.snapshot.person} ${id}`;
    if (!map.has(key)) map.set(key, new Kind());
    return map.get(key);
  }

  // act sends an action along with the unsent text on the same surface, and marks its control as busy meanwhile. The
  // result arrives as the next snapshot.
  async act(busy, drafts, action) {
    const mark = action.control || action.do;
    if (busy.has(mark)) return;
    const fields = action.do.startsWith('dismiss') ? {} : Object.fromEntries(drafts);
    this.chosen ||= action.channel;
    if (action.do !== 'pick') busy.add(mark);
    this.draw();
    await this.send({ person: this.snapshot.person, ...action, fields });
    busy.delete(mark);
    for (const [control, text] of Object.entries(fields)) {
      if (drafts.get(control) === text) drafts.delete(control);
    }
    this.draw();
  }

  // drawOverlay draws the dialogs and moves the focus.
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

  // focus moves the focus to the first field of a new dialog, or after the last dialog back to the control that opened
  // it. A focus in another pane stays there.
  focus() {
    const dialog = this.overlay.lastElementChild;
    if (dialog) {
      (dialog.querySelector('[data-focus]') || dialog.querySelector('.body :is(input, textarea, select)') || dialog).focus();
    } else if (!document.activeElement?.closest(`.pane:not(.${this.platform})`)) {
      (document.getElementById(this.opener) || this.list).focus({ preventScroll: true });
    }
  }

  // showMistakes focuses the first invalid field once after each change of the errors.
  showMistakes(mistakes) {
    if (mistakes === this.shownMistakes) return;
    this.shownMistakes = mistakes;
    this.overlay.querySelector('.wrong :is(input, textarea, select)')?.focus();
  }

  // key closes a dialog or the reply field on Escape. The space bar counts as a pressed button.
  key(event) {
    if (event.key === ' ') this.pressed = true;
    if (event.key === 'Escape' && this.to && this.overlay.hidden) this.writeTo(null);
    if (event.key === 'Escape' && !this.overlay.hidden) {
      event.preventDefault();
      this.overlay.lastElementChild.querySelector('[data-escape]').click();
    }
  }
}

function channelLabel(channel) {
  if (channel.home) return [icon('home'), h('span', {}, channel.name)];
  const sign = channel.direct ? h('span', { class: 'presence', 'aria-hidden': 'true' }) : h('span', { class: 'hash', 'aria-hidden': 'true' }, '#');
  return [sign, h('span', {}, channel.name), channel.archived && h('span', { class: 'tag' }, 'archived')].filter(Boolean);
}

// day is the separator above the messages of a day.
export function day(at) {
  const date = at.toDateString() === new Date().toDateString() ? 'Today' : at.toLocaleDateString('en-US', { weekday: 'long', month: 'long', day: 'numeric' });
  return { key: `day ${date}`, signature: date, draw: () => h('div', { class: 'day' }, h('span', {}, date)) };
}

// nothing is the placeholder of an empty channel.
export const nothing = {
  key: 'empty', signature: '', draw: () => h('div', { class: 'empty' }, 'No messages yet. New messages from the app appear here.'),
};

// avatar draws a person's initial.
export function avatar(id, name) {
  const tint = [...id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 5;
  return h('span', { class: `avatar tint-${tint}`, 'aria-hidden': 'true' }, name.slice(0, 1).toUpperCase());
}

// corner draws the corner of a message: a "Closed" mark or a reply button, and the inspect button.
export function corner(message, hasControls, surface) {
  if (!surface.inspect) return null;
  const closed = message.from_bot && (message.changed || message.edited) && !hasControls && !message.only_you;
  return h('div', { class: 'corner' },
    closed && h('span', { class: 'closed' }, icon('tick'), 'Closed'),
    hasControls && !message.only_you && h('button', { type: 'button', class: 'write', title: 'Reply', 'aria-label': `Reply to ${message.name}`, onclick: surface.reply }, icon('reply')),
    h('button', { type: 'button', class: 'inspect', title: 'Inspect', 'aria-label': `Inspect the message from ${message.name}`, onclick: surface.inspect }, icon('code')));
}

// plainly returns the text of nodes on one line.
export function plainly(nodes) {
  return nodes.map((node) => (typeof node === 'string' ? node : node.textContent)).join(' ').replace(/\s+/g, ' ').trim();
}
