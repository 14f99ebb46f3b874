import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import { test } from "node:test";
import { SignatureError, verifyWebhook } from "@askbridge/sdk";
import { Webhook } from "standardwebhooks";
import { choice, place, presses, start, until } from "./harness.js";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const event = JSON.stringify({ type: "request.answered", timestamp: "2026-03-15T12:00:00Z", data: { id: "r1", state: "answered" } });

/** Returns headers with a signature of the reference library. */
function signed(body = event, at = new Date(), by = secret) {
  const stamp = String(Math.floor(at.getTime() / 1000));
  return { "webhook-id": "msg_1", "webhook-timestamp": stamp, "webhook-signature": new Webhook(by).sign("msg_1", at, body) };
}

test("the bridge signs the webhook of an ended request", async () => {
  const harness = await start();
  const calls: { headers: IncomingMessage["headers"]; body: string }[] = [];
  const server = createServer(async (request, reply) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    calls.push({ headers: request.headers, body });
    reply.writeHead(204).end();
  }).listen(0, "127.0.0.1");
  await until("the server listens", () => server.listening);
  const { port } = server.address() as { port: number };
  const question = choice();
  const made = await harness.client().submit({ to: place(), questions: [question], webhook: `http://127.0.0.1:${port}/answers` });
  await harness.play(presses("Postgres", question));
  await until("the webhook is called", () => calls.length > 0);
  server.close();
  const [{ headers, body }] = calls as [(typeof calls)[0]];
  const event = await verifyWebhook(body, headers, harness.secret);
  assert.equal(event.type, "request.answered");
  assert.equal(event.data.id, made.id);
  assert.equal(event.data.state === "answered" && event.data.answers[0]?.selected[0], "Postgres");
  await assert.rejects(verifyWebhook(body.replace("Postgres", "SQLite"), headers, harness.secret), SignatureError);
});

test("a signature of the reference library is valid, for text, bytes and both kinds of headers", async () => {
  assert.equal((await verifyWebhook(event, signed(), secret)).data.id, "r1");
  assert.equal((await verifyWebhook(new TextEncoder().encode(event), new Headers(signed()), secret)).data.id, "r1");
});

test("both secrets are valid during rotation", async () => {
  const next = "whsec_" + Buffer.alloc(32, 7).toString("base64");
  assert.equal((await verifyWebhook(event, signed(event, new Date(), next), [secret, next])).data.id, "r1");
});

for (const [what, call] of Object.entries<() => [string, Record<string, string>, string?]>({
  "a changed body": () => [event + " ", signed()],
  "a changed ID": () => [event, { ...signed(), "webhook-id": "msg_2" }],
  "a changed timestamp": () => [event, { ...signed(), "webhook-timestamp": String(Math.floor(Date.now() / 1000) - 1) }],
  "a timestamp ten minutes ago": () => [event, signed(event, new Date(Date.now() - 600_000))],
  "a timestamp in the future": () => [event, signed(event, new Date(Date.now() + 600_000))],
  "a malformed timestamp": () => [event, { ...signed(), "webhook-timestamp": "soon" }],
  "an empty signature": () => [event, { ...signed(), "webhook-signature": "" }],
  "another signature version": () => [event, { ...signed(), "webhook-signature": signed()["webhook-signature"].replace("v1,", "v1a,") }],
  "a signature that is not base64": () => [event, { ...signed(), "webhook-signature": "v1,%%%" }],
  "the wrong secret": () => [event, signed(), "whsec_" + Buffer.alloc(32, 9).toString("base64")],
  "an empty secret": () => [event, signed(), ""],
  "a short secret": () => [event, signed(), "whsec_c2hvcnQ="],
})) {
  test(`rejected: ${what}`, async () => {
    const [body, headers, by = secret] = call();
    await assert.rejects(verifyWebhook(body, headers, by), SignatureError);
  });
}
