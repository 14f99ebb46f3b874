// What the adapters have in common: a question tool for any model, and yes or no to what an agent is about to do.

import type { Askbridge, WaitOptions } from "./client.js";
import { AskbridgeError, InvalidRequestError } from "./errors.js";
import type { AskRequest, EndedRequest, NewQuestion, NewRequest } from "./types.js";

/**
 * Where an adapter asks, and whom: said by the program, never by its model. What is not set is left to the bridge. How many
 * people decide stands in policy, who is told in notify; agent and language are what the card is signed with and written in.
 */
export type Asking = Pick<NewRequest, "to" | "route" | "origin" | "responders" | "policy" | "notify" | "expires_in" | "context" | "agent" | "language"> & {
  /**
   * The agent run. Give the run's own id to find questions again after a restart; without one each call of a tool asks
   * anew.
   */
  readonly session?: string;
  /** Is told how each request stands while people decide. */
  readonly onProgress?: (request: AskRequest) => void;
};

/** What a model hands to the question tool. */
export type QuestionSet = { readonly questions: readonly NewQuestion[] };

export const toolName = "ask_user";

export const toolDescription =
  "Ask a person up to 4 questions in chat and wait for the answer. Use it when only a person can decide. " +
  'Give each question 2 to 4 options, or none for an answer in the person\'s own words. Do not add an "Other" option: ' +
  "people can always write their own answer instead. If nobody answered, never assume an answer, and do not ask the same again.";

/** The JSON Schema of a QuestionSet. */
export const toolSchema = {
  type: "object" as const,
  properties: {
    questions: {
      type: "array",
      minItems: 1,
      maxItems: 4,
      description: "Asked together and answered together.",
      items: {
        type: "object",
        properties: {
          question: { type: "string", description: "The whole question, ending in a question mark." },
          header: { type: "string", description: "A title of at most 12 characters." },
          multiSelect: { type: "boolean", description: "Whether several options may be picked." },
          options: {
            type: "array",
            maxItems: 4,
            description: "2 to 4 distinct options; leave out for an answer in the person's own words.",
            items: {
              type: "object",
              properties: {
                label: { type: "string", description: "What the person picks and you get back, unchanged." },
                description: { type: "string", description: "What choosing it means, in a sentence." },
              },
              required: ["label"],
              additionalProperties: false,
            },
          },
        },
        required: ["question"],
        additionalProperties: false,
      },
    },
  },
  required: ["questions"],
  additionalProperties: false,
};

/**
 * Asks what a model wants to know and returns what it reads: the answers, or that there are none. The id of a call means
 * nothing outside of its run: there are models that count their calls from 0 in each conversation.
 */
export async function askForModel(bridge: Askbridge, set: QuestionSet, tool_call_id: string, asking: Asking, signal?: AbortSignal): Promise<string> {
  const ids = { session: asking.session ?? crypto.randomUUID(), tool_call_id };
  try {
    return textOf(await bridge.ask({ ...request(asking), ...ids, questions: set.questions }, waiting(asking, signal)));
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    return `Nobody was asked. Correct this and call ${toolName} again: ${error.message}`;
  }
}

/** What a model reads of an ended request. It neither suggests a choice nor asks the model to go on by its own judgement. */
export function textOf(request: EndedRequest): string {
  const who = request.by?.name || "Somebody";
  const none = "Do not assume an answer.";
  switch (request.state) {
    case "answered":
      return request.text;
    case "expired":
      return `${request.votes?.length ? "People voted and did not come to a decision" : "Nobody answered"} in time, and the questions are closed. ${none}`;
    case "superseded":
      return `Newer questions took the place of these before anyone answered. ${none}`;
    case "failed":
      return `The questions could not be asked: ${request.reason ?? "the bridge does not say why"}. ${none}`;
    case "cancelled":
      if (!request.by) return `The questions were withdrawn before anyone answered. ${none}`;
      if (!request.replied) return `${who} cancelled the questions. ${none}`;
      return `${who} answered none of the questions, and replied: ${request.reason}\n\n${none}`;
  }
}

/** Yes or no to something that an agent is about to do, with what the person wrote in place of a yes. */
export type Decision = { readonly allowed: boolean; readonly message: string };

