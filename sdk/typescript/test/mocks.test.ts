import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { startMocks } from "@askbridge/sdk/mocks";

const mocks = await startMocks();
after(() => mocks.close());
afterEach(() => mocks.reset());

/** Posts a message with a button as a bot. */
async function post(text: string, label = "Yes"): Promise<{ ok: boolean; error?: string }> {
  const reply = await fetch(`${mocks.env["SLACK_API_URL"]}chat.postMessage`, {
    method: "POST",
    headers: { Authorization: `Bearer ${mocks.env["SLACK_BOT_TOKEN"]}`, "Content-Type": "application/json; charset=utf-8" },
    body: JSON.stringify({
      channel: "C0000001", text,
      blocks: [{ type: "actions", elements: [{ type: "button", action_id: "yes", text: { type: "plain_text", text: label } }] }],
    }),
  });
  return (await reply.json()) as { ok: boolean; error?: string };
}

test("a person sees what the bot posts", async () => {
  assert.deepEqual((await post("Deploy?")).ok, true);
  assert.match(await mocks.person("slack", "Dana").sees("Yes"), /Yes/);
  await mocks.verify();
});

test("press fails if the bot does not acknowledge it", async () => {
  await post("Deploy?");
  await assert.rejects(mocks.person("slack", "Dana").press("Yes"), /Dana: press "Yes": (unacknowledged|failed)/);
});

test("verify names the broken rule", async () => {
  await fetch(`${mocks.env["SLACK_API_URL"]}no.such.method`, { method: "POST" });
  await assert.rejects(mocks.verify(), /409: [^]*no\.such\.method/);
});

test("sees reports what the person sees instead", async () => {
  await post("Deploy?", "Ship it");
  await assert.rejects(mocks.person("slack", "Sam").sees("Nope", { wait: "10ms" }), /Sam does not see "Nope", but:\n[^]*Ship it/);
});

test("a fault affects the next call, and reset removes messages", async () => {
  await mocks.fault({ platform: "slack", fault: "refuse", word: "is_archived", target: "chat.postMessage" });
  assert.equal((await post("Deploy?")).error, "is_archived");
  await post("Deploy?", "Later");
  await mocks.advance("31m");
  await mocks.reset();
  await assert.rejects(mocks.person("slack", "Dana").sees("Later", { wait: "10ms" }), /does not see/);
});

test("startMocks names a missing program", async () => {
  await assert.rejects(startMocks({ program: "/no/such/askbridge" }), /\/no\/such\/askbridge does not start/);
});
