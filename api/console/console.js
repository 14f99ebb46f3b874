// The console shows the requests, statistics and tokens of the HTTP API. It calls only the API, so it has the permissions of its token.

import { makeToken, operateView } from './operate.js';

const needed = document.documentElement.dataset.tokens === 'needed';
const signIn = document.documentElement.dataset.signIn === 'on';
const key = 'askbridge-token';
const back = 'askbridge-view'; // the view to return to after sign-in
let me = null; // the scopes of the token or of the signed-in person
const $ = (id) => document.getElementById(id);

// h makes an element. Text always becomes text nodes.
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false && child !== ''));
  return element;
}

// call calls the API. It throws the problem details of a failed call.
async function call(method, path, body, idempotencyKey) {
  const headers = idempotencyKey ? { 'Idempotency-Key': idempotencyKey } : {};
  const token = sessionStorage.getItem(key);
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body) headers['Content-Type'] = 'application/json';
  const reply = await fetch(path, { method, headers, body: body && JSON.stringify(body), cache: 'no-store' });
  const result = await reply.json().catch(() => ({}));
  if (reply.ok) return result;
  const problem = [result.detail ?? reply.statusText, ...(result.errors ?? []).map((e) => `${e.path}: ${e.detail}`)].join('\n');
  if (reply.status === 401 && token === sessionStorage.getItem(key)) {
    const expired = !token && me;
    forget();
    showMessage(expired ? 'Your session has expired. Sign in again.' : problem);
  }
  throw new Error(problem);
}

// showMessage shows a message above the view; '' hides it.
function showMessage(text) {
  drawFailed = false;
  $('message').textContent = text;
  $('message').hidden = !text;
}

// leave signs the person out, or forgets the token.
async function leave() {
  const token = sessionStorage.getItem(key);
  forget();
  if (token || !signIn) return;
  const reply = await fetch('console/sign-out', { method: 'POST', cache: 'no-store' }).catch(() => null);
  if (!reply?.ok) showMessage('Sign-out failed: askbridge did not respond. Try again.');
}

function forget() {
  sessionStorage.removeItem(key);
  me = null;
  drawing += 1; // Drop responses that are still pending for this person.
  shown = shownAt = secret = '';
  pageStart = 0;
  $('view').replaceChildren();
  enter();
}

function enter() {
  const token = sessionStorage.getItem(key);
  const locked = needed && !token && !me;
  $('enter').hidden = !locked;
  $('sign-in').hidden = !locked || !signIn;
  $('views').hidden = $('health').hidden = locked; // Both need a token or a session.
  $('leave').hidden = !token && !(signIn && me);
  $('leave').textContent = token ? 'Forget the token' : 'Sign out';
  $('who').hidden = locked || !me?.name;
  $('who').textContent = me?.name ?? '';
  if (locked) $(signIn ? 'to-sign-in' : 'token').focus();
  return !locked;
}

// loadScopes loads the scopes of the token or of the signed-in person.
async function loadScopes() {
  if (needed && !sessionStorage.getItem(key) && !signIn) return;
  const token = sessionStorage.getItem(key);
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const reply = await fetch(token || !signIn ? 'v1/token' : 'console/session', { headers, cache: 'no-store' }).catch(() => null);
  const result = reply?.ok ? await reply.json() : {};
  if (token === sessionStorage.getItem(key)) me = result.scopes ? result : null;
}

const when = (time) => (time ? new Date(time).toLocaleString(undefined, { timeZoneName: 'short' }) : '');

// relative formats a time relative to now.
function relative(time) {
  const seconds = (new Date(time) - Date.now()) / 1000;
  const units = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]];
  const [unit, size] = units.find(([, s]) => Math.abs(seconds) >= s) ?? units[3];
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(Math.round(seconds / size), unit);
}

const mark = (kind, text) => h('span', { class: `mark ${kind}` }, text);
const kindOf = { open: 'wait', answered: 'good', expired: 'bad', failed: 'bad', pending: 'wait', delayed: 'wait', posted: 'good', lost: 'bad', due: 'wait', taken: 'good', dead: 'bad', active: 'good' };
const stateMark = (state) => mark(kindOf[state] ?? '', state);
const placeOf = (d) => [d.platform + (d.installation ? `@${d.installation}` : ''), d.user ? `@${d.user}` : d.channel, d.thread].filter(Boolean).join(':');

