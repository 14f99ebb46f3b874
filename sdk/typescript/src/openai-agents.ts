// For the OpenAI Agents SDK (https://openai.github.io/openai-agents-js): a question tool, and people who approve tools.

import { tool, type FunctionTool, type RunState, type RunToolApprovalItem } from "@openai/agents";
import type { Askbridge } from "./client.js";
import { type Asking, askForModel, askToAllow, mustSayWhoMayAllow, type QuestionSet, toolDescription, toolName, toolSchema } from "./tool.js";

export type { Asking, QuestionSet } from "./tool.js";

/** Where is asked, and who may allow it: people and groups, or ["anyone"]. */
export type Approving = Asking & Required<Pick<Asking, "responders">>;

/** A tool by which a model asks people: new Agent({ tools: [askUser(bridge, { to })] }). */
export function askUser(bridge: Askbridge, asking: Asking = {}): FunctionTool<unknown, any, string> {
  return tool({
    name: toolName,
    description: toolDescription,
    parameters: toolSchema as any, // The package takes any JSON Schema, but its types know a few only.
    strict: false,
    execute: (set, _, details) =>
      askForModel(bridge, set as QuestionSet, details?.toolCall?.callId ?? crypto.randomUUID(), asking, details?.signal),
  }) as FunctionTool<unknown, any, string>;
}

type Interrupted<State extends RunState<any, any>> = { readonly state: State; readonly interruptions?: RunToolApprovalItem[] };

/** A run that is decided a second time, after an error, finds the questions of the first. */
const sessions = new WeakMap<object, string>();

/**
 * Asks people about each tool call that waits for approval, all at once, writes their decisions into the state of the run
 * and returns it, to go on with: run(agent, await approve(bridge, result, { to, responders })). What a person writes in
 * place of a decision is a no, and is told to the model.
 */
export async function approve<State extends RunState<any, any>>(bridge: Askbridge, result: Interrupted<State>, asking: Approving, signal?: AbortSignal): Promise<State> {
  mustSayWhoMayAllow(asking);
  const { state } = result;
  const session = asking.session ?? sessions.get(state) ?? crypto.randomUUID();
  sessions.set(state, session);
  const decided = await Promise.all(
    (result.interruptions ?? []).map(async (item) => {
      const what = `Allow ${item.agent.name} to use ${item.name ?? item.rawItem.type}?`;
      return { item, decision: await askToAllow(bridge, what, shown(item), { session, tool_call_id: callId(item) }, asking, signal) };
    }),
  );
  for (const { item, decision } of decided) {
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

/** All of the call: who allows it must see what it does. */
function shown(item: RunToolApprovalItem): string {
  if (item.arguments === undefined) return JSON.stringify(item.rawItem, null, 2);
  try {
    return JSON.stringify(JSON.parse(item.arguments), null, 2);
  } catch {
    return item.arguments; // It is not JSON, but it is what the tool would get.
  }
}
