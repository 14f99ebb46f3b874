package audit

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
	"github.com/askbridge/askbridge/bridge/record"
)

// A typed text is stored with the line of its author, and erased with it.
func TestDrafts(t *testing.T) {
	t.Parallel()
	dana, sam := ask.Person{Platform: "slack", ID: "U1", Name: "Dana"}, ask.Person{Platform: "slack", ID: "U2", Name: "Sam"}
	for name, tt := range map[string]struct {
		event record.Event
		end   ask.Outcome
		want  []string
	}{
		"a vote": {
			event: record.Event{Kind: record.EventVoted, By: dana, Text: "in place of it", Choices: []ask.Choice{
				{Index: 0, Selected: []string{"A"}, Notes: "beside it"}, {Index: 1, Other: "own words"}, {Index: 2, Skipped: true},
			}},
			end: ask.Outcome{State: ask.Open},
			want: []string{
				`voted slack:U1 [{"question":0,"labels":["A"]},{"question":1,"typed":true},{"question":2,"skipped":true}] Dana ["beside it","own words","in place of it"]`,
			},
		},
		"time": {
			event: record.Event{Kind: "expired", Detail: "5m"}, end: ask.Outcome{State: ask.Expired},
			want: []string{`expired 5m null  null`},
		},
		"a dismissal": {
			event: record.Event{Kind: "cancelled", By: dana}, end: ask.Outcome{State: ask.Cancelled, By: dana, Reason: "not now"},
			want: []string{`cancelled slack:U1 null Dana ["not now"]`},
		},
		"an answer of two": {
			event: record.Event{Kind: "answered", By: dana, Act: "a1", Detail: "web"},
			end: ask.Outcome{
				State: ask.Answered, By: dana, Answers: []ask.Answer{{Index: 0, Selected: []string{"A"}, Other: "own words", Notes: "a note", NotesBy: sam}},
				Skipped: []ask.Unanswered{{Index: 1, Notes: "unsure", NotesBy: sam}},
			},
			want: []string{
				`answered slack:U1 a1 web [{"question":0,"labels":["A"],"typed":true},{"question":1,"skipped":true}] Dana ["own words"]`,
				`wrote slack:U2 null Sam ["a note","unsure"]`,
			},
		},
		"an answer of voters": {
			event: record.Event{Kind: "cancelled", By: dana},
			end:   ask.Outcome{State: ask.Cancelled, Votes: []ask.Vote{{By: sam, Dismissed: true, Reply: "never"}, {By: dana, Choices: []ask.Choice{{Selected: []string{"A"}}}}}},
			want:  []string{`cancelled slack:U1 null Dana null`, `counted slack:U2 dismiss null Sam ["never"]`, `counted slack:U1 [{"question":0,"labels":["A"]}] Dana null`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, d := range draftsOf(&record.Record{Outcome: tt.end, Trail: &record.Trail{Events: []record.Event{tt.event}}}, -1) {
				event := d.line.Kind
				for _, part := range []string{d.line.By, d.line.Act, d.line.Detail, text(t, d.line.Choices)} {
					if part != "" {
						event += " " + part
					}
				}
				got = append(got, event+" "+d.text.Name+" "+text(t, d.text.Said))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Without salts, the hash would confirm a guess of an erased text.
func TestSaltsDiffer(t *testing.T) {
	t.Parallel()
	_, trail := busy(t)
	salts := regexp.MustCompile(`"salt":"[0-9a-f]{32}"`).FindAllString(string(trail), -1)
	if slices.Sort(salts); len(salts) != 3 || len(slices.Compact(salts)) != 3 {
		t.Errorf("salts are %q", salts)
	}
}

// A person who only pressed a button still has a name.
func TestTextContainsNameOnly(t *testing.T) {
	t.Parallel()
	d := &draft{line: Line{By: "slack:U1"}, text: Text{Name: "Dana"}}
	if line, text, _ := d.place(1, ""); !strings.Contains(string(text), `"name":"Dana"`) {
		t.Errorf("%s has the text %s", line, text)
	}
}

func TestNewKey(t *testing.T) {
	t.Parallel()
	private, public := NewKey()
	key, err := ParseKey(private)
	if other, _ := NewKey(); err != nil || Public(key) != public || other == private {
		t.Errorf("%v; public key %s does not match, or NewKey returned the same key twice", err, public)
	}
}

// TestPostLineHasPermalink also repeats the export, as after a failed write.
func TestPostLineHasPermalink(t *testing.T) {
	t.Parallel()
	linked := record.Record{
		Trail:  &record.Trail{Events: []record.Event{{Seq: 1, Kind: record.EventPosted, Detail: "slack:C1"}, {Seq: 2, Kind: record.EventNotPosted, Detail: "slack:C2"}}},
		Copies: record.Copies{{Target: ask.Place{Platform: "slack", Channel: "C1"}, Ref: record.MessageRef{Platform: "slack", Channel: "C1", Message: "m"}}},
	}
	var got []string
	for _, line := range draftsOf(&linked, 0) {
		for range 2 {
			line.link(func(_ ask.Place, ref record.MessageRef) string { return "https://acme.slack.com/" + ref.Message })
		}
		got = append(got, line.line.Detail)
	}
	if diff := cmp.Diff([]string{"slack:C1 https://acme.slack.com/m", "slack:C2"}, got); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
}
