// Code generated from docs/reference/openapi.json by "make sdk-types"; DO NOT EDIT.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A part of the bridge that is out of order. */
        readonly Ailing: {
            /**
             * @description Why, without anything secret
             * @example invalid_auth
             */
            readonly detail: string;
            /**
             * @description A platform, store, or bridge
             * @example slack
             */
            readonly part: string;
        };
        /** @description What a person chose for one question. */
        readonly Answer: {
            /**
             * Format: date-time
             * @description When
             */
            readonly at: string;
            /** @description Who answered */
            readonly by: components["schemas"]["Person"];
            /**
             * @description The question's header, as it was sent; may be empty
             * @example Database
             */
            readonly header: string;
            /**
             * Format: int64
             * @description The question's position in the request, from 0
             */
            readonly index: number;
            /** @description A note added to the answer */
            readonly notes?: string;
            /** @description Who wrote the note; absent if it is the person who answered */
            readonly notes_by?: components["schemas"]["Person"];
            /** @description Typed text; empty for none. On a multi-select question it can accompany labels; on any other it replaces them. */
            readonly other: string;
            /**
             * @description The question's text, as it was sent
             * @example Which database?
             */
            readonly question: string;
            /** @description The chosen labels in option order, exactly as they were sent; empty when only text was typed */
            readonly selected: readonly string[];
        };
        /** @description What a person decides: answers to all questions, a reply in place of them, that they dismiss the request, or that they take back what they decided; or that they are on it, or pass it on. */
        readonly AnswerBody: {
            /** @description One for each question; an optional one may be left out */
            readonly answers?: readonly components["schemas"]["GivenAnswer"][];
            /** @description Claims the request for the token's holder, if it has claim_for; this is not an answer */
            readonly claim?: boolean;
            /** @description Ends the request as cancelled, without a word */
            readonly dismiss?: boolean;
            /**
             * @description Passes the request on to this person, if it has pass_on: they may answer then instead of this token's holder
             * @example slack:U0000001
             */
            readonly pass_to?: string;
            /** @description Words for the agent in place of answers; ends the request as cancelled */
            readonly reply?: string;
            /**
             * Format: int64
             * @description Which revision of the request this answers, 0 for the first: another one is refused. Answers, reply and dismiss of a revised request need it.
             */
            readonly revision?: number;
            /** @description Takes back what this token's holder decided, while that can be done */
            readonly undo?: boolean;
        };
        /** @description What a person asked the agent, and its reply. */
        readonly AskedBack: {
            /**
             * Format: date-time
             * @description When they asked
             */
            readonly at: string;
            /** @description Who asked */
            readonly by: components["schemas"]["Person"];
            /**
             * Format: int64
             * @description Identifies the question within the request; the first is 1
             */
            readonly number: number;
            /**
             * Format: date-time
             * @description When it replied
             */
            readonly replied_at?: string;
            /** @description What the agent replied; absent while it has not */
            readonly reply?: string;
            /**
             * @description What they asked
             * @example Does it keep the old data?
             */
            readonly text: string;
        };
        /** @description A file below a card. */
        readonly Attachment: {
            /**
             * Format: int64
             * @description How long it is
             * @example 6
             */
            readonly bytes: number;
            /**
             * @description What the file is called
             * @example change.diff
             */
            readonly name: string;
            /**
             * @description The SHA-256 of its bytes, in hexadecimal
             * @example be5a392951db0e477c12609c2788330a6963b56fc291090a62cd81e83c5ed78c
             */
            readonly sha256: string;
            /**
             * Format: int64
             * @description How many characters at its end the card cuts off; absent for a file of which the card shows nothing
             */
            readonly unshown?: number;
        };
        /** @description Whose texts to erase from the audit trail. */
        readonly AuditErase: {
            /** @description The next of the call before */
            readonly cursor?: string;
            /**
             * @description Who wrote it; absent for everyone
             * @example slack:U0000001
             */
            readonly person?: string;
            /** @description The request; absent for all */
            readonly request?: string;
            /** @description Whose requests they are */
            readonly tenant: string;
        };
        /** @description What was erased. */
        readonly AuditErased: {
            /**
             * Format: int64
             * @description How many events have lost their text
             */
            readonly lines: number;
            /** @description There is more to look at: call again with this cursor */
            readonly next?: string;
        };
        /** @description A share of the audit trail. */
        readonly AuditPage: {
            /**
             * @description The public key of the signed heads, for askbridge audit verify --key. Keep it elsewhere too.
             * @example 3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29
             */
            readonly key: string;
            /** @description The cursor of the next page; absent on the last one */
            readonly next?: string;
            /** @description JSON lines: events, what people wrote, and signed heads, in the order of the chain; askbridge audit verify checks them byte for byte */
            readonly trail: string;
        };
        /** @description A copy of the store. */
        readonly Backup: {
            /**
             * @description The file on the machine of the bridge
             * @example /var/lib/askbridge/askbridge-backup.db
             */
            readonly file: string;
            /**
             * Format: int64
             * @description Its size in bytes
             * @example 65536
             */
            readonly size: number;
        };
        /** @description Why a request is withdrawn. */
        readonly CancelBody: {
            /** @description Shown to people and kept in the request */
            readonly reason?: string;
        };
        /** @description One vote's choice for one question. */
        readonly Choice: {
            /**
             * Format: int64
             * @description The question's position in the request, from 0
             */
            readonly index: number;
            /** @description A note the person added to the choice */
            readonly notes?: string;
            /** @description Typed text */
            readonly other?: string;
            /** @description The chosen labels in option order, exactly as they were sent */
            readonly selected: readonly string[];
            /** @description Whether it is for leaving an optional question unanswered */
            readonly skipped?: boolean;
        };
        /** @description Who is on it. */
        readonly Claim: {
            /**
             * Format: date-time
             * @description Since when
             */
            readonly at: string;
            /** @description Who */
            readonly by: components["schemas"]["Person"];
            /**
             * Format: date-time
             * @description Until when that delays the steps
             */
            readonly until: string;
        };
        /** @description How many people made the same choice. */
        readonly Count: {
            /**
             * Format: int64
             * @description The question's position in the request, from 0
             */
            readonly index: number;
            /** @description The typed text of the choice */
            readonly other?: string;
            /** @description The labels of the choice in option order */
            readonly selected: readonly string[];
            /** @description Whether it is for leaving an optional question unanswered */
            readonly skipped?: boolean;
            /**
             * Format: int64
             * @description How many people made it
             */
            readonly votes: number;
        };
        /** @description The state of one copy of the card. */
        readonly Delivery: {
            /**
             * @description The channel; for a person that of the direct messages, once it is known
             * @example C0000001
             */
            readonly channel?: string;
            /** @description Why the copy is delayed or failed */
            readonly detail?: string;
            /**
             * @description The workspace, organisation or server that was named
             * @example T0000001
             */
            readonly installation?: string;
            /** @description The platform's id of the message, once it is posted */
            readonly message?: string;
            /** @description Who was notified by its message; only if the request, its route or its token sets notify */
            readonly notified?: readonly string[];
            /**
             * @description The platform the copy is for
             * @example slack
             */
            readonly platform: string;
            /**
             * Format: int64
             * @description The place in the channel's queue, 1 for the next
             */
            readonly queue?: number;
            /**
             * Format: date-time
             * @description When delivery is tried, or tried again
             */
            readonly retry_at?: string;
            /**
             * @description pending until it is posted; delayed while it queues or the platform asks to wait; posted when people see it; lost when it was deleted since; failed permanently
             * @enum {string}
             */
            readonly state: "pending" | "delayed" | "posted" | "lost" | "failed";
            /**
             * @description The thread of the channel
             * @example 1700000000.000100
             */
            readonly thread?: string;
            /** @description Who could not be notified. Those who cannot be notified at any place are listed at the first. */
            readonly unnotified?: readonly components["schemas"]["Unnotified"][];
            /**
             * @description The address that opens the message in the platform's client; absent while it is not posted, or unknown
             * @example https://acme.slack.com/archives/C0000001/p1700000000000100
             */
            readonly url?: string;
            /**
             * @description The person who is asked in a direct message
             * @example U0000001
             */
            readonly user?: string;
        };
        /** @description What to erase of requests that have ended, and whose texts. */
        readonly Erase: {
            /** @description The next of the call before */
            readonly cursor?: string;
            /** @description Changes nothing, and counts all the same */
            readonly dry_run?: boolean;
            /**
             * Format: date-time
             * @description Only of requests that ended before this moment
             */
            readonly ended_before?: string;
            /**
             * @description Who wrote it; absent for everyone, including the agent
             * @example slack:U0000001
             */
            readonly person?: string;
            /** @description The request; absent for all */
            readonly request?: string;
        };
        /** @description What a share of an erasure has come to. */
        readonly Erased: {
            /**
             * Format: int64
             * @description How many of them have lost texts, or would
             */
            readonly erased: number;
            /**
             * Format: int64
             * @description How many events of the audit trail have lost their text
             */
            readonly lines?: number;
            /** @description There is more to look at: call again with this cursor */
            readonly next?: string;
            /**
             * Format: int64
             * @description How many requests are open and are left alone; the first call counts them
             */
            readonly open?: number;
            /**
             * Format: int64
             * @description How many requests that have ended were looked at
             */
            readonly requests: number;
        };
        /** @description A text that is too long for a card. */
        readonly File: {
            /**
             * @description The file name; its extension determines the type
             * @example change.diff
             */
            readonly name: string;
            /**
             * @description What is in it, byte for byte
             * @example -a
             *     +b
             */
            readonly text: string;
        };
        /** @description An answer to one question. */
        readonly GivenAnswer: {
            /**
             * Format: int64
             * @description The question's position in the request, from 0
             */
            readonly index: number;
            /** @description A note in addition to the answer, if the question takes one */
            readonly notes?: string;
            /** @description A typed answer: instead of labels, or in addition to them on a multi-select question */
            readonly other?: string;
            /** @description Labels of options, exactly as the request has them; one unless several may be chosen */
            readonly selected?: readonly string[];
            /** @description Leaves an optional question unanswered, in place of labels and own words */
            readonly skip?: boolean;
        };
        /** @description A call that a person has allowed for a time. */
        readonly Grant: {
            /**
             * @description The agent whose calls it allows
             * @example deploy-bot
             */
            readonly agent?: string;
            /** @description Who has made it */
            readonly by: components["schemas"]["Person"];
            /** @description Names the grant in other calls, and behind grant: in via of the requests it has met */
            readonly id: string;
            /**
             * Format: date-time
             * @description When it was made
             */
            readonly made_at: string;
            /** @description The request whose answer made it */
            readonly request: string;
            /**
             * Format: date-time
             * @description When it was revoked; only in the reply to that
             */
            readonly revoked_at?: string;
            /**
             * @description session: in the one session. agent: in every session of the agent.
             * @enum {string}
             */
            readonly scope: "session" | "agent";
            /**
             * @description The one session that it holds in; absent with the scope agent
             * @example run-7
             */
            readonly session?: string;
            /** @description Whose requests it meets */
            readonly tenant?: string;
            /** @description The id of the token that it was made with over the API, and ends with; absent for one made on a card */
            readonly token?: string;
            /**
             * Format: date-time
             * @description When it ends by itself
             */
            readonly until: string;
            /**
             * Format: date-time
             * @description When it met the last one; absent for never
             */
            readonly used_at?: string;
            /**
             * Format: int64
             * @description How many requests it has met
             */
            readonly uses: number;
            /**
             * @description What is allowed, on one line; cut where it is long. Only a call that is the same in all of it is met.
             * @example Bash: npm test
             */
            readonly what: string;
        };
        /** @description How far and how long people may allow a call again without being asked. */
        readonly GrantCeiling: {
            /**
             * @description How long, from the decision on: from 1m to 30d
             * @example 8h
             */
            readonly for: string;
            /**
             * @description session: in the session that asked. agent: in every session of the agent, too.
             * @enum {string}
             */
            readonly scope: "session" | "agent";
        };
        /** @description A list of grants. */
        readonly Grants: {
            /** @description Active ones, newest first */
            readonly grants: readonly components["schemas"]["Grant"][];
        };
        /** @description How the bridge is. */
        readonly Health: {
            /** @description What is out of order */
            readonly parts?: readonly components["schemas"]["Ailing"][];
            /**
             * @description Whether calls should come here
             * @enum {string}
             */
            readonly status: "ok" | "unready";
        };
        /** @description What was done to a request. */
        readonly History: {
            /**
             * Format: int64
             * @description How many earlier events are only in the audit trail
             */
            readonly before?: number;
            /** @description Oldest first */
            readonly events: readonly components["schemas"]["HistoryEvent"][] | null;
        };
        /** @description One thing that was done to a request. */
        readonly HistoryEvent: {
            /** @description Names the interaction, for logs */
            readonly act?: string;
            /**
             * Format: date-time
             * @description By the store's clock
             */
            readonly at: string;
            /** @description Who did it, as authenticated by the platform; absent for an agent and for time */
            readonly by?: components["schemas"]["Person"];
            /** @description What they chose */
            readonly choices?: readonly components["schemas"]["Choice"][] | null;
            /**
             * @description In the program's words: a place, a step, a verdict
             * @example forbidden
             */
            readonly detail?: string;
            /**
             * @description What was done; for the end of the request, its state
             * @example refused
             */
            readonly kind: string;
            /**
             * Format: int64
             * @description Counts the events of the request, from 1
             */
            readonly seq: number;
            /** @description What they wrote */
            readonly text?: string;
        };
        /** @description A link button. The card shows its address next to it. */
        readonly Link: {
            /**
             * @description The text on the button
             * @example Runbook
             */
            readonly label: string;
            /**
             * Format: uri
             * @description Where it leads: an https address, which people see
             * @example https://wiki.example.com/runbook
             */
            readonly url: string;
        };
        /** @description A new token. It is shown only once. */
        readonly MadeToken: {
            /**
             * @description Whether people can ask it something if neither the request nor the route sets this
             * @enum {string}
             */
            readonly ask_back?: "off" | "stay" | "end";
            /**
             * @description Who has made it
             * @example operator
             */
            readonly by?: string;
            /**
             * Format: int64
             * @description How many calls of any kind it may make per minute; a wait of five seconds or longer does not count, and at most as many of those add up; absent for 6000
             */
            readonly calls_per_minute?: number;
            /**
             * Format: date-time
             * @description When it was made
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When it expires; absent for one without expiry
             */
            readonly expires_at?: string;
            /** @description How far and how long people may allow a call of its hosts again without being asked; absent for not at all */
            readonly grants?: components["schemas"]["GrantCeiling"];
            /**
             * @description How long the person who decides its requests can undo it at least
             * @example 10s
             */
            readonly hold?: string;
            /** @description Identifies the token in other calls without revealing it; absent for one of the configuration */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When it was used last, to five minutes; absent for never
             */
            readonly last_used_at?: string;
            /**
             * Format: int64
             * @description How many of its requests may be open at a time; absent for 1000
             */
            readonly max_open?: number;
            /**
             * Format: int64
             * @description How many event streams it may hold; absent for 10
             */
            readonly max_streams?: number;
            /**
             * Format: int64
             * @description How many of its calls may wait for people at a time; absent for 1000
             */
            readonly max_waits?: number;
            /** @description What the model itself may set in a call of the MCP tool: where it asks, who may answer, and the conversation it works in; absent for nothing */
            readonly model_may_set?: readonly ("to" | "route" | "responders" | "origin")[];
            /**
             * @description Shown in the log and on cards. No two may look alike.
             * @example deploy-bot
             */
            readonly name: string;
            /**
             * @description Who is notified of its requests if neither they nor their routes say
             * @example [
             *       "slack:U0000001"
             *     ]
             */
            readonly notify?: readonly string[];
            /** @description Whether its requests may widen it all the same */
            readonly override_responders?: boolean;
            /**
             * @description How far the permissions that its hosts ask for may reach beyond one call; absent for session
             * @enum {string}
             */
            readonly persist?: "none" | "session" | "local" | "project" | "user";
            /** @description How many people decide its requests at least */
            readonly policy?: components["schemas"]["NewPolicy"];
            /**
             * Format: int64
             * @description How many requests it may hand in per minute; absent for 60
             */
            readonly rate_per_minute?: number;
            /** @description Whether its cards show when it has acknowledged an answer */
            readonly receipts?: boolean;
            /** @description The id of the token that replaces it */
            readonly replaced_by?: string;
            /** @description The id of the token that it replaces */
            readonly replaces?: string;
            /**
             * @description On whose behalf it asks; with the scope answer, who its holder is on each platform
             * @example [
             *       "slack:U0000001"
             *     ]
             */
            readonly requester?: readonly string[];
            /** @description Who may answer its requests at most. A request can narrow this and never widen it. */
            readonly responders?: readonly string[];
            /**
             * Format: date-time
             * @description When it was revoked
             */
            readonly revoked_at?: string;
            /**
             * @description The routes it may use
             * @example [
             *       "deploys"
             *     ]
             */
            readonly routes?: readonly string[];
            /** @description What happens while there is no answer to its requests, if neither they nor their routes say */
            readonly schedule?: components["schemas"]["NewSchedule"];
            /** @description What it may do; absent for ask, read and cancel */
            readonly scopes?: readonly ("ask" | "read" | "cancel" | "admin" | "answer" | "grant" | "tokens")[];
            /**
             * @description Whether it is valid. One that was replaced is active until its grace is over.
             * @enum {string}
             */
            readonly state: "active" | "expired" | "replaced" | "revoked";
            /**
             * @description The policy for questions of sub-agents; absent for the host's own
             * @enum {string}
             */
            readonly subagents?: "refuse" | "pass";
            /**
             * @description Where it may ask. Anywhere if there are neither targets nor routes.
             * @example [
             *       "slack:C0000001"
             *     ]
             */
            readonly targets?: readonly string[];
            /**
             * @description Agents of one tenant see each other's requests and no others; absent for the name
             * @example platform-team
             */
            readonly tenant?: string;
            /**
             * @description The token itself, which cannot be shown again.
             * @example abk_…
             */
            readonly token: string;
            /** @description How its hosts differ from what they document */
            readonly variants?: readonly string[];
        };
        /** @description When steps happen. */
        readonly NewHours: {
            /**
             * @description Days of the week on which the span begins, as in mon-fri or mon,wed; absent for every day
             * @example mon-fri
             */
            readonly days?: string;
            /**
             * @description The time of day from which on steps happen
             * @example 09:00
             */
            readonly from: string;
            /**
             * @description The time of day before which they happen; 24:00 is the end of the day, and an earlier time than from is on the next day
             * @example 18:00
             */
            readonly to: string;
            /**
             * @description A name of the IANA time zone database
             * @example Europe/Berlin
             */
            readonly zone: string;
        };
        /** @description How many people decide. */
        readonly NewPolicy: {
            /** @description false if a vote cannot be changed or taken back */
            readonly change?: boolean;
            /**
             * Format: int64
             * @description How many people have to dismiss the request to end it; absent for one
             */
            readonly dismiss?: number;
            /**
             * @description first: the first complete answer decides. quorum: as many people as are needed have to choose the same. poll: most votes decide at the deadline, or when everyone has voted.
             * @enum {string}
             */
            readonly mode?: "first" | "quorum" | "poll";
            /** @description How many people have to choose the same, in a poll how many have to vote: 1 to 10, all or majority. The words need responders that are people. */
            readonly need?: number | ("all" | "majority");
            /** @description How many people single labels need instead, as in {"Stop": 1} for a veto; only in a quorum */
            readonly needs?: {
                readonly [key: string]: number;
            };
            /**
             * @description What is shown of the votes before the end: who chose what, how many there are, or nothing
             * @enum {string}
             */
            readonly show?: "live" | "count" | "sealed";
        };
        /** @description A question to ask. Without options it is answered with text. */
        readonly NewQuestion: {
            /** @description A choice counts only once it is submitted, so that no single tap decides */
            readonly confirm?: boolean;
            /**
             * @description A short title; over 12 characters it may be cut for display
             * @example Database
             */
            readonly header?: string;
            /** @description Whether several options may be chosen; multi_select is read too */
            readonly multiSelect?: boolean;
            /** @description Switches the free-text answer off */
            readonly noOther?: boolean;
            /** @description Lets people add a note to their answer; a note alone is no answer */
            readonly notes?: boolean;
            /** @description Lets people skip the question or leave it; those that are not optional have to be answered */
            readonly optional?: boolean;
            /** @description Two to four choices, up to 25 where the bridge is set so; none for a text answer. Bare strings are read too. */
            readonly options?: readonly components["schemas"]["Option"][];
            /**
             * @description What is asked
             * @example Which database?
             */
            readonly question: string;
        };
        /** @description Which messages next to the card count as answers. */
        readonly NewReplies: {
            /** @description The languages whose words for yes and no count, as in de, in addition to English and the card's */
            readonly languages?: readonly string[];
            /**
             * @description off: messages answer nothing. labels: a label, a number, a letter, yes or no, as the whole text. text: also free text.
             * @enum {string}
             */
            readonly mode?: "off" | "labels" | "text";
            /** @description Whether only the code of the request followed by a whole label counts, as always in votes and permission prompts */
            readonly strict?: boolean;
        };
        /** @description A question set to put in front of people. */
        readonly NewRequest: {
            /** @description The name shown, where tokens are not used; else the token's name is shown */
            readonly agent?: string;
            /**
             * @description Whether people can ask the agent something. stay: it gets the question and replies, and the request stays open. end: it ends the request as a reply does. Absent: as configured, or off.
             * @enum {string}
             */
            readonly ask_back?: "off" | "stay" | "end";
            /** @description A line or two above the questions. Markdown is shown: bold and italic text, headings, links with their addresses, quotes, lists, code and tables. Everything else is shown as written. */
            readonly context?: string;
            /** @description Whether the agent gets nothing before the request ends, so that a question to it ends the request if people can ask it something */
            readonly deaf?: boolean;
            /**
             * @description How long people have: 30m, 24h, 2d, never. Absent: as configured.
             * @example 30m
             */
            readonly expires_in?: string;
            /** @description Texts that are too long for a card, such as a diff: uploaded below it, with their SHA-256 on it. The request cannot be answered before they are uploaded. Up to 512 KiB together. */
            readonly files?: readonly components["schemas"]["File"][];
            /**
             * @description How long the person who decides can undo it, from 1s to 10m; the agent gets the answer afterwards. A route and a token may require more than this.
             * @example 10s
             */
            readonly hold?: string;
            /** @description The same as the Idempotency-Key header, which wins */
            readonly idempotency_key?: string;
            /**
             * @description The language of the cards, except for the agent's texts: de, en or es. Absent: as configured.
             * @example de
             */
            readonly language?: string;
            /** @description Links as buttons below the context; each address is shown next to its label */
            readonly links?: readonly components["schemas"]["Link"][];
            /**
             * @description Who is notified once, by a mention: <platform>:<id>, groups as in responders, and requester. It does not allow them to answer. An empty list notifies no one; absent: as configured, or those in responders.
             * @example [
             *       "slack-group:S0000001"
             *     ]
             */
            readonly notify?: readonly string[];
            /** @description The conversation in which the agent works. A route that allows it asks there instead of at its own places, which remain the fallback. */
            readonly origin?: components["schemas"]["Origin"];
            /** @description How many people decide. Absent: the first complete answer does. A route and a token may ask for more than this, never for less. */
            readonly policy?: components["schemas"]["NewPolicy"];
            /** @description One to four questions, up to ten where the bridge is set so. A JSON string holding the list is read too. */
            readonly questions: readonly components["schemas"]["NewQuestion"][];
            /** @description Whether the cards show, after an answer, when the agent has acknowledged it */
            readonly receipts?: boolean;
            /** @description Whether a typed message answers it. Absent: as the route and the token allow, or not at all. A request cannot allow more than they do. */
            readonly replies?: components["schemas"]["NewReplies"];
            /** @description Who may answer: anyone, or <platform>:<id>. Absent: as configured. */
            readonly responders?: readonly string[];
            /**
             * @description high: people confirm the option that they choose in a form that repeats what is asked. For one question with up to five options.
             * @enum {string}
             */
            readonly risk?: "high";
            /** @description A configured destination, in place of to */
            readonly route?: string;
            /**
             * @description Finds an open request with the same content, of the session or of the agent, instead of asking again; keys do not distinguish requests then. Ended requests are asked again.
             * @enum {string}
             */
            readonly same?: "session" | "agent";
            /** @description What happens while there is no answer. Absent: as configured, or nothing. */
            readonly schedule?: components["schemas"]["NewSchedule"];
            /** @description Groups the requests of one agent run */
            readonly session?: string;
            /** @description Where the agent works, such as a run, a pull request or a session: the first line of the card links to it */
            readonly source?: components["schemas"]["Source"];
            /** @description An open request of the same session that this one replaces */
            readonly supersedes?: string;
            /** @description Where to ask. The first complete answer wins everywhere. */
            readonly to?: readonly components["schemas"]["Place"][];
            /**
             * @description The agent host's id of the tool call. Sent again it finds the same request.
             * @example toolu_01
             */
            readonly tool_call_id?: string;
            /**
             * Format: uri
             * @description An https address that gets the ended request, signed according to Standard Webhooks
             * @example https://agent.example/answers
             */
            readonly webhook?: string;
            /**
             * @description With same: also finds a request that was answered within this time, at most 1h; its answer is returned. Not for requests that several people decide.
             * @example 10m
             */
            readonly within?: string;
        };
        /** @description The escalation of an unanswered request. */
        readonly NewSchedule: {
            /**
             * @description Lets people say that they work on it, which delays the steps for so long, from 1m to 24h; others may still answer
             * @example 30m
             */
            readonly claim_for?: string;
            /** @description When steps happen: one that comes outside of them waits for the next opening. Absent: around the clock. */
            readonly hours?: components["schemas"]["NewHours"];
            /** @description Lets people pass the request on to another person, who may answer instead: at most 5 times, and only to people who may answer by the rules of route and token */
            readonly pass_on?: boolean;
            /** @description The steps in their order, all before the deadline */
            readonly steps?: readonly components["schemas"]["NewStep"][];
        };
        /** @description One step of an escalation. */
        readonly NewStep: {
            /**
             * @description How long after the request was made
             * @example 30m
             */
            readonly after: string;
            /**
             * @description remind: people are notified again, below the card. add: more people may answer, and it is asked in more places. A step decides nothing.
             * @enum {string}
             */
            readonly do: "remind" | "add";
            /** @description Who is notified of the step, as in a request. Absent: those it adds, or those notified of the request. */
            readonly notify?: readonly string[];
            /** @description Who may answer from then on, in addition to the others: people and groups; with add. Never more than the route and the token allow. */
            readonly responders?: readonly string[];
            /** @description Where it is asked from then on, too; with add */
            readonly to?: readonly components["schemas"]["Place"][];
        };
        /** @description A token to be made. */
        readonly NewToken: {
            /**
             * @description Whether people can ask it something if neither the request nor the route sets this
             * @enum {string}
             */
            readonly ask_back?: "off" | "stay" | "end";
            /**
             * Format: int64
             * @description How many calls of any kind it may make per minute; a wait of five seconds or longer does not count, and at most as many of those add up; absent for 6000
             */
            readonly calls_per_minute?: number;
            /**
             * @description How long it lasts: 30d, 12h, never; absent for 90d
             * @example 30d
             */
            readonly expires_in?: string;
            /** @description How far and how long people may allow a call of its hosts again without being asked; absent for not at all */
            readonly grants?: components["schemas"]["GrantCeiling"];
            /**
             * @description How long the person who decides its requests can undo it at least
             * @example 10s
             */
            readonly hold?: string;
            /**
             * Format: int64
             * @description How many of its requests may be open at a time; absent for 1000
             */
            readonly max_open?: number;
            /**
             * Format: int64
             * @description How many event streams it may hold; absent for 10
             */
            readonly max_streams?: number;
            /**
             * Format: int64
             * @description How many of its calls may wait for people at a time; absent for 1000
             */
            readonly max_waits?: number;
            /** @description What the model itself may set in a call of the MCP tool: where it asks, who may answer, and the conversation it works in; absent for nothing */
            readonly model_may_set?: readonly ("to" | "route" | "responders" | "origin")[];
            /**
             * @description Shown in the log and on cards. No two may look alike.
             * @example deploy-bot
             */
            readonly name: string;
            /**
             * @description Who is notified of its requests if neither they nor their routes say
             * @example [
             *       "slack:U0000001"
             *     ]
             */
            readonly notify?: readonly string[];
            /** @description Whether its requests may widen it all the same */
            readonly override_responders?: boolean;
            /**
             * @description How far the permissions that its hosts ask for may reach beyond one call; absent for session
             * @enum {string}
             */
            readonly persist?: "none" | "session" | "local" | "project" | "user";
            /** @description How many people decide its requests at least */
            readonly policy?: components["schemas"]["NewPolicy"];
            /**
             * Format: int64
             * @description How many requests it may hand in per minute; absent for 60
             */
            readonly rate_per_minute?: number;
            /** @description Whether its cards show when it has acknowledged an answer */
            readonly receipts?: boolean;
            /**
             * @description On whose behalf it asks; with the scope answer, who its holder is on each platform
             * @example [
             *       "slack:U0000001"
             *     ]
             */
            readonly requester?: readonly string[];
            /** @description Who may answer its requests at most. A request can narrow this and never widen it. */
            readonly responders?: readonly string[];
            /**
             * @description The routes it may use
             * @example [
             *       "deploys"
             *     ]
             */
            readonly routes?: readonly string[];
            /** @description What happens while there is no answer to its requests, if neither they nor their routes say */
            readonly schedule?: components["schemas"]["NewSchedule"];
            /** @description What it may do; absent for ask, read and cancel */
            readonly scopes?: readonly ("ask" | "read" | "cancel" | "admin" | "answer" | "grant" | "tokens")[];
            /**
             * @description The policy for questions of sub-agents; absent for the host's own
             * @enum {string}
             */
            readonly subagents?: "refuse" | "pass";
            /**
             * @description Where it may ask. Anywhere if there are neither targets nor routes.
             * @example [
             *       "slack:C0000001"
             *     ]
             */
            readonly targets?: readonly string[];
            /**
             * @description Agents of one tenant see each other's requests and no others; absent for the name
             * @example platform-team
             */
            readonly tenant?: string;
            /** @description How its hosts differ from what they document */
            readonly variants?: readonly string[];
        };
        /** @description How many requests there were, how they ended, and how long people took. */
        readonly Numbers: {
            /**
             * Format: int64
             * @description Answered, by people or by a grant
             */
            readonly answered: number;
            /**
             * Format: int64
             * @description How many requests there were
             */
            readonly asked: number;
            /**
             * Format: int64
             * @description Ended by a person without an answer: dismissed, or replied to in words
             */
            readonly dismissed: number;
            /**
             * Format: int64
             * @description Expired at the deadline
             */
            readonly expired: number;
            /**
             * Format: int64
             * @description Not delivered
             */
            readonly failed: number;
            /**
             * Format: int64
             * @description Answered by a grant, without asking anyone; part of answered
             */
            readonly granted: number;
            /**
             * Format: int64
             * @description Equal requests that shared one of these, and were answered with it
             */
            readonly joined: number;
            /**
             * Format: int64
             * @description Still open
             */
            readonly open: number;
            /**
             * Format: int64
             * @description Reminders and escalations that were needed
             */
            readonly reminders: number;
            /**
             * Format: int64
             * @description Replaced by a newer request
             */
            readonly superseded: number;
            /** @description From the question to the answer or dismissal by people; without what grants answered */
            readonly to_end?: components["schemas"]["Times"];
            /** @description From the question to the first thing a person did with it; without what grants answered */
            readonly to_first_act?: components["schemas"]["Times"];
            /**
             * Format: int64
             * @description Withdrawn by the agent or an operator
             */
            readonly withdrawn: number;
        };
        /** @description One choice of a question. */
        readonly Option: {
            /**
             * @description What choosing it means
             * @example Managed
             */
            readonly description?: string;
            /**
             * @description What is chosen, and comes back unchanged
             * @example Postgres
             */
            readonly label: string;
            /** @description A longer sample, such as code or a layout, shown as preformatted text */
            readonly preview?: string;
            /**
             * @description The style of the button; absent for the usual one. It has no other effect.
             * @enum {string}
             */
            readonly style?: "primary" | "danger";
        };
        /** @description The conversation in which the agent works. A route that allows it asks there. */
        readonly Origin: {
            /**
             * @description The platform's channel id; cannot be combined with user
             * @example C0000001
             */
            readonly channel?: string;
            /**
             * @description The Slack workspace or organisation, or the Discord server, that the channel or person has to be of; leave it out for the only one
             * @example T0000001
             */
            readonly installation?: string;
            /**
             * @description The language of the conversation, for the card's own texts
             * @example de
             */
            readonly language?: string;
            /**
             * @description The people of the conversation, who are notified there: <platform>:<id>. It does not allow them to answer, unless the route says so.
             * @example [
             *       "slack:U0000001"
             *     ]
             */
            readonly people?: readonly string[];
            /**
             * @description The platform to ask on
             * @example slack
             */
            readonly platform: string;
            /**
             * @description The platform's id of a thread of the channel
             * @example 1700000000.000100
             */
            readonly thread?: string;
            /**
             * @description The platform's id of a person, who is asked in a direct message; cannot be combined with channel
             * @example U0000001
             */
            readonly user?: string;
        };
        /** @description One page of a list. */
        readonly Page: {
            /** @description The cursor of the next page; absent on the last one */
            readonly next?: string;
            /** @description The requests of this page */
            readonly requests: readonly components["schemas"]["Request"][];
        };
        /** @description A user of a platform. */
        readonly Person: {
            /**
             * @description The platform's id of the person
             * @example U0000001
             */
            readonly id: string;
            /**
             * @description The Slack workspace or organisation that the id belongs to; absent if the bridge serves one
             * @example T0000001
             */
            readonly installation?: string;
            /**
             * @description The name that the platform shows
             * @example Dana
             */
            readonly name?: string;
            /**
             * @description The platform of the person
             * @example slack
             */
            readonly platform: string;
        };
        /** @description What one person did. */
        readonly PersonNumbers: {
            /**
             * Format: int64
             * @description Requests with which this person did anything that was accepted
             */
            readonly acted: number;
            /**
             * Format: int64
             * @description Requests that this person answered or dismissed, or for which their vote counted
             */
            readonly decided: number;
            /**
             * @description The person's account, or the name under which the configuration links their accounts
             * @example slack:U0000001
             */
            readonly person: string;
            /** @description From the question to the first thing this person did with it */
            readonly to_first_act?: components["schemas"]["Times"];
        };
        /** @description One place where a request is shown: a channel, a thread of a channel, or a person's direct messages. */
        readonly Place: {
            /**
             * @description The platform's channel id; cannot be combined with user
             * @example C0000001
             */
            readonly channel?: string;
            /**
             * @description The Slack workspace or organisation, or the Discord server, that the channel or person has to be of; leave it out for the only one
             * @example T0000001
             */
            readonly installation?: string;
            /**
             * @description The platform to ask on
             * @example slack
             */
            readonly platform: string;
            /**
             * @description The platform's id of a thread of the channel
             * @example 1700000000.000100
             */
            readonly thread?: string;
            /**
             * @description The platform's id of a person, who is asked in a direct message; cannot be combined with channel
             * @example U0000001
             */
            readonly user?: string;
        };
        /** @description What went wrong (RFC 9457). */
        readonly Problem: {
            /** @description With 5xx: finds the cause in the log of the bridge */
            readonly call_id?: string;
            /** @description What happened and what to do about it */
            readonly detail?: string;
            /** @description Everything wrong with what was sent, at once */
            readonly errors?: readonly components["schemas"]["Remark"][];
            /** @description With 409 for an answer to another revision: the current request */
            readonly request?: components["schemas"]["Request"];
            /** @description With 409: the request made before with the same key */
            readonly request_id?: string;
            /**
             * Format: int64
             * @description The HTTP status
             * @example 422
             */
            readonly status: number;
            /**
             * @description The status in words
             * @example Unprocessable Entity
             */
            readonly title: string;
        };
        /** @description A question that was asked. Without options it is answered with text. */
        readonly Question: {
            /** @description Whether a choice counts only once it is submitted */
            readonly confirm?: boolean;
            /**
             * @description A short title; may be empty
             * @example Database
             */
            readonly header: string;
            /** @description Whether several options may be chosen */
            readonly multiSelect: boolean;
            /** @description Whether the free-text answer is switched off */
            readonly noOther?: boolean;
            /** @description Whether people can add a note to their answer */
            readonly notes?: boolean;
            /** @description Whether the question may be skipped or left unanswered */
            readonly optional?: boolean;
            /** @description The choices; empty for a question that is answered with text */
            readonly options: readonly components["schemas"]["Option"][];
            /**
             * @description What is asked
             * @example Which database?
             */
            readonly question: string;
        };
        /** @description Whether the agent has taken what was decided. */
        readonly Receipt: {
            /**
             * @description What the agent used instead of the answer; absent if it used the answer
             * @example answered in the terminal: Wait
             */
            readonly instead?: string;
            /** @description Whether it was not acknowledged within ten minutes */
            readonly missing?: boolean;
            /**
             * Format: date-time
             * @description When the agent acknowledged it; absent until then
             */
            readonly taken_at?: string;
        };
        /** @description What a reload has taken over. */
        readonly Reloaded: {
            /**
             * @description The settings that have changed; empty when none has
             * @example [
             *       "agents"
             *     ]
             */
            readonly changed: readonly string[];
        };
        /** @description A remark about one member of the input. */
        readonly Remark: {
            /**
             * @description The problem or the advice
             * @example must not be empty
             */
            readonly detail: string;
            /**
             * @description The path of the member
             * @example questions[1].options[0].label
             */
            readonly path: string;
        };
        /** @description Which messages next to the card count as answers, as effective for the request. */
        readonly Replies: {
            /** @description The languages accepted for yes and no in addition to English and the card's */
            readonly languages?: readonly string[];
            /**
             * @description Which messages next to the card count as answers: none; a label, a number, a letter, yes or no; also free text
             * @enum {string}
             */
            readonly mode: "off" | "labels" | "text";
            /** @description Whether only a whole label behind the code of the request counts */
            readonly strict?: boolean;
        };
        /** @description What an agent replies to a person. */
        readonly ReplyBody: {
            /** @description The reply, which everyone sees who sees the card */
            readonly text: string;
            /**
             * Format: int64
             * @description The number of what the person asked. Absent: the only one that waits for a reply.
             */
            readonly to?: number;
        };
        /** @description A question set and its state. */
        readonly Request: {
            /** @description What was accepted but will look or work differently from how it was sent */
            readonly advice?: readonly components["schemas"]["Remark"][];
            /**
             * @description The name shown to people
             * @example deploy-bot
             */
            readonly agent?: string;
            /** @description What was chosen; only when answered */
            readonly answers?: readonly components["schemas"]["Answer"][];
            /**
             * @description Whether people can ask the agent something; absent if they cannot
             * @enum {string}
             */
            readonly ask_back?: "stay" | "end";
            /** @description What people asked the agent, and its replies */
            readonly asked_back?: readonly components["schemas"]["AskedBack"][];
            /** @description The person who ended the request */
            readonly by?: components["schemas"]["Person"];
            /** @description Who is on it, or was last */
            readonly claim?: components["schemas"]["Claim"];
            /**
             * @description How long a person who works on it delays the steps; absent if people cannot say so
             * @example 30m
             */
            readonly claim_for?: string;
            /**
             * @description The request's short code, for messages such as "k7qd: Deploy"; only with replies
             * @example k7qd
             */
            readonly code?: string;
            /**
             * @description The text above the questions
             * @example Deploying 4.2
             */
            readonly context?: string;
            /**
             * Format: date-time
             * @description When it was asked
             */
            readonly created_at: string;
            /** @description The state of each copy of the card */
            readonly delivery: readonly components["schemas"]["Delivery"][];
            /**
             * Format: date-time
             * @description When the request ended; absent while it is open
             */
            readonly ended_at?: string;
            /**
             * Format: date-time
             * @description The deadline; absent when there is none
             */
            readonly expires_at?: string;
            /** @description Files uploaded below the cards, which list them */
            readonly files?: readonly components["schemas"]["Attachment"][];
            /** @description Further lists that must allow the person who answers: requirements of the route or the token that only a look-up can check */
            readonly floors?: readonly (readonly string[])[];
            /**
             * @description How long the person who decides can undo it; absent if they cannot
             * @example 10s
             */
            readonly hold?: string;
            /** @description Names the request in other calls */
            readonly id: string;
            /** @description Unknown members of the body */
            readonly ignored?: readonly string[];
            /**
             * Format: int64
             * @description How many equal requests share this one: permission prompts that came while it was open, in the same session. Its answer is for each of them.
             * @example 2
             */
            readonly joined?: number;
            /** @description Optional questions without any action; only when answered */
            readonly left?: readonly components["schemas"]["Unanswered"][];
            /** @description Links as buttons */
            readonly links?: readonly components["schemas"]["Link"][];
            /** @description The names of the request's channels and people that the bridge knows, by platform and id as in responders. They are for people to read, and can change. */
            readonly names?: {
                readonly [key: string]: string;
            };
            /** @description Who has not voted on an open request, if only named people may and votes are shown live */
            readonly not_voted?: readonly components["schemas"]["Voter"][];
            /** @description Whether people can pass it on to another person */
            readonly pass_on?: boolean;
            /** @description How many people decide, with a number instead of all or majority; absent if the first complete answer decides */
            readonly policy?: components["schemas"]["Voting"];
            /** @description What was asked */
            readonly questions: readonly components["schemas"]["Question"][];
            /** @description Why the request ended without an answer; where a person ended it, dismissed, or what they replied in place of answers */
            readonly reason?: string;
            /** @description Whether the agent has acknowledged the answer; only with receipts */
            readonly receipt?: components["schemas"]["Receipt"];
            /** @description Whether the answer had been given to an equal request before, and is handed on; only in the reply to a submission with within */
            readonly replayed?: boolean;
            /** @description Whether Reason is what a person replied in place of answers */
            readonly replied?: boolean;
            /** @description How a typed message can answer; absent if it cannot */
            readonly replies?: components["schemas"]["Replies"];
            /** @description Who may answer */
            readonly responders: readonly string[];
            /**
             * Format: date-time
             * @description When it was revised last
             */
            readonly revised_at?: string;
            /**
             * Format: int64
             * @description How often the agent has revised what is asked; absent for never
             */
            readonly revision?: number;
            /**
             * @description high if people confirm what they choose; absent if they do not
             * @enum {string}
             */
            readonly risk?: "high";
            /**
             * @description The agent run that the request belongs to
             * @example run-7
             */
            readonly session?: string;
            /** @description Optional questions that a person skipped; only when answered */
            readonly skipped?: readonly components["schemas"]["Unanswered"][];
            /** @description Where the agent works; the first line of the card links to it */
            readonly source?: components["schemas"]["Source"];
            /**
             * @description The state of the request; all but open are final
             * @enum {string}
             */
            readonly state: "open" | "answered" | "cancelled" | "expired" | "superseded" | "failed";
            /** @description The steps while there is no answer, done or not */
            readonly steps?: readonly components["schemas"]["Step"][];
            /** @description How many people made each choice; before the end only where votes are shown live */
            readonly tally?: readonly components["schemas"]["Count"][];
            /** @description The answers as the text of a tool result; only when answered */
            readonly text?: string;
            /**
             * @description The agent host's id of the tool call, as it was sent
             * @example toolu_01
             */
            readonly tool_call_id?: string;
            /**
             * Format: date-time
             * @description Until when what was answered can be undone, after which it is final; only in the reply to an answer
             */
            readonly undo_until?: string;
            /**
             * @description What ended the request in place of an act on it: grant:<id> for the grant that allowed the call, request:<id> for the request that superseded this one
             * @example grant:8fk2v0qj5m1xw7t3c9dn
             */
            readonly via?: string;
            /**
             * Format: int64
             * @description How many people have voted
             */
            readonly voted?: number;
            /** @description Who chose what; before the end only where votes are shown live. The decision itself is in answers. */
            readonly votes?: readonly components["schemas"]["Vote"][];
            /** @description The state of the call to the agent, if it gave an address */
            readonly webhook?: components["schemas"]["Webhook"];
        };
        /** @description What takes the place of what a request asks. */
        readonly Revision: {
            /** @description The text above them from now on; may be empty. Absent: as it is. */
            readonly context?: string;
            /** @description All questions that are asked from now on. Absent: as they are. */
            readonly questions?: readonly components["schemas"]["NewQuestion"][];
            /**
             * Format: int64
             * @description The revision that this one replaces, 0 for the original: 409 if it is not the current one. Absent: the current one.
             */
            readonly revision?: number;
        };
        /** @description How a token is replaced. */
        readonly RotateToken: {
            /**
             * @description How long the new one lasts; absent for as long as the old one did
             * @example 30d
             */
            readonly expires_in?: string;
            /**
             * @description How long the old one remains valid: 1h, 7d, 0 for no time; absent for 24h, at most 30d
             * @example 1h
             */
            readonly grace?: string;
        };
        /** @description The numbers of one route or agent. */
        readonly Share: {
            /**
             * Format: int64
             * @description Answered, by people or by a grant
             */
            readonly answered: number;
            /**
             * Format: int64
             * @description How many requests there were
             */
            readonly asked: number;
            /**
             * Format: int64
             * @description Ended by a person without an answer: dismissed, or replied to in words
             */
            readonly dismissed: number;
            /**
             * Format: int64
             * @description Expired at the deadline
             */
            readonly expired: number;
            /**
             * Format: int64
             * @description Not delivered
             */
            readonly failed: number;
            /**
             * Format: int64
             * @description Answered by a grant, without asking anyone; part of answered
             */
            readonly granted: number;
            /**
             * Format: int64
             * @description Equal requests that shared one of these, and were answered with it
             */
            readonly joined: number;
            /** @description The route, the agent, or the ID of the installation */
            readonly name: string;
            /**
             * Format: int64
             * @description Still open
             */
            readonly open: number;
            /**
             * Format: int64
             * @description Reminders and escalations that were needed
             */
            readonly reminders: number;
            /**
             * Format: int64
             * @description Replaced by a newer request
             */
            readonly superseded: number;
            /** @description From the question to the answer or dismissal by people; without what grants answered */
            readonly to_end?: components["schemas"]["Times"];
            /** @description From the question to the first thing a person did with it; without what grants answered */
            readonly to_first_act?: components["schemas"]["Times"];
            /**
             * Format: int64
             * @description Withdrawn by the agent or an operator
             */
            readonly withdrawn: number;
        };
        /** @description Where the agent works, such as a run, a pull request or a session. */
        readonly Source: {
            /**
             * @description The text of the link
             * @example billing, run 42
             */
            readonly title: string;
            /**
             * Format: uri
             * @description Where it leads: an https address
             * @example https://ci.example.com/billing/runs/42
             */
            readonly url: string;
        };
        /** @description The numbers of the requests that were asked in a period. */
        readonly Stats: {
            /** @description By agent, most requests first */
            readonly agents: readonly components["schemas"]["Share"][];
            /** @description By Slack workspace or organization and Discord server, most requests first; absent unless places name their installation. A request counts in each one that it was posted to */
            readonly installations?: readonly components["schemas"]["Share"][];
            /** @description By person, most decisions first; absent unless the configuration sets audit.count_people */
            readonly people?: readonly components["schemas"]["PersonNumbers"][] | null;
            /** @description By route, most requests first. A request that names its places itself counts in none */
            readonly routes: readonly components["schemas"]["Share"][];
            /**
             * Format: date-time
             * @description The requests were asked then or later
             */
            readonly since: string;
            /** @description All of them */
            readonly total: components["schemas"]["Numbers"];
            /**
             * Format: date-time
             * @description They were asked before
             */
            readonly until: string;
        };
        /** @description One step of an escalation. */
        readonly Step: {
            /**
             * Format: date-time
             * @description When it happens, by the bridge's clock
             */
            readonly at: string;
            /** @description Who has passed it on, and may not answer any more */
            readonly by?: components["schemas"]["Person"];
            /**
             * @description remind: people are notified again. add: more people may answer, and it is asked in more places. pass: a person has passed it on to another one, who may answer instead.
             * @enum {string}
             */
            readonly do: "remind" | "add" | "pass";
            /** @description Whether it has happened */
            readonly done?: boolean;
            /** @description Who is notified */
            readonly notify?: readonly string[];
            /** @description The person who received it */
            readonly passed_to?: components["schemas"]["Person"];
            /** @description Who may answer in addition */
            readonly responders?: readonly string[];
            /** @description Where it is asked in addition */
            readonly to?: readonly components["schemas"]["Place"][];
        };
        /** @description Which answer the agent used. */
        readonly TakenBody: {
            /**
             * @description What the agent used instead of the answer. Absent: it used the answer.
             * @example answered in the terminal: Wait
             */
            readonly instead?: string;
        };
        /** @description A summary of durations. */
        readonly Times: {
            /**
             * Format: int64
             * @description How many durations these are
             */
            readonly count: number;
            /**
             * Format: double
             * @description Half of them were at most this long, in seconds
             */
            readonly median: number;
            /**
             * Format: double
             * @description Nine of ten were at most this long, in seconds
             */
            readonly p90: number;
        };
        /** @description A token's owner, permissions and state, without the secret. */
        readonly Token: {
            /**
             * @description Whether people can ask it something if neither the request nor the route sets this
             * @enum {string}
             */
            readonly ask_back?: "off" | "stay" | "end";
            /**
             * @description Who has made it
             * @example operator
             */
            readonly by?: string;
            /**
             * Format: int64
             * @description How many calls of any kind it may make per minute; a wait of five seconds or longer does not count, and at most as many of those add up; absent for 6000
             */
            readonly calls_per_minute?: number;
            /**
             * Format: date-time
             * @description When it was made
             */
            readonly created_at?: string;
            /**
             * Format: date-time
             * @description When it expires; absent for one without expiry
             */
            readonly expires_at?: string;
            /** @description How far and how long people may allow a call of its hosts again without being asked; absent for not at all */
            readonly grants?: components["schemas"]["GrantCeiling"];
            /**
             * @description How long the person who decides its requests can undo it at least
             * @example 10s
             */
            readonly hold?: string;
            /** @description Identifies the token in other calls without revealing it; absent for one of the configuration */
            readonly id?: string;
            /**
             * Format: date-time
             * @description When it was used last, to five minutes; absent for never
             */
            readonly last_used_at?: string;
            /**
             * Format: int64
             * @description How many of its requests may be open at a time; absent for 1000
             */
            readonly max_open?: number;
            /**
             * Format: int64
             * @description How many event streams it may hold; absent for 10
             */
            readonly max_streams?: number;
            /**
             * Format: int64
             * @description How many of its calls may wait for people at a time; absent for 1000
             */
            readonly max_waits?: number;
            /** @description What the model itself may set in a call of the MCP tool: where it asks, who may answer, and the conversation it works in; absent for nothing */
            readonly model_may_set?: readonly ("to" | "route" | "responders" | "origin")[];
            /**
             * @description Shown in the log and on cards. No two may look alike.
             * @example deploy-bot
             */
            readonly name: string;
            /**
             * @description Who is notified of its requests if neither they nor their routes say
             * @example [
             *       "slack:U0000001"
             *     ]
             */
            readonly notify?: readonly string[];
            /** @description Whether its requests may widen it all the same */
            readonly override_responders?: boolean;
            /**
             * @description How far the permissions that its hosts ask for may reach beyond one call; absent for session
             * @enum {string}
             */
            readonly persist?: "none" | "session" | "local" | "project" | "user";
            /** @description How many people decide its requests at least */
            readonly policy?: components["schemas"]["NewPolicy"];
            /**
             * Format: int64
             * @description How many requests it may hand in per minute; absent for 60
             */
            readonly rate_per_minute?: number;
            /** @description Whether its cards show when it has acknowledged an answer */
            readonly receipts?: boolean;
            /** @description The id of the token that replaces it */
            readonly replaced_by?: string;
            /** @description The id of the token that it replaces */
            readonly replaces?: string;
            /**
             * @description On whose behalf it asks; with the scope answer, who its holder is on each platform
             * @example [
             *       "slack:U0000001"
             *     ]
             */
            readonly requester?: readonly string[];
            /** @description Who may answer its requests at most. A request can narrow this and never widen it. */
            readonly responders?: readonly string[];
            /**
             * Format: date-time
             * @description When it was revoked
             */
            readonly revoked_at?: string;
            /**
             * @description The routes it may use
             * @example [
             *       "deploys"
             *     ]
             */
            readonly routes?: readonly string[];
            /** @description What happens while there is no answer to its requests, if neither they nor their routes say */
            readonly schedule?: components["schemas"]["NewSchedule"];
            /** @description What it may do; absent for ask, read and cancel */
            readonly scopes?: readonly ("ask" | "read" | "cancel" | "admin" | "answer" | "grant" | "tokens")[];
            /**
             * @description Whether it is valid. One that was replaced is active until its grace is over.
             * @enum {string}
             */
            readonly state: "active" | "expired" | "replaced" | "revoked";
            /**
             * @description The policy for questions of sub-agents; absent for the host's own
             * @enum {string}
             */
            readonly subagents?: "refuse" | "pass";
            /**
             * @description Where it may ask. Anywhere if there are neither targets nor routes.
             * @example [
             *       "slack:C0000001"
             *     ]
             */
            readonly targets?: readonly string[];
            /**
             * @description Agents of one tenant see each other's requests and no others; absent for the name
             * @example platform-team
             */
            readonly tenant?: string;
            /** @description How its hosts differ from what they document */
            readonly variants?: readonly string[];
        };
        /** @description A list of tokens. */
        readonly Tokens: {
            /** @description By name, and of one name the oldest first */
            readonly tokens: readonly components["schemas"]["Token"][];
        };
        /** @description A question tool for registration with a model. */
        readonly ToolSchema: {
            /** @description What the tool is for */
            readonly description: string;
            /** @description A JSON Schema of the tool's input */
            readonly input_schema: unknown;
            /**
             * @description The tool's name at that host
             * @example AskUserQuestion
             */
            readonly name: string;
        };
        /** @description An optional question without an answer. */
        readonly Unanswered: {
            /** @description Who skipped it; absent if it was left untouched */
            readonly by?: components["schemas"]["Person"];
            /**
             * @description The question's header, as it was sent; may be empty
             * @example Database
             */
            readonly header: string;
            /**
             * Format: int64
             * @description The question's position in the request, from 0
             */
            readonly index: number;
            /** @description A note on the unanswered question */
            readonly notes?: string;
            /** @description Who wrote the note; absent if it is the person who skipped the question */
            readonly notes_by?: components["schemas"]["Person"];
            /**
             * @description The question's text, as it was sent
             * @example Which database?
             */
            readonly question: string;
        };
        /** @description A person who could not be notified. */
        readonly Unnotified: {
            /**
             * @description Why
             * @example there is no such user group
             */
            readonly reason: string;
            /**
             * @description The entry of notify
             * @example slack-group:S0000001
             */
            readonly who: string;
        };
        /** @description What one person wants, where several decide. */
        readonly Vote: {
            /**
             * Format: date-time
             * @description When
             */
            readonly at: string;
            /** @description Who votes */
            readonly by: components["schemas"]["Person"];
            /** @description What was chosen for each question; absent for a vote to dismiss the request */
            readonly choices?: readonly components["schemas"]["Choice"][];
            /** @description Whether it is a vote to end the request without an answer */
            readonly dismissed?: boolean;
            /**
             * @description The name under which the configuration links the person's accounts
             * @example dana
             */
            readonly human?: string;
            /** @description What the person wrote in place of an answer */
            readonly reply?: string;
        };
        /** @description A person who may vote. */
        readonly Voter: {
            /** @description The accounts from which the person can vote */
            readonly accounts: readonly components["schemas"]["Person"][];
            /**
             * @description The name under which the configuration links the person's accounts
             * @example dana
             */
            readonly name?: string;
        };
        /** @description How many people decide. */
        readonly Voting: {
            /** @description false if a vote cannot be changed or taken back */
            readonly change?: boolean;
            /**
             * Format: int64
             * @description How many people have to dismiss it; absent for one
             */
            readonly dismiss?: number;
            /**
             * @description How it is decided: by as many people as are needed, or by most votes at the deadline
             * @enum {string}
             */
            readonly mode: "quorum" | "poll";
            /**
             * Format: int64
             * @description How many people have to choose the same; in a poll how many have to vote
             */
            readonly need?: number;
            /** @description How many people it takes for single labels, in place of need */
            readonly needs?: {
                readonly [key: string]: number;
            };
            /**
             * @description What is shown of the votes before the end: their number, or nothing at all; absent for who chose what
             * @enum {string}
             */
            readonly show?: "count" | "sealed";
        };
        /** @description The state of the call to the agent. */
        readonly Webhook: {
            /**
             * Format: int64
             * @description How often it was called
             */
            readonly attempts?: number;
            /** @description Why the last attempt failed */
            readonly detail?: string;
            /**
             * Format: date-time
             * @description When it is tried again
             */
            readonly retry_at?: string;
            /**
             * @description due until the receiver accepts it; dead when it was abandoned and can be replayed
             * @enum {string}
             */
            readonly state: "due" | "taken" | "dead";
            /**
             * @description The address that is called
             * @example https://agent.example/answers
             */
            readonly url: string;
        };
        /** @description The body of a webhook call. */
        readonly WebhookEvent: {
            /** @description The request as GET /v1/requests/{id} shows it */
            readonly data: components["schemas"]["Request"];
            /**
             * Format: date-time
             * @description When the request ended, or the person asked
             */
            readonly timestamp: string;
            /**
             * @description How the request ended; or that it is open, and a person has asked its agent something
             * @enum {string}
             */
            readonly type: "request.answered" | "request.cancelled" | "request.expired" | "request.superseded" | "request.failed" | "request.asked_back";
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
