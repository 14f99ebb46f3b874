import type { ProblemBody, Remark } from "./types.js";

/** What every error of this package is. */
export class AskbridgeError extends Error {
  override name = "AskbridgeError";
}

/** The bridge could not be reached, or its reply broke off, however often it was tried. */
export class ConnectionError extends AskbridgeError {
  override name = "ConnectionError";
}

/** The bridge said no (RFC 9457). What is wrong stands in detail and errors. */
export class ProblemError extends AskbridgeError {
  override name = "ProblemError";

  /** The HTTP status. */
  readonly status: number;
  /** What happened and what to do about it. */
  readonly detail: string;
  /** Everything wrong with what was sent, each with its place. */
  readonly errors: readonly Remark[];
  /** With 409: the request that was made before with the same key. */
  readonly requestId: string | undefined;
  /** With 5xx: finds the cause in the log of the bridge. */
  readonly callId: string | undefined;
  /** How many seconds the bridge asked to wait, if it did. */
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

/** What was sent is not valid; nobody was asked. */
export class InvalidRequestError extends ProblemError {
  override name = "InvalidRequestError";
}

/** The token is missing or unknown. */
export class AuthenticationError extends ProblemError {
  override name = "AuthenticationError";
}

/** The token does not allow this. */
export class PermissionError extends ProblemError {
  override name = "PermissionError";
}

/** There is no such request, or none of yours. */
export class NotFoundError extends ProblemError {
  override name = "NotFoundError";
}

/** The key was used for a request with other content: requestId names it. */
export class ConflictError extends ProblemError {
  override name = "ConflictError";
}

/** The token asks too often, or has too many open requests. */
export class RateLimitError extends ProblemError {
  override name = "RateLimitError";
}

/** The bridge cannot do it now. Nothing is lost; the same call may be made again. */
export class UnavailableError extends ProblemError {
  override name = "UnavailableError";
}

/** The time of a wait is over (AbortSignal.timeout). The question is still open, and people can still answer it. */
export class WaitTimeoutError extends AskbridgeError {
  override name = "TimeoutError"; // As the error of AbortSignal.timeout, which is the cause.

  /** The open request: wait(requestId) gets its answer. Absent if the time was over before the bridge replied. */
  readonly requestId: string | undefined;

  constructor(cause: unknown, id: string | undefined, key?: string) {
    const next = id ? `the question is still open as request ${id}: wait(${JSON.stringify(id)}) gets its answer, and cancel withdraws it` : `people may have been asked: ask again with ${key} to get the answer`;
    super(`askbridge: the wait has timed out, but ${next}`, { cause });
    this.requestId = id;
  }
}

/** A webhook call that is not from the bridge, or too old. */
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

/** Makes the error of a reply. A body that is no problem comes from something on the way. */
export function problemOf(status: number, text: string, retryAfter?: number): ProblemError {
  let body: Partial<ProblemBody> = { detail: "this is not said by a bridge, but by something on the way to it or another program at its address" };
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === "object" && read !== null && "title" in read) body = read as Partial<ProblemBody>;
  } catch {
    // It is no JSON, so it is not the bridge's.
  }
  const Kind = kinds[status] ?? (status >= 500 ? UnavailableError : ProblemError);
  return new Kind(status, body, retryAfter);
}
