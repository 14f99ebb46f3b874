// Code that the bots of the benchmarks share: the HTTP API for agents, and the answers in Redis. Steps and scripts are those of
// test/bench/floor. Each bot takes the flags of that program and prints the address that it listens on to stderr.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { createClient } from '@redis/client';

const string = { type: 'string' };
export const flags = parseArgs({ options: { platform: string, redis: string, url: string, key: string } }).values;

const redis = await createClient({ url: `redis://${flags.redis}` }).connect();
const ask = await redis.scriptLoad("redis.call('SET', KEYS[1], ARGV[1]) return 1");
// The script claims the request, stores the answer and publishes it.
const answer = await redis.scriptLoad(`if not redis.call('SET', KEYS[2], ARGV[2], 'NX') then return false end
redis.call('PUBLISH', 'answers', ARGV[1] .. ' ' .. ARGV[2])
return redis.call('GET', KEYS[1])`);

const waiting = new Map();
const wake = (message) => {
  const [id, option] = message.split(' ');
  waiting.get(id)?.(option);
};
const subscriber = await redis.duplicate().connect();
await subscriber.subscribe('answers', wake);

// control returns the ID of a button, and pressed parses it.
export const control = (id, option) => `1:${id}:c:0:${option}`;
export const pressed = (name) => {
  const [, id, , , option] = name.split(':');
  return { id, option };
};

// text returns the question with its options, and verdict the line that shows the answer.
export const text = (question, bold) => [`${bold}${question.question}${bold}`, ...question.options.map((o) => `• ${o.label}: ${o.description}`)].join('\n');
export const verdict = (question, option) => `Answered: ${question.options[option].label}`;

// answered stores an answer, wakes the waiting agent and returns the question. The click can be acknowledged afterwards.
export async function answered({ id, option }) {
  const stored = await redis.evalSha(answer, { keys: [`floor:r:${id}`, `floor:a:${id}`], arguments: [id, option] });
  if (stored === null) throw new Error(`${id} is already answered`);
  wake(`${id} ${option}`);
  return JSON.parse(stored).questions[0];
}

export async function read(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

// submit stores a question, posts it, and holds the call until it is answered.
async function submit(post, request, response) {
  const body = (await read(request)).toString();
  const { to, questions } = JSON.parse(body);
  const id = `a${randomBytes(13).toString('hex')}`;
  await redis.evalSha(ask, { keys: [`floor:r:${id}`], arguments: [body] });
  const reply = (status, members) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ id, ...members }));
  if (!new URL(request.url, 'http://bot').searchParams.get('wait')) {
    await post(to[0].channel, id, questions[0]);
    reply(201, { state: 'open' });
    return;
  }
  const chosen = new Promise((resolve) => waiting.set(id, resolve));
  response.on('close', () => waiting.delete(id));
  await post(to[0].channel, id, questions[0]);
  reply(200, { state: 'answered', text: await chosen });
}

// serve handles the requests of agents, posts their questions with post, and passes every other call to callback.
export function serve(post, callback) {
  const server = createServer((request, response) => {
    if (!request.url.startsWith('/v1/requests')) return callback(request, response);
    submit(post, request, response).catch((error) => {
      console.error(error);
      response.writeHead(502).end();
    });
  });
  server.listen(0, '127.0.0.1', () => console.error(JSON.stringify({ listen: `127.0.0.1:${server.address().port}` })));
  process.on('SIGTERM', () => process.exit(0));
}
