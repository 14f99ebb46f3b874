import assert from "node:assert/strict";
import { test } from "node:test";
import { Askbridge, AskbridgeError, InvalidRequestError } from "@askbridge/sdk";
import { askUser, type Asking } from "@askbridge/sdk/ai";
import { answer, UnansweredError } from "@askbridge/sdk/langgraph";
import { approve, askUser as askUserOfOpenAI } from "@askbridge/sdk/openai-agents";
import { Annotation, END, interrupt, isInterrupted, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { Agent, type AgentOutputItem, run, RunContext, setTracingDisabled, tool, Usage } from "@openai/agents";
import { choice, place, presses, start, until } from "./harness.js";

setTracingDisabled(true);
const harness = await start();
const bridge = harness.client();
const anyone = ["anyone"];

/** Calls the tool in the same way as the AI SDK. */
function aiTool(set: unknown, toolCallId: string, signal?: AbortSignal) {
  const { execute } = askUser(bridge, { to: place() });
  return execute!(set as never, { toolCallId, messages: [], ...(signal ? { abortSignal: signal } : {}) }) as Promise<string>;
}

test("an invalid question set returns its problems to the model and asks no one", async () => {
  const result = await aiTool({ questions: [{ question: "Only one?", options: ["this"] }] }, "call_bad");
  assert.match(result, /^Nobody was asked\. Correct this and call ask_user again: .*questions\[0\]\.options/);
  assert.equal(await harness.cards("Only one?"), 0);
});

test("the model reads why there is no answer", async () => {
  const question = choice();
  const result = aiTool({ questions: [question] }, "call_dismissed");
  await until("the card is posted", async () => (await harness.cards(question.question)) === 1);
  const { requests } = await bridge.list();
  await bridge.cancel(requests.find((request) => request.questions[0]?.question === question.question)!.id);
  assert.equal(await result, "The questions were withdrawn before anyone answered. Do not assume an answer.");
});

const tools = {
  "the AI SDK": (asking: Asking) => {
    const { execute } = askUser(bridge, asking);
    return (set: unknown, toolCallId: string) => execute!(set as never, { toolCallId, messages: [] }) as Promise<string>;
  },
  "the OpenAI Agents SDK": (asking: Asking) => {
    const { invoke } = askUserOfOpenAI(bridge, asking);
    return (set: unknown, callId: string) => invoke(new RunContext(), JSON.stringify(set), { toolCall: { callId } as never });
  },
};

for (const [sdk, make] of Object.entries(tools)) {
  test(`a repeated call ID without a session asks again, with ${sdk}`, async () => {
    const question = choice();
    const ask = make({ to: place() });
    for (const label of ["Postgres", "SQLite"]) {
      const result = ask({ questions: [question] }, "functions.ask_user:0");
      await harness.play(presses(label, question));
      assert.equal(await result, `${question.question}\n${label}`);
    }
  });

  test(`a repeated call in the same session finds its request, with ${sdk}`, async () => {
    const question = choice();
    const asking = { to: place(), session: `of ${question.question}` };
    const [one, two] = [make(asking), make(asking)].map((ask) => ask({ questions: [question] }, "call_again"));
    await harness.play(presses("Postgres", question));
    assert.deepEqual([await one, await two], Array(2).fill(`${question.question}\nPostgres`));
    assert.equal(await harness.cards(question.question), 1);
  });
}

test("aborting a run of the AI SDK ends the wait", async () => {
  const stop = new AbortController();
  const result = aiTool({ questions: [choice()] }, "call_stopped", stop.signal);
  stop.abort(new Error("stopped"));
  await assert.rejects(result, /stopped/);
});

/** Returns an agent whose model makes all calls at the same time, and then repeats their results. */
function agentThat(...calls: { name: string; arguments: string; callId: string }[]) {
  const done: string[] = [];
  const remove = tool({
    name: "remove",
    description: "Removes a file",
    parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false },
    needsApproval: true,
    execute: (input) => (done.push((input as { path: string }).path), "removed"),
  });
  const model = {
    async getResponse({ input }: { input: unknown }) {
      const results = (Array.isArray(input) ? input : []).filter((item) => item.type === "function_call_result").map((item) => item.output.text ?? item.output);
      const output: AgentOutputItem[] = results.length
        ? [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: results.join("\n") }] }]
        : calls.map((call) => ({ type: "function_call", status: "completed", ...call }));
      return { usage: new Usage(), output };
    },
    getStreamedResponse(): never {
      throw new Error("this script does not stream");
    },
  };
  return { agent: new Agent({ name: calls[0]!.callId, model, tools: [remove, askUserOfOpenAI(bridge, { to: place() })] }), done };
}

