// What the bots of the benchmarks share: the agents' HTTP API and the answers in Redis, in the steps of test/bench/floor
// and with its scripts. Each bot is started with the flags of that program and says on stderr where it listens.
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
const wake = (said) => {
  const [id, option] = said.split(' ');
  waiting.get(id)?.(option);
};
const hears = await redis.duplicate().connect();
await hears.subscribe('answers', wake);

// control is the id of a button, and pressed reads it.
export const control = (id, option) => `1:${id}:c:0:${option}`;
export const pressed = (name) => {
  const [, id, , , option] = name.split(':');
  return { id, option };
};

// text is the question with its options; verdict is what it came to.
export const text = (question, bold) => [`${bold}${question.question}${bold}`, ...question.options.map((o) => `• ${o.label}: ${o.description}`)].join('\n');
export const verdict = (question, option) => `Answered: ${question.options[option].label}`;

// answered keeps an answer and wakes who waits for it; then the click may be acknowledged. It returns the question.
export async function answered({ id, option }) {
  const stored = await redis.evalSha(answer, { keys: [`floor:r:${id}`, `floor:a:${id}`], arguments: [id, option] });
  if (stored === null) throw new Error(`${id} has been answered`);
  wake(`${id} ${option}`);
  return JSON.parse(stored).questions[0];
}

export async function read(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

// submit keeps a question, posts it, and holds the call until its answer comes.
async function submit(post, request, response) {
  const body = (await read(request)).toString();
  const { to, questions } = JSON.parse(body);
  const id = `a${randomBytes(13).toString('hex')}`;
  await redis.evalSha(ask, { keys: [`floor:r:${id}`], arguments: [body] });
  const end = (status, said) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ id, ...said }));
  if (!new URL(request.url, 'http://bot').searchParams.get('wait')) {
    await post(to[0].channel, id, questions[0]);
    end(201, { state: 'open' });
    return;
  }
  const chosen = new Promise((resolve) => waiting.set(id, resolve));
  response.on('close', () => waiting.delete(id));
  await post(to[0].channel, id, questions[0]);
  end(200, { state: 'answered', text: await chosen });
}

// serve takes what agents ask, posts it with post, and hands every other call to callback.
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
