// Renders rich text as DOM nodes. https://docs.slack.dev/reference/block-kit/blocks/rich-text-block

import { h } from './dom.js';
import { date, emojis, link, mention } from './mrkdwn.js';

const wraps = { bold: 'strong', italic: 'em', strike: 'del', code: 'code' };

// richText renders the elements of a rich text block.
export function richText(parts, context) {
  return parts.map((part) => {
    const inside = () => part.elements.map((piece) => drawPiece(piece, context));
    switch (part.type) {
      case 'rich_text_list':
        return list(part.style === 'ordered' && (part.offset || 0) + 1, part.indent || 0, part.elements.map((item) => item.elements.map((piece) => drawPiece(piece, context))));
      case 'rich_text_preformatted':
        return h('pre', {}, h('code', {}, inside()));
      case 'rich_text_quote':
        return h('blockquote', {}, inside());
      default:
        return h('div', {}, inside());
    }
  });
}

// list draws a list at a nesting level: numbered from start, or with bullets if start is falsy.
export function list(start, level, items) {
  const options = level ? { class: `level-${Math.min(level, 4)}` } : {};
  return h(start ? 'ol' : 'ul', start ? { ...options, start } : options, items.map((item) => h('li', {}, item)));
}

function drawPiece(piece, context) {
  switch (piece.type) {
    case 'link':
      return styled(link(piece.url, piece.text || piece.url), piece.style);
    case 'user':
      return mention(`@${context.user(piece.user_id) || piece.user_id}`, piece.user_id === context.me);
    case 'channel':
      return mention(`#${context.channel(piece.channel_id) || piece.channel_id}`, false);
    case 'broadcast':
      return mention(`@${piece.range}`, true);
    case 'usergroup':
      return mention(`@${context.role(piece.usergroup_id) || piece.usergroup_id}`, true);
    case 'date':
      return date(`!date^${piece.timestamp}^${piece.format}`, piece.fallback || '');
    case 'emoji':
      return emojis(`:${piece.name}:`, context);
    default:
      return styled(piece.text || piece.fallback || '', piece.style);
  }
}

function styled(node, style = {}) {
  return Object.keys(wraps).filter((name) => style?.[name]).reduce((inner, name) => h(wraps[name], {}, inner), node);
}