test("each tool call gets its own approval", async () => {
  const { agent, done } = agentThat(
    { name: "remove", arguments: '{"path":"/tmp/a"}', callId: "call_a" },
    { name: "remove", arguments: '{"path":"/tmp/b"}', callId: "call_b" },
  );
  const first = await run(agent, "Clean up.");
  assert.equal(first.interruptions.length, 2);
  const decided = approve(bridge, first, { to: place(), responders: anyone });
  await harness.play(`dana presses "Allow" under "/tmp/a"`, `dana presses "Deny" under "/tmp/b"`);
  const result = await run(agent, await decided);
  assert.deepEqual(done, ["/tmp/a"]);
  assert.match(String(result.finalOutput), /removed/);
  assert.match(String(result.finalOutput), /did not allow this/);
});

test("approve requires responders", async () => {
  const { agent, done } = agentThat({ name: "remove", arguments: '{"path":"/tmp/who"}', callId: "call_who" });
  const first = await run(agent, "Clean up.");
  for (const asking of [undefined, { to: place() }, { to: place(), responders: [] }]) {
    await assert.rejects(approve(bridge, first, asking as never), (error) => error instanceof AskbridgeError && /set responders to the people who may approve/.test(error.message));
  }
  assert.equal(await harness.cards("Allow call_who"), 0);
  assert.deepEqual(done, []);
});

test("a typed text rejects the call, and the model reads it", async () => {
  const { agent, done } = agentThat({ name: "remove", arguments: '{"path":"/tmp/c"}', callId: "call_c" });
  const first = await run(agent, "Clean up.");
  const decided = approve(bridge, first, { to: place(), responders: anyone });
  await harness.play(`dana presses "Other…" under "/tmp/c"`, `dana fills "only after the backup" under "Allow call_c to use remove?"`, "dana submits");
  const result = await run(agent, await decided);
  assert.deepEqual(done, []);
  assert.match(String(result.finalOutput), /did not allow this, and wrote: only after the backup/);
});

test("an expired request rejects the call", async () => {
  const { agent, done } = agentThat({ name: "remove", arguments: '{"path":"/tmp/d"}', callId: "call_d" });
  const first = await run(agent, "Clean up.");
  const result = await run(agent, await approve(bridge, first, { to: place(), responders: anyone, expires_in: "1s" }));
  assert.deepEqual(done, []);
  assert.match(String(result.finalOutput), /This was not allowed\. Nobody answered in time/);
});

test("the model reads that a vote ended without a decision", async () => {
  const expired = { id: "a", state: "expired", votes: [{ at: "2026-11-26T09:30:00Z", by: { platform: "slack", id: "U0000001", name: "Dana" } }] };
  const { execute } = askUser(new Askbridge({ url: "http://bridge", fetch: async () => new Response(JSON.stringify(expired)) }));
  const result = await execute!({ questions: [{ question: "Deploy?" }] }, { toolCallId: "call_votes", messages: [] });
  assert.equal(result, "People voted and did not come to a decision in time, and the questions are closed. Do not assume an answer.");
});

test("an input over 512 KiB is rejected and asks no one", async () => {
  const { agent, done } = agentThat({ name: "remove", arguments: JSON.stringify({ path: "/tmp/".padEnd(600_000, "x") }), callId: "call_long" });
  const first = await run(agent, "Clean up.");
  await assert.rejects(approve(bridge, first, { to: place(), responders: anyone }), InvalidRequestError);
  assert.equal(await harness.cards("Allow call_long"), 0);
  assert.deepEqual(done, []);
});

test("a long input is uploaded below the card, with invisible characters escaped", async () => {
  const path = "/tmp/\u202e".padEnd(5_000, "x");
  const { agent, done } = agentThat({ name: "remove", arguments: JSON.stringify({ path }), callId: "call_file" });
  const first = await run(agent, "Clean up.");
  const decided = approve(bridge, first, { to: place(), responders: anyone });
  await until("the card is posted", async () => (await harness.cards("/tmp/\\u202exxx")) === 1);
  await until("the file is uploaded", async () => (await harness.cards("input.txt")) > 0);
  await harness.play(`dana presses "Allow" under "Allow call_file to use remove?"`);
  await run(agent, await decided);
  assert.deepEqual(done, [path]);
});

test("the card escapes invisible characters", async () => {
  const path = "/tmp/\u2764\ufe0f/a\u{e0141}b\u3164c\u00a0d\ufe0f";
  const { agent, done } = agentThat({ name: "remove", arguments: JSON.stringify({ path }), callId: "call_unseen" });
  const first = await run(agent, "Clean up.");
  const decided = approve(bridge, first, { to: place(), responders: anyone });
  await until("the card is posted", async () => (await harness.cards("Allow call_unseen")) === 1);
  assert.equal(await harness.cards("/tmp/\u2764\ufe0f/a\\udb40\\udd41b\\u3164c\\u00a0d\\ufe0f"), 1);
  await harness.play(`dana presses "Allow" under "Allow call_unseen to use remove?"`);
  await run(agent, await decided);
  assert.deepEqual(done, [path]);
});

