// The Discord pane. It draws the snapshot of one person's client and reports that person's actions.

import { clock, h, icon } from './dom.js';
import { renderComponents } from './components.js';
import { drawModal } from './form.js';
import { drawFile } from './files.js';
import { markdown } from './markdown.js';
import { Pane, avatar, corner, day, nothing } from './pane.js';

// discordPane makes the pane. setup.act sends an action and returns a promise.
export function discordPane(setup) {
  return new DiscordPane({ platform: 'discord', brand: 'Discord', idOf: (message) => message.id.padStart(20, '0') }, setup);
}

class DiscordPane extends Pane {
  constructor(about, setup) {
    super(about, setup);
    this.menus = new Map(); // the checked options of open selects, by person and surface
  }

  team() {
    return this.snapshot.guild;
  }

  groups() {
    const { channels } = this.snapshot;
    const plain = channels.filter((channel) => !channel.direct && !channel.parent);
    const withThreads = plain.flatMap((channel) => [channel, ...channels.filter((thread) => thread.parent === channel.id)]);
    return [['Text channels', withThreads], ['Direct messages', channels.filter((channel) => channel.direct)]];
  }

  items(channel) {
    const items = [];
    let last = '';
    for (const message of channel.messages) {
      const today = day(timeOf(message));
      if (today.key !== last) items.push(today);
      last = today.key;
      items.push(this.item(message, channel.messages.find((other) => other.id === message.reply)));
    }
    return items.length > 0 ? items : [nothing];
  }

  item(message, answered) {
    return {
      key: this.keyOf(message),
      signature: JSON.stringify([message, answered?.plain, [...this.waiting(message.id)]]),
      draw: () => drawMessage(message, this.surface(message.id, message), answered),
    };
  }

  surface(id, about) {
    return { ...super.surface(id, about), menus: this.kept(this.menus, id, Map) };
  }

  dialogs() {
    const { form } = this.snapshot;
    if (!form) return [];
    const surface = this.surface(form.custom_id, { values: form.values, errors: form.errors });
    return [{
      key: `${this.snapshot.person} ${form.custom_id}`, signature: JSON.stringify([form, [...surface.busy]]), draw: () => drawForm(form, surface),
    }];
  }

  gist(message) {
    return gist(message);
  }

  mistakes() {
    return this.snapshot.form?.errors || {};
  }
}

// An id contains its creation time. https://docs.discord.com/developers/reference#snowflakes
function timeOf(message) {
  return new Date(Number((BigInt(message.id) >> 22n) + 1_420_070_400_000n));
}

// drawMessage draws a message with its author. answered is the message that it replies to.
export function drawMessage(message, surface, answered) {
  const at = timeOf(message);
  return h('article', { class: message.only_you ? 'message only-you' : 'message', 'data-message': message.id },
    answered && h('p', { class: 'answered' }, h('strong', {}, `@${answered.name}`), ' ', gist(answered)),
    avatar(message.author, message.name),
    h('div', { class: 'content' },
      h('p', { class: 'by' }, h('strong', {}, message.name), message.from_bot && h('span', { class: 'tag' }, 'app'),
        h('time', { datetime: at.toISOString(), title: at.toString() }, clock(at))),
      message.thinking && h('p', { class: 'thinking' }, `${message.name} is thinking…`),
      h('div', { class: 'blocks' },
        message.content && h('div', { class: 'text' }, markdown(message.content, surface.context)),
        message.embeds.map((embed) => drawEmbed(embed, surface)),
        renderComponents(message.components, surface),
        message.poll && drawPoll(message.poll, surface),
        (message.files || []).filter((file) => file.below).map((file) => drawFile('discord', file))),
      message.edited && !message.thinking && h('span', { class: 'edited' }, '(edited)'),
      message.warning && h('p', { class: 'warning', role: 'alert', 'data-warning': message.id }, icon('warning'), message.warning),
      message.only_you && h('p', { class: 'only-you-note' }, icon('eye'), 'Only you can see this')),
    corner(message, controls(message.components), surface));
}

// controls reports whether a list of components contains a button or a select.
function controls(list) {
  return list.some((component) => [2, 3].includes(component.type) || controls([component.components, component.accessory].flat().filter(Boolean)));
}

// drawPoll draws a poll. A button toggles the vote for its answer.
function drawPoll({ question, answers, over }, surface) {
  return h('div', { class: 'box', role: 'group', 'aria-label': question },
    h('strong', {}, question),
    answers.map(({ text, votes, mine }) => h('button', {
      type: 'button', id: `${surface.id}-vote-${text}`, class: mine ? 'button primary' : 'button', 'data-control': text, 'aria-pressed': mine ? 'true' : 'false', disabled: over,
      onclick: () => surface.act('vote', text),
    }, h('span', {}, `${text} (${votes})`))),
    over && h('p', { class: 'file-size' }, 'Poll closed'));
}

function drawEmbed(embed, surface) {
  return h('div', { class: 'box' },
    embed.title && h('strong', {}, embed.title),
    embed.description && h('div', { class: 'text' }, markdown(embed.description, surface.context)));
}

// gist is the preview of a message above its reply: its text on one line, without the author.
function gist(message) {
  return message.plain.split('\n').slice(1).join(' ');
}

// drawForm draws an open modal. https://docs.discord.com/developers/components/using-modal-components
export function drawForm(form, surface) {
  const { custom_id: name, title, trouble, submit, cancel: close, components } = form;
  return drawModal(surface, { name, title, trouble, submit, close, x: 'dismiss' }, renderComponents(components, surface));
}
