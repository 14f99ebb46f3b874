// For LangGraph (https://docs.langchain.com/oss/javascript/langgraph/interrupts): people who answer interrupts.

import { Command, INTERRUPT, type Interrupt } from "@langchain/langgraph";
import type { Askbridge } from "./client.js";
import { AskbridgeError } from "./errors.js";
import { type Asking, type QuestionSet, request, textOf, waiting } from "./tool.js";
import type { EndedRequest } from "./types.js";

export type { Asking, QuestionSet } from "./tool.js";

/** An interrupt that nobody answered. The graph stays interrupted, so it can be asked again or given up. */
export class UnansweredError extends AskbridgeError {
  override name = "UnansweredError";
}

/** What a graph returns when it is interrupted; isInterrupted(state) says whether it is. */
export type Interrupted = { readonly [INTERRUPT]: readonly Interrupt[] };

/** An interrupt that is answered a second time, after an error, finds the question of the first. */
const keys = new WeakMap<object, string>();

/**
 * Asks people what a graph was interrupted for, all at once, and returns the command that resumes it:
 * graph.invoke(await answer(bridge, state, { to }), config). What interrupt returns in the graph depends on what it got:
 *
 * - a text: what a person wrote;
 * - { questions }: the ended request, whose state says whether there are answers;
 * - agent inbox's HumanInterrupt, alone or in a list: its list of one HumanResponse.
 *
 * @throws UnansweredError when a text or a HumanInterrupt was not answered.
 */
export async function answer(bridge: Askbridge, state: Interrupted, asking: Asking = {}, signal?: AbortSignal): Promise<Command<unknown, any, any>> {
  const values = await Promise.all(
    state[INTERRUPT].map(async (one) => {
      const key = keys.get(one) ?? crypto.randomUUID();
      keys.set(one, key);
      return [one.id, await valueOf(bridge, one.value, key, asking, signal)] as const;
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
  const { onProgress: _, ...beside } = asking;
  const result = await bridge.askTool({ ...beside, dialect: "langgraph", input: JSON.stringify(value), tool_call_id: key }, { signal });
  if (result.state === "refused") throw new AskbridgeError(`askbridge: the interrupt cannot be asked: ${result.body}`);
  if (result.isError || result.body === "") throw new UnansweredError(result.body);
  return JSON.parse(result.body);

  function ask(set: QuestionSet): Promise<EndedRequest> {
    const ids = { tool_call_id: key, ...(asking.session === undefined ? {} : { session: asking.session }) };
    return bridge.ask({ ...request(asking), ...ids, questions: set.questions }, waiting(asking, signal));
  }
}
