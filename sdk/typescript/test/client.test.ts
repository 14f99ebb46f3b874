import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import {
  Askbridge,
  AskbridgeError,
  type AskRequest,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  UnavailableError,
  WaitTimeoutError,
} from "@askbridge/sdk";
import { choice, place, presses, start, until } from "./harness.js";

const harness = await start();
const bridge = harness.client();

async function all<T>(from: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const one of from) list.push(one);
  return list;
}

test("a pressed button becomes the answer", async () => {
  const question = choice();
  const asked = bridge.ask({ to: place(), questions: [question], context: "Deploying 4.2" });
  await harness.play(presses("SQLite", question));
  const request = await asked;
  assert.equal(request.state, "answered");
  assert.equal(request.text, `${question.question}\nSQLite`);
  assert.deepEqual(request.answers[0]?.selected, ["SQLite"]);
  assert.equal(request.by?.id, "U0000001");
});

test("typed text from Discord becomes the answer", async () => {
  const discord = [{ platform: "discord", channel: "200000000000000001" }];
  const asked = bridge.ask({ to: discord, questions: [{ question: "What should the release note say?" }] });
  await harness.play("on discord", `dana presses "Answer…"`, `dana fills "Faster" under "What should the release note say?"`, "dana submits");
  const request = await asked;
  assert.equal(request.state, "answered");
  assert.equal(request.answers[0]?.other, "Faster");
  assert.deepEqual(request.answers[0]?.selected, []);
});

test("a cancelled request has no answers", async () => {
  const question = choice();
  const made = await bridge.submit({ to: place(), questions: [question] });
  assert.equal(made.state, "open");
  const [ended, waited] = await Promise.all([bridge.cancel(made.id, "the docs say so"), bridge.wait(made.id)]);
  assert.equal(ended.state, "cancelled");
  assert.equal(ended.reason, "the docs say so");
  assert.equal("answers" in waited, false);
  assert.deepEqual(await bridge.cancel(made.id, "another reason"), ended);
});

for (const how of ["lost request", "lost reply", "cut", "503", "429"]) {
  test(`people are asked only once despite: ${how}`, async () => {
    const question = choice();
    await harness.fault("POST", "/v1/requests", how);
    const made = await bridge.submit({ to: place(), questions: [question] });
    assert.equal(await harness.cards(question.question), 1);
    await harness.fault("GET", `/v1/requests/${made.id}`, how, 2);
    const ended = bridge.wait(made.id);
    await harness.play(presses("Postgres", question));
    assert.equal((await ended).state, "answered");
  });
}

test("a repeated tool call of another client finds the same request", async () => {
  const question = choice();
  const request = { to: place(), questions: [question], tool_call_id: "toolu_01", session: "run-7" };
  const first = await bridge.submit(request);
  const again = await harness.client().submit(request);
  assert.equal(again.id, first.id);
  assert.equal(await harness.cards(question.question), 1);
  await assert.rejects(bridge.submit({ ...request, questions: [choice()] }), (error: ConflictError) => {
    assert.ok(error instanceof ConflictError);
    return error.requestId === first.id;
  });
});

test("onProgress reports the posted card, then the end", async () => {
  const question = choice();
  const seen: AskRequest[] = [];
  const asked = bridge.ask({ to: place(), questions: [question] }, { onProgress: (request) => seen.push(request) });
  await until("the card is posted", () => seen.some((request) => request.delivery[0]?.state === "posted"));
  assert.equal(seen[0]?.state, "open");
  await harness.play(presses("Postgres", question));
  assert.equal((await asked).state, "answered");
  assert.equal(seen.at(-1)?.state, "answered");
});

