// Starts a complete bridge with mocks of Slack and Discord in its own process (test/sdkbridge).

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
  /** Returns a client of the bridge. */
  client(options?: ClientOptions): Askbridge;
  /** Runs steps of people, such as: dana presses "Postgres" under "Which database?" */
  play(...steps: string[]): Promise<void>;
  /** Injects a fault into the next calls to a path. */
  fault(method: string, path: string, how: string, times?: number): Promise<void>;
  /** Restarts the bridge; its requests are kept. */
  restart(): Promise<void>;
  /** Returns the number of cards that contain a text. */
  cards(text: string): Promise<number>;
};

/** Starts a harness and stops it after the tests of the file. */
export async function start(): Promise<Harness> {
  const program = process.env["SDKBRIDGE"];
  if (!program) throw new Error("SDKBRIDGE is not set; run the tests with make sdk-ts");
  const bridge = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await Promise.race([
    once(createInterface(bridge.stdout), "line"),
    once(bridge, "exit").then(([code]) => Promise.reject(new Error(`${program} exited with ${code}`))),
  ])) as [string];
  const { url, token, reader, secret, control: address } = JSON.parse(line) as Record<string, string>;
  const control = async (path: string, body?: string) => {
    const reply = await fetch(address + path, body === undefined ? {} : { method: "POST", body });
    const text = await reply.text();
    if (!reply.ok) throw new Error(text);
    return text;
  };
  after(async () => {
    const violations = await control("/violations");
    bridge.stdin.end();
    const [code] = (await once(bridge, "exit")) as [number];
    if (violations || code !== 0) throw new Error(`the bridge exited with ${code}; platform rules violated: ${violations}`);
  });
  return {
    url: url!, token: token!, reader: reader!, secret: secret!,
    client: (options = {}) => new Askbridge({ url: url!, token: token!, ...options }),
    play: async (...steps) => void (await control("/play", steps.join("\n"))),
    fault: async (method, path, how, times = 1) => void (await control("/fault", JSON.stringify({ method, path, how, times }))),
    restart: async () => void (await control("/restart", "")),
    cards: async (text) => (JSON.parse(await control(`/cards?text=${encodeURIComponent(text)}`)) as { count: number }).count,
  };
}

let places = 0;

/** Returns the next of 60 channels, because a channel accepts only one card per second. */
export function place(): { platform: string; channel: string }[] {
  places = (places % 60) + 1;
  return [{ platform: "slack", channel: `C${String(places + 1).padStart(7, "0")}` }];
}

let questions = 0;

/** Returns a question that no other test asks. */
export function choice(): { question: string; options: string[] } {
  return { question: `Which database for preview ${++questions}?`, options: ["Postgres", "SQLite"] };
}

/** Returns the step in which Dana answers the question. */
export function presses(label: string, { question }: { question: string }): string {
  return `dana presses ${JSON.stringify(label)} under ${JSON.stringify(question)}`;
}

/** Waits until a condition is true. `what` names it in the error. */
export async function until(what: string, ok: () => boolean | Promise<boolean>): Promise<void> {
  for (let n = 0; n < 1000; n++) {
    if (await ok()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`timed out waiting for: ${what}`);
}
