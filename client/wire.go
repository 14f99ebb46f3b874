package client

import (
	"time"

	"github.com/askbridge/askbridge/ask"
)

// Request is a request in the API.
type Request struct {
	ID    string    `json:"id" doc:"Names the request in other calls"`
	State ask.State `json:"state" enum:"open,answered,cancelled,expired,superseded,failed" doc:"The state of the request; all but open are final"`

	ToolCallID string     `json:"tool_call_id,omitempty" doc:"The agent host's id of the tool call, as it was sent" example:"toolu_01"`
	Session    string     `json:"session,omitempty" doc:"The agent run that the request belongs to" example:"run-7"`
	Agent      string     `json:"agent,omitempty" doc:"The name shown to people" example:"deploy-bot"`
	Context    string     `json:"context,omitempty" doc:"The text above the questions" example:"Deploying 4.2"`
	Links      []ask.Link `json:"links,omitempty" nullable:"false" doc:"Links as buttons"`
	Source     ask.Source `json:"source,omitzero" doc:"Where the agent works; the first line of the card links to it"`
	// Files are uploaded below the cards.
	Files []ask.Attachment `json:"files,omitempty" nullable:"false" doc:"Files uploaded below the cards, which list them"`

	CreatedAt time.Time `json:"created_at" doc:"When it was asked"`
	// ExpiresAt is zero for a request without a deadline.
	ExpiresAt  time.Time      `json:"expires_at,omitzero" doc:"The deadline; absent when there is none"`
	Responders []string       `json:"responders" nullable:"false" doc:"Who may answer"`
	Floors     [][]string     `json:"floors,omitempty" nullable:"false" doc:"Further lists that must allow the person who answers: requirements of the route or the token that only a look-up can check"`
	Policy     *ask.Voting    `json:"policy,omitempty" doc:"How many people decide, with a number instead of all or majority; absent if the first complete answer decides"`
	Replies    *ask.Replies   `json:"replies,omitempty" doc:"How a typed message can answer; absent if it cannot"`
	Code       string         `json:"code,omitempty" doc:"The request's short code, for messages such as \"k7qd: Deploy\"; only with replies" example:"k7qd"`
	Hold       string         `json:"hold,omitempty" doc:"How long the person who decides can undo it; absent if they cannot" example:"10s"`
	Risk       ask.Risk       `json:"risk,omitempty" enum:"high" doc:"high if people confirm what they choose; absent if they do not"`
	Questions  []ask.Question `json:"questions" nullable:"false" doc:"What was asked"`
	Delivery   []Delivery     `json:"delivery" nullable:"false" doc:"The state of each copy of the card"`
	// Names are for [Request.Called].
	Names   map[string]string `json:"names,omitempty" doc:"The names of the request's channels and people that the bridge knows, by platform and id as in responders. They are for people to read, and can change."`
	Webhook *Webhook          `json:"webhook,omitempty" doc:"The state of the call to the agent, if it gave an address"`

	// Revision is zero for a request without revisions.
	Revision  int             `json:"revision,omitempty" doc:"How often the agent has revised what is asked; absent for never"`
	RevisedAt time.Time       `json:"revised_at,omitzero" doc:"When it was revised last"`
	AskBack   ask.AskBack     `json:"ask_back,omitempty" enum:"stay,end" doc:"Whether people can ask the agent something; absent if they cannot"`
	AskedBack []ask.AskedBack `json:"asked_back,omitempty" nullable:"false" doc:"What people asked the agent, and its replies"`
	Joined    int             `json:"joined,omitempty" doc:"How many equal requests share this one: permission prompts that came while it was open, in the same session. Its answer is for each of them." example:"2"`
	Receipt   *Receipt        `json:"receipt,omitempty" doc:"Whether the agent has acknowledged the answer; only with receipts"`

	Steps    []Step `json:"steps,omitempty" nullable:"false" doc:"The steps while there is no answer, done or not"`
	ClaimFor string `json:"claim_for,omitempty" doc:"How long a person who works on it delays the steps; absent if people cannot say so" example:"30m"`
	Claim    *Claim `json:"claim,omitempty" doc:"Who is on it, or was last"`
	PassOn   bool   `json:"pass_on,omitempty" doc:"Whether people can pass it on to another person"`

	// Answers and Text are set only if State is answered.
	Answers []ask.Answer `json:"answers,omitzero" nullable:"false" doc:"What was chosen; only when answered"`
	Text    string       `json:"text,omitempty" doc:"The answers as the text of a tool result; only when answered"`
	// Skipped and Left are the optional questions of an answered request without an answer.
	Skipped []ask.Unanswered `json:"skipped,omitempty" nullable:"false" doc:"Optional questions that a person skipped; only when answered"`
	Left    []ask.Unanswered `json:"left,omitempty" nullable:"false" doc:"Optional questions without any action; only when answered"`
	Reason  string           `json:"reason,omitempty" doc:"Why the request ended without an answer; where a person ended it, dismissed, or what they replied in place of answers"`
	Replied bool             `json:"replied,omitempty" doc:"Whether Reason is what a person replied in place of answers"`
	// Via is empty if a person's action on the request itself decided it.
	Via     string     `json:"via,omitempty" doc:"What ended the request in place of an act on it: grant:<id> for the grant that allowed the call, request:<id> for the request that superseded this one" example:"grant:8fk2v0qj5m1xw7t3c9dn"`
	By      ask.Person `json:"by,omitzero" doc:"The person who ended the request"`
	EndedAt time.Time  `json:"ended_at,omitzero" doc:"When the request ended; absent while it is open"`

	// Voted, Votes, Tally and NotVoted are set with a Policy; before the end only as far as its Show
	// allows.
	Voted int         `json:"voted,omitempty" doc:"How many people have voted"`
	Votes []ask.Vote  `json:"votes,omitempty" nullable:"false" doc:"Who chose what; before the end only where votes are shown live. The decision itself is in answers."`
	Tally []ask.Count `json:"tally,omitempty" nullable:"false" doc:"How many people made each choice; before the end only where votes are shown live"`
	// NotVoted is empty after the end, and where groups or everyone may vote.
	NotVoted []ask.Voter `json:"not_voted,omitempty" nullable:"false" doc:"Who has not voted on an open request, if only named people may and votes are shown live"`

	// UndoUntil is set only in the reply to an [AnswerBody]: others do not see decisions that
	// can still be undone.
	UndoUntil time.Time `json:"undo_until,omitzero" doc:"Until when what was answered can be undone, after which it is final; only in the reply to an answer"`

	// Replayed is set only in the reply to a submission.
	Replayed bool `json:"replayed,omitempty" doc:"Whether the answer had been given to an equal request before, and is handed on; only in the reply to a submission with within"`

	// Advice and Ignored are about the body; they are set only in the reply to a submission.
	Advice  []Remark `json:"advice,omitempty" nullable:"false" doc:"What was accepted but will look or work differently from how it was sent"`
	Ignored []string `json:"ignored,omitempty" nullable:"false" doc:"Unknown members of the body"`
}

