// The bot of test/bench/floor, written with the Chat SDK and its adapter for Slack.
import { createMemoryState } from '@chat-adapter/state-memory';
import { createSlackAdapter } from '@chat-adapter/slack';
import { Actions, Button, Card, CardText, Chat } from 'chat';
import { answered, control, flags, pressed, read, serve, text, verdict } from './life.mjs';

const bot = new Chat({
  userName: 'bench', logger: 'silent', state: createMemoryState(),
  adapters: { slack: createSlackAdapter({ apiUrl: flags.url, botToken: 'xoxb-bench', signingSecret: flags.key }) },
});
const card = (question, last) => Card({ children: [CardText(text(question, '**')), last] });
const failed = (error) => console.error(error);

// The adapter replies to a click before its handlers have run, so click delays the reply until the handler has stored the answer. The
// handler does not wait for the edit of the card.
bot.onAction(async ({ actionId, adapter, threadId, messageId }) => {
  const press = pressed(actionId);
  const question = await answered(press);
  adapter.editMessage(threadId, messageId, card(question, CardText(verdict(question, press.option)))).catch(failed);
});
async function click(request, response) {
  const handlers = [];
  const answer = await bot.webhooks.slack(
    new Request(`http://bench${request.url}`, { method: request.method, headers: request.headers, body: await read(request) }),
    { waitUntil: (work) => handlers.push(work) },
  );
  await Promise.all(handlers);
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
}
await bot.initialize();

serve(
  (channel, id, question) => bot.channel(`slack:${channel}`).post(card(question, Actions(question.options.map((o, n) => Button({ id: control(id, n), label: o.label }))))),
  (request, response) => click(request, response).catch((error) => {
    failed(error);
    response.writeHead(500).end();
  }),
);
