// For LangGraph (https://docs.langchain.com/oss/javascript/langgraph/interrupts): people who answer interrupts.

import { Command, INTERRUPT, type Interrupt } from "@langchain/langgraph";
import type { Askbridge } from "./client.js";
import { AskbridgeError } from "./errors.js";
import { type Asking, askToAllow, mustSayWhoMayAllow, type QuestionSet, request, textOf, waiting } from "./tool.js";
import type { EndedRequest } from "./types.js";

export type { Asking, QuestionSet } from "./tool.js";

/** An interrupt that nobody answered. The graph stays interrupted, so it can be asked again or given up. */
export class UnansweredError extends AskbridgeError {
  override name = "UnansweredError";
}

/** What a graph returns when it is interrupted; isInterrupted(state) says whether it is. */
export type Interrupted = { readonly [INTERRUPT]: readonly Interrupt[] };

/** What LangChain's humanInTheLoopMiddleware interrupts for. https://docs.langchain.com/oss/javascript/langchain/human-in-the-loop */
type Review = {
  readonly actionRequests: readonly { readonly name: string; readonly args: unknown }[];
  readonly reviewConfigs: readonly { readonly actionName: string; readonly allowedDecisions: readonly string[] }[];
};

/** An interrupt that is answered a second time, after an error other than UnansweredError, finds the question of the first. */
const keys = new WeakMap<object, string>();

/**
 * Asks people what a graph was interrupted for, all at once, and returns the command that resumes it:
 * graph.invoke(await answer(bridge, state, { to }), config). What interrupt returns in the graph depends on what it got:
 *
 * - a text: what a person wrote;
 * - { questions }: the ended request, whose state says whether there are answers;
 * - agent inbox's HumanInterrupt, alone or in a list: its list of one HumanResponse;
 * - what LangChain's humanInTheLoopMiddleware asks about: a decision for each tool call, where silence is a no.
 *
 * @throws UnansweredError when a text or a HumanInterrupt was not answered.
 */
export async function answer(bridge: Askbridge, state: Interrupted, asking: Asking = {}, signal?: AbortSignal): Promise<Command<unknown, any, any>> {
  const values = await Promise.all(
    state[INTERRUPT].map(async (one) => {
      const key = keys.get(one) ?? crypto.randomUUID();
      keys.set(one, key);
      try {
        return [one.id, await valueOf(bridge, one.value, key, asking, signal)] as const;
      } catch (error) {
        if (error instanceof UnansweredError) keys.delete(one); // The next time people are asked again.
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
  const { onProgress: _, ...beside } = asking;
  const result = await bridge.askTool({ ...beside, dialect: "langgraph", input: JSON.stringify(value), tool_call_id: key }, { signal });
  if (result.state === "refused") throw new AskbridgeError(`askbridge: the interrupt cannot be asked: ${result.body}`);
  if (result.isError || result.body === "") throw new UnansweredError(result.body);
  return JSON.parse(result.body);

  async function decide({ actionRequests, reviewConfigs }: Review) {
    mustSayWhoMayAllow(asking);
    for (const { actionName, allowedDecisions } of reviewConfigs) {
      if (["approve", "reject"].every((one) => allowedDecisions.includes(one))) continue;
      throw new AskbridgeError(`askbridge: ${actionName} cannot be asked about: people may allow and deny, so it needs approve and reject among its allowedDecisions`);
    }
    return Promise.all(
      actionRequests.map(async ({ name, args }, n) => {
        const ids = { session: asking.session ?? key, tool_call_id: `${key}/${n}` };
        const { allowed, message } = await askToAllow(bridge, `Allow the agent to use ${name}?`, JSON.stringify(args, null, 2), ids, asking, signal);
        return allowed ? { type: "approve" } : { type: "reject", message };
      }),
    );
  }

  function ask(set: QuestionSet): Promise<EndedRequest> {
    const ids = { tool_call_id: key, ...(asking.session === undefined ? {} : { session: asking.session }) };
    return bridge.ask({ ...request(asking), ...ids, questions: set.questions }, waiting(asking, signal));
  }
}