// Ended reports whether the request has ended.
func (r *Request) Ended() bool { return r.State.Ended() }

// Outcome returns the outcome as the library's type.
func (r *Request) Outcome() ask.Outcome {
	o := ask.Outcome{
		State: r.State, Answers: r.Answers, By: r.By, At: r.EndedAt, Reason: r.Reason, Replied: r.Replied,
		Skipped: r.Skipped, Left: r.Left, Via: r.Via,
	}
	if r.Ended() {
		o.Votes, o.Tally = r.Votes, r.Tally
	}
	return o
}

// Called returns a place as text for people, such as "#deploys (slack:C0000001)", or its short form if it has no
// known name.
func (r *Request) Called(at ask.Place) string {
	if name := r.Names[NameKey(at)]; name != "" {
		return name + " (" + at.String() + ")"
	}
	return at.String()
}

// NameKey returns the key of a place's channel or person in [Request.Names].
func NameKey(at ask.Place) string {
	who := ask.Person{Platform: at.Platform, Installation: at.Installation, ID: at.Channel}
	if at.User != "" {
		who.ID = at.User
	}
	return who.Key()
}

// Delivery is the state of one copy of the card.
type Delivery struct {
	Platform     string        `json:"platform" doc:"The platform the copy is for" example:"slack"`
	Installation string        `json:"installation,omitempty" doc:"The workspace, organisation or server that was named" example:"T0000001"`
	Channel      string        `json:"channel,omitempty" doc:"The channel; for a person that of the direct messages, once it is known" example:"C0000001"`
	Thread       string        `json:"thread,omitempty" doc:"The thread of the channel" example:"1700000000.000100"`
	User         string        `json:"user,omitempty" doc:"The person who is asked in a direct message" example:"U0000001"`
	Message      string        `json:"message,omitempty" doc:"The platform's id of the message, once it is posted"`
	URL          string        `json:"url,omitempty" doc:"The address that opens the message in the platform's client; absent while it is not posted, or unknown" example:"https://acme.slack.com/archives/C0000001/p1700000000000100"`
	State        DeliveryState `json:"state" enum:"pending,delayed,posted,lost,failed" doc:"pending until it is posted; delayed while it queues or the platform asks to wait; posted when people see it; lost when it was deleted since; failed permanently"`
	Detail       string        `json:"detail,omitempty" doc:"Why the copy is delayed or failed"`
	Notified     []string      `json:"notified,omitempty" nullable:"false" doc:"Who was notified by its message; only if the request, its route or its token sets notify"`
	Unnotified   []Unnotified  `json:"unnotified,omitempty" nullable:"false" doc:"Who could not be notified. Those who cannot be notified at any place are listed at the first."`
	Queue        int           `json:"queue,omitempty" doc:"The place in the channel's queue, 1 for the next"`
	RetryAt      time.Time     `json:"retry_at,omitzero" doc:"When delivery is tried, or tried again"`
}