// nameKey is a place in the names of its request, and called is the place with its name.
const nameKey = (d) => `${d.platform}${d.installation ? `@${d.installation}` : ''}:${d.user ?? d.channel}`;
const called = (r, d) => (r.names?.[nameKey(d)] ? `${r.names[nameKey(d)]} (${placeOf(d)})` : placeOf(d));
const named = (r, entries) => entries.map((who) => (r.names?.[who] ? `${r.names[who]} (${who})` : who)).join(', ');

// troubles are what keeps people from seeing a request, or its agent from hearing of it.
function troubles(r) {
  const late = r.state === 'open' && Date.now() - new Date(r.created_at) > 60_000;
  const all = r.delivery.filter((d) => ['failed', 'lost'].includes(d.state) || d.detail || (late && d.state !== 'posted')).map((d) => `${called(r, d)} ${d.state}${d.detail ? `: ${d.detail}` : ''}`);
  if (r.webhook?.detail && r.webhook.state !== 'taken') all.push(`webhook ${r.webhook.state}: ${r.webhook.detail}`);
  return all;
}

const words = (r) => [r.id, r.agent, r.session, r.tool_call_id, r.context, r.state, r.by?.name, r.by?.id, r.reason, r.text,
  ...r.questions.flatMap((q) => [q.question, q.header]), ...Object.values(r.names ?? {}), ...r.delivery.map(placeOf)].filter(Boolean).join('\n').toLowerCase();

function requestItem(r) {
  const wrong = troubles(r);
  return h('li', null, h('a', { id: `to-${r.id}`, href: `#/request/${encodeURIComponent(r.id)}` },
    h('div', { class: 'title' }, stateMark(r.state), r.questions[0].question, r.questions.length > 1 && ` and ${r.questions.length - 1} more`),
    h('div', { class: 'about' }, [r.agent, `asked ${relative(r.created_at)}`, r.state === 'open' && r.expires_at && `expires ${relative(r.expires_at)}`,
      r.by?.id && `by ${r.by.name || r.by.id}`, r.delivery.map((d) => called(r, d)).join(', ')].filter(Boolean).join(' · ')),
    wrong.length > 0 && h('div', { class: 'bad' }, wrong.join('; '))));
}

