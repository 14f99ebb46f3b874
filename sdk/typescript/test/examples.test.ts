import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { test } from "node:test";
import { promisify } from "node:util";
import { choice, place, presses, start, until } from "./harness.js";

const harness = await start();

/** Runs an example with the command of its first line, and returns its output. */
async function runExample(name: string): Promise<string> {
  const env = { ...process.env, ASKBRIDGE_URL: harness.url, ASKBRIDGE_TOKEN: harness.token, OPENAI_AGENTS_DISABLE_TRACING: "1" };
  const { stdout } = await promisify(execFile)(process.execPath, [`build/examples/${name}.js`], { env });
  return stdout;
}

test("the first program", async () => {
  const output = runExample("first");
  await harness.play(`dana presses "SQLite" under "Which database?"`);
  assert.equal(await output, "Which database?\nSQLite\n");
});

test("the Vercel AI SDK example", async () => {
  const output = runExample("ai-sdk");
  await harness.play(`dana presses "Postgres" under "for the AI SDK"`);
  assert.equal(await output, "The tool returned: Which database for the AI SDK?\nPostgres\n");
});

test("the OpenAI Agents example", async () => {
  const output = runExample("openai-agents");
  await harness.play(`dana presses "4.2" under "Which version?"`, `dana sees "\\"version\\": \\"4.2\\""`, `dana presses "Allow" under "use deploy?"`);
  assert.match(await output, /deployed 4\.2/);
});

test("the LangGraph example", async () => {
  const output = runExample("langgraph");
  await harness.play(`dana presses "4.3" under "Which version goes out?"`, `dana presses "Answer…" under "the release note say?"`);
  await harness.play(`dana fills "Faster" under "What should the release note say?"`, "dana submits");
  assert.equal(await output, "4.3: Faster\n");
});

test("the webhook example", async () => {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), ASKBRIDGE_WEBHOOK_SECRET: harness.secret };
  const receiver = execFile(process.execPath, ["build/examples/webhook.js"], { env });
  try {
    let output = "";
    receiver.stdout?.on("data", (text: string) => (output += text));
    await until("the server listens", () => fetch(`http://127.0.0.1:${port}`, { method: "POST" }).then((reply) => reply.status === 401, () => false));
    const question = choice();
    const made = await harness.client().submit({ to: place(), questions: [question], webhook: `http://127.0.0.1:${port}/` });
    await harness.play(presses("Postgres", question));
    await until("the webhook is received", () => output !== "");
    assert.equal(output, `${made.id} ${question.question}\nPostgres\n`);
  } finally {
    receiver.kill();
  }
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await until("the server listens", () => server.listening);
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
