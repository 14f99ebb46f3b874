package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
)

// The document's examples follow one question through its life. They are built from the served
// types, and a test validates them against the schemas.

// example is a named value of a type.
type example struct {
	name, about string
	value       func() any
}

var (
	openExample = example{"open", "Asked, not answered yet", func() any { return exampleRequest() }}

	answeredExample = example{"answered", "A person chose", func() any {
		r := ended(ask.Answered)
		r.By, r.Text = exampleDana, "Which database?\nPostgres"
		r.Answers = []ask.Answer{{Question: "Which database?", Header: "Database", Selected: []string{"Postgres"}, By: exampleDana, At: r.EndedAt}}
		return r
	}}

	expiredExample = example{"expired", "The deadline passed, so there is no answer", func() any { return ended(ask.Expired) }}

	cancelledExample = example{"cancelled", "Withdrawn by the agent", func() any {
		r := ended(ask.Cancelled)
		r.Reason = "found it in the docs"
		return r
	}}

	cancelExample = example{"reason", "Shown to people", func() any { return client.CancelBody{Reason: "found it in the docs"} }}

	givenExample = example{"choice", "An answer to each question", func() any {
		return client.AnswerBody{Answers: []client.GivenAnswer{{Index: 0, Selected: []string{"Postgres"}}}}
	}}

	overAPIExample = example{"answered", "A person at a shell chose", func() any {
		r, _ := answeredExample.value().(client.Request)
		r.By = ask.Person{Platform: ask.API, ID: "dana-shell", Name: "dana-shell"}
		r.Answers[0].By = r.By
		return r
	}}

	madeExample = example{"made", "A token for an agent that asks in one channel", func() any {
		return client.MadeToken{Secret: "abk_0123456789ABCDEFGHIJKLMNOPQRSTUV05HEP8", Token: client.Token{
			TokenSettings: client.TokenSettings{
				Name: "deploy-bot", Tenant: "deploy-bot", Scopes: []string{"ask", "read", "cancel"}, Targets: []string{"slack:C0000001"},
				Rate: 60, MaxOpen: 1000, Calls: 6000, MaxWaits: 1000, MaxStreams: 10,
			},
			ID: "k4tm3q2xw6b7a", State: "active", By: "operator", CreatedAt: exampleAsked, ExpiresAt: exampleAsked.AddDate(0, 0, 90),
		}}
	}}

	newTokenExample = example{"agent", "A token for an agent that asks in one channel", func() any {
		return client.NewToken{TokenSettings: client.TokenSettings{Name: "deploy-bot", Targets: []string{"slack:C0000001"}}, ExpiresIn: "30d"}
	}}

	rotateExample = example{"grace", "The old token holds for an hour more", func() any { return client.RotateToken{Grace: "1h"} }}

	revisionExample = example{"question", "Another question in the place of the first", func() any {
		return client.Revision{Questions: []client.NewQuestion{{Text: "Deploy 4.3?", Options: []ask.Option{{Label: "Deploy"}, {Label: "Wait"}}}}}
	}}

	replyExample = example{"reply", "To the only thing that a person asked", func() any { return client.ReplyBody{Text: "Yes, for thirty days."} }}

	takenExample = example{"instead", "The terminal was quicker", func() any { return client.TakenBody{Instead: "answered in the terminal: Wait"} }}

	eraseExample = example{"person", "What one person wrote", func() any { return client.Erase{Person: "slack:U0000001"} }}

	eraseTrailExample = example{"person", "What one person wrote", func() any { return client.AuditErase{Tenant: "deploy-bot", Person: "slack:U0000001"} }}

	toolExample = example{"claude", "The tool input of Claude Code", func() any {
		return json.RawMessage(`{"questions":[{"question":"Which database?","header":"Database","multiSelect":false,` +
			`"options":[{"label":"Postgres","description":"Managed"},{"label":"SQLite","description":"Embedded"}]}]}`)
	}}

	unreadyExample = example{"unready", "Slack refuses the token", func() any {
		return Health{Status: "unready", Parts: []Ailing{{Part: "slack", Detail: "invalid_auth"}}}
	}}

	webhookExample = example{"answered", "A person chose", func() any {
		r, _ := answeredExample.value().(client.Request)
		return webhookEvent{Type: "request.answered", Timestamp: r.EndedAt, Data: r}
	}}
)

