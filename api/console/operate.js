// What an operator does at the console: new tokens, reload and erasure. The page hands over its own functions.

// makeToken asks what a new token may do.
export function makeToken({ h, $, call, act }, button, made) {
  const text = (id, title, value = '') => [h('label', { for: id }, title), h('input', { id, value, required: id !== 'tenant', autocomplete: 'off', maxlength: 128 })];
  const box = (scope) => h('label', { class: 'option' }, h('input', { type: 'checkbox', name: 'scope', value: scope, checked: ['ask', 'read', 'cancel'].includes(scope) }), scope);
  const form = h('form', { id: 'new-token', onsubmit: (event) => { event.preventDefault(); act(async () => {
    const scopes = [...form.querySelectorAll('input:checked')].map((c) => c.value);
    made((await call('POST', 'v1/tokens', { name: $('name').value.trim(), tenant: $('tenant').value.trim() || undefined, scopes, expires_in: $('lasts').value.trim() })).token);
  })({ target: form.lastChild }); } },
  text('name', 'Name'), text('tenant', 'Tenant, if it is not the name'), text('lasts', 'Lasts for, such as 12h, 30d or never', '90d'),
  h('fieldset', null, h('legend', null, 'Scopes'), ['ask', 'read', 'cancel', 'answer', 'grant', 'tokens', 'admin'].map(box)), h('button', { type: 'submit' }, 'Create it'));
  button.replaceWith(form);
  $('name').focus();
}

// operateView is what an operator does to the bridge as a whole.
export function operateView({ h, $, call, showMessage, once, confirmWith }) {
  const result = h('p', { id: 'result', role: 'status' });
  const run = (does) => ({ target }) => once(target, async () => {
    try {
      showMessage('');
      result.textContent = await does();
    } catch (err) {
      showMessage(err.message);
    }
  });
  const reload = async () => {
    const { changed } = await call('POST', 'v1/reload');
    return changed.length ? `Changed: ${changed.join(', ')}.` : 'The configuration has not changed.';
  };
  const erase = (dry) => async () => {
    const days = $('days').value;
    const what = { person: $('person').value.trim() || undefined, request: $('request').value.trim() || undefined, ended_before: days ? new Date(Date.now() - days * 24 * 3600e3).toISOString() : undefined, dry_run: dry };
    let [requests, lines] = [0, 0];
    for (let cursor = ''; ;) {
      const batch = await call('POST', 'v1/erase', { ...what, cursor });
      requests += batch.erased;
      lines += batch.lines ?? 0;
      cursor = batch.next ?? '';
      if (!cursor) return `${dry ? 'It would erase' : 'Erased'} texts of ${requests} requests and ${lines} events of the audit trail.`;
    }
  };
  const ask = () => h('button', { type: 'button', class: 'bad', onclick: (event) => confirmWith(event.target, 'Yes, erase them', run(erase(false))) }, 'Erase…');
  const field = (id, title, type = 'text') => [h('label', { for: id }, title), h('input', { id, type, min: 0, autocomplete: 'off' })];
  return [h('h1', null, 'Operate'), result, h('h2', null, 'Configuration'), h('p', { class: 'about' }, 'Reads the file again, and applies all changes or none.'),
    h('div', { class: 'acts' }, h('button', { type: 'button', id: 'reload', onclick: run(reload) }, 'Reload the configuration')),
    h('h2', null, 'Erase what people wrote'), h('p', { class: 'about' }, 'From requests that have ended, and from the audit trail. Choices stay. This cannot be undone. Every field narrows it down.'),
    h('form', { id: 'erase', oninput: (event) => event.currentTarget.querySelector('.bad').replaceWith(ask()), onsubmit: (event) => { event.preventDefault(); run(erase(true))({ target: $('count') }); } },
      field('person', 'Person, such as slack:U0123ABCD'), field('request', 'Request'), field('days', 'Ended more than this many days ago', 'number'),
      h('div', { class: 'acts' }, h('button', { type: 'submit', id: 'count' }, 'Count them'),
        ask()))];
}
