package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge"
	"github.com/askbridge/askbridge/dialect"
)

// resultAs responds with the result of an earlier request: POST /v1/requests/{id}/as/{dialect}.
func resultAs(x *exchange) error {
	wait, err := x.waitTime()
	if err != nil {
		return err
	}
	t, err := readToolCall(x)
	if err != nil {
		return err
	}
	r, err := parkAndLoad(x)
	if err != nil {
		return err
	}
	if got, err := t.dialect.Decode(t.input, &t.opts); err != nil || !sameCall(&got.Request, r) {
		return problem(http.StatusConflict, "the body is not the tool input that request %s was made from", r.ID)
	}
	return finishTool(x, t, r, wait)
}

// sameCall reports whether a request was created from the same tool input. For a permission
// prompt it compares the operation and the options: another version may word the card
// differently.
func sameCall(read *ask.Request, asked *bridge.Record) bool {
	if asked.Permit != nil && asked.Permit.Key != "" {
		offered := &ask.Request{Questions: asked.Questions, Permit: asked.Permit}
		return read.Operation.Key() == asked.Permit.Key && sameChoices(read.WithoutOffers(), offered.WithoutOffers())
	}
	return sameFiles(read.Files, asked.Files) && (sameQuestions(read.Questions, asked.Questions) || sameQuestions(read.WithoutOffers(), asked.Questions))
}

// sameQuestions compares questions; nil and empty option lists are equal.
func sameQuestions(a, b []ask.Question) bool {
	return reflect.DeepEqual(questionsOf(a), questionsOf(b))
}

// sameFiles reports whether a request has the files of a tool input, of which the card shows
// only the beginning.
func sameFiles(read []ask.File, asked []ask.Attachment) bool {
	return !slices.ContainsFunc(read, func(f ask.File) bool { return !slices.Contains(asked, f.Attachment()) })
}

// getAs responds with the result of a request in a dialect, for an input reconstructed from the
// questions: GET /v1/requests/{id}?as={dialect}.
func getAs(x *exchange, name string, wait time.Duration) error {
	d, err := dialectOf(name)
	if err != nil {
		return parameter("as", "there is no dialect %q", name)
	}
	r, err := parkAndLoad(x)
	if err != nil {
		return err
	}
	input, ok := rebuilt(d, r.Questions)
	if !ok {
		return problem(http.StatusConflict, "a result for %s needs the tool input itself: POST it to /v1/requests/%s/as/%s", d.Name, r.ID, d.Name)
	}
	return finishTool(x, &toolCall{dialect: d, input: input}, r, wait)
}

// rebuilt reconstructs a tool input from questions. It fails if the host identifies answers by
// ids that only the input has, or would decode different questions. Escapes and members that do
// not affect people may differ from the original.
func rebuilt(d dialect.Dialect, questions []ask.Question) ([]byte, bool) {
	set, err := encode(map[string]any{"questions": questionsOf(questions)})
	if err != nil {
		return nil, false
	}
	list, err := encode(questionsOf(questions))
	if err != nil {
		return nil, false
	}
	forms := []any{json.RawMessage(set), map[string]any{"questions_json": strings.TrimSpace(string(list))}}
	if len(questions) == 1 {
		labels := []string{}
		for _, o := range questions[0].Options {
			labels = append(labels, o.Label)
		}
		forms = append(forms, map[string]any{"question": questions[0].Text, "choices": labels}, map[string]any{"question": questions[0].Text, "options": labels})
	}
	for _, form := range forms {
		input, err := encode(form)
		if err != nil {
			continue
		}
		if got, err := d.Decode(input, nil); err == nil && sameChoices(got.Request.Questions, questions) {
			return input, true
		}
	}
	return nil, false
}

// sameChoices compares the parts that determine an answer. Some hosts have no descriptions or
// headers.
func sameChoices(read, asked []ask.Question) bool {
	return slices.EqualFunc(read, asked, func(a, b ask.Question) bool {
		return a.Text == b.Text && a.MultiSelect == b.MultiSelect && (a.Header == "" || a.Header == b.Header) &&
			slices.EqualFunc(a.Options, b.Options, func(a, b ask.Option) bool { return a.Label == b.Label })
	})
}

// outcome returns the outcome for the host of the call. Answers to a revision do not answer the
// original input, and a permission covers everything that the card showed.
func (t *toolCall) outcome(r *bridge.Record) ask.Outcome {
	if o := r.Outcome; r.Permit != nil && o.State == ask.Answered && len(o.Answers) == 1 && len(o.Answers[0].Selected) == 1 && r.Permit.Offered(o.Answers[0].Selected[0]) != nil {
		// To the host it is the same as allowing this call, however a version words the offer.
		a := o.Answers[0]
		a.Selected = []string{r.Permit.Allow}
		o.Answers = []ask.Answer{a}
		return o
	}
	if r.Revised == 0 || r.Outcome.State != ask.Answered {
		return r.Outcome
	}
	if got, err := t.dialect.Decode(t.input, &t.opts); err == nil && !got.Permission && sameQuestions(got.Request.Questions, r.Questions) {
		return r.Outcome
	}
	return ask.Outcome{State: ask.Failed, Reason: "what was asked has been revised since", At: r.Outcome.At}
}
