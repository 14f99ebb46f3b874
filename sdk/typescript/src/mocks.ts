// Strict mocks of Slack and Discord for tests of bots (docs/mocks.md).

import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

export type MockPlatform = "slack" | "discord";

export type MocksOptions = {
  /** The path of the askbridge program. Default: the variable ASKBRIDGE, or "askbridge" on the PATH. */
  readonly program?: string;
  /** Further flags of `askbridge sim --mocks`, such as `["--slack-events-url", "http://127.0.0.1:3000/slack/events"]`. */
  readonly flags?: readonly string[];
};

/** An action of a person, with the fields of `POST /api/act` of the control API. */
export type MockAction = {
  readonly do: "press" | "pick" | "pick all" | "fill" | "attach" | "vote" | "submit" | "dismiss" | "dismiss all" | "say" | "open home" | "command";
  readonly channel?: string;
  readonly message?: string;
  readonly control?: string;
  readonly under?: readonly string[];
  readonly option?: string;
  readonly options?: readonly string[];
  readonly fields?: Readonly<Record<string, string>>;
  readonly text?: string;
};

/** A fault to inject, with the fields of `POST /api/faults` of the control API. */
export type MockFault = {
  readonly platform: MockPlatform;
  readonly fault: "rate" | "error" | "lost" | "slow" | "hang" | "refuse" | "twice" | "drop" | "deaf" | "sockets";
  readonly target?: string;
  readonly times?: number;
  readonly seconds?: number;
  readonly status?: number;
  readonly word?: string;
};

/**
 * Starts the mocks as a child process on free ports. Call `close` at the end, in `after` of node:test or `afterAll` of Vitest.
 *
 * @throws Error if the program is missing or does not start.
 */
export async function startMocks(options: MocksOptions = {}): Promise<Mocks> {
  const program = options.program ?? process.env["ASKBRIDGE"] ?? "askbridge";
  const freePort = "127.0.0.1:0";
  const child = spawn(program, ["sim", "--mocks", "--addr", freePort, "--slack-addr", freePort, "--discord-addr", freePort, ...(options.flags ?? [])], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = () => child.kill();
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  const url = await new Promise<string>((resolve, reject) => {
    child.once("error", (error) => reject(new Error(`${program} does not start: ${error.message}`)));
    child.once("exit", (code) => reject(new Error(`${program} exited with ${code}`)));
    createInterface(child.stdout!).on("line", (line) => line.startsWith("MOCKS_URL=") && resolve(line.slice("MOCKS_URL=".length)));
  });
  const { variables } = (await call(url, "GET", "connect")) as { variables: Record<string, string> };
  return new Mocks(url, variables, child);
}

/** Running mocks; `startMocks` starts them. */
export class Mocks {
  /** @internal */
  constructor(
    /** The address of the page, and of the control API under `/api/`. */
    readonly url: string,
    /** The environment variables of a bot: `SLACK_API_URL`, `SLACK_BOT_TOKEN`, `DISCORD_API_URL` and so on. */
    readonly env: Readonly<Record<string, string>>,
    private readonly child: ChildProcess,
  ) {}

  /** Returns a person on a platform, by display name or ID. Dana, Sam and Kim exist from the start. */
  person(platform: MockPlatform, name: string): MockPerson {
    return new MockPerson(this.url, platform, name);
  }

  /** Injects a fault into the next call. */
  async fault(fault: MockFault): Promise<void> {
    await call(this.url, "POST", "faults", fault);
  }

  /** Moves the clocks of both platforms forward by a duration such as "31m". */
  async advance(duration: string): Promise<void> {
    await call(this.url, "POST", "clock", { advance: duration });
  }

  /**
   * Checks that the bot has broken no rule of a platform.
   *
   * @throws Error with each broken rule.
   */
  async verify(): Promise<void> {
    await call(this.url, "POST", "verify");
  }

  /** Resets everything to its initial state, for the next test. */
  async reset(): Promise<void> {
    await call(this.url, "POST", "reset");
  }

  /** Stops the process. */
  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((done) => this.child.once("exit", done));
    this.child.kill();
    await ended;
  }
}

/** A person on one platform. */
export class MockPerson {
  /** @internal */
  constructor(private readonly url: string, readonly platform: MockPlatform, readonly name: string) {}

  /**
   * Presses the button with a label as soon as the person sees it.
   *
   * @throws Error if the button does not appear within ten seconds, or the bot does not acknowledge the press in time.
   */
  async press(control: string, where: Pick<MockAction, "channel" | "message" | "under"> = {}): Promise<void> {
    await this.sees(control, where.channel === undefined ? {} : { channel: where.channel });
    await this.act({ do: "press", control, ...where });
  }

  /** Fills in the fields of the open form, which are named by their labels, and submits it. */
  async submit(fields: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.act({ do: "submit", fields });
  }

  /** Posts a message in a channel, or without one in the direct messages with the bot. */
  async say(text: string, channel?: string): Promise<void> {
    await this.act({ do: "say", text, ...(channel === undefined ? {} : { channel }) });
  }

  /**
   * Performs any other action.
   *
   * @throws Error if the action fails.
   */
  async act(action: MockAction): Promise<void> {
    const { outcome, says } = (await call(this.url, "POST", "act", { platform: this.platform, person: this.name, ...action })) as Record<string, string>;
    if (outcome !== "done") throw new Error(`${this.name}: ${action.do} ${JSON.stringify(action.control ?? "")}: ${outcome}${says ? `: ${says}` : ""}`);
  }

  /**
   * Waits until the person sees a text, and returns everything that the person sees: the open form, or else the messages.
   *
   * @throws Error with everything that the person sees, if the text does not appear within `wait` (default: "10s").
   */
  async sees(text: string, options: { readonly channel?: string; readonly wait?: string } = {}): Promise<string> {
    const query = new URLSearchParams({ platform: this.platform, person: this.name, text, wait: options.wait ?? "10s" });
    if (options.channel !== undefined) query.set("channel", options.channel);
    const { met, sees } = (await call(this.url, "GET", `sees?${query}`)) as { met: boolean; sees: string };
    if (!met) throw new Error(`${this.name} does not see ${JSON.stringify(text)}, but:\n${sees}`);
    return sees;
  }
}

async function call(url: string, method: string, path: string, body?: object): Promise<unknown> {
  const reply = await fetch(`${url}/api/${path}`, {
    method,
    headers: { "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} /api/${path.split("?")[0]}: ${reply.status}: ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}
