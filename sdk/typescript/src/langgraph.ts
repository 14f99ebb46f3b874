// Adapter for LangGraph (https://docs.langchain.com/oss/javascript/langgraph/interrupts): people answer interrupts.

import { Command, INTERRUPT, type Interrupt } from "@langchain/langgraph";
import type { Askbridge } from "./client.js";
import { AskbridgeError } from "./errors.js";
import { type Asking, askForApproval, requireResponders, type QuestionSet, request, textOf, waiting } from "./tool.js";
import type { EndedRequest } from "./types.js";

export type { Asking, QuestionSet } from "./tool.js";

/** Thrown for an interrupt without an answer. The graph stays interrupted: call `answer` again, or give up. */
export class UnansweredError extends AskbridgeError {
  override name = "UnansweredError";
}

/** The state that an interrupted graph returns. Check it with `isInterrupted(state)`. */
export type Interrupted = { readonly [INTERRUPT]: readonly Interrupt[] };

/** The interrupt value of LangChain's humanInTheLoopMiddleware. https://docs.langchain.com/oss/javascript/langchain/human-in-the-loop */
type Review = {
  readonly actionRequests: readonly { readonly name: string; readonly args: unknown }[];
  readonly reviewConfigs: readonly { readonly actionName: string; readonly allowedDecisions: readonly string[] }[];
};

/** The key of each interrupt, so that a retry after an error finds the request of the first try. */
const keys = new WeakMap<object, string>();

/**
 * Asks people to answer the interrupts of a graph, all at the same time, and returns the command that resumes it:
 * `graph.invoke(await answer(bridge, state, { to }), config)`. The value of an interrupt decides what `interrupt` returns in the graph:
 *
 * - for a string, the text that a person wrote
 * - for `{ questions }`, the ended request; it has answers only in the state `answered`
 * - for Agent Inbox's `HumanInterrupt`, alone or in a list, a list with one `HumanResponse`
 * - for LangChain's humanInTheLoopMiddleware, one decision per tool call; no answer is a rejection
 *
 * @throws UnansweredError if a string or a `HumanInterrupt` got no answer.
 * @throws AskbridgeError if the graph is not interrupted, an approval lacks `responders`, or the bridge rejects a value.
 */
export async function answer(bridge: Askbridge, state: Interrupted, asking: Asking = {}, signal?: AbortSignal): Promise<Command<unknown, any, any>> {
  const values = await Promise.all(
    state[INTERRUPT].map(async (interrupt) => {
      const key = keys.get(interrupt) ?? crypto.randomUUID();
      keys.set(interrupt, key);
      try {
        return [interrupt.id, await valueOf(bridge, interrupt.value, key, asking, signal)] as const;
      } catch (error) {
        if (error instanceof UnansweredError) keys.delete(interrupt); // The next call asks people again.
        throw error;
      }
    }),
  );
  const [first] = values;
  if (!first) throw new AskbridgeError("askbridge: the graph is not interrupted");
  return new Command({ resume: first[0] === undefined ? first[1] : Object.fromEntries(values) });
}

async function valueOf(bridge: Askbridge, value: unknown, key: string, asking: Asking, signal?: AbortSignal): Promise<unknown> {
  if (typeof value === "string") {
    const ended = await ask({ questions: [{ question: value }] });
    if (ended.state !== "answered") throw new UnansweredError(textOf(ended));
    return ended.answers[0]?.other;
  }
  if (typeof value === "object" && value !== null && "questions" in value) return ask(value as QuestionSet);
  if (typeof value === "object" && value !== null && "actionRequests" in value) return { decisions: await decide(value as Review) };
  const { onProgress: _, ...settings } = asking;
  const result = await bridge.askTool({ ...settings, dialect: "langgraph", input: JSON.stringify(value), tool_call_id: key }, { signal });
  if (result.state === "refused") throw new AskbridgeError(`askbridge: the bridge rejects the interrupt: ${result.body}`);
  if (result.isError || result.body === "") throw new UnansweredError(result.body);
  return JSON.parse(result.body);

  async function decide({ actionRequests, reviewConfigs }: Review) {
    requireResponders(asking);
    for (const { actionName, allowedDecisions } of reviewConfigs) {
      if (["approve", "reject"].every((decision) => allowedDecisions.includes(decision))) continue;
      throw new AskbridgeError(`askbridge: ${actionName}: allowedDecisions needs approve and reject, since people allow or deny`);
    }
    return Promise.all(
      actionRequests.map(async ({ name, args }, n) => {
        const ids = { session: asking.session ?? key, tool_call_id: `${key}/${n}` };
        const { allowed, message } = await askForApproval(bridge, `Allow the agent to use ${name}?`, JSON.stringify(args, null, 2), ids, asking, signal);
        return allowed ? { type: "approve" } : { type: "reject", message };
      }),
    );
  }

  function ask(set: QuestionSet): Promise<EndedRequest> {
    const ids = { tool_call_id: key, ...(asking.session === undefined ? {} : { session: asking.session }) };
    return bridge.ask({ ...request(asking), ...ids, questions: set.questions }, waiting(asking, signal));
  }
}
