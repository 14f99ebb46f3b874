package client

import "github.com/askbridge/askbridge/ask"

// NewRequest is the body of a submission as it should be written. What is read
// is wider; see [ask.DecodeRequest].
type NewRequest struct {
	Questions []NewQuestion `json:"questions" nullable:"false" minItems:"1" maxItems:"10" doc:"One to four questions, up to ten where the bridge is set so. A JSON string holding the list is read too."`

	To         []ask.Place  `json:"to,omitzero" nullable:"false" minItems:"1" maxItems:"10" doc:"Where to ask. The first complete answer wins everywhere."`
	Route      string       `json:"route,omitempty" doc:"A configured destination, in place of to"`
	Origin     ask.Origin   `json:"origin,omitzero" doc:"The conversation in which the agent works. A route that allows it asks there instead of at its own places, which remain the fallback."`
	Responders []string     `json:"responders,omitzero" nullable:"false" minItems:"1" doc:"Who may answer: anyone, or <platform>:<id>. Absent: as configured."`
	Policy     *NewPolicy   `json:"policy,omitempty" doc:"How many people decide. Absent: the first complete answer does. A route and a token may ask for more than this, never for less."`
	Notify     []string     `json:"notify,omitzero" nullable:"false" maxItems:"20" doc:"Who is notified once, by a mention: <platform>:<id>, groups as in responders, and requester. It does not allow them to answer. An empty list notifies no one; absent: as configured, or those in responders." example:"[\"slack-group:S0000001\"]"`
	Hold       string       `json:"hold,omitempty" doc:"How long the person who decides can undo it, from 1s to 10m; the agent gets the answer afterwards. A route and a token may require more than this." example:"10s"`
	Risk       ask.Risk     `json:"risk,omitempty" enum:"high" doc:"high: people confirm the option that they choose in a form that repeats what is asked. For one question with up to five options."`
	AskBack    ask.AskBack  `json:"ask_back,omitempty" enum:"off,stay,end" doc:"Whether people can ask the agent something. stay: it gets the question and replies, and the request stays open. end: it ends the request as a reply does. Absent: as configured, or off."`
	Deaf       bool         `json:"deaf,omitempty" doc:"Whether the agent gets nothing before the request ends, so that a question to it ends the request if people can ask it something"`
	Receipts   bool         `json:"receipts,omitempty" doc:"Whether the cards show, after an answer, when the agent has acknowledged it"`
	Schedule   *NewSchedule `json:"schedule,omitempty" doc:"What happens while there is no answer. Absent: as configured, or nothing."`
	ExpiresIn  string       `json:"expires_in,omitempty" doc:"How long people have: 30m, 24h, 2d, never. Absent: as configured." example:"30m"`

	IdempotencyKey string `json:"idempotency_key,omitempty" maxLength:"256" doc:"The same as the Idempotency-Key header, which wins"`
	ToolCallID     string `json:"tool_call_id,omitempty" maxLength:"256" doc:"The agent host's id of the tool call. Sent again it finds the same request." example:"toolu_01"`
	Session        string `json:"session,omitempty" maxLength:"256" doc:"Groups the requests of one agent run"`
	Webhook        string `json:"webhook,omitempty" format:"uri" doc:"An https address that gets the ended request, signed according to Standard Webhooks" example:"https://agent.example/answers"`
	Supersedes     string `json:"supersedes,omitempty" maxLength:"256" doc:"An open request of the same session that this one replaces"`
	Agent          string `json:"agent,omitempty" maxLength:"256" doc:"The name shown, where tokens are not used; else the token's name is shown"`
	Context        string `json:"context,omitempty" doc:"A line or two above the questions. Markdown is shown: bold and italic text, headings, links with their addresses, quotes, lists, code and tables. Everything else is shown as written."`

	Language string `json:"language,omitempty" doc:"The language of the cards, except for the agent's texts: de, en or es. Absent: as configured." example:"de"`

	Links []ask.Link `json:"links,omitempty" nullable:"false" maxItems:"5" doc:"Links as buttons below the context; each address is shown next to its label"`

	Source ask.Source `json:"source,omitzero" doc:"Where the agent works, such as a run, a pull request or a session: the first line of the card links to it"`

	Files []ask.File `json:"files,omitempty" nullable:"false" maxItems:"5" doc:"Texts that are too long for a card, such as a diff: uploaded below it, with their SHA-256 on it. The request cannot be answered before they are uploaded. Up to 512 KiB together."`

	Same    ask.Same    `json:"same,omitempty" enum:"session,agent" doc:"Finds an open request with the same content, of the session or of the agent, instead of asking again; keys do not distinguish requests then. Ended requests are asked again."`
	Within  string      `json:"within,omitempty" doc:"With same: also finds a request that was answered within this time, at most 1h; its answer is returned. Not for requests that several people decide." example:"10m"`
	Replies *NewReplies `json:"replies,omitempty" doc:"Whether a typed message answers it. Absent: as the route and the token allow, or not at all. A request cannot allow more than they do."`
}

