// Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) that resume after a lost connection.

import { type Call, backoff, isRetryable, open, pause, retryAfter, type Settings } from "./call.js";
import { AskbridgeError, ConnectionError, problemOf } from "./errors.js";
import { type AskRequest, hasEnded, type RequestEvent } from "./types.js";

/** The seconds without data after which a connection counts as lost. The bridge sends something at least every 15 seconds. */
const idleTimeout = 45;

/**
 * Yields the events after `last`, and reconnects after lost connections and restarts of the bridge. It returns when the bridge has no
 * more events, or for a single request after the event of its end.
 */
export async function* follow(settings: Settings, call: Call, last: string | undefined, single: boolean): AsyncGenerator<RequestEvent> {
  for (let n = 1; ; n++) {
    let failure: unknown;
    let retry: number | undefined;
    try {
      for await (const message of connect(settings, call, last)) {
        retry = message.retry ?? retry;
        if (message.data === undefined || message.id === last) continue; // After a reconnect the bridge may repeat the last event.
        n = 0;
        last = message.id;
        const request = decode(message.data);
        yield { id: message.id, request };
        if (single && hasEnded(request)) return;
      }
    } catch (error) {
      call.signal?.throwIfAborted();
      if (error instanceof StreamEnd) return;
      if (!isRetryable(error)) throw error;
      failure = error;
    }
    await pause(Math.max(retry ?? 0, backoff(Math.max(n, 1), failure)), call.signal);
  }
}

/** Thrown when the bridge has no more events and a client must not reconnect (status 204). */
class StreamEnd extends Error {}

type Message = { readonly id: string; readonly data: string | undefined; readonly retry: number | undefined };

async function* connect(settings: Settings, call: Call, last: string | undefined): AsyncGenerator<Message> {
  const connection = new AbortController();
  const timeOut = () => connection.abort(new Error("no data from the bridge"));
  let timer = setTimeout(timeOut, 1000 * idleTimeout);
  const headers = { Accept: "text/event-stream", ...(last === undefined ? {} : { "Last-Event-ID": last }) };
  try {
    const reply = await open(settings, { ...call, headers }, connection.signal);
    if (reply.status === 204) throw new StreamEnd();
    if (!reply.ok || !reply.body) throw problemOf(reply.status, await reply.text(), retryAfter(reply.headers));
    const text = new TextDecoder();
    const parser = new EventParser();
    for await (const chunk of reply.body) {
      clearTimeout(timer);
      timer = setTimeout(timeOut, 1000 * idleTimeout);
      yield* parser.push(text.decode(chunk, { stream: true }));
    }
  } catch (error) {
    if (error instanceof StreamEnd || error instanceof AskbridgeError) throw error;
    throw new ConnectionError(`askbridge: ${call.path}: stream interrupted`, { cause: error });
  } finally {
    clearTimeout(timer);
    connection.abort(); // Frees the connection when the consumer stops early.
  }
}

/** Parses events from chunks of text. An event that is incomplete when the stream ends is dropped, as the standard requires. */
export class EventParser {
  #rest = "";
  #id = "";
  #data: string[] = [];
  #retry: number | undefined;

  /** Adds a chunk and yields the events that it completes. */
  *push(text: string): Generator<Message> {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") yield* this.#end();
      else this.#field(line);
    }
  }

  #field(line: string): void {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "id") this.#id = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "retry" && /^\d+$/.test(value)) this.#retry = Number(value) / 1000;
  }

  *#end(): Generator<Message> {
    if (this.#data.length || this.#retry !== undefined) {
      yield { id: this.#id, data: this.#data.length ? this.#data.join("\n") : undefined, retry: this.#retry };
    }
    this.#data = [];
    this.#retry = undefined;
  }
}

function decode(data: string): AskRequest {
  try {
    return JSON.parse(data) as AskRequest;
  } catch (error) {
    throw new ConnectionError("askbridge: the stream is not in the format of a bridge", { cause: error });
  }
}