test("the card escapes right-to-left text that would move operators", async () => {
  for (const [id, path, seen] of [
    ["call_turned", "\u05d0 /* \u05d1", "\\u05d0 /* \\u05d1"],
    ["call_mirrored", "cat \u05d0 > \u05d1", "cat \\u05d0 > \\u05d1"],
    ["call_prose", "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd", "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd"],
    ["call_path", "/tmp/\u05d0/\u05d1", "/tmp/\u05d0/\u05d1"],
  ] as const) {
    const { agent, done } = agentThat({ name: "remove", arguments: JSON.stringify({ path }), callId: id });
    const decided = approve(bridge, await run(agent, "Clean up."), { to: place(), responders: anyone });
    await until("the card is posted", async () => (await harness.cards(`Allow ${id}`)) === 1);
    assert.equal(await harness.cards(seen), 1, id);
    await harness.play(`dana presses "Allow" under "Allow ${id} to use remove?"`);
    await run(agent, await decided);
    assert.deepEqual(done, [path]);
  }
});

test("a repeated approval after an aborted one asks no one twice", async () => {
  const { agent, done } = agentThat({ name: "remove", arguments: '{"path":"/tmp/e"}', callId: "call_e" });
  const first = await run(agent, "Clean up.");
  const to = place();
  const stop = new AbortController();
  const aborted = approve(bridge, first, { to, responders: anyone }, stop.signal);
  await until("the card is posted", async () => (await harness.cards("/tmp/e")) === 1);
  stop.abort(new Error("offline"));
  await assert.rejects(aborted, /offline/);
  await harness.play(`dana presses "Allow" under "/tmp/e"`);
  await run(agent, await approve(bridge, first, { to, responders: anyone }));
  assert.deepEqual(done, ["/tmp/e"]);
  assert.equal(await harness.cards("Allow call_e to use remove?"), 1);
});

test("the OpenAI Agents tool returns the answer to the model", async () => {
  const question = choice();
  const { agent } = agentThat({ name: "ask_user", arguments: JSON.stringify({ questions: [question] }), callId: "call_ask" });
  const running = run(agent, "Ask.");
  await harness.play(presses("SQLite", question));
  assert.equal((await running).finalOutput, `${question.question}\nSQLite`);
});

/** Runs a graph with parallel nodes, each of which interrupts with one of the values. */
async function interrupted(...values: unknown[]) {
  const State = Annotation.Root({ got: Annotation<unknown[]>({ reducer: (a, b) => a.concat(b), default: () => [] }) });
  let graph: any = new StateGraph(State);
  values.forEach((value, n) => {
    graph = graph.addNode(`n${n}`, () => ({ got: [[n, interrupt(value)]] })).addEdge(START, `n${n}`).addEdge(`n${n}`, END);
  });
  graph = graph.compile({ checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: "t" } };
  const state = await graph.invoke({}, config);
  assert.ok(isInterrupted(state));
  const resume = async (command: unknown) => (await graph.invoke(command, config)).got.sort();
  return { state, resume };
}

test("parallel interrupts each get their own answer", async () => {
  const [one, two] = [choice(), choice()];
  const { state, resume } = await interrupted({ questions: [one] }, { questions: [two] });
  const command = answer(bridge, state, { to: place() });
  await harness.play(presses("SQLite", two), presses("Postgres", one));
  const got = (await resume(await command)) as [number, { answers: { selected: string[] }[] }][];
  assert.deepEqual(got.map(([n, ended]) => [n, ended.answers[0]?.selected[0]]), [[0, "Postgres"], [1, "SQLite"]]);
});

test("Agent Inbox's HumanInterrupt gets a HumanResponse", async () => {
  const human = (description: string) => [{
    action_request: { action: "send_email", args: { to: "kim@example.com" } },
    config: { allow_accept: true, allow_ignore: true, allow_respond: true, allow_edit: false },
    description,
  }];
  const { state, resume } = await interrupted(human("Send the mail to Kim?"));
  const command = answer(bridge, state, { to: place(), responders: ["anyone"] });
  await harness.play(`dana presses "Ignore" under "Send the mail to Kim?"`);
  const got = (await resume(await command)) as [number, { type: string }[]][];
  assert.equal(got[0]?.[1][0]?.type, "ignore");
});