/** How many characters of what an agent is about to do stand on a card whole, and how a longer one begins there. */
const whole = 2500;
const beginning = 1000;

/**
 * What nobody sees, or not where it stands, and what a card leaves out. It is written as JSON writes it, so that nothing is
 * allowed unseen. The character that asks for the coloured picture of a symbol stays behind one.
 */
const unseen = /(?!(?<=\p{S})\ufe0f)[\p{C}\p{Z}\p{DI}\u2800\ufffd](?<! )/gu;

/** Letters of scripts that are written from right to left. */
const rightToLeft = /(?=\p{L})[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/gu;

/** What a shell means something else by when it stands elsewhere. */
const operators = "/*<>|&$=~\\`[]{}";

/**
 * Whether some line has an operator that people see in another place than it runs in: two of three are written from right to
 * left, the letter before it, the one behind it and the first one of the line (https://www.unicode.org/reports/tr9/#N1). A slash
 * between two letters is read in their direction.
 */
function turned(text: string): boolean {
  const letter = (c: string | undefined) => /^\p{L}/u.test(c ?? "");
  const turns = (c: string | undefined) => letter(c) && new RegExp(rightToLeft, "u").test(c ?? "");
  return text.split("\n").some((line) => {
    const all = [...line];
    const first = turns(all.find(letter));
    let before = first;
    let between = false;
    for (const [n, c] of all.entries()) {
      if (letter(c)) {
        const behind = turns(c);
        if (between && (first ? before || behind : before && behind)) return true;
        [before, between] = [behind, false];
      } else if (operators.includes(c) && !(c === "/" && letter(all[n - 1]) && letter(all[n + 1]))) {
        between = true;
      }
    }
    return between && first;
  });
}

/** A character as JSON escapes it. */
const spelled = (c: string) => [...Array(c.length).keys()].map((n) => `\\u${c.charCodeAt(n).toString(16).padStart(4, "0")}`).join("");

/** What stands on the card of what an agent is about to do: all of it, or its beginning, with all of it in a file below. */
function onCard(shown: string): { preview: string; files?: { name: string; text: string }[] } {
  let seen = shown.replace(unseen, (c) => (c === "\n" ? c : spelled(c)));
  if (turned(seen)) seen = seen.replace(rightToLeft, spelled);
  const characters = [...seen];
  if (characters.length <= whole) return { preview: seen };
  return { preview: `${characters.slice(0, beginning).join("")}…`, files: [{ name: "input.txt", text: seen }] };
}

/** Throws where nobody is named who may allow something. */
export function mustSayWhoMayAllow(asking: Asking | undefined): void {
  if (!asking?.responders?.length) throw new AskbridgeError('askbridge: say who may allow it, as in { to, responders: ["slack:U0000001"] }, or responders: ["anyone"]');
}

/**
 * Asks whether an agent may do something, shown in full: what is too long for a card is a file below it, without which
 * nobody can answer. Only a person's own Allow allows it: their words, a dismissed card and silence do not.
 */
export async function askToAllow(bridge: Askbridge, what: string, shown: string, ids: { session: string; tool_call_id: string }, asking: Asking, signal?: AbortSignal): Promise<Decision> {
  const { preview, ...below } = onCard(shown);
  const question = { question: what, header: "Approval", options: [{ label: "Allow", preview }, { label: "Deny" }] };
  const strict = { replies: { strict: true } }; // A message that only looks like consent allows nothing.
  const ended = await bridge.ask({ ...request(asking), ...ids, ...below, ...strict, questions: [question] }, waiting(asking, signal));
  if (ended.state !== "answered") return { allowed: false, message: `This was not allowed. ${textOf(ended)}` };
  const [answer] = ended.answers;
  const who = answer?.by.name || "A person";
  if (answer?.other) return { allowed: false, message: `${who} did not allow this, and wrote: ${answer.other}` };
  return answer?.selected[0] === "Allow" ? { allowed: true, message: `${who} allowed this.` } : { allowed: false, message: `${who} did not allow this.` };
}

/** The part of a request that says where and whom. */
export function request({ session: _, onProgress: __, ...rest }: Asking): Omit<NewRequest, "questions"> {
  return rest;
}

export function waiting(asking: Asking, signal?: AbortSignal): WaitOptions {
  return { signal, onProgress: asking.onProgress };
}
