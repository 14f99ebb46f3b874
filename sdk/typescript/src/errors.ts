import type { ProblemBody, Remark } from "./types.js";

/** The base class of all errors of this package. */
export class AskbridgeError extends Error {
  override name = "AskbridgeError";
}

/** The bridge is unreachable, or its reply was incomplete or unreadable, on every try. */
export class ConnectionError extends AskbridgeError {
  override name = "ConnectionError";
}

/** The bridge rejected a call (RFC 9457). `detail` and `errors` explain why. */
export class ProblemError extends AskbridgeError {
  override name = "ProblemError";

  /** The HTTP status. */
  readonly status: number;
  /** What went wrong, and how to correct it. */
  readonly detail: string;
  /** Every problem of the body, with its path. */
  readonly errors: readonly Remark[];
  /** For status 409, the ID of the earlier request with the same key. */
  readonly requestId: string | undefined;
  /** For a 5xx status, the ID of the call in the log of the bridge. */
  readonly callId: string | undefined;
  /** The seconds to wait before a retry, if the reply has Retry-After. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: Partial<ProblemBody>, retryAfter?: number) {
    const { title = "", detail = "", errors = [] } = body;
    super([`${status} ${title}`.trim(), detail].filter(Boolean).join(": ") + errors.map((e) => `; ${e.path}: ${e.detail}`).join(""));
    this.status = status;
    this.detail = detail;
    this.errors = errors;
    this.requestId = body.request_id;
    this.callId = body.call_id;
    this.retryAfter = retryAfter;
  }
}

/** The request is invalid. No one was asked. */
export class InvalidRequestError extends ProblemError {
  override name = "InvalidRequestError";
}

/** The token is missing or unknown. */
export class AuthenticationError extends ProblemError {
  override name = "AuthenticationError";
}

/** The token lacks the permission for this call. */
export class PermissionError extends ProblemError {
  override name = "PermissionError";
}

/** The request does not exist, or belongs to another agent. */
export class NotFoundError extends ProblemError {
  override name = "NotFoundError";
}

/** The idempotency key was already used for a request with different content, `requestId`. */
export class ConflictError extends ProblemError {
  override name = "ConflictError";
}

/** The token has exceeded its rate limit or its number of open requests. */
export class RateLimitError extends ProblemError {
  override name = "RateLimitError";
}

/** The bridge is temporarily unavailable. It is safe to repeat the call. */
export class UnavailableError extends ProblemError {
  override name = "UnavailableError";
}

/** The wait has timed out (AbortSignal.timeout). The request is still open, and people can still answer it. */
export class WaitTimeoutError extends AskbridgeError {
  override name = "TimeoutError"; // The name of the error of AbortSignal.timeout, which is the cause.

  /** The ID of the open request: `wait(requestId)` gets its answer. Undefined if the wait timed out before the bridge replied. */
  readonly requestId: string | undefined;

  constructor(cause: unknown, id: string | undefined, key?: string) {
    const next = id ? `the question is still open as request ${id}: wait(${JSON.stringify(id)}) gets its answer, and cancel withdraws it` : `people may have been asked: call ask again with ${key} to get the answer`;
    super(`askbridge: the wait has timed out, but ${next}`, { cause });
    this.requestId = id;
  }
}

/** A webhook call has no valid signature, or its timestamp is off by too much. */
export class SignatureError extends AskbridgeError {
  override name = "SignatureError";
}

const kinds: Record<number, typeof ProblemError> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: NotFoundError,
  413: InvalidRequestError,
  422: InvalidRequestError,
  429: RateLimitError,
};

/** Returns the error for a reply with an error status. A body in another format comes from a proxy or another program. */
export function problemOf(status: number, text: string, retryAfter?: number): ProblemError {
  let body: Partial<ProblemBody> = { detail: "the reply is not from a bridge, but from a proxy or another program at this address" };
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && "title" in parsed) body = parsed as Partial<ProblemBody>;
  } catch {
    // Not JSON, so not from a bridge.
  }
  const Kind = kinds[status] ?? (status >= 500 ? UnavailableError : ProblemError);
  return new Kind(status, body, retryAfter);
}
