// For the Vercel AI SDK (https://ai-sdk.dev): a question tool.

import { jsonSchema, tool, type Tool } from "ai";
import type { Askbridge } from "./client.js";
import { type Asking, askForModel, type QuestionSet, toolDescription, toolSchema } from "./tool.js";

export type { Asking, QuestionSet } from "./tool.js";

/** A tool by which a model asks people: tools: { ask_user: askUser(bridge, { to }) }. Aborting the run ends the wait. */
export function askUser(bridge: Askbridge, asking: Asking = {}): Tool<QuestionSet, string> {
  return tool({
    description: toolDescription,
    inputSchema: jsonSchema<QuestionSet>(toolSchema as object),
    execute: (set, { toolCallId, abortSignal }) => askForModel(bridge, set, toolCallId, asking, abortSignal),
  });
}
