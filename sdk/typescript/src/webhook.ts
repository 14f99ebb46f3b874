// Verification of webhooks by Standard Webhooks 1.0 (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).

import { SignatureError } from "./errors.js";
import type { WebhookEvent } from "./types.js";

/** The headers of a webhook call, as fetch or Node's HTTP server represents them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

export type VerifyOptions = {
  /** The maximum difference between the call's timestamp and the current time, in seconds. Default: 300. */
  readonly tolerance?: number;
  /** The current time in milliseconds since 1970. Default: Date.now(). */
  readonly now?: number;
};

/**
 * Verifies the signature of a webhook call and returns its event. Pass the raw body exactly as received. Pass several secrets while you
 * rotate them: a signature by any of them is valid.
 *
 * @throws SignatureError if the signature does not match, a header or secret is malformed, or the timestamp is off by more than `tolerance`.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = header(headers, "webhook-id");
  const stamp = header(headers, "webhook-timestamp");
  const age = (options.now ?? Date.now()) / 1000 - Number(/^\d+$/.test(stamp) ? stamp : NaN);
  if (!(Math.abs(age) <= (options.tolerance ?? 300))) throw new SignatureError("webhook-timestamp is too old, too new or not a number");
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const signed = concat(new TextEncoder().encode(`${id}.${stamp}.`), bytes);
  const signatures = header(headers, "webhook-signature").split(" ").flatMap((one) => (one.startsWith("v1,") ? [one.slice(3)] : []));
  for (const secret of [secrets].flat()) {
    const key = await crypto.subtle.importKey("raw", keyOf(secret), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const signature of signatures) {
      const given = fromBase64(signature);
      if (given && (await crypto.subtle.verify("HMAC", key, given, signed))) {
        return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
      }
    }
  }
  throw new SignatureError("no signature matches");
}

function header(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== "string" || value === "") throw new SignatureError(`missing header ${name}`);
  return value;
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const key = secret.startsWith("whsec_") ? fromBase64(secret.slice("whsec_".length)) : undefined;
  if (!key || key.length < 24 || key.length > 64) throw new SignatureError("a secret must be whsec_ and 24 to 64 bytes in base64");
  return key;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
