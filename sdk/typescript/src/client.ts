import { type Call, parse, pause, type Reply, send, type Settings } from "./call.js";
import { AskbridgeError, ConnectionError, WaitTimeoutError } from "./errors.js";
import { follow } from "./stream.js";
import { type AskRequest, type EndedRequest, hasEnded, type NewRequest, type Page, type Place, type RequestEvent, type State } from "./types.js";

export type ClientOptions = {
  /** Where the bridge is; ASKBRIDGE_URL, or http://127.0.0.1:8080, unless set. */
  readonly url?: string;
  /** The agent's token; ASKBRIDGE_TOKEN unless set. A bridge without agents needs none. */
  readonly token?: string;
  /** What makes the calls, in place of the global fetch. */
  readonly fetch?: typeof globalThis.fetch;
  /** How many seconds one call of a wait lasts; 25 unless set, which proxies and laptops that sleep can bear. */
  readonly poll?: number;
  /** How often a call other than a wait is tried; 5 unless set. */
  readonly tries?: number;
};

export type CallOptions = {
  /** Ends the call. A question that was asked stays in front of people; cancel withdraws it. */
  readonly signal?: AbortSignal | undefined;
};

export type WaitOptions = CallOptions & {
  /** Is told how the request stands, at once and after every change: delivered, queued, ended. */
  readonly onProgress?: ((request: AskRequest) => void) | undefined;
};

export type StreamOptions = CallOptions & {
  /** The id of the last event seen, to go on behind it. */
  readonly lastEventId?: string | undefined;
};

export type ListQuery = CallOptions & {
  /** A state, or "ended" for all but open; open unless set. */
  readonly state?: State | "ended";
  /** Only requests whose webhook stands so. */
  readonly webhook?: "due" | "taken" | "dead";
  /** Of requests that have ended, only those that ended then or later, such as 2026-11-24T09:30:00Z. */
  readonly since?: string;
  /** The most requests of one page. */
  readonly limit?: number;
  /** The next of the page before. */
  readonly cursor?: string;
};

/** One call of an agent host's question tool. */
export type ToolCall = {
  /** The host's form, such as "claude" or "langgraph"; docs/reference/hosts.md lists them. */
  readonly dialect: string;
  /** The tool input: JSON text, which is handed in byte for byte, or the object or list that a framework has made of it. */
  readonly input: string | object;
  /** Where and of whom is asked, and how long; what is not set is left to the bridge. */
  readonly to?: readonly Place[];
  readonly route?: string;
  readonly responders?: readonly string[];
  /** Who is told; an empty list tells nobody. */
  readonly notify?: readonly string[];
  readonly expires_in?: string;
  /**
   * The ids of the call and of the agent run, where the input does not hold them. The same call made again finds the same
   * request; without both, here or there, each call asks anew.
   */
  readonly tool_call_id?: string;
  readonly session?: string;
  /** What people see above the questions. */
  readonly context?: string;
  /** The name shown where tokens are not used, and what the card is in, such as "de". */
  readonly agent?: string;
  readonly language?: NewRequest["language"];
  /** How many people decide, whether messages answer, how long it can be undone and what happens meanwhile, as in a request. */
  readonly policy?: NewRequest["policy"];
  readonly replies?: NewRequest["replies"];
  readonly schedule?: NewRequest["schedule"];
  readonly hold?: string;
  /** Where the agent works, as in a request. */
  readonly source?: NewRequest["source"];
  /** The conversation in which the agent works. */
  readonly origin?: NewRequest["origin"];
  readonly risk?: NewRequest["risk"];
  /** Finds an open request with the same content, and with within one that was answered no longer ago. */
  readonly same?: "session" | "agent" | "off";
  readonly within?: string;
  /** How the call differs from what its host documents, such as "partial"; docs/reference/hosts.md lists them. */
  readonly variants?: readonly string[];
};

/** What goes back to an agent host. */
export type ToolResult = {
  /** The tool result, byte for byte. */
  readonly body: string;
  /** How the request stands, or "refused" when the input was not accepted and nobody was asked. */
  readonly state: State | "refused";
  /** Whether the model or its host will see an error. */
  readonly isError: boolean;
  /** Whether the host should end the agent's turn. */
  readonly stopTurn: boolean;
  /** The request; undefined when nobody was asked. */
  readonly requestId: string | undefined;
};

/** A client of one bridge. It holds no connection, so there is nothing to close. */
export class Askbridge {
  readonly #settings: Settings;
  readonly #poll: number;

