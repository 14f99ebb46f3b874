package api

import (
	"encoding/json"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/client"
	"github.com/askbridge/askbridge/dialect"
)

// typeExamples are the examples of response types, by schema name.
var typeExamples = map[string]example{
	"Request": answeredExample,
	"Page": {"open", "One that waits", func() any {
		return client.Page{Requests: []client.Request{exampleRequest()}}
	}},
	"Health":   {"ok", "Calls should come here", func() any { return Health{Status: "ok"} }},
	"Reloaded": {"tokens", "Another list of agents holds now", func() any { return client.Reloaded{Changed: []string{"agents"}} }},
	"Backup": {"made", "The file is complete", func() any {
		return client.Backup{File: "/var/lib/askbridge/askbridge-backup.db", Size: 65536}
	}},
	"ToolSchema": {"claude", "The tool of Claude Code", func() any {
		d, _ := dialect.Get("claude")
		schema, _ := d.ToolSchema()
		return schema
	}},
	"Erased":      {"share", "There is more to look at", func() any { return client.Erased{Requests: 100, Erased: 3, Next: "eyJzdGVwIjoidHJhaWwifQ"} }},
	"AuditErased": {"erased", "Nothing is left to process", func() any { return client.AuditErased{Lines: 3} }},
	"AuditPage": {"end", "The last page, without a line", func() any {
		return client.AuditPage{Key: strings.Repeat("5a", 32)}
	}},
	"Stats": {"week", "One request, answered within a minute", func() any {
		asked := client.Numbers{
			Asked: 1, Answered: 1, Reminders: 1,
			ToFirstAct: client.Times{Count: 1, Median: 20, P90: 20}, ToEnd: client.Times{Count: 1, Median: 45.5, P90: 45.5},
		}
		return client.Stats{
			Since: exampleAsked, Until: exampleAsked.Add(defaultPeriod), Total: asked,
			Routes: []client.Share{{Name: "deploys", Numbers: asked}}, Agents: []client.Share{{Name: "deploy-bot", Numbers: asked}},
		}
	}},
	"Grant":  {"revoked", "The next call is asked about again", func() any { return exampleGrant() }},
	"Grants": {"one", "A call that is not asked about", func() any { return client.Grants{Grants: []client.Grant{exampleGrant()}} }},
	"Token":  {"own", "A token for an agent that asks in one channel", func() any { return exampleToken() }},
	"Tokens": {"one", "A token for an agent that asks in one channel", func() any { return client.Tokens{Tokens: []client.Token{exampleToken()}} }},
	"History": {"answered", "Asked, and answered by a person", func() any {
		r, _ := answeredExample.value().(client.Request)
		return client.History{Events: []client.HistoryEvent{
			{Seq: 1, At: r.CreatedAt, Kind: "asked"}, {Seq: 2, At: r.EndedAt, Kind: string(r.State), By: &r.By},
		}}
	}},
}

func exampleToken() client.Token {
	made, _ := madeExample.value().(client.MadeToken)
	return made.Token
}

func exampleGrant() client.Grant {
	return client.Grant{
		ID: "8fk2v0qj5m1xw7t3c9dn", Tenant: "deploy-bot", Agent: "deploy-bot", Session: "run-7", Scope: ask.SameSession, What: "Bash: npm test",
		Request: exampleRequest().ID, By: exampleDana,
		MadeAt: exampleAsked, Until: exampleAsked.Add(8 * time.Hour), Uses: 1,
	}
}

// toolReply is a dialect's result for the example question. Status 200 means that the request
// has ended.
func toolReply(name, status string) example {
	about := "Not answered yet"
	out := ask.Outcome{State: ask.Open}
	if status == "200" {
		about = "A person chose"
		r, _ := answeredExample.value().(client.Request)
		out = ask.Outcome{State: r.State, By: r.By, Answers: r.Answers, At: r.EndedAt}
	}
	return example{name, about, func() any {
		d, _ := dialect.Get(name)
		input, _ := toolExample.value().(json.RawMessage)
		body := d.Encode(input, out, &dialect.Options{RequestID: exampleRequest().ID}).Body
		if json.Valid(body) {
			return json.RawMessage(body)
		}
		return string(body)
	}}
}

// illustrateReplies adds examples to bodies without one, except for errors, which are described
// by type.
func illustrateReplies(op *huma.Operation) {
	if op.RequestBody != nil {
		for kind, media := range op.RequestBody.Content {
			if strings.HasPrefix(kind, "text/plain") && media.Examples == nil {
				illustrate(media, example{"claude", toolExample.about, func() any {
					input, _ := toolExample.value().(json.RawMessage)
					return string(input)
				}})
			}
		}
	}
	for status, r := range op.Responses {
		for kind, media := range r.Content {
			e, known := typeExamples[path.Base(media.Schema.Ref)]
			switch {
			case media.Examples != nil:
			case known && status == strconv.Itoa(http.StatusServiceUnavailable):
				illustrate(media, unreadyExample)
			case known:
				illustrate(media, e)
			case strings.HasPrefix(kind, "text/plain"):
				illustrate(media, toolReply("claude-text", status))
			case kind == "application/json":
				illustrate(media, toolReply("req-auq", status))
			}
		}
	}
}
