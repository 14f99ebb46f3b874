import { type Call, parse, pause, type Reply, send, type Settings } from "./call.js";
import { AskbridgeError, ConnectionError, WaitTimeoutError } from "./errors.js";
import { follow } from "./stream.js";
import { type AskRequest, type EndedRequest, hasEnded, type NewRequest, type Page, type Place, type RequestEvent, type State } from "./types.js";

export type ClientOptions = {
  /** The address of the bridge. Default: ASKBRIDGE_URL, or http://127.0.0.1:8080. */
  readonly url?: string;
  /** The agent's token. Default: ASKBRIDGE_TOKEN. A bridge without configured agents needs none. */
  readonly token?: string;
  /** The function that makes the HTTP calls. Default: the global fetch. */
  readonly fetch?: typeof globalThis.fetch;
  /** The duration of one long-polling call in seconds. Default: 25, short enough for most proxies. */
  readonly poll?: number;
  /** The maximum number of tries of a call; waits are retried without limit. Default: 5. */
  readonly tries?: number;
};

export type CallOptions = {
  /** Aborts the call. A request that was already submitted stays open; `cancel` withdraws it. */
  readonly signal?: AbortSignal | undefined;
};

export type WaitOptions = CallOptions & {
  /** Called with the request at once and after every change, such as when its card is posted or queued, or when it ends. */
  readonly onProgress?: ((request: AskRequest) => void) | undefined;
};

export type StreamOptions = CallOptions & {
  /** The ID of the last event that you received; the stream resumes after it. */
  readonly lastEventId?: string | undefined;
};

export type ListQuery = CallOptions & {
  /** A state, or "ended" for every state except open. Default: open. */
  readonly state?: State | "ended";
  /** Only requests whose webhook is in this state. */
  readonly webhook?: "due" | "taken" | "dead";
  /** Only ended requests that ended at this time or later, such as 2026-11-24T09:30:00Z. */
  readonly since?: string;
  /** The maximum number of requests per page. */
  readonly limit?: number;
  /** `next` of the previous page. */
  readonly cursor?: string;
};

/** One call of an agent host's question tool. */
export type ToolCall = {
  /** The format of the host, such as "claude" or "langgraph"; docs/reference/hosts.md lists them. */
  readonly dialect: string;
  /** The tool input: JSON text, which is sent unchanged, or the object or array that a framework parsed from it. */
  readonly input: string | object;
  /** Where to ask, who may answer, and for how long. Omitted settings use the defaults of the bridge. */
  readonly to?: readonly Place[];
  readonly route?: string;
  readonly responders?: readonly string[];
  /** Who is notified. An empty list notifies no one. */
  readonly notify?: readonly string[];
  readonly expires_in?: string;
  /**
   * The IDs of the call and of the agent run, if the input does not contain them. A repeated call with the same IDs finds the same
   * request; without IDs each call asks again.
   */
  readonly tool_call_id?: string;
  readonly session?: string;
  /** The text above the questions. */
  readonly context?: string;
  /** The agent's name on the card if the bridge uses no tokens, and the language of the card, such as "de". */
  readonly agent?: string;
  readonly language?: NewRequest["language"];
  /** How many people decide, which chat messages count as answers, the escalation, and how long the answer can be undone, as in a request. */
  readonly policy?: NewRequest["policy"];
  readonly replies?: NewRequest["replies"];
  readonly schedule?: NewRequest["schedule"];
  readonly hold?: string;
  /** Where the agent works, as in a request. */
  readonly source?: NewRequest["source"];
  /** The conversation in which the agent works. */
  readonly origin?: NewRequest["origin"];
  readonly risk?: NewRequest["risk"];
  /** Finds an open request with the same content, and with `within` also one that was answered within that time. */
  readonly same?: "session" | "agent" | "off";
  readonly within?: string;
  /** The ways in which the call differs from the host's documented format, such as "partial"; docs/reference/hosts.md lists them. */
  readonly variants?: readonly string[];
};

/** The result to return to the agent host. */
export type ToolResult = {
  /** The tool result, byte for byte. */
  readonly body: string;
  /** The state of the request, or "refused" if the bridge did not accept the input and asked no one. */
  readonly state: State | "refused";
  /** Whether the result is an error for the model or its host. */
  readonly isError: boolean;
  /** Whether the host should end the agent's turn. */
  readonly stopTurn: boolean;
  /** The ID of the request; undefined if no one was asked. */
  readonly requestId: string | undefined;
};

/** A client of one bridge. It has no connection of its own, so there is nothing to close. */
export class Askbridge {
  readonly #settings: Settings;
  readonly #poll: number;