  constructor(options: ClientOptions = {}) {
    const url = (options.url || environment("ASKBRIDGE_URL") || "http://127.0.0.1:8080").trim();
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new AskbridgeError(`askbridge: ${JSON.stringify(url)} is not an address such as http://127.0.0.1:8080`);
    if (parsed.username || parsed.password || parsed.search || parsed.hash) throw new AskbridgeError("askbridge: the address must not hold credentials or parameters");
    const token = (options.token ?? environment("ASKBRIDGE_TOKEN"))?.trim(); // Out of a file it often ends with a line break.
    if (token && !/^[\x20-\x7e]+$/.test(token)) throw new AskbridgeError("askbridge: the token holds characters that no token has, such as a line break; copy it again");
    this.#poll = options.poll ?? 25;
    this.#settings = {
      url: url.replace(/\/+$/, ""),
      token,
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      tries: options.tries ?? 5,
    };
  }

  /**
   * Asks people and waits until the request has ended, for as long as that takes: through lost connections and restarts
   * of the bridge, and asking once. Look at its state: only an answered request has answers.
   */
  async ask(request: NewRequest, options: WaitOptions = {}): Promise<EndedRequest> {
    const body = keyed(request);
    const key = body.idempotency_key ? `idempotency_key ${JSON.stringify(body.idempotency_key)}` : "the same tool_call_id and session";
    const made = await timely(this.submit(body, options), options.signal, undefined, key);
    if (hasEnded(made)) {
      options.onProgress?.(made);
      return made;
    }
    return this.wait(made.id, options);
  }

  /**
   * Asks people and returns at once. A request without an idempotency_key or a tool_call_id gets a random key, so that it
   * cannot be asked twice when a reply is lost.
   */
  async submit(request: NewRequest, options: CallOptions = {}): Promise<AskRequest> {
    return parse(await this.#send({ method: "POST", path: "/v1/requests", body: JSON.stringify(keyed(request)), signal: options.signal }));
  }

  /** Returns how a request stands. */
  async get(id: string, options: CallOptions = {}): Promise<AskRequest> {
    return parse(await this.#send({ method: "GET", path: path(id), signal: options.signal }));
  }

  /**
   * Waits until a request has ended. Only the signal, or an answer that will not change such as 404, ends it early.
   * @throws WaitTimeoutError when the signal is an AbortSignal.timeout that has ended: the question is still open.
   */
  wait(id: string, options: WaitOptions = {}): Promise<EndedRequest> {
    return timely(this.#wait(id, options), options.signal, id);
  }

  async #wait(id: string, options: WaitOptions): Promise<EndedRequest> {
    if (!options.onProgress) {
      const query = this.#waiting();
      const call = { method: "GET", path: path(id), query, wait: this.#poll, signal: options.signal } as const;
      return this.#until(call, (reply) => {
        const request = parse<AskRequest>(reply);
        if (hasEnded(request)) return request;
        const last = request.asked_back?.at(-1); // What people ask the agent ends a call, once.
        if (last) query.set("heard", String(last.number));
        return undefined;
      });
    }
    for await (const { request } of this.stream(id, options)) {
      options.onProgress(request);
      if (hasEnded(request) && !request.receipt) return request;
    }
    // There is nothing new behind what was told before; or with receipts it is read, since whoever follows events has not taken it.
    return this.#wait(id, { signal: options.signal });
  }

  /** Follows a request to its end, one event for each change. It goes on by itself where a connection broke off. */
  stream(id: string, options: StreamOptions = {}): AsyncGenerator<RequestEvent> {
    return follow(this.#settings, { method: "GET", path: `${path(id)}/events`, signal: options.signal }, options.lastEventId, true);
  }

  /** Follows all requests, for ever. Without a lastEventId it begins with every open one. */
  streamAll(options: StreamOptions = {}): AsyncGenerator<RequestEvent> {
    return follow(this.#settings, { method: "GET", path: "/v1/events", signal: options.signal }, options.lastEventId, false);
  }

  /** Withdraws a request; the reason is shown to people. One that has ended is returned as it is. */
  async cancel(id: string, reason = "", options: CallOptions = {}): Promise<EndedRequest> {
    return parse(await this.#send({ method: "POST", path: `${path(id)}/cancel`, body: JSON.stringify({ reason }), signal: options.signal }));
  }

  /** Returns one page of requests. */
  async list(query: ListQuery = {}): Promise<Page> {
    const parameters = new URLSearchParams();
    for (const name of ["state", "webhook", "since", "limit", "cursor"] as const) {
      if (query[name] !== undefined) parameters.set(name, String(query[name]));
    }
    return parse(await this.#send({ method: "GET", path: "/v1/requests", query: parameters, signal: query.signal }));
  }

  /** Calls the webhook of an ended request again, if it was given up. */
  async replay(id: string, options: CallOptions = {}): Promise<AskRequest> {
    return parse(await this.#send({ method: "POST", path: `${path(id)}/replay`, signal: options.signal }));
  }

  /**
   * Hands the input of an agent host's question tool in and waits for that tool's result, byte for byte. An input that is
   * neither JSON text nor what JSON can hold is an AskbridgeError, and nobody is asked.
   */
  async askTool(tool: ToolCall, options: CallOptions = {}): Promise<ToolResult> {
    const body = toolInput(tool.input);
    const query = new URLSearchParams();
    for (const { platform, installation, channel, thread, user } of tool.to ?? []) {
      const where = `${platform}${installation ? `@${installation}` : ""}`;
      query.append("to", `${where}:${user ? `@${user}` : channel}${thread ? `/${thread}` : ""}`);
    }
    // A list that is empty is not one that was left out: what nobody may answer the bridge refuses.
    for (const one of tool.responders?.length === 0 ? [""] : (tool.responders ?? [])) query.append("responders", one);
    for (const one of tool.notify?.length === 0 ? ["nobody"] : (tool.notify ?? [])) query.append("notify", one);
    for (const one of tool.variants ?? []) query.append("variant", one);
    for (const name of ["route", "expires_in", "tool_call_id", "session", "context", "agent", "language", "hold", "risk", "same", "within"] as const) {
      if (tool[name]) query.set(name, tool[name]);
    }
    for (const name of ["policy", "replies", "schedule", "source", "origin"] as const) {
      if (tool[name]) query.set(name, JSON.stringify(tool[name]));
    }
    const named = tool.tool_call_id || (tool.same && tool.same !== "off");
    // The bridge reads the input, and knows whether it names the call.
    const headers: Record<string, string> = named ? {} : { "Idempotency-Key": crypto.randomUUID(), "Askbridge-Key": "fallback" };
    const asked = await this.#send({ method: "POST", path: `/v1/ask/${encodeURIComponent(tool.dialect)}`, query, headers, body, signal: options.signal });
    const first = toolResult(asked);
    if (first.state !== "open" || !first.requestId) return first;
    const again = `${path(first.requestId)}/as/${encodeURIComponent(tool.dialect)}`;
    const waiting = this.#waiting();
    for (const one of tool.variants ?? []) waiting.append("variant", one);
    const call = { method: "POST", path: again, query: waiting, body, wait: this.#poll, signal: options.signal } as const;
    const ended = this.#until(call, (reply) => {
      const result = toolResult(reply);
      return result.state === "open" ? undefined : result;
    });
    return timely(ended, options.signal, first.requestId);
  }

  #send(call: Call): Promise<Reply> {
    return send(this.#settings, call);
  }

  #waiting(): URLSearchParams {
    return new URLSearchParams({ wait: `${this.#poll}s` });
  }

  /** Repeats a call that waits until it brings something. A bridge that answers at once must not be hammered. */
  async #until<T>(call: Call, brings: (reply: Reply) => T | undefined): Promise<T> {
    for (;;) {
      const began = Date.now();
      const got = brings(await this.#send(call));
      if (got !== undefined) return got;
      if (Date.now() - began < 1000) await pause(1, call.signal);
    }
  }
}

/** Gives a request a key, so that it cannot be asked twice when a reply is lost. */
function keyed(request: NewRequest): NewRequest {
  return request.idempotency_key || request.tool_call_id ? request : { ...request, idempotency_key: crypto.randomUUID() };
}

/** Makes a WaitTimeoutError of the error of a signal whose time is over. */
async function timely<T>(wait: Promise<T>, signal: AbortSignal | undefined, id: string | undefined, key?: string): Promise<T> {
  try {
    return await wait;
  } catch (error) {
    if (signal?.aborted && error === signal.reason && (error as Error)?.name === "TimeoutError") throw new WaitTimeoutError(error, id, key);
    throw error;
  }
}

function path(id: string): string {
  if (!id) throw new AskbridgeError("askbridge: the id of the request is empty");
  return `/v1/requests/${encodeURIComponent(id)}`;
}

function toolInput(input: unknown): string {
  if (typeof input === "string") return input;
  const kind = Object.prototype.toString.call(input).slice("[object ".length, -1); // Also where another realm has made it.
  if (kind !== "Object" && kind !== "Array") throw new AskbridgeError(`askbridge: the input of a tool call must be JSON text, an object or a list, not ${kind}`);
  try {
    return JSON.stringify(input);
  } catch (error) {
    throw new AskbridgeError(`askbridge: the input of a tool call cannot be written as JSON: ${(error as Error).message}`, { cause: error });
  }
}

function toolResult({ headers, text }: Reply): ToolResult {
  const state = headers.get("Askbridge-State") as ToolResult["state"] | null;
  if (!state) throw new ConnectionError("askbridge: the reply is not what a bridge says");
  return {
    body: text,
    state,
    isError: headers.get("Askbridge-Is-Error") === "true",
    stopTurn: headers.get("Askbridge-Stop-Turn") === "true",
    requestId: headers.get("Askbridge-Request-Id") ?? undefined,
  };
}

function environment(name: string): string | undefined {
  return globalThis.process?.env?.[name] || undefined;
}