// bodyExamples are the examples of request bodies, by operation.
var bodyExamples = map[string]example{
	"askTool": toolExample, "resultAs": toolExample, "revise": revisionExample, "reply": replyExample, "taken": takenExample,
	"createToken": newTokenExample, "rotateToken": rotateExample, "erase": eraseExample, "eraseAudit": eraseTrailExample,
}

// exampleAsked is the time of the example question.
var exampleAsked = time.Date(2026, time.March, 15, 12, 0, 0, 0, time.UTC)

// exampleDana is the person who answers it.
var exampleDana = ask.Person{Platform: "slack", ID: "U0000001", Name: "Dana"}

func exampleRequest() client.Request {
	return client.Request{
		ID: "07abcdefghijklmnopqrstuvwx", State: ask.Open, ToolCallID: "toolu_01", Session: "run-7", Agent: "deploy-bot",
		CreatedAt: exampleAsked, ExpiresAt: exampleAsked.Add(30 * time.Minute), Responders: []string{ask.Anyone},
		Questions: []ask.Question{{Text: "Which database?", Header: "Database", Options: []ask.Option{
			{Label: "Postgres", Description: "Managed"}, {Label: "SQLite", Description: "Embedded"},
		}}},
		Delivery: []client.Delivery{{Platform: "slack", Channel: "C0000001", Message: "1700000000.000100", URL: "https://acme.slack.com/archives/C0000001/p1700000000000100", State: "posted"}},
	}
}

func ended(state ask.State) client.Request {
	r := exampleRequest()
	r.State, r.EndedAt = state, exampleAsked.Add(2*time.Minute)
	if state == ask.Expired {
		r.EndedAt = r.ExpiresAt
	}
	return r
}

// askExamples are typical requests.
func askExamples() []example {
	database := client.NewQuestion{Text: "Which database?", Header: "Database", Options: []ask.Option{
		{Label: "Postgres", Description: "Managed"}, {Label: "SQLite", Description: "Embedded"},
	}}
	deploys := []ask.Place{{Platform: "slack", Channel: "C0000001"}}
	return []example{
		{"choice", "One question, answered with one tap", func() any {
			return client.NewRequest{Questions: []client.NewQuestion{database}, To: deploys, ToolCallID: "toolu_01", Session: "run-7", ExpiresIn: "30m"}
		}},
		{"everywhere", "Two questions on both platforms; the first complete answer closes both cards", func() any {
			return client.NewRequest{
				Questions: []client.NewQuestion{database, {Text: "Which checks?", Header: "Checks", MultiSelect: true, Options: []ask.Option{{Label: "Smoke tests"}, {Label: "Load test"}}}},
				To:        append(deploys, ask.Place{Platform: "discord", Channel: "200000000000000001"}),
				Context:   "Deploying 4.2", IdempotencyKey: "deploy-4.2-checks",
			}
		}},
		{"text", "A question answered with text, by one person, reported by webhook", func() any {
			return client.NewRequest{
				Questions: []client.NewQuestion{{Text: "What should the release note say?"}}, Responders: []string{"slack:U0000001"},
				To: []ask.Place{{Platform: "slack", User: "U0000001"}}, ExpiresIn: "never", Webhook: "https://agent.example/answers",
			}
		}},
	}
}

// eventExample is one server-sent event.
func eventExample() string {
	r, _ := answeredExample.value().(client.Request)
	data, err := encode(&r)
	if err != nil {
		panic(err) // All values can be encoded.
	}
	return "id: 3\nevent: answered\ndata: " + strings.TrimSpace(string(data)) + "\n\n"
}

// problemExamples are example errors by status.
var problemExamples = map[int][]example{
	http.StatusUnprocessableEntity: {{"invalid", "Everything wrong is named at once", func() any {
		return problem(http.StatusUnprocessableEntity, "the request is invalid; no question was asked").
			at("questions[0].options", "has 1 option; 2 to 4 are allowed").
			at("questions[1].question", "must not be empty")
	}}, {"parameter", "The query is read as strictly", func() any {
		return problem(http.StatusUnprocessableEntity, unknownHere).at("wiat", "is no parameter of this call; did you mean wait?")
	}}},
	http.StatusConflict: {{"conflict", "The key was used for another question", func() any {
		p := problem(http.StatusConflict, "this key was used for a request with other content")
		p.RequestID = exampleRequest().ID
		return p
	}}},
	http.StatusServiceUnavailable: {{"restarting", "Repeat the call after Retry-After", func() any {
		return problem(http.StatusServiceUnavailable, "the bridge is shutting down; repeat the call")
	}}},
}
