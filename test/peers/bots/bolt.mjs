// A bot with Bolt for JavaScript that asks a question and handles a form. It uses HTTP if PORT is set, and Socket Mode otherwise. BROKEN
// selects a mistake that it makes.
import bolt from '@slack/bolt';

const { SLACK_API_URL, SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET, PORT, BROKEN } = process.env;
const app = new bolt.App({
  token: SLACK_BOT_TOKEN,
  clientOptions: { slackApiUrl: SLACK_API_URL, retryConfig: { retries: 0 } },
  logLevel: 'error',
  ...(PORT ? { signingSecret: SLACK_SIGNING_SECRET } : { appToken: SLACK_APP_TOKEN, socketMode: true }),
});
const plainText = (text) => ({ type: 'plain_text', text });
const button = (id, text) => ({ type: 'button', action_id: id, text: plainText(text) });
const question = (elements) => [
  { type: 'section', block_id: 'question', text: { type: 'mrkdwn', text: 'Which database?' } },
  { type: 'actions', block_id: BROKEN === 'block_id' ? 'question' : 'answers', elements },
];
const form = (metadata) => ({
  type: 'modal', callback_id: 'other', title: plainText('Another'), submit: plainText('Send'), private_metadata: metadata,
  blocks: [{ type: 'input', block_id: 'name', label: plainText('Its name'), element: { type: 'plain_text_input', action_id: 'text' } }],
});

app.action('postgres', async ({ ack, respond, body }) => {
  if (BROKEN === 'ack') return;
  await ack();
  await respond({ replace_original: true, text: `Postgres, chosen by ${body.user.name}` });
});
app.action('other', async ({ ack, client, body }) => {
  await ack();
  const open = () => client.views.open({ trigger_id: body.trigger_id, view: form(body.message.ts) });
  await open();
  if (BROKEN === 'trigger') await open();
});
app.view('other', async ({ ack, client, view, body }) => {
  const name = view.state.values.name.text.value;
  if (name === 'none') return ack({ response_action: 'errors', errors: { name: 'One of them.' } });
  await ack();
  await client.chat.update({ channel: 'C0000001', ts: view.private_metadata, text: `${name}, chosen by ${body.user.name}`, blocks: [] });
});
app.message('how long', async ({ say, message }) => {
  await say({ text: 'Until five.', thread_ts: message.ts });
});
app.command('/ask', async ({ ack, command, client }) => {
  await ack(`Soon: ${command.text}`);
  if (BROKEN === 'file') await client.files.completeUploadExternal({ files: [{ id: 'F1' }], channel_id: command.channel_id }).catch(({ message }) => console.log(`refused: ${message}`));
  else await client.files.uploadV2({ channel_id: command.channel_id, filename: 'plan.txt', title: 'The plan', content: 'first this, then that' });
});
app.error(async ({ message }) => console.log(`error: ${message}`));

if (PORT) await app.start({ port: Number(PORT), host: '127.0.0.1' });
else await app.start();
const elements = BROKEN === 'buttons'
  ? Array.from({ length: 26 }, (_, i) => button(`b${i}`, String(i)))
  : [button('postgres', BROKEN === 'label' ? 'Postgres '.repeat(10) : 'Postgres'), button('other', 'Other…')];
await app.client.chat.postMessage({ channel: 'C0000001', text: 'Which database?', blocks: question(elements) })
  .catch(({ message }) => console.log(`refused: ${message}`));
console.log('ready');
