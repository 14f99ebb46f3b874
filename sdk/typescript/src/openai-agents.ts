// Adapter for the OpenAI Agents SDK (https://openai.github.io/openai-agents-js): a question tool, and approval of tool calls.

import { tool, type FunctionTool, type RunState, type RunToolApprovalItem } from "@openai/agents";
import type { Askbridge } from "./client.js";
import { type Asking, askForModel, askForApproval, requireResponders, type QuestionSet, toolDescription, toolName, toolSchema } from "./tool.js";

export type { Asking, QuestionSet } from "./tool.js";

/** The settings of approval requests. `responders` is required: the people and groups who may approve, or ["anyone"]. */
export type Approving = Asking & Required<Pick<Asking, "responders">>;

/**
 * Returns a tool that lets the model ask people: `new Agent({ tools: [askUser(bridge, { to })] })`. The tool returns the answers as
 * text, or a text that explains why there is no answer.
 */
export function askUser(bridge: Askbridge, asking: Asking = {}): FunctionTool<unknown, any, string> {
  return tool({
    name: toolName,
    description: toolDescription,
    parameters: toolSchema as any, // The package accepts any JSON Schema, but its types cover only some.
    strict: false,
    execute: (set, _, details) =>
      askForModel(bridge, set as QuestionSet, details?.toolCall?.callId ?? crypto.randomUUID(), asking, details?.signal),
  }) as FunctionTool<unknown, any, string>;
}

type Interrupted<State extends RunState<any, any>> = { readonly state: State; readonly interruptions?: RunToolApprovalItem[] };

/** The session of each run state, so that a retry after an error finds the requests of the first try. */
const sessions = new WeakMap<object, string>();

/**
 * Asks people to approve each tool call that waits for approval, all at the same time. It applies their decisions to the state of
 * the run and returns it: `run(agent, await approve(bridge, result, { to, responders }))`. Only Allow approves a call. A typed text
 * rejects it, and the model reads the text; no answer rejects it too.
 *
 * @throws AskbridgeError if `responders` is missing or empty, or the bridge rejects a request.
 */
export async function approve<State extends RunState<any, any>>(bridge: Askbridge, result: Interrupted<State>, asking: Approving, signal?: AbortSignal): Promise<State> {
  requireResponders(asking);
  const { state } = result;
  const session = asking.session ?? sessions.get(state) ?? crypto.randomUUID();
  sessions.set(state, session);
  const decisions = await Promise.all(
    (result.interruptions ?? []).map(async (item) => {
      const question = `Allow ${item.agent.name} to use ${item.name ?? item.rawItem.type}?`;
      return { item, decision: await askForApproval(bridge, question, inputOf(item), { session, tool_call_id: callId(item) }, asking, signal) };
    }),
  );
  for (const { item, decision } of decisions) {
    if (decision.allowed) state.approve(item);
    else state.reject(item, { message: decision.message });
  }
  return state;
}

function callId({ rawItem }: RunToolApprovalItem): string {
  const id = "callId" in rawItem ? rawItem.callId : rawItem.id;
  if (!id) throw new Error("askbridge: the tool call has no id");
  return id;
}

/** Returns the complete input of the call, formatted for people. */
function inputOf(item: RunToolApprovalItem): string {
  if (item.arguments === undefined) return JSON.stringify(item.rawItem, null, 2);
  try {
    return JSON.stringify(JSON.parse(item.arguments), null, 2);
  } catch {
    return item.arguments; // Not JSON, but exactly what the tool would receive.
  }
}