// Claim means that a person is working on the request.
type Claim struct {
	By    ask.Person `json:"by" doc:"Who"`
	At    time.Time  `json:"at" doc:"Since when"`
	Until time.Time  `json:"until" doc:"Until when that delays the steps"`
}

// Step is one step of the schedule while there is no answer.
type Step struct {
	At         time.Time    `json:"at" doc:"When it happens, by the bridge's clock"`
	Do         ask.StepKind `json:"do" enum:"remind,add,pass" doc:"remind: people are notified again. add: more people may answer, and it is asked in more places. pass: a person has passed it on to another one, who may answer instead."`
	Done       bool         `json:"done,omitempty" doc:"Whether it has happened"`
	Responders []string     `json:"responders,omitempty" nullable:"false" doc:"Who may answer in addition"`
	To         []ask.Place  `json:"to,omitempty" nullable:"false" doc:"Where it is asked in addition"`
	Notify     []string     `json:"notify,omitempty" nullable:"false" doc:"Who is notified"`
	By         ask.Person   `json:"by,omitzero" doc:"Who has passed it on, and may not answer any more"`
	PassedTo   ask.Person   `json:"passed_to,omitzero" doc:"The person who received it"`
}

// Receipt is the agent's acknowledgement of the answer.
type Receipt struct {
	TakenAt time.Time `json:"taken_at,omitzero" doc:"When the agent acknowledged it; absent until then"`
	Missing bool      `json:"missing,omitempty" doc:"Whether it was not acknowledged within ten minutes"`
	Instead string    `json:"instead,omitempty" doc:"What the agent used instead of the answer; absent if it used the answer" example:"answered in the terminal: Wait"`
}

// Unnotified is an entry of notify that could not be notified.
type Unnotified struct {
	Who    string `json:"who" doc:"The entry of notify" example:"slack-group:S0000001"`
	Reason string `json:"reason" doc:"Why" example:"there is no such user group"`
}

// Place returns the requested place of the copy; for a person it includes the channel, once it
// is known.
func (d *Delivery) Place() ask.Place {
	return ask.Place{Platform: d.Platform, Installation: d.Installation, Channel: d.Channel, Thread: d.Thread, User: d.User}
}

// Webhook is the state of the call to the agent.
type Webhook struct {
	URL      string       `json:"url" doc:"The address that is called" example:"https://agent.example/answers"`
	State    WebhookState `json:"state" enum:"due,taken,dead" doc:"due until the receiver accepts it; dead when it was abandoned and can be replayed"`
	Attempts int          `json:"attempts,omitempty" doc:"How often it was called"`
	Detail   string       `json:"detail,omitempty" doc:"Why the last attempt failed"`
	RetryAt  time.Time    `json:"retry_at,omitzero" doc:"When it is tried again"`
}

// Page is one page of a list.
type Page struct {
	Requests []Request `json:"requests" nullable:"false" doc:"The requests of this page"`
	// Next is the cursor of the next page; empty on the last one.
	Next string `json:"next,omitempty" doc:"The cursor of the next page; absent on the last one"`
}

// DeliveryState is the state of one copy of the card.
type DeliveryState string

// The states of a copy.
const (
	// Pending: not posted yet.
	Pending DeliveryState = "pending"
	// Delayed: in a queue, or rate limited.
	Delayed DeliveryState = "delayed"
	// Posted: visible to people.
	Posted DeliveryState = "posted"
	// Lost: deleted since.
	Lost DeliveryState = "lost"
	// Undeliverable: failed permanently.
	Undeliverable DeliveryState = "failed"
)

// WebhookState is the state of the call to the agent.
type WebhookState string

// The states of a call.
const (
	// Due: not accepted yet.
	Due WebhookState = "due"
	// Taken: accepted by the receiver.
	Taken WebhookState = "taken"
	// Dead: abandoned; it can be replayed.
	Dead WebhookState = "dead"
)

// AnswersOf returns answers for JSON: with an empty list for no selection, and times in
// UTC.
func AnswersOf(answers []ask.Answer) []ask.Answer {
	all := make([]ask.Answer, len(answers))
	for n, a := range answers {
		if a.Selected == nil {
			a.Selected = []string{}
		}
		a.At = UTC(a.At)
		all[n] = a
	}
	return all
}

// UTC converts a time to UTC; the zero time is unchanged.
func UTC(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}
