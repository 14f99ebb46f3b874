// A bot with discord.js that asks a question and handles a form over the gateway. BROKEN selects a mistake that it makes.
import { Client, GatewayIntentBits, MessageFlags } from 'discord.js';

const { DISCORD_API_URL, DISCORD_BOT_TOKEN, BROKEN } = process.env;
const client = new Client({
  intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages],
  rest: { api: DISCORD_API_URL, retries: 0 },
  allowedMentions: { parse: [] },
});
const button = (id, label) => ({ type: 2, style: 1, custom_id: id, label });
const rows = (...buttons) => [{ type: 1, components: buttons }];
const form = {
  custom_id: `other-${Date.now()}`, title: 'Another',
  components: [{ type: 18, label: 'Its name', component: { type: 4, custom_id: 'name', style: 1, required: true } }],
};

client.on('interactionCreate', async (interaction) => {
  if (BROKEN === 'ack') return;
  if (interaction.isChatInputCommand()) {
    await interaction.reply({ content: `Soon: ${interaction.options.getString('question')}`, flags: MessageFlags.Ephemeral });
  } else if (interaction.isModalSubmit()) {
    await interaction.update({ content: `${interaction.fields.getTextInputValue('name')}, chosen by ${interaction.user.username}`, components: [] });
  } else if (interaction.customId === 'other') {
    if (BROKEN === 'defer') await interaction.deferUpdate();
    await client.rest.post(`/interactions/${interaction.id}/${interaction.token}/callback`, { auth: false, body: { type: 9, data: form } });
  } else {
    await interaction.update({ content: `Postgres, chosen by ${interaction.user.username}`, components: [] });
    if (BROKEN === 'twice') await client.rest.post(`/interactions/${interaction.id}/${interaction.token}/callback`, { auth: false, body: { type: 6 } });
  }
});
client.on('messageCreate', async (message) => {
  if (message.author.bot || !message.mentions.has(client.user)) return;
  await message.reply({ content: 'Until five.', flags: MessageFlags.SuppressNotifications });
});
process.on('unhandledRejection', ({ message }) => console.log(`refused: ${message}`));

client.once('clientReady', async () => {
  const buttons = {
    buttons: Array.from({ length: 6 }, (_, i) => button(`b${i}`, String(i))),
    duplicate: [button('postgres', 'Postgres'), button('postgres', 'Other…')],
    label: [button('postgres', 'Postgres '.repeat(10))],
  }[BROKEN] ?? [button('postgres', 'Postgres'), button('other', 'Other…')];
  const channel = await client.channels.fetch('200000000000000001');
  await channel.send({ content: 'Which database?', components: rows(...buttons) })
    .catch(({ message }) => console.log(`refused: ${message}`));
  await client.application.commands.set([{
    name: BROKEN === 'command' ? 'Ask Me' : 'ask', description: 'Ask the bot',
    options: [{ name: 'question', description: 'What to ask', type: 3, required: true }],
  }]).catch(({ message }) => console.log(`refused: ${message}`));
  console.log('ready');
});
await client.login(DISCORD_BOT_TOKEN);
