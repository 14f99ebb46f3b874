// A whole askbridge with a mock Slack and a mock Discord, as a process of its own (test/sdkbridge).

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { Askbridge, type ClientOptions } from "@askbridge/sdk";

export type Harness = {
  readonly url: string;
  readonly token: string;
  readonly reader: string;
  readonly secret: string;
  /** A client of the bridge. */
  client(options?: ClientOptions): Askbridge;
  /** Lets people act, as in: dana presses "Postgres" under "Which database?" */
  play(...steps: string[]): Promise<void>;
  /** Breaks the next calls of a kind. */
  fault(method: string, path: string, how: string, times?: number): Promise<void>;
  /** Restarts the bridge on its file. */
  restart(): Promise<void>;
  /** Counts the cards that hold a text. */
  cards(text: string): Promise<number>;
};

/** Starts a harness that ends with the tests of the file. */
export async function start(): Promise<Harness> {
  const program = process.env["SDKBRIDGE"];
  if (!program) throw new Error("SDKBRIDGE is not set; run the tests with make sdk-ts");
  const bridge = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await Promise.race([
    once(createInterface(bridge.stdout), "line"),
    once(bridge, "exit").then(([code]) => Promise.reject(new Error(`${program} ended with ${code}`))),
  ])) as [string];
  const { url, token, reader, secret, control } = JSON.parse(line) as Record<string, string>;
  const tell = async (path: string, body?: string) => {
    const reply = await fetch(control + path, body === undefined ? {} : { method: "POST", body });
    const text = await reply.text();
    if (!reply.ok) throw new Error(text);
    return text;
  };
  after(async () => {
    const broken = await tell("/violations");
    bridge.stdin.end();
    const [code] = (await once(bridge, "exit")) as [number];
    if (broken || code !== 0) throw new Error(`the bridge ended with ${code}; broken rules: ${broken}`);
  });
  return {
    url: url!, token: token!, reader: reader!, secret: secret!,
    client: (options = {}) => new Askbridge({ url: url!, token: token!, ...options }),
    play: async (...steps) => void (await tell("/play", steps.join("\n"))),
    fault: async (method, path, how, times = 1) => void (await tell("/fault", JSON.stringify({ method, path, how, times }))),
    restart: async () => void (await tell("/restart", "")),
    cards: async (text) => (JSON.parse(await tell(`/cards?text=${encodeURIComponent(text)}`)) as { count: number }).count,
  };
}

let places = 0;

/** A channel of the test's own: each takes one card a second. */
export function place(): { platform: string; channel: string }[] {
  places = (places % 60) + 1;
  return [{ platform: "slack", channel: `C${String(places + 1).padStart(7, "0")}` }];
}

let questions = 0;

/** A question that no other test asks. */
export function choice(): { question: string; options: string[] } {
  return { question: `Which database for preview ${++questions}?`, options: ["Postgres", "SQLite"] };
}

/** What a person does to answer it. */
export function presses(label: string, { question }: { question: string }): string {
  return `dana presses ${JSON.stringify(label)} under ${JSON.stringify(question)}`;
}

/** Waits for something that is to become true. */
export async function until(what: string, ok: () => boolean | Promise<boolean>): Promise<void> {
  for (let n = 0; n < 1000; n++) {
    if (await ok()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${what} did not come true`);
}