test("a wait with onProgress acknowledges the answer", async () => {
  const question = choice();
  const seen: AskRequest[] = [];
  const { id } = await bridge.submit({ to: place(), questions: [question], receipts: true });
  const waited = bridge.wait(id, { onProgress: (request) => seen.push(request) });
  await until("the first event", () => seen.length > 0);
  await harness.play(presses("SQLite", question));
  assert.deepEqual([(await waited).state, seen.at(-1)?.state], ["answered", "answered"]);
  const reader = harness.client({ token: harness.reader });
  await until("the answer is acknowledged", async () => (await reader.get(id)).receipt?.taken_at !== undefined);
});

test("a wait and a stream survive a restart of the bridge", async () => {
  const question = choice();
  const made = await bridge.submit({ to: place(), questions: [question] });
  const waited = bridge.wait(made.id);
  const states: string[] = [];
  const streamed = (async () => {
    for await (const event of bridge.stream(made.id)) states.push(event.request.state);
  })();
  await until("the first event", () => states.length > 0);
  await harness.restart();
  await harness.play(presses("SQLite", question));
  assert.equal((await waited).state, "answered");
  await streamed;
  assert.equal(states.at(-1), "answered");
  assert.equal(new Set(states).size, states.length, `duplicate event: ${states}`);
});

test("a stream resumes after the last event, and ends after the final one", async () => {
  const question = choice();
  const made = await bridge.submit({ to: place(), questions: [question] });
  await harness.play(presses("Postgres", question));
  const events = await all(bridge.stream(made.id));
  assert.equal(events.at(-1)!.request.state, "answered");
  await until("the stream has no more events", async () => {
    const more = await all(bridge.stream(made.id, { lastEventId: events.at(-1)!.id })); // The update of the card after the answer is an event too.
    events.push(...more);
    return more.length === 0;
  });
  assert.equal(new Set(events.map((event) => event.id)).size, events.length);
});

test("streamAll yields events of every request", async () => {
  const question = choice();
  const made = await bridge.submit({ to: place(), questions: [question] });
  for await (const event of bridge.streamAll()) {
    if (event.request.id === made.id) break;
  }
});

test("an aborted wait leaves the request open", async () => {
  const question = choice();
  const made = await bridge.submit({ to: place(), questions: [question] });
  for (const onProgress of [undefined, () => {}]) {
    const stop = new AbortController();
    const waited = bridge.wait(made.id, { signal: stop.signal, onProgress });
    stop.abort(new Error("the user went home"));
    await assert.rejects(waited, /the user went home/);
  }
  assert.equal((await bridge.get(made.id)).state, "open");
});

test("WaitTimeoutError explains how to get the answer later", async () => {
  const question = choice();
  const { id } = await bridge.submit({ to: place(), questions: [question] });
  for (const onProgress of [undefined, () => {}]) {
    await assert.rejects(bridge.wait(id, { signal: AbortSignal.timeout(50), onProgress }), (error: WaitTimeoutError) => {
      assert.ok(error instanceof WaitTimeoutError);
      assert.equal(error.requestId, id);
      assert.equal(error.name, "TimeoutError");
      assert.equal(error.message, `askbridge: the wait has timed out, but the question is still open as request ${id}: wait("${id}") gets its answer, and cancel withdraws it`);
      return true;
    });
  }
  await harness.play(presses("SQLite", question));
  assert.equal((await bridge.wait(id)).state, "answered");

  const silent = harness.client({ fetch: (_, init) => new Promise((_, reject) => init!.signal!.addEventListener("abort", () => reject(init!.signal!.reason))) });
  const request = { to: place(), questions: [question], idempotency_key: "k1" };
  await assert.rejects(silent.ask(request, { signal: AbortSignal.timeout(50) }), /people may have been asked: call ask again with idempotency_key "k1" to get the answer/);
});