test("the program's settings apply to every kind of interrupt, and the model's do not", async () => {
  const settings = { responders: ["slack:U0000001", "slack:U0000002"], policy: { mode: "quorum", need: 2 }, notify: [], agent: "mailer", language: "de" } as const;
  const model = { responders: ["anyone"], policy: { need: 1 }, notify: ["slack:U0000003"], agent: "root", language: "es", route: "elsewhere" };
  const human = (description: string) => ({ action_request: { action: "send_email", args: {} }, config: { allow_accept: true, allow_ignore: true }, description, ...model });
  const named = choice().question;
  const values = [named, { questions: [{ question: named }], ...model }, human(named)];
  for (const value of values) {
    const { state } = await interrupted(value);
    const stop = new AbortController();
    const pending = answer(bridge, state, { to: place(), ...settings, session: crypto.randomUUID() }, stop.signal);
    pending.catch(() => undefined);
    const found = () => bridge.list({ limit: 200 }).then(({ requests }) => requests.find((request) => request.questions[0]?.question.includes(named)));
    await until("the card is posted", async () => (await found()) !== undefined);
    const asked = (await found())!;
    assert.deepEqual([asked.responders, asked.policy?.need, asked.delivery[0]?.notified ?? []], [settings.responders, 2, []]);
    stop.abort();
    await bridge.cancel(asked.id);
  }
});

test("the model cannot choose who may answer", async () => {
  const question = choice();
  const result = aiTool({ questions: [{ ...question, responders: ["anyone"] }], responders: ["slack:U0000009"], policy: { need: 2 } }, "call_responders");
  await harness.play(presses("SQLite", question));
  assert.equal(await result, `${question.question}\nSQLite`);
});

/** Returns the interrupt value of LangChain's humanInTheLoopMiddleware (langchain 1.5.14). */
function review(...paths: string[]) {
  return {
    actionRequests: paths.map((path) => ({ name: "remove", args: { path }, description: `Tool: remove\nArgs: ${path}` })),
    reviewConfigs: paths.map(() => ({ actionName: "remove", allowedDecisions: ["approve", "edit", "reject"] })),
  };
}

test("each tool call of LangChain's middleware gets its own decision", async () => {
  const { state, resume } = await interrupted(review("/tmp/held/a", "/tmp/held/b", "/tmp/held/c"));
  const command = answer(bridge, state, { to: place(), responders: anyone });
  await harness.play(`dana presses "Allow" under "/tmp/held/a"`, `dana presses "Deny" under "/tmp/held/b"`);
  await harness.play(`dana presses "Other…" under "/tmp/held/c"`, `dana fills "after the backup" under "Allow the agent to use remove?"`, "dana submits");
  const [[, got]] = await resume(await command);
  assert.deepEqual(got.decisions.map((one: { type: string }) => one.type), ["approve", "reject", "reject"]);
  assert.match(got.decisions[1].message, /^dana did not allow this\.$/i);
  assert.match(got.decisions[2].message, /^dana did not allow this, and wrote: after the backup$/i);
});

test("LangChain's middleware gets a rejection without an answer, and an error without responders or reject", async () => {
  const { state, resume } = await interrupted(review("/tmp/held/d"));
  const [[, got]] = await resume(await answer(bridge, state, { to: place(), responders: anyone, expires_in: "1s" }));
  assert.equal(got.decisions[0].type, "reject");
  assert.match(got.decisions[0].message, /This was not allowed\. Nobody answered in time/);
  await assert.rejects(answer(bridge, (await interrupted(review("/tmp/held/e"))).state, { to: place() }), /set responders to the people who may approve/);
  const edited = { ...review("/tmp/held/f"), reviewConfigs: [{ actionName: "remove", allowedDecisions: ["approve", "edit"] }] };
  await assert.rejects(answer(bridge, (await interrupted(edited)).state, { to: place(), responders: anyone }), /remove: allowedDecisions needs approve and reject/);
  assert.equal(await harness.cards("/tmp/held/e"), 0);
  assert.equal(await harness.cards("/tmp/held/f"), 0);
});

test("an unanswered interrupt is asked again", async () => {
  const { state, resume } = await interrupted("What is the budget for next year?");
  const to = place();
  await assert.rejects(answer(bridge, state, { to, expires_in: "1s" }), UnansweredError);
  const command = answer(bridge, state, { to });
  await until("the second card is posted", async () => (await harness.cards("next year?")) === 2);
  await harness.play(`dana presses "Answer…" under "next year?"`, `dana fills "100" under "next year?"`, "dana submits");
  assert.deepEqual(await resume(await command), [[0, "100"]]);
});

test("a graph stays interrupted without an answer, or if the bridge rejects the interrupt", async () => {
  const { state } = await interrupted("What is the budget?");
  await assert.rejects(answer(bridge, state, { to: place(), expires_in: "1s" }), UnansweredError);
  await assert.rejects(answer(bridge, (await interrupted({ odd: true })).state, { to: place() }), /the bridge rejects the interrupt/);
});
