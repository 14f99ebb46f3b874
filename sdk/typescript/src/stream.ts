// Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) that go on where they broke off.

import { type Call, backoff, mayHelp, open, pause, retryAfter, type Settings } from "./call.js";
import { AskbridgeError, ConnectionError, problemOf } from "./errors.js";
import { type AskRequest, hasEnded, type RequestEvent } from "./types.js";

/** The bridge says something at least every 15 seconds; a line that is silent for longer is dead. */
const silence = 45;

/** Follows events until they end, or for ever, through lost connections and restarts of the bridge. */
export async function* follow(settings: Settings, call: Call, last: string | undefined, single: boolean): AsyncGenerator<RequestEvent> {
  for (let n = 1; ; n++) {
    let failure: unknown;
    let rest: number | undefined;
    try {
      for await (const message of connect(settings, call, last)) {
        rest = message.retry ?? rest;
        if (message.data === undefined || message.id === last) continue; // After a break the same one may come twice.
        n = 0;
        last = message.id;
        const request = decode(message.data);
        yield { id: message.id, request };
        if (single && hasEnded(request)) return;
      }
    } catch (error) {
      call.signal?.throwIfAborted();
      if (error instanceof Done) return;
      if (!mayHelp(error)) throw error;
      failure = error;
    }
    await pause(Math.max(rest ?? 0, backoff(Math.max(n, 1), failure)), call.signal);
  }
}

/** The end of a stream that has nothing more to tell, ever. */
class Done extends Error {}

type Message = { readonly id: string; readonly data: string | undefined; readonly retry: number | undefined };

async function* connect(settings: Settings, call: Call, last: string | undefined): AsyncGenerator<Message> {
  const quiet = new AbortController();
  const dead = () => quiet.abort(new Error("the stream fell silent"));
  let timer = setTimeout(dead, 1000 * silence);
  const headers = { Accept: "text/event-stream", ...(last === undefined ? {} : { "Last-Event-ID": last }) };
  try {
    const reply = await open(settings, { ...call, headers }, quiet.signal);
    if (reply.status === 204) throw new Done();
    if (!reply.ok || !reply.body) throw problemOf(reply.status, await reply.text(), retryAfter(reply.headers));
    const text = new TextDecoder();
    const lines = new Lines();
    for await (const chunk of reply.body) {
      clearTimeout(timer);
      timer = setTimeout(dead, 1000 * silence);
      yield* lines.take(text.decode(chunk, { stream: true }));
    }
  } catch (error) {
    if (error instanceof Done || error instanceof AskbridgeError) throw error;
    throw new ConnectionError(`askbridge: ${call.path}: the stream broke off`, { cause: error });
  } finally {
    clearTimeout(timer);
    quiet.abort(); // Whoever stops reading frees the connection.
  }
}

/** Lines puts messages together. What stands behind the last blank line when a stream breaks off is dropped, as it must be. */
export class Lines {
  #rest = "";
  #id = "";
  #data: string[] = [];
  #retry: number | undefined;

  *take(text: string): Generator<Message> {
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
    throw new ConnectionError("askbridge: the stream is not what a bridge says", { cause: error });
  }
}