test("a question to the agent causes no extra polls", async () => {
  const question = choice();
  const made = await bridge.submit({ to: place(), questions: [question], ask_back: "stay" });
  const calls: string[] = [];
  const counted = harness.client({ fetch: (input, init) => (calls.push(String(input)), fetch(input, init)) });
  const waited = counted.wait(made.id);
  await harness.play('dana presses "More…"', 'dana presses "Ask the agent…"', 'dana fills "Since when?"', "dana submits");
  await until("the question is read", () => calls.some((call) => call.includes("heard=1")));
  await harness.play(presses("Postgres", question));
  assert.equal((await waited).state, "answered");
  assert.ok(calls.length <= 3, `${calls}`);
});

test("list returns all requests page by page", async () => {
  const made = await Promise.all([1, 2, 3].map(() => bridge.submit({ to: place(), questions: [choice()] })));
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await bridge.list({ limit: 2, ...(cursor ? { cursor } : {}) });
    found.push(...page.requests.map((request) => request.id));
    cursor = page.next;
  } while (cursor);
  for (const { id } of made) assert.ok(found.includes(id));
  assert.equal(new Set(found).size, found.length);
});

test("askTool returns the host's tool result byte for byte", async () => {
  const { question } = choice();
  const input = JSON.stringify({ questions: [{ question, header: "DB", options: [{ label: "Postgres", description: "a" }, { label: "SQLite", description: "b" }] }] });
  await harness.fault("POST", "/v1/ask/spring-tool", "lost reply");
  const asked = bridge.askTool({ dialect: "spring-tool", input, to: place() });
  await harness.play(presses("SQLite", { question }));
  const result = await asked;
  assert.equal(result.body, `User has answered your questions: {${JSON.stringify(question)}:"SQLite"}`);
  assert.equal(result.state, "answered");
  assert.equal(await harness.cards(question), 1);
  const refused = await bridge.askTool({ dialect: "spring-tool", input: "{}", to: place() });
  assert.equal(refused.state, "refused");
  assert.equal(refused.requestId, undefined);
});

test("askTool accepts a parsed input", async () => {
  const { question } = choice();
  const options = ["Postgres", "SQLite"].map((label) => ({ label, description: label }));
  const parsed = { questions: [{ question, header: "DB", options }] };
  const asked = bridge.askTool({ dialect: "claude", input: parsed, to: place() });
  await harness.play(presses("SQLite", { question }));
  assert.deepEqual(JSON.parse((await asked).body).updatedInput, { ...parsed, answers: { [question]: "SQLite" } });
});

test("askTool rejects an input that is not JSON", async () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const cases = [
    [undefined, /must be JSON text, an object or an array, not Undefined/],
    [null, /not Null/],
    [7, /not Number/],
    [Promise.resolve("{}"), /not Promise/],
    [new Map([["questions", []]]), /not Map/],
    [Buffer.from("{}"), /not Uint8Array/],
    [cycle, /cannot be written as JSON: .*circular/],
    [{ n: 1n }, /cannot be written as JSON: .*BigInt/],
  ] as const;
  for (const [input, message] of cases) {
    const asked = bridge.askTool({ dialect: "claude", input: input as object }, { signal: AbortSignal.timeout(5000) });
    await assert.rejects(asked, (error: Error) => error instanceof AskbridgeError && message.test(error.message));
  }
});

test("askTool finds the earlier request by the call ID in the input", async () => {
  const { question } = choice();
  const options = ["Postgres", "SQLite"].map((label) => ({ label, description: label }));
  const hook = { hook_event_name: "PreToolUse", session_id: question, tool_use_id: "toolu_1", tool_name: "AskUserQuestion" };
  const input = JSON.stringify({ ...hook, tool_input: { questions: [{ question, header: "DB", options }] } });
  const call = { dialect: "claude", input, to: place() };
  const asked = bridge.askTool(call);
  await harness.play(presses("SQLite", { question }));
  const { requestId } = await asked;
  assert.equal((await bridge.askTool(call)).requestId, requestId);
});