// NewPolicy is [ask.Voting] as it should be written.
type NewPolicy struct {
	Mode    ask.Mode       `json:"mode,omitempty" enum:"first,quorum,poll" doc:"first: the first complete answer decides. quorum: as many people as are needed have to choose the same. poll: most votes decide at the deadline, or when everyone has voted."`
	Need    ask.Need       `json:"need,omitempty" doc:"How many people have to choose the same, in a poll how many have to vote: 1 to 10, all or majority. The words need responders that are people."`
	Needs   map[string]int `json:"needs,omitempty" doc:"How many people single labels need instead, as in {\"Stop\": 1} for a veto; only in a quorum"`
	Dismiss int            `json:"dismiss,omitempty" minimum:"1" maximum:"10" doc:"How many people have to dismiss the request to end it; absent for one"`
	Show    ask.Show       `json:"show,omitempty" enum:"live,count,sealed" doc:"What is shown of the votes before the end: who chose what, how many there are, or nothing"`
	Change  *bool          `json:"change,omitempty" doc:"false if a vote cannot be changed or taken back"`
}

// NewReplies is [ask.Replies] as it should be written.
type NewReplies struct {
	Mode      ask.ReplyMode `json:"mode,omitempty" enum:"off,labels,text" doc:"off: messages answer nothing. labels: a label, a number, a letter, yes or no, as the whole text. text: also free text."`
	Languages []string      `json:"languages,omitempty" nullable:"false" doc:"The languages whose words for yes and no count, as in de, in addition to English and the card's"`
	Strict    bool          `json:"strict,omitempty" doc:"Whether only the code of the request followed by a whole label counts, as always in votes and permission prompts"`
}

// NewSchedule is [ask.Schedule] as it should be written.
type NewSchedule struct {
	Steps    []NewStep `json:"steps,omitempty" nullable:"false" maxItems:"10" doc:"The steps in their order, all before the deadline"`
	Hours    *NewHours `json:"hours,omitempty" doc:"When steps happen: one that comes outside of them waits for the next opening. Absent: around the clock."`
	ClaimFor string    `json:"claim_for,omitempty" doc:"Lets people say that they work on it, which delays the steps for so long, from 1m to 24h; others may still answer" example:"30m"`
	PassOn   bool      `json:"pass_on,omitempty" doc:"Lets people pass the request on to another person, who may answer instead: at most 5 times, and only to people who may answer by the rules of route and token"`
}

// NewHours is [ask.Hours] as it should be written.
type NewHours struct {
	Zone string `json:"zone" doc:"A name of the IANA time zone database" example:"Europe/Berlin"`
	Days string `json:"days,omitempty" doc:"Days of the week on which the span begins, as in mon-fri or mon,wed; absent for every day" example:"mon-fri"`
	From string `json:"from" doc:"The time of day from which on steps happen" example:"09:00"`
	To   string `json:"to" doc:"The time of day before which they happen; 24:00 is the end of the day, and an earlier time than from is on the next day" example:"18:00"`
}

// NewStep is [ask.Step] as it should be written.
type NewStep struct {
	After      string       `json:"after" doc:"How long after the request was made" example:"30m"`
	Do         ask.StepKind `json:"do" enum:"remind,add" doc:"remind: people are notified again, below the card. add: more people may answer, and it is asked in more places. A step decides nothing."`
	Responders []string     `json:"responders,omitempty" nullable:"false" doc:"Who may answer from then on, in addition to the others: people and groups; with add. Never more than the route and the token allow."`
	To         []ask.Place  `json:"to,omitempty" nullable:"false" doc:"Where it is asked from then on, too; with add"`
	Notify     []string     `json:"notify,omitzero" nullable:"false" maxItems:"20" doc:"Who is notified of the step, as in a request. Absent: those it adds, or those notified of the request."`
}

// NewQuestion is [ask.Question] with everything but the text optional.
type NewQuestion struct {
	Text        string       `json:"question" doc:"What is asked" example:"Which database?"`
	Header      string       `json:"header,omitempty" doc:"A short title; over 12 characters it may be cut for display" example:"Database"`
	Options     []ask.Option `json:"options,omitempty" nullable:"false" maxItems:"25" doc:"Two to four choices, up to 25 where the bridge is set so; none for a text answer. Bare strings are read too."`
	MultiSelect bool         `json:"multiSelect,omitempty" doc:"Whether several options may be chosen; multi_select is read too"`
	NoOther     bool         `json:"noOther,omitempty" doc:"Switches the free-text answer off"`
	Optional    bool         `json:"optional,omitempty" doc:"Lets people skip the question or leave it; those that are not optional have to be answered"`
	Notes       bool         `json:"notes,omitempty" doc:"Lets people add a note to their answer; a note alone is no answer"`
	Confirm     bool         `json:"confirm,omitempty" doc:"A choice counts only once it is submitted, so that no single tap decides"`
}

// CancelBody is the body of a cancellation. It may be left out.
type CancelBody struct {
	Reason string `json:"reason,omitempty" maxLength:"1000" doc:"Shown to people and kept in the request"`
}