  /** @throws AskbridgeError if the address or the token is malformed. */
  constructor(options: ClientOptions = {}) {
    const url = (options.url || environment("ASKBRIDGE_URL") || "http://127.0.0.1:8080").trim();
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new AskbridgeError(`askbridge: ${JSON.stringify(url)} is not an address such as http://127.0.0.1:8080`);
    if (parsed.username || parsed.password || parsed.search || parsed.hash) throw new AskbridgeError("askbridge: the address must not contain credentials or parameters");
    const token = (options.token ?? environment("ASKBRIDGE_TOKEN"))?.trim(); // A token read from a file often ends with a line break.
    if (token && !/^[\x20-\x7e]+$/.test(token)) throw new AskbridgeError("askbridge: the token contains invalid characters, such as a line break; copy it again");
    this.#poll = options.poll ?? 25;
    this.#settings = {
      url: url.replace(/\/+$/, ""),
      token,
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      tries: options.tries ?? 5,
    };
  }

  /**
   * Submits a request and waits until it ends, however long that takes. The wait survives lost connections and restarts of the
   * bridge, and people are asked only once. Check the state of the result: only an `answered` request has answers.
   *
   * @throws ProblemError if the bridge rejects the request.
   * @throws WaitTimeoutError if the signal is an AbortSignal.timeout that has fired: the request may still be open.
   */
  async ask(request: NewRequest, options: WaitOptions = {}): Promise<EndedRequest> {
    const body = keyed(request);
    const key = body.idempotency_key ? `idempotency_key ${JSON.stringify(body.idempotency_key)}` : "the same tool_call_id and session";
    const submitted = await withWaitTimeout(this.submit(body, options), options.signal, undefined, key);
    if (hasEnded(submitted)) {
      options.onProgress?.(submitted);
      return submitted;
    }
    return this.wait(submitted.id, options);
  }

  /**
   * Submits a request and returns immediately, without waiting for an answer. A request without an `idempotency_key` or a `tool_call_id`
   * gets a random key, so that a retry does not ask people twice.
   *
   * @throws ProblemError if the bridge rejects the request, or ConnectionError if it is unreachable.
   */
  async submit(request: NewRequest, options: CallOptions = {}): Promise<AskRequest> {
    return parse(await this.#send({ method: "POST", path: "/v1/requests", body: JSON.stringify(keyed(request)), signal: options.signal }));
  }

  /**
   * Returns the current state of a request.
   *
   * @throws NotFoundError if there is no such request.
   */
  async get(id: string, options: CallOptions = {}): Promise<AskRequest> {
    return parse(await this.#send({ method: "GET", path: path(id), signal: options.signal }));
  }

  /**
   * Waits until a request ends. Only the signal or a permanent error such as 404 ends the wait early.
   *
   * @throws WaitTimeoutError if the signal is an AbortSignal.timeout that has fired: the request is still open.
   */
  wait(id: string, options: WaitOptions = {}): Promise<EndedRequest> {
    return withWaitTimeout(this.#wait(id, options), options.signal, id);
  }

  async #wait(id: string, options: WaitOptions): Promise<EndedRequest> {
    if (!options.onProgress) {
      const query = this.#longPoll();
      const call = { method: "GET", path: path(id), query, wait: this.#poll, signal: options.signal } as const;
      return this.#pollUntil(call, (reply) => {
        const request = parse<AskRequest>(reply);
        if (hasEnded(request)) return request;
        const last = request.asked_back?.at(-1); // The bridge ends a poll early for a question to the agent that heard does not include.
        if (last) query.set("heard", String(last.number));
        return undefined;
      });
    }
    for await (const { request } of this.stream(id, options)) {
      options.onProgress(request);
      if (hasEnded(request) && !request.receipt) return request;
    }
    // The request has ended. Read it once more, because only reading it acknowledges the answer if it uses receipts.
    return this.#wait(id, { signal: options.signal });
  }

  /** Yields an event for each change of a request until it ends. It resumes by itself after a lost connection. */
  stream(id: string, options: StreamOptions = {}): AsyncGenerator<RequestEvent> {
    return follow(this.#settings, { method: "GET", path: `${path(id)}/events`, signal: options.signal }, options.lastEventId, true);
  }

  /** Yields an event for each change of any request, without end. Without a `lastEventId` it starts with every open request. */
  streamAll(options: StreamOptions = {}): AsyncGenerator<RequestEvent> {
    return follow(this.#settings, { method: "GET", path: "/v1/events", signal: options.signal }, options.lastEventId, false);
  }

  /** Withdraws a request and returns it; the cards show the reason. A request that has already ended is returned unchanged. */
  async cancel(id: string, reason = "", options: CallOptions = {}): Promise<EndedRequest> {
    return parse(await this.#send({ method: "POST", path: `${path(id)}/cancel`, body: JSON.stringify({ reason }), signal: options.signal }));
  }

  /** Returns one page of requests; pass its `next` as `cursor` to get the following one. */
  async list(query: ListQuery = {}): Promise<Page> {
    const parameters = new URLSearchParams();
    for (const name of ["state", "webhook", "since", "limit", "cursor"] as const) {
      if (query[name] !== undefined) parameters.set(name, String(query[name]));
    }
    return parse(await this.#send({ method: "GET", path: "/v1/requests", query: parameters, signal: query.signal }));
  }

  /** Retries the webhook of an ended request after the bridge has given up on it. */
  async replay(id: string, options: CallOptions = {}): Promise<AskRequest> {
    return parse(await this.#send({ method: "POST", path: `${path(id)}/replay`, signal: options.signal }));
  }

  /**
   * Submits the input of an agent host's question tool and waits for the tool result, which the host gets byte for byte.
   *
   * @throws AskbridgeError if the input is neither JSON text nor an object or array that JSON can represent; no one is asked then.
   * @throws WaitTimeoutError if the signal is an AbortSignal.timeout that has fired: the request is still open.
   */
  async askTool(tool: ToolCall, options: CallOptions = {}): Promise<ToolResult> {
    const body = toolInput(tool.input);
    const query = new URLSearchParams();
    for (const { platform, installation, channel, thread, user } of tool.to ?? []) {
      const platformPart = `${platform}${installation ? `@${installation}` : ""}`;
      query.append("to", `${platformPart}:${user ? `@${user}` : channel}${thread ? `/${thread}` : ""}`);
    }
    // An empty list must not look like an omitted one: the bridge rejects empty responders, and notifies no one for empty notify.
    for (const entry of tool.responders?.length === 0 ? [""] : (tool.responders ?? [])) query.append("responders", entry);
    for (const entry of tool.notify?.length === 0 ? ["nobody"] : (tool.notify ?? [])) query.append("notify", entry);
    for (const variant of tool.variants ?? []) query.append("variant", variant);
    for (const name of ["route", "expires_in", "tool_call_id", "session", "context", "agent", "language", "hold", "risk", "same", "within"] as const) {
      if (tool[name]) query.set(name, tool[name]);
    }
    for (const name of ["policy", "replies", "schedule", "source", "origin"] as const) {
      if (tool[name]) query.set(name, JSON.stringify(tool[name]));
    }
    const identified = tool.tool_call_id || (tool.same && tool.same !== "off");
    // The key is a fallback: a call ID in the input takes precedence.
    const headers: Record<string, string> = identified ? {} : { "Idempotency-Key": crypto.randomUUID(), "Askbridge-Key": "fallback" };
    const reply = await this.#send({ method: "POST", path: `/v1/ask/${encodeURIComponent(tool.dialect)}`, query, headers, body, signal: options.signal });
    const first = toolResult(reply);
    if (first.state !== "open" || !first.requestId) return first;
    const resultPath = `${path(first.requestId)}/as/${encodeURIComponent(tool.dialect)}`;
    const longPoll = this.#longPoll();
    for (const variant of tool.variants ?? []) longPoll.append("variant", variant);
    const call = { method: "POST", path: resultPath, query: longPoll, body, wait: this.#poll, signal: options.signal } as const;
    const ended = this.#pollUntil(call, (reply) => {
      const result = toolResult(reply);
      return result.state === "open" ? undefined : result;
    });
    return withWaitTimeout(ended, options.signal, first.requestId);
  }

  #send(call: Call): Promise<Reply> {
    return send(this.#settings, call);
  }

  #longPoll(): URLSearchParams {
    return new URLSearchParams({ wait: `${this.#poll}s` });
  }

  /** Repeats a long-polling call until `read` returns a value. It pauses after a reply that came too early, to not flood the bridge. */
  async #pollUntil<T>(call: Call, read: (reply: Reply) => T | undefined): Promise<T> {
    for (;;) {
      const start = Date.now();
      const value = read(await this.#send(call));
      if (value !== undefined) return value;
      if (Date.now() - start < 1000) await pause(1, call.signal);
    }
  }
}

/** Returns the request with an idempotency key, so that a retry does not ask people twice. */
function keyed(request: NewRequest): NewRequest {
  return request.idempotency_key || request.tool_call_id ? request : { ...request, idempotency_key: crypto.randomUUID() };
}

/** Turns the error of an AbortSignal.timeout that has fired into a WaitTimeoutError. */
async function withWaitTimeout<T>(wait: Promise<T>, signal: AbortSignal | undefined, id: string | undefined, key?: string): Promise<T> {
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
  const kind = Object.prototype.toString.call(input).slice("[object ".length, -1); // Works for objects of other realms too.
  if (kind !== "Object" && kind !== "Array") throw new AskbridgeError(`askbridge: the input of a tool call must be JSON text, an object or an array, not ${kind}`);
  try {
    return JSON.stringify(input);
  } catch (error) {
    throw new AskbridgeError(`askbridge: the input of a tool call cannot be written as JSON: ${(error as Error).message}`, { cause: error });
  }
}

function toolResult({ headers, text }: Reply): ToolResult {
  const state = headers.get("Askbridge-State") as ToolResult["state"] | null;
  if (!state) throw new ConnectionError("askbridge: the reply is not in the format of a bridge");
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