test("empty responders are rejected", async () => {
  const { question } = choice();
  const options = ["Postgres", "SQLite"].map((label) => ({ label, description: label }));
  const input = JSON.stringify({ questions: [{ question, header: "DB", options }] });
  const signal = AbortSignal.timeout(5000);
  await assert.rejects(bridge.ask({ to: place(), responders: [], questions: [{ question }] }, { signal }), InvalidRequestError);
  await assert.rejects(bridge.askTool({ dialect: "spring-tool", input, to: place(), responders: [] }, { signal }), InvalidRequestError);
  assert.equal(await harness.cards(question), 0);
});

test("each kind of error has its own class and explains the problem", async () => {
  const to = place();
  await assert.rejects(bridge.submit({ to, questions: [{ question: "", options: ["one"] }] }), (error: InvalidRequestError) => {
    assert.ok(error instanceof InvalidRequestError);
    assert.deepEqual(error.errors.map((e) => e.path), ["questions[0].question", "questions[0].options"]);
    assert.match(error.message, /^422 Unprocessable Entity: .*questions\[0\]\.question: /);
    return true;
  });
  await assert.rejects(bridge.get("nothing"), NotFoundError);
  await assert.rejects(bridge.get(""), /the id of the request is empty/);
  await assert.rejects(harness.client({ token: "wrong" }).list(), AuthenticationError);
  await assert.rejects(harness.client({ token: harness.reader }).submit({ to, questions: [choice()] }), PermissionError);
  await harness.fault("GET", "/v1/requests", "503", 2);
  await assert.rejects(harness.client({ tries: 2 }).list(), UnavailableError);
  await assert.rejects(new Askbridge({ url: "http://127.0.0.1:1", tries: 1 }).list(), ConnectionError);
  assert.throws(() => new Askbridge({ url: "localhost:8080" }), AskbridgeError);
  assert.throws(() => new Askbridge({ url: "http://me:secret@localhost" }), (error: Error) => !error.message.includes("secret"));
});

test("a reply of another program is recognized", async () => {
  const page = new Askbridge({ url: "http://127.0.0.1:7332", fetch: async () => new Response("404 page not found", { status: 404 }) });
  await assert.rejects(page.submit({ questions: [choice()] }), /^NotFoundError: 404: the reply is not from a bridge, .* another program at this address$/);
});

test("a line break after the token is removed, and an invalid token is not in the error", async () => {
  await harness.client({ token: `${harness.token}\n` }).list();
  for (const token of ["sec\nret", "secr\u00e9t", "se\u2026ret"]) {
    const hidesToken = (error: Error) => error instanceof AskbridgeError && /the token contains invalid characters/.test(error.message) && !error.message.includes("ret");
    await assert.rejects(async () => harness.client({ token, tries: 1 }).list(), hidesToken);
  }
});

test("the client follows no redirect with its token", async () => {
  const seen: string[] = [];
  const server = createServer((request, reply) => {
    seen.push(request.url!);
    reply.writeHead(307, { Location: "/elsewhere" }).end();
  }).listen(0, "127.0.0.1");
  await until("the server listens", () => server.listening);
  const { port } = server.address() as { port: number };
  await assert.rejects(new Askbridge({ url: `http://127.0.0.1:${port}`, token: "secret" }).get("x"), /307/);
  assert.deepEqual(seen, ["/v1/requests/x"]);
  server.close();
});

test("a Retry-After of many years causes no busy loop", async (t) => {
  const timers = t.mock.method(globalThis, "setTimeout").mock;
  const closed = async () => new Response("", { status: 503, headers: { "Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT" } });
  const stop = new AbortController();
  const waited = new Askbridge({ url: "http://127.0.0.1:1", fetch: closed }).wait("x", { signal: stop.signal });
  const pauses = () => timers.calls.map((call) => Number(call.arguments[1])).filter((pause) => pause > 60_000);
  await until("the client pauses", () => pauses().length > 0);
  assert.ok(Math.max(...pauses()) < 2 ** 31, "a longer timer fires immediately");
  stop.abort();
  await assert.rejects(waited, { name: "AbortError" });
});
