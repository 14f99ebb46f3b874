// A test of a bot: a person presses its button and reads its reply.

import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import type { AddressInfo } from "node:net";
import { after, afterEach, test } from "node:test";
import { startMocks } from "@askbridge/sdk/mocks";

// The bot. Yours would be a separate program that reads its tokens from mocks.env.
const bot = createServer(async (request, response) => {
  const payload = JSON.parse(new URLSearchParams(await text(request)).get("payload")!);
  response.end();
  await post(payload.response_url, { text: `Deployed by ${payload.user.name}`, replace_original: true });
});
await once(bot.listen(0, "127.0.0.1"), "listening");
const address = `http://127.0.0.1:${(bot.address() as AddressInfo).port}/`;

const mocks = await startMocks({ flags: ["--slack-request-url", address] });
after(() => mocks.close());
after(() => bot.close());
afterEach(() => mocks.reset());

test("the button deploys", async () => {
  await post(`${mocks.env["SLACK_API_URL"]}chat.postMessage`, {
    channel: "C0000001", text: "Deploy?",
    blocks: [{ type: "actions", elements: [{ type: "button", action_id: "yes", text: { type: "plain_text", text: "Yes" } }] }],
  });
  const dana = mocks.person("slack", "Dana");
  await dana.press("Yes");
  await dana.sees("Deployed by dana");
  await mocks.verify();
});

async function post(url: string, body: object): Promise<void> {
  const headers = { Authorization: `Bearer ${mocks.env["SLACK_BOT_TOKEN"]}`, "Content-Type": "application/json; charset=utf-8" };
  await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}
