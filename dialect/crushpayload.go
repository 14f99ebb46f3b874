package dialect

import (
	"github.com/askbridge/askbridge/dialect/internal/answer"
	"github.com/askbridge/askbridge/dialect/internal/js"
)

// The payload that a client of Crush's server posts: one response for each question, in their order, because the server uses the
// order and not the IDs. Cancelling is a separate request without a body.
// https://github.com/charmbracelet/crush/blob/main/internal/proto/proto.go (QuestionRequest, QuestionAnswer)
const crushPayloadSource = "https://github.com/charmbracelet/crush/blob/main/internal/proto/proto.go"

// crushOnQuestion is the key of a note on the whole question.
const crushOnQuestion = "_question"

func crushPayload() Dialect {
	d := crush()
	d.Name, d.Host, d.Source = "crush-payload", "Crush, payload of a client", crushPayloadSource
	d.noReply = true
	d.write = func(c *call, picks []answer.Pick) Result {
		responses := make([]js.Text, len(picks))
		for i, p := range picks {
			responses[i] = crushResponse(p)
		}
		var members []js.Member
		if !c.id.Empty() {
			members = append(members, js.At("batch_request_id", c.id.JSON))
		}
		return asJSON(js.Object(append(members, js.At("responses", js.Array(responses)))...))
	}
	d.end = func(c *call, e Ending, text string) Result {
		switch e {
		case Pending:
			return noOutput()
		case Refused:
			return asText(text).asError()
		case Declined:
			return Result{IsError: true, StopTurn: true}
		case Replied:
			c.AddWarning("the host only learns that the questions were cancelled: %s", text)
		}
		return Result{IsError: true}
	}
	return d
}

// crushResponse is the answer to one question. Without an answer it has only the ID.
func crushResponse(p answer.Pick) js.Text {
	id := p.Key.JSON
	if p.Key.Empty() {
		id = `""`
	}
	members := []js.Member{js.At("request_id", id)}
	switch {
	case p.Skipped:
	case p.Kind == "yes_no":
		members = append(members, js.At("yes", js.Bool(p.Keys[0].Text == "yes")))
	case len(p.Keys) > 0:
		members = append(members, js.At("selected_ids", js.List(p.Keys)))
	}
	if p.Other != "" {
		members = append(members, js.At("fill_in_text", js.String(p.Other)))
	}
	if p.Notes != "" {
		members = append(members, js.At("notes", js.Object(js.At(crushOnQuestion, js.String(p.Notes)))))
	}
	return js.Object(members...)
}
