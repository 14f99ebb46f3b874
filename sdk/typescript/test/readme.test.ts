import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import ts from "typescript";

/** What a reader's own program has around what the README shows, and the packages that it is for. */
const around = `
import { Askbridge, verifyWebhook } from "@askbridge/sdk";
import { isInterrupted } from "@langchain/langgraph";
import { Agent, run, type Tool } from "@openai/agents";
import { generateText, type LanguageModel, stepCountIs } from "ai";
declare const bridge: Askbridge, to: { platform: string; channel: string }[], responders: string[];
declare const model: LanguageModel, prompt: string, deploy: Tool, input: object, config: object;
declare const graph: { invoke(input: unknown, config: object): Promise<object> };
declare const rawBody: Buffer, request: Request;
declare function resume(...told: unknown[]): void;
export {};
`;

test("what the README shows compiles as it stands", () => {
  const [first, ...others] = [...readFileSync("README.md", "utf8").matchAll(/```ts\n(.*?)```/gs)].map(([, text]) => text!);
  const shown = new Map([first!, ...others.map((text) => around + text)].map((text, n) => [resolve(`test/readme${n}.ts`), text]));
  const { config } = ts.readConfigFile("tsconfig.base.json", (path) => ts.sys.readFile(path));
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ".");
  const own = { noEmit: true, noUnusedLocals: false, noUnusedParameters: false };
  const host = ts.createCompilerHost({ ...options, ...own });
  const { readFile, fileExists } = host;
  host.readFile = (path) => shown.get(resolve(path)) ?? readFile(path);
  host.fileExists = (path) => shown.has(resolve(path)) || fileExists(path);
  const wrong = ts.getPreEmitDiagnostics(ts.createProgram([...shown.keys()], { ...options, ...own }, host));
  assert.equal(ts.formatDiagnostics(wrong, { ...host, getNewLine: () => "\n" }), "");
});
