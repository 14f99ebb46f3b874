package dialect

// What a client of Crush's server posts: one response for each question, in
// their order, since the server goes by the order and not by the ids. Cancelling
// is a request of its own without a body.
// https://github.com/charmbracelet/crush/blob/main/internal/proto/proto.go (QuestionRequest, QuestionAnswer)
const crushPayloadSource = "https://github.com/charmbracelet/crush/blob/main/internal/proto/proto.go"

// crushOnQuestion is the key of a note on the question as a whole.
const crushOnQuestion = "_question"

func crushPayload() Dialect {
	d := crush()
	d.Name, d.Host, d.Source = "crush-payload", "Crush, payload of a client", crushPayloadSource
	d.wordless = true
	d.write = func(c *call, picks []pick) Result {
		responses := make([]js, len(picks))
		for i, p := range picks {
			responses[i] = crushResponse(p)
		}
		var members []member
		if !c.id.empty() {
			members = append(members, at("batch_request_id", c.id.json))
		}
		return asJSON(object(append(members, at("responses", array(responses)))...))
	}
	d.end = func(c *call, e Ending, text string) Result {
		switch e {
		case Pending:
			return Result{ContentType: "application/json"}
		case Refused:
			return asText(text).asError()
		case Declined:
			return Result{IsError: true, StopTurn: true}
		case Replied:
			c.warn("the host can only be told that the questions were cancelled: %s", text)
		}
		return Result{IsError: true}
	}
	return d
}

// crushResponse is the answer to one question; without one it says so by
// holding nothing but the id.
func crushResponse(p pick) js {
	id := p.key.json
	if p.key.empty() {
		id = `""`
	}
	members := []member{at("request_id", id)}
	switch {
	case p.skipped:
	case p.kind == "yes_no":
		members = append(members, at("yes", boolean(p.keys[0].text == "yes")))
	case len(p.keys) > 0:
		members = append(members, at("selected_ids", labelList(p.keys)))
	}
	if p.other != "" {
		members = append(members, at("fill_in_text", str(p.other)))
	}
	if p.notes != "" {
		members = append(members, at("notes", object(at(crushOnQuestion, str(p.notes)))))
	}
	return object(members...)
}
