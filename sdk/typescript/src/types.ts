// The types of the API, generated from its OpenAPI document. Only types that TypeScript can express more precisely are written here.

import type { components } from "./schema.js";

type Schemas = components["schemas"];

export type Answer = Schemas["Answer"];
export type Delivery = Schemas["Delivery"];
export type Option = Schemas["Option"];
export type Person = Schemas["Person"];
export type Question = Schemas["Question"];
export type Remark = Schemas["Remark"];
export type Place = Schemas["Place"];
export type Origin = Schemas["Origin"];
export type NewPolicy = Schemas["NewPolicy"];
export type NewReplies = Schemas["NewReplies"];
export type Replies = Schemas["Replies"];
export type File = Schemas["File"];
export type Attachment = Schemas["Attachment"];
export type Link = Schemas["Link"];
export type Source = Schemas["Source"];
export type NewSchedule = Schemas["NewSchedule"];
export type NewHours = Schemas["NewHours"];
export type Claim = Schemas["Claim"];
export type NewStep = Schemas["NewStep"];
export type Step = Schemas["Step"];
export type Unnotified = Schemas["Unnotified"];
export type Voting = Schemas["Voting"];
export type Vote = Schemas["Vote"];
export type Choice = Schemas["Choice"];
export type Voter = Schemas["Voter"];
export type Count = Schemas["Count"];
export type AskedBack = Schemas["AskedBack"];
export type Receipt = Schemas["Receipt"];
export type Unanswered = Schemas["Unanswered"];
export type ProblemBody = Schemas["Problem"];

/** The state of a request. Every state except open is final. */
export type State = Schemas["Request"]["state"];

/** A question to ask. An option can be just its label. */
export type NewQuestion = Omit<Schemas["NewQuestion"], "options"> & { readonly options?: readonly (string | Option)[] };

/** A request to submit: up to four questions, and who is asked where. */
export type NewRequest = Omit<Schemas["NewRequest"], "questions"> & { readonly questions: readonly NewQuestion[] };

type Common = Omit<Schemas["Request"], "state" | "answers" | "skipped" | "left" | "text" | "ended_at">;

/** A request that is waiting for an answer. */
export type OpenRequest = Common & { readonly state: "open" };

/** A request that people have answered. */
export type AnsweredRequest = Common & {
  readonly state: "answered";
  /** One answer for each answered question. */
  readonly answers: readonly Answer[];
  /** Optional questions that a person skipped. */
  readonly skipped?: readonly Unanswered[];
  /** Optional questions that were left untouched. */
  readonly left?: readonly Unanswered[];
  /** The answers as the text of a tool result. */
  readonly text: string;
  readonly ended_at: string;
};

/** A request that ended without an answer. */
export type UnansweredRequest = Common & {
  readonly state: Exclude<State, "open" | "answered">;
  readonly ended_at: string;
};

/** A request in a final state. */
export type EndedRequest = AnsweredRequest | UnansweredRequest;

/** A request with its current state, which decides the other members. */
export type AskRequest = OpenRequest | EndedRequest;

/** One page of a list. `next` is the cursor of the following page. */
export type Page = { readonly requests: readonly AskRequest[]; readonly next?: string };

/** One change of a request. */
export type RequestEvent = {
  /** The ID of the event; pass it as `lastEventId` to resume after it. */
  readonly id: string;
  readonly request: AskRequest;
};

/** The body of a webhook call: a request that has ended, or that received a question for the agent. */
export type WebhookEvent = Omit<Schemas["WebhookEvent"], "data"> & { readonly data: AskRequest };

/** Reports whether a request is in a final state. */
export function hasEnded(request: AskRequest): request is EndedRequest {
  return request.state !== "open";
}
