// A bot with the Chat SDK that asks a question in Slack over HTTP.
import { createServer } from 'node:http';
import { createMemoryState } from '@chat-adapter/state-memory';
import { createSlackAdapter } from '@chat-adapter/slack';
import { Actions, Button, Card, CardText, Chat } from 'chat';

const { SLACK_API_URL, SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET, PORT } = process.env;
const bot = new Chat({
  userName: 'mybot', logger: 'silent', state: createMemoryState(),
  adapters: { slack: createSlackAdapter({ apiUrl: SLACK_API_URL, botToken: SLACK_BOT_TOKEN, signingSecret: SLACK_SIGNING_SECRET }) },
});
let card;
bot.onAction('postgres', async ({ user }) => {
  await card.edit(`Postgres, chosen by ${user.userName}`);
});

createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const background = [];
  const answer = await bot.webhooks.slack(
    new Request(`http://localhost${request.url}`, { method: request.method, headers: request.headers, body: Buffer.concat(parts) }),
    { waitUntil: (work) => background.push(work) },
  );
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
  await Promise.all(background);
}).listen(Number(PORT), '127.0.0.1', async () => {
  await bot.initialize();
  card = await bot.channel('slack:C0000001').post(Card({
    title: 'Which database?',
    children: [CardText('For the preview.'), Actions([Button({ id: 'postgres', label: 'Postgres' })])],
  }));
  console.log('ready');
});
