export { Askbridge, type CallOptions, type ClientOptions, type ListQuery, type StreamOptions, type ToolCall, type ToolResult, type WaitOptions } from "./client.js";
export {
  AskbridgeError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  ProblemError,
  RateLimitError,
  SignatureError,
  UnavailableError,
  WaitTimeoutError,
} from "./errors.js";
export * from "./types.js";
export { verifyWebhook, type VerifyOptions, type WebhookHeaders } from "./webhook.js";
