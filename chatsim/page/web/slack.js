// The pane that looks like Slack. It is given what one person's client shows, and says what that person does.

import { clock, following, h, icon, keyed, rest } from './dom.js';
import { renderBlocks } from './blocks.js';
import { mrkdwn } from './mrkdwn.js';
import { drawConfirm, drawForm } from './form.js';

// slackPane makes the pane. Act sends what the person does and returns a promise.
export function slackPane({ people, act }) {
  const pane = new Pane(people, act);
  return { element: pane.element, update: (snapshot) => pane.update(snapshot) };
}

class Pane {
  constructor(people, act) {
    this.people = people;
    this.send = act;
    this.busy = new Map(); // by person and surface: the controls that wait for the app
    this.drafts = new Map(); // by person and surface: what is typed and not sent, by control
    this.read = new Map(); // by person and channel: how many messages were seen
    this.chosen = null; // the channel somebody picked or acted in, until then the one with the newest message
    this.held = false; // a button is down, so what is under it has to stay until it is up
    this.stale = false; // something changed meanwhile
    this.opener = null; // the control that had the focus before a form opened

    this.rail = h('nav', { class: 'rail', id: 'slack-rail', 'aria-label': 'Channels' });
    this.railButton = h('button', {
      type: 'button', class: 'icon-button rail-button', 'aria-label': 'Channels', 'aria-controls': 'slack-rail',
      'aria-expanded': 'false', onclick: () => this.showRail(!this.element.classList.contains('rail-open')),
    }, icon('menu'));
    this.title = h('h2', { class: 'channel-name' });
    this.list = h('div', { class: 'messages', id: 'slack-messages', tabindex: '0', role: 'log', 'aria-live': 'polite', 'aria-label': 'Messages' });
    this.body = h('div', { class: 'chat' }, h('header', { class: 'chat-head' }, this.railButton, this.title), this.list);
    this.overlay = h('div', { class: 'overlay', hidden: true });
    this.element = h('section', { class: 'pane slack', 'data-platform': 'slack', 'aria-label': 'Slack' }, this.rail, this.body, this.overlay);
    this.element.addEventListener('keydown', (event) => this.key(event));
    this.list.addEventListener('click', (event) => this.cover(event), true);
    this.element.addEventListener('pointerdown', (event) => { this.held = event.button === 0 && !event.target.closest('select'); });
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
      channel: (id) => snapshot.channels.find((channel) => channel.id === id)?.name,
    };
    this.draw();
  }

  // names are those of everybody who wrote something.
  names() {
    return new Map(this.snapshot.channels.flatMap((channel) => channel.messages.map((message) => [message.author, message.name])));
  }

  // release draws what changed while a button was down, after the click that its release makes.
  release() {
    setTimeout(() => {
      this.held = false;
      if (this.stale) this.draw();
    });
  }

  draw() {
    this.stale = this.held;
    if (this.held) return;
    const { channels } = this.snapshot;
    const newest = (channel) => channel.messages.at(-1)?.ts || '';
    const latest = [...channels].sort((a, b) => (newest(a) < newest(b) ? 1 : -1))[0];
    const current = channels.find((channel) => channel.id === this.chosen) || latest;
    if (!current) return;
    const moved = this.current !== `${this.snapshot.person} ${current.id}`;
    this.current = `${this.snapshot.person} ${current.id}`;
    this.read.set(this.current, current.messages.length);
    this.drawRail(channels, current);
    this.title.replaceChildren(...channelLabel(current));
    this.element.dataset.channel = current.id;
    following(this.list, () => keyed(this.list, this.items(current)));
    if (moved) rest(this.list);
    this.drawOverlay();
  }

  drawRail(channels, current) {
    const entry = (channel) => {
      const unread = channel.messages.length - (this.read.get(`${this.snapshot.person} ${channel.id}`) || 0);
      return h('li', {}, h('button', {
        type: 'button', id: `slack-channel-${channel.id}`, class: unread > 0 ? 'channel unread' : 'channel', 'data-channel': channel.id,
        'aria-current': channel.id === current.id && 'true', onclick: () => this.choose(channel.id),
      }, h('span', { class: 'channel-words' }, channelLabel(channel)), unread > 0 && h('span', { class: 'count' }, String(unread))));
    };
    const group = (title, list) => list.length > 0 && [h('h3', {}, title), h('ul', {}, list.map(entry))];
    keyed(this.rail, [{
      key: 'all', signature: JSON.stringify([channels.map((c) => [c.id, c.name, c.archived, c.messages.length]), this.current]),
      draw: () => h('div', {}, h('p', { class: 'team' }, this.snapshot.team),
        group('Channels', channels.filter((channel) => !channel.direct)),
        group('Direct messages', channels.filter((channel) => channel.direct))),
    }]);
  }

  choose(channel) {
    this.chosen = channel;
    this.showRail(false);
    this.draw();
  }

  showRail(open) {
    this.element.classList.toggle('rail-open', open);
    this.railButton.setAttribute('aria-expanded', String(open));
  }

  // cover lets a click beside the open rail close it, and do nothing else.
  cover(event) {
    if (!this.element.classList.contains('rail-open')) return;
    event.preventDefault();
    event.stopPropagation();
    this.showRail(false);
  }

  // items lists what stands in a channel: days, messages and, below the message they answer, the replies.
  items(channel) {
    const { messages } = channel;
    const here = new Set(messages.map((message) => message.ts));
    const isReply = (message) => message.thread && message.thread !== message.ts && here.has(message.thread);
    const items = [];
    let day = '';
    for (const message of messages.filter((candidate) => !isReply(candidate))) {
      const today = dayOf(message);
      if (today !== day) items.push({ key: `day ${today}`, signature: today, draw: () => h('div', { class: 'day' }, h('span', {}, today)) });
      day = today;
      items.push(this.item(message));
      const replies = messages.filter((reply) => isReply(reply) && reply.thread === message.ts);
      if (replies.length > 0) {
        const words = replies.length === 1 ? '1 reply' : `${replies.length} replies`;
        items.push({ key: `thread ${message.ts}`, signature: words, draw: () => h('div', { class: 'thread-head' }, words) });
        items.push(...replies.map((reply) => this.item(reply, true)));
      }
    }
    if (items.length === 0) {
      items.push({ key: 'empty', signature: '', draw: () => h('div', { class: 'empty' }, 'Nothing here yet. What the app posts shows up by itself.') });
    }
    return items;
  }

  item(message, reply = false) {
    const busy = this.waiting(message.ts);
    return {
      key: `${this.snapshot.person} ${message.ts}`,
      signature: JSON.stringify([message, reply, [...busy]]),
      draw: () => drawMessage(message, this.surface(message.ts, message), reply),
    };
  }

  // surface is what blocks need to know about where they stand.
  surface(id, { values = {}, warnings = {}, errors = {}, channel = '' }) {
    const busy = this.waiting(id);
    const drafts = this.kept(this.drafts, id, Map);
    const message = channel ? id : '';
    return {
      id: `slack-${id}`, context: this.context, values, warnings, errors, drafts, busy,
      act: (deed, control = '', more = {}) => this.act(busy, drafts, { do: deed, channel, message, control, ...more }),
    };
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

  drawOverlay() {
    const { forms, confirm } = this.snapshot;
    const form = forms.at(-1);
    const items = [];
    const add = (id, surface, what, draw) => {
      items.push({ key: `${this.snapshot.person} ${id}`, signature: JSON.stringify([what, [...surface.busy]]), draw });
    };
    if (form) {
      const surface = this.surface(form.id, { ...form, values: form.view.state.values });
      add(form.id, surface, form, () => drawForm(form, surface));
    }
    if (confirm) {
      const surface = this.surface('confirm', {});
      add('confirm', surface, confirm, () => drawConfirm(confirm, surface));
    }
    this.showOverlay(items);
    this.showErrors(JSON.stringify(form?.errors || {}));
  }

  // showOverlay puts dialogs over the pane, and the focus where it belongs.
  showOverlay(items) {
    const before = this.top;
    this.top = items.at(-1)?.key;
    if (!before && this.top) this.opener = document.activeElement?.id;
    this.overlay.hidden = !this.top;
    this.body.inert = Boolean(this.top);
    this.rail.inert = Boolean(this.top);
    keyed(this.overlay, items);
    if (this.top === before) return;
    const dialog = this.overlay.lastElementChild;
    if (dialog) {
      (dialog.querySelector('[data-focus]') || dialog.querySelector('.body :is(input, textarea, select)') || dialog).focus();
    } else {
      (document.getElementById(this.opener) || this.list).focus({ preventScroll: true });
    }
  }

  // showErrors takes the person to the first field that has to be mended, once.
  showErrors(errors) {
    if (errors === this.errors) return;
    this.errors = errors;
    this.overlay.querySelector('.wrong :is(input, textarea, select)')?.focus();
  }

  // key closes what Escape closes in Slack. The space bar presses like a pointer does.
  key(event) {
    if (event.key === ' ') this.held = true;
    if (event.key === 'Escape' && !this.overlay.hidden) {
      event.preventDefault();
      this.overlay.lastElementChild.querySelector('[data-escape]').click();
    } else if (event.key === 'Escape') {
      this.showRail(false);
    }
  }
}

