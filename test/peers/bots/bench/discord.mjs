// The work of test/bench/floor with discord.js, which hears of clicks over the gateway alone.
import { Client, GatewayIntentBits, MessageFlags } from 'discord.js';
import { answered, control, flags, pressed, serve, text, verdict } from './life.mjs';

// It is not held to the 50 calls a second that it allows itself, as the bridge is not to its pace.
const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: flags.url.replace(/\/$/, ''), globalRequestsPerSecond: 1_000_000 } });
const words = (content) => ({ type: 10, content });

client.on('interactionCreate', async (did) => {
  const press = pressed(did.customId);
  const question = await answered(press);
  await did.update({ flags: MessageFlags.IsComponentsV2, components: [words(text(question, '*')), words(verdict(question, press.option))] });
});
client.on('error', (error) => console.error(error));
const ready = new Promise((resolve) => client.once('clientReady', resolve));
await client.login('bench');
await ready;

serve(async (channel, id, question) => {
  const there = await client.channels.fetch(channel);
  await there.send({
    flags: MessageFlags.IsComponentsV2,
    components: [
      words(text(question, '*')),
      { type: 1, components: question.options.map((o, n) => ({ type: 2, style: 2, custom_id: control(id, n), label: o.label })) },
    ],
  });
}, (_, response) => response.writeHead(404).end());
