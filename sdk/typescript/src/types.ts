// The words of the API. They come from its OpenAPI document, so that they cannot drift from what is served; only what
// TypeScript can say better is said again here.

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

/** Where a request stands. All but open are final. */
export type State = Schemas["Request"]["state"];

/** A question to ask. An option may be its bare label. */
export type NewQuestion = Omit<Schemas["NewQuestion"], "options"> & { readonly options?: readonly (string | Option)[] };

/** A question set to put in front of people. */
export type NewRequest = Omit<Schemas["NewRequest"], "questions"> & { readonly questions: readonly NewQuestion[] };

type Common = Omit<Schemas["Request"], "state" | "answers" | "skipped" | "left" | "text" | "ended_at">;

/** A request that nobody has answered yet. */
export type OpenRequest = Common & { readonly state: "open" };

/** A request with what a person chose. */
export type AnsweredRequest = Common & {
  readonly state: "answered";
  /** What was chosen, one for each question that was answered. */
  readonly answers: readonly Answer[];
  /** Optional questions without an answer: those that a person skipped, and those that nobody touched. */
  readonly skipped?: readonly Unanswered[];
  readonly left?: readonly Unanswered[];
  /** The answers as the text of a tool result. */
  readonly text: string;
  readonly ended_at: string;
};

/** A request that ended without an answer. It never has one. */
export type UnansweredRequest = Common & {
  readonly state: Exclude<State, "open" | "answered">;
  readonly ended_at: string;
};

/** A request that is decided for ever. */
export type EndedRequest = AnsweredRequest | UnansweredRequest;

/** A question set and how it stands. Its state tells what else it has. */
export type AskRequest = OpenRequest | EndedRequest;

/** One page of a list. */
export type Page = { readonly requests: readonly AskRequest[]; readonly next?: string };

/** One change of a request. */
export type RequestEvent = {
  /** Names the event; give it back as lastEventId to go on behind it. */
  readonly id: string;
  readonly request: AskRequest;
};

/** The body of a webhook call: how a request ended. */
export type WebhookEvent = Omit<Schemas["WebhookEvent"], "data"> & { readonly data: AskRequest };

/** Tells whether a request is decided for ever. */
export function hasEnded(request: AskRequest): request is EndedRequest {
  return request.state !== "open";
}
