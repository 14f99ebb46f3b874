import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import ts from "typescript";

/** The imports and declarations that the snippets of the README need. */
const preamble = `
import { Askbridge, verifyWebhook } from "@askbridge/sdk";
import { isInterrupted } from "@langchain/langgraph";
import { Agent, run, type Tool } from "@openai/agents";
import { generateText, type LanguageModel, stepCountIs } from "ai";
declare const bridge: Askbridge, to: { platform: string; channel: string }[], responders: string[];
declare const model: LanguageModel, prompt: string, deploy: Tool, input: object, config: object;
declare const graph: { invoke(input: unknown, config: object): Promise<object> };
declare const rawBody: Buffer, request: Request;
declare function resume(...args: unknown[]): void;
export {};
`;

test("the snippets of the README compile", () => {
  const [first, ...others] = [...readFileSync("README.md", "utf8").matchAll(/```ts\n(.*?)```/gs)].map(([, text]) => text!);
  const snippets = new Map([first!, ...others.map((text) => preamble + text)].map((text, n) => [resolve(`test/readme${n}.ts`), text]));
  const { config } = ts.readConfigFile("tsconfig.base.json", (path) => ts.sys.readFile(path));
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ".");
  const overrides = { noEmit: true, noUnusedLocals: false, noUnusedParameters: false };
  const host = ts.createCompilerHost({ ...options, ...overrides });
  const { readFile, fileExists } = host;
  host.readFile = (path) => snippets.get(resolve(path)) ?? readFile(path);
  host.fileExists = (path) => snippets.has(resolve(path)) || fileExists(path);
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([...snippets.keys()], { ...options, ...overrides }, host));
  assert.equal(ts.formatDiagnostics(diagnostics, { ...host, getNewLine: () => "\n" }), "");
});
