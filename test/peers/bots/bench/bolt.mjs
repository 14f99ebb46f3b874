// The bot of test/bench/floor, written with Bolt for JavaScript over HTTP.
import bolt from '@slack/bolt';
import { answered, control, flags, pressed, serve, text, verdict } from './life.mjs';

const receiver = new bolt.HTTPReceiver({ signingSecret: flags.key, endpoints: '/slack/interactions', logLevel: 'error' });
const app = new bolt.App({ receiver, token: 'xoxb-bench', clientOptions: { slackApiUrl: flags.url }, logLevel: 'error' });
const section = (markdown) => ({ type: 'section', text: { type: 'mrkdwn', text: markdown } });

app.action(/^1:/, async ({ ack, action, body, client }) => {
  const press = pressed(action.action_id);
  const question = await answered(press);
  await ack();
  await client.chat.update({
    channel: body.container.channel_id, ts: body.container.message_ts, text: question.question,
    blocks: [section(text(question, '*')), section(verdict(question, press.option))],
  });
});
app.error(async (error) => console.error(error));

serve((channel, id, question) => app.client.chat.postMessage({
  channel, text: question.question,
  blocks: [section(text(question, '*')), {
    type: 'actions',
    elements: question.options.map((o, n) => ({ type: 'button', action_id: control(id, n), text: { type: 'plain_text', text: o.label } })),
  }],
}), receiver.requestListener);
