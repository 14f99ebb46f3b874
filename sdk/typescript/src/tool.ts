// Code that the adapters share: a question tool for any model, and approval of tool calls.

import type { Askbridge, WaitOptions } from "./client.js";
import { AskbridgeError, InvalidRequestError } from "./errors.js";
import type { AskRequest, EndedRequest, NewQuestion, NewRequest } from "./types.js";

/**
 * The settings of the requests that an adapter makes. Your program sets them; the model cannot. Omitted settings use the defaults
 * of the bridge. `policy` sets how many people decide, `notify` who is notified, `agent` the name on the card, and `language` the
 * language of the card.
 */
export type Asking = Pick<NewRequest, "to" | "route" | "origin" | "responders" | "policy" | "notify" | "expires_in" | "context" | "agent" | "language"> & {
  /** The ID of the agent run. With it, a repeated tool call finds its earlier request, even after a restart; without it, each call asks again. */
  readonly session?: string;
  /** Called with each request at once and after every change. */
  readonly onProgress?: (request: AskRequest) => void;
};

/** The input of the question tool. */
export type QuestionSet = { readonly questions: readonly NewQuestion[] };

export const toolName = "ask_user";

export const toolDescription =
  "Ask a person up to 4 questions in chat and wait for the answer. Use it when only a person can decide. " +
  'Give each question 2 to 4 options, or none for an answer in the person\'s own words. Do not add an "Other" option: ' +
  "people can always write their own answer instead. If nobody answered, never assume an answer, and do not ask the same again.";

/** The JSON Schema of QuestionSet. */
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
 * Asks the questions of a model and returns the text that the model reads: the answers, or why there are none. Without a session, each
 * call gets its own, because call IDs are unique only within a run: some models count their calls from 0 in each conversation.
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

/** Returns the text of an ended request for the model. Without an answer it neither suggests one nor invites the model to choose. */
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

/** The decision about a tool call. The message is for the model, and includes a text that the person wrote instead of a decision. */
export type Decision = { readonly allowed: boolean; readonly message: string };

/** The longest input, in characters, that a card shows completely, and the length of the excerpt of a longer one. */
const previewLimit = 2500;
const excerptLength = 1000;

/**
 * Characters that are invisible, move other characters, or that a card drops. They are shown as JSON escapes, so that people see
 * everything they approve. Exceptions are the space, and the variation selector that requests the color emoji of a symbol.
 */
const invisible = /(?!(?<=\p{S})\ufe0f)[\p{C}\p{Z}\p{DI}\u2800\ufffd](?<! )/gu;

/** Letters of scripts that are written from right to left. */
const rightToLeft = /(?=\p{L})[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/gu;

/** Characters that mean something else to a shell in another position. */
const operators = "/*<>|&$=~\\`[]{}";

/**
 * Reports whether bidirectional text displays an operator of some line in another place than it has in the text. This can happen if two of
 * three letters are right-to-left: the one before the operator, the one after it, and the first one of the line
 * (https://www.unicode.org/reports/tr9/#N1). A slash between two letters is ignored: a path reads in the direction of its letters.
 */
function movesOperator(text: string): boolean {
  const isLetter = (c: string | undefined) => /^\p{L}/u.test(c ?? "");
  const isRightToLeft = (c: string | undefined) => isLetter(c) && new RegExp(rightToLeft, "u").test(c ?? "");
  return text.split("\n").some((line) => {
    const characters = [...line];
    const first = isRightToLeft(characters.find(isLetter));
    let before = first;
    let operator = false; // Whether there is an operator after the last letter.
    for (const [n, c] of characters.entries()) {
      if (isLetter(c)) {
        const after = isRightToLeft(c);
        if (operator && (first ? before || after : before && after)) return true;
        [before, operator] = [after, false];
      } else if (operators.includes(c) && !(c === "/" && isLetter(characters[n - 1]) && isLetter(characters[n + 1]))) {
        operator = true;
      }
    }
    return operator && first;
  });
}

/** Returns the JSON escape of a character. */
const escaped = (c: string) => [...Array(c.length).keys()].map((n) => `\\u${c.charCodeAt(n).toString(16).padStart(4, "0")}`).join("");

/** Returns the preview of an input on the card. If it is too long for the card, the preview is an excerpt, and a file has all of it. */
function onCard(input: string): { preview: string; files?: { name: string; text: string }[] } {
  let text = input.replace(invisible, (c) => (c === "\n" ? c : escaped(c)));
  if (movesOperator(text)) text = text.replace(rightToLeft, escaped);
  const characters = [...text];
  if (characters.length <= previewLimit) return { preview: text };
  return { preview: `${characters.slice(0, excerptLength).join("")}…`, files: [{ name: "input.txt", text }] };
}

/** Throws AskbridgeError unless the settings name who may approve. */
export function requireResponders(asking: Asking | undefined): void {
  if (!asking?.responders?.length) throw new AskbridgeError('askbridge: set responders to the people who may approve, as in { to, responders: ["slack:U0000001"] }, or to ["anyone"]');
}

/**
 * Asks people whether the agent may make a tool call. The card shows the complete input; a longer one is a file below the card, and
 * people can only answer once it is uploaded. Only the Allow button approves: a typed text, a dismissed card and no answer do not.
 */
export async function askForApproval(bridge: Askbridge, question: string, input: string, ids: { session: string; tool_call_id: string }, asking: Asking, signal?: AbortSignal): Promise<Decision> {
  const { preview, ...files } = onCard(input);
  const approval = { question, header: "Approval", options: [{ label: "Allow", preview }, { label: "Deny" }] };
  const strict = { replies: { strict: true } }; // A chat message that looks like consent must not approve.
  const ended = await bridge.ask({ ...request(asking), ...ids, ...files, ...strict, questions: [approval] }, waiting(asking, signal));
  if (ended.state !== "answered") return { allowed: false, message: `This was not allowed. ${textOf(ended)}` };
  const [answer] = ended.answers;
  const who = answer?.by.name || "A person";
  if (answer?.other) return { allowed: false, message: `${who} did not allow this, and wrote: ${answer.other}` };
  return answer?.selected[0] === "Allow" ? { allowed: true, message: `${who} allowed this.` } : { allowed: false, message: `${who} did not allow this.` };
}

/** Returns the settings as members of a request. */
export function request({ session: _, onProgress: __, ...rest }: Asking): Omit<NewRequest, "questions"> {
  return rest;
}

/** Returns the settings as options of a wait. */
export function waiting(asking: Asking, signal?: AbortSignal): WaitOptions {
  return { signal, onProgress: asking.onProgress };
}
