// One call of the API, made again for as long as that is safe and may help. All calls are: what asks carries a key, by
// which the bridge finds what it was asked before.

import { ConnectionError, ProblemError, problemOf } from "./errors.js";

export type Call = {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** How many seconds the bridge may take before it answers. */
  readonly wait?: number;
  readonly signal?: AbortSignal | undefined;
};

export type Reply = { readonly status: number; readonly headers: Headers; readonly text: string };

export type Settings = {
  readonly url: string;
  readonly token: string | undefined;
  readonly fetch: typeof globalThis.fetch;
  readonly tries: number;
};

/** What a call may take beyond the wait it asks for: the bridge gives a platform some seconds to show the card. */
const callTime = 20;
const firstPause = 0.25;
const longestPause = 10;

/** Makes a call until it is answered for good. A call with a wait goes on until its signal ends it. */
export async function send(settings: Settings, call: Call): Promise<Reply> {
  for (let n = 1; ; n++) {
    let failure: unknown;
    try {
      return await once(settings, call);
    } catch (error) {
      call.signal?.throwIfAborted();
      failure = error;
    }
    if (!mayHelp(failure) || (call.wait === undefined && n >= settings.tries)) throw failure;
    await pause(backoff(n, failure), call.signal);
  }
}

async function once(settings: Settings, call: Call): Promise<Reply> {
  const timeout = AbortSignal.timeout(1000 * ((call.wait ?? 0) + callTime));
  let status: number, headers: Headers, text: string;
  try {
    const reply = await open(settings, call, timeout);
    ({ status, headers } = reply);
    text = await reply.text();
  } catch (error) {
    throw new ConnectionError(`askbridge: ${call.method} ${call.path}: ${timeout.aborted ? "no answer in time" : reason(error)}`, { cause: error });
  }
  if (status < 200 || status > 299) throw problemOf(status, text, retryAfter(headers));
  return { status, headers, text };
}

/** Sends the call and returns the response, whose body is still to come. */
export function open(settings: Settings, call: Call, limit: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { ...call.headers };
  if (settings.token) headers["Authorization"] = `Bearer ${settings.token}`;
  if (call.body !== undefined) headers["Content-Type"] = "application/json";
  const query = call.query?.size ? `?${call.query}` : "";
  return settings.fetch(settings.url + call.path + query, {
    method: call.method,
    headers,
    redirect: "manual", // A token must not follow somebody else's directions.
    signal: call.signal ? AbortSignal.any([call.signal, limit]) : limit,
    ...(call.body === undefined ? {} : { body: call.body }),
  });
}

/** Takes a reply apart that should hold JSON. */
export function parse<T>(reply: Reply): T {
  try {
    return JSON.parse(reply.text) as T;
  } catch (error) {
    throw new ConnectionError("askbridge: the reply is not what a bridge says", { cause: error });
  }
}

/** Tells whether the same call may go better another time. */
export function mayHelp(failure: unknown): boolean {
  if (failure instanceof ConnectionError) return true;
  return failure instanceof ProblemError && [408, 429, 500, 502, 503, 504].includes(failure.status);
}

/** How many seconds to wait before the next try. */
export function backoff(n: number, failure?: unknown): number {
  const rest = Math.min(firstPause * 2 ** Math.min(n - 1, 8), longestPause);
  const asked = failure instanceof ProblemError ? (failure.retryAfter ?? 0) : 0;
  return Math.max(rest / 2 + Math.random() * rest, asked);
}

/** What a timer holds, in milliseconds; one for longer ends at once. */
const longestTimer = 2 ** 31 - 1;

/** Waits, or throws why the signal ended before. */
export async function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    };
    const stop = () => (done(), reject(signal?.reason));
    const timer = setTimeout(() => (done(), resolve()), Math.min(1000 * seconds, longestTimer));
    signal?.addEventListener("abort", stop);
  });
}

/** Retry-After, which holds seconds or a date (RFC 9110). */
export function retryAfter(headers: Headers): number | undefined {
  const text = headers.get("Retry-After");
  if (!text) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return seconds > 0 ? seconds : undefined;
}

function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
