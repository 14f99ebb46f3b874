// HTTP calls to the bridge, with retries. Every call is safe to repeat: submissions carry an idempotency key, by which the bridge
// finds the earlier request.

import { ConnectionError, ProblemError, problemOf } from "./errors.js";

export type Call = {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** The seconds for which the bridge may hold a long-polling call. */
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

/** The timeout of a call in seconds, in addition to its wait. Posting a card can take the bridge several seconds. */
const callTimeout = 20;

/** The first and the longest backoff between two tries, in seconds. */
const firstPause = 0.25;
const longestPause = 10;

/**
 * Makes a call and retries transient failures with backoff. A long-polling call is retried until its signal aborts, any other call
 * `settings.tries` times.
 */
export async function send(settings: Settings, call: Call): Promise<Reply> {
  for (let n = 1; ; n++) {
    let failure: unknown;
    try {
      return await attempt(settings, call);
    } catch (error) {
      call.signal?.throwIfAborted();
      failure = error;
    }
    if (!isRetryable(failure) || (call.wait === undefined && n >= settings.tries)) throw failure;
    await pause(backoff(n, failure), call.signal);
  }
}

async function attempt(settings: Settings, call: Call): Promise<Reply> {
  const timeout = AbortSignal.timeout(1000 * ((call.wait ?? 0) + callTimeout));
  let status: number, headers: Headers, text: string;
  try {
    const reply = await open(settings, call, timeout);
    ({ status, headers } = reply);
    text = await reply.text();
  } catch (error) {
    throw new ConnectionError(`askbridge: ${call.method} ${call.path}: ${timeout.aborted ? "timed out" : reason(error)}`, { cause: error });
  }
  if (status < 200 || status > 299) throw problemOf(status, text, retryAfter(headers));
  return { status, headers, text };
}

/** Sends the call and returns the response without reading its body. */
export function open(settings: Settings, call: Call, limit: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { ...call.headers };
  if (settings.token) headers["Authorization"] = `Bearer ${settings.token}`;
  if (call.body !== undefined) headers["Content-Type"] = "application/json";
  const query = call.query?.size ? `?${call.query}` : "";
  return settings.fetch(settings.url + call.path + query, {
    method: call.method,
    headers,
    redirect: "manual", // Never send the token to another address.
    signal: call.signal ? AbortSignal.any([call.signal, limit]) : limit,
    ...(call.body === undefined ? {} : { body: call.body }),
  });
}

/** Parses the JSON body of a reply. */
export function parse<T>(reply: Reply): T {
  try {
    return JSON.parse(reply.text) as T;
  } catch (error) {
    throw new ConnectionError("askbridge: the reply is not in the format of a bridge", { cause: error });
  }
}

/** Reports whether repeating the call may succeed. */
export function isRetryable(failure: unknown): boolean {
  if (failure instanceof ConnectionError) return true;
  return failure instanceof ProblemError && [408, 429, 500, 502, 503, 504].includes(failure.status);
}

/** Returns the seconds to wait after try n: exponential with jitter, and at least the Retry-After of the reply. */
export function backoff(n: number, failure?: unknown): number {
  const seconds = Math.min(firstPause * 2 ** Math.min(n - 1, 8), longestPause);
  const requested = failure instanceof ProblemError ? (failure.retryAfter ?? 0) : 0;
  return Math.max(seconds / 2 + Math.random() * seconds, requested);
}

/** The longest delay of setTimeout in milliseconds. A longer one fires immediately. */
const longestTimer = 2 ** 31 - 1;

/** Waits for some seconds. If the signal aborts before, it throws the signal's reason. */
export async function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const cleanUp = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    };
    const stop = () => (cleanUp(), reject(signal?.reason));
    const timer = setTimeout(() => (cleanUp(), resolve()), Math.min(1000 * seconds, longestTimer));
    signal?.addEventListener("abort", stop);
  });
}

/** Returns the Retry-After header in seconds from now. It contains seconds or a date (RFC 9110). */
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
