// The Slack pane. It draws the snapshot of one person's client and reports that person's actions.

import { clock, h, icon } from './dom.js';
import { renderBlocks } from './blocks.js';
import { elements } from './elements.js';
import { drawFile } from './files.js';
import { mrkdwn } from './mrkdwn.js';
import { drawConfirm, drawForm } from './form.js';
import { Pane, avatar, corner, day, nothing, plainly } from './pane.js';

// slackPane makes the pane. setup.act sends an action and returns a promise.
export function slackPane(setup) {
  return new SlackPane({ platform: 'slack', brand: 'Slack', idOf: (message) => message.ts }, setup);
}

class SlackPane extends Pane {
  team() {
    return this.snapshot.team;
  }

  groups() {
    const { channels } = this.snapshot;
    return [['App', this.places().filter((place) => place.home)], ['Channels', channels.filter((channel) => !channel.direct)], ['Direct messages', channels.filter((channel) => channel.direct)]];
  }

  // places are the channels, and the app's Home tab.
  places() {
    const { channels, home } = this.snapshot;
    return home ? [...channels, { id: 'home', name: 'Home', home, messages: [] }] : channels;
  }

  // choose notifies the app that its Home tab was opened.
  choose(channel) {
    super.choose(channel);
    if (channel === 'home') this.send({ person: this.snapshot.person, do: 'open home' });
  }

  update(snapshot) {
    const other = this.snapshot && this.snapshot.person !== snapshot.person;
    super.update(snapshot);
    if (other && this.chosen === 'home') this.choose('home');
  }

  // home is the view on the Home tab.
  home(home) {
    const blocks = home.view?.blocks || [];
    if (blocks.length === 0) return { key: 'empty home', signature: '', draw: () => h('div', { class: 'empty' }, 'The app shows nothing here.') };
    const busy = this.waiting('home');
    return {
      key: `${this.snapshot.person} home`,
      signature: JSON.stringify([home, [...busy]]),
      draw: () => h('article', { class: 'message home', 'data-home': home.id },
        h('div', { class: 'content' }, h('div', { class: 'blocks' }, renderBlocks(blocks, {
          ...this.surface('home', { values: home.view.state.values, warnings: home.warnings, channel: 'home' }), inspect: null,
          act: (deed, control = '', more = {}) => this.act(busy, this.kept(this.drafts, 'home', Map), { do: deed, channel: 'home', control, ...more }),
        })))),
    };
  }

  // items lists the content of a channel: days, and messages followed by their replies.
  items(channel) {
    if (channel.home) return [this.home(channel.home)];
    const { messages } = channel;
    const here = new Set(messages.map((message) => message.ts));
    const isReply = (message) => message.thread && message.thread !== message.ts && here.has(message.thread);
    const items = [];
    let last = '';
    for (const message of messages.filter((candidate) => !isReply(candidate))) {
      const today = day(timeOf(message));
      if (today.key !== last) items.push(today);
      last = today.key;
      items.push(this.item(message));
      const replies = messages.filter((reply) => isReply(reply) && reply.thread === message.ts);
      if (replies.length > 0) {
        const count = replies.length === 1 ? '1 reply' : `${replies.length} replies`;
        items.push({ key: `thread ${message.ts}`, signature: count, draw: () => h('div', { class: 'thread-head' }, count) });
        items.push(...replies.map((reply) => this.item(reply, true)));
      }
    }
    return items.length > 0 ? items : [nothing];
  }

  item(message, reply = false) {
    const busy = this.waiting(message.ts);
    return {
      key: this.keyOf(message),
      signature: JSON.stringify([message, reply, [...busy]]),
      draw: () => drawMessage(message, this.surface(message.ts, message), reply),
    };
  }

  dialogs() {
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
    return items;
  }

  gist(message) {
    return plainly(mrkdwn(message.text, this.context));
  }

  mistakes() {
    return this.snapshot.forms.at(-1)?.errors || {};
  }
}

function timeOf(message) {
  return new Date(Number(message.ts.split('.')[0]) * 1000);
}

// drawMessage draws a message with its author.
export function drawMessage(message, surface, reply = false) {
  const at = timeOf(message);
  const kinds = ['message', reply && 'reply', message.only_you && 'only-you', message.tombstone && 'tombstone'].filter(Boolean);
  const files = message.files || [];
  const text = message.text !== '' || files.length === 0 ? [h('div', { class: 'block text' }, mrkdwn(message.text, surface.context))] : [];
  const blocks = message.blocks.length > 0 ? renderBlocks(message.blocks, surface) : text;
  return h('article', { class: kinds.join(' '), 'data-message': message.ts },
    message.only_you && h('p', { class: 'only-you-note' }, icon('eye'), 'Only visible to you'),
    avatar(message.author, message.name),
    h('div', { class: 'content' },
      h('p', { class: 'by' }, h('strong', {}, message.name), message.from_bot && h('span', { class: 'tag' }, 'app'),
        h('time', { datetime: at.toISOString(), title: at.toString() }, clock(at))),
      h('div', { class: 'blocks' }, blocks, files.map((file) => drawFile('slack', file))),
      message.edited && h('span', { class: 'edited' }, '(edited)')),
    corner(message, message.blocks.some((block) => elements(block).length > 0), surface));
}
