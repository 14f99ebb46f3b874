// Adapter for the Vercel AI SDK (https://ai-sdk.dev): a question tool.

import { jsonSchema, tool, type Tool } from "ai";
import type { Askbridge } from "./client.js";
import { type Asking, askForModel, type QuestionSet, toolDescription, toolSchema } from "./tool.js";

export type { Asking, QuestionSet } from "./tool.js";

/**
 * Returns a tool that lets the model ask people: `tools: { ask_user: askUser(bridge, { to }) }`. The tool returns the answers as text,
 * or a text that explains why there is no answer. Aborting the run ends the wait.
 */
export function askUser(bridge: Askbridge, asking: Asking = {}): Tool<QuestionSet, string> {
  return tool({
    description: toolDescription,
    inputSchema: jsonSchema<QuestionSet>(toolSchema as object),
    execute: (set, { toolCallId, abortSignal }) => askForModel(bridge, set, toolCallId, asking, abortSignal),
  });
}
