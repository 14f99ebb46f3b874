// The bot of test/bench/floor, written with discord.js, which receives clicks only over the gateway.
import { Client, GatewayIntentBits, MessageFlags } from 'discord.js';
import { answered, control, flags, pressed, serve, text, verdict } from './life.mjs';

// Raises the client's own limit of 50 calls a second, because the bridge also runs without pacing in the benchmark.
const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: flags.url.replace(/\/$/, ''), globalRequestsPerSecond: 1_000_000 } });
const textDisplay = (content) => ({ type: 10, content });

client.on('interactionCreate', async (interaction) => {
  const press = pressed(interaction.customId);
  const question = await answered(press);
  await interaction.update({ flags: MessageFlags.IsComponentsV2, components: [textDisplay(text(question, '*')), textDisplay(verdict(question, press.option))] });
});
client.on('error', (error) => console.error(error));
const ready = new Promise((resolve) => client.once('clientReady', resolve));
await client.login('bench');
await ready;

serve(async (channel, id, question) => {
  const target = await client.channels.fetch(channel);
  await target.send({
    flags: MessageFlags.IsComponentsV2,
    components: [
      textDisplay(text(question, '*')),
      { type: 1, components: question.options.map((o, n) => ({ type: 2, style: 2, custom_id: control(id, n), label: o.label })) },
    ],
  });
}, (_, response) => response.writeHead(404).end());
