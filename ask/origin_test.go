package ask_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/askbridge/ask"
)

func TestDecodeOrigin(t *testing.T) {
	t.Parallel()
	thread := ask.Place{Platform: "slack", Installation: "T1", Channel: "C1", Thread: "1700000000.000100"}
	for _, test := range []struct {
		name, json string
		want       ask.Origin
		ignored    []string
	}{
		{"absent", `{}`, ask.Origin{}, nil},
		{"null", `{"origin": null}`, ask.Origin{}, nil},
		{
			"complete", `{"origin": {"platform": "slack", "installation": "T1", "channel": "C1", "thread": "1700000000.000100", "people": ["slack:U1"], "language": "de"}}`,
			ask.Origin{Place: thread, People: []string{"slack:U1"}, Language: "de"},
			nil,
		},
		{"inside a string", `{"origin": "{\"platform\": \"slack\", \"user\": \"U1\"}"}`, ask.Origin{Place: ask.Place{Platform: "slack", User: "U1"}}, nil},
		{"unknown member", `{"origin": {"platform": "slack", "channel": "C1", "room": 1}}`, ask.Origin{Place: ask.Place{Platform: "slack", Channel: "C1"}}, []string{"origin.room"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, ignored, err := ask.DecodeRequest([]byte(test.json))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, r.Origin); diff != "" || !slices.Equal(ignored, test.ignored) {
				t.Errorf("ignored %v, origin: %s", ignored, diff)
			}
			if test.want.IsZero() != r.Origin.IsZero() {
				t.Errorf("IsZero is %t", r.Origin.IsZero())
			}
		})
	}
}

func TestCheckOrigin(t *testing.T) {
	t.Parallel()
	place := ask.Place{Platform: "slack", Channel: "C1"}
	many := make([]string, ask.MaxNotify+1)
	for n := range many {
		many[n] = fmt.Sprint("slack:U", n)
	}
	for _, test := range []struct {
		name   string
		origin ask.Origin
		want   []string
	}{
		{"none", ask.Origin{}, nil},
		{"thread", ask.Origin{Place: ask.Place{Platform: "slack", Channel: "C1", Thread: "1"}, People: []string{"slack:U1", "discord:2"}, Language: "de"}, nil},
		{"people without a place", ask.Origin{People: []string{"slack:U1"}}, []string{"origin.platform", "origin"}},
		{"channel and user", ask.Origin{Place: ask.Place{Platform: "slack", Channel: "C1", User: "U1"}}, []string{"origin"}},
		{"thread alone", ask.Origin{Place: ask.Place{Platform: "slack", User: "U1", Thread: "1"}}, []string{"origin.thread"}},
		{"not people", ask.Origin{Place: place, People: []string{"anyone", "slack-group:S1", "oncall:payments", "dana", "slack:U1"}}, []string{"origin.people[0]", "origin.people[1]", "origin.people[2]", "origin.people[3]"}},
		{"too many people", ask.Origin{Place: place, People: many}, []string{"origin.people"}},
		{"long language", ask.Origin{Place: place, Language: strings.Repeat("x", ask.MaxName+1)}, []string{"origin.language"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range ask.CheckOrigin("origin", test.origin) {
				got = append(got, p.Path)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("problems at %v, want %v", got, test.want)
			}
		})
	}
}
