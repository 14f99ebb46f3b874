// Renders the OpenAPI document of the bridge. Text always becomes text nodes.

// h makes an element. Attributes that are null, undefined or false are left out.
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// prose renders the Markdown subset of descriptions: paragraphs and **strong** text.
function prose(text) {
  return (text ?? '').split('\n\n').filter(Boolean).map((paragraph) => {
    const parts = paragraph.split('**');
    return h('p', null, parts.map((part, n) => (n % 2 ? h('strong', null, part) : part)));
  });
}

const nameOf = (schema) => schema?.$ref?.split('/').pop();

// typeOf describes the type of a schema; a named type links to its section.
function typeOf(schema) {
  const name = nameOf(schema);
  if (name) return [h('a', { href: `#type-${name}` }, name)];
  const kind = [schema.type ?? 'anything'].flat().join(' or ');
  if (kind.includes('array')) return ['list of ', ...typeOf(schema.items ?? {})];
  return [schema.format && kind === 'string' ? schema.format : kind];
}

// limits lists the constraints of a schema.
function limits(schema) {
  const all = [];
  if (schema.enum) all.push(['one of ', schema.enum.map((value, n) => [n ? ', ' : '', h('code', null, String(value))])]);
  if (schema.default !== undefined) all.push(['default ', h('code', null, String(schema.default))]);
  if (schema.minItems || schema.maxItems) all.push([`${schema.minItems ?? 0} to ${schema.maxItems ?? 'any number of'} entries`]);
  if (schema.maxLength) all.push([`at most ${schema.maxLength} characters`]);
  if (schema.minimum !== undefined && schema.maximum !== undefined) all.push([`${schema.minimum} to ${schema.maximum}`]);
  if (schema.examples?.length) all.push(['for example ', h('code', null, JSON.stringify(schema.examples[0]))]);
  return all.map((text) => h('span', { class: 'limit' }, text));
}

// row draws one field or parameter.
function row(name, schema, about, required, note) {
  return h('div', { class: 'row' },
    h('dt', null, h('code', null, name), ' ', h('span', { class: 'type' }, typeOf(schema)),
      note && h('span', { class: 'type' }, ` in ${note}`), required && h('span', { class: 'required' }, 'required')),
    h('dd', null, about, limits(schema)));
}

function members(schema) {
  const required = new Set(schema.required);
  const all = Object.entries(schema.properties ?? {});
  all.sort(([a], [b]) => required.has(b) - required.has(a));
  return h('dl', null, all.map(([name, member]) => row(name, member, member.description, required.has(name))));
}

const shown = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

// bodies draws the content types of a request or response, with examples.
function bodies(content) {
  return Object.entries(content ?? {}).map(([kind, media]) => [
    h('p', { class: 'kind' }, h('code', null, kind), ' ', h('span', { class: 'type' }, typeOf(media.schema ?? {}))),
    Object.values(media.examples ?? {}).map((example) => h('details', null,
      h('summary', null, `Example: ${example.summary}`), h('pre', { tabindex: '0' }, shown(example.value)))),
  ]);
}

function curl(method, path, operation) {
  const media = operation.requestBody?.content?.['application/json'];
  const body = Object.values(media?.examples ?? {})[0]?.value;
  const lines = [`curl -s${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} '${location.origin}${path}'`];
  if (operation.security?.length) lines.push(`-H "Authorization: Bearer $ASKBRIDGE_TOKEN"`);
  if (body !== undefined) lines.push(`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
  return lines.join(' \\\n  ');
}

function operationCard({ id, method, path, operation, incoming }) {
  const parameters = operation.parameters ?? [];
  return h('section', { class: 'card', id: `op-${id}`, 'aria-labelledby': `title-${id}` },
    h('h3', { id: `title-${id}` }, operation.summary),
    h('p', { class: 'line' }, h('span', { class: `method ${method}` }, method.toUpperCase()), ' ', h('code', null, incoming ? 'your webhook' : path)),
    prose(operation.description),
    parameters.length > 0 && [h('h4', null, 'Parameters'),
      h('dl', null, parameters.map((p) => row(p.name, p.schema ?? {}, p.description, p.required, p.in)))],
    operation.requestBody && [h('h4', null, 'Request body'), prose(operation.requestBody.description), bodies(operation.requestBody.content)],
    h('h4', null, incoming ? 'Your response' : 'Responses'),
    Object.entries(operation.responses ?? {}).sort().map(([code, response]) => h('details', { class: 'reply' },
      h('summary', null, h('code', null, code), ` ${response.description}`),
      response.headers && h('dl', null, Object.entries(response.headers).map(([name, header]) => row(name, header.schema, header.description, false, 'header'))),
      bodies(response.content))),
    !incoming && [h('h4', null, 'Example call'), h('pre', { tabindex: '0' }, curl(method, path, operation))]);
}

function typeCard(name, schema) {
  return h('section', { class: 'card', id: `type-${name}`, 'aria-labelledby': `title-type-${name}` },
    h('h3', { id: `title-type-${name}` }, name), prose(schema.description), members(schema));
}

// operationsOf lists the operations of the API and the webhooks.
function operationsOf(doc) {
  const all = [];
  for (const [paths, incoming] of [[doc.paths, false], [doc.webhooks ?? {}, true]]) {
    for (const [path, methods] of Object.entries(paths)) {
      // Operations that change something come before those that read.
      for (const [method, operation] of Object.entries(methods).sort().reverse()) {
        all.push({ id: operation.operationId, tag: operation.tags[0], method, path, operation, incoming });
      }
    }
  }
  // Erasing is used least, so it comes last.
  return all.sort((a, b) => a.path.endsWith('/erase') - b.path.endsWith('/erase'));
}

function draw(doc) {
  const operations = operationsOf(doc);
  const contents = document.getElementById('contents');
  const main = document.getElementById('main');
  const entries = []; // the searchable text of each entry, with its elements
  const entry = (href, name, card, ...label) => {
    const item = h('li', null, h('a', { href }, ...label));
    entries.push({ text: `${name} ${card.textContent}`.toLowerCase(), elements: [item, card] });
    return item;
  };
  main.replaceChildren(h('h1', null, doc.info.title, ' ', h('small', null, doc.info.version)), ...prose(doc.info.description));
  for (const tag of doc.tags) {
    const own = operations.filter((one) => one.tag === tag.name);
    const cards = own.map(operationCard);
    main.append(h('h2', null, tag.name), ...prose(tag.description), ...cards);
    contents.append(h('h2', null, tag.name), h('ul', null, own.map((one, n) =>
      entry(`#op-${one.id}`, one.path, cards[n], h('span', { class: `method ${one.method}` }, one.method.toUpperCase()), ' ', one.operation.summary))));
  }
  const types = Object.entries(doc.components.schemas);
  const cards = types.map(([name, schema]) => typeCard(name, schema));
  main.append(h('h2', null, 'Types'), ...cards);
  contents.append(h('h2', null, 'Types'), h('ul', null, types.map(([name], n) => entry(`#type-${name}`, name, cards[n], name))));
  const filter = document.getElementById('filter');
  filter.addEventListener('input', () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const { text, elements } of entries) for (const element of elements) element.hidden = !text.includes(wanted);
  });
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

try {
  const reply = await fetch('openapi.json');
  if (!reply.ok) throw new Error(`openapi.json: ${reply.status}`);
  draw(await reply.json());
} catch (problem) {
  document.getElementById('main').replaceChildren(h('p', { role: 'alert' }, `Could not load the API document: ${problem.message}`));
}