function channelLabel(channel) {
  const sign = channel.direct ? h('span', { class: 'presence', 'aria-hidden': 'true' }) : h('span', { class: 'hash', 'aria-hidden': 'true' }, '#');
  return [sign, h('span', {}, channel.name), channel.archived && h('span', { class: 'tag' }, 'archived')].filter(Boolean);
}

function timeOf(message) {
  return new Date(Number(message.ts.split('.')[0]) * 1000);
}

function dayOf(message) {
  const at = timeOf(message);
  return at.toDateString() === new Date().toDateString() ? 'Today' : at.toLocaleDateString('en-US', { weekday: 'long', month: 'long', day: 'numeric' });
}

// drawMessage draws a message with its author.
export function drawMessage(message, surface, reply = false) {
  const at = timeOf(message);
  const kinds = ['message', reply && 'reply', message.only_you && 'only-you', message.tombstone && 'tombstone'].filter(Boolean);
  const blocks = message.blocks.length > 0 ? renderBlocks(message.blocks, surface) : [h('div', { class: 'block text' }, mrkdwn(message.text, surface.context))];
  return h('article', { class: kinds.join(' '), 'data-message': message.ts },
    message.only_you && h('p', { class: 'only-you-note' }, icon('eye'), 'Only visible to you'),
    h('span', { class: `avatar tint-${tint(message.author)}`, 'aria-hidden': 'true' }, message.name.slice(0, 1).toUpperCase()),
    h('div', { class: 'content' },
      h('p', { class: 'by' }, h('strong', {}, message.name), message.from_bot && h('span', { class: 'tag' }, 'app'),
        h('time', { datetime: at.toISOString(), title: at.toString() }, clock(at))),
      h('div', { class: 'blocks' }, blocks),
      message.edited && h('span', { class: 'edited' }, '(edited)')));
}

function tint(id) {
  return [...id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 5;
}
