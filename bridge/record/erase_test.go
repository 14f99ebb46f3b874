package record

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/askbridge/ask"
)

// written is an ended request in which two people and the agent wrote wherever that is possible. Each text names its
// author.
func written() Record {
	dana, remy := ask.Person{Platform: "slack", ID: "U1", Name: "name-of-dana"}, ask.Person{Platform: "slack", ID: "U2", Name: "name-of-remy"}
	return Record{
		ID: "a1", Version: 3, Context: "by-agent", Links: []ask.Link{{Label: "by-agent", URL: "https://by-agent.example"}},
		Questions: []ask.Question{{Text: "by-agent", Header: "by-agent", Options: []ask.Option{{Label: "Yes", Description: "by-agent", Preview: "by-agent"}}}},
		Files:     []ask.Attachment{{Name: "by-agent", Bytes: 2, SHA256: "ab"}},
		Permit:    &ask.Permit{Key: "k", What: "by-agent"},
		AskedBack: []AskedBack{{AskedBack: ask.AskedBack{By: dana, Text: "by-dana", Reply: "by-agent"}}, {AskedBack: ask.AskedBack{By: remy, Text: "by-remy"}}},
		Voting:    &Voting{Links: map[string]string{"slack:U1": "name-of-dana", "discord:1": "name-of-dana", "slack:U2": "name-of-remy"}, Roster: []string{"name-of-dana", "name-of-remy"}},
		Schedule:  &Schedule{Claim: &Claim{By: dana}, Steps: []Step{{Pass: &Pass{By: dana, To: remy}}}},
		Drafts: map[string]ask.Draft{
			"slack:U1": {0: ask.Pick{Other: "by-dana"}}, "slack:U2": {0: ask.Pick{Other: "by-remy"}}, "discord": {0: ask.Pick{Other: "by-dana", By: dana}},
		},
		Outcome: ask.Outcome{
			State: ask.Answered, By: dana, At: time.Unix(1, 0), Replied: true, Reason: "by-dana",
			Answers: []ask.Answer{
				{Question: "by-agent", Header: "by-agent", Selected: []string{"Yes"}, Other: "by-dana", By: dana, Notes: "by-remy", NotesBy: remy},
				{Index: 1, Question: "by-agent", Other: "by-remy", By: remy, Notes: "by-remy"},
			},
			Skipped: []ask.Unanswered{{Question: "by-agent", By: dana, Notes: "by-dana"}},
			Left:    []ask.Unanswered{{Question: "by-agent", Notes: "by-remy", NotesBy: remy}},
			Votes: []ask.Vote{
				{By: dana, Human: "name-of-dana", Reply: "by-dana", Choices: []ask.Choice{{Selected: []string{"Yes"}, Other: "by-dana", Notes: "by-dana"}}},
				{By: remy, Human: "name-of-remy", Choices: []ask.Choice{{Other: "by-remy"}}},
			},
			Tally: []ask.Count{{Other: "by-dana", Votes: 1}, {Other: "by-remy", Votes: 1}},
		},
		Trail: &Trail{Events: []Event{
			{By: dana, Text: "by-dana", Choices: []ask.Choice{{Other: "by-dana", Notes: "by-dana"}}}, {By: remy, Text: "by-remy"},
		}},
	}
}

func TestEraseRemovesTypedText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, person string
		gone, stays  []string
	}{
		{"of one person", "slack:U1", []string{"dana"}, []string{"by-remy", "name-of-remy", "by-agent", `"Yes"`, "U1", "U2"}},
		{"of the other", "slack:U2", []string{"remy"}, []string{"by-dana", "name-of-dana", "by-agent", "U1", "U2"}},
		{"of everybody", "", []string{"dana", "remy", "by-agent"}, []string{`"Yes"`, "U1", "U2", Erased}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, before := written(), written()
			shared := r.Clone()
			if err := r.Erase(test.person); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(shared, before) {
				t.Error("it is erased from another copy of the record too")
			}
			data, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range test.gone {
				if n := strings.Count(string(data), text); n > 0 {
					t.Errorf("%q is there %d times: %s", text, n, data)
				}
			}
			for _, text := range test.stays {
				if !strings.Contains(string(data), text) {
					t.Errorf("%q is gone: %s", text, data)
				}
			}
			if r.Outcome.State != before.Outcome.State || r.Outcome.Tally[0].Votes != 1 || len(r.Outcome.Answers) != 2 {
				t.Errorf("what was decided is %+v", r.Outcome)
			}
			if err := r.Erase(test.person); !errors.Is(err, ErrUnchanged) {
				t.Errorf("again: %v", err)
			}
		})
	}
}

func TestOpenRequestIsNotErased(t *testing.T) {
	t.Parallel()
	r := written()
	r.Outcome.State = ask.Open
	if err := r.Erase(""); !errors.Is(err, ErrStillOpen) || r.Context == "" {
		t.Errorf("erased, with %v", err)
	}
	r = written()
	if err := r.Erase("slack:U3"); !errors.Is(err, ErrUnchanged) {
		t.Errorf("erasing a person who wrote nothing: %v", err)
	}
}