// all reads the pages of a list, up to a limit.
const listLimit = 1000;
async function all(query) {
  const found = [];
  for (let cursor = ''; ;) {
    const page = await call('GET', `v1/requests?limit=200${query}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    found.push(...page.requests);
    cursor = page.next ?? '';
    if (!cursor || found.length >= listLimit) return { found, more: Boolean(cursor) };
  }
}

let search = '';

function listView(title, { found, more }, nothing, choice) {
  const count = h('p', { class: 'about', role: 'status' });
  const list = h('ul', { class: 'list' });
  const draw = () => {
    const fits = found.filter((r) => search.toLowerCase().split(/\s+/).every((word) => words(r).includes(word)));
    list.replaceChildren(...fits.map(requestItem));
    count.textContent = fits.length ? `${fits.length} of ${found.length}${more ? '; more are not shown' : ''}` : nothing;
  };
  const field = h('input', { id: 'search', type: 'search', autocomplete: 'off', placeholder: 'word, agent, person, place or id', oninput: (e) => { search = e.target.value; draw(); } });
  field.value = search;
  draw();
  return [h('h1', null, title), choice, h('label', { for: 'search' }, 'Search'), field, count, list];
}

// The list of ended requests covers a period, with the latest request first.
const hour = 3600e3;
const spans = [[hour, 'in the last hour'], [24 * hour, 'in the last day'], [7 * 24 * hour, 'in the last week'], [Infinity, 'at any time']];
let span = 24 * hour;
let pageStart = 0; // the start time of the last list that had to be shortened

const endedSince = (moment) => all(`&state=ended&since=${new Date(moment).toISOString()}`);

// latest returns the requests that ended last. The API lists the oldest first, so if there are too many, a binary search finds a later start time whose list fits.
async function latest(since) {
  const start = Math.max(since, pageStart);
  const first = await endedSince(start);
  if (!first.more) return { found: first.found, more: start > since };
  let found = [];
  for (let from = Date.parse(first.found[0].ended_at), to = Date.now(); to - from > 1 && found.length < listLimit / 2;) {
    const middle = Math.ceil((from + to) / 2);
    const page = await endedSince(middle);
    if (page.more) from = Math.max(middle, Date.parse(page.found[0].ended_at));
    else [to, pageStart, found] = [middle, middle, page.found];
  }
  return { found: found.length ? found : first.found, more: true };
}

async function endedView() {
  const page = await latest(Math.max(0, Date.now() - span));
  page.found.reverse();
  const choice = h('select', { id: 'span', onchange: (e) => { span = Number(e.target.value); pageStart = 0; draw(true); } }, spans.map(([value, text]) => h('option', { value, selected: value === span }, text)));
  return listView('Ended requests', page, 'No requests ended in this period.', [h('label', { for: 'span' }, 'Ended'), choice]);
}

const pairs = (entries) => h('dl', null, entries.filter(([, value]) => value && value.length !== 0).map(([name, value]) => [h('dt', null, name), h('dd', null, value)]));

// once runs the action of a button and ignores further presses meanwhile. The button is not disabled, because it would lose the focus.
async function once(button, action) {
  if (button.ariaDisabled) return;
  button.ariaDisabled = 'true';
  await action();
  button.ariaDisabled = null;
}

// act returns an event handler that runs an action and redraws the view.
const act = (action) => ({ target }) => once(target, async () => {
  try {
    showMessage('');
    await action();
    await draw(true);
  } catch (err) {
    showMessage(err.message);
  }
});

// choice formats the answer to one question: the selected options and the typed text.
const choice = (c) => [...(c.selected ?? []), c.other].filter(Boolean).join(' + ') || 'skipped';

// claimText describes the current claim of a request.
const claimText = (r) => r.state === 'open' && r.claim && new Date(r.claim.until) > Date.now() && `${r.claim.by.name || r.claim.by.id}, until ${when(r.claim.until)} (${relative(r.claim.until)})`;

async function requestView(id) {
  const r = await call('GET', `v1/requests/${encodeURIComponent(id)}`);
  const path = `v1/requests/${encodeURIComponent(id)}`;
  const history = h('ol', { class: 'history', tabindex: '-1', 'aria-label': 'History' });
  const question = (q, n) => {
    const a = (r.answers ?? []).find((given) => given.index === n);
    const without = (some) => (some ?? []).some((u) => u.index === n);
    return h('li', null, h('div', { class: 'title' }, q.question),
      h('ul', { class: 'options' }, (q.options ?? []).map((o) => h('li', { class: a?.selected.includes(o.label) && 'good' }, a?.selected.includes(o.label) && '✓ ', o.label, o.description && ` — ${o.description}`, o.preview && h('pre', null, o.preview)))),
      a?.other && h('div', { class: 'good' }, `✓ ${a.other}`), a?.notes && h('div', { class: 'about' }, `Note: ${a.notes}`),
      without(r.skipped) && h('div', { class: 'about' }, 'skipped'), without(r.left) && h('div', { class: 'about' }, 'not answered'));
  };
  return [
    h('h1', null, stateMark(r.state), r.questions[0].question),
    pairs([['Request', h('code', null, r.id)], ['Agent', r.agent], ['Context', r.context], ['Files', (r.files ?? []).map((f) => f.name).join(', ')], ['Session', r.session], ['Tool call', r.tool_call_id],
      ['Asked', `${when(r.created_at)} (${relative(r.created_at)})`], ['Expires', r.state === 'open' && (r.expires_at ? `${when(r.expires_at)} (${relative(r.expires_at)})` : 'never')],
      ['Ended', r.ended_at && `${when(r.ended_at)} (${relative(r.ended_at)})`], ['By', r.by?.id && `${r.by.name || ''} ${r.by.platform}:${r.by.id}`.trim()],
      [r.replied ? 'Reply' : 'Reason', r.reason], ['May answer', named(r, r.responders)], ['Must also be', (r.floors ?? []).map((f) => named(r, f)).join('; ')],
      ['Votes', r.voted && `${r.voted} ${r.voted === 1 ? 'person' : 'people'}`], ['Decided by', decidedBy(r.policy)], ['Claimed by', claimText(r)]]),
    h('h2', null, 'Questions'), h('ol', null, r.questions.map(question)),
    r.state === 'open' && me?.scopes?.includes('answer') && [h('h2', null, 'Your answer'), answerForm(r, path)],
    (r.votes ?? []).length > 0 && [h('h2', null, 'Votes'), h('ul', { class: 'options' }, r.votes.map((v) => h('li', null,
      `${v.human || v.by.name || v.by.id}: ${v.dismissed ? v.reply || 'dismiss' : (v.choices ?? []).map(choice).join('; ')}`)))],
    (r.steps ?? []).length > 0 && [h('h2', null, 'Steps'), h('ul', { class: 'options' }, r.steps.map((s) => h('li', null,
      `${s.done ? '✓ ' : ''}${when(s.at)} (${relative(s.at)}): ${stepText(r, s)}`)))],
    h('h2', null, 'Cards'), h('ul', { class: 'list' }, r.delivery.map((d) => h('li', null, h('div', null, stateMark(d.state), r.names?.[nameKey(d)], ' ', h('code', null, placeOf(d)),
      d.message && h('div', { class: 'about' }, d.url ? h('a', { href: d.url, target: '_blank', rel: 'noreferrer' }, 'Open the card') : `message ${d.message}`), d.detail && h('div', { class: 'bad' }, d.detail),
      d.queue && h('div', { class: 'about' }, `position ${d.queue} in the queue`), d.retry_at && h('div', { class: 'about' }, `next try ${relative(d.retry_at)}`))))),
    r.webhook && [h('h2', null, 'Webhook'), pairs([['URL', r.webhook.url], ['State', r.webhook.state], ['Attempts', String(r.webhook.attempts ?? 0)], ['Reason', r.webhook.detail], ['Next try', r.webhook.retry_at && relative(r.webhook.retry_at)]])],
    h('h2', null, 'History'), history, h('div', { class: 'acts' },
      h('button', { type: 'button', onclick: (event) => showHistory(path, history, event.target) }, 'Show history'),
      h('button', { type: 'button', id: 'resend', onclick: act(() => call('POST', `${path}/resend`)) }, 'Deliver again'),
      r.webhook?.state === 'dead' && h('button', { type: 'button', id: 'replay', onclick: act(() => call('POST', `${path}/replay`)) }, 'Retry the webhook'),
      r.state === 'open' && h('button', { type: 'button', class: 'bad', onclick: (event) => withdraw(path, event.target) }, 'Withdraw…')),
  ];
}

// decidedBy describes the policy of a request that several people decide.
const decidedBy = (p) => p && (p.mode === 'poll' ? `most votes, at least ${p.need} must vote` : p.need && p.need !== 1 && `${p.need} must agree`);

// stepText is what a step does.
function stepText(r, s) {
  const name = (who) => who.name || `${who.platform}:${who.id}`;
  if (s.do === 'pass') return `${name(s.by)} passed it to ${name(s.passed_to)}`;
  if (s.do === 'remind') return 'remind';
  return `add ${[named(r, s.responders ?? []), ...(s.to ?? []).map((d) => called(r, d))].filter(Boolean).join(', ')}`;
}

// answerForm makes the form to answer a request in the console.
function answerForm(r, path) {
  const fields = r.questions.map((q, n) => {
    const name = `q${n}`;
    const options = (q.options ?? []).map((o, i) => h('label', { class: 'option' },
      h('input', { type: q.multiSelect ? 'checkbox' : 'radio', name, value: o.label, id: `${name}-${i}` }), h('span', null, o.label, o.description && ` — ${o.description}`)));
    const other = !q.noOther && [h('label', { for: `${name}-other` }, options.length ? 'Or your own text' : 'Your own text'), h('input', { id: `${name}-other`, autocomplete: 'off', maxlength: 4000, oninput: () => { // Typed text replaces a single choice.
      if (!q.multiSelect) for (const box of form.querySelectorAll(`input[name="${name}"]`)) box.checked = false;
    } })];
    const notes = q.notes && [h('label', { for: `${name}-notes` }, 'A note'), h('input', { id: `${name}-notes`, autocomplete: 'off', maxlength: 4000 })];
    return h('fieldset', null, h('legend', null, q.question), options, other, notes);
  });
  const sending = crypto.randomUUID(); // Repeated submissions of the form count once.
  const send = (body) => act(() => call('POST', `${path}/answer`, { ...body, revision: r.revision ?? 0 }, sending));
  const given = () => r.questions.map((q, index) => {
    const text = (of) => $(`q${index}-${of}`)?.value.trim() || undefined;
    const selected = [...form.querySelectorAll(`input[name="q${index}"]:checked`)].map((box) => box.value);
    const own = { index, selected, other: text('other'), notes: text('notes') };
    return q.optional && !selected.length && !own.other && !own.notes ? { index, skip: true } : own;
  });
  const submit = h('button', { type: 'submit' }, 'Answer');
  let confirmed = r.risk !== 'high'; // As on a card, a high-risk answer needs a second press.
  const form = h('form', { id: 'answer', oninput: () => { confirmed = r.risk !== 'high'; submit.textContent = 'Answer'; }, onsubmit: (event) => {
    event.preventDefault();
    if (confirmed) send({ answers: given() })({ target: submit });
    else [confirmed, submit.textContent] = [true, 'High risk: confirm the answer'];
  } }, fields, h('div', { class: 'acts' }, submit, h('button', { type: 'button', onclick: send({ dismiss: true }) }, 'Dismiss')));
  return form;
}

// withdraw asks for a reason and withdraws a request.
function withdraw(path, button) {
  const why = h('input', { id: 'why', required: true, maxlength: 300, autocomplete: 'off' });
  const form = h('form', { onsubmit: (event) => { event.preventDefault(); act(() => call('POST', `${path}/cancel`, { reason: why.value }))({ target: form.lastChild }); } },
    h('label', { for: 'why' }, 'Reason, shown on the card and sent to the agent'), why, h('button', { class: 'bad', type: 'submit' }, 'Withdraw'));
  button.replaceWith(form);
  why.focus();
}

// showHistory loads the history of a request.
const showHistory = (path, list, button) => once(button, async () => {
  try {
    const { events, before } = await call('GET', `${path}/history`);
    list.replaceChildren(before ? h('li', { class: 'about' }, `${before} earlier events are only in the audit trail: askbridge audit show`) : '', ...events.map(historyItem));
    list.focus();
    button.remove();
  } catch (err) {
    list.replaceChildren(h('li', { class: 'bad', role: 'alert' }, err.message));
  }
});

const historyItem = (e) => h('li', null, mark(kindOf[e.kind] ?? '', e.kind.replaceAll('_', ' ')),
  e.by && (e.by.name || `${e.by.platform}:${e.by.id}`), ' ', (e.choices ?? []).map(choice).join('; '),
  e.text && ` “${e.text}”`, h('div', { class: 'about' }, [when(e.at), e.detail].filter(Boolean).join(' · ')));

let secret = ''; // a token that was just made; the view shows it until the person leaves

async function tokensView() {
  const { tokens } = await call('GET', 'v1/tokens');
  const replace = (t) => act(async () => { secret = (await call('POST', `v1/tokens/${encodeURIComponent(t.id)}/rotate`)).token; });
  return [h('h1', null, 'Tokens'), h('p', { class: 'about' }, `${tokens.length ? '' : 'No tokens. '}Tokens from the configuration are not listed.`),
    secret && h('p', { role: 'status' }, 'Copy the token now, it cannot be shown again: ', h('code', { id: 'secret' }, secret)),
    h('div', { class: 'acts' }, h('button', { type: 'button', id: 'make', onclick: (event) => makeToken(tools, event.target, (token) => { secret = token; }) }, 'Create a token…')),
    h('ul', { class: 'list' }, tokens.map((t) => h('li', null, h('div', null, h('div', { class: 'title' }, stateMark(t.state), t.name),
      h('div', { class: 'about' }, [t.id, (t.scopes ?? []).join(', '), t.tenant && `tenant ${t.tenant}`, (t.targets ?? []).concat(t.routes ?? []).join(', '),
        t.revoked_at ? `revoked ${when(t.revoked_at)}` : t.expires_at ? `${t.state === 'active' ? 'valid until' : 'expired'} ${when(t.expires_at)}` : 'does not expire', t.last_used_at ? `used ${relative(t.last_used_at)}` : 'never used', t.by && `created by ${t.by}`].filter(Boolean).join(' · ')),
      t.state === 'active' && h('div', { class: 'acts' }, h('button', { type: 'button', onclick: (event) => confirmWith(event.target, 'Yes, replace it', replace(t)) }, 'Replace…'),
        h('button', { type: 'button', class: 'bad', onclick: (event) => confirmWith(event.target, 'Yes, revoke it', act(() => call('POST', `v1/tokens/${encodeURIComponent(t.id)}/revoke`))) }, 'Revoke…'))))))];
}

// confirmWith replaces the button of an irreversible action with a button that confirms it.
function confirmWith(button, text, action) {
  const second = h('button', { type: 'button', class: 'bad', onclick: action }, text);
  button.replaceWith(second);
  second.focus();
}

// length formats a number of seconds.
const length = (seconds) => {
  const [unit, size] = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]].find(([, s]) => seconds >= s) ?? ['second', 1];
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'narrow', maximumFractionDigits: 0 }).format(Math.floor(seconds / size));
};
const times = (t) => (t?.count ? `${length(t.median)} / ${length(t.p90)}` : '–');

const periods = [[1, '24 hours'], [7, '7 days'], [30, '30 days'], [365, 'year']];
let period = 7;

async function numbersView() {
  const since = new Date(Date.now() - period * 24 * hour).toISOString().slice(0, 19) + 'Z';
  const s = await call('GET', `v1/stats?since=${since}`);
  const table = (caption, heads, rows) => rows.length > 0 && h('div', { class: 'wide', tabindex: '0', role: 'group', 'aria-label': caption }, h('table', null, h('caption', null, caption),
    h('thead', null, h('tr', null, heads.map((head) => h('th', { scope: 'col' }, head)))),
    h('tbody', null, rows.map(([name, ...cells]) => h('tr', null, h('th', { scope: 'row' }, name), cells.map((cell) => h('td', null, String(cell))))))));
  const heads = ['Asked', 'Open', 'Answered', 'By grant', 'Dismissed', 'Expired', 'Other', 'Reminders', 'First act', 'End'];
  const row = (name, n) => [name, n.asked, n.open, n.answered, n.granted, n.dismissed, n.expired, n.withdrawn + n.superseded + n.failed, n.reminders, times(n.to_first_act), times(n.to_end)];
  return [h('h1', null, 'Numbers'),
    h('label', { for: 'period' }, 'Requests in the last'), h('select', { id: 'period', onchange: (e) => { period = Number(e.target.value); draw(true); } }, periods.map(([value, text]) => h('option', { value, selected: value === period }, text))),
    h('p', { class: 'about' }, s.total.asked ? 'Times are the median and the 90th percentile, from the question to the first act of a person and to the end.' : 'No requests in this period.'),
    table('All requests', ['Requests', ...heads], s.total.asked ? [row('All', s.total)] : []),
    table('By route', ['Route', ...heads], s.routes.map((r) => row(r.name, r))),
    table('By agent', ['Agent', ...heads], s.agents.map((a) => row(a.name || 'no name', a))),
    table('By installation', ['Installation', ...heads], (s.installations ?? []).map((i) => row(i.name, i))),
    table('By person', ['Person', 'Acted', 'Decided', 'First act'], (s.people ?? []).map((p) => [p.person, p.acted, p.decided, times(p.to_first_act)]))];
}

const tools = { h, $, call, showMessage, once, confirmWith, act }; // for operate.js

const views = {
  open: async () => listView('Open requests', await all(''), 'No open requests.'),
  ended: endedView,
  trouble: async () => { const page = await all(''); page.found = page.found.filter((r) => troubles(r).length > 0); return listView('Delivery problems', page, 'No delivery problems.'); },
  dead: async () => listView('Dead letters', await all('&webhook=dead'), 'No dead letters.'),
  numbers: numbersView,
  tokens: tokensView,
  operate: () => operateView(tools),
};

let shown = '';
let shownAt = ''; // the URL fragment of the view
let drawing = 0; // the number of the current drawing; the results of earlier ones are dropped
let pending = 0; // the number of unfinished drawings
let drawFailed = false; // the message is about a failed drawing

// replaceView replaces the view. The focus returns to the same control, or to the top if the control is gone.
function replaceView(nodes) {
  const used = document.activeElement;
  const inside = $('view').contains(used);
  $('view').replaceChildren(...nodes);
  if (!inside) return;
  const now = $(used.id) ?? $('main');
  now.focus({ preventScroll: true });
  if (now.type === 'search') now.setSelectionRange(used.selectionStart, used.selectionEnd);
}

// draw draws the view that the URL names. Without force, an unchanged view is not redrawn.
async function draw(force) {
  if (!enter()) return;
  drawing += 1;
  pending += 1;
  const mine = drawing;
  const at = location.hash.replace(/^#\//, '') || 'open';
  const [view, id] = at.split('/');
  for (const link of $('views').children) link.hash === `#/${view}` ? link.setAttribute('aria-current', 'page') : link.removeAttribute('aria-current');
  try {
    const drawn = view === 'request' ? await requestView(decodeURIComponent(id)) : await (views[view] ?? views.open)();
    if (mine !== drawing) return;
    if (drawFailed) showMessage('');
    const box = h('div', null, drawn);
    if (!force && shown === at + box.textContent) return;
    shown = at + box.textContent;
    shownAt = at;
    replaceView(box.childNodes);
  } catch (err) {
    if (mine !== drawing) return;
    if (shownAt !== at) { // The current content belongs to another URL.
      shown = shownAt = '';
      replaceView([]);
    }
    showMessage(err.message);
    drawFailed = true;
  } finally {
    pending -= 1;
  }
}

async function health() {
  let parts = [];
  try {
    const status = await (await fetch('readyz', { cache: 'no-store' })).json();
    parts = (status.parts ?? []).map((p) => `${p.part}: ${p.detail}`);
  } catch {
    parts = ['askbridge is not responding'];
  }
  $('health').className = parts.length ? 'bad' : 'good';
  $('health').textContent = parts.length ? parts.join('; ') : 'healthy';
}

$('enter').addEventListener('submit', async (event) => {
  event.preventDefault();
  sessionStorage.setItem(key, $('token').value.trim());
  $('token').value = '';
  showMessage('');
  await loadScopes();
  draw(true);
});
$('to-sign-in').addEventListener('click', () => sessionStorage.setItem(back, location.hash));
$('leave').addEventListener('click', leave);
document.querySelector('.skip').addEventListener('click', (event) => { // A link would replace the fragment that names the view.
  event.preventDefault();
  $('main').focus();
});
addEventListener('hashchange', () => { showMessage(''); search = secret = ''; draw(true); });

const pause = 10000;
setInterval(() => {
  if (document.hidden) return;
  health();
  if (pending) return;
  // Lists refresh by themselves. A page that the person reads or fills in does not change.
  if (!location.hash.startsWith('#/request/') && !$('view').querySelector('form') && document.activeElement?.tagName !== 'BUTTON') draw(false);
}, pause);

// begin returns to the view from before the sign-in.
async function begin() {
  await loadScopes();
  const view = sessionStorage.getItem(back);
  if (me && view !== null) {
    sessionStorage.removeItem(back);
    if (view) history.replaceState(null, '', view);
  }
  draw(true);
}

health();
begin();
