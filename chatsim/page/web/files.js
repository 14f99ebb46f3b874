// Files of messages and components. Their content is downloaded from the double.

import { h, icon } from './dom.js';

// drawFile draws a file with a download link and the preview of the platform.
export function drawFile(platform, { id, name, title, alt, size, preview, more }) {
  const link = `/api/files?${new URLSearchParams({ platform, id })}`;
  return h('div', { class: 'file' },
    h('a', { href: link, download: name, 'aria-label': alt ? `${title || name}: ${alt}` : null }, icon('file'), title || name),
    h('span', { class: 'file-size' }, sized(size)),
    preview && h('pre', { class: 'file-preview' }, preview),
    more > 0 && h('p', { class: 'file-size' }, more === 1 ? '1 more line' : `${more} more lines`));
}

// drawPicture draws a placeholder for an image: the page loads none from other hosts.
export function drawPicture({ media, description }) {
  const text = description || 'Image';
  const id = media.attachment_id;
  return h('span', { class: 'picture' }, icon('picture'),
    id ? h('a', { href: `/api/files?${new URLSearchParams({ platform: 'discord', id })}`, download: true }, text) : text);
}

function sized(bytes) {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

// drawUpload draws a file field of a form. A file is sent to the double as soon as it is chosen.
export function drawUpload(field, surface, label) {
  const name = field.custom_id;
  const count = surface.values[name]?.length || 0;
  return h('div', { class: 'upload' },
    h('input', {
      id: `${surface.id}-${name}`, type: 'file', 'data-control': name, accept: (field.file_types || []).map((type) => (type.startsWith('.') ? type : `${type}/*`)).join(',') || null,
      'aria-labelledby': label.id, 'aria-describedby': label.described,
      async onchange(event) {
        const [chosen] = event.target.files;
        if (chosen) surface.act('attach', name, { file: { name: chosen.name, content: base64(new Uint8Array(await chosen.arrayBuffer())) } });
      },
    }),
    h('span', { class: 'file-size' }, count === 1 ? '1 file chosen' : `${count} files chosen`));
}

function base64(bytes) {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
